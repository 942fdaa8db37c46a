// Indices: create, get, delete, exists, mappings, settings, open, close, refresh, flush, merge, statistics.

import { addressOf } from '../../api/cluster/nodes.ts';
import { analysisWarnings } from '../../api/indices/analyze.ts';
import {
  INDEX_STATS_METRICS,
  indexRecovery,
  indexSegments,
  indexStats,
  type NamedFields,
  shardStores,
} from '../../api/indices/index-stats.ts';
import {
  addBlock,
  clearCache,
  closeIndex,
  createIndex,
  deleteIndex,
  flushIndices,
  forceMerge,
  getFieldMapping,
  getIndex,
  getMapping,
  getSettings,
  indexExists,
  openIndex,
  putMapping,
  putSettings,
  refreshIndices,
  resolveIndex,
  type SettingsView,
} from '../../api/indices/indices.ts';
import { searchShardsOf } from '../../api/search/search-shards.ts';
import { nearestNames } from '../../common/nearest-name.ts';
import { ApiError } from '../../errors/api-error.ts';
import { unrecognizedParameters } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { readTarget } from '../core/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, exists, ok } from '../core/response.ts';
import { activeShardsOf } from '../core/write-params.ts';

/** @throws ApiError the body is no object */
export function objectBody(request: ApiRequest): Record<string, unknown> {
  const body = request.body ?? {};
  if (typeof body !== 'object' || Array.isArray(body)) throw new ApiError('parse_exception', 400, 'request body must be an object');
  return body as Record<string, unknown>;
}

const CREATE_TIMEOUT_MS = 30_000;

export const createIndexApi = defineApi({
  name: 'indices.create',
  body: 'json',
  needs: 'index:create',
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
  needs: 'index:delete',
  params: { ...INDICES_OPTIONS, ...TIMEOUTS },
  routes: { 'DELETE /{index}': remove, 'DELETE /': remove },
});

async function remove(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await deleteIndex(engine, readTarget(request)));
}

const SETTINGS_VIEW = { flat_settings: 'boolean', include_defaults: 'boolean' } as const;

function readSettingsView(request: ApiRequest): SettingsView {
  return {
    flat: request.boolean('flat_settings'),
    includeDefaults: request.boolean('include_defaults'),
    human: request.boolean('human'),
    names: request.list('name') ?? null,
  };
}

export const getIndexApi = defineApi({
  name: 'indices.get',
  needs: 'index:metadata',
  params: { ...INDICES_OPTIONS, ...SETTINGS_VIEW, local: 'boolean', master_timeout: 'time', cluster_manager_timeout: 'time' },
  routes: {
    'GET  /{index}': (request, { engine }) => ok(getIndex(engine, { ...readTarget(request), ...readSettingsView(request) })),
    'HEAD /{index}': (request, { engine }) => exists(indexExists(engine, readTarget(request))),
  },
});

export const getMappingApi = defineApi({
  name: 'indices.get_mapping',
  needs: 'index:metadata',
  params: { ...INDICES_OPTIONS, local: 'boolean', master_timeout: 'time', cluster_manager_timeout: 'time' },
  routes: { 'GET /_mapping': mapping, 'GET /_mappings': mapping, 'GET /{index}/_mapping': mapping, 'GET /{index}/_mappings': mapping },
});

function mapping(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(getMapping(engine, readTarget(request)));
}

