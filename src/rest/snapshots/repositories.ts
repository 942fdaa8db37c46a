// Snapshot repositories: `_snapshot/{repository}`, `_verify`, `_cleanup`.
import { cleanupRepository, deleteRepository, getRepositories, putRepository, verifyRepository } from '../../api/snapshots/repositories.ts';
import { ApiError } from '../../errors/api-error.ts';
import { defineApi, type RestContext, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const getRepositoryApi = defineApi({
  name: 'snapshot.get_repository',
  needs: 'cluster:admin/repository/get',
  params: { ...TIMEOUTS, local: 'boolean' },
  routes: { 'GET /_snapshot': get, 'GET /_snapshot/{repository}': get },
});

function get(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(getRepositories(engine, request.list('repository') ?? []));
}

export const putRepositoryApi = defineApi({
  name: 'snapshot.create_repository',
  needs: 'cluster:admin/repository/put',
  body: 'json',
  params: { ...TIMEOUTS, verify: 'boolean' },
  routes: { 'PUT /_snapshot/{repository}': put, 'POST /_snapshot/{repository}': put },
});

async function put(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  if (request.body === undefined) throw new ApiError('parse_exception', 400, 'request body is required');
  return ok(await putRepository(engine, request.params.repository, objectBody(request), request.boolean('verify') ?? true));
}

export const deleteRepositoryApi = defineApi({
  name: 'snapshot.delete_repository',
  needs: 'cluster:admin/repository/delete',
  params: TIMEOUTS,
  routes: {
    'DELETE /_snapshot/{repository}': async (request, { engine }) =>
      ok(await deleteRepository(engine, request.params.repository.split(','))),
  },
});

export const verifyRepositoryApi = defineApi({
  name: 'snapshot.verify_repository',
  needs: 'cluster:admin/repository/verify',
  params: TIMEOUTS,
  routes: {
    'POST /_snapshot/{repository}/_verify': async (request, { engine }) => ok(await verifyRepository(engine, request.params.repository)),
  },
});

export const cleanupRepositoryApi = defineApi({
  name: 'snapshot.cleanup_repository',
  needs: 'cluster:admin/repository/_cleanup',
  params: TIMEOUTS,
  routes: {
    'POST /_snapshot/{repository}/_cleanup': async (request, { engine }) => ok(await cleanupRepository(engine, request.params.repository)),
  },
});
