// Runs the parent pipelines of an aggregation over its buckets.
import type { OutBucket } from '../reduce/out.ts';
import type { AggSpec } from '../types.ts';

/** Runs the parent pipelines of `spec` in order. */
export function runParentPipelines(spec: AggSpec, buckets: OutBucket[]): OutBucket[] {
  let out = buckets;
  for (const pipeline of spec.pipelines) if (pipeline.parent) out = pipeline.parent(out, spec);
  return out;
}
