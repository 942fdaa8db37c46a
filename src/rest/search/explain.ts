// `_validate/query` and `_explain`.
import { explainDocument, validateQuery } from '../../api/search/explain.ts';
import { defineApi, INDICES_OPTIONS, QUERY_STRING, type RestContext, SOURCE_FILTER } from '../core/api.ts';
import { indicesOf, queryParametersOf } from '../core/params/search-params.ts';
import { sourceFilterOf } from '../core/params/source-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';

export const validateApi = defineApi({
  name: 'indices.validate_query',
  body: 'bytes',
  needs: 'indices:admin/validate/query',
  reaches: 'indices:data/read/search',
  params: { ...INDICES_OPTIONS, ...QUERY_STRING, explain: 'boolean', rewrite: 'boolean', all_shards: 'boolean' },
  routes: {
    'GET  /_validate/query': validate,
    'POST /_validate/query': validate,
    'GET  /{index}/_validate/query': validate,
    'POST /{index}/_validate/query': validate,
  },
});

export const explainApi = defineApi({
  name: 'explain',
  body: 'bytes',
  needs: 'indices:data/read/explain',
  params: { ...QUERY_STRING, ...SOURCE_FILTER, stored_fields: 'list', preference: 'string', routing: 'string' },
  routes: { 'GET  /{index}/_explain/{id}': explain, 'POST /{index}/_explain/{id}': explain },
});

/** 200 `{ _shards, valid, explanations }`. @throws ApiError index_not_found_exception, JSON errors */
async function validate(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const text = request.text;
  const rewrite = request.boolean('rewrite') ?? false;
  const allShards = request.boolean('all_shards') ?? false;
  const explain = (request.boolean('explain') ?? false) || rewrite;
  return ok(
    await validateQuery(engine, indicesOf(request), text, queryParametersOf(request), { explain, rewrite, allShards }, request.mobility),
  );
}

/** 200 `{ _index, _id, matched, explanation, get }`, 404 without the document. @throws ApiError */
async function explain(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const { status, body } = await explainDocument(
    engine,
    request.params.index,
    request.params.id,
    request.string('routing') ?? null,
    request.text,
    queryParametersOf(request),
    sourceFilterOf(request),
    request.mobility,
  );
  return answer(status, body);
}
