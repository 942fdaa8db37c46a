// Search pipelines: `_search/pipeline`.
import { deleteSearchPipeline, getSearchPipelines, putSearchPipeline } from '../api/search-pipelines.ts';
import { defineApi, type RestContext, TIMEOUTS } from './api.ts';
import type { ApiRequest } from './request.ts';
import { type ApiResponse, answer, ok } from './response.ts';

const putApi = defineApi({
  name: 'search_pipeline.put',
  body: 'json!',
  needs: 'cluster:manage',
  params: TIMEOUTS,
  routes: {
    'PUT /_search/pipeline/{id}': async (request, { engine }) => ok(await putSearchPipeline(engine, request.params.id, request.body)),
  },
});

const deleteApi = defineApi({
  name: 'search_pipeline.delete',
  needs: 'cluster:manage',
  params: TIMEOUTS,
  routes: { 'DELETE /_search/pipeline/{id}': async (request, { engine }) => ok(await deleteSearchPipeline(engine, request.params.id)) },
});

const getApi = defineApi({
  name: 'search_pipeline.get',
  needs: 'cluster:monitor',
  params: TIMEOUTS,
  routes: { 'GET /_search/pipeline': get, 'GET /_search/pipeline/{id}': get },
});

export const SEARCH_PIPELINE_APIS = [putApi, deleteApi, getApi];

/** 200 `{ id: body, ... }`, 404 `{}` when a name is given and none is found. */
function get(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const found = getSearchPipelines(engine, request.string('id') ?? null);
  return found === null ? answer(404, {}) : ok(found);
}
