// Indices as a whole: create, delete, get, open, close, block, resolve names.
import { analysisWarnings } from '../../api/indices/analyze.ts';
import {
  addBlock,
  closeIndex,
  createIndex,
  deleteIndex,
  getIndex,
  indexExists,
  openIndex,
  resolveIndex,
} from '../../api/indices/indices.ts';
import { defineApi, INDICES_OPTIONS, MANAGER_TIMEOUTS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { inBackground } from '../core/background.ts';
import { objectBody } from '../core/object-body.ts';
import { readTarget } from '../core/params/index-expression.ts';
import { activeShardsOf } from '../core/params/write-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, exists, ok } from '../core/response.ts';
import { readSettingsView, SETTINGS_VIEW } from './settings.ts';

const CREATE_TIMEOUT_MS = 30_000;

export const createIndexApi = defineApi({
  name: 'indices.create',
  body: 'json',
  needs: 'indices:admin/create',
  params: { ...TIMEOUTS, wait_for_active_shards: 'activeShards' },
  routes: {
    'PUT /{index}': async (request, { engine }) => {
      const activeShards = activeShardsOf(request, CREATE_TIMEOUT_MS);
      const body = await createIndex(engine, { index: request.params.index, body: objectBody(request), activeShards });
      return { ...ok(body), warnings: analysisWarnings(engine, body.index) };
    },
  },
});

export const deleteIndexApi = defineApi({
  name: 'indices.delete',
  needs: 'indices:admin/delete',
  params: { ...INDICES_OPTIONS, ...TIMEOUTS },
  routes: { 'DELETE /{index}': remove, 'DELETE /': remove },
});

async function remove(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await deleteIndex(engine, readTarget(request)));
}

export const getIndexApi = defineApi({
  name: 'indices.get',
  needs: 'indices:admin/get',
  params: { ...INDICES_OPTIONS, ...SETTINGS_VIEW, local: 'boolean', ...MANAGER_TIMEOUTS },
  routes: {
    'GET  /{index}': (request, { engine }) => ok(getIndex(engine, { ...readTarget(request), ...readSettingsView(request) })),
    'HEAD /{index}': (request, { engine }) => exists(indexExists(engine, readTarget(request))),
  },
});

export const openCloseApi = defineApi({
  name: 'indices.open',
  needs: 'indices:admin/open',
  params: {
    ...INDICES_OPTIONS,
    ...TIMEOUTS,
    wait_for_active_shards: 'activeShards',
    wait_for_completion: 'boolean',
    task_execution_timeout: 'time',
  },
  routes: {
    'POST /_open': open,
    'POST /{index}/_open': open,
    'POST /_close': close,
    'POST /{index}/_close': close,
  },
});

async function open(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const target = readTarget(request);
  const task = { action: 'indices:admin/open', description: `open indices [${request.string('index') ?? ''}]` } as const;
  return inBackground(request, engine, task, () => openIndex(engine, target));
}

async function close(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await closeIndex(engine, readTarget(request)));
}

export const addBlockApi = defineApi({
  name: 'indices.add_block',
  needs: 'indices:admin/block/add',
  params: { ...INDICES_OPTIONS, ...TIMEOUTS },
  routes: {
    'PUT /{index}/_block/{block}': async (request, { engine }) =>
      ok(await addBlock(engine, { ...readTarget(request), block: request.params.block })),
  },
});

export const resolveIndexApi = defineApi({
  name: 'indices.resolve_index',
  needs: 'indices:admin/resolve/index',
  params: INDICES_OPTIONS,
  routes: {
    'GET /_resolve/index/{name}': (request, { engine }) => ok(resolveIndex(engine, { ...readTarget(request), index: request.params.name })),
  },
});
