// Parts of the cluster API that have little to do on a single node: pending tasks, remote clusters, reroute, voting, dangling indices, usage.

import { clusterState } from '../../api/cluster/cluster-state.ts';
import { planReroute } from '../../api/cluster/reroute.ts';
import { isThisNode, nodesHead } from '../../api/cluster/this-node.ts';
import { ownNames } from '../../api/core/index-names.ts';
import { STATE_METRICS, type StateMetric } from '../../api/core/metric-names.ts';
import { showSettings } from '../../api/indices/settings.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, unrecognizedParametersError } from '../../errors/catalog.ts';
import { defineApi, MANAGER_TIMEOUTS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

const pendingTasksApi = defineApi({
  name: 'cluster.pending_tasks',
  needs: 'cluster:monitor/task',
  params: { local: 'boolean', ...MANAGER_TIMEOUTS },
  routes: { 'GET /_cluster/pending_tasks': () => ok({ tasks: [] }) },
});

const remoteInfoApi = defineApi({
  name: 'cluster.remote_info',
  needs: 'cluster:monitor/remote/info',
  routes: { 'GET /_remote/info': () => ok({}) },
});

/** The response is the state after the commands. Shards cannot move on a single node, nor where every node has a copy. */
const rerouteApi = defineApi({
  name: 'cluster.reroute',
  body: 'json',
  needs: 'cluster:admin/reroute',
  params: { ...TIMEOUTS, dry_run: 'boolean', explain: 'boolean', retry_failed: 'boolean', metric: 'list' },
  routes: { 'POST /_cluster/reroute': reroute },
});

const STATE_DEPRECATED =
  'The [state] field in the response to the reroute API is deprecated and will be removed in a future version. ' +
  'Specify ?metric=none to adopt the future behaviour.';

/** @throws ApiError illegal_argument_exception: a command cannot be carried out; version_conflict_engine_exception */
async function reroute(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  const isExplained = request.boolean('explain') ?? false;
  const body = objectBody(request);
  const { explanations, changes } = planReroute(context.engine, body, isExplained);
  const isDryRun = request.boolean('dry_run') ?? body['dry_run'] === true;
  if (changes.length > 0 && !isDryRun) {
    const { changed } = await context.engine.command('allocateCopies', { changes });
    if (changed < changes.length)
      throw new ApiError('version_conflict_engine_exception', 409, 'copies were allocated in the meantime: repeat the request');
  }
  const names = request.list('metric') ?? STATE_METRICS.filter((metric) => metric !== 'metadata');
  const metrics = new Set<StateMetric>(names.includes('_all') ? STATE_METRICS : (names as StateMetric[]));
  const indices = ownNames(context.engine);
  const { cluster_name: _name, ...state } = clusterState(context.engine, {
    metrics,
    indices,
    isWhole: true,
    showSettings: (meta) => showSettings(meta),
  });
  const hidesState = names.length === 1 && names[0] === 'none' && !context.engine.dialect.namesClusterManager;
  const response = ok({ acknowledged: true, ...(hidesState ? {} : { state }), ...(isExplained ? { explanations } : {}) });
  return context.engine.dialect.deprecatesReroutedState && !hidesState ? { ...response, warnings: [STATE_DEPRECATED] } : response;
}

const votingExclusionsApi = defineApi({
  name: 'cluster.voting_config_exclusions',
  needs: 'cluster:admin/voting_config/add_exclusions',
  params: { ...TIMEOUTS, node_ids: 'list', node_names: 'list', wait_for_removal: 'boolean' },
  routes: { 'POST /_cluster/voting_config_exclusions': exclude, 'DELETE /_cluster/voting_config_exclusions': clearExclusions },
});

/** 200 without a body. The only node always votes; exclusions are stored and shown in the cluster state. @throws ApiError illegal_argument_exception */
async function exclude(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const [ids, names] = [request.list('node_ids') ?? [], request.list('node_names') ?? []];
  if ((ids.length === 0) === (names.length === 0)) {
    throw illegalArgumentError(
      engine.dialect.namesClusterManager
        ? 'Please set node identifiers correctly. One and only one of [node_name], [node_names] and [node_ids] has to be set'
        : 'You must set [node_names] or [node_ids] but not both',
    );
  }
  const exclusions = [
    ...ids.map((id) => ({ node_id: id, node_name: id === engine.nodeId ? engine.nodeName : ABSENT })),
    ...names.map((name) => ({ node_id: name === engine.nodeName ? engine.nodeId : ABSENT, node_name: name })),
  ];
  if (exclusions.length > MAX_EXCLUSIONS)
    throw illegalArgumentError(
      `add voting config exclusions request for [${exclusions.length}] nodes exceeds the maximum of [${MAX_EXCLUSIONS}]`,
    );
  await engine.command('addVotingExclusions', { exclusions });
  return { status: 200 };
}

const ABSENT = '_absent_';
/** The default of `cluster.max_voting_config_exclusions`. */
const MAX_EXCLUSIONS = 10;

async function clearExclusions(_request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  await engine.command('clearVotingExclusions', {});
  return { status: 200 };
}

/** Dangling indices have files but no metadata. A node refuses to start with dangling indices, so there are none. */
const danglingApi = defineApi({
  name: 'dangling_indices.list',
  needs: 'cluster:admin/indices/dangling/list',
  routes: {
    'GET /_dangling': (_request, { engine }) =>
      ok({ _nodes: { total: 1, successful: 1, failed: 0 }, cluster_name: engine.clusterName, dangling_indices: [] }),
  },
});

const danglingIndexApi = defineApi({
  name: 'dangling_indices.index',
  needs: 'cluster:admin/indices/dangling/delete',
  params: { ...TIMEOUTS, accept_data_loss: 'boolean' },
  routes: { 'POST /_dangling/{index_uuid}': noDangling, 'DELETE /_dangling/{index_uuid}': noDangling },
});

/** @throws ApiError illegal_argument_exception: always, since there are no dangling indices */
function noDangling(request: ApiRequest): never {
  throw illegalArgumentError(`No dangling index found for UUID [${request.params.index_uuid}]`);
}

const usageApi = defineApi({
  name: 'nodes.usage',
  needs: 'cluster:monitor/nodes/usage',
  params: { timeout: 'time' },
  routes: {
    'GET /_nodes/usage': usage,
    'GET /_nodes/{node_id}/usage': usage,
    'GET /_nodes/usage/{metric}': usage,
    'GET /_nodes/{node_id}/usage/{metric}': usage,
  },
});

const USAGE_METRICS = ['_all', 'rest_actions', 'aggregations'];

/** 200 with the number of requests of each API that this http worker handled. @throws ApiError illegal_argument_exception */
function usage(request: ApiRequest, { engine, startedMs, requestCounts }: RestContext): ApiResponse {
  const metrics = request.list('metric') ?? ['_all'];
  const unknown = metrics.filter((name) => !USAGE_METRICS.includes(name));
  if (unknown.length > 0)
    throw unrecognizedParametersError(
      request.path,
      unknown,
      unknown.map(() => []),
      'metric',
    );
  const filter = request.list('node_id') ?? [];
  const wants = (name: string): boolean => metrics.includes('_all') || metrics.includes(name);
  const node = {
    timestamp: Date.now(),
    since: startedMs,
    ...(wants('rest_actions')
      ? { rest_actions: Object.fromEntries([...requestCounts].map(([name, count]) => [name.replaceAll('.', '_'), count])) }
      : {}),
    ...(wants('aggregations') && !engine.dialect.namesClusterManager ? { aggregations: {} } : {}),
  };
  return ok({ ...nodesHead(engine, filter), nodes: isThisNode(engine, filter) ? { [engine.nodeId]: node } : {} });
}

export const CLUSTER_ADMIN_APIS = [
  pendingTasksApi,
  remoteInfoApi,
  rerouteApi,
  votingExclusionsApi,
  danglingApi,
  danglingIndexApi,
  usageApi,
];
