// APIs for administration: allocation explanations, hot threads, reloading of secure settings, upgrades.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { explainAllocation } from '../../api/cluster/allocation.ts';
import { isThisNode } from '../../api/cluster/this-node.ts';
import { TARGETS, targetMetas } from '../../api/core/index-names.ts';
import { SEGMENT_VERSION } from '../../api/core/segment-version.ts';
import { statsOf } from '../../api/indices/index-stats.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { parsedFields } from '../core/object-fields.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

const explainApi = defineApi({
  name: 'cluster.allocation_explain',
  body: 'json',
  needs: 'cluster:monitor/allocation/explain',
  params: { include_yes_decisions: 'boolean', include_disk_info: 'boolean' },
  routes: { 'GET /_cluster/allocation/explain': explain, 'POST /_cluster/allocation/explain': explain },
});

/** Allocation does not consider disks, because there are no watermarks that keep shards off this node. */
const NO_CLUSTER_INFO = { nodes: {}, shard_sizes: {}, shard_paths: {}, reserved_sizes: [] };

const UNCHOSEN =
  'No shard was specified in the explain API request, so this response explains a randomly chosen unassigned shard. There may be other unassigned shards in this cluster which cannot be assigned for different reasons. It may not be possible to assign this shard until one of the other shards is assigned correctly. To explain the allocation of other shards (whether assigned or unassigned) you must specify the target shard in the request to this API.';

/** 200 the explanation. @throws ApiError x_content_parse_exception, action_request_validation_exception, and those of explainAllocation */
function explain(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const fields = { index: 'string', shard: 'int', primary: 'boolean', current_node: 'string' } as const;
  const { index, shard, primary, current_node: currentNode } = parsedFields(request, 'cluster/allocation/explain', fields);
  const withYes = request.boolean('include_yes_decisions') ?? false;
  const withDisk = (explained: MutableJsonObject): ApiResponse => {
    if (!request.boolean('include_disk_info')) return ok(explained);
    const at = Object.entries(explained);
    const after = at.findIndex(([key]) => key === 'can_allocate' || key === 'can_remain_on_current_node');
    return ok(Object.fromEntries([...at.slice(0, after), ['cluster_info', NO_CLUSTER_INFO], ...at.slice(after)]));
  };
  if (index === undefined && shard === undefined && primary === undefined && currentNode === undefined)
    return withDisk({ ...(engine.dialect.showsDatasetSize ? { note: UNCHOSEN } : {}), ...explainAllocation(engine, null, withYes) });
  const missing = Object.entries({ index, shard, primary }).flatMap(([name, value]) =>
    value === undefined ? [`${name} must be specified`] : [],
  );
  if (index === undefined || shard === undefined || primary === undefined) throw validationFailedError(missing);
  return withDisk(explainAllocation(engine, { index, shard, primary, currentNode: currentNode ?? null }, withYes));
}

const HOT_PATHS = ['/_nodes/hot_threads', '/_nodes/{node_id}/hot_threads', '/_nodes/hotthreads', '/_nodes/{node_id}/hotthreads'];

const hotThreadsApi = defineApi({
  name: 'nodes.hot_threads',
  needs: 'cluster:monitor/nodes/hot_threads',
  isText: true,
  params: { interval: 'time', snapshots: 'int', threads: 'int', ignore_idle_threads: 'boolean', type: 'string', timeout: 'time' },
  routes: Object.fromEntries(
    [...HOT_PATHS, ...HOT_PATHS.map((path) => `/_cluster${path.replace('/_', '/')}`)].map((path) => [`GET ${path}`, hotThreads]),
  ),
});

const DEFAULT_INTERVAL_MS = 500;
const MAX_INTERVAL_MS = 10_000;

