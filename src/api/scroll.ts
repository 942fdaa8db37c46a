// Scrolls and points in time over the contexts of search-contexts.ts.
import { ApiError } from '../errors/api-error.ts';
import { illegalArgument, validationFailed } from '../errors/catalog.ts';
import { allShardsFailed } from '../errors/search-errors.ts';
import type { Json } from '../mapping/mapping-snapshot.ts';
import type { AfterHit, ShardHit } from '../search/query-phase.ts';
import { checkScroll, type SearchRequest } from '../search/search-request.ts';
import { type SearchOutcome, type SearchTarget, searchShards } from '../search/search-shards.ts';
import type { EngineContext } from './context.ts';
import {
  environmentOf,
  parsedBody,
  resolveSearch,
  type SearchCall,
  type SearchParameters,
  searchJson,
  shardsJson,
  textOfBody,
  withParameters,
} from './search.ts';
import { type ContextId, checkKeepAlive, contextMissing, decodeContextId, encodeContextId, SearchContexts } from './search-contexts.ts';
import { acquireTargets } from './search-targets.ts';
import { resolveLookups } from './terms-lookup.ts';

const contexts = new SearchContexts();

function generationsOf(targets: readonly SearchTarget[]): number[] {
  return targets.map(({ shard }) => shard.generation);
}

/** Runs over a context's snapshots, or over the current ones if they are still the same. @throws ApiError search_context_missing_exception */
function withContext<T>(ctx: EngineContext, id: ContextId, keepAliveMs: number | null, run: (targets: readonly SearchTarget[]) => T): T {
  if (contexts.isClosed(id.key)) throw contextMissing(id.key);
  const own = contexts.targets(id.key, keepAliveMs);
  if (own) return run(own);
  const acquired = acquireTargets(ctx, resolveSearch(ctx, { expressions: id.indices, options: { ignoreUnavailable: true } }), id.routing);
  try {
    if (generationsOf(acquired.targets).join() !== id.generations.join()) throw contextMissing(id.key);
    return run(acquired.targets);
  } finally {
    acquired.release();
  }
}

type Place = AfterHit & { readonly shard: number };

function placeOf(hit: ShardHit | undefined): Place | null {
  if (!hit) return null;
  const { shard, segment, docId, score, sort } = hit;
  return { shard, segment, docId, score: Number.isNaN(score) ? 0 : score, sort };
}

/** First page of a scroll. */
export async function startScroll(ctx: EngineContext, call: SearchCall, keepAliveMs: number): Promise<Json> {
  const started = performance.now();
  const nowMs = Date.now();
  checkKeepAlive(keepAliveMs, 'scroll');
  const body = textOfBody(call.body);
  const parsed = parsedBody(ctx, body, nowMs);
  const request = scrollRequest(await resolveLookups(ctx, withParameters(parsed.request, call.parameters)));
  const acquired = acquireTargets(ctx, resolveSearch(ctx, call.indices), call.parameters.routing ?? null);
  let outcome: SearchOutcome;
  try {
    checkBatch(ctx, acquired.targets, request);
    outcome = searchShards(acquired.targets, request, parsed.aggs, environmentOf(ctx, call.parameters, null, nowMs));
  } catch (error) {
    acquired.release();
    throw error;
  }
  const key = contexts.open(acquired, keepAliveMs);
  const id: ContextId = {
    key,
    kind: 'scroll',
    indices: call.indices.expressions,
    routing: call.parameters.routing ?? null,
    generations: generationsOf(acquired.targets),
    body,
    after: placeOf(outcome.page.at(-1)),
  };
  return searchJson(outcome, call.parameters, started, { _scroll_id: encodeContextId(withCall(id, call.parameters)) });
}

/** Parameters that later pages need travel in the id. */
function withCall(id: ContextId, parameters: SearchParameters): ContextId {
  return { ...id, parameters } as ContextId;
}

function scrollRequest(request: SearchRequest): SearchRequest {
  checkScroll(request);
  if (request.collapse) throw new ApiError('search_exception', 400, 'cannot use `collapse` in a scroll context');
  if (request.rescore.length > 0) throw new ApiError('search_exception', 400, 'cannot use `rescore` in a scroll context');
  return { ...request, trackTotalHitsUpTo: Number.POSITIVE_INFINITY };
}

