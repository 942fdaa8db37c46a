// `_recovery`.
import { addressOf } from '../../api/cluster/this-node.ts';
import { indexRecovery } from '../../api/indices/recovery.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const recoveryApi = defineApi({
  name: 'indices.recovery',
  needs: 'indices:monitor/recovery',
  params: { ...INDICES_OPTIONS, detailed: 'boolean', active_only: 'boolean' },
  routes: { 'GET /_recovery': recovery, 'GET /{index}/_recovery': recovery },
});

async function recovery(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const options = {
    host: addressOf(engine).host,
    human: request.boolean('human') ?? false,
    detailed: request.boolean('detailed') ?? false,
    activeOnly: request.boolean('active_only') ?? false,
  };
  return ok(await indexRecovery(engine, readTarget(request), options));
}