/** Text with the CPU usage of the process and the utilization of this thread's event loop during the interval. */
async function hotThreads(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const type = request.string('type') ?? 'cpu';
  if (!['cpu', 'wait', 'block'].includes(type)) throw illegalArgumentError(`type not supported [${type}]`);
  const filter = request.list('node_id') ?? [];
  if (filter.length > 0 && !isThisNode(engine, filter)) return { status: 200, text: '' };
  const intervalMs = Math.min(request.timeMs('interval') ?? DEFAULT_INTERVAL_MS, MAX_INTERVAL_MS);
  const [cpu, loop] = [process.cpuUsage(), performance.eventLoopUtilization()];
  await sleep(intervalMs);
  const { user, system } = process.cpuUsage(cpu);
  const percent = (part: number) => `${(part * 100).toFixed(1)}%`;
  const head = `::: {${engine.nodeName}}{${engine.nodeId}}{${engine.publishAddress ?? ''}}`;
  const when = `   Hot threads at ${new Date().toISOString()}, interval=${intervalMs}ms, busiestThreads=${request.int('threads') ?? 3}, ignoreIdleThreads=${request.boolean('ignore_idle_threads') ?? true}:`;
  const lines = [
    `   ${percent((user + system) / 1000 / intervalMs)} (${((user + system) / 1000).toFixed(1)}ms out of ${intervalMs}ms) cpu usage by all threads of the process`,
    `   ${percent(performance.eventLoopUtilization(loop).utilization)} of the time this http worker's event loop was busy`,
  ];
  return { status: 200, text: `${head}\n${when}\n\n${lines.join('\n')}\n` };
}

const reloadApi = defineApi({
  name: 'nodes.reload_secure_settings',
  body: 'json',
  needs: 'cluster:admin/nodes/reload_secure_settings',
  params: { timeout: 'time' },
  routes: { 'POST /_nodes/reload_secure_settings': reload, 'POST /_nodes/{node_id}/reload_secure_settings': reload },
});

/** 200 `{ _nodes, cluster_name, nodes }`. There is nothing to reload, as with an empty key store without a password. */
function reload(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const filter = request.list('node_id') ?? [];
  const isHere = filter.length === 0 || isThisNode(engine, filter);
  const count = isHere ? 1 : 0;
  const { secure_settings_password: password } = parsedFields(request, 'reload_secure_settings', { secure_settings_password: 'string' });
  const refusal =
    password === undefined || password === ''
      ? {}
      : { reload_exception: { type: 'security_exception', reason: 'Provided keystore password was incorrect' } };
  const nodes = isHere ? { [engine.nodeId]: { name: engine.nodeName, ...refusal } } : {};
  return ok({ _nodes: { total: count, successful: count, failed: 0 }, cluster_name: engine.clusterName, nodes });
}

const upgradeApi = defineApi({
  name: 'indices.upgrade',
  needs: 'indices:admin/upgrade',
  params: { ...INDICES_OPTIONS, ...TIMEOUTS, only_ancient_segments: 'boolean', wait_for_completion: 'boolean' },
  routes: {
    'POST /_upgrade': upgrade,
    'POST /{index}/_upgrade': upgrade,
    'GET  /_upgrade': upgradeStatus,
    'GET  /{index}/_upgrade': upgradeStatus,
  },
});

/** 200 `{ _shards, upgraded_indices }`. All segments have the same format, so they are up to date already. */
function upgrade(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const metas = targetMetas(engine, readTarget(request), TARGETS.open);
  const upgraded = { upgrade_version: engine.dialect.version, oldest_lucene_segment_version: SEGMENT_VERSION };
  const total = metas.reduce((sum, meta) => sum + Number(meta.settings['index.number_of_shards'] ?? 1), 0);
  return ok({
    _shards: { total, successful: total, failed: 0 },
    upgraded_indices: Object.fromEntries(metas.map(({ name }) => [name, upgraded])),
  });
}

/** 200 with the sizes of the indices, none of which needs an upgrade. */
async function upgradeStatus(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const none = { size_to_upgrade_in_bytes: 0, size_to_upgrade_ancient_in_bytes: 0 };
  const sizes = (await statsOf(engine, readTarget(request))).map(({ index, shards }) => ({
    name: index.meta.name,
    bytes: shards.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  }));
  const indices = Object.fromEntries(sizes.map(({ name, bytes }) => [name, { size_in_bytes: bytes, ...none }]));
  return ok({ size_in_bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0), ...none, indices });
}

export const MAINTENANCE_APIS = [explainApi, hotThreadsApi, reloadApi, upgradeApi];