/** @throws ApiError search_phase_execution_exception: each shard refuses a batch beyond its result window */
function checkBatch(ctx: EngineContext, targets: readonly SearchTarget[], request: SearchRequest): void {
  const failures = targets.flatMap(({ shard: { index, shard, limits } }) => {
    const limit = limits.maxResultWindow;
    if (request.size <= limit) return [];
    const error = illegalArgument(
      `Batch size is too large, size must be less than or equal to: [${limit}] but was [${request.size}]. Scroll batch sizes cost as much memory as result windows so they are controlled by the [index.max_result_window] index level setting.`,
    );
    return [{ shard, index, node: ctx.nodeId, error }];
  });
  if (failures.length > 0) throw allShardsFailed('query', failures);
}

/** Next page of a scroll. */
export async function continueScroll(
  ctx: EngineContext,
  scrollId: string,
  keepAliveMs: number | null,
  totalHitsAsInt: boolean,
): Promise<Json> {
  const started = performance.now();
  const id = decodeContextId(scrollId, 'scroll');
  const parameters: SearchParameters = { ...(id as ContextId & { parameters?: SearchParameters }).parameters, totalHitsAsInt };
  const nowMs = Date.now();
  const request = scrollRequest(await resolveLookups(ctx, withParameters(parsedBody(ctx, id.body, nowMs).request, parameters)));
  return withContext(ctx, id, keepAliveMs, (targets) => {
    const after = id.after as Place | null;
    const isOver = after === null;
    const page: SearchRequest = isOver ? { ...request, size: 0 } : request;
    const outcome = searchShards(targets, page, null, { ...environmentOf(ctx, parameters, null, nowMs), afterHit: after });
    const next = { ...id, after: placeOf(outcome.page.at(-1)) ?? after };
    return searchJson(outcome, parameters, started, { _scroll_id: encodeContextId(next) });
  });
}

/** Body and status of clearing scrolls. @param ids  `_all` means every one of this thread */
export function clearScrolls(ids: readonly string[]): { status: number; body: Json } {
  const keys = ids.includes('_all') ? contexts.keys : ids.map((id) => decodeContextId(id, 'scroll').key);
  const freed = keys.filter((key) => contexts.close(key)).length;
  return { status: freed > 0 || ids.includes('_all') ? 200 : 404, body: { succeeded: true, num_freed: freed } };
}

/** A new point in time: its id and what it holds. */
export function openPointInTime(
  ctx: EngineContext,
  call: Pick<SearchCall, 'indices'>,
  keepAliveMs: number | null,
  routing: string | null,
): { id: string; shards: Json } {
  if (keepAliveMs === null) throw validationFailed(['keep alive not specified']);
  checkKeepAlive(keepAliveMs, 'point in time');
  const acquired = acquireTargets(ctx, resolveSearch(ctx, call.indices), routing);
  const generations = generationsOf(acquired.targets);
  const shards = shardsJson(acquired.targets.length, []);
  const key = contexts.open(acquired, keepAliveMs);
  const id: ContextId = { key, kind: 'pit', indices: call.indices.expressions, routing, generations, body: '', after: null };
  return { id: encodeContextId(id), shards };
}

/** A search over a point in time. */
export async function searchPointInTime(ctx: EngineContext, call: SearchCall, request: SearchRequest): Promise<Json> {
  const started = performance.now();
  const nowMs = Date.now();
  const pit = request.pit!;
  const id = decodeContextId(pit.id, 'pit');
  const parsed = parsedBody(ctx, textOfBody(call.body), nowMs);
  const resolved = await resolveLookups(ctx, request);
  return withContext(ctx, id, pit.keepAliveMs, (targets) => {
    const outcome = searchShards(targets, resolved, parsed.aggs, environmentOf(ctx, call.parameters, null, nowMs));
    return searchJson(outcome, call.parameters, started, { pit_id: pit.id });
  });
}

/** Closes points in time. @returns per id whether it was open */
export function closePointsInTime(ids: readonly string[]): Array<{ successful: boolean; pit_id: string }> {
  return ids.map((id) => ({ successful: contexts.close(decodeContextId(id, 'pit').key), pit_id: id }));
}
