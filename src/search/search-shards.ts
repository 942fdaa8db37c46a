// A search over shards: prepare each, run the query phase, reduce to one page, fetch it, render.

import { type AggTree, type Bindings, reduceAggregations, renderAggregations, type SegmentPartial } from '../aggs/index.ts';
import { shortestFloat } from '../common/float32.ts';
import type { JsonObject } from '../common/json-value.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgument } from '../errors/catalog.ts';
import { allShardsFailed, type ShardFailure } from '../errors/search-errors.ts';
import type { ExecutionCounters, StopCheck } from '../plan/query-plan.ts';
import { MATCH_ALL, type Query } from '../query/query.ts';
import type { StoredScript } from '../scripting/script-spec.ts';
import { checkCollapseField, collapseHits } from './fetch/collapse.ts';
import { fetchParts } from './fetch/fetch-parts.ts';
import { checkDocvalueFields, type FetchPart, type FetchShard, fetchHits } from './fetch/fetch-phase.ts';
import { checkInnerHits, innerHitsOf, innerHitsPart } from './fetch/inner-hits.ts';
import { compileScriptFields } from './fetch/script-fields.ts';
import { topHits } from './fetch/top-hits.ts';
import { constant, type IndexQuery } from './index-query/index-query.ts';
import { profileJson, profileShard, type ShardProfile, timesOfPartials } from './profile/profile.ts';
import type { AggregationTimes } from './profile/profile-aggregations.ts';
import { timeOfQuery } from './profile/profile-query.ts';
import type { SearchRequest } from './request/search-request.ts';
import type { SortSpec } from './request/sort-request.ts';
import { namedQueries } from './rewrite/named-queries.ts';
import { rewriteQuery } from './rewrite/rewrite.ts';
import { sliceFilter } from './rewrite/slice.ts';
import { DEFAULT_PRE_FILTER_SHARDS, skippedShards } from './run/can-match.ts';
import {
  type AfterHit,
  hitComparator,
  merge,
  PreparedShard,
  type QueryPhaseOptions,
  queryShardHits,
  type ShardHit,
  type ShardHits,
  type ShardQuery,
  withFilters,
} from './run/query-phase.ts';
import { rescoreHits } from './run/rescore.ts';
import { ShardAggregations } from './run/search-aggregations.ts';
import { checkSameKinds, type ResolvedSort, resolveSort } from './run/sort-keys.ts';
import { runAtOnce, type Steps } from './run/steps.ts';
import type { RewriteContext } from './shard/rewrite-context.ts';
import type { RunSegment, SearchCaches, SearchShard } from './shard/search-shard.ts';
import { GlobalStatistics, type ShardStatistics, type Statistics } from './shard/statistics.ts';
import { runSuggest } from './suggest/suggest.ts';

export interface SearchTarget {
  readonly shard: SearchShard;
  /** Filters of the aliases that named the index, one of which a document must match; null: none. */
  readonly aliasFilter: Query | null;
}

export interface SearchEnvironment {
  readonly run: RunSegment;
  readonly caches: SearchCaches;
  readonly nowMs: number;
  readonly stop: StopCheck;
  readonly maxBuckets: number;
  /** Statistics over all shards instead of each shard's own. */
  readonly dfs: boolean;
  /** More shards than this: those that cannot match are left out. */
  readonly preFilterShards?: number;
  readonly typedKeys: boolean;
  readonly nodeId: string;
  readonly storedScript: (id: string) => StoredScript | null;
  /** Behind this hit a scroll goes on. */
  readonly afterHit?: (AfterHit & { readonly shard: number }) | null;
  indexSetting(index: string, name: string, fallback: number): number;
}

