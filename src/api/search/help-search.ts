// The helper's side of share-search.ts.
import { serialize } from 'node:v8';
import type { AggTree } from '../../aggs/index.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { isTimeUp } from '../../common/turns/turn.ts';
import { helpSteps } from '../../search/help-search.ts';
import type { SearchRequest } from '../../search/request/search-request.ts';
import type { SearchTarget } from '../../search/run/search-environment.ts';
import type { SharedSegments } from '../../search/run/shared-segments.ts';
import { runInTurns } from '../../search/run/steps.ts';
import type { EngineContext } from '../core/context.ts';
import { withParameters } from './apply-parameters.ts';
import { environmentOf } from './run-search.ts';
import { parseSearchBody } from './search-body.ts';
import { bodyText, resolveSearch, type SearchCall } from './search-call.ts';
import { acquireTargets } from './search-targets.ts';

/**
 * What this thread finds in the segments of a search that it claims, for `AskHelpers`.
 * @param call  the search as another lane has received it
 * @param part  the SharedSegments of that lane
 */
export async function helpSearch(ctx: EngineContext, call: SearchCall, part: JsonObject): Promise<Uint8Array> {
  const parsed = parseSearchBody(ctx, bodyText(call.body), false);
  return helpRequest(ctx, call, { request: withParameters(parsed.request, call.parameters), aggs: parsed.aggs }, part);
}

/** As helpSearch, for a request that has been parsed. */
export async function helpRequest(
  ctx: EngineContext,
  { indices, parameters }: Pick<SearchCall, 'indices' | 'parameters'>,
  { request, aggs }: { readonly request: SearchRequest; readonly aggs: AggTree | null },
  part: JsonObject,
): Promise<Uint8Array> {
  const shared = part as SharedSegments;
  const acquired = acquireTargets(ctx, resolveSearch(ctx, indices), parameters);
  try {
    const { targets } = acquired;
    if (isTimeUp() || !haveSameSegments(targets, shared)) return serialize([]);
    const env = environmentOf(ctx, { parameters, nowMs: shared.nowMs });
    return serialize(await runInTurns(helpSteps(targets, request, aggs, env, shared)));
  } finally {
    acquired.release();
  }
}

/** Whether nothing was refreshed between the threads. */
function haveSameSegments(targets: readonly SearchTarget[], { shards }: SharedSegments): boolean {
  if (targets.length !== shards.length) return false;
  return targets.every(({ shard }, i) => {
    const { uuid, shard: number, generation } = shards[i];
    return shard.uuid === uuid && shard.shard === number && shard.generation === generation;
  });
}
