// Clauses of a query in `profile`. The executor runs all clauses of a query in one loop, in which a single clause cannot be measured. A profiled
// shard therefore runs each clause again separately over all segments, with and without scores, and reports times and counts of these runs. The
// figures of the query as a whole are those of the search itself.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { COUNT_ALL, type ExecutionCounters, makeCounters, type StopCheck } from '../../plan/query-plan.ts';
import { matchScope, scoreScope } from '../compute/plan-scope.ts';
import type { IndexQuery, LeafIndexQuery } from '../index-query/index-query.ts';
import { queryText } from '../index-query/query-text.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import type { RunControl } from '../run/run-control.ts';

/** Times in milliseconds and counts of one query over all segments of a shard. */
export interface ClauseFigures {
  /** Planning: statistics, term lookups, expansions. */
  readonly planMs: number;
  readonly matchMs: number;
  readonly scoreMs: number;
  readonly segments: number;
  readonly counters: ExecutionCounters;
}

export interface ClauseProfile {
  readonly query: IndexQuery;
  readonly figures: ClauseFigures;
  readonly children: readonly ClauseProfile[];
}

const LUCENE_NAMES: Partial<Record<IndexQuery['op'], string>> = {
  all: 'MatchAllDocsQuery',
  none: 'MatchNoDocsQuery',
  term: 'TermQuery',
  bool: 'BooleanQuery',
  phrase: 'PhraseQuery',
  disMax: 'DisjunctionMaxQuery',
  constant: 'ConstantScoreQuery',
  nested: 'OpenSearchToParentBlockJoinQuery',
  boosting: 'FunctionScoreQuery',
  functionScore: 'FunctionScoreQuery',
  synonym: 'SynonymQuery',
  anyTerm: 'TermInSetQuery',
  pattern: 'MultiTermQuery',
  rangeI64: 'PointRangeQuery',
  rangeF64: 'PointRangeQuery',
  existsColumn: 'FieldExistsQuery',
  existsNorm: 'FieldExistsQuery',
  ids: 'TermInSetQuery',
  termsSet: 'CoveringQuery',
};

function nameOfQuery({ op }: IndexQuery): string {
  return LUCENE_NAMES[op] ?? `${op[0].toUpperCase()}${op.slice(1)}Query`;
}

/** The clauses of a query, and whether each is scored. Names and boosts are not clauses. */
function clausesOf(query: IndexQuery, scored: boolean): Array<{ query: IndexQuery; scored: boolean }> {
  switch (query.op) {
    case 'bool':
      return [
        ...[...query.must, ...query.should].map((clause) => ({ query: clause, scored })),
        ...[...query.filter, ...query.mustNot].map((clause) => ({ query: clause, scored: false })),
      ];
    case 'disMax':
      return query.queries.map((clause) => ({ query: clause, scored }));
    case 'boosting':
      return [
        { query: query.positive, scored },
        { query: query.negative, scored: false },
      ];
    case 'constant':
      return [{ query: query.query, scored: false }];
    case 'termsSet':
      return query.clauses.map((clause) => ({ query: clause, scored }));
    case 'functionScore':
      return [
        { query: query.query, scored },
        ...query.functions.flatMap(({ filter }) => (filter ? [{ query: filter, scored: false }] : [])),
      ];
    case 'nested':
      return [{ query: query.query, scored: scored && query.scoreMode !== 'none' }];
    case 'named':
    case 'boost':
    case 'perShard':
      // `bare` has replaced them.
      return [];
    case 'join':
    case 'knn':
    case 'percolate':
      return [];
    default:
      query satisfies LeafIndexQuery;
      return [];
  }
}

/** The query inside names and boosts. */
function bare(query: IndexQuery, prepared: PreparedShard): IndexQuery {
  let inner = query;
  while (inner.op === 'named' || inner.op === 'boost' || inner.op === 'perShard')
    inner = inner.op === 'perShard' ? prepared.planner.resolvePerShard(inner) : inner.query;
  return inner;
}

