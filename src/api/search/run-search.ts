// Runs a parsed search over acquired shards, in turns of the event loop.

import type { AggSpec, AggTree } from '../../aggs/index.ts';
import { announceTimeout, isTimeUp, type Mobility, STAYS, TooHeavy } from '../../common/turns/turn.ts';
import { isBusy } from '../../common/turns/turn-queue.ts';
import { ApiError } from '../../errors/api-error.ts';
import { allShardsFailedError, missingShardsError, partialShardsFailedError, type ShardFailure } from '../../errors/search-errors.ts';
import { costOfSearch, HEAVY_US, MODERATE_US } from '../../search/request/cost.ts';
import type { SearchRequest } from '../../search/request/search-request.ts';
import type { DistantShards } from '../../search/run/distant-shards.ts';
import type { PendingLookup } from '../../search/run/pending-lookup.ts';
import type { SearchEnvironment, SearchTarget } from '../../search/run/search-environment.ts';
import { runInTurns } from '../../search/run/steps.ts';
import { type SearchOutcome, searchSteps } from '../../search/search-shards.ts';
import type { EngineContext } from '../core/context.ts';
import type { SearchParameters } from '../core/search-parameters.ts';
import { storedScript } from '../core/stored-script.ts';
import { documentsOf, indexSetting, maxBucketsOf } from './search-targets.ts';
import { type AskHelpers, shareSearch } from './share-search.ts';
import { slowPhases } from './slow-phases.ts';

export interface SearchRun {
  readonly targets: readonly SearchTarget[];
  /** Shards that would be searched if they were available. */
  readonly unavailable?: readonly ShardFailure[];
  readonly request: SearchRequest;
  readonly aggs: AggTree | null;
  readonly parameters: SearchParameters;
  /** The value of `now`. */
  readonly nowMs: number;
  /** The last hit of the previous page of a scroll; null or absent to start with the first hit. */
  readonly afterHit?: SearchEnvironment['afterHit'];
  /** Receives the lookups of runtime fields in the hits; absent where they are not shown. */
  readonly lookups?: PendingLookup[];
  /** Body and X-Opaque-Id of the request, for the slow log. */
  readonly source?: string;
  readonly opaqueId?: () => string | undefined;
  /** Other than STAYS if the caller repeats the search in a lane when this throws TooHeavy. */
  readonly mobility?: Mobility;
  /** The shards that other nodes search; absent if there are none. */
  readonly distant?: DistantShards;
  /** Threads that may search some of its segments; absent or null if none may. */
  readonly askHelpers?: AskHelpers | null;
}

/**
 * Searches the available shards.
 * @throws ApiError search_phase_execution_exception: every shard failed, or some did and the request does not accept partial results; TooHeavy
 *   unless it stays
 */
export async function runSearch(ctx: EngineContext, run: SearchRun): Promise<SearchOutcome> {
  const { targets, unavailable = [], parameters } = run;
  if (unavailable.length > 0) {
    if (!allowsPartial(ctx, parameters)) throw missingShardsError('query', unavailable);
    if (targets.length === 0) throw allShardsFailedError('query', unavailable);
  }
  const outcome = await runAvailable(ctx, run);
  if ((outcome.failures.length > 0 || outcome.timedOut) && !allowsPartial(ctx, parameters)) throw incompleteError(ctx, outcome, targets);
  if (unavailable.length === 0) return outcome;
  return { ...outcome, shards: outcome.shards + unavailable.length, failures: [...outcome.failures, ...unavailable] };
}

/** The value of the request, or `search.default_allow_partial_results` of the cluster. */
function allowsPartial(ctx: EngineContext, { allowPartialResults }: SearchParameters): boolean {
  if (allowPartialResults !== undefined) return allowPartialResults;
  const { transient, persistent } = ctx.cluster.settings;
  const name = 'search.default_allow_partial_results';
  return String(transient[name] ?? persistent[name] ?? true) !== 'false';
}

