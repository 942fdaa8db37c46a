// Reads of single documents: get, source alone.
import { checkReadVersion } from '../../api/documents/conditions.ts';
import { type GetRequest, getDocument, getSource } from '../../api/documents/get-document.ts';
import { defineApi, type Params, SOURCE_FILTER } from '../core/api.ts';
import { sourceFilterOf } from '../core/params/source-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { answer, exists, ok } from '../core/response.ts';
import { readVersionType } from './version-type.ts';

const GET_PARAMS: Params = {
  ...SOURCE_FILTER,
  _source_exclude_vectors: 'boolean',
  stored_fields: 'list',
  preference: 'string',
  realtime: 'boolean',
  refresh: 'boolean',
  routing: 'string',
};

export const getApi = defineApi({
  name: 'get',
  needs: 'indices:data/read/get',
  params: { ...GET_PARAMS, version: 'long', version_type: 'string' },
  routes: {
    'GET  /{index}/_doc/{id}': async (request, { engine }) => {
      const body = await getDocument(engine, readGet(request));
      return answer(body.found ? 200 : 404, body);
    },
    'HEAD /{index}/_doc/{id}': async (request, { engine }) => exists((await getDocument(engine, readGet(request))).found === true),
  },
});

export const getSourceApi = defineApi({
  name: 'get_source',
  needs: 'indices:data/read/get',
  params: GET_PARAMS,
  routes: {
    'GET  /{index}/_source/{id}': async (request, { engine }) => ok(await getSource(engine, readGet(request))),
    'HEAD /{index}/_source/{id}': async (request, { engine }) => {
      await getSource(engine, readGet(request));
      return exists(true);
    },
  },
});

function readGet(request: ApiRequest): GetRequest {
  const storedFields = request.list('stored_fields') ?? [];
  const source = sourceFilterOf(request);
  const version = request.long('version') ?? null;
  // For reads all types mean the same.
  checkReadVersion(readVersionType(request), version);
  return {
    index: request.params.index,
    id: request.params.id,
    routing: request.string('routing') ?? null,
    realtime: request.boolean('realtime') ?? true,
    refresh: request.boolean('refresh') ?? false,
    version,
    source: source ?? { enabled: storedFields.length === 0 || storedFields.includes('_source'), includes: [], excludes: [] },
    storedFields,
    mobility: request.mobility,
  };
}
