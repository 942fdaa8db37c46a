// Merges the columns of segments: equal keys under the same merged parent become one bucket, and each slice gets a map from its buckets to merged ones.
import { present } from '../../common/present.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import type { BucketColumns } from '../../plan/agg-plan.ts';
import { tooManyBucketsError } from '../errors.ts';
import type { AggSpec, MergedAgg, ReduceContext, Slice } from '../types.ts';
import { KeyTable } from './key-table.ts';
import type { OutAgg } from './out.ts';

const BUCKETS_PER_CHECK_MASK = 1023;

export type MergeKey = string | number | bigint;

export interface MergedBuckets {
  readonly count: number;
  /** Per merged bucket. */
  readonly parents: number[];
  readonly keys: MergeKey[];
  readonly docCounts: number[];
  /** Per slice: its bucket -> merged bucket, -1 if its parent is not shown. */
  readonly maps: Int32Array[];
  /** Merged buckets of each merged parent, unordered. */
  lists(parents: number): number[][];
}

/**
 * Numbers the buckets of all slices under their merged parents; buckets of parents that are not shown are left out.
 * @param numberOf  merged bucket of bucket `i` of slice `s`, `next` for a new one
 */
export function numberBuckets(
  slices: readonly Slice[],
  numberOf: (s: number, columns: BucketColumns, i: number, parent: number, next: number) => number,
): Pick<MergedBuckets, 'parents' | 'docCounts' | 'maps' | 'lists'> {
  const parents: number[] = [];
  const docCounts: number[] = [];
  const maps = slices.map((slice, s) => {
    const columns = columnsOf(slice);
    const map = new Int32Array(columns.parents.length);
    for (let i = 0; i < map.length; i++) {
      if ((i & BUCKETS_PER_CHECK_MASK) === 0) checkTurn();
      const parent = slice.map ? slice.map[columns.parents[i]] : columns.parents[i];
      if (parent < 0) {
        map[i] = -1;
        continue;
      }
      const id = numberOf(s, columns, i, parent, parents.length);
      if (id === parents.length) {
        parents.push(parent);
        docCounts.push(0);
      }
      docCounts[id] += columns.docCounts[i];
      map[i] = id;
    }
    return map;
  });
  const lists = (count: number): number[][] => {
    const out: number[][] = Array.from({ length: count }, () => []);
    parents.forEach((parent, id) => {
      out[parent].push(id);
    });
    return out;
  };
  return { parents, docCounts, maps, lists };
}

/**
 * @param keyOf       key of a slice's bucket, equal across segments; with a single slice any injective key will do
 * @param isInjective false if several buckets of one slice have the same key
 */
export function mergeBuckets(
  slices: readonly Slice[],
  keyOf: (slice: Slice, columns: BucketColumns, i: number) => MergeKey,
  isInjective = true,
): MergedBuckets {
  const keys: MergeKey[] = [];
  const single = slices.length === 1 && isInjective;
  // Numeric keys of all parents are numbered by one table, other keys by a map per parent.
  const numbers = new KeyTable();
  const idOfNumber: number[] = [];
  const found: Array<Map<MergeKey, number>> = [];
  const known = (parent: number, key: MergeKey, next: number): number => {
    if (single) return next;
    if (typeof key === 'number') {
      const number = numbers.numberOf(parent, key);
      idOfNumber[number] ??= next;
      return idOfNumber[number];
    }
    found[parent] ??= new Map();
    const id = found[parent].get(key);
    if (id === undefined) found[parent].set(key, next);
    return id ?? next;
  };
  const numbered = numberBuckets(slices, (s, columns, i, parent, next) => {
    const key = keyOf(slices[s], columns, i);
    const id = known(parent, key, next);
    if (id === next) keys.push(key);
    return id;
  });
  return { ...numbered, count: keys.length, keys };
}

const NO_BUCKETS: BucketColumns = { parents: new Uint32Array(0), keys: new Float64Array(0), docCounts: new Uint32Array(0) };

export function columnsOf(slice: Slice): BucketColumns {
  return slice.result.op === 'buckets' ? slice.result.buckets : NO_BUCKETS;
}

/** Merged children of a bucket aggregation. */
export interface MergedChildren {
  /** Results below bucket `id` with the sibling pipelines there; -1 for a bucket without documents. */
  at(id: number): Map<string, OutAgg>;
}

