// `_cluster/state`.
import { clusterState } from '../../api/cluster/cluster-state.ts';
import { TARGETS, targetNames } from '../../api/core/index-names.ts';
import { STATE_METRICS, type StateMetric } from '../../api/core/metric-names.ts';
import { showSettings } from '../../api/indices/settings.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, MANAGER_TIMEOUTS, type RestContext } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const clusterStateApi = defineApi({
  name: 'cluster.state',
  needs: 'cluster:monitor/state',
  reaches: 'indices:admin/get',
  params: {
    ...INDICES_OPTIONS,
    local: 'boolean',
    ...MANAGER_TIMEOUTS,
    flat_settings: 'boolean',
    wait_for_metadata_version: 'long',
    wait_for_timeout: 'time',
  },
  routes: {
    'GET /_cluster/state': state,
    'GET /_cluster/state/{metric}': state,
    'GET /_cluster/state/{metric}/{index}': state,
  },
});

/** @throws ApiError illegal_argument_exception: a metadata version below 1 */
function state(request: ApiRequest, context: RestContext): ApiResponse {
  const version = request.long('wait_for_metadata_version');
  if (version !== undefined && version < 1)
    throw illegalArgumentError(`provided waitForMetadataVersion should be >= 1, but instead is [${version}]`);
  const names = request.list('metric') ?? ['_all'];
  const metrics = new Set<StateMetric>();
  for (const name of names) {
    if (name === '_all') for (const metric of STATE_METRICS) metrics.add(metric);
    else if ((STATE_METRICS as readonly string[]).includes(name)) metrics.add(name as StateMetric);
  }
  const given = readTarget(request);
  const target = { ...given, expandWildcards: given.expandWildcards ?? ['all'], ignoreUnavailable: given.ignoreUnavailable ?? true };
  const indices = targetNames(context.engine, target, TARGETS.any);
  const isFlat = request.boolean('flat_settings') ?? false;
  const isWhole = given.index === null;
  const body = clusterState(context.engine, { metrics, indices, isWhole, showSettings: (meta) => showSettings(meta, { flat: isFlat }) });
  // The newest state is always here, so a version that this state does not have yet is not waited for.
  return ok(version === undefined ? body : { ...body, wait_for_timed_out: context.engine.cluster.version < version });
}
