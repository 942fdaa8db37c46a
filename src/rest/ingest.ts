// Ingest pipelines: `_ingest/pipeline`, `_simulate`, and the patterns that grok knows.
import { deletePipeline, getPipelines, grokPatterns, putPipeline, simulatePipeline } from '../api/pipelines.ts';
import { defineApi, type RestContext, TIMEOUTS } from './api.ts';
import type { ApiRequest } from './request.ts';
import { type ApiResponse, answer, ok } from './response.ts';

const putApi = defineApi({
  name: 'ingest.put_pipeline',
  body: 'json!',
  needs: 'cluster:manage',
  params: TIMEOUTS,
  routes: {
    'PUT /_ingest/pipeline/{id}': async (request, { engine }) => ok(await putPipeline(engine, request.params.id, request.body)),
  },
});

const deleteApi = defineApi({
  name: 'ingest.delete_pipeline',
  needs: 'cluster:manage',
  params: TIMEOUTS,
  routes: { 'DELETE /_ingest/pipeline/{id}': async (request, { engine }) => ok(await deletePipeline(engine, request.params.id)) },
});

const getApi = defineApi({
  name: 'ingest.get_pipeline',
  needs: 'cluster:monitor',
  params: { ...TIMEOUTS, summary: 'boolean' },
  routes: { 'GET /_ingest/pipeline': get, 'GET /_ingest/pipeline/{id}': get },
});

const simulateApi = defineApi({
  name: 'ingest.simulate',
  body: 'json!',
  needs: 'cluster:manage',
  params: { verbose: 'boolean' },
  routes: {
    'GET  /_ingest/pipeline/_simulate': simulate,
    'POST /_ingest/pipeline/_simulate': simulate,
    'GET  /_ingest/pipeline/{id}/_simulate': simulate,
    'POST /_ingest/pipeline/{id}/_simulate': simulate,
  },
});

const grokApi = defineApi({
  name: 'ingest.processor_grok',
  needs: 'cluster:monitor',
  params: { s: 'boolean', ecs_compatibility: 'string' },
  routes: { 'GET /_ingest/processor/grok': (request) => ok({ patterns: grokPatterns(request.boolean('s') ?? false) }) },
});

export const INGEST_APIS = [putApi, deleteApi, getApi, simulateApi, grokApi];

/** 200 `{ id: body, ... }`, 404 `{}` when a name is given and none is found. */
function get(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const found = getPipelines(engine, request.string('id') ?? null);
  return found === null ? answer(404, {}) : ok(found);
}

/** 200 `{ docs }`. @throws ApiError parse_exception, illegal_argument_exception */
function simulate(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(simulatePipeline(engine, request.params.id ?? null, request.body, request.boolean('verbose') ?? false));
}
