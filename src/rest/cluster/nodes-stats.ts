// `_nodes/stats`.
import { nodesStats } from '../../api/cluster/nodes-stats.ts';
import { withHumanValues } from '../../api/core/human-values.ts';
import { INDEX_STATS_METRICS, STATS_METRICS } from '../../api/core/metric-names.ts';
import { nearestNames } from '../../common/text/nearest-name.ts';
import { illegalArgumentError, unrecognizedParametersError } from '../../errors/catalog.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import { namedFields, STATS_PARAMS } from '../core/params/named-fields.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const nodesStatsApi = defineApi({
  name: 'nodes.stats',
  needs: 'cluster:monitor/nodes/stats',
  params: {
    ...STATS_PARAMS,
    timeout: 'time',
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

/** The sections of the path; null for all. @throws ApiError illegal_argument_exception */
function indexMetricsOf(request: ApiRequest): readonly string[] | null {
  const names = request.list('index_metric');
  if (names === undefined) return null;
  const metrics = request.list('metric') ?? [];
  const refuse = (why: string) => illegalArgumentError(`request [${request.path}] contains index metrics [${names.join(',')}] but ${why}`);
  if (metrics.includes('_all')) throw refuse('all stats requested');
  if (!metrics.includes('indices')) throw refuse('indices stats not requested');
  if (names.includes('_all')) return null;
  const known: readonly string[] = INDEX_STATS_METRICS;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  throw unrecognizedParametersError(
    request.path,
    unknown,
    unknown.map((name) => nearestNames(name, known)),
    'index metric',
  );
}

async function stats(request: ApiRequest, { engine, settings, startedMs }: RestContext): Promise<ApiResponse> {
  const names = request.list('metric') ?? ['_all'];
  const known: readonly string[] = STATS_METRICS;
  const unknown = names.filter((name) => name !== '_all' && !known.includes(name));
  if (unknown.length > 0) {
    throw unrecognizedParametersError(
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
    indexMetrics: indexMetricsOf(request),
    fields: namedFields(request),
    groups: request.list('groups') ?? [],
    dataPath: settings['path.data'],
    threads: { searching: settings.threads, writing: Math.max(1, settings.indexers) },
    memoryLimitBytes: settings['memory.limit'],
    startedMs,
  });
  return ok(request.boolean('human') ? withHumanValues(answer, engine.dialect) : answer);
}
