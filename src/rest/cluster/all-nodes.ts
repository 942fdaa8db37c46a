// Responses about nodes and their tasks, and work on the copies of each node: every node of the cluster gets the same request, and answers for itself.
import type { EngineContext } from '../../api/core/context.ts';
import { parseJson } from '../../common/json/json-parse.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { errorObject, toApiError } from '../../errors/error-body.ts';
import type { LaneRequest, LaneResponse, Peers } from '../core/lane.ts';
import type { ApiResponse } from '../core/response.ts';

const APIS: ReadonlySet<string> = new Set([
  'nodes.info',
  'nodes.stats',
  'nodes.usage',
  'tasks.list',
  'tasks.cancel',
  'indices.flush',
  'indices.forcemerge',
]);

/** Whether each node answers this request for itself. */
export function concernsAllNodes(api: string, params: Readonly<Record<string, string>>): boolean {
  const isLocal = [params['node_id'], params['nodes']].some((names) => names?.split(',').includes('_local'));
  return APIS.has(api) && params['task_id'] === undefined && !isLocal;
}

/** @param own  the response of this node @param request  the request as this node received it */
export async function withOtherNodes(own: ApiResponse, request: LaneRequest, engine: EngineContext, peers: Peers): Promise<ApiResponse> {
  if (own.status !== 200 || !isObject(own.body)) return own;
  const others = engine.nodes.filter(({ id }) => id !== engine.nodeId);
  const asked = { ...request, query: queryForOthers(request.query), headers: { 'content-type': 'application/json' } };
  const answers = await Promise.allSettled(others.map(async ({ id }) => bodyOf(await peers.forward(id, asked))));
  const failures = answers.flatMap((answer, at) => (answer.status === 'fulfilled' ? [] : [failureOf(others[at].id, answer.reason)]));
  const bodies = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  return { ...own, body: merged(own.body as JsonObject, bodies, failures) };
}

/** The response is filtered and rendered once it is complete. */
function queryForOthers(query: string): string {
  const parameters = new URLSearchParams(query);
  for (const name of ['filter_path', 'format', 'pretty']) parameters.delete(name);
  return parameters.toString();
}

/** @throws ApiError the node refuses the request */
function bodyOf({ status, body }: LaneResponse): JsonObject {
  const json = parseJson(Buffer.from(body).toString('utf8'));
  if (status === 200 && isObject(json)) return json;
  throw new ApiError('failed_node_exception', status, `the node answered with status ${status}`);
}

function failureOf(node: string, error: unknown): JsonObject {
  return {
    type: 'failed_node_exception',
    reason: `Failed node [${node}]`,
    node_id: node,
    caused_by: errorObject(toApiError(error)) as JsonObject,
  };
}

function merged(own: JsonObject, others: readonly JsonObject[], failures: readonly JsonObject[]): JsonObject {
  const all = [own, ...others];
  const body: Record<string, unknown> = { ...own };
  if (isObject(own['nodes'])) body['nodes'] = Object.assign({}, ...all.map(({ nodes }) => nodes));
  if (Array.isArray(own['tasks'])) body['tasks'] = all.flatMap(({ tasks }) => tasks);
  else if (isObject(own['tasks'])) body['tasks'] = Object.assign({}, ...all.map(({ tasks }) => tasks));
  if (isObject(own['_nodes'])) body['_nodes'] = counts(all, failures);
  else if (isObject(own['_shards'])) body['_shards'] = shardsOf(own['_shards'], failures);
  else if (failures.length > 0) body['node_failures'] = [...(Array.isArray(own['node_failures']) ? own['node_failures'] : []), ...failures];
  return body as JsonObject;
}

function counts(all: readonly JsonObject[], failures: readonly JsonObject[]): JsonObject {
  const sum = (name: string) => all.reduce((total, { _nodes }) => total + Number((_nodes as JsonObject | undefined)?.[name] ?? 0), 0);
  return {
    total: sum('total') + failures.length,
    successful: sum('successful'),
    failed: sum('failed') + failures.length,
    ...(failures.length > 0 ? { failures } : {}),
  };
}

/** Every node counts all copies; those of a node that did not answer are one failure. */
function shardsOf(own: JsonObject, failures: readonly JsonObject[]): JsonObject {
  if (failures.length === 0) return own;
  const failed = Math.min(failures.length, Number(own['successful']));
  return { ...own, successful: Number(own['successful']) - failed, failed: Number(own['failed']) + failed, failures: [...failures] };
}
