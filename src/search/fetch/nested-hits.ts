// Nested documents as hits: which object of the source each one is.
import type { JsonObject } from '../../common/json/json-value.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import { boolPlan, COUNT_ALL, type CollectPlan } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { RunControl } from '../run/run-control.ts';

export interface NestedIdentity {
  /** Name of the field relative to the enclosing level. */
  readonly field: string;
  readonly offset: number;
  readonly _nested?: NestedIdentity;
}

/** Documents of a nested path between `after` and `before`, both exclusive, ascending. */
export function nestedDocs(segment: SegmentReader, path: string, after: number, before: number, control: RunControl): number[] {
  const ptr = segment.nestedDocsPtr(path);
  if (ptr === 0 || before - after < 2) return [];
  const between = Uint32Array.from({ length: before - after - 1 }, (_, i) => after + 1 + i);
  const plan = boolPlan({
    filter: [
      { op: 'docs', docs: between, scores: null },
      { op: 'bitset', ptr },
    ],
  });
  const collect: CollectPlan = { ...COUNT_ALL, size: between.length, sort: [{ by: 'doc', descending: false }] };
  const found = segment.execute(plan, collect, { stop: control.stop, counters: control.counters, withNested: true });
  return [...found.docs];
}

/** The first document of the block that ends with a root: nested documents precede their root. */
export function blockStart(segment: SegmentReader, root: number): number {
  let start = root;
  while (start > 0 && segment.rootOf(start - 1) === root) start--;
  return start;
}

/** The position of a nested document in the source of its root. */
export function nestedIdentity(
  mapping: MappingSnapshot,
  segment: SegmentReader,
  path: string,
  docId: number,
  control: RunControl,
): NestedIdentity {
  const root = segment.rootOf(docId);
  const start = blockStart(segment, root);
  const paths = [...mapping.nestedPathsOf(path)];
  if (paths.at(-1) !== path) paths.push(path);
  // From the outermost level inwards: the ancestor of the document at each level, and its position among its siblings.
  let from = start - 1;
  let end = root;
  let parentPath = '';
  const levels: NestedIdentity[] = [];
  for (const level of paths) {
    const siblings = nestedDocs(segment, level, from, end, control);
    const own = siblings.findIndex((doc) => doc >= docId);
    levels.push({ field: parentPath === '' ? level : level.slice(parentPath.length + 1), offset: own });
    from = own > 0 ? siblings[own - 1] : from;
    end = siblings[own] ?? end;
    parentPath = level;
  }
  return levels.reduceRight((inner, level): NestedIdentity => ({ ...level, _nested: inner }));
}

/** The object of the source that a nested document was made from. */
export function nestedSource(source: JsonObject, identity: NestedIdentity): JsonObject {
  let value: unknown = source;
  for (const part of identity.field.split('.')) {
    if (Array.isArray(value)) [value] = value;
    value = (value as JsonObject | undefined)?.[part];
  }
  const object = Array.isArray(value) ? value[identity.offset] : value;
  const found = (object ?? {}) as JsonObject;
  return identity._nested ? nestedSource(found, identity._nested) : found;
}
