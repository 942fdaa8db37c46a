// `_async_search`: searches that continue after the response. Running ones are tasks; outcomes are stored until they expire.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../../../common/json/json-parse.ts';
import type { JsonObject, MutableJsonObject } from '../../../common/json/json-value.ts';
import { writeJson } from '../../../common/json/json-write.ts';
import { RawJson } from '../../../common/json/raw-json.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../../errors/catalog.ts';
import { errorObject, toApiError } from '../../../errors/error-body.ts';
import { startTask } from '../../cluster/tasks.ts';
import type { AsyncSearch } from '../../core/async-search-store.ts';
import type { EngineContext } from '../../core/context.ts';
import { notHereError } from '../../core/held-elsewhere.ts';
import { parseSearchBody } from '../search-body.ts';
import { bodyText, requireSearchable, resolveSearch, type SearchCall } from '../search-call.ts';

/** Elasticsearch's `search.max_async_search_response_size`. */
const MAX_RESPONSE_BYTES = 10 << 20;
const MIN_KEEP_ALIVE_MS = 1000;
const POLL_MS = 20;

export interface AsyncSearchRequest {
  readonly call: SearchCall;
  readonly keepAliveMs: number;
  readonly keepOnCompletion: boolean;
  readonly waitMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Runs the search, here or in a lane. @returns the body of the response as JSON text; null if it was cancelled */
  readonly run: (isCancelled: () => boolean) => Promise<string | null>;
}

export interface AsyncSearchAnswer {
  readonly status: number;
  readonly body: MutableJsonObject;
}

/** An id is random characters and the id of the node that has the search. */
const RANDOM_BYTES = 24;
const RANDOM_CHARS = 32;

/** @throws ApiError action_request_validation_exception, index_not_found_exception */
export async function submitAsyncSearch(ctx: EngineContext, request: AsyncSearchRequest): Promise<AsyncSearchAnswer> {
  const { call, keepAliveMs, keepOnCompletion, waitMs } = request;
  checkKeepAlive(keepAliveMs);
  if (waitMs < 0) throw illegalArgumentError('[wait_for_completion_timeout] must not be negative');
  const shards = resolveSearch(ctx, call.indices).reduce((sum, { meta }) => sum + Number(meta.settings['index.number_of_shards'] ?? 1), 0);
  // An invalid body is an error of this request.
  parseSearchBody(ctx, bodyText(call.body));
  requireSearchable(ctx, call.indices, true);
  const startMs = Date.now();
  const running: AsyncSearch = {
    id: randomBytes(RANDOM_BYTES).toString('base64url') + ctx.nodeId,
    owner: '',
    startMs,
    expirationMs: startMs + keepAliveMs,
    task: null,
    completionMs: null,
    shards,
    status: null,
    response: null,
    error: null,
  };
  /** State of the search; its fields are set by the request and by the task. */
  const state: { stored: boolean; done: AsyncSearch | null } = { stored: false, done: null };
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const action = 'indices:data/read/async_search/submit';
  const description = `async_search{indices[${call.indices.expressions.join(',')}]}`;
  const task = await startTask(ctx, { action, description, headers: request.headers, requestsPerSecond: null }, async (control) => {
    const outcome = await outcomeOf(() => request.run(() => control.isCancelled));
    state.done = { ...running, ...outcome, completionMs: Date.now() };
    // If it is missing, it was deleted or has expired in the meantime.
    const current = state.stored ? await ctx.asyncSearches.get(running.id) : null;
    if (current !== null && !control.isCancelled)
      await ctx.asyncSearches.put({ ...state.done, owner: current.owner, expirationMs: current.expirationMs });
    ended();
    return {};
  });
  const clock = new AbortController();
  await Promise.race([end, sleep(waitMs, undefined, { signal: clock.signal }).catch(() => undefined)]);
  clock.abort();
  if (state.done !== null && !keepOnCompletion) return render(state.done, false);
  const stored = state.done ?? { ...running, task: Number(task.slice(task.lastIndexOf(':') + 1)) };
  state.stored = true;
  await ctx.asyncSearches.put(stored);
  // It may have ended while the first state was written.
  if (stored.task !== null && state.done !== null) await ctx.asyncSearches.put(state.done);
  return render(state.done ?? stored, true);
}

function checkKeepAlive(ms: number): void {
  if (ms < MIN_KEEP_ALIVE_MS) throw validationFailedError([`[keep_alive] must be greater or equals than 1 second(s), got: [${ms}ms]`]);
}

