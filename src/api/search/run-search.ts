// Runs a parsed search over acquired shards, in turns of the event loop.

import type { AggTree } from '../../aggs/index.ts';
import { announceTimeout, isTimeUp, TooHeavy } from '../../common/turn.ts';
import { costOfSearch, HEAVY_US } from '../../search/request/cost.ts';
import type { SearchRequest } from '../../search/request/search-request.ts';
import type { SearchEnvironment, SearchTarget } from '../../search/run/search-environment.ts';
import { runInTurns } from '../../search/run/steps.ts';
import { type SearchOutcome, searchSteps } from '../../search/search-shards.ts';
import type { EngineContext } from '../core/context.ts';
import type { SearchParameters } from '../core/search-parameters.ts';
import { storedScript } from '../core/stored-script.ts';
import { indexSetting, maxBucketsOf } from './search-targets.ts';

export interface SearchRun {
  readonly targets: readonly SearchTarget[];
  readonly request: SearchRequest;
  readonly aggs: AggTree | null;
  readonly parameters: SearchParameters;
  /** The time that `now` stands for. */
  readonly nowMs: number;
  /** The last hit of the previous page of a scroll; null or absent to start with the first hit. */
  readonly afterHit?: SearchEnvironment['afterHit'];
  /** The caller repeats the search in a lane if this throws TooHeavy. */
  readonly mayMove?: boolean;
}

/** @throws ApiError search_phase_execution_exception: every shard failed; TooHeavy only if `mayMove` */
export function runSearch(ctx: EngineContext, run: SearchRun): Promise<SearchOutcome> {
  const { targets, request, aggs, parameters, nowMs, afterHit, mayMove = false } = run;
  if (mayMove && costOfSearch(request, documentsOf(targets)) > HEAVY_US) throw new TooHeavy();
  const environment: SearchEnvironment = {
    caches: ctx.searchCaches.statistics,
    nowMs,
    stop: isTimeUp,
    maxBuckets: maxBucketsOf(ctx),
    dfs: parameters.isDfs ?? false,
    preFilterShards: parameters.preFilterShardSize,
    typedKeys: parameters.typedKeys ?? false,
    nodeId: ctx.nodeId,
    storedScript: (id) => storedScript(ctx, id),
    indexSetting: (index, name, fallback) => indexSetting(ctx, index, name, fallback),
    afterHit,
  };
  if (request.timeoutMs !== null) announceTimeout(request.timeoutMs);
  return runInTurns(searchSteps(targets, request, aggs, environment), mayMove);
}

/** Documents in the shards, deleted ones included. */
function documentsOf(targets: readonly SearchTarget[]): number {
  let docs = 0;
  for (const { shard } of targets) for (const { maxDoc } of shard.segments) docs += maxDoc;
  return docs;
}
