// Plans a tree of aggregations for one segment.
import type { AggNode } from '../plan/agg-plan.ts';
import type { AggSpec, Bindings, SegmentScope } from './types.ts';

/** AggNode tree of a spec and its children. */
export function planTree(spec: AggSpec, bindings: Bindings, scope: SegmentScope): AggNode {
  const children = spec.children.map((child) => planTree(child, bindings, scope));
  // biome-ignore lint/plugin: each type reads only bindings of its own making, which the map from specs to bindings cannot express
  return spec.type.plan(spec, bindings.get(spec) as never, scope, children);
}
