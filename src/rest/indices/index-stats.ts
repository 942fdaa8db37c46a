// `_stats`.
import { INDEX_STATS_METRICS } from '../../api/core/metric-names.ts';
import { indexStats } from '../../api/indices/index-stats.ts';
import { nearestNames } from '../../common/text/nearest-name.ts';
import { unrecognizedParametersError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import { namedFields, STATS_PARAMS } from '../core/params/named-fields.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const statsApi = defineApi({
  name: 'indices.stats',
  needs: 'indices:monitor/stats',
  params: {
    ...INDICES_OPTIONS,
    ...STATS_PARAMS,
    include_unloaded_segments: 'boolean',
    forbid_closed_indices: 'boolean',
  },
  routes: { 'GET /_stats': stats, 'GET /_stats/{metric}': stats, 'GET /{index}/_stats': stats, 'GET /{index}/_stats/{metric}': stats },
});

async function stats(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const metrics = request.list('metric') ?? [];
  const known: readonly string[] = INDEX_STATS_METRICS;
  const unknown = metrics.filter((name) => name !== '_all' && !known.includes(name));
  if (unknown.length > 0)
    throw unrecognizedParametersError(
      request.path,
      unknown,
      unknown.map((name) => nearestNames(name, known)),
      'metric',
    );
  const forbidClosed = request.boolean('forbid_closed_indices');
  return ok(
    await indexStats(engine, {
      ...readTarget(request),
      metrics,
      level: request.string('level'),
      human: request.boolean('human'),
      forbidClosed,
      fields: namedFields(request),
      groups: request.list('groups'),
    }),
  );
}
