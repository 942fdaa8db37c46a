// The query phase on one shard: prepares the request for its index, runs the query with aggregations and rescorers, measures profiles.
import type { AggTree, Bindings, SegmentPartial } from '../aggs/index.ts';
import { activeSpan } from '../common/tracing/span.ts';
import type { Dialect } from '../compat/dialect.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { makeCounters } from '../plan/query-plan.ts';
import { MATCH_ALL } from '../query/query.ts';
import { checkCollapseField, collapseShardHits } from './fetch/collapse.ts';
import { checkDocvalueFields } from './fetch/fetch-phase.ts';
import type { FetchShard } from './fetch/fetch-target.ts';
import { checkInnerHits, innerHitsOf } from './fetch/inner-hits.ts';
import { compileScriptFields } from './fetch/script-fields.ts';
import { constant, type IndexQuery } from './index-query/index-query.ts';
import { type DistantProfile, profileShard, type ShardProfile, timesOfPartials } from './profile/profile.ts';
import type { AggregationTimes } from './profile/profile-aggregations.ts';
import { timeOfQuery } from './profile/profile-query.ts';
import type { SearchRequest } from './request/search-request.ts';
import type { SortSpec } from './request/sort-request.ts';
import { namedQueries } from './rewrite/named-queries.ts';
import { rewriteQuery } from './rewrite/rewrite.ts';
import { sliceFilter } from './rewrite/slice.ts';
import { PreparedShard, type ShardQuery, withFilters } from './run/prepared-shard.ts';
import { queryShardHits } from './run/query-phase.ts';
import { rescoreHits } from './run/rescore.ts';
import type { RunControl } from './run/run-control.ts';
import { ShardAggregations } from './run/search-aggregations.ts';
import type { SearchEnvironment, SearchTarget } from './run/search-environment.ts';
import type { AfterHit, ShardHits } from './run/shard-hits.ts';
import type { SegmentSharing } from './run/shared-segments.ts';
import { resolveSort } from './run/sort-keys.ts';
import { runAtOnce, type Steps } from './run/steps.ts';
import { contextOf } from './shard/rewrite-context.ts';
import type { SearchShard } from './shard/search-shard.ts';
import type { ShardStatistics, Statistics } from './shard/statistics.ts';

/** The result of the query phase on one shard. */
export interface ShardRun {
  readonly at: FetchShard;
  readonly found: ShardHits;
}

/** State that the shards of a search share, and results that they collect for its reduction. */
export interface ShardedSearch {
  readonly request: SearchRequest;
  readonly aggs: AggTree | null;
  readonly env: SearchEnvironment;
  readonly control: RunControl;
  /** null if this thread searches all parts. */
  readonly sharing: SegmentSharing | null;
  readonly partials: SegmentPartial[];
  /** By position in the search. */
  readonly bindings: Map<number, Bindings>;
  readonly profiles: Array<ShardProfile | DistantProfile>;
  /** True if the time ran out before all shards were searched. */
  isTimeUp: boolean;
}

/** A search of which nothing has been found yet. */
export function beginSearch(
  request: SearchRequest,
  aggs: AggTree | null,
  env: SearchEnvironment,
  control: RunControl,
  sharing: SegmentSharing | null = null,
): ShardedSearch {
  return { request, aggs, env, control, sharing, partials: [], bindings: new Map(), profiles: [], isTimeUp: false };
}

/**
 * The query phase on one shard. A top-level function, not a closure in searchSteps: V8 allocates a map for each generator function that is
 * created, which lives until the next full collection and retains the closure; that cost a third of a small search.
 * @param local   statistics of the shard
 * @param global  statistics of all shards, null to score by the shard's own
 */
export function* searchShard(
  search: ShardedSearch,
  target: SearchTarget,
  position: number,
  local: ShardStatistics,
  global: Statistics | null,
): Steps<ShardRun> {
  const { request, aggs, env, control, sharing } = search;
  const { shard } = target;
  checkLimits(shard, request);
  checkInnerHits(innerHitsOf(request), shard.limits.maxInnerResultWindow);
  const before = request.profile ? { ...control.counters } : null;
  const sectionsBefore = request.profile ? (shard.sectionCounts?.() ?? null) : null;
  const started = performance.now();
  const at = prepareShard(search, target, local, global ?? local);
  const ready = performance.now();
  const collected = aggs && makeCollector(aggs, shard, position, env);
  const found = yield* queryShardHits(shard, at.prepared, position, { ...control, sharing, aggs: collected }, afterHitOf(env, position));
  const rescored = request.rescore.length === 0 ? found : rescoreShard(search, at, found);
  const span = activeSpan();
  if (span !== null) {
    const attributes = { 'db.collection.name': shard.index, 'gannet.shard': shard.shard };
    span.phase('plan', started, ready, attributes);
    span.phase('run', ready, performance.now(), { ...attributes, 'gannet.hits': found.total });
  }
  if (collected) {
    search.partials.push(...collected.partials);
    search.bindings.set(position, collected.bindings);
  }
  if (before) {
    const times = { prepareMs: ready - started, runMs: performance.now() - ready };
    const measure = (tree: AggTree | null): AggregationTimes | null => measureTree(search, target, position, at, tree);
    search.profiles.push(
      profileShard(shard, at.prepared, aggs, control, { before, sectionsBefore, times, matched: found.total, collected, measure }),
    );
  }
  return { at, found: rescored };
}

export function makeCollector(aggs: AggTree, shard: SearchShard, position: number, env: SearchEnvironment): ShardAggregations {
  return new ShardAggregations(aggs, contextOf(shard, env), position, env.maxBuckets, (name, fallback) =>
    env.indexSetting(shard.index, name, fallback),
  );
}

