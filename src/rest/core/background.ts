// `wait_for_completion=false`: the operation of a request continues as a task after the response.
import { startTask } from '../../api/cluster/tasks.ts';
import type { EngineContext } from '../../api/core/context.ts';
import { isObject } from '../../common/json/json-value.ts';
import type { Action } from '../auth/action.ts';
import type { ApiRequest } from './request.ts';
import { type ApiResponse, ok } from './response.ts';

/** 200 with the body of the operation or, with `wait_for_completion=false`, `{ task }`. The task cannot be stopped half-way. */
export async function inBackground(
  request: ApiRequest,
  engine: EngineContext,
  task: { readonly action: Action; readonly description: string },
  operation: () => Promise<unknown>,
): Promise<ApiResponse> {
  if (request.boolean('wait_for_completion') !== false) return ok(await operation());
  const opaqueId = request.http.header('x-opaque-id');
  const headers: Record<string, string> = opaqueId === undefined ? {} : { 'X-Opaque-Id': opaqueId };
  const id = await startTask(engine, { ...task, headers, requestsPerSecond: null }, async () => {
    const body = await operation();
    return isObject(body) ? body : {};
  });
  return ok({ task: id });
}
