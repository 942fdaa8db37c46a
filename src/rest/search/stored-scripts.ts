// Stored scripts, and the languages and contexts of scripts.
import { executeScript } from '../../api/search/execute-script.ts';
import { deleteStoredScript, getStoredScript, putStoredScript } from '../../api/search/stored-scripts.ts';
import { defineApi, type RestContext, TIMEOUTS } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';

const putApi = defineApi({
  name: 'put_script',
  body: 'json',
  needs: 'cluster:admin/script/put',
  params: { ...TIMEOUTS, context: 'string' },
  routes: {
    'PUT  /_scripts/{id}': put,
    'POST /_scripts/{id}': put,
    'PUT  /_scripts/{id}/{context}': put,
    'POST /_scripts/{id}/{context}': put,
    'DELETE /_scripts/{id}': remove,
  },
});

const getApi = defineApi({
  name: 'get_script',
  needs: 'cluster:admin/script/get',
  params: TIMEOUTS,
  routes: { 'GET /_scripts/{id}': get, 'GET /_script_language': languages, 'GET /_script_context': contexts },
});

const executeApi = defineApi({
  name: 'scripts_painless_execute',
  body: 'json',
  needs: 'cluster:admin/scripts/painless/execute',
  reaches: 'indices:data/read/search',
  routes: { 'GET /_scripts/painless/_execute': execute, 'POST /_scripts/painless/_execute': execute },
});

export const SCRIPT_APIS = [putApi, getApi, executeApi];

/** 200 `{ acknowledged }`. @throws ApiError parse_exception, script_exception */
async function put(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await putStoredScript(engine, request.params.id, request.body));
}

/** 200 `{ _id, found, script }`, 404 without it. */
function get(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const { status, body } = getStoredScript(engine, request.params.id);
  return answer(status, body);
}

/** 200 `{ acknowledged }`. @throws ApiError resource_not_found_exception */
async function remove(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await deleteStoredScript(engine, request.params.id));
}

/** 200 `{ result }`. @throws ApiError script_exception */
function execute(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(executeScript(engine, request.body));
}

const DOC_CONTEXTS = ['aggs', 'field', 'filter', 'number_sort', 'score', 'string_sort', 'terms_set', 'update'];

/** 200 `{ types_allowed, language_contexts }`. */
function languages(): ApiResponse {
  const expression = DOC_CONTEXTS.filter((name) => name !== 'update' && name !== 'string_sort');
  return ok({
    types_allowed: ['inline', 'stored'],
    language_contexts: [
      { language: 'expression', contexts: expression },
      { language: 'mustache', contexts: ['template'] },
      { language: 'painless', contexts: ['aggregation_selector', 'bucket_aggregation', ...DOC_CONTEXTS, 'painless_test'] },
    ],
  });
}

const RETURNS: Readonly<Record<string, string>> = {
  filter: 'boolean',
  score: 'double',
  number_sort: 'double',
  string_sort: 'java.lang.String',
  update: 'void',
};

/** 200 `{ contexts: [{ name, methods }] }`. */
function contexts(): ApiResponse {
  const all = DOC_CONTEXTS.map((name) => {
    const type = Object.hasOwn(RETURNS, name) ? RETURNS[name] : 'java.lang.Object';
    const getter = (method: string) => ({ name: method, return_type: 'java.util.Map', params: [] });
    return { name, methods: [{ name: 'execute', return_type: type, params: [] }, getter('getDoc'), getter('getParams')] };
  });
  return ok({ contexts: all });
}