/** Times of the query with a tree of aggregations on one shard, for profiles; null if the tree cannot run. */
function measureTree(
  { env, control }: ShardedSearch,
  { shard }: SearchTarget,
  position: number,
  { prepared }: FetchShard,
  tree: AggTree | null,
): AggregationTimes | null {
  const own = { ...control, counters: makeCounters() };
  if (tree === null) return { bindMs: 0, planMs: 0, runMs: timeOfQuery(prepared, own), readMs: 0 };
  try {
    // The first run warms up the caches of the second, which is the one measured.
    const [, times] = [1, 2].map(() => {
      const aggs = makeCollector(tree, shard, position, env);
      runAtOnce(queryShardHits(shard, prepared, position, { ...own, aggs }));
      return timesOfPartials(aggs);
    });
    return times;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function afterHitOf(env: SearchEnvironment, position: number): AfterHit | null {
  const last = env.afterHit;
  if (!last) return null;
  if (position === last.shard) return last;
  // Among hits with equal sort values, those of earlier shards have been returned, those of later shards have not.
  return { ...last, segment: position < last.shard ? Number.POSITIVE_INFINITY : -1 };
}

/** Number of hits that a shard must find: more than those up to the end of the page if a rescorer or a collapse selects from them. */
export function windowOf(request: SearchRequest): number {
  const { from, size } = request;
  if (request.collapse) return from + COLLAPSE_WINDOW;
  return Math.max(from + size, ...request.rescore.map(({ windowSize }) => windowSize));
}

/** Hits searched for the best hit of each group. */
const COLLAPSE_WINDOW = 1_000_000;

export function prepareShard(
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
  if (request.searchAfter) checkSearchAfter(request.searchAfter, sort.length);
  const shardQuery: ShardQuery = {
    query: withFilters(query, filters),
    filters,
    postFilter: request.postFilter ? rewriteQuery(request.postFilter, context) : null,
    sort,
    boost: boostOf(request, shard.index),
    size: windowOf(request),
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
    prepared: new PreparedShard(shardQuery, local, weights, shard.limits.maxClauseCount),
    named: namedQueries([query, shardQuery.postFilter, ...request.rescore.map((rescore) => rewriteQuery(rescore.query, context))]),
    scriptFields: compileScriptFields(request.scriptFields, shard, context),
  };
}

/** Whether the sort is a prefix of the index sort. */
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

/** @param request  its boosts are by concrete index name */
function boostOf(request: SearchRequest, index: string): number {
  return request.indicesBoost.find((one) => one.index === index)?.boost ?? 1;
}

/** @throws ApiError illegal_argument_exception: not one value for each key of the sort */
function checkSearchAfter(values: readonly unknown[], keys: number): void {
  if (keys === 0) throw illegalArgumentError('Sort must contain at least one field.');
  if (values.length !== keys) throw illegalArgumentError(`search_after has ${values.length} value(s) but sort has ${keys}.`);
}

/** @throws ApiError illegal_argument_exception: the request exceeds a limit of the index */
function checkLimits(shard: SearchShard, request: SearchRequest): void {
  const { maxResultWindow, maxRescoreWindow } = shard.limits;
  const wanted = request.from + request.size;
  if (wanted > maxResultWindow) {
    throw illegalArgumentError(
      `Result window is too large, from + size must be less than or equal to: [${maxResultWindow}] but was [${wanted}]. See the scroll api for a ` +
        'more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] index level setting.',
    );
  }
  for (const { windowSize } of request.rescore) {
    if (windowSize <= maxRescoreWindow) continue;
    throw illegalArgumentError(
      `Rescore window [${windowSize}] is too large. It must be less than [${maxRescoreWindow}]. This prevents allocating massive heaps for storing ` +
        'the results to be rescored. This limit can be set by changing the [index.max_rescore_window] index level setting.',
    );
  }
  if (request.rescore.length > 0 && request.sort.length > 0)
    throw illegalArgumentError('Cannot use [sort] option in conjunction with [rescore].');
  if (request.rescore.length > 0 && request.collapse && !shard.dialect.collapsesRescored) {
    throw new ApiError('search_exception', 400, 'cannot use `collapse` in conjunction with `rescore`');
  }
  if (request.collapse) {
    checkCollapseField(shard, request.collapse.field);
    checkCollapseAfter(request, request.collapse.field, shard.dialect);
  }
  const { trackTotalHitsUpTo } = request;
  if (trackTotalHitsUpTo < 0) throw illegalArgumentError(`totalHitsThreshold must be >= 0, got ${trackTotalHitsUpTo}`);
  checkDocvalueFields(shard, request.docvalueFields.length);
}

/** Rescores the hits of a shard; of collapsed ones, those that were the best of their groups before. */
function rescoreShard({ request, env, control }: ShardedSearch, at: FetchShard, found: ShardHits): ShardHits {
  const { collapse } = request;
  const hits = collapse === null ? found.hits : collapseShardHits(found.hits, at, collapse);
  return rescoreHits({ ...found, hits }, request.rescore, at.prepared, contextOf(at.shard, env), control);
}

/** Version 8 pages through groups by their field only. @throws ApiError illegal_argument_exception */
function checkCollapseAfter({ searchAfter, sort }: SearchRequest, field: string, dialect: Dialect): void {
  if (searchAfter === null || !dialect.validatesSearchesWhole) return;
  const isSame = sort.length === 1 && 'field' in sort[0] && sort[0].field === field;
  if (!isSame)
    throw illegalArgumentError(
      'Cannot use [collapse] in conjunction with [search_after] unless the search is sorted on the same field. Multiple sort fields are not allowed.',
    );
}
