// Tasks: operations started with `wait_for_completion=false`, and the task of listing them.

import { getTask, parseTaskId, taskBody, taskNumber, taskResources } from '../../api/cluster/tasks.ts';
import { addressOf, isThisNode, nodeAttributes, nodeRoles } from '../../api/cluster/this-node.ts';
import type { TaskInfo } from '../../api/core/task-store.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { errorObject, toApiError } from '../../errors/error-body.ts';
import { defineApi, type Params, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';
import { DETAILED_TASKS, TASKS } from './cat-columns.ts';
import { CAT_PARAMS, catTable, matchesName, type Row } from './cat-table.ts';

const LIST_PARAMS: Params = {
  nodes: 'list',
  actions: 'list',
  detailed: 'boolean',
  parent_task_id: 'string',
  wait_for_completion: 'boolean',
  group_by: 'string',
  timeout: 'time',
};

const listApi = defineApi({
  name: 'tasks.list',
  needs: 'cluster:monitor/tasks/lists',
  params: LIST_PARAMS,
  routes: { 'GET /_tasks': list },
});

const getApi = defineApi({
  name: 'tasks.get',
  needs: 'cluster:monitor/task/get',
  params: { wait_for_completion: 'boolean', timeout: 'time' },
  routes: { 'GET /_tasks/{task_id}': get },
});

const cancelApi = defineApi({
  name: 'tasks.cancel',
  needs: 'cluster:admin/tasks/cancel',
  params: LIST_PARAMS,
  routes: { 'POST /_tasks/_cancel': cancel, 'POST /_tasks/{task_id}/_cancel': cancel },
});

const rethrottleApi = defineApi({
  name: 'rethrottle',
  needs: 'cluster:admin/reindex/rethrottle',
  params: { requests_per_second: 'float', group_by: 'string' },
  routes: {
    'POST /_reindex/{task_id}/_rethrottle': rethrottle,
    'POST /_update_by_query/{task_id}/_rethrottle': rethrottle,
    'POST /_delete_by_query/{task_id}/_rethrottle': rethrottle,
  },
});

const catApi = defineApi({
  name: 'cat.tasks',
  needs: 'cluster:monitor/tasks/lists',
  isText: true,
  params: { ...CAT_PARAMS, nodes: 'list', actions: 'list', detailed: 'boolean', parent_task_id: 'string' },
  routes: {
    'GET /_cat/tasks': (request, context) =>
      catTable(request, request.boolean('detailed') ? DETAILED_TASKS : TASKS, context.engine, () => rows(request, context)),
  },
});

export const TASK_APIS = [listApi, getApi, cancelApi, rethrottleApi, catApi];

const LIST_ACTION = 'cluster:monitor/tasks/lists';
const DEFAULT_WAIT_MS = 30_000;

/** Running tasks by `node:number`, including the one that lists them. */
async function running(request: ApiRequest, { engine }: RestContext): Promise<Map<string, JsonObject>> {
  const nodes = request.list('nodes') ?? [];
  const parent = request.string('parent_task_id') ?? '';
  if (parent !== '') parseTaskId(parent);
  if (parent !== '' || (nodes.length > 0 && !isThisNode(engine, nodes))) return new Map();
  const opaqueId = request.http.header('x-opaque-id');
  const isDetailed = request.boolean('detailed') ?? false;
  const own = {
    node: engine.nodeId,
    id: 0,
    type: 'transport',
    action: LIST_ACTION,
    ...(isDetailed ? { description: '' } : {}),
    start_time_in_millis: Date.now(),
    running_time_in_nanos: 0,
    cancellable: false,
    ...(engine.dialect.namesClusterManager ? { cancelled: false } : {}),
    headers: opaqueId === undefined ? {} : { 'X-Opaque-Id': opaqueId },
    ...(isDetailed ? taskResources(engine) : {}),
  };
  const all: JsonObject[] = [own, ...(await engine.tasks.list()).map((task) => taskBody(engine, task, isDetailed))];
  const actions = request.list('actions');
  const shown = all.filter(({ action }) => actions === undefined || actions.some((pattern) => matchesName(pattern, String(action))));
  return new Map(shown.map((task) => [`${engine.nodeId}:${String(task.id)}`, task]));
}

/** 200 `{ nodes }` or `{ tasks }`, depending on `group_by`. */
async function list(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  return ok(grouped(request, context, await running(request, context)));
}

function grouped(request: ApiRequest, { engine }: RestContext, tasks: ReadonlyMap<string, JsonObject>): JsonObject {
  const groupBy = request.string('group_by') ?? 'nodes';
  if (groupBy === 'none') return { tasks: [...tasks.values()] };
  if (groupBy === 'parents') return { tasks: Object.fromEntries(tasks) };
  if (groupBy !== 'nodes') throw illegalArgumentError(`[group_by] must be one of [nodes], [parents] or [none] but was [${groupBy}]`);
  const { host } = addressOf(engine);
  const node = {
    name: engine.nodeName,
    transport_address: engine.publishAddress ?? host,
    host,
    ip: host,
    roles: nodeRoles(engine),
    ...(engine.dialect.namesClusterManager ? { attributes: nodeAttributes(engine) } : {}),
    tasks: Object.fromEntries(tasks),
  };
  return { nodes: tasks.size > 0 ? { [engine.nodeId]: node } : {} };
}

/** 200 `{ completed, task, response | error }`. @throws ApiError resource_not_found_exception (404) */
async function get(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const waitMs = request.boolean('wait_for_completion') ? (request.timeMs('timeout') ?? DEFAULT_WAIT_MS) : 0;
  return ok(await getTask(engine, request.params.task_id, waitMs));
}

/** 200 with the tasks that are being stopped, or with the reason in `node_failures`. */
async function cancel(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  const { engine } = context;
  const { task_id: text } = request.params;
  if (text !== undefined) return changed(request, context, text, async (id) => (await engine.tasks.cancel([id]))[0] ?? null);
  const tasks = [...(await running(request, context)).values()].filter(({ cancellable }) => cancellable === true);
  const cancelled = await engine.tasks.cancel(tasks.map(({ id }) => Number(id)));
  return ok(grouped(request, context, shownOf(engine, cancelled)));
}

/** 200 in the form of `_cancel`. @throws ApiError illegal_argument_exception: a missing or invalid rate */
async function rethrottle(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  const rate = request.float('requests_per_second');
  if (rate === undefined) throw illegalArgumentError('requests_per_second is a required parameter');
  if (rate <= 0 && rate !== -1)
    throw illegalArgumentError('[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.');
  return changed(request, context, request.params.task_id, (id) => context.engine.tasks.rethrottle(id, rate === -1 ? null : rate));
}

async function changed(
  request: ApiRequest,
  context: RestContext,
  text: string,
  change: (id: number) => Promise<TaskInfo | null>,
): Promise<ApiResponse> {
  const { engine } = context;
  try {
    const task = await change(taskNumber(engine, text));
    if (task) return ok(grouped(request, context, shownOf(engine, [task])));
    throw new ApiError('resource_not_found_exception', 404, `task [${text}] is not found`);
  } catch (error) {
    const cause = toApiError(error);
    if (cause.type !== 'resource_not_found_exception') throw error;
    const failure = new ApiError('failed_node_exception', 500, `Failed node [${engine.nodeId}]`, {
      details: { node_id: engine.nodeId },
      causedBy: cause,
    });
    return ok({ node_failures: [errorObject(failure)], ...grouped(request, context, new Map()) });
  }
}

function shownOf(engine: RestContext['engine'], tasks: readonly TaskInfo[]): Map<string, JsonObject> {
  return new Map(tasks.map((task) => [`${engine.nodeId}:${task.id}`, taskBody(engine, task, true)]));
}

async function rows(request: ApiRequest, context: RestContext): Promise<Row[]> {
  const { engine } = context;
  const { host, port } = addressOf(engine);
  return [...(await running(request, context))].map(([taskId, task]) => ({
    id: Number(task.id),
    action: String(task.action),
    task_id: taskId,
    parent_task_id: '-',
    type: String(task.type),
    start_time: Number(task.start_time_in_millis),
    timestamp: new Date(Number(task.start_time_in_millis)).toISOString().slice(11, 19),
    running_time_ns: Number(task.running_time_in_nanos),
    running_time: { ms: Number(task.running_time_in_nanos) / 1_000_000 },
    node_id: engine.nodeId,
    ip: host,
    port,
    node: engine.nodeName,
    version: engine.dialect.version,
    x_opaque_id: opaqueIdOf(task),
    description: task.description === undefined ? null : String(task.description),
    resource_stats: task.resource_stats === undefined ? null : JSON.stringify(task.resource_stats),
  }));
}

function opaqueIdOf({ headers }: JsonObject): string {
  return isObject(headers) ? String(headers['X-Opaque-Id'] ?? '-') : '-';
}