export const getFieldMappingApi = defineApi({
  name: 'indices.get_field_mapping',
  needs: 'index:metadata',
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
  needs: 'index:manage',
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

export const getSettingsApi = defineApi({
  name: 'indices.get_settings',
  needs: 'index:metadata',
  params: { ...INDICES_OPTIONS, ...SETTINGS_VIEW, local: 'boolean', master_timeout: 'time', cluster_manager_timeout: 'time' },
  routes: {
    'GET /_settings': settings,
    'GET /{index}/_settings': settings,
    'GET /{index}/_settings/{name}': settings,
    'GET /_settings/{name}': settings,
    'GET /{index}/_setting/{name}': settings,
  },
});

function settings(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(getSettings(engine, { ...readTarget(request), ...readSettingsView(request) }));
}

export const putSettingsApi = defineApi({
  name: 'indices.put_settings',
  body: 'json!',
  needs: 'index:manage',
  params: { ...INDICES_OPTIONS, ...TIMEOUTS, preserve_existing: 'boolean', flat_settings: 'boolean' },
  routes: { 'PUT /_settings': changeSettings, 'PUT /{index}/_settings': changeSettings },
});

async function changeSettings(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const preserveExisting = request.boolean('preserve_existing');
  return ok(await putSettings(engine, { ...readTarget(request), body: objectBody(request), preserveExisting }));
}

export const openCloseApi = defineApi({
  name: 'indices.open',
  needs: 'index:manage',
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
  return ok(await openIndex(engine, readTarget(request)));
}

async function close(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await closeIndex(engine, readTarget(request)));
}

export const addBlockApi = defineApi({
  name: 'indices.add_block',
  needs: 'index:manage',
  params: { ...INDICES_OPTIONS, ...TIMEOUTS },
  routes: {
    'PUT /{index}/_block/{block}': async (request, { engine }) =>
      ok(await addBlock(engine, { ...readTarget(request), block: request.params.block })),
  },
});

export const refreshApi = defineApi({
  name: 'indices.refresh',
  needs: 'index:manage',
  params: INDICES_OPTIONS,
  routes: { 'GET /_refresh': refresh, 'POST /_refresh': refresh, 'GET /{index}/_refresh': refresh, 'POST /{index}/_refresh': refresh },
});

async function refresh(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await refreshIndices(engine, readTarget(request)));
}

export const flushApi = defineApi({
  name: 'indices.flush',
  needs: 'index:manage',
  params: { ...INDICES_OPTIONS, force: 'boolean', wait_if_ongoing: 'boolean' },
  routes: { 'GET /_flush': flush, 'POST /_flush': flush, 'GET /{index}/_flush': flush, 'POST /{index}/_flush': flush },
});

async function flush(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(
    await flushIndices(engine, {
      ...readTarget(request),
      force: request.boolean('force'),
      waitIfOngoing: request.boolean('wait_if_ongoing'),
    }),
  );
}

const BOTH_WARNING =
  'setting only_expunge_deletes and max_num_segments at the same time is deprecated and will be rejected in a future version';

export const forceMergeApi = defineApi({
  name: 'indices.forcemerge',
  needs: 'index:manage',
  params: {
    ...INDICES_OPTIONS,
    flush: 'boolean',
    max_num_segments: 'int',
    only_expunge_deletes: 'boolean',
    wait_for_completion: 'boolean',
    primary_only: 'boolean',
  },
  routes: { 'POST /_forcemerge': merge, 'POST /{index}/_forcemerge': merge },
});

async function merge(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const maxNumSegments = request.int('max_num_segments');
  const onlyExpungeDeletes = request.boolean('only_expunge_deletes');
  const body = await forceMerge(engine, {
    ...readTarget(request),
    maxNumSegments,
    onlyExpungeDeletes,
    flush: request.boolean('flush'),
    primaryOnly: request.boolean('primary_only'),
  });
  const isBoth = onlyExpungeDeletes === true && maxNumSegments !== undefined && maxNumSegments !== -1;
  return isBoth ? { ...ok(body), warnings: [BOTH_WARNING] } : ok(body);
}

export const clearCacheApi = defineApi({
  name: 'indices.clear_cache',
  needs: 'index:manage',
  params: { ...INDICES_OPTIONS, fielddata: 'boolean', fields: 'list', query: 'boolean', request: 'boolean', file: 'boolean' },
  routes: { 'POST /_cache/clear': clear, 'POST /{index}/_cache/clear': clear },
});

function clear(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(clearCache(engine, readTarget(request)));
}

export const statsApi = defineApi({
  name: 'indices.stats',
  needs: 'index:metadata',
  params: {
    ...INDICES_OPTIONS,
    completion_fields: 'list',
    fielddata_fields: 'list',
    fields: 'list',
    groups: 'list',
    level: 'string',
    types: 'list',
    include_segment_file_sizes: 'boolean',
    include_unloaded_segments: 'boolean',
    forbid_closed_indices: 'boolean',
  },
  routes: { 'GET /_stats': stats, 'GET /_stats/{metric}': stats, 'GET /{index}/_stats': stats, 'GET /{index}/_stats/{metric}': stats },
});

async function stats(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const metrics = request.list('metric') ?? [];
  const known: readonly string[] = INDEX_STATS_METRICS;
  const unknown = metrics.filter((name) => name !== '_all' && !known.includes(name));
  if (unknown.length > 0)
    throw unrecognizedParameters(
      request.path,
      unknown,
      unknown.map((name) => nearestNames(name, known)),
      'metric',
    );
  const forbidClosed = request.boolean('forbid_closed_indices');
  return ok(
    await indexStats(engine, {
      ...readTarget(request),
      metrics,
      level: request.string('level'),
      human: request.boolean('human'),
      forbidClosed,
      fields: namedFields(request),
    }),
  );
}

/** `fields` is for both, a list of its own for one. */
function namedFields(request: ApiRequest): NamedFields {
  const both = request.list('fields') ?? [];
  return { fielddata: request.list('fielddata_fields') ?? both, completion: request.list('completion_fields') ?? both };
}

export const segmentsApi = defineApi({
  name: 'indices.segments',
  needs: 'index:metadata',
  params: { ...INDICES_OPTIONS, verbose: 'boolean' },
  routes: { 'GET /_segments': segments, 'GET /{index}/_segments': segments },
});

function segments(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(indexSegments(engine, readTarget(request)));
}

export const recoveryApi = defineApi({
  name: 'indices.recovery',
  needs: 'index:metadata',
  params: { ...INDICES_OPTIONS, detailed: 'boolean', active_only: 'boolean' },
  routes: { 'GET /_recovery': recovery, 'GET /{index}/_recovery': recovery },
});

async function recovery(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  if (request.boolean('active_only')) return ok({});
  const options = {
    host: addressOf(engine).host,
    human: request.boolean('human') ?? false,
    detailed: request.boolean('detailed') ?? false,
  };
  return ok(await indexRecovery(engine, readTarget(request), options));
}

export const resolveIndexApi = defineApi({
  name: 'indices.resolve_index',
  needs: 'index:metadata',
  params: INDICES_OPTIONS,
  routes: {
    'GET /_resolve/index/{name}': (request, { engine }) => ok(resolveIndex(engine, { ...readTarget(request), index: request.params.name })),
  },
});

export const shardStoresApi = defineApi({
  name: 'indices.shard_stores',
  needs: 'index:metadata',
  params: { ...INDICES_OPTIONS, status: 'list' },
  routes: { 'GET /_shard_stores': stores, 'GET /{index}/_shard_stores': stores },
});

function stores(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(shardStores(engine, readTarget(request), request.list('status') ?? ['yellow', 'red']));
}

export const searchShardsApi = defineApi({
  name: 'search_shards',
  body: 'json',
  needs: 'index:metadata',
  params: { ...INDICES_OPTIONS, preference: 'string', routing: 'string', local: 'boolean' },
  routes: {
    'GET /_search_shards': searchShards,
    'POST /_search_shards': searchShards,
    'GET /{index}/_search_shards': searchShards,
    'POST /{index}/_search_shards': searchShards,
  },
});

function searchShards(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(searchShardsOf(engine, readTarget(request), request.string('routing') ?? null));
}
