// The total of a search with `terminate_after` whose query Lucene can count without visiting documents: servers since version 8, and
// OpenSearch for requests without hits, report it in full although they stop collecting. The rules are those of Lucene's `Weight.count`
// (BooleanWeight, PointRangeQuery) and of TopDocsCollectorContext's shortcut (OpenSearch, Apache-2.0).
import type { Dialect } from '../../compat/dialect.ts';
import { COUNT_ALL } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { matchScope } from '../compute/plan-scope.ts';
import type { BoolIndexQuery, IndexQuery } from '../index-query/index-query.ts';
import type { PreparedShard } from './prepared-shard.ts';
import type { RunControl } from './run-control.ts';

/** How a search that has `terminate_after` reports its total and when it stops. */
export interface EarlyTermination {
  /** Hits after which a shard stops, 0 for never. */
  readonly after: number;
  /** Hits to report in place of those collected; null for those collected. */
  readonly total: number | null;
}

/** @param control  of the search: what must be counted by running it stops with it */
export function earlyTermination(
  prepared: PreparedShard,
  segments: readonly SegmentReader[],
  dialect: Dialect,
  control: RunControl,
): EarlyTermination {
  const { terminateAfter: after, isEmptyPage, trackTotalHitsUpTo, postFilter, minScore } = prepared.shardQuery;
  const collected = { after, total: null };
  const { knownTotals } = dialect;
  if (after === 0 || knownTotals === 'unused' || postFilter || minScore !== null) return collected;
  const stops = knownTotals === 'whenEmpty' || !isEmptyPage;
  if (trackTotalHitsUpTo === 0) return stops ? collected : { after: 0, total: null };
  if (!isEmptyPage && knownTotals === 'whenEmpty') return collected;
  const total = isEmptyPage ? totalOf(prepared, segments, control) : shortcutTotal(prepared, segments, control);
  return total === null ? collected : { after: stops ? after : 0, total };
}

function totalOf(prepared: PreparedShard, segments: readonly SegmentReader[], control: RunControl): number | null {
  let total = 0;
  for (let index = 0; index < segments.length; index++) {
    const count = countOf(prepared.shardQuery.query, { prepared, segment: segments[index], index, control });
    if (count === null || control.stop()) return null;
    total += count;
  }
  return total;
}

/** The total of a single clause: all documents, a term of a text or keyword, or the existence of a field. */
function shortcutTotal(prepared: PreparedShard, segments: readonly SegmentReader[], control: RunControl): number | null {
  const clause = singleClause(prepared.shardQuery.query);
  if (clause === null || !(isExistence(clause) || ['all', 'none', 'term'].includes(clause.op))) return null;
  return totalOf(prepared, segments, control);
}

/** Whether the query is what `exists` becomes: for a text with norms, a norm or the field's name. */
function isExistence(query: IndexQuery): boolean {
  if (query.op === 'bool') return query.should.length === 2 && query.should[0].op === 'existsNorm';
  return query.op === 'existsColumn' || query.op === 'existsNorm';
}

/** The only clause that selects documents, null if there are several. */
function singleClause(query: IndexQuery): IndexQuery | null {
  if (query.op === 'constant' || query.op === 'boost' || query.op === 'named') return singleClause(query.query);
  if (query.op !== 'bool' || isExistence(query)) return query;
  if (query.mustNot.length > 0) return null;
  const clauses = [...query.must, ...query.filter, ...query.should].map(singleClause);
  if (clauses.length === 1) return clauses[0];
  // Next to a match_all, only a filter decides.
  const selecting = clauses.filter((clause) => clause?.op !== 'all');
  return query.should.length === 0 && query.must.length <= 1 && selecting.length === 1 ? selecting[0] : null;
}

interface Counting {
  readonly prepared: PreparedShard;
  readonly segment: SegmentReader;
  readonly index: number;
  readonly control: RunControl;
}

/** Matches of a query in a segment, null if they must be visited. */
function countOf(query: IndexQuery, at: Counting): number | null {
  const { segment } = at;
  const { op } = query;
  if (op === 'none') return 0;
  // Next to nested documents, only queries of root fields alone are counted without a filter of root documents.
  if (segment.rootDocsPtr !== 0 && (op !== 'term' || query.term.field.startsWith('_'))) return null;
  if (op === 'all') return segment.numDocs;
  if (op === 'constant' || op === 'boost' || op === 'named') return countOf(query.query, at);
  if (op === 'bool' && !isExistence(query)) return countOfBool(query, at);
  if (segment.numDocs !== segment.maxDoc) return null;
  if (op === 'term') return segment.rootDocsPtr === 0 ? segment.docFreqOf(query.term.field, query.term.bytes) : countByRunning(query, at);
  if (isExistence(query)) return countByRunning(query, at);
  const isPoint = op === 'rangeI64' || op === 'rangeF64' || ((op === 'inI64' || op === 'inF64') && query.values.length === 1);
  if (!isPoint || segment.column(query.field)?.multiValued) return null;
  return countByRunning(query, at);
}

function countByRunning(query: IndexQuery, { prepared, segment, index, control: { stop, counters } }: Counting): number {
  const plan = prepared.planner.plan(query, matchScope(index));
  return segment.execute(plan, COUNT_ALL, { stop, counters }).total;
}

function countOfBool({ must, filter, should, mustNot, minimumShouldMatch }: BoolIndexQuery, at: Counting): number | null {
  const { numDocs } = at.segment;
  const required = [...must, ...filter];
  if (minimumShouldMatch > 1 || (required.length > 0 && minimumShouldMatch > 0 && should.length > 0)) return null;
  const positive = required.length > 0 ? countOfAll(required, at) : countOfAny(should, at);
  if (positive === null || positive === 0) return positive;
  const prohibited = countOfAny(mustNot, at);
  if (prohibited === 0) return positive;
  if (prohibited === numDocs) return 0;
  return prohibited !== null && positive === numDocs ? numDocs - prohibited : null;
}

function countOfAll(queries: readonly IndexQuery[], at: Counting): number | null {
  const { numDocs } = at.segment;
  let count = numDocs;
  for (const query of queries) {
    const own = countOf(query, at);
    if (own === null || own === 0) return own;
    if (own === numDocs) continue;
    if (count !== numDocs) return null;
    count = own;
  }
  return count;
}

function countOfAny(queries: readonly IndexQuery[], at: Counting): number | null {
  const counts = queries.map((query) => countOf(query, at));
  if (counts.includes(at.segment.numDocs)) return at.segment.numDocs;
  const matching = counts.filter((count) => count !== 0);
  if (matching.length === 0) return 0;
  return matching.length === 1 ? matching[0] : null;
}