export interface SearchOutcome {
  readonly hits: readonly JsonObject[];
  readonly page: readonly ShardHit[];
  /** Shards that cannot have a match and were not asked. */
  readonly skipped: number;
  /** null: not counted. */
  readonly total: { readonly value: number; readonly relation: 'eq' | 'gte' } | null;
  readonly maxScore: number | null;
  readonly aggregations: JsonObject | null;
  readonly timedOut: boolean;
  /** null: the search had no limit to end it. */
  readonly terminatedEarly: boolean | null;
  readonly failures: readonly ShardFailure[];
  readonly shards: number;
  /** Answers of the shards hold hits or aggregations, which had to be put together. */
  readonly isReduced: boolean;
  readonly counters: ExecutionCounters;
  /** null unless asked for. */
  readonly profile: JsonObject | null;
  /** null unless asked for. */
  readonly suggest: JsonObject | null;
}

/** What one shard contributes, or null if it failed. */
interface ShardRun {
  readonly at: FetchShard;
  readonly found: ShardHits;
}

/** What the shards of a search share, and what they leave for its reduction. */
interface ShardedSearch {
  readonly request: SearchRequest;
  readonly aggs: AggTree | null;
  readonly env: SearchEnvironment;
  readonly options: Omit<QueryPhaseOptions, 'aggs'>;
  readonly partials: SegmentPartial[];
  readonly bindings: Bindings[];
  readonly profiles: ShardProfile[];
}

/** `searchSteps` in one turn. */
export function searchShards(
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
  env: SearchEnvironment,
): Steps<SearchOutcome> {
  const request = given.suggest.length > 0 && given.query === null && aggs === null ? withoutHits(given) : given;
  const targets = given.runtimeMappings ? withRuntimeMappings(searched, given.runtimeMappings) : searched;
  const counters: ExecutionCounters = { blocksDecoded: 0, docsCollected: 0, docsScored: 0, windows: 0 };
  const failures: ShardFailure[] = [];
  const statistics = targets.map(({ shard }) => env.caches.of(shard));
  const global = env.dfs ? new GlobalStatistics(statistics) : null;
  const deadline = request.timeoutMs === null ? Number.POSITIVE_INFINITY : performance.now() + request.timeoutMs;
  const stop: StopCheck = () => performance.now() >= deadline || env.stop();
  const options = { run: env.run, stop, counters };
  const search: ShardedSearch = { request, aggs, env, options, partials: [], bindings: [], profiles: [] };
  const contexts = targets.map(({ shard }) => contextOf(shard, env));
  const segments = targets.map(({ shard }) => shard.segments);
  const skipped = skippedShards(request, aggs, contexts, segments, env.preFilterShards ?? DEFAULT_PRE_FILTER_SHARDS);
  const runs: (ShardRun | null)[] = targets.map(() => null);
  for (let position = 0; position < targets.length; position++) {
    if (skipped.has(position)) continue;
    const target = targets[position];
    try {
      runs[position] = yield* runShard(search, target, position, statistics[position], global);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push({ shard: target.shard.shard, index: target.shard.index, node: env.nodeId, error });
    }
  }
  if (failures.length > 0 && failures.length === targets.length) throw allShardsFailed('query', failures);

  const done = runs.filter((run) => run !== null);
  const sorts = runs.map((run) => run?.at.prepared.shardQuery.sort ?? []);
  checkSameKinds(sorts);
  const sortOf = (hit: ShardHit): readonly ResolvedSort[] => sorts[hit.shard];
  const compare = hitComparator(sorts.find((sort) => sort.length > 0) ?? []);
  const shards = runs.map((run) => run?.at ?? null);
  let hits: ShardHit[] = [];
  for (const { found } of done) hits = merge(hits, found.hits, compare, request.from + windowOf(request));
  const extra: FetchPart[] = [];
  if (request.collapse) {
    const collapsed = collapseHits(hits, shards, request.collapse);
    hits = collapsed.hits;
    extra.push(...collapsed.parts(request, targets, env));
  }
  const page = hits.slice(request.from, request.from + request.size);
  const inner = innerHitsOf(request);
  if (inner.length > 0) extra.push(innerHitsPart(inner, targets, { ...env, stop, counters }));
  const parts: FetchPart[] = [
    ...fetchParts(request, { ...options, nodeId: env.nodeId, contextOf: (shard) => contextOf(shard, env) }),
    ...extra,
  ];
  const fetchPage = (): JsonObject[] => asShard('fetch', targets, env, () => fetchHits(page, shards, request, sortOf, parts, options));
  const reducing = performance.now();
  const aggregations = aggs ? reduce(aggs) : null;
  const reduceMs = performance.now() - reducing;
  const maxScore = Math.max(...done.map(({ found }) => (Number.isNaN(found.maxScore) ? Number.NEGATIVE_INFINITY : found.maxScore)));
  const suggest = (): JsonObject =>
    runSuggest(
      request.suggest,
      runs.flatMap((run, position) => (run ? [{ at: run.at, statistics: statistics[position], position }] : [])),
      {
        typedKeys: env.typedKeys,
        nodeId: env.nodeId,
        fetch: (hits) => fetchHits(hits, shards, { ...request, scriptFields: [] }, () => [], NO_PARTS, options),
      },
    );
  return {
    suggest: request.suggest.length > 0 ? suggest() : null,
    hits: fetchPage(),
    page,
    total: totalOf(done, request.trackTotalHitsUpTo),
    maxScore:
      targets.length === 0
        ? 0
        : request.size === 0 || !Number.isFinite(maxScore) || !showsMaxScore(request)
          ? null
          : shortestFloat(maxScore),
    aggregations,
    timedOut: done.some(({ found }) => found.timedOut),
    terminatedEarly: request.terminateAfter === 0 ? null : done.some(({ found }) => found.terminatedEarly),
    skipped: skipped.size,
    failures,
    shards: targets.length,
    isReduced: aggs !== null || request.size > 0,
    counters,
    profile: request.profile ? profileJson(search.profiles, env.nodeId, reduceMs) : null,
  };

  function reduce(tree: AggTree): JsonObject {
    const reduced = reduceAggregations(tree, search.partials, {
      maxBuckets: env.maxBuckets,
      nowMs: env.nowMs,
      bindings: search.bindings,
      topHits: (body, groups, nestedPath) =>
        asShard('query', targets, env, () => topHits(body, groups, nestedPath, targets, { ...env, stop, counters })),
    });
    return renderAggregations(reduced, env.typedKeys);
  }
}

