// Data streams: `_data_stream`, and the lifecycles of data streams.

import { TARGETS, targetMetas } from '../../api/core/index-names.ts';
import {
  createDataStream,
  dataStreamStats,
  deleteDataStreams,
  explainLifecycle,
  getDataStreams,
  getLifecycles,
  migrateToDataStream,
  modifyDataStreams,
  putLifecycle,
  type StreamTarget,
} from '../../api/indices/data-streams.ts';
import { type ApiSpec, defineApi, type Params, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { ok } from '../core/response.ts';

const EXPAND: Params = { expand_wildcards: 'expandWildcards' };

function readStreams(request: ApiRequest): StreamTarget {
  return { names: request.list('name') ?? [], expandWildcards: request.wildcardStates() };
}

const getApi = defineApi({
  name: 'indices.get_data_stream',
  needs: 'indices:admin/data_stream/get',
  params: { ...TIMEOUTS, ...EXPAND, include_defaults: 'boolean', verbose: 'boolean' },
  routes: {
    'GET /_data_stream': get,
    'GET /_data_stream/{name}': get,
  },
});

function get(request: ApiRequest, { engine }: Parameters<ApiSpec['routes'][string]>[1]) {
  return ok(getDataStreams(engine, readStreams(request), request.boolean('include_defaults') ?? false));
}

const createApi = defineApi({
  name: 'indices.create_data_stream',
  needs: 'indices:admin/data_stream/create',
  body: 'ignored',
  params: TIMEOUTS,
  routes: { 'PUT /_data_stream/{name}': async (request, { engine }) => ok(await createDataStream(engine, request.params.name)) },
});

const deleteApi = defineApi({
  name: 'indices.delete_data_stream',
  needs: 'indices:admin/data_stream/delete',
  params: { ...TIMEOUTS, ...EXPAND },
  routes: { 'DELETE /_data_stream/{name}': async (request, { engine }) => ok(await deleteDataStreams(engine, readStreams(request))) },
});

const stats: ApiSpec['routes'][string] = async (request, { engine }) =>
  ok(await dataStreamStats(engine, readStreams(request), request.boolean('human') ?? false));

const statsApi = defineApi({
  name: 'indices.data_streams_stats',
  needs: 'indices:monitor/data_stream/stats',
  params: EXPAND,
  routes: { 'GET /_data_stream/_stats': stats, 'GET /_data_stream/{name}/_stats': stats },
});

const modifyApi = defineApi({
  name: 'indices.modify_data_stream',
  needs: 'indices:admin/data_stream/modify',
  body: 'json!',
  params: TIMEOUTS,
  routes: { 'POST /_data_stream/_modify': async (request, { engine }) => ok(await modifyDataStreams(engine, objectBody(request))) },
});

const migrateApi = defineApi({
  name: 'indices.migrate_to_data_stream',
  needs: 'indices:admin/data_stream/migrate',
  params: TIMEOUTS,
  routes: {
    'POST /_data_stream/_migrate/{name}': async (request, { engine }) => ok(await migrateToDataStream(engine, request.params.name)),
  },
});

const getLifecycleApi = defineApi({
  name: 'indices.get_data_lifecycle',
  needs: 'indices:admin/data_stream/lifecycle/get',
  params: { ...TIMEOUTS, ...EXPAND, include_defaults: 'boolean' },
  routes: {
    'GET /_data_stream/{name}/_lifecycle': (request, { engine }) =>
      ok(getLifecycles(engine, readStreams(request), request.boolean('include_defaults') ?? false)),
  },
});

const putLifecycleApi = defineApi({
  name: 'indices.put_data_lifecycle',
  needs: 'indices:admin/data_stream/lifecycle/put',
  body: 'json',
  params: { ...TIMEOUTS, ...EXPAND },
  routes: {
    'PUT /_data_stream/{name}/_lifecycle': async (request, { engine }) =>
      ok(await putLifecycle(engine, readStreams(request), objectBody(request))),
  },
});

const deleteLifecycleApi = defineApi({
  name: 'indices.delete_data_lifecycle',
  needs: 'indices:admin/data_stream/lifecycle/delete',
  params: { ...TIMEOUTS, ...EXPAND },
  routes: {
    'DELETE /_data_stream/{name}/_lifecycle': async (request, { engine }) => ok(await putLifecycle(engine, readStreams(request), null)),
  },
});

const explainApi = defineApi({
  name: 'indices.explain_data_lifecycle',
  needs: 'indices:admin/data_stream/lifecycle/explain',
  params: { ...TIMEOUTS, include_defaults: 'boolean' },
  routes: {
    'GET /{index}/_lifecycle/explain': (request, { engine }) =>
      ok(explainLifecycle(engine, targetMetas(engine, readTarget(request), TARGETS.any), request.boolean('include_defaults') ?? false)),
  },
});

export const DATA_STREAM_APIS: readonly ApiSpec[] = [
  getApi,
  createApi,
  deleteApi,
  statsApi,
  modifyApi,
  migrateApi,
  getLifecycleApi,
  putLifecycleApi,
  deleteLifecycleApi,
  explainApi,
];
