// `_search_shards`.
import { searchShardsOf } from '../../api/search/search-shards.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const searchShardsApi = defineApi({
  name: 'search_shards',
  body: 'json',
  needs: 'indices:admin/shards/search_shards',
  params: { ...INDICES_OPTIONS, preference: 'string', routing: 'string', local: 'boolean' },
  routes: {
    'GET /_search_shards': searchShards,
    'POST /_search_shards': searchShards,
    'GET /{index}/_search_shards': searchShards,
    'POST /{index}/_search_shards': searchShards,
  },
});

function searchShards(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(searchShardsOf(engine, readTarget(request), request.string('routing') ?? null));
}