/** Runs every clause below a query separately. @param withNested  the clauses match nested documents */
export function profileClauses(
  query: IndexQuery,
  prepared: PreparedShard,
  stop: StopCheck,
  scored: boolean,
  withNested = false,
): ClauseProfile[] {
  const outer = bare(query, prepared);
  const isNested = withNested || outer.op === 'nested';
  return clausesOf(outer, scored).map((clause) => ({
    query: bare(clause.query, prepared),
    figures: measure(clause.query, prepared, stop, clause.scored, isNested),
    children: profileClauses(clause.query, prepared, stop, clause.scored, isNested),
  }));
}

function measure(query: IndexQuery, prepared: PreparedShard, stop: StopCheck, scored: boolean, withNested: boolean): ClauseFigures {
  const counters: ExecutionCounters = makeCounters();
  const { segments } = prepared.planner;
  let planMs = 0;
  let matchMs = 0;
  let bothMs = 0;
  segments.forEach((segment, index) => {
    if (stop()) return;
    const started = performance.now();
    const plan = prepared.planner.plan(query, matchScope(index));
    const scoredPlan = scored ? prepared.planner.plan(query, scoreScope(index)) : plan;
    const planned = performance.now();
    planMs += planned - started;
    if (plan.op === 'matchNone') return;
    const uncounted: ExecutionCounters = { ...counters };
    segment.execute(plan, COUNT_ALL, { stop, withNested, counters: scored ? uncounted : counters });
    const matched = performance.now();
    matchMs += matched - planned;
    if (!scored) return;
    segment.execute(scoredPlan, { ...COUNT_ALL, size: 1 }, { stop, withNested, counters });
    bothMs += performance.now() - matched;
  });
  return { planMs, matchMs, scoreMs: scored ? Math.max(0, bothMs - matchMs) : 0, segments: segments.length, counters };
}

/** Time of the search's query over all segments without collecting hits, in milliseconds: the baseline for aggregations. */
export function timeOfQuery(prepared: PreparedShard, { stop, counters }: RunControl): number {
  const started = performance.now();
  prepared.planner.segments.forEach((segment, index) => {
    segment.execute(prepared.plan(index), COUNT_ALL, { stop, counters });
  });
  return performance.now() - started;
}

function nanos(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}

/**
 * Keys as in Elasticsearch. Steps that the executor does not have (advancing document by document, a second phase for phrases) are reported as 0.
 * Blocks and windows, which Elasticsearch does not have, are reported under `debug`.
 * @param hasCounts  show `count_weight`, which Elasticsearch 8 has
 */
export function clauseJson({ query, figures, children }: ClauseProfile, hasCounts: boolean): MutableJsonObject {
  const { planMs, matchMs, scoreMs, segments, counters } = figures;
  const breakdown: MutableJsonObject = {
    create_weight: nanos(planMs),
    create_weight_count: 1,
    build_scorer: 0,
    build_scorer_count: segments,
    next_doc: nanos(matchMs),
    next_doc_count: counters.docsCollected,
    advance: 0,
    advance_count: 0,
    match: 0,
    match_count: 0,
    score: nanos(scoreMs),
    score_count: counters.docsScored,
    compute_max_score: 0,
    compute_max_score_count: 0,
    shallow_advance: 0,
    shallow_advance_count: 0,
    set_min_competitive_score: 0,
    set_min_competitive_score_count: 0,
    ...(hasCounts ? { count_weight: 0, count_weight_count: 0 } : {}),
  };
  const json: MutableJsonObject = {
    type: nameOfQuery(query),
    description: queryText(query),
    time_in_nanos: Math.max(1, nanos(planMs + matchMs + scoreMs)),
    breakdown,
    debug: { blocks_decoded: counters.blocksDecoded, windows: counters.windows },
  };
  if (children.length > 0) json['children'] = children.map((child) => clauseJson(child, hasCounts));
  return json;
}
