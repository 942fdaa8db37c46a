// Mappings of indices.
import { getFieldMapping, getMapping, putMapping } from '../../api/indices/mappings.ts';
import { defineApi, INDICES_OPTIONS, MANAGER_TIMEOUTS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const getMappingApi = defineApi({
  name: 'indices.get_mapping',
  needs: 'indices:admin/mappings/get',
  params: { ...INDICES_OPTIONS, local: 'boolean', ...MANAGER_TIMEOUTS },
  routes: { 'GET /_mapping': mapping, 'GET /_mappings': mapping, 'GET /{index}/_mapping': mapping, 'GET /{index}/_mappings': mapping },
});

function mapping(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(getMapping(engine, readTarget(request)));
}

export const getFieldMappingApi = defineApi({
  name: 'indices.get_field_mapping',
  needs: 'indices:admin/mappings/fields/get',
  params: { ...INDICES_OPTIONS, include_defaults: 'boolean', local: 'boolean' },
  routes: { 'GET /_mapping/field/{fields}': fieldMapping, 'GET /{index}/_mapping/field/{fields}': fieldMapping },
});

function fieldMapping(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const includeDefaults = request.boolean('include_defaults');
  return ok(getFieldMapping(engine, { ...readTarget(request), fields: request.list('fields') ?? ['*'], includeDefaults }));
}

export const putMappingApi = defineApi({
  name: 'indices.put_mapping',
  body: 'json!',
  needs: 'indices:admin/mapping/put',
  params: { ...INDICES_OPTIONS, ...TIMEOUTS, write_index_only: 'boolean' },
  routes: {
    'PUT  /{index}/_mapping': changeMapping,
    'POST /{index}/_mapping': changeMapping,
    'PUT  /{index}/_mappings': changeMapping,
    'POST /{index}/_mappings': changeMapping,
  },
});

async function changeMapping(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const writeIndexOnly = request.boolean('write_index_only');
  return ok(await putMapping(engine, { ...readTarget(request), body: objectBody(request), writeIndexOnly }));
}