/**
 * The query phase on one shard. Not a function inside searchSteps: V8 gives each generator function that is made a map, which lives until the next
 * full collection and keeps all that the function sees; it cost a third of a small search.
 */
function* runShard(
  search: ShardedSearch,
  target: SearchTarget,
  position: number,
  local: ShardStatistics,
  global: Statistics | null,
): Steps<ShardRun> {
  const { request, aggs, env, options } = search;
  const { shard } = target;
  checkLimits(shard, request);
  checkInnerHits(innerHitsOf(request), shard.limits.maxInnerResultWindow);
  const before = request.profile ? { ...options.counters } : null;
  const started = performance.now();
  const at = prepareShard(search, target, local, global ?? local);
  const ready = performance.now();
  const collected = aggs && collectorOf(aggs, shard, position, env);
  const found = yield* queryShardHits(shard, at.prepared, position, { ...options, aggs: collected }, afterHitOf(env, position));
  const rescored = request.rescore.length === 0 ? found : rescoreHits(found, request.rescore, at, contextOf(shard, env), options);
  if (collected) {
    search.partials.push(...collected.partials);
    search.bindings.push(collected.bindings);
  }
  if (before) {
    const times = { prepareMs: ready - started, runMs: performance.now() - ready };
    const measure = (tree: AggTree | null): AggregationTimes | null => measureTree(search, target, position, at, tree);
    search.profiles.push(
      profileShard(target.shard, at.prepared, aggs, options, { before, times, matched: found.total, collected, measure }),
    );
  }
  return { at, found: rescored };
}

