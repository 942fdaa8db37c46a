// `_delete_by_query`, `_update_by_query`.
import { deleteByQuery, updateByQuery } from '../../api/documents/by-query.ts';
import type { ByQuerySource } from '../../api/documents/by-query-batch.ts';
import { readScript } from '../../api/documents/changed-hit.ts';
import { tokenOf } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { validationFailedError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type Params, QUERY_STRING, SOURCE_FILTER } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { indicesOf, queryParametersOf } from '../core/params/search-params.ts';
import type { ApiRequest } from '../core/request.ts';
import {
  checkSlices,
  DEFAULT_BATCH,
  DEFAULT_KEEP_ALIVE_MS,
  pipelineFor,
  RUN_PARAMS,
  readMaxDocs,
  run,
  sourceEngine,
} from './run-by-query.ts';

const BY_QUERY_PARAMS: Params = {
  ...INDICES_OPTIONS,
  ...QUERY_STRING,
  ...SOURCE_FILTER,
  ...RUN_PARAMS,
  from: 'int',
  preference: 'string',
  routing: 'string',
  search_type: 'string',
  search_timeout: 'time',
  size: 'int',
  sort: 'string',
  terminate_after: 'int',
  stats: 'list',
  version: 'boolean',
  request_cache: 'boolean',
  scroll_size: 'int',
  pipeline: 'string',
};

export const deleteByQueryApi = defineApi({
  name: 'delete_by_query',
  body: 'json',
  needs: 'indices:data/write/delete/byquery',
  params: BY_QUERY_PARAMS,
  routes: {
    'POST /{index}/_delete_by_query': async (request, context) => {
      const engine = sourceEngine(request, context, 'indices:data/write/delete/byquery');
      const body = objectBody(request);
      if (body.query === undefined && request.string('q') === undefined) throw validationFailedError(['query is missing']);
      const source = readSource(request, body);
      const description = `delete-by-query [${request.params.index}]`;
      return run(request, engine, body, 'delete/byquery', description, () => deleteByQuery(engine, source));
    },
  },
});

export const updateByQueryApi = defineApi({
  name: 'update_by_query',
  body: 'json',
  needs: 'indices:data/write/update/byquery',
  params: BY_QUERY_PARAMS,
  routes: {
    'POST /{index}/_update_by_query': async (request, context) => {
      const engine = sourceEngine(request, context, 'indices:data/write/update/byquery');
      const body = objectBody(request);
      const source = readSource(request, body);
      const pipeline = pipelineFor(context, request.string('pipeline'));
      const description = `update-by-query [${request.params.index}]`;
      // A task fails with the script, as a request that waits does.
      return run(request, engine, body, 'update/byquery', description, () =>
        updateByQuery(engine, source, readScript(engine, body.script), pipeline),
      );
    },
  },
});

const BODY_KEYS = new Set([
  'query',
  'max_docs',
  'size',
  'sort',
  'conflicts',
  'slice',
  'script',
  'docvalue_fields',
  'stored_fields',
  '_source',
]);

function readSource(request: ApiRequest, body: Record<string, unknown>): ByQuerySource {
  for (const key of Object.keys(body)) {
    if (!BODY_KEYS.has(key)) throw new ApiError('parsing_exception', 400, `Unknown key for a ${tokenOf(body[key])} in [${key}].`);
  }
  checkSlices(request);
  const { query, sort, slice } = body;
  const parameterQuery = queryParametersOf(request);
  return {
    indices: indicesOf(request),
    body: { ...(query === undefined ? {} : { query }), ...(sort === undefined ? {} : { sort }), ...(slice === undefined ? {} : { slice }) },
    parameters: {
      ...(parameterQuery ? { query: parameterQuery } : {}),
      ...(request.string('routing') === undefined ? {} : { routing: request.string('routing') }),
      ...(request.string('sort') === undefined ? {} : { sort: request.string('sort') }),
    },
    batchSize: request.int('scroll_size') ?? DEFAULT_BATCH,
    maxDocs: readMaxDocs(request.int('max_docs') ?? body.max_docs ?? body.size ?? request.int('size')),
    keepAliveMs: request.timeMs('scroll') ?? DEFAULT_KEEP_ALIVE_MS,
  };
}
