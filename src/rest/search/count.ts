// `_count`.
import type { SearchParameters } from '../../api/core/search-parameters.ts';
import { count, helpCount } from '../../api/search/count.ts';
import { defineApi, INDICES_OPTIONS, QUERY_STRING, type RestContext } from '../core/api.ts';
import { indicesOf, queryParametersOf } from '../core/params/search-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const countApi = defineApi({
  name: 'count',
  body: 'bytes',
  needs: 'indices:data/read/search',
  params: { ...INDICES_OPTIONS, ...QUERY_STRING, min_score: 'float', terminate_after: 'int', routing: 'string', preference: 'string' },
  routes: {
    'GET  /_count': countDocs,
    'POST /_count': countDocs,
    'GET  /{index}/_count': countDocs,
    'POST /{index}/_count': countDocs,
  },
});

/** 200 `{ count, _shards }`. @throws ApiError */
async function countDocs(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const parameters: SearchParameters = {
    query: queryParametersOf(request),
    minScore: request.float('min_score'),
    terminateAfter: request.int('terminate_after'),
    routing: request.string('routing'),
    preference: request.string('preference'),
  };
  const { bytes: body, mobility, askHelpers } = request;
  const call = { indices: indicesOf(request), parameters, body, mobility, askHelpers };
  if (request.help !== null) return { status: 200, bytes: await helpCount(engine, call, request.help) };
  return ok(await count(engine, call));
}
