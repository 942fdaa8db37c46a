// Scrolls and points in time: searches over snapshots that the node keeps between requests (SearchContextStore).

import type { JsonObject } from '../../../common/json/json-value.ts';
import { type Mobility, STAYS } from '../../../common/turns/turn.ts';
import type { Dialect } from '../../../compat/dialect.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../../errors/catalog.ts';
import { allShardsFailedError, missingShardsError } from '../../../errors/search-errors.ts';
import { checkScroll } from '../../../search/request/check-options.ts';
import type { SearchRequest } from '../../../search/request/search-request.ts';
import type { PendingLookup } from '../../../search/run/pending-lookup.ts';
import type { SearchTarget } from '../../../search/run/search-environment.ts';
import type { ShardHit } from '../../../search/run/shard-hits.ts';
import type { EngineContext } from '../../core/context.ts';
import type { ParsedBody } from '../../core/search-caches.ts';
import type { ContextState, OpenContextInfo, ScrollPosition, UsedContext } from '../../core/search-context.ts';
import type { SearchParameters } from '../../core/search-parameters.ts';
import { withParameters } from '../apply-parameters.ts';
import { fetchLookups } from '../lookup-fields.ts';
import { runSearch } from '../run-search.ts';
import { parseSearchBody } from '../search-body.ts';
import { bodyText, resolveSearch, type SearchCall } from '../search-call.ts';
import { searchJson, shardsJson } from '../search-response.ts';
import { type AcquiredTargets, acquireTargets, type ShardChoice, targetOf } from '../search-targets.ts';
import { resolveLookups } from '../terms-lookup.ts';
import { checkKeepAlive, contextLimit, contextMissingError, decodeContextId, encodeContextId, type ShownKind } from './context-id.ts';

function positionOf(hit: ShardHit | undefined): ScrollPosition | null {
  if (!hit) return null;
  const { shard, segment, docId, score, sort } = hit;
  return { shard, segment, docId, score: Number.isNaN(score) ? 0 : score, sort };
}

function open(ctx: EngineContext, kind: ShownKind, acquired: AcquiredTargets, keepAliveMs: number, state: Omit<ContextState, 'filters'>) {
  return ctx.contexts.open(kind, acquired.snapshots, {
    keepAliveMs,
    limit: contextLimit(ctx, kind),
    state: { ...state, filters: acquired.filters },
  });
}

/** Runs a search over a context's snapshots. `run` returns the response and the new state of the context. @throws ApiError search_context_missing_exception */
async function withContext(
  ctx: EngineContext,
  kind: ShownKind,
  key: string,
  keepAliveMs: number | null,
  run: (targets: readonly SearchTarget[], state: ContextState) => Promise<{ json: JsonObject; state?: ContextState }>,
): Promise<JsonObject> {
  if (keepAliveMs !== null) checkKeepAlive(ctx, keepAliveMs);
  const used: UsedContext | null = await ctx.contexts.use(kind, key, keepAliveMs);
  if (used === null) throw contextMissingError(ctx, key);
  let next: ContextState | undefined;
  try {
    const { state } = used;
    const targets = used.snapshots.map((snapshot, i) => targetOf(ctx, snapshot, state.filters[i]));
    const { json, state: changed } = await run(targets, state);
    next = changed;
    return json;
  } finally {
    await used.end(next);
  }
}

/** First page of a scroll. */
export async function startScroll(ctx: EngineContext, call: SearchCall, keepAliveMs: number): Promise<JsonObject> {
  const started = performance.now();
  const nowMs = Date.now();
  checkKeepAlive(ctx, keepAliveMs);
  const body = bodyText(call.body);
  const parsed = parseSearchBody(ctx, body);
  const { request: resolved, aggs } = await resolveLookups(ctx, { ...parsed, request: withParameters(parsed.request, call.parameters) });
  const request = scrollRequest(resolved, ctx.dialect);
  if (call.parameters.requestCache) throw validationFailedError(['[request_cache] cannot be used in a scroll context']);
  const acquired = acquireTargets(ctx, resolveSearch(ctx, call.indices), call.parameters);
  try {
    checkBatch(ctx, acquired.targets, request);
    const lookups: PendingLookup[] = [];
    const outcome = await runSearch(ctx, {
      targets: acquired.targets,
      unavailable: acquired.unavailable,
      request,
      aggs,
      parameters: call.parameters,
      nowMs,
      mobility: call.mobility,
      lookups,
    });
    await fetchLookups(ctx, lookups);
    for (const { shard } of acquired.targets) ctx.reads(shard.uuid, shard.shard)?.add({ scrolls: 1 });
    const after = positionOf(outcome.page.at(-1));
    const key = await open(ctx, 'scroll', acquired, keepAliveMs, { body, parameters: call.parameters, nowMs, after });
    return searchJson(outcome, call.parameters, ctx.dialect, started, { _scroll_id: encodeContextId('scroll', key) });
  } finally {
    acquired.release();
  }
}

function scrollRequest(request: SearchRequest, dialect: Dialect): SearchRequest {
  checkScroll(request, dialect);
  if (request.trackTotalHitsUpTo === 0) throw validationFailedError(['disabling [track_total_hits] is not allowed in a scroll context']);
  if (!dialect.validatesSearchesWhole) {
    if (request.collapse) throw new ApiError('search_exception', 400, 'cannot use `collapse` in a scroll context');
    if (request.rescore.length > 0) throw new ApiError('search_exception', 400, 'cannot use `rescore` in a scroll context');
  }
  return { ...request, trackTotalHitsUpTo: Number.POSITIVE_INFINITY };
}