/**
 * Merges the children of `spec`.
 * @param maps   per slice: its bucket -> number of the bucket under which the children are merged, -1 to leave it out
 * @param count  upper bound of these numbers
 */
export function mergeChildren(
  spec: AggSpec,
  slices: readonly Slice[],
  maps: readonly Int32Array[],
  count: number,
  ctx: ReduceContext,
): MergedChildren {
  const merged = spec.children.map((child, c): MergedAgg => {
    const below: Slice[] = [];
    slices.forEach((slice, s) => {
      if (slice.result.op !== 'buckets' || slice.result.children.length <= c) return;
      below.push({ ...slice, result: slice.result.children[c], bound: slice.bindings.get(child), map: maps[s] });
    });
    // Keys of a single slice are assumed to differ. If several of its buckets map to one, a second slice that shows nothing forces the lookup of keys.
    if (below.length === 1 && hasRepeats(present(below[0].map))) below.push({ ...below[0], map: present(below[0].map).map(() => -1) });
    return child.type.merge(child, below, count, ctx);
  });
  return { at: (id) => outAggs(spec, merged, id) };
}

function hasRepeats(map: Int32Array): boolean {
  const seen = new Set<number>();
  for (const id of map) {
    if (id >= 0 && seen.has(id)) return true;
    seen.add(id);
  }
  return false;
}

/** Results of one level in one bucket: aggregations in the order of the request, then the sibling pipelines. */
export function outAggs(level: Pick<AggSpec, 'children' | 'pipelines'>, merged: readonly MergedAgg[], id: number): Map<string, OutAgg> {
  const aggs = new Map<string, OutAgg>();
  level.children.forEach((child, c) => {
    aggs.set(child.name, merged[c].at(id));
  });
  for (const pipeline of level.pipelines) if (pipeline.sibling) aggs.set(pipeline.name, pipeline.sibling(aggs));
  return aggs;
}

/** Renumbers merged buckets to the remaining ones. @returns maps of the slices, and old number -> new number (-1 if dropped) */
export function keepOnly(merged: MergedBuckets, kept: readonly number[]): { maps: Int32Array[]; numberOf: Int32Array } {
  const numberOf = new Int32Array(merged.count).fill(-1);
  kept.forEach((id, number) => {
    numberOf[id] = number;
  });
  const maps = merged.maps.map((map) => map.map((id) => (id < 0 ? -1 : numberOf[id])));
  return { maps, numberOf };
}

/** Which empty buckets `addEmpty` adds. */
export interface EmptyBuckets {
  /** Most buckets that a parent shows. */
  readonly size: number;
  /** Order of the keys among buckets that are equal otherwise, as empty ones are. */
  readonly compare: (a: MergeKey, b: MergeKey) => number;
  readonly maxBuckets: number;
}

/**
 * min_doc_count 0: adds to every parent empty buckets for the first keys that it lacks, as many as it may show.
 * @throws ApiError too_many_buckets_exception
 */
export function addEmpty(merged: MergedBuckets, keys: Iterable<MergeKey>, parents: number, options: EmptyBuckets): void {
  const sorted = [...new Set(keys)].sort(options.compare);
  const present = Array.from({ length: parents }, () => new Set<MergeKey>());
  merged.keys.forEach((key, id) => {
    present[merged.parents[id]].add(key);
  });
  let added = 0;
  for (let parent = 0; parent < parents; parent++) {
    let left = options.size;
    for (const key of sorted) {
      if (left === 0) break;
      if (present[parent].has(key)) continue;
      left--;
      if ((added & BUCKETS_PER_CHECK_MASK) === 0) checkTurn();
      if (++added > options.maxBuckets) throw tooManyBucketsError(options.maxBuckets, parents * Math.min(options.size, sorted.length));
      merged.parents.push(parent);
      merged.keys.push(key);
      merged.docCounts.push(0);
      (merged as { count: number }).count++;
    }
  }
}

/** The first `size` of `ids` by `compare`, in order, without sorting all of them. */
export function selectTop(ids: readonly number[], size: number, compare: (a: number, b: number) => number): number[] {
  if (ids.length <= size || size > 256) return ids.slice().sort(compare).slice(0, size);
  const top: number[] = [];
  for (const id of ids) {
    if (top.length === size) {
      if (compare(id, top[size - 1]) >= 0) continue;
      top.pop();
    }
    let low = 0;
    let high = top.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(id, top[middle]) < 0) high = middle;
      else low = middle + 1;
    }
    top.splice(low, 0, id);
  }
  return top;
}
