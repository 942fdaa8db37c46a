// `_disk_usage`.
import { diskUsage } from '../../api/indices/disk-usage.ts';
import { defineApi, INDICES_OPTIONS } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import { ok } from '../core/response.ts';

export const diskUsageApi = defineApi({
  name: 'indices.disk_usage',
  needs: 'indices:admin/analyze_disk_usage',
  params: { ...INDICES_OPTIONS, run_expensive_tasks: 'boolean', flush: 'boolean' },
  routes: {
    'POST /{index}/_disk_usage': async (request, { engine }) =>
      ok(
        await diskUsage(engine, readTarget(request), {
          runsExpensiveTasks: request.boolean('run_expensive_tasks') ?? false,
          flushes: request.boolean('flush') ?? true,
        }),
      ),
  },
});
