// Search templates.

import { parseJsonText } from '../../api/core/json-text.ts';
import type { SearchParameters } from '../../api/core/search-parameters.ts';
import { renderSearch, searchByTemplate } from '../../api/search/search-template.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { indicesOf, isDfs } from '../core/params/search-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const templateApi = defineApi({
  name: 'search_template',
  body: 'json!',
  needs: 'indices:data/read/search/template',
  reaches: 'indices:data/read/search',
  params: {
    ...INDICES_OPTIONS,
    preference: 'string',
    routing: 'string',
    scroll: 'time',
    search_type: 'string',
    explain: 'boolean',
    profile: 'boolean',
    typed_keys: 'boolean',
    rest_total_hits_as_int: 'boolean',
    ccs_minimize_roundtrips: 'boolean',
  },
  routes: {
    'GET  /_search/template': searchTemplate,
    'POST /_search/template': searchTemplate,
    'GET  /{index}/_search/template': searchTemplate,
    'POST /{index}/_search/template': searchTemplate,
  },
});

export const renderApi = defineApi({
  name: 'render_search_template',
  body: 'json',
  needs: 'indices:data/read/search/template',
  reaches: 'indices:data/read/search',
  routes: {
    'GET  /_render/template': render,
    'POST /_render/template': render,
    'GET  /_render/template/{id}': render,
    'POST /_render/template/{id}': render,
  },
});

function parametersOf(request: ApiRequest): SearchParameters {
  return {
    routing: request.string('routing'),
    preference: request.string('preference'),
    scrollMs: request.timeMs('scroll'),
    isDfs: isDfs(request),
    typedKeys: request.boolean('typed_keys'),
    totalHitsAsInt: request.boolean('rest_total_hits_as_int'),
    explain: request.boolean('explain'),
    profile: request.boolean('profile'),
  };
}

/** 200 in the form of `_search`. @throws ApiError the errors of `_search`; the rendered template is not JSON */
async function searchTemplate(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(
    await searchByTemplate(
      engine,
      { indices: indicesOf(request), parameters: parametersOf(request), mobility: request.mobility },
      request.body,
    ),
  );
}

/** 200 `{ template_output }`. @throws ApiError */
function render(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok({ template_output: parseJsonText(renderSearch(engine, request.body, request.string('id') ?? null)) });
}
