// `_info`: statistics of all nodes together, of which one node has those of its `_nodes/stats`.
import { nodesStats } from '../../api/cluster/nodes-stats.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';
import { unsupportedError } from '../core/unsupported.ts';

export const clusterInfoApi = defineApi({
  name: 'cluster.info',
  needs: 'cluster:monitor/nodes/stats',
  routes: { 'GET /_info/{target}': info },
});

const TARGETS: readonly string[] = ['thread_pool', 'script', 'ingest'];

/** 200 `{ cluster_name, <target> }`. @throws ApiError illegal_argument_exception, unsupported_operation_exception: HTTP clients are not counted */
async function info(request: ApiRequest, { engine, settings, startedMs }: RestContext): Promise<ApiResponse> {
  const names = request.list('target') ?? [];
  const isAll = names.includes('_all');
  if (isAll && names.length > 1)
    throw illegalArgumentError(`request [${request.path}] contains _all and individual target [${names.join(',')}]`);
  const unknown = names.filter((name) => name !== '_all' && name !== 'http' && !TARGETS.includes(name));
  if (unknown.length > 0) throw illegalArgumentError(`request [${request.path}] contains unrecognized target: [${unknown.join(',')}]`);
  if (names.includes('http')) throw unsupportedError(request.method, request.path);
  const wanted = TARGETS.filter((name) => isAll || names.includes(name));
  const { cluster_name, nodes } = await nodesStats(engine, {
    filter: [],
    level: 'node',
    metrics: new Set(wanted),
    indexMetrics: null,
    dataPath: settings['path.data'],
    threads: { searching: settings.threads, writing: Math.max(1, settings.indexers) },
    memoryLimitBytes: settings['memory.limit'],
    startedMs,
  });
  const [node = {}] = Object.values(nodes as Record<string, Record<string, unknown>>);
  return ok({ cluster_name, ...Object.fromEntries(wanted.map((name) => [name, node[name]])) });
}
