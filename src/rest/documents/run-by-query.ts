// Options of the by-query operations, and their execution within the request or as a task.
import { startTask } from '../../api/cluster/tasks.ts';
import type { EngineContext } from '../../api/core/context.ts';
import { type BatchOutcome, type ByQueryWork, readPosition, runBatch } from '../../api/documents/by-query-batch.ts';
import type { ByQueryPipeline } from '../../api/documents/changed-hit.ts';
import { type ByQueryOptions, byQueryAnswer, byQueryStatus, runByQuery } from '../../api/documents/run-by-query.ts';
import { requireSearchable } from '../../api/search/search-call.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { requireAction } from '../auth/access.ts';
import { type Action, SEARCH, WRITE_ACTIONS } from '../auth/action.ts';
import type { Params, RestContext } from '../core/api.ts';
import { activeShardsOf } from '../core/params/write-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';

export const DEFAULT_BATCH = 1000;

export const DEFAULT_KEEP_ALIVE_MS = 5 * 60_000;

export const RUN_PARAMS: Params = {
  conflicts: 'string',
  refresh: 'boolean',
  timeout: 'time',
  wait_for_active_shards: 'activeShards',
  wait_for_completion: 'boolean',
  requests_per_second: 'float',
  slices: 'string',
  max_docs: 'int',
  scroll: 'time',
};

/**
 * The engine for a query whose hits are written back: it finds documents of indices on which the user may both search and carry out `action`;
 * lookups in the query need only the search privilege. @throws ApiError security_exception 403
 */
export function sourceEngine({ caller }: ApiRequest, { engineFor }: RestContext, action: Action): EngineContext {
  requireAction(caller, SEARCH);
  return engineFor(SEARCH, action);
}

/** The pipeline that documents go through, with the engine that writes what it returns. */
export function pipelineFor({ engineFor }: RestContext, name: unknown): ByQueryPipeline {
  return { name: name === undefined || name === null ? null : String(name), engine: engineFor(WRITE_ACTIONS.bulk) };
}

/** Validates `slices`. They only distribute the work, so they have no other effect. */
export function checkSlices(request: ApiRequest): void {
  const slices = request.string('slices');
  if (slices !== undefined && slices !== 'auto' && !/^[1-9]\d*$/.test(slices))
    throw illegalArgumentError(`[slices] must be a positive integer or the string "auto", but was [${slices}]`);
}

export function readMaxDocs(value: unknown): number | null {
  if (value === undefined || value === -1) return null;
  if (!Number.isInteger(value)) throw illegalArgumentError(`[max_docs] must be a whole number, but was [${String(value)}]`);
  if ((value as number) < 0) throw illegalArgumentError(`[max_docs] parameter cannot be negative, found [${value as number}]`);
  if (value === 0) throw illegalArgumentError('[max_docs] should be >= [slices]');
  return value as number;
}

function readOptions(request: ApiRequest, body: Record<string, unknown>): ByQueryOptions {
  const conflicts = String(body.conflicts ?? request.string('conflicts') ?? 'abort');
  if (conflicts !== 'abort' && conflicts !== 'proceed')
    throw illegalArgumentError(`conflicts may only be "proceed" or "abort" but was [${conflicts}]`);
  const { runPart } = request;
  const perSecond = request.float('requests_per_second');
  if (perSecond !== undefined && perSecond <= 0 && perSecond !== -1)
    throw illegalArgumentError(`[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.`);
  return {
    proceedOnConflicts: conflicts === 'proceed',
    refresh: request.boolean('refresh') ?? false,
    requestsPerSecond: perSecond === undefined || perSecond === -1 ? null : perSecond,
    activeShards: activeShardsOf(request),
    isCancelled: () => request.reply.aborted,
    ...(runPart === null
      ? {}
      : { runElsewhere: async (position, isCancelled) => (await runPart({ ...position }, isCancelled)) as BatchOutcome | null }),
  };
}

/**
 * Runs an operation within its request or, with `wait_for_completion=false`, as a task: 200 `{ task }`. A lane runs one batch of it.
 * @param work  may throw if the request is invalid
 */
export async function run(
  request: ApiRequest,
  engine: RestContext['engine'],
  body: Record<string, unknown>,
  name: string,
  description: string,
  work: () => ByQueryWork,
): Promise<ApiResponse> {
  const options = readOptions(request, body);
  // Only `runPart` below makes parts.
  if (request.part !== null) return ok(await runBatch(engine, work(), options, readPosition(request.part)));
  requireSearchable(engine, work().source.indices, false);
  const operation = async (changed: ByQueryOptions): Promise<{ status: number; body: MutableJsonObject }> => {
    const started = performance.now();
    const { source, plan, kinds } = work();
    return byQueryAnswer(await runByQuery(engine, { source, plan }, changed), started, kinds);
  };
  if (request.boolean('wait_for_completion') !== false) {
    const { status, body: found } = await operation(options);
    return answer(status, found);
  }
  const opaqueId = request.http.header('x-opaque-id');
  const headers: Record<string, string> = opaqueId === undefined ? {} : { 'X-Opaque-Id': opaqueId };
  const task = { action: `indices:data/write/${name}`, description, headers, requestsPerSecond: options.requestsPerSecond };
  const id = await startTask(engine, task, async (control) => {
    const { body: found } = await operation({
      ...options,
      get requestsPerSecond() {
        return control.requestsPerSecond;
      },
      isCancelled: () => control.isCancelled,
      observe: (totals) => {
        control.status = () => byQueryStatus(totals);
      },
    });
    return control.isCancelled ? { ...found, canceled: 'by user request' } : found;
  });
  return ok({ task: id });
}
