// Pre-filter of a search on many shards: skips shards that cannot have a match, judged by the bounds of their columns.
// Source: CanMatchPreFilterSearchPhase, SearchService.canRewriteToMatchNone (Elasticsearch), described and written anew.
import type { AggTree } from '../../aggs/index.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { SearchRequest } from '../request/search-request.ts';
import { rewriteQuery } from '../rewrite/rewrite.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';

/** Default number of shards above which the pre-filter runs. */
export const DEFAULT_PRE_FILTER_SHARDS = 128;

/** Whether a part of the response depends on all documents or on all shards. */
function visitsAll(request: SearchRequest, aggs: AggTree | null): boolean {
  if (request.query === null || request.query.kind === 'match_all' || request.suggest.length > 0) return true;
  return (aggs?.children ?? []).some(
    ({ typeName, params }) => typeName === 'global' || (typeName === 'terms' && (params as { minDocCount: number }).minDocCount === 0),
  );
}

/**
 * Positions of the shards that can be skipped. At least one shard of a search is always searched.
 * @param contexts  parallel to `segments`
 * @param from      skips shards only if there are more than this
 * @param distant   shards that are not judged here, but by other nodes; null if these are all shards of the search
 */
export function skippedShards(
  request: SearchRequest,
  aggs: AggTree | null,
  contexts: readonly RewriteContext[],
  segments: ReadonlyArray<readonly SegmentReader[]>,
  from: number,
  distant: { has(position: number): boolean } | null,
): ReadonlySet<number> {
  const skipped = new Set<number>();
  const { query } = request;
  if (contexts.length <= from || query === null || visitsAll(request, aggs)) return skipped;
  contexts.forEach((context, position) => {
    if (!distant?.has(position) && !canMatch(rewriteQuery(query, context), context, segments[position])) skipped.add(position);
  });
  if (distant === null && skipped.size === contexts.length) skipped.delete(0);
  return skipped;
}

/** Considers the mapping and the bounds of dates, but not terms. */
function canMatch(query: IndexQuery, context: RewriteContext, segments: readonly SegmentReader[]): boolean {
  const any = (queries: readonly IndexQuery[]): boolean => queries.some((inner) => canMatch(inner, context, segments));
  const all = (queries: readonly IndexQuery[]): boolean => queries.every((inner) => canMatch(inner, context, segments));
  switch (query.op) {
    case 'none':
      return false;
    case 'rangeI64':
      return context.mapping.field(query.field)?.family !== 'date' || segments.some((segment) => overlaps(segment, query));
    case 'bool': {
      const isRequired = query.must.length + query.filter.length > 0;
      return all(query.must) && all(query.filter) && (isRequired || query.should.length === 0 || any(query.should));
    }
    case 'disMax':
      return any(query.queries);
    case 'boosting':
      return canMatch(query.positive, context, segments);
    case 'constant':
    case 'boost':
    case 'named':
    case 'functionScore':
      return canMatch(query.query, context, segments);
    default:
      return true;
  }
}

function overlaps(segment: SegmentReader, { field, min, max }: Extract<IndexQuery, { op: 'rangeI64' }>): boolean {
  const column = segment.column(field);
  return column !== null && column.docCount > 0 && BigInt(column.min) <= max && BigInt(column.max) >= min;
}
