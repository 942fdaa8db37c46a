// The helper's side of share-search.ts.
import { serialize } from 'node:v8';
import type { JsonObject } from '../../common/json/json-value.ts';
import { isTimeUp } from '../../common/turns/turn.ts';
import { helpSteps } from '../../search/help-search.ts';
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
  const shared = part as SharedSegments;
  const { parameters } = call;
  const parsed = parseSearchBody(ctx, bodyText(call.body), false);
  const request = withParameters(parsed.request, parameters);
  const acquired = acquireTargets(ctx, resolveSearch(ctx, call.indices), parameters);
  try {
    const { targets } = acquired;
    if (isTimeUp() || !haveSameSegments(targets, shared)) return serialize([]);
    const env = environmentOf(ctx, { parameters, nowMs: shared.nowMs });
    return serialize(await runInTurns(helpSteps(targets, request, parsed.aggs, env, shared)));
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
