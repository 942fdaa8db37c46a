// `_analyze` and `_reload_search_analyzers`.
import { analyze, reloadSearchAnalyzers } from '../../api/indices/analyze.ts';
import { ApiError } from '../../errors/api-error.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const analyzeApi = defineApi({
  name: 'indices.analyze',
  body: 'bytes',
  needs: 'indices:admin/analyze',
  params: { index: 'string', prefer_local: 'boolean', format: 'string' },
  routes: {
    'GET  /_analyze': run,
    'POST /_analyze': run,
    'GET  /{index}/_analyze': run,
    'POST /{index}/_analyze': run,
  },
});

function run(request: ApiRequest, { engine }: RestContext): ApiResponse {
  if (request.bytes === null) throw new ApiError('parse_exception', 400, 'request body or source parameter is required');
  const { body, warnings } = analyze(engine, { index: request.string('index') ?? null, body: request.bytes.toString('utf8') });
  return { ...ok(body), warnings };
}

export const reloadAnalyzersApi = defineApi({
  name: 'indices.reload_search_analyzers',
  body: 'none',
  needs: 'indices:admin/reload_analyzers',
  params: { ...INDICES_OPTIONS, resource: 'string' },
  routes: { 'GET  /{index}/_reload_search_analyzers': reload, 'POST /{index}/_reload_search_analyzers': reload },
});

async function reload(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await reloadSearchAnalyzers(engine, readTarget(request)));
}
