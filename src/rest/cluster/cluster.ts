// Parts of the cluster API that have fixed answers on a single node: pending tasks, remote clusters, reroute, dangling indices.
import { clusterState, STATE_METRICS, type StateMetric } from '../../api/cluster/cluster-state.ts';
import { ownNames } from '../../api/core/index-names.ts';
import { showSettings } from '../../api/indices/settings.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { defineApi, type RestContext, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const pendingTasksApi = defineApi({
  name: 'cluster.pending_tasks',
  needs: 'cluster:monitor/task',
  params: { local: 'boolean', master_timeout: 'time', cluster_manager_timeout: 'time' },
  routes: { 'GET /_cluster/pending_tasks': () => ok({ tasks: [] }) },
});

export const remoteInfoApi = defineApi({
  name: 'cluster.remote_info',
  needs: 'cluster:monitor/remote/info',
  routes: { 'GET /_remote/info': () => ok({}) },
});

/** Shards cannot move on a single node, so the answer is the current state. */
export const rerouteApi = defineApi({
  name: 'cluster.reroute',
  body: 'json',
  needs: 'cluster:admin/reroute',
  params: { ...TIMEOUTS, dry_run: 'boolean', explain: 'boolean', retry_failed: 'boolean', metric: 'list' },
  routes: { 'POST /_cluster/reroute': reroute },
});

function reroute(request: ApiRequest, context: RestContext): ApiResponse {
  const { commands } = objectBody(request);
  if (Array.isArray(commands) && commands.length > 0) throw illegalArgumentError('[commands] cannot move shards on a single node');
  const names = request.list('metric') ?? STATE_METRICS.filter((metric) => metric !== 'metadata');
  const metrics = new Set<StateMetric>(names.includes('_all') ? STATE_METRICS : (names as StateMetric[]));
  const indices = ownNames(context.engine);
  const { cluster_name: _name, ...state } = clusterState(context.engine, { metrics, indices, showSettings: (meta) => showSettings(meta) });
  return ok({ acknowledged: true, state, ...(request.boolean('explain') ? { explanations: [] } : {}) });
}

/** Dangling indices have files but no metadata. A node refuses to start with such, so there are none. */
export const danglingApi = defineApi({
  name: 'dangling_indices.list',
  needs: 'cluster:admin/indices/dangling/list',
  routes: {
    'GET /_dangling': (_request, { engine }) =>
      ok({ _nodes: { total: 1, successful: 1, failed: 0 }, cluster_name: engine.clusterName, dangling_indices: [] }),
  },
});
