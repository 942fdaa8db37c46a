// `_nodes` and `_nodes/stats` with their filters and metrics.

import { INFO_METRICS, nodesInfo, nodesStats, STATS_METRICS } from '../../api/cluster/nodes.ts';
import { withHumanValues } from '../../api/core/human-values.ts';
import { nearestNames } from '../../common/nearest-name.ts';
import { unrecognizedParameters } from '../../errors/catalog.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

const INFO_NAMES: ReadonlySet<string> = new Set(INFO_METRICS);

export const nodesInfoApi = defineApi({
  name: 'nodes.info',
  needs: 'cluster:monitor',
  params: { flat_settings: 'boolean', timeout: 'time' },
  routes: {
    'GET /_nodes': (request, context) => info(request, context, [], []),
    'GET /_nodes/{node_id}': (request, context) => {
      const names = request.list('node_id') ?? [];
      // `/_nodes/http` is a metric, `/_nodes/node-1` a node.
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
      version: settings['compat.version'],
      startedMs,
      dataPath: settings['path.data'],
      flatSettings: request.boolean('flat_settings') ?? false,
      maxContentLength: settings['http.max_content_length'],
      memoryLimitBytes: settings['memory.limit'],
      human: request.boolean('human') ?? false,
    }),
  );
}

export const nodesStatsApi = defineApi({
  name: 'nodes.stats',
  needs: 'cluster:monitor',
  params: {
    completion_fields: 'list',
    fielddata_fields: 'list',
    fields: 'list',
    groups: 'list',
    level: 'string',
    types: 'list',
    timeout: 'time',
    include_segment_file_sizes: 'boolean',
  },
  routes: {
    'GET /_nodes/stats': stats,
    'GET /_nodes/{node_id}/stats': stats,
    'GET /_nodes/stats/{metric}': stats,
    'GET /_nodes/{node_id}/stats/{metric}': stats,
    'GET /_nodes/stats/{metric}/{index_metric}': stats,
    'GET /_nodes/{node_id}/stats/{metric}/{index_metric}': stats,
  },
});

async function stats(request: ApiRequest, { engine, settings, startedMs }: RestContext): Promise<ApiResponse> {
  const names = request.list('metric') ?? ['_all'];
  const known: readonly string[] = STATS_METRICS;
  const unknown = names.filter((name) => name !== '_all' && !known.includes(name));
  if (unknown.length > 0) {
    throw unrecognizedParameters(
      request.path,
      unknown,
      unknown.map((name) => nearestNames(name, known)),
      'metric',
    );
  }
  const answer = await nodesStats(engine, {
    filter: request.list('node_id') ?? [],
    level: request.string('level') ?? 'node',
    metrics: new Set(names.includes('_all') ? known : names),
    dataPath: settings['path.data'],
    startedMs,
  });
  return ok(request.boolean('human') ? withHumanValues(answer) : answer);
}
