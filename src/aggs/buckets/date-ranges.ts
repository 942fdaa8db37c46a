// date_histogram over date_range fields: a document counts in every bucket that one of its ranges overlaps. The host reads the column.
import { decodeRanges } from '../../mapping/range-encoding.ts';
import type { Rounding } from '../dates/rounding.ts';
import { tooManyBuckets, unsupported } from '../errors.ts';
import { docGroups } from '../metrics/documents.ts';
import type { ValuesSource } from '../source.ts';
import type { AggSpec, ReduceContext, Slice } from '../types.ts';
import { planChildren } from './sampler.ts';

/** Sub-aggregations run once per bucket, so the number of buckets with sub-aggregations is limited. */
const MOST_WITH_CHILDREN = 1000;

/** Converts slices of documents to slices of buckets, keyed by their starts. */
export function rangeSlices(spec: AggSpec, slices: readonly Slice[], parents: number, rounding: Rounding, ctx: ReduceContext): Slice[] {
  const out: Slice[] = [];
  docGroups(slices, parents).forEach((groups, parent) => {
    for (const { slice, docs } of groups) {
      const byStart = new Map<number, number[]>();
      for (const doc of docs) {
        for (const start of startsOf(slice, doc, rounding, ctx.maxBuckets)) {
          const list = byStart.get(start);
          if (list) list.push(doc);
          else byStart.set(start, [doc]);
        }
        if (byStart.size > ctx.maxBuckets) throw tooManyBuckets(ctx.maxBuckets, byStart.size);
      }
      const made = out.length + byStart.size;
      if (made > ctx.maxBuckets) throw tooManyBuckets(ctx.maxBuckets, made);
      if (spec.children.length > 0 && made > MOST_WITH_CHILDREN) {
        throw unsupported(`sub-aggregations of a [date_histogram] on a range field with more than [${MOST_WITH_CHILDREN}] buckets`);
      }
      for (const [start, list] of byStart) {
        const children =
          spec.children.length > 0
            ? slice.segment.collectDocs(() => planChildren(spec, slice.bindings, slice.segment), Uint32Array.from(list), null)
            : [];
        const buckets = { parents: Uint32Array.of(0), keys: Float64Array.of(start), docCounts: Uint32Array.of(list.length) };
        out.push({ ...slice, map: Int32Array.of(parent), result: { op: 'buckets', buckets, children } });
      }
    }
  });
  return out;
}

function startsOf(slice: Slice, doc: number, rounding: Rounding, limit: number): Set<number> {
  const starts = new Set<number>();
  const source = slice.bound as ValuesSource;
  const bytes = source.type ? slice.segment.segment.binary(source.field, doc) : null;
  for (const { from, to } of bytes ? decodeRanges('i64', bytes) : []) {
    for (let start = rounding.round(Number(from)); start <= Number(to); start = rounding.next(start)) {
      starts.add(start);
      if (starts.size > limit) throw tooManyBuckets(limit, starts.size);
    }
  }
  return starts;
}
