// `_nodes`.
import { nodesInfo } from '../../api/cluster/nodes-info.ts';
import { INFO_METRICS } from '../../api/core/metric-names.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

const INFO_NAMES: ReadonlySet<string> = new Set(INFO_METRICS);

export const nodesInfoApi = defineApi({
  name: 'nodes.info',
  needs: 'cluster:monitor/nodes/info',
  params: { flat_settings: 'boolean', timeout: 'time' },
  routes: {
    'GET /_nodes': (request, context) => info(request, context, [], []),
    'GET /_nodes/{node_id}': (request, context) => {
      const names = request.list('node_id') ?? [];
      // The path parameter may be a metric (`/_nodes/http`) or a node (`/_nodes/node-1`).
      const areMetrics = names.length > 0 && names.every((name) => INFO_NAMES.has(name));
      return areMetrics ? info(request, context, [], names) : info(request, context, names, []);
    },
    'GET /_nodes/{node_id}/{metric}': (request, context) =>
      info(request, context, request.list('node_id') ?? [], request.list('metric') ?? []),
  },
});

function info(
  request: ApiRequest,
  { engine, settings, startedMs }: RestContext,
  filter: readonly string[],
  metrics: readonly string[],
): ApiResponse {
  const isAll = metrics.length === 0 || metrics.includes('_all');
  return ok(
    nodesInfo(engine, {
      filter,
      metrics: isAll ? INFO_NAMES : new Set(metrics),
      version: engine.dialect.version,
      startedMs,
      dataPath: settings['path.data'],
      flatSettings: request.boolean('flat_settings') ?? false,
      maxContentLength: settings['http.max_content_length'],
      memoryLimitBytes: settings['memory.limit'],
      threads: { searching: settings.threads, writing: Math.max(1, settings.indexers) },
      human: request.boolean('human') ?? false,
    }),
  );
}
