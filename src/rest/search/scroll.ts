// Scrolls and points in time, under Elasticsearch's and OpenSearch's names.
import { clearScrolls, closePointsInTime, continueScroll, listPointsInTime, openPointInTime } from '../../api/search/contexts/scroll.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { readTime } from '../core/param-kinds.ts';
import { indicesOf } from '../core/params/search-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';

export const scrollApi = defineApi({
  name: 'scroll',
  body: 'json',
  needs: 'indices:data/read/scroll',
  reaches: 'indices:data/read/search',
  params: { scroll: 'time', scroll_id: 'string', rest_total_hits_as_int: 'boolean' },
  routes: {
    'GET  /_search/scroll': scrollOn,
    'POST /_search/scroll': scrollOn,
    'GET  /_search/scroll/{scroll_id}': scrollOn,
    'POST /_search/scroll/{scroll_id}': scrollOn,
  },
});

export const clearScrollApi = defineApi({
  name: 'clear_scroll',
  body: 'json',
  needs: 'indices:data/read/scroll/clear',
  reaches: 'indices:data/read/search',
  params: { scroll_id: 'string' },
  routes: { 'DELETE /_search/scroll': clear, 'DELETE /_search/scroll/{scroll_id}': clear },
});

export const pitApi = defineApi({
  name: 'open_point_in_time',
  body: 'json',
  needs: 'indices:data/read/open_point_in_time',
  reaches: 'indices:data/read/search',
  params: { ...INDICES_OPTIONS, keep_alive: 'time', routing: 'string', preference: 'string', allow_partial_pit_creation: 'boolean' },
  routes: {
    'POST /{index}/_search/point_in_time': (request, context) => open(request, context, 'pit_id'),
    'POST /{index}/_pit': (request, context) => open(request, context, 'id'),
    'DELETE /_search/point_in_time': closeMany,
    'GET    /_search/point_in_time/_all': list,
    'DELETE /_search/point_in_time/_all': closeAll,
    'DELETE /_pit': closeOne,
  },
});

/** The body as an object with known keys. @throws ApiError illegal_argument_exception */
function fieldsOf(request: ApiRequest, known: readonly string[]): Record<string, unknown> {
  const body = request.body ?? {};
  if (typeof body !== 'object' || Array.isArray(body)) throw illegalArgumentError('Malformed content, must start with an object');
  for (const [key, value] of Object.entries(body as object)) {
    if (!known.includes(key)) {
      throw illegalArgumentError(`Unknown parameter [${key}] in request body or parameter is of the wrong type[${typeof value}] `);
    }
  }
  return body as Record<string, unknown>;
}

/** 200 with the next page. @throws ApiError search_phase_execution_exception (404): the scroll was closed or has expired */
async function scrollOn(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const body = fieldsOf(request, ['scroll', 'scroll_id']);
  const id = body['scroll_id'] ?? request.string('scroll_id');
  if (typeof id !== 'string') throw validationFailedError(['scrollId is missing']);
  const scroll = body['scroll'] === undefined ? request.timeMs('scroll') : readTime('scroll', String(body['scroll']));
  return ok(await continueScroll(engine, id, scroll ?? null, request.boolean('rest_total_hits_as_int') ?? false, request.mobility));
}

/** 200 `{ succeeded, num_freed }`, 404 if none was open. @throws ApiError illegal_argument_exception: an id is not a scroll id */
async function clear(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const body = fieldsOf(request, ['scroll_id']);
  const ids = body['scroll_id'] === undefined ? (request.string('scroll_id')?.split(',') ?? []) : [body['scroll_id']].flat().map(String);
  if (ids.length === 0) throw validationFailedError(['no scroll ids specified']);
  const { status, body: json } = await clearScrolls(engine, ids);
  return answer(status, json);
}

/** 200 with the id, whose key depends on the API that was called. @throws ApiError */
async function open(request: ApiRequest, { engine }: RestContext, name: 'pit_id' | 'id'): Promise<ApiResponse> {
  const keepAlive = request.timeMs('keep_alive') ?? null;
  const { id, shards } = await openPointInTime(engine, { indices: indicesOf(request) }, keepAlive, {
    routing: request.string('routing'),
    preference: request.string('preference'),
    allowsPartial: request.boolean('allow_partial_pit_creation') ?? false,
  });
  return ok(name === 'id' ? { id, _shards: shards } : { pit_id: id, _shards: shards, creation_time: Date.now() });
}

/** 200 `{ pits: [{ successful, pit_id }] }`. */
async function closeMany(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const ids = [fieldsOf(request, ['pit_id'])['pit_id'] ?? []].flat().map(String);
  if (ids.length === 0) throw validationFailedError(['no pit ids specified']);
  return ok({ pits: await closePointsInTime(engine, ids) });
}

/** 200 `{ pits: [{ successful, pit_id }] }` for all points in time. */
async function closeAll(_request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok({ pits: await closePointsInTime(engine, null) });
}

/** 200 `{ pits: [{ pit_id, creation_time, keep_alive }] }`. */
async function list(_request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await listPointsInTime(engine));
}

/** 200 `{ succeeded, num_freed }`; 404 if it was not open. */
async function closeOne(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const id = fieldsOf(request, ['id'])['id'];
  if (typeof id !== 'string') throw validationFailedError(['id is missing']);
  const freed = (await closePointsInTime(engine, [id])).filter(({ successful }) => successful).length;
  return answer(freed > 0 ? 200 : 404, { succeeded: freed > 0, num_freed: freed });
}
