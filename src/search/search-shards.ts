// A search over shards: runs the query phase on each, reduces the results to one page, fetches the hits of the page and renders the response.

import { type AggTree, reduceAggregations, renderAggregations } from '../aggs/index.ts';
import { type JsonFloat, jsonFloat } from '../common/json/json-float.ts';
import type { JsonObject, MutableJsonObject } from '../common/json/json-value.ts';
import { present } from '../common/present.ts';
import { activeSpan } from '../common/tracing/span.ts';
import { TimeUp } from '../common/turns/turn.ts';
import type { Dialect } from '../compat/dialect.ts';
import { ApiError } from '../errors/api-error.ts';
import { allShardsFailedError, type ShardFailure } from '../errors/search-errors.ts';
import { type ExecutionCounters, makeCounters, type StopCheck } from '../plan/query-plan.ts';
import { parseQuery } from '../query/parse-query.ts';
import { matchScope } from './compute/plan-scope.ts';
import { collapseHits, collapsePart } from './fetch/collapse.ts';
import { fetchParts } from './fetch/fetch-parts.ts';
import { fetchHits } from './fetch/fetch-phase.ts';
import type { FetchPart, FetchShard } from './fetch/fetch-target.ts';
import { innerHitsOf, innerHitsPart } from './fetch/inner-hits.ts';
import { topHits } from './fetch/top-hits.ts';
import { profileJson } from './profile/profile.ts';
import type { SearchRequest } from './request/search-request.ts';
import { rewriteQuery } from './rewrite/rewrite.ts';
import { DEFAULT_PRE_FILTER_SHARDS, skippedShards } from './run/can-match.ts';
import { FetchBudget } from './run/fetch-budget.ts';
import { rankedSteps } from './run/ranked-search.ts';
import { checkSameKinds, type ResolvedSort } from './run/resolved-sort.ts';
import type { RunControl } from './run/run-control.ts';
import type { SearchEnvironment, SearchTarget } from './run/search-environment.ts';
import { hitComparator, mergeHits, type ShardHit } from './run/shard-hits.ts';
import { runAtOnce, type Steps } from './run/steps.ts';
import { type VectorPhase, withVectorHits } from './run/vector-phase.ts';
import { contextOf } from './shard/rewrite-context.ts';
import { GlobalStatistics, type ShardStatistics } from './shard/statistics.ts';
import { type ShardedSearch, type ShardRun, searchShard, windowOf } from './shard-search.ts';
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
  const env = { ...environment, requestSize: given.size, sharing: undefined };
  const targets = given.runtimeMappings ? withRuntimeMappings(searched, given.runtimeMappings) : searched;
  const statistics = targets.map(({ shard }) => env.caches.of(shard));
  const failures: ShardFailure[] = [];
  const request = yield* resolveRequest(given, aggs, { targets, statistics, env, failures });
  const global = env.dfs ? new GlobalStatistics(statistics) : null;
  const control: RunControl = {
    stop: stopCheckOf(request, env),
    counters: makeCounters(),
    fetched: env.fetched ?? new FetchBudget(),
    fetchMs: env.onPhase ? new Float64Array(targets.length) : undefined,
    lookups: env.lookups,
  };
  const { sharing = null } = environment;
  const search: ShardedSearch = { request, aggs, env, control, sharing, partials: [], bindings: [], profiles: [], isTimeUp: false };
  const contexts = targets.map(({ shard }) => contextOf(shard, env));
  const segments = targets.map(({ shard }) => shard.segments);
  const skipped = skippedShards(request, aggs, contexts, segments, env.preFilterShards ?? DEFAULT_PRE_FILTER_SHARDS);
  const runs: (ShardRun | null)[] = targets.map(() => null);
  for (let position = 0; position < targets.length; position++) {
    if (skipped.has(position) || failures.some((failure) => isOf(targets[position], failure))) continue;
    const target = targets[position];
    try {
      const begun = env.onPhase ? performance.now() : 0;
      const run = yield* searchShard(search, target, position, statistics[position], global);
      runs[position] = run;
      env.onPhase?.('query', target.shard, performance.now() - begun, run.found);
    } catch (error) {
      if (error instanceof TimeUp) {
        search.isTimeUp = true;
        break;
      }
      if (!(error instanceof ApiError)) throw error;
      failures.push({ shard: target.shard.shard, index: target.shard.index, node: env.nodeId, error });
    }
  }
  if (failures.length > 0 && failures.length === targets.length) throw allShardsFailedError('query', failures);
  const reduced = reduceSearch(search, targets, statistics, runs);
  failures.push(...reduced.failures);
  if (failures.length > 0 && failures.length === targets.length)
    throw allShardsFailedError(targets.length === 1 ? 'query' : 'fetch', failures);
  if (env.onPhase) reportFetch(env.onPhase, targets, runs, control.fetchMs);
  return {
    ...reduced,
    skipped: skipped.size,
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

/** The request with a query that has the hits of its vector searches. @param at.failures  receives the shards that fail */
function* resolveRequest(given: SearchRequest, aggs: AggTree | null, at: VectorPhase): Steps<SearchRequest> {
  if (given.suggest.length > 0 && given.query === null && given.knn.length === 0 && aggs === null) return withoutHits(given);
  return given.knn.length === 0 ? given : yield* withVectorHits(given, at);
}

function isOf({ shard }: SearchTarget, failure: ShardFailure): boolean {
  return shard.index === failure.index && shard.shard === failure.shard;
}

function stopCheckOf({ timeoutMs }: SearchRequest, env: SearchEnvironment): StopCheck {
  const deadline = timeoutMs === null ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  return () => performance.now() >= deadline || env.stop();
}

type Reduced = Omit<SearchOutcome, 'skipped' | 'shards' | 'counters'>;

/** Merges the hits and aggregations of the shards, and fetches the page. @param runs  by shard, null for those without a result */
function reduceSearch(
  search: ShardedSearch,
  targets: readonly SearchTarget[],
  statistics: readonly ShardStatistics[],
  runs: readonly (ShardRun | null)[],
): Reduced {
  const { request, aggs, env, control } = search;
  const merging = performance.now();
  const done = runs.filter((run) => run !== null);
  const sorts = runs.map((run) => run?.at.prepared.shardQuery.sort ?? []);
  checkSameKinds(sorts);
  const shards = runs.map((run) => run?.at ?? null);
  const { page: wanted, extra } = pageOf(search, targets, shards, done, sorts);
  const parts: FetchPart[] = [
    ...fetchParts(request, { ...control, nodeId: env.nodeId, contextOf: (shard) => contextOf(shard, env) }),
    ...extra,
  ];
  const sortOf = (hit: ShardHit): readonly ResolvedSort[] => sorts[hit.shard];
  const reducing = performance.now();
  const aggregations = aggs && reduceTree(search, aggs, targets);
  const reduced = performance.now();
  const suggest = request.suggest.length > 0 ? suggestOf(search, statistics, runs, shards) : null;
  const fetching = performance.now();
  const fetched = fetchPage(wanted, targets, env, (some) => fetchHits(some, shards, request, sortOf, parts, control));
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

/** The hits of the page, and the parts of the fetch phase that need the whole search: collapsed groups and inner hits. */
function pageOf(
  { request, env, control }: ShardedSearch,
  targets: readonly SearchTarget[],
  shards: readonly (FetchShard | null)[],
  runs: readonly ShardRun[],
  sorts: ReadonlyArray<readonly ResolvedSort[]>,
): { page: ShardHit[]; extra: FetchPart[] } {
  const compare = hitComparator(sorts.find((sort) => sort.length > 0) ?? []);
  let hits: ShardHit[] = [];
  for (const { found } of runs) hits = mergeHits(hits, found.hits, compare, windowOf(request));
  const extra: FetchPart[] = [];
  const { collapse } = request;
  if (collapse) {
    const found = hits;
    hits = asShard('query', targets, env, () => collapseHits(found, shards, collapse));
    extra.push(
      collapsePart(request, collapse, (group) => searchShards(targets, group, null, { ...env, fetched: control.fetched, afterHit: null })),
    );
  }
  const inner = innerHitsOf(request);
  if (inner.length > 0) extra.push(innerHitsPart(inner, targets, { ...env, ...control }));
  return { page: hits.slice(request.from, request.from + request.size), extra };
}

function reduceTree(
  { partials, bindings, env, control }: ShardedSearch,
  tree: AggTree,
  targets: readonly SearchTarget[],
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

interface FetchedPage {
  readonly page: ShardHit[];
  /** Parallel to the page. */
  readonly hits: readonly JsonObject[];
  readonly failures: readonly ShardFailure[];
}

/** Fetches a page without the hits of the shards for which that fails because of the request. */
function fetchPage(
  page: ShardHit[],
  targets: readonly SearchTarget[],
  { nodeId }: SearchEnvironment,
  fetch: (hits: readonly ShardHit[]) => readonly JsonObject[],
): FetchedPage {
  try {
    return { page, hits: fetch(page), failures: [] };
  } catch (error) {
    if (!isOfRequest(error)) throw error;
  }
  const failures: ShardFailure[] = [];
  const fetched = new Map<ShardHit, JsonObject>();
  for (const position of new Set(page.map(({ shard }) => shard))) {
    const own = page.filter(({ shard }) => shard === position);
    try {
      fetch(own).forEach((json, i) => {
        fetched.set(own[i], json);
      });
    } catch (error) {
      if (!isOfRequest(error)) throw error;
      const { shard, index } = targets[position].shard;
      failures.push({ shard, index, node: nodeId, error });
    }
  }
  const kept = page.filter((hit) => fetched.has(hit));
  return { page: kept, hits: kept.map((hit) => present(fetched.get(hit))), failures };
}

function isOfRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500;
}

/** Reports errors that a request causes after its shards were searched as failures of the shards. */
function asShard<T>(phase: 'query' | 'fetch', targets: readonly SearchTarget[], { nodeId }: SearchEnvironment, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isOfRequest(error)) throw error;
    throw allShardsFailedError(phase, [{ shard: 0, index: targets[0].shard.index, node: nodeId, error }]);
  }
}

/** The targets with the runtime fields of the request added to their mappings. @throws ApiError mapper_parsing_exception */
function withRuntimeMappings(targets: readonly SearchTarget[], runtime: JsonObject): SearchTarget[] {
  return targets.map(({ shard, aliasFilter }) => ({ aliasFilter, shard: { ...shard, mapping: shard.mapping.withRuntime(runtime) } }));
}

/** Makes a request that asks only for suggestions match no documents. */
function withoutHits(request: SearchRequest): SearchRequest {
  return { ...request, query: { kind: 'match_none', boost: 1, name: null }, size: 0, sort: [] };
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