/** Some shards failed, or the time was up. */
function incompleteError(ctx: EngineContext, { failures }: SearchOutcome, targets: readonly SearchTarget[]): ApiError {
  if (failures.length > 0) return partialShardsFailedError('query', failures);
  const error = new ApiError('search_timeout_exception', 504, 'Time exceeded');
  return allShardsFailedError(
    'query',
    targets.slice(0, 1).map(({ shard: { index, shard } }) => ({ shard, index, node: ctx.nodeId, error })),
  );
}

async function runAvailable(ctx: EngineContext, run: SearchRun): Promise<SearchOutcome> {
  const { targets, request, aggs, afterHit, mobility = STAYS } = run;
  checkHidden(targets, request, aggs);
  const cost = mobility === STAYS ? 0 : costOfSearch(request, documentsOf(targets));
  if (cost > HEAVY_US || (cost > MODERATE_US && isBusy())) throw new TooHeavy();
  const { distant, lookups } = run;
  const environment = {
    ...environmentOf(ctx, run),
    requestSize: request.size,
    afterHit,
    lookups,
    onPhase: slowPhases(ctx, run),
    distant,
  };
  if (request.timeoutMs !== null) announceTimeout(request.timeoutMs);
  const started = performance.now();
  const sharing = run.askHelpers ? shareSearch(targets, request, run.nowMs, run.askHelpers) : null;
  try {
    const env = sharing === null ? environment : { ...environment, sharing };
    const outcome = await runInTurns(searchSteps(targets, request, aggs, env), mobility);
    countReads(ctx, run, outcome, performance.now() - started);
    return outcome;
  } finally {
    sharing?.claims.end();
    run.distant?.close();
  }
}

/** @param run.nowMs  as the thread has it that was asked */
export function environmentOf(ctx: EngineContext, { parameters, nowMs }: Pick<SearchRun, 'parameters' | 'nowMs'>): SearchEnvironment {
  return {
    caches: ctx.searchCaches.statistics,
    nowMs,
    stop: isTimeUp,
    maxBuckets: maxBucketsOf(ctx),
    dialect: ctx.dialect,
    dfs: parameters.isDfs ?? false,
    preFilterShards: parameters.preFilterShardSize,
    typedKeys: parameters.typedKeys ?? false,
    nodeId: ctx.nodeId,
    storedScript: (id) => storedScript(ctx, id),
    indexSetting: (index, name, fallback) => indexSetting(ctx, index, name, fallback),
  };
}

/** Counts the search for `_stats`. Its time is spread evenly over the shards. */
function countReads(ctx: EngineContext, { targets, request }: SearchRun, { page, skipped }: SearchOutcome, tookMs: number): void {
  const queried = targets.length - skipped;
  if (queried <= 0) return;
  const queryMicros = (tookMs * 1000) / queried;
  const suggests = request.suggest.length > 0 ? 1 : 0;
  const fetched = new Set<number>();
  for (const { shard } of page) fetched.add(shard);
  for (let position = 0; position < targets.length; position++) {
    const { uuid, shard } = targets[position].shard;
    const fetches = fetched.has(position) ? 1 : 0;
    if (position < queried) ctx.reads(uuid, shard)?.add({ queries: 1, queryMicros, suggests, fetches }, request.stats);
    else if (fetches > 0) ctx.reads(uuid, shard)?.add({ fetches }, request.stats);
  }
}

/** Rejects features that would reveal terms of hidden documents. @throws ApiError security_exception 400 */
function checkHidden(targets: readonly SearchTarget[], request: SearchRequest, aggs: AggTree | null): void {
  if (!targets.some(({ shard }) => shard.hidden?.documents)) return;
  const refuse = (what: string) => new ApiError('security_exception', 400, `${what} if document level security is enabled`);
  if (request.suggest.length > 0) throw refuse("Suggest isn't supported");
  if (request.profile) throw refuse('A search request cannot be profiled');
  if (aggs?.children.some(showsAllTerms)) throw refuse("[min_doc_count] of 0 isn't supported for terms aggregations");
}

/** True if an aggregation, or one below it, lists terms without matching documents. */
function showsAllTerms({ typeName, params, children }: AggSpec): boolean {
  const isAll = /terms$/.test(typeName) && (params as { minDocCount?: unknown }).minDocCount === 0;
  return isAll || children.some(showsAllTerms);
}
