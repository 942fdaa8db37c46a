// Ranges of documents in large segments, which threads search apart (shared-segments.ts). A segment is divided only if the results of its ranges
// add up to exactly what they are without ranges: counts, extremes, sets, and sums of integers that doubles hold exactly. Sums of fractions
// depend on their order.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { type DocumentRange, RANGE_DOCS } from '../../plan/execute.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { costOfQuery } from '../request/cost.ts';
import type { SearchRequest } from '../request/search-request.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import type { SearchPart } from './shared-segments.ts';

/** Enough for several threads that begin at different times; each range costs a layout of the aggregations. */
const MAX_RANGES = 8;

/** Microseconds per document that a query may cost beyond what kernels do: each thread plans it for the whole segment. */
const MAX_PLANNING_US = 0.01;

/** Aggregations whose results are counts, extremes or sets. */
const EXACT = new Set([
  ...['terms', 'histogram', 'date_histogram', 'range', 'date_range', 'ip_range', 'filter', 'filters', 'missing'],
  ...['min', 'max', 'value_count', 'cardinality'],
]);
/** Aggregations that sum values as well. */
const SUMS = new Set(['sum', 'avg', 'stats']);
/** Pipelines that read only reduced results. */
const PIPELINES = new Set(['bucket_sort', 'bucket_selector', 'bucket_script', 'derivative', 'cumulative_sum', 'avg_bucket', 'sum_bucket']);

/** The number of ranges of each segment of a shard. */
export function numbersOfRanges(shard: SearchShard, request: SearchRequest): number[] {
  return shard.segments.map((segment) => {
    const spans = Math.floor(segment.maxDoc / RANGE_DOCS);
    return spans > 1 && isDivisible(shard, segment, request) ? Math.min(spans, MAX_RANGES) : 1;
  });
}

/** null if the segment has only one range. */
export function rangeOf(maxDoc: number, { range }: SearchPart, ranges: number): DocumentRange | null {
  if (ranges === 1) return null;
  const spans = Math.ceil(maxDoc / RANGE_DOCS);
  const startOf = (number: number) => Math.min(Math.floor((spans * number) / ranges) * RANGE_DOCS, maxDoc);
  return { from: startOf(range), to: startOf(range + 1) };
}

function isDivisible(shard: SearchShard, segment: SegmentReader, { query, postFilter, sort, aggs }: SearchRequest): boolean {
  if (segment.rootDocsPtr !== 0 || sort.some(({ by }) => by !== 'field' && by !== 'score')) return false;
  const planning = [query, postFilter].reduce((cost, each) => cost + (each === null ? 0 : costOfQuery(each, segment.maxDoc)), 0);
  if (planning > segment.maxDoc * MAX_PLANNING_US) return false;
  return aggs === null || areExact(aggs, (field) => hasExactSum(shard, segment, field));
}

function areExact(aggs: JsonObject, isExactSum: (field: unknown) => boolean): boolean {
  for (const definition of Object.values(aggs)) {
    if (!isObject(definition)) return false;
    for (const [type, body] of Object.entries(definition)) {
      if (!isObject(body)) return false;
      if (type === 'meta') continue;
      if (type === 'aggs' || type === 'aggregations') {
        if (!areExact(body, isExactSum)) return false;
      } else if (SUMS.has(type)) {
        if (Object.keys(body).some((key) => key !== 'field') || !isExactSum(body['field'])) return false;
      } else if (!PIPELINES.has(type) && (!EXACT.has(type) || 'script' in body)) return false;
    }
  }
  return true;
}

/** Whether doubles hold each sum of some of the values of a field. */
function hasExactSum({ mapping }: SearchShard, segment: SegmentReader, field: unknown): boolean {
  const type = typeof field === 'string' ? mapping.field(field) : null;
  if (!type || type.runtime !== null || type.aggregated !== null || type.scale !== 1 || type.unsigned) return false;
  const column = segment.column(type.spec.name);
  if (column === null) return true;
  if (column.kind !== 'i64') return false;
  const largest = Math.max(Math.abs(Number(column.min)), Math.abs(Number(column.max)));
  return largest * column.valueCount <= Number.MAX_SAFE_INTEGER;
}
