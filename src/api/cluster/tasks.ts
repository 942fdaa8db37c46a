// Tasks: operations that continue after the response (`wait_for_completion=false`).

import { setTimeout as sleep } from 'node:timers/promises';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import { errorObject, toApiError } from '../../errors/error-body.ts';
import type { EngineContext } from '../core/context.ts';
import { notHereError } from '../core/held-elsewhere.ts';
import type { TaskInfo, TaskStart } from '../core/task-store.ts';

/** Shared between a running operation and the reports of its task. */
export interface TaskRun {
  isCancelled: boolean;
  requestsPerSecond: number | null;
  /** Current progress; set by the operation. */
  status: () => MutableJsonObject;
}

const REPORT_MS = 100;
const POLL_MS = 20;

/** Starts an operation without waiting for it. @returns the id of its task, `node:number` */
export async function startTask(
  ctx: EngineContext,
  task: TaskStart,
  operation: (run: TaskRun) => Promise<MutableJsonObject>,
): Promise<string> {
  const { tasks } = ctx;
  const id = await tasks.start(task);
  const run: TaskRun = { isCancelled: false, requestsPerSecond: task.requestsPerSecond, status: () => ({}) };
  const report = async (): Promise<void> => {
    const control = await tasks.report(id, run.status());
    run.isCancelled = control.isCancelled;
    run.requestsPerSecond = control.requestsPerSecond;
  };
  // The node may close while a task runs; reports are dropped then.
  const timer = setInterval(() => report().catch(() => clearInterval(timer)), REPORT_MS);
  const end = (response: MutableJsonObject | null, error: ApiErrorData | null) => {
    clearInterval(timer);
    return tasks.finish(id, { status: run.status(), response, error }).catch(() => {});
  };
  operation(run).then(
    (response) => end(response, null),
    (error) => end(null, toApiError(error).toData()),
  );
  return `${ctx.nodeId}:${id}`;
}

/** Servers look for the results of a task that is not running in an index, which exists once a task has stored some. */
function notStoredError(text: string): ApiError {
  return new ApiError('resource_not_found_exception', 404, `task [${text}] isn't running and hasn't stored its results`, {
    causedBy: indexNotFoundError('.tasks'),
  });
}

/** The parts of `node:number`. @throws ApiError illegal_argument_exception */
export function parseTaskId(text: string): { node: string; number: number } {
  const match = /^([^:]*):(\d+)$/.exec(text);
  if (!match) throw illegalArgumentError(`malformed task id ${text}`);
  return { node: match[1], number: Number(match[2]) };
}

/** The number in `node:number`. @throws ApiError illegal_argument_exception, resource_not_found_exception: a task of another node, which HeldElsewhere names if it is live */
export function taskNumber(ctx: EngineContext, text: string): number {
  const { node, number } = parseTaskId(text);
  if (node === ctx.nodeId) return number;
  const error = new ApiError(
    'resource_not_found_exception',
    404,
    `task [${text}] belongs to the node [${node}] which isn't part of the cluster and there is no record of the task`,
    { causedBy: notStoredError(text) },
  );
  throw notHereError(ctx, node, error);
}

/** `GET _tasks/{id}`. @param waitMs  how long to wait for completion; 0 not to wait. @throws ApiError resource_not_found_exception (404) */
export async function getTask(ctx: EngineContext, text: string, waitMs: number): Promise<MutableJsonObject> {
  const id = taskNumber(ctx, text);
  const until = performance.now() + waitMs;
  let task = await ctx.tasks.get(id);
  while (task !== null && task.result === null && performance.now() < until) {
    await sleep(POLL_MS);
    task = await ctx.tasks.get(id);
  }
  if (task === null) throw notStoredError(text);
  if (task.result === null && waitMs > 0)
    throw new ApiError('timeout_exception', 500, `Timed out waiting for completion of task [${text}]`);
  const body: MutableJsonObject = { completed: task.result !== null, task: taskBody(ctx, task, true) };
  if (task.result?.response) body.response = task.result.response;
  if (task.result?.error) body.error = errorObject(ApiError.fromData(task.result.error));
  return body;
}

/** A task as an element of task lists. */
export function taskBody(ctx: EngineContext, task: TaskInfo, isDetailed: boolean): MutableJsonObject {
  const body: MutableJsonObject = { node: ctx.nodeId, id: task.id, type: 'transport', action: task.action };
  if (isDetailed) Object.assign(body, { status: task.status, description: task.description });
  return {
    ...body,
    start_time_in_millis: task.startMs,
    running_time_in_nanos: ((task.endMs ?? Date.now()) - task.startMs) * 1_000_000,
    cancellable: true,
    cancelled: task.isCancelled,
    headers: task.headers,
    ...(isDetailed ? taskResources(ctx) : {}),
  };
}

/** `resource_stats` of OpenSearch. Tasks share threads, so the time and memory of a single task are unknown. */
export function taskResources({ dialect }: EngineContext): MutableJsonObject {
  if (!dialect.namesClusterManager) return {};
  const none = { cpu_time_in_nanos: 0, memory_in_bytes: 0 };
  return {
    resource_stats: { average: none, total: none, min: none, max: none, thread_info: { thread_executions: 0, active_threads: 0 } },
  };
}
