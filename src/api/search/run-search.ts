// Runs a parsed search over acquired shards, in turns of the event loop.

import type { AggTree } from '../../aggs/index.ts';
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
}

/** @throws ApiError search_phase_execution_exception: every shard failed */
export function runSearch(ctx: EngineContext, { targets, request, aggs, parameters, nowMs, afterHit }: SearchRun): Promise<SearchOutcome> {
  const environment: SearchEnvironment = {
    caches: ctx.searchCaches.statistics,
    nowMs,
    stop: () => false,
    maxBuckets: maxBucketsOf(ctx),
    dfs: parameters.isDfs ?? false,
    preFilterShards: parameters.preFilterShardSize,
    typedKeys: parameters.typedKeys ?? false,
    nodeId: ctx.nodeId,
    storedScript: (id) => storedScript(ctx, id),
    indexSetting: (index, name, fallback) => indexSetting(ctx, index, name, fallback),
    afterHit,
  };
  return runInTurns(searchSteps(targets, request, aggs, environment));
}
