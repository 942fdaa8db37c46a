// A search over shards: runs the query phase on each, reduces the results to one page, fetches the hits of the page and renders the response.

import { type AggTree, type Bindings, reduceAggregations, renderAggregations, type SegmentPartial } from '../aggs/index.ts';
import { type JsonFloat, jsonFloat } from '../common/json/json-float.ts';
import type { JsonObject, MutableJsonObject } from '../common/json/json-value.ts';
import { activeSpan } from '../common/tracing/span.ts';
import type { Dialect } from '../compat/dialect.ts';
import { allShardsFailedError, type ShardFailure } from '../errors/search-errors.ts';
import type { ExecutionCounters } from '../plan/query-plan.ts';
import { parseQuery } from '../query/parse-query.ts';
import { matchScope } from './compute/plan-scope.ts';
import { type ReduceTree, reduceDistant } from './distant-aggregations.ts';
import type { GroupSearch } from './fetch/collapse.ts';
import { fetchHits } from './fetch/fetch-phase.ts';
import type { FetchShard } from './fetch/fetch-target.ts';
import { topHits } from './fetch/top-hits.ts';
import { asShard, fetchPage, pageOf } from './fetch-page.ts';
import { profileJson } from './profile/profile.ts';
import { type QueriedShards, queryShards } from './query-shards.ts';
import type { SearchRequest } from './request/search-request.ts';
import { rewriteQuery } from './rewrite/rewrite.ts';
import type { DistantShards } from './run/distant-shards.ts';
import { rankedSteps } from './run/ranked-search.ts';
import { checkSameKinds } from './run/resolved-sort.ts';
import type { SearchEnvironment, SearchTarget } from './run/search-environment.ts';
import type { ShardHit } from './run/shard-hits.ts';
import { runAtOnce, type Steps } from './run/steps.ts';
import { contextOf } from './shard/rewrite-context.ts';
import type { ShardStatistics } from './shard/statistics.ts';
import type { ShardedSearch, ShardRun } from './shard-search.ts';
import { runSuggest } from './suggest/suggest.ts';

export interface SearchOutcome {
  readonly hits: readonly JsonObject[];
  readonly page: readonly ShardHit[];
  /** Number of shards that were skipped because they cannot have a match. */
  readonly skipped: number;
  /** null if hits were not counted. */
  readonly total: { readonly value: number; readonly relation: 'eq' | 'gte' } | null;
  readonly maxScore: number | JsonFloat | null;
  readonly aggregations: JsonObject | null;
  readonly timedOut: boolean;
  /** null if the request has no `terminate_after`. */
  readonly terminatedEarly: boolean | null;
  /** Whether all hits are counted and none is returned. */
  readonly isCount: boolean;
  /** Whether only aggregations run and hits need not be counted one by one beyond the limit. */
  readonly isCountedEarly: boolean;
  readonly failures: readonly ShardFailure[];
  readonly shards: number;
  /** Whether hits or aggregations of the shards had to be reduced. */
  readonly isReduced: boolean;
  readonly counters: ExecutionCounters;
  /** null unless requested. */
  readonly profile: JsonObject | null;
  /** null unless requested. */
  readonly suggest: JsonObject | null;
}

/** `searchSteps` in one turn of the event loop. */
function searchShards(
  searched: readonly SearchTarget[],
  given: SearchRequest,
  aggs: AggTree | null,
  env: SearchEnvironment,
): SearchOutcome {
  return runAtOnce(searchSteps(searched, given, aggs, env));
}

/**
 * @param aggs  the parsed aggregations, null without
 * @throws ApiError search_phase_execution_exception: every shard failed
 */
export function* searchSteps(
  searched: readonly SearchTarget[],
  given: SearchRequest,
  aggs: AggTree | null,
  environment: SearchEnvironment,
): Steps<SearchOutcome> {
  if (given.rank !== null) {
    const run = (request: SearchRequest, tree: AggTree | null) => searchSteps(searched, request, tree, environment);
    const { matches, best } = yield* rankedSteps(given, given.rank, aggs, searched, run);
    const { hits, page, maxScore } = best;
    return { ...matches, hits, page, maxScore, isCount: false, isReduced: true, timedOut: matches.timedOut || best.timedOut };
  }
  const queried = yield* queryShards(searched, given, aggs, environment);
  const { search, targets, runs, failures, skipped } = queried;
  const { env, control } = search;
  if (failures.length > 0 && failures.length === targets.length) throw allShardsFailedError('query', failures);
  const { distant } = environment;
  const spread = distant && search.aggs ? yield* reduceSpread(queried, search.aggs, distant) : null;
  const reduced = reduceSearch(queried, spread);
  failures.push(...reduced.failures);
  if (failures.length > 0 && failures.length === targets.length)
    throw allShardsFailedError(targets.length === 1 ? 'query' : 'fetch', failures);
  if (env.onPhase) reportFetch(env.onPhase, targets, runs, control.fetchMs);
  return {
    ...reduced,
    skipped,
    failures,
    shards: targets.length,
    counters: control.counters,
  };
}

function reportFetch(
  report: NonNullable<SearchEnvironment['onPhase']>,
  targets: readonly SearchTarget[],
  runs: readonly (ShardRun | null)[],
  fetchMs: Float64Array | undefined,
): void {
  for (const [position, run] of runs.entries()) {
    const tookMs = fetchMs?.[position] ?? 0;
    if (run && tookMs > 0) report('fetch', targets[position].shard, tookMs, run.found);
  }
}

type Reduced = Omit<SearchOutcome, 'skipped' | 'shards' | 'counters'>;

