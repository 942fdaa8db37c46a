// Buckets over histogram fields: each value counts in its bucket as often as the histogram says. The host reads the column.
import { illegalArgumentError, tooManyBucketsError } from '../errors.ts';
import { docGroups } from '../metrics/documents.ts';
import { eachValue, isHistogram } from '../metrics/pre-aggregated.ts';
import type { ValuesSource } from '../source.ts';
import type { AggSpec, ReduceContext, Slice } from '../types.ts';

/** @throws ApiError illegal_argument_exception: a histogram has counts, not documents that sub-aggregations could run over */
export function refuseCountedChildren(spec: AggSpec, source: ValuesSource): void {
  if (!isHistogram(source) || spec.children.length === 0) return;
  const name = spec.typeName === 'range' ? 'Range' : 'Histogram';
  throw illegalArgumentError(`${name} aggregation on histogram fields does not support sub-aggregations`);
}

/**
 * Converts slices of documents to slices of buckets.
 * @param keysOf  keys of the buckets that a value belongs to
 */
export function countedSlices(
  slices: readonly Slice[],
  parents: number,
  keysOf: (value: number) => readonly number[],
  { maxBuckets }: ReduceContext,
): Slice[] {
  const out: Slice[] = [];
  let made = 0;
  docGroups(slices, parents).forEach((groups, parent) => {
    for (const { slice, docs } of groups) {
      const counts = new Map<number, number>();
      for (const doc of docs) {
        eachValue(slice.bound as ValuesSource, slice.segment.segment, doc, (value, count) => {
          for (const key of keysOf(value)) counts.set(key, (counts.get(key) ?? 0) + count);
        });
        if (made + counts.size > maxBuckets) throw tooManyBucketsError(maxBuckets, made + counts.size);
      }
      made += counts.size;
      const buckets = {
        parents: new Uint32Array(counts.size),
        keys: Float64Array.from(counts.keys()),
        docCounts: Float64Array.from(counts.values()),
      };
      out.push({ ...slice, map: Int32Array.of(parent), result: { op: 'buckets', buckets, children: [] } });
    }
  });
  return out;
}
