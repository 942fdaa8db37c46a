// Snapshots: create, get, status, clone, delete, restore.
import { cloneSnapshot, createSnapshot, deleteSnapshots } from '../../api/snapshots/create-snapshot.ts';
import { getSnapshots } from '../../api/snapshots/get-snapshots.ts';
import { type RestoreRight, restoreSnapshot } from '../../api/snapshots/restore-snapshot.ts';
import { snapshotStatus } from '../../api/snapshots/snapshot-status.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { refusalError } from '../auth/access.ts';
import { type Action, CHANGE_ALIASES, DELETE_INDEX, SEARCH } from '../auth/action.ts';
import { defineApi, type RestContext, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const createSnapshotApi = defineApi({
  name: 'snapshot.create',
  needs: 'cluster:admin/snapshot/create',
  reaches: 'indices:admin/get',
  body: 'json',
  params: { ...TIMEOUTS, wait_for_completion: 'boolean' },
  routes: { 'PUT /_snapshot/{repository}/{snapshot}': create, 'POST /_snapshot/{repository}/{snapshot}': create },
});

async function create(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const { repository, snapshot } = request.params;
  return ok(
    await createSnapshot(engine, {
      repository,
      snapshot,
      body: objectBody(request),
      wait: request.boolean('wait_for_completion') ?? false,
    }),
  );
}

export const getSnapshotApi = defineApi({
  name: 'snapshot.get',
  needs: 'cluster:admin/snapshot/get',
  params: {
    ...TIMEOUTS,
    ignore_unavailable: 'boolean',
    verbose: 'boolean',
    index_names: 'boolean',
    index_details: 'boolean',
    include_repository: 'boolean',
    sort: 'string',
    size: 'int',
    offset: 'int',
    order: 'string',
    after: 'string',
    from_sort_value: 'string',
    slm_policy_filter: 'list',
  },
  routes: { 'GET /_snapshot/{repository}/{snapshot}': get },
});

async function get(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const order = request.string('order') ?? 'asc';
  if (!/^(asc|desc)$/i.test(order)) throw illegalArgumentError(`Unknown SortOrder [${order}]`);
  return ok(
    await getSnapshots(engine, {
      repositories: request.list('repository') ?? [],
      snapshots: request.list('snapshot') ?? [],
      ignoreUnavailable: request.boolean('ignore_unavailable') ?? false,
      verbose: request.boolean('verbose') ?? true,
      sort: request.string('sort') ?? 'start_time',
      isDescending: order.toLowerCase() === 'desc',
      size: request.int('size') ?? -1,
      offset: request.int('offset') ?? 0,
      after: request.string('after') ?? null,
      fromSortValue: request.string('from_sort_value') ?? null,
      policies: request.list('slm_policy_filter') ?? [],
      withIndices: request.boolean('index_names') ?? true,
      withRepository: request.boolean('include_repository') ?? true,
      withDetails: request.boolean('index_details') ?? false,
    }),
  );
}

export const deleteSnapshotApi = defineApi({
  name: 'snapshot.delete',
  needs: 'cluster:admin/snapshot/delete',
  params: { ...TIMEOUTS, wait_for_completion: 'boolean' },
  routes: { 'DELETE /_snapshot/{repository}/{snapshot}': remove },
});

async function remove(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await deleteSnapshots(engine, { repository: request.params.repository, snapshots: request.list('snapshot') ?? [] }));
}

export const cloneSnapshotApi = defineApi({
  name: 'snapshot.clone',
  needs: 'cluster:admin/snapshot/clone',
  body: 'json',
  params: TIMEOUTS,
  routes: { 'PUT /_snapshot/{repository}/{snapshot}/_clone/{target_snapshot}': clone },
});

async function clone(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  if (request.body === undefined) throw new ApiError('parse_exception', 400, 'request body is required');
  const { repository, snapshot: source, target_snapshot: target } = request.params;
  return ok(await cloneSnapshot(engine, { repository, source, target, body: objectBody(request) }));
}

export const restoreSnapshotApi = defineApi({
  name: 'snapshot.restore',
  needs: 'cluster:admin/snapshot/restore',
  reaches: 'indices:admin/get',
  body: 'json',
  params: { ...TIMEOUTS, wait_for_completion: 'boolean' },
  routes: { 'POST /_snapshot/{repository}/{snapshot}/_restore': restore },
});

async function restore(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const { repository, snapshot } = request.params;
  return ok(
    await restoreSnapshot(engine, {
      repository,
      snapshot,
      body: objectBody(request),
      wait: request.boolean('wait_for_completion') ?? false,
      require: (right, name) => requireIndex(request, RESTORE_ACTIONS[right], name),
      requireSecurity: () => {
        const { caller } = request;
        if (caller !== null && !caller.permissions.allowsCluster(CHANGE_USERS)) throw refusalError(caller, CHANGE_USERS, []);
      },
    }),
  );
}

/** A restore of the feature state `security` can make anybody superuser. */
const CHANGE_USERS: Action = 'cluster:admin/xpack/security/user/put';

const RESTORE_ACTIONS: Readonly<Record<RestoreRight, Action>> = {
  create: 'indices:admin/create',
  replace: DELETE_INDEX,
  read: SEARCH,
  alias: CHANGE_ALIASES,
};

/** @throws ApiError security_exception 403 */
function requireIndex({ caller }: ApiRequest, action: Action, name: string): void {
  if (caller !== null && !caller.permissions.allowsIndex(action, name)) throw refusalError(caller, action, [name]);
  // A copy under another name would show what is hidden.
  if (action === SEARCH && caller?.permissions.restrictionOf(SEARCH, [name]))
    throw new ApiError(
      'security_exception',
      400,
      'Restoring an index under another name is not allowed for users when field or document level security is enabled on it',
    );
}

export const snapshotStatusApi = defineApi({
  name: 'snapshot.status',
  needs: 'cluster:admin/snapshot/status',
  params: { ...TIMEOUTS, ignore_unavailable: 'boolean' },
  routes: {
    'GET /_snapshot/_status': status,
    'GET /_snapshot/{repository}/_status': status,
    'GET /_snapshot/{repository}/{snapshot}/_status': status,
  },
});

async function status(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(
    await snapshotStatus(engine, {
      repository: request.string('repository') ?? null,
      snapshots: request.list('snapshot') ?? [],
      ignoreUnavailable: request.boolean('ignore_unavailable') ?? false,
    }),
  );
}
