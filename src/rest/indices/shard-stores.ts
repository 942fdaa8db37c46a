// `_shard_stores`.
import { shardStores } from '../../api/indices/shard-stores.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const shardStoresApi = defineApi({
  name: 'indices.shard_stores',
  needs: 'indices:monitor/shard_stores',
  params: { ...INDICES_OPTIONS, status: 'list' },
  routes: { 'GET /_shard_stores': stores, 'GET /{index}/_shard_stores': stores },
});

function stores(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(shardStores(engine, readTarget(request), request.list('status') ?? ['yellow', 'red']));
}
