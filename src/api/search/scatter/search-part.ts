// The other side of distant-search.ts: searches the shards of a part on the node that has them.
import { serialize } from 'node:v8';
import type { JsonObject } from '../../../common/json/json-value.ts';
import { present } from '../../../common/present.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import { searchContextMissingError } from '../../../errors/search-errors.ts';
import { readSegments } from '../../../search/distant-aggregations.ts';
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
import { type CloseRequest, encodeReply, type PartRequest, type ReadRequest } from './part-messages.ts';
import { requireParts } from './refuse-parts.ts';

/** The encoded reply to a PartRequest. @param mobility  of the request of the other node */
async function searchPart(ctx: EngineContext, part: PartRequest, mobility: SearchCall['mobility']): Promise<Uint8Array> {
  const { parameters, indices, nowMs } = part;
  const parsed = parseSearchBody(ctx, part.body, false);
  const { request, aggs } = await resolveLookups(ctx, { ...parsed, request: withParameters(parsed.request, parameters) });
  requireParts(request, parameters);
  const acquired = acquirePart(ctx, part);
  const { targets, missing, release } = acquired;
  try {
    if (missing.length > 0) return encodeReply({ missing });
    const run = { targets, parameters, source: part.body, opaqueId: () => part.opaqueId ?? undefined };
    const env = {
      ...environmentOf(ctx, { parameters, nowMs }),
      preFilterShards: part.isFiltered ? -1 : Number.POSITIVE_INFINITY,
      onPhase: slowPhases(ctx, run),
    };
    const found = await runInTurns(partSteps(targets, withBoosts(ctx, request, indices), aggs, env), mobility);
    for (const { shard } of targets) ctx.reads(shard.uuid, shard.shard)?.add({ queries: 1 }, request.stats);
    if (parameters.totalHitsAsInt)
      for (const { fetched } of found.hits) if ('inner_hits' in fetched) plainInnerTotals(fetched['inner_hits']);
    return encodeReply({ ...found, context: aggs === null ? null : await keep(ctx, acquired) });
  } finally {
    release();
  }
}

/** How long the segments of a part are kept for reads after the last one. */
const KEEP_MS = 60_000;
const MAX_KEPT = 10_000;

function keep(ctx: EngineContext, { snapshots, filters }: AcquiredPart): Promise<string> {
  const state = { filters, body: '', parameters: {}, nowMs: 0, after: null };
  return ctx.contexts.open('part', snapshots, { keepAliveMs: KEEP_MS, limit: MAX_KEPT, state });
}

/** The encoded ReadReply. @throws ApiError search_context_missing_exception */
async function readPart(ctx: EngineContext, { context, body, parameters, nowMs, wanted }: ReadRequest): Promise<Uint8Array> {
  const used = await ctx.contexts.use('part', context, null);
  if (used === null) throw searchContextMissingError(context);
  try {
    const parsed = parseSearchBody(ctx, body, false);
    const { request, aggs } = await resolveLookups(ctx, { ...parsed, request: withParameters(parsed.request, parameters) });
    const targets = used.snapshots.map((snapshot, i) => targetOf(ctx, snapshot, used.state.filters[i]));
    const env = { ...environmentOf(ctx, { parameters, nowMs }), requestSize: request.size };
    return serialize(readSegments(targets, request, present(aggs), env, wanted));
  } finally {
    await used.end();
  }
}

/** The encoded reply to a request of another node for a part of a search. @throws ApiError illegal_argument_exception: it is none */
export async function answerPart(ctx: EngineContext, part: JsonObject, mobility: SearchCall['mobility']): Promise<Uint8Array> {
  switch (part['kind']) {
    case 'search':
      return searchPart(ctx, part as PartRequest, mobility);
    case 'read':
      return readPart(ctx, part as ReadRequest);
    case 'close':
      await ctx.contexts.close('part', [(part as CloseRequest).context]);
      return serialize(null);
    default:
      throw illegalArgumentError('unknown part of a search');
  }
}

interface AcquiredPart {
  readonly snapshots: readonly ShardSnapshot[];
  readonly filters: ReadonlyArray<readonly JsonObject[] | null>;
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
  const filters: Array<readonly JsonObject[] | null> = [];
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
        filters.push(one.own);
        targets.push(targetOf(ctx, snapshot, one.own));
      }
    }
  } catch (error) {
    release();
    throw error;
  }
  return { targets, snapshots, filters, missing, release };
}
