// `_health_report`.
import { healthReport } from '../../api/cluster/health-report.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const healthReportApi = defineApi({
  name: 'health_report',
  needs: 'cluster:monitor/health_api',
  params: { timeout: 'time', verbose: 'boolean', size: 'int' },
  routes: { 'GET /_health_report': report, 'GET /_health_report/{feature}': report },
});

/** 200 `{ status, cluster_name, indicators }`. @throws ApiError resource_not_found_exception: no such indicator */
function report(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(
    healthReport(engine, {
      indicator: request.string('feature') ?? null,
      isVerbose: request.boolean('verbose') ?? true,
      size: request.int('size') ?? 1000,
    }),
  );
}
