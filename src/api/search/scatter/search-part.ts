// The other side of distant-search.ts: searches the shards of a part on the node that has them.
import type { JsonObject } from '../../../common/json/json-value.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import { partSteps } from '../../../search/part-search.ts';
import type { SearchTarget } from '../../../search/run/search-environment.ts';
import { runInTurns } from '../../../search/run/steps.ts';
import type { EngineContext } from '../../core/context.ts';
import type { ShardSnapshot } from '../../core/index-state.ts';
import { withParameters } from '../apply-parameters.ts';
import { environmentOf } from '../run-search.ts';
import { parseSearchBody } from '../search-body.ts';
import { resolveSearch, type SearchCall } from '../search-call.ts';
import { plainInnerTotals } from '../search-response.ts';
import { acquireOrNull, targetOf, visitedShards } from '../search-targets.ts';
import { slowPhases } from '../slow-phases.ts';
import { resolveLookups } from '../terms-lookup.ts';
import { withBoosts } from '../with-boosts.ts';
import { encodeReply, type PartRequest } from './part-messages.ts';
import { requireParts } from './refuse-parts.ts';

/** The encoded reply to a PartRequest. @param mobility  of the request of the other node */
export async function searchPart(ctx: EngineContext, given: JsonObject, mobility: SearchCall['mobility']): Promise<Uint8Array> {
  const part = given as PartRequest;
  const { parameters, indices, nowMs } = part;
  const parsed = parseSearchBody(ctx, part.body, false);
  const { request, aggs } = await resolveLookups(ctx, { ...parsed, request: withParameters(parsed.request, parameters) });
  requireParts(request, aggs, parameters);
  const { targets, missing, release } = acquirePart(ctx, part);
  try {
    if (missing.length > 0) return encodeReply({ missing });
    const run = { targets, parameters, source: part.body, opaqueId: () => part.opaqueId ?? undefined };
    const env = {
      ...environmentOf(ctx, { parameters, nowMs }),
      preFilterShards: part.isFiltered ? -1 : Number.POSITIVE_INFINITY,
      onPhase: slowPhases(ctx, run),
    };
    const found = await runInTurns(partSteps(targets, withBoosts(ctx, request, indices), env), mobility);
    for (const { shard } of targets) ctx.reads(shard.uuid, shard.shard)?.add({ queries: 1 }, request.stats);
    if (parameters.totalHitsAsInt)
      for (const { fetched } of found.hits) if ('inner_hits' in fetched) plainInnerTotals(fetched['inner_hits']);
    return encodeReply(found);
  } finally {
    release();
  }
}

interface AcquiredPart {
  readonly targets: readonly SearchTarget[];
  /** Places in the list of the part of the shards that this node does not have. */
  readonly missing: readonly number[];
  release(): void;
}

/** The shards of a part. The names of the search are resolved again, so that a user reaches no more here than on the node that was asked. */
function acquirePart(ctx: EngineContext, { indices, shards }: PartRequest): AcquiredPart {
  const visited = new Map(
    visitedShards(ctx, resolveSearch(ctx, indices), null).map((one) => [`${one.state.meta.uuid}/${one.shard}`, one] as const),
  );
  const snapshots: ShardSnapshot[] = [];
  const targets: SearchTarget[] = [];
  const missing: number[] = [];
  const release = () => {
    for (const snapshot of snapshots) snapshot.release();
  };
  try {
    for (const [at, { uuid, shard }] of shards.entries()) {
      const one = visited.get(`${uuid}/${shard}`);
      const snapshot = one === undefined ? null : acquireOrNull(ctx, one.state, shard);
      if (one === undefined || snapshot === null) missing.push(at);
      else {
        snapshots.push(snapshot);
        targets.push(targetOf(ctx, snapshot, one.own));
      }
    }
  } catch (error) {
    release();
    throw error;
  }
  return { targets, missing, release };
}

/** @throws ApiError illegal_argument_exception: not a part of a search */
export function isSearchPart(part: JsonObject): boolean {
  if (part['kind'] === undefined) return false;
  if (part['kind'] !== 'search') throw illegalArgumentError('unknown part of a search');
  return true;
}
