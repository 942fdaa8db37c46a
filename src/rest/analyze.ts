// `_analyze`.
import { analyze } from '../api/analyze.ts';
import { ApiError } from '../errors/api-error.ts';
import { defineApi, type RestContext } from './api.ts';
import type { ApiRequest } from './request.ts';
import { type ApiResponse, ok } from './response.ts';

export const analyzeApi = defineApi({
  name: 'indices.analyze',
  body: 'bytes',
  needs: 'index:metadata',
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
