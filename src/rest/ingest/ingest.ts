// Ingest pipelines: `_ingest/pipeline`, `_simulate`, and the built-in grok patterns.
import { deletePipeline, geoipStats, getPipelines, grokPatterns, putPipeline, simulatePipeline } from '../../api/ingest/pipelines.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import { parseBodyToWrite } from '../core/body.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';
import { storedPipelineApis } from './stored-pipelines.ts';

const pipelineApis = storedPipelineApis({
  names: { put: 'ingest.put_pipeline', delete: 'ingest.delete_pipeline', get: 'ingest.get_pipeline' },
  path: '/_ingest/pipeline',
  action: 'cluster:admin/ingest/pipeline',
  getParams: { summary: 'boolean' },
  put: putPipeline,
  delete: deletePipeline,
  get: getPipelines,
});

const simulateApi = defineApi({
  name: 'ingest.simulate',
  body: 'bytes!',
  needs: 'cluster:admin/ingest/pipeline/simulate',
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
  needs: 'cluster:admin/ingest/processor/grok/get',
  params: { s: 'boolean', ecs_compatibility: 'string' },
  routes: { 'GET /_ingest/processor/grok': (request) => ok({ patterns: grokPatterns(request.boolean('s') ?? false) }) },
});

const geoipApi = defineApi({
  name: 'ingest.geo_ip_stats',
  needs: 'cluster:monitor/ingest/geoip/stats',
  routes: { 'GET /_ingest/geoip/stats': (_request, { engine }) => ok(geoipStats(engine)) },
});

export const INGEST_APIS = [...pipelineApis, simulateApi, grokApi, geoipApi];

/** 200 `{ docs }`. @throws ApiError parse_exception, illegal_argument_exception */
function simulate(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(simulatePipeline(engine, request.params.id ?? null, parseBodyToWrite(request.bytes), request.boolean('verbose') ?? false));
}