/** @throws ApiError search_phase_execution_exception: the batch exceeds the result window of every index */
function checkBatch(ctx: EngineContext, targets: readonly SearchTarget[], request: SearchRequest): void {
  const failures = targets.flatMap(({ shard: { index, shard, limits } }) => {
    const limit = limits.maxResultWindow;
    if (request.size <= limit) return [];
    const error = illegalArgumentError(
      `Batch size is too large, size must be less than or equal to: [${limit}] but was [${request.size}]. Scroll batch sizes cost as much memory as result windows so they are controlled by the [index.max_result_window] index level setting.`,
    );
    return [{ shard, index, node: ctx.nodeId, error }];
  });
  if (failures.length > 0) throw allShardsFailedError('query', failures);
}

/** Next page of a scroll. */
export function continueScroll(
  ctx: EngineContext,
  scrollId: string,
  keepAliveMs: number | null,
  totalHitsAsInt: boolean,
  mobility: Mobility = STAYS,
): Promise<JsonObject> {
  const started = performance.now();
  return withContext(ctx, 'scroll', decodeContextId(scrollId, 'scroll'), keepAliveMs, async (targets, state) => {
    const { nowMs, after, body } = state;
    const parameters: SearchParameters = { ...state.parameters, totalHitsAsInt };
    const parsed = parseSearchBody(ctx, body);
    const resolved = await resolveLookups(ctx, { ...parsed, request: withParameters(parsed.request, parameters), aggs: null });
    const request = scrollRequest(resolved.request, ctx.dialect);
    const page: SearchRequest = after === null ? { ...request, size: 0 } : request;
    const lookups: PendingLookup[] = [];
    const outcome = await runSearch(ctx, { targets, request: page, aggs: null, parameters, nowMs, afterHit: after, mobility, lookups });
    await fetchLookups(ctx, lookups);
    const json = searchJson(outcome, parameters, ctx.dialect, started, { _scroll_id: scrollId });
    return { json, state: { ...state, after: positionOf(outcome.page.at(-1)) } };
  });
}

/** Closes scrolls; returns status and body. @param ids  `_all` stands for all of them */
export async function clearScrolls(ctx: EngineContext, ids: readonly string[]): Promise<{ status: number; body: JsonObject }> {
  const isAll = ids.includes('_all');
  const closed = await ctx.contexts.close('scroll', isAll ? null : ids.map((id) => decodeContextId(id, 'scroll')));
  return { status: closed.length > 0 || isAll ? 200 : 404, body: { succeeded: true, num_freed: closed.length } };
}

/** Opens a point in time. @returns its id and the `_shards` that it contains */
export async function openPointInTime(
  ctx: EngineContext,
  call: Pick<SearchCall, 'indices'>,
  keepAliveMs: number | null,
  choice: ShardChoice & { readonly allowsPartial: boolean },
): Promise<{ id: string; shards: JsonObject }> {
  if (keepAliveMs === null) throw validationFailedError(['keep alive not specified']);
  checkKeepAlive(ctx, keepAliveMs);
  const acquired = acquireTargets(ctx, resolveSearch(ctx, call.indices), choice);
  const { targets, unavailable } = acquired;
  try {
    if (unavailable.length > 0 && !choice.allowsPartial) throw missingShardsError('indices:data/read/open_point_in_time', unavailable);
    const key = await open(ctx, 'pit', acquired, keepAliveMs, { body: '', parameters: {}, nowMs: 0, after: null });
    return { id: encodeContextId('pit', key), shards: shardsJson(targets.length + unavailable.length, unavailable) };
  } finally {
    acquired.release();
  }
}

/** A search over a point in time. @param parsed  the body with parameters applied */
export async function searchPointInTime(
  ctx: EngineContext,
  { parameters, mobility }: SearchCall,
  parsed: ParsedBody,
  pit: NonNullable<SearchRequest['pit']>,
): Promise<JsonObject> {
  const started = performance.now();
  const nowMs = Date.now();
  const { request, aggs } = await resolveLookups(ctx, parsed);
  return withContext(ctx, 'pit', decodeContextId(pit.id, 'pit'), pit.keepAliveMs, async (targets) => {
    const lookups: PendingLookup[] = [];
    const outcome = await runSearch(ctx, { targets, request, aggs, parameters, nowMs, mobility, lookups });
    await fetchLookups(ctx, lookups);
    return { json: searchJson(outcome, parameters, ctx.dialect, started, { pit_id: pit.id }) };
  });
}

/** Closes points in time. @param ids  null for all @returns for each id whether it was open */
export async function closePointsInTime(
  ctx: EngineContext,
  ids: readonly string[] | null,
): Promise<Array<{ successful: boolean; pit_id: string }>> {
  if (ids === null) {
    const closed = await ctx.contexts.close('pit', null);
    return closed.map((key) => ({ successful: true, pit_id: encodeContextId('pit', key) }));
  }
  const keys = ids.map((id) => decodeContextId(id, 'pit'));
  const closed = new Set(await ctx.contexts.close('pit', keys));
  return ids.map((id, i) => ({ successful: closed.has(keys[i]), pit_id: id }));
}

/** All points in time: `{ pits: [{ pit_id, creation_time, keep_alive }] }`. */
export async function listPointsInTime(ctx: EngineContext): Promise<JsonObject> {
  const pits = await ctx.contexts.list('pit');
  return {
    pits: pits.map(({ key, createdMs, keepAliveMs }: OpenContextInfo) => ({
      pit_id: encodeContextId('pit', key),
      creation_time: createdMs,
      keep_alive: keepAliveMs,
    })),
  };
}