function collectorOf(aggs: AggTree, shard: SearchShard, position: number, env: SearchEnvironment): ShardAggregations {
  return new ShardAggregations(aggs, contextOf(shard, env), position, env.maxBuckets, (name, fallback) =>
    env.indexSetting(shard.index, name, fallback),
  );
}

/** Times of the query with a tree of aggregations on one shard, for profiles. Null: the tree cannot run. */
function measureTree(
  { env, options }: ShardedSearch,
  { shard }: SearchTarget,
  position: number,
  { prepared }: FetchShard,
  tree: AggTree | null,
): AggregationTimes | null {
  const own = { ...options, counters: { blocksDecoded: 0, docsCollected: 0, docsScored: 0, windows: 0 } };
  if (tree === null) return { bindMs: 0, planMs: 0, runMs: timeOfQuery(prepared, own), readMs: 0 };
  try {
    // The first run warms up what the second one is measured with.
    const [, times] = [1, 2].map(() => {
      const aggs = collectorOf(tree, shard, position, env);
      runAtOnce(queryShardHits(shard, prepared, position, { ...own, aggs }));
      return timesOfPartials(aggs);
    });
    return times;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** What is wrong with a request's hits is a failure of the shards that have them. */
function asShard<T>(phase: 'query' | 'fetch', targets: readonly SearchTarget[], { nodeId }: SearchEnvironment, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    throw allShardsFailed(phase, [{ shard: 0, index: targets[0].shard.index, node: nodeId, error }]);
  }
}

/** The shards with runtime fields of the search over their mappings. @throws ApiError mapper_parsing_exception */
function withRuntimeMappings(targets: readonly SearchTarget[], runtime: JsonObject): SearchTarget[] {
  return targets.map(({ shard, aliasFilter }) => ({ aliasFilter, shard: { ...shard, mapping: shard.mapping.withRuntime(runtime) } }));
}

const NO_PARTS: readonly FetchPart[] = [];

/** A request for suggestions alone looks for no documents. */
function withoutHits(request: SearchRequest): SearchRequest {
  return { ...request, query: { kind: 'match_none', boost: 1, name: null }, size: 0, sort: [] };
}

function afterHitOf(env: SearchEnvironment, position: number): AfterHit | null {
  const last = env.afterHit;
  if (!last) return null;
  if (position === last.shard) return last;
  // Of hits that sort alike, those of earlier shards have been seen, those of later ones have not.
  return { ...last, segment: position < last.shard ? Number.POSITIVE_INFINITY : -1 };
}

/** Hits that a shard must find behind `from`: more than a page when a rescorer or a collapse picks from them. */
function windowOf(request: SearchRequest): number {
  if (request.collapse) return COLLAPSE_WINDOW;
  return Math.max(request.size, ...request.rescore.map(({ windowSize }) => windowSize));
}

/** Hits looked at for the heads of groups. */
const COLLAPSE_WINDOW = 1_000_000;

/** A maximum is known when scores are, and the best comes first. */
function showsMaxScore(request: SearchRequest): boolean {
  const [first] = request.sort;
  return request.trackScores || first === undefined || (first.by === 'score' && first.descending);
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

export function contextOf(shard: SearchShard, env: Pick<SearchEnvironment, 'nowMs' | 'storedScript'>): RewriteContext {
  const { index, mapping, analysis, limits } = shard;
  const { nowMs, storedScript } = env;
  return { index, mapping, analysis, limits, nowMs, storedScript, record: shard.record, nestedPath: null, clauses: { count: 0 } };
}

function prepareShard(
  { request, aggs, env }: ShardedSearch,
  target: SearchTarget,
  local: ShardStatistics,
  weights: Statistics,
): FetchShard {
  const { shard } = target;
  const context = contextOf(shard, env);
  const query = rewriteQuery(request.query ?? MATCH_ALL, context);
  const filters: IndexQuery[] = [];
  if (target.aliasFilter) filters.push(constant(rewriteQuery(target.aliasFilter, context)));
  if (request.slice) filters.push(sliceFilter(request.slice, shard, context));
  const sort = request.sort.map((spec) => resolveSort(spec, context));
  const hitsNeedScores = request.size > 0 && (sort.length === 0 || request.trackScores || sort.some((key) => key.needsScore));
  const shardQuery: ShardQuery = {
    query: withFilters(query, filters),
    postFilter: request.postFilter ? rewriteQuery(request.postFilter, context) : null,
    sort,
    boost: boostOf(request, shard.index),
    size: request.from + windowOf(request),
    trackScores: request.trackScores,
    trackTotalHitsUpTo: request.trackTotalHitsUpTo,
    minScore: request.minScore,
    terminateAfter: request.terminateAfter,
    searchAfter: request.searchAfter,
    needsScores: hitsNeedScores || request.minScore !== null || request.rescore.length > 0 || (aggs?.needsScores ?? false),
    isEmptyPage: request.size === 0,
    isPresorted: isIndexSorted(request.sort, shard),
  };
  return {
    shard,
    prepared: new PreparedShard(shardQuery, local, weights, shard.limits.maxClauseCount, env.run),
    named: namedQueries([query, shardQuery.postFilter]),
    scriptFields: compileScriptFields(request.scriptFields, shard, context),
  };
}

/** Whether the sort begins the order that documents stand in. */
function isIndexSorted(sort: readonly SortSpec[], { limits: { indexSort } }: SearchShard): boolean {
  if (sort.length === 0 || sort.length > indexSort.length) return false;
  return sort.every((spec, i) => {
    const key = indexSort[i];
    if (spec.by !== 'field' || spec.field !== key.field || spec.nested || spec.numericType !== null) return false;
    const mode = spec.mode ?? (spec.descending ? 'max' : 'min');
    return (
      spec.descending === key.descending &&
      mode === (key.greatest ? 'max' : 'min') &&
      spec.missing === (key.missingFirst ? '_first' : '_last')
    );
  });
}

/** @param request  with boosts by concrete names */
function boostOf(request: SearchRequest, index: string): number {
  return request.indicesBoost.find((one) => one.index === index)?.boost ?? 1;
}

/** @throws ApiError illegal_argument_exception: the request wants more than the index allows */
function checkLimits(shard: SearchShard, request: SearchRequest): void {
  const { maxResultWindow, maxRescoreWindow } = shard.limits;
  const wanted = request.from + request.size;
  if (wanted > maxResultWindow) {
    throw illegalArgument(
      `Result window is too large, from + size must be less than or equal to: [${maxResultWindow}] but was [${wanted}]. See the scroll api for a ` +
        'more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] index level setting.',
    );
  }
  for (const { windowSize } of request.rescore) {
    if (windowSize <= maxRescoreWindow) continue;
    throw illegalArgument(
      `Rescore window [${windowSize}] is too large. It must be less than [${maxRescoreWindow}]. This prevents allocating massive heaps for storing ` +
        'the results to be rescored. This limit can be set by changing the [index.max_rescore_window] index level setting.',
    );
  }
  if (request.rescore.length > 0 && request.sort.length > 0)
    throw illegalArgument('Cannot use [sort] option in conjunction with [rescore].');
  if (request.rescore.length > 0 && request.collapse) {
    throw new ApiError('search_exception', 400, 'cannot use `collapse` in conjunction with `rescore`');
  }
  if (request.collapse) checkCollapseField(shard, request.collapse.field);
  const { trackTotalHitsUpTo } = request;
  if (trackTotalHitsUpTo < 0) throw illegalArgument(`totalHitsThreshold must be >= 0, got ${trackTotalHitsUpTo}`);
  checkDocvalueFields(shard, request.docvalueFields.length);
}
