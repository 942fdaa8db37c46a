// Aliases.
import { deleteAlias, getAliases, putAlias, updateAliases } from '../../api/indices/aliases.ts';
import { defineApi, INDICES_OPTIONS, MANAGER_TIMEOUTS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, exists, ok } from '../core/response.ts';

export const updateAliasesApi = defineApi({
  name: 'indices.update_aliases',
  body: 'json!',
  needs: 'indices:admin/aliases',
  params: TIMEOUTS,
  routes: { 'POST /_aliases': update },
});

async function update(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return changed(await updateAliases(engine, { body: objectBody(request) }), engine);
}

export const putAliasApi = defineApi({
  name: 'indices.put_alias',
  body: 'json',
  needs: 'indices:admin/aliases',
  params: TIMEOUTS,
  routes: {
    'PUT  /{index}/_alias/{name}': put,
    'POST /{index}/_alias/{name}': put,
    'PUT  /{index}/_aliases/{name}': put,
    'POST /{index}/_aliases/{name}': put,
    'PUT  /_alias/{name}': put,
    'POST /_alias/{name}': put,
    'PUT  /_aliases/{name}': put,
    'POST /_aliases/{name}': put,
    'PUT  /{index}/_alias': put,
    'PUT  /{index}/_aliases': put,
    'PUT  /_alias': put,
  },
});

async function put(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const index = request.string('index') ?? null;
  return changed(await putAlias(engine, { index, name: request.string('name') ?? null, body: objectBody(request) }), engine);
}

function changed(response: object, { dialect }: RestContext['engine']): ApiResponse {
  return ok(dialect.showsAliasErrors ? { errors: false, ...response } : response);
}

export const deleteAliasApi = defineApi({
  name: 'indices.delete_alias',
  needs: 'indices:admin/aliases',
  params: TIMEOUTS,
  routes: { 'DELETE /{index}/_alias/{name}': remove, 'DELETE /{index}/_aliases/{name}': remove },
});

async function remove(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return changed(await deleteAlias(engine, { index: request.params.index, names: request.list('name') ?? [] }), engine);
}

export const getAliasApi = defineApi({
  name: 'indices.get_alias',
  needs: 'indices:admin/aliases/get',
  params: { ...INDICES_OPTIONS, local: 'boolean', ...MANAGER_TIMEOUTS },
  routes: {
    'GET  /_alias': get,
    'GET  /_aliases': get,
    'GET  /_alias/{name}': get,
    'GET  /_aliases/{name}': get,
    'GET  /{index}/_alias': get,
    'GET  /{index}/_alias/{name}': get,
    'GET  /{index}/_aliases': get,
    'GET  /{index}/_aliases/{name}': get,
    'HEAD /_alias/{name}': has,
    'HEAD /{index}/_alias/{name}': has,
    'HEAD /{index}/_alias': has,
  },
});

/** 200 with the aliases; 404 with the missing names in addition. */
function get(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const { missing, body } = getAliases(engine, readTarget(request), request.list('name') ?? null);
  if (missing.length === 0) return ok(body);
  const what = missing.length === 1 ? `alias [${missing[0]}] missing` : `aliases [${missing.join(',')}] missing`;
  return answer(404, { error: what, status: 404, ...body });
}

function has(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return exists(getAliases(engine, readTarget(request), request.list('name') ?? null).missing.length === 0);
}
