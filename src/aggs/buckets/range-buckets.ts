// date_histogram and histogram over range fields: a document counts in every bucket that one of its ranges overlaps. The host reads the column.
import { decodeRanges, rangeKindOf } from '../../mapping/values/range-encoding.ts';
import { tooManyBucketsError, unsupportedError } from '../errors.ts';
import { docGroups } from '../metrics/documents.ts';
import type { ValuesSource } from '../source.ts';
import type { AggSpec, ReduceContext, Slice } from '../types.ts';

/** Sub-aggregations run once per bucket, so the number of buckets with sub-aggregations is limited. */
const MOST_WITH_CHILDREN = 1000;

/** Buckets of a histogram by their keys. */
export interface Steps {
  /** Key of the bucket of a value. */
  at(value: number): number;
  next(key: number): number;
}

/** Ranges count as far as they are inside these bounds, both inclusive. */
interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Converts slices of documents to slices of buckets, by their keys. */
export function rangeSlices(
  spec: AggSpec,
  slices: readonly Slice[],
  parents: number,
  { steps, bounds }: { readonly steps: Steps; readonly bounds: Bounds },
  ctx: ReduceContext,
): Slice[] {
  const out: Slice[] = [];
  docGroups(slices, parents).forEach((groups, parent) => {
    for (const { slice, docs } of groups) {
      const byStart = new Map<number, number[]>();
      for (const doc of docs) {
        for (const start of keysOf(slice, doc, steps, bounds, ctx.maxBuckets)) {
          const list = byStart.get(start);
          if (list) list.push(doc);
          else byStart.set(start, [doc]);
        }
        if (byStart.size > ctx.maxBuckets) throw tooManyBucketsError(ctx.maxBuckets, byStart.size);
      }
      const made = out.length + byStart.size;
      if (made > ctx.maxBuckets) throw tooManyBucketsError(ctx.maxBuckets, made);
      if (spec.children.length > 0 && made > MOST_WITH_CHILDREN) {
        throw unsupportedError(`sub-aggregations of a [${spec.typeName}] on a range field with more than [${MOST_WITH_CHILDREN}] buckets`);
      }
      for (const [start, list] of byStart) {
        const children = spec.children.length > 0 ? slice.segment.collectChildren(spec, slice.bindings, Uint32Array.from(list), null) : [];
        const buckets = { parents: Uint32Array.of(0), keys: Float64Array.of(start), docCounts: Uint32Array.of(list.length) };
        out.push({ ...slice, map: Int32Array.of(parent), result: { op: 'buckets', buckets, children } });
      }
    }
  });
  return out;
}

function keysOf(slice: Slice, doc: number, steps: Steps, { min, max }: Bounds, limit: number): Set<number> {
  const keys = new Set<number>();
  const source = slice.bound as ValuesSource;
  const bytes = source.type ? slice.segment.segment.binary(source.field, doc) : null;
  for (const { from, to } of source.type && bytes ? decodeRanges(rangeKindOf(source.type.typeName), bytes) : []) {
    const last = steps.at(Math.min(Number(to), max));
    for (let key = steps.at(Math.max(Number(from), min)); key <= last; key = steps.next(key)) {
      keys.add(key);
      if (keys.size > limit) throw tooManyBucketsError(limit, keys.size);
    }
  }
  return keys;
}
