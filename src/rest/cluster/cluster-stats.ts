// `_cluster/stats`.
import { clusterStats } from '../../api/cluster/cluster-stats.ts';
import { withHumanValues } from '../../api/core/human-values.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const clusterStatsApi = defineApi({
  name: 'cluster.stats',
  needs: 'cluster:monitor/stats',
  params: { timeout: 'time' },
  routes: {
    'GET /_cluster/stats': stats,
    'GET /_cluster/stats/nodes/{node_id}': stats,
    'GET /_cluster/stats/{metric}/nodes/{node_id}': stats,
    'GET /_cluster/stats/{metric}/{index_metric}/nodes/{node_id}': stats,
  },
});

async function stats(request: ApiRequest, { engine, settings, startedMs }: RestContext): Promise<ApiResponse> {
  const answer = await clusterStats(engine.whole, {
    version: engine.dialect.version,
    startedMs,
    dataPath: settings['path.data'],
    memoryLimitBytes: settings['memory.limit'],
  });
  const { indices, nodes, ...rest } = request.boolean('human') ? (withHumanValues(answer, engine.dialect) as typeof answer) : answer;
  const metrics = request.list('metric') ?? ['_all'];
  if (metrics.includes('_all')) return ok({ ...rest, indices, nodes });
  const parts = request.list('index_metric') ?? ['_all'];
  const shownIndices = metrics.includes('indices') ? { indices: parts.includes('_all') ? indices : only(indices, parts) } : {};
  return ok({ ...rest, ...shownIndices, nodes: only(nodes, metrics) });
}

function only(value: unknown, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value as Record<string, unknown>).filter(([key]) => keys.includes(key)));
}