async function outcomeOf(run: () => Promise<string | null>): Promise<Pick<AsyncSearch, 'status' | 'response' | 'error'>> {
  const failure = (error: ApiError) => ({ status: error.status, response: null, error: writeJson(errorObject(error)) });
  try {
    const response = await run();
    if (response === null) return failure(new ApiError('task_cancelled_exception', 400, 'task was cancelled'));
    if (response.length > MAX_RESPONSE_BYTES)
      return failure(
        illegalArgumentError(
          `Can't store an async search response larger than [${MAX_RESPONSE_BYTES}] bytes. This limit can be set by changing the [search.max_async_search_response_size] setting.`,
        ),
      );
    return { status: 200, response, error: null };
  } catch (error) {
    return failure(toApiError(error));
  }
}

function render(search: AsyncSearch, withId: boolean): AsyncSearchAnswer {
  const { id, startMs, expirationMs, completionMs, shards, status, response, error } = search;
  const isRunning = completionMs === null;
  const body: MutableJsonObject = {
    ...(withId ? { id } : {}),
    is_partial: isRunning || error !== null,
    is_running: isRunning,
    start_time_in_millis: startMs,
    expiration_time_in_millis: expirationMs,
    ...(isRunning ? {} : { completion_time_in_millis: completionMs }),
  };
  if (error !== null) return { status: status ?? 500, body: { ...body, error: new RawJson(error) } };
  if (response !== null) return { status: 200, body: { ...body, response: new RawJson(response) } };
  return {
    status: 200,
    body: {
      ...body,
      response: {
        took: Date.now() - startMs,
        timed_out: false,
        terminated_early: false,
        num_reduce_phases: 0,
        _shards: { total: shards, successful: 0, skipped: 0, failed: 0 },
        hits: { total: { value: 0, relation: 'gte' }, max_score: null, hits: [] },
      },
    },
  };
}

function notFoundError(id: string): ApiError {
  return new ApiError('resource_not_found_exception', 404, id);
}

/** @throws ApiError resource_not_found_exception; HeldElsewhere if another node has it */
async function stored(ctx: EngineContext, id: string): Promise<AsyncSearch> {
  const search = await ctx.asyncSearches.get(id);
  if (search === null) throw notHereError(ctx, id.slice(RANDOM_CHARS), notFoundError(id));
  return search;
}

/** The stored search. One whose task is unknown was lost with a restart. @throws ApiError resource_not_found_exception */
async function find(ctx: EngineContext, id: string): Promise<AsyncSearch> {
  const search = await stored(ctx, id);
  if (search.task === null || (await isTaskRunning(ctx, search))) return search;
  // The task may have ended between the two calls.
  const again = await ctx.asyncSearches.get(id);
  if (again !== null && again.task === null) return again;
  await ctx.asyncSearches.delete(id);
  throw notFoundError(id);
}

async function isTaskRunning(ctx: EngineContext, { task, startMs }: AsyncSearch): Promise<boolean> {
  const found = task === null ? null : await ctx.tasks.get(task);
  return found !== null && found.result === null && Math.abs(found.startMs - startMs) < 60_000;
}

/** `GET _async_search/{id}`. @param keepAliveMs  new time to live from now; null to leave it */
export async function getAsyncSearch(
  ctx: EngineContext,
  id: string,
  options: { readonly waitMs: number; readonly keepAliveMs: number | null },
): Promise<AsyncSearchAnswer> {
  if (options.keepAliveMs !== null) checkKeepAlive(options.keepAliveMs);
  const until = performance.now() + options.waitMs;
  let search = await find(ctx, id);
  if (options.keepAliveMs !== null) {
    search = { ...search, expirationMs: Math.max(search.expirationMs, Date.now() + options.keepAliveMs) };
    await ctx.asyncSearches.put(search);
  }
  while (search.task !== null && performance.now() < until) {
    await sleep(POLL_MS);
    search = await find(ctx, id);
  }
  return render(search, true);
}

/** `GET _async_search/status/{id}`. */
export async function asyncSearchStatus(ctx: EngineContext, id: string): Promise<MutableJsonObject> {
  const search = await find(ctx, id);
  const { startMs, expirationMs, completionMs, shards, status, response, error } = search;
  const isRunning = completionMs === null;
  const outcome = response === null ? null : (parseJson(response) as { _shards: JsonObject });
  return {
    id,
    is_running: isRunning,
    is_partial: isRunning || error !== null,
    start_time_in_millis: startMs,
    expiration_time_in_millis: expirationMs,
    ...(isRunning ? {} : { completion_time_in_millis: completionMs }),
    _shards: outcome?._shards ?? { total: shards, successful: 0, skipped: 0, failed: 0 },
    ...(isRunning ? {} : { completion_status: status }),
  };
}

/** `DELETE _async_search/{id}`: also ends the search. */
export async function deleteAsyncSearch(ctx: EngineContext, id: string): Promise<MutableJsonObject> {
  const search = await stored(ctx, id);
  await ctx.asyncSearches.delete(id);
  if (search.task !== null && (await isTaskRunning(ctx, search))) await ctx.tasks.cancel([search.task]);
  return { acknowledged: true };
}