/** The aggregations of a search over several nodes. */
function reduceSpread({ search, targets, distantAggs }: QueriedShards, tree: AggTree, distant: DistantShards): Steps<MutableJsonObject> {
  const reduce: ReduceTree = (partials, bindings) => reduceTree(search, tree, targets, partials, bindings);
  return reduceDistant(tree, search, targets, distantAggs, distant, reduce);
}

/** Merges the hits and aggregations of the shards, and fetches the page. @param spread  the aggregations if they are of several nodes */
function reduceSearch({ search, targets, statistics, runs }: QueriedShards, spread: MutableJsonObject | null): Reduced {
  const { request, aggs, env, control } = search;
  const merging = performance.now();
  const done = runs.filter((run) => run !== null);
  checkSameKinds(runs.map((run) => run?.at.prepared.shardQuery.sort ?? []));
  const shards = runs.map((run) => run?.at ?? null);
  const searchGroup: GroupSearch = (group) => searchShards(targets, group, null, { ...env, fetched: control.fetched, afterHit: null });
  const { wanted, fetch } = pageOf(search, targets, runs, searchGroup);
  const reducing = performance.now();
  const aggregations = spread ?? (aggs && reduceTree(search, aggs, targets, search.partials, [...search.bindings.values()]));
  const reduced = performance.now();
  const suggest = request.suggest.length > 0 ? suggestOf(search, statistics, runs, shards) : null;
  const fetching = performance.now();
  const fetched = fetchPage(wanted, targets, env, fetch);
  const { hits, page } = fetched;
  const span = activeSpan();
  if (span !== null) {
    span.phase('reduce', merging, reduced);
    span.phase('fetch', fetching, performance.now(), { 'gannet.hits': hits.length });
  }
  return {
    suggest,
    hits,
    page,
    failures: fetched.failures,
    total: totalOf(done, request.trackTotalHitsUpTo),
    maxScore: maxScoreOf(request, targets.length, done, env.dialect),
    aggregations,
    timedOut: search.isTimeUp || done.some(({ found }) => found.timedOut),
    terminatedEarly: request.terminateAfter === 0 ? null : done.some(({ found }) => found.terminatedEarly),
    isCount: request.size === 0 && aggs === null && request.trackTotalHitsUpTo === Number.POSITIVE_INFINITY,
    isCountedEarly: request.size === 0 && aggs !== null && isCountedEarly(request, done),
    isReduced: aggs !== null || request.size > 0,
    profile: request.profile ? profileJson(search.profiles, env, reduced - reducing) : null,
  };
}

function reduceTree(
  { env, control }: ShardedSearch,
  tree: AggTree,
  targets: readonly SearchTarget[],
  partials: readonly SegmentPartial[],
  bindings: readonly Bindings[],
): MutableJsonObject {
  const reduced = reduceAggregations(tree, partials, {
    maxBuckets: env.maxBuckets,
    dialect: env.dialect,
    nowMs: env.nowMs,
    bindings,
    topHits: (body, groups, nestedPath) =>
      asShard('query', targets, env, () => topHits(body, groups, nestedPath, targets, { ...env, ...control, lookups: undefined })),
  });
  return renderAggregations(reduced, env.typedKeys);
}

function suggestOf(
  { request, env, control }: ShardedSearch,
  statistics: readonly ShardStatistics[],
  runs: readonly (ShardRun | null)[],
  shards: readonly (FetchShard | null)[],
): MutableJsonObject {
  return runSuggest(
    request.suggest,
    runs.flatMap((run, position) =>
      run ? [{ shard: run.at.shard, prepared: run.at.prepared, statistics: statistics[position], position }] : [],
    ),
    {
      typedKeys: env.typedKeys,
      nodeId: env.nodeId,
      fetch: (hits) => fetchHits(hits, shards, { ...request, scriptFields: [] }, () => [], [], control),
      exists({ shard, prepared }, json) {
        const query = rewriteQuery(parseQuery(json), contextOf(shard, env));
        return shard.segments.some((_, index) => {
          const plan = prepared.planner.plan(query, matchScope(index));
          return plan.op !== 'matchNone' && prepared.matchingDocs(index, plan, null).length > 0;
        });
      },
    },
  );
}

/** null if scores are unknown, or if the maximum is: the sort must return the best hit first. */
function maxScoreOf(
  { size, sort, trackScores }: SearchRequest,
  shards: number,
  runs: readonly ShardRun[],
  dialect: Dialect,
): number | JsonFloat | null {
  if (shards === 0) return jsonFloat(0);
  const max = Math.max(...runs.map(({ found }) => (Number.isNaN(found.maxScore) ? Number.NEGATIVE_INFINITY : found.maxScore)));
  const [first] = sort;
  const byScore = first?.by === 'score' && first.descending && (sort.length === 1 || !dialect.sortHidesMaxScore);
  const isKnown = trackScores || first === undefined || byScore;
  return size === 0 || !Number.isFinite(max) || !isKnown ? null : jsonFloat(max);
}

/** The number of matches of these queries is known without visiting them. */
const COUNTED_QUERIES: ReadonlySet<string> = new Set(['match_all', 'term']);

function isCountedEarly({ query, trackTotalHitsUpTo }: SearchRequest, runs: readonly ShardRun[]): boolean {
  if (trackTotalHitsUpTo === 0) return true;
  return (query === null || COUNTED_QUERIES.has(query.kind)) && totalOf(runs, trackTotalHitsUpTo)?.relation === 'gte';
}

function totalOf(runs: readonly ShardRun[], limit: number): SearchOutcome['total'] {
  if (limit === 0) return null;
  let value = 0;
  let isLowerBound = false;
  for (const { found } of runs) {
    value += found.total;
    isLowerBound ||= found.totalIsLowerBound;
  }
  if (value > limit) return { value: limit, relation: 'gte' };
  return { value, relation: isLowerBound ? 'gte' : 'eq' };
}
