// `_rollover`.
import { rollover } from '../../api/indices/rollover.ts';
import { defineApi, type RestContext, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const rolloverApi = defineApi({
  name: 'indices.rollover',
  body: 'json',
  needs: 'indices:admin/rollover',
  params: { ...TIMEOUTS, dry_run: 'boolean', lazy: 'boolean', wait_for_active_shards: 'activeShards' },
  routes: { 'POST /{index}/_rollover': runRollover, 'POST /{index}/_rollover/{new_index}': runRollover },
});

async function runRollover(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(
    await rollover(engine, {
      alias: request.params.index,
      newIndex: request.string('new_index') ?? null,
      body: objectBody(request),
      lazy: request.boolean('lazy') ?? false,
      dryRun: request.boolean('dry_run') ?? false,
    }),
  );
}
