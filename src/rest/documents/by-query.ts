// `_delete_by_query`, `_update_by_query`, `_reindex`.

import { startTask } from '../../api/cluster/tasks.ts';
import type { EngineContext } from '../../api/core/context.ts';
import { deleteByQuery, updateByQuery } from '../../api/documents/by-query.ts';
import { type ByQueryPipeline, readScript } from '../../api/documents/changed-hit.ts';
import { type ReindexDestination, reindex } from '../../api/documents/reindex.ts';
import { type ByQueryOptions, type ByQuerySource, byQueryStatus } from '../../api/documents/run-by-query.ts';
import { writeIndex } from '../../api/documents/write-target.ts';
import { resolveSearch, type SearchIndices } from '../../api/search/search-call.ts';
import { tokenOf } from '../../common/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument, validationFailed } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type Params, QUERY_STRING, type RestContext, SOURCE_FILTER } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';
import { readSourceFilter } from '../core/source-params.ts';
import { activeShardsOf } from '../core/write-params.ts';
import { objectBody } from '../indices/indices.ts';
import { indicesOf, queryParametersOf } from '../search/search.ts';

const DEFAULT_BATCH = 1000;
const DEFAULT_KEEP_ALIVE_MS = 5 * 60_000;

const RUN_PARAMS: Params = {
  conflicts: 'string',
  refresh: 'boolean',
  timeout: 'time',
  wait_for_active_shards: 'activeShards',
  wait_for_completion: 'boolean',
  requests_per_second: 'float',
  slices: 'string',
  max_docs: 'int',
  scroll: 'time',
};
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
  needs: 'index:write',
  params: BY_QUERY_PARAMS,
  routes: {
    'POST /{index}/_delete_by_query': async (request, context) => {
      const engine = sourceEngine(request, context);
      const body = objectBody(request);
      if (body.query === undefined && request.string('q') === undefined) throw validationFailed(['query is missing']);
      const source = readSource(request, body);
      const description = `delete-by-query [${request.params.index}]`;
      return run(request, engine, body, 'delete/byquery', description, (options) => deleteByQuery(engine, source, options));
    },
  },
});

export const updateByQueryApi = defineApi({
  name: 'update_by_query',
  body: 'json',
  needs: 'index:write',
  params: BY_QUERY_PARAMS,
  routes: {
    'POST /{index}/_update_by_query': async (request, context) => {
      const engine = sourceEngine(request, context);
      const body = objectBody(request);
      const source = readSource(request, body);
      const script = readScript(engine, body.script);
      const pipeline = pipelineFor(request, context, request.string('pipeline'));
      const description = `update-by-query [${request.params.index}]`;
      return run(request, engine, body, 'update/byquery', description, (options) =>
        updateByQuery(engine, source, options, script, pipeline),
      );
    },
  },
});

/**
 * The engine for a query whose hits are written back: it finds documents of indices that the user may both read and write; lookups in the
 * query need only the right to read. @throws ApiError security_exception 403
 */
function sourceEngine(request: ApiRequest, { engineFor }: RestContext): EngineContext {
  request.access.require('index:read', request.params.index);
  return engineFor('index:read', 'index:write');
}

/** The pipeline that documents go through, and the indices to which the user may write what it returns. */
function pipelineFor(request: ApiRequest, { engineFor }: RestContext, name: unknown): ByQueryPipeline {
  const given = name === undefined || name === null ? null : String(name);
  return { name: given, engine: engineFor('index:write'), refusalOf: (index) => request.access.refusal('index:write', index) };
}

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

/** Slices only spread the work: any number of them finds the same. */
function checkSlices(request: ApiRequest): void {
  const slices = request.string('slices');
  if (slices !== undefined && slices !== 'auto' && !/^[1-9]\d*$/.test(slices))
    throw illegalArgument(`[slices] must be a positive integer or the string "auto", but was [${slices}]`);
}

function readMaxDocs(value: unknown): number | null {
  if (value === undefined || value === -1) return null;
  if (!Number.isInteger(value)) throw illegalArgument(`[max_docs] must be a whole number, but was [${String(value)}]`);
  if ((value as number) < 0) throw illegalArgument(`[max_docs] parameter cannot be negative, found [${value as number}]`);
  if (value === 0) throw illegalArgument('[max_docs] should be >= [slices]');
  return value as number;
}

function readOptions(request: ApiRequest, body: Record<string, unknown>): ByQueryOptions {
  const conflicts = String(body.conflicts ?? request.string('conflicts') ?? 'abort');
  if (conflicts !== 'abort' && conflicts !== 'proceed')
    throw illegalArgument(`conflicts may only be "proceed" or "abort" but was [${conflicts}]`);
  const perSecond = request.float('requests_per_second');
  if (perSecond !== undefined && perSecond <= 0 && perSecond !== -1)
    throw illegalArgument(`[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.`);
  return {
    proceedOnConflicts: conflicts === 'proceed',
    refresh: request.boolean('refresh') ?? false,
    requestsPerSecond: perSecond === undefined || perSecond === -1 ? null : perSecond,
    activeShards: activeShardsOf(request),
    isCancelled: () => request.reply.aborted,
  };
}

/** Runs an operation within its request or, with `wait_for_completion=false`, as a task: 200 `{ task }`. */
async function run(
  request: ApiRequest,
  engine: RestContext['engine'],
  body: Record<string, unknown>,
  name: string,
  description: string,
  operation: (options: ByQueryOptions) => Promise<{ status: number; body: Record<string, unknown> }>,
): Promise<ApiResponse> {
  const options = readOptions(request, body);
  if (request.boolean('wait_for_completion') !== false) {
    const { status, body: found } = await operation(options);
    return answer(status, found);
  }
  const opaqueId = request.http.header('x-opaque-id');
  const headers: Record<string, string> = opaqueId === undefined ? {} : { 'X-Opaque-Id': opaqueId };
  const task = { action: `indices:data/write/${name}`, description, headers, requestsPerSecond: options.requestsPerSecond };
  const id = await startTask(engine, task, async (control) => {
    const { body: found } = await operation({
      ...options,
      get requestsPerSecond() {
        return control.requestsPerSecond;
      },
      isCancelled: () => control.isCancelled,
      observe: (totals) => {
        control.status = () => byQueryStatus(totals);
      },
    });
    return control.isCancelled ? { ...found, canceled: 'by user request' } : found;
  });
  return ok({ task: id });
}

export const reindexApi = defineApi({
  name: 'reindex',
  body: 'json!',
  needs: 'none',
  params: { ...RUN_PARAMS, require_alias: 'boolean' },
  routes: { 'POST /_reindex': runReindex },
});

const REINDEX_KEYS = ['source', 'dest', 'max_docs', 'size', 'conflicts', 'script'];
const SOURCE_KEYS = ['index', 'query', 'size', 'sort', '_source', 'slice', 'remote'];
const DEST_KEYS = ['index', 'op_type', 'version_type', 'routing', 'pipeline'];

async function runReindex(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  const engine = context.engineFor('index:read');
  const body = objectBody(request);
  checkKeys('reindex', body, REINDEX_KEYS);
  const source = section('source', body.source, SOURCE_KEYS);
  const dest = section('dest', body.dest, DEST_KEYS);
  if (source.remote !== undefined) throw illegalArgument(`[${remoteHost(source.remote)}] not allowlisted in reindex.remote.allowlist`);
  const destination = readDestination(dest);
  const expressions = [source.index ?? []].flat().map(String);
  const problems: string[] = [];
  if (expressions.length === 0) problems.push('use _all if you really want to copy from all existing indexes');
  if (destination.index === '') problems.push('index must be specified');
  if (problems.length > 0) throw validationFailed(problems);
  checkSlices(request);
  for (const expression of expressions) request.access.require('index:read', expression);
  request.access.require('index:write', destination.index);
  const indices: SearchIndices = { expressions };
  for (const { meta } of resolveSearch(engine, indices)) {
    if (meta.name === destination.index || Object.hasOwn(meta.aliases, destination.index))
      throw validationFailed([`reindex cannot write into an index its reading from [${destination.index}]`]);
  }
  const { query, sort, slice } = source;
  const reading: ByQuerySource = {
    indices,
    body: { ...(query === undefined ? {} : { query }), ...(sort === undefined ? {} : { sort }), ...(slice === undefined ? {} : { slice }) },
    parameters: {},
    batchSize: source.size === undefined ? DEFAULT_BATCH : Number(source.size),
    maxDocs: readMaxDocs(request.int('max_docs') ?? body.max_docs ?? body.size),
    keepAliveMs: request.timeMs('scroll') ?? DEFAULT_KEEP_ALIVE_MS,
  };
  const filter = source._source === undefined ? null : readSourceFilter(source._source);
  const requireAlias = request.boolean('require_alias') ?? false;
  const parts = { filter, script: readScript(engine, body.script), pipeline: pipelineFor(request, context, dest.pipeline) };
  const description = `reindex from [${expressions.join(', ')}] to [${destination.index}]`;
  return run(request, engine, body, 'reindex', description, (options) =>
    reindex(engine, reading, destination, parts, options, () => writeIndex(parts.pipeline.engine, destination.index, requireAlias)),
  );
}

function checkKeys(where: string, body: Record<string, unknown>, known: readonly string[]): void {
  for (const key of Object.keys(body)) {
    if (!known.includes(key)) throw new ApiError('x_content_parse_exception', 400, `[1:1] [${where}] unknown field [${key}]`);
  }
}

function section(name: string, value: unknown, known: readonly string[]): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('x_content_parse_exception', 400, `[1:1] [reindex] ${name} doesn't support values of type: ${tokenOf(value)}`);
  checkKeys(name, value as Record<string, unknown>, known);
  return value as Record<string, unknown>;
}

function remoteHost(remote: unknown): string {
  const host = String((remote as { host?: unknown } | null)?.host ?? '');
  return /^https?:\/\/([^/]+)/.exec(host)?.[1] ?? host;
}

function readDestination(dest: Record<string, unknown>): ReindexDestination {
  const opType = String(dest.op_type ?? 'index');
  const fail = (field: string, reason: string): ApiError =>
    new ApiError('x_content_parse_exception', 400, '[1:1] [reindex] failed to parse field [dest]', {
      causedBy: new ApiError('x_content_parse_exception', 400, `[1:1] [dest] failed to parse field [${field}]`, {
        causedBy: illegalArgument(reason),
      }),
    });
  if (opType !== 'index' && opType !== 'create') throw fail('op_type', `opType must be 'create' or 'index', found: [${opType}]`);
  const versionType = String(dest.version_type ?? 'internal');
  if (versionType !== 'internal' && versionType !== 'external' && versionType !== 'external_gte')
    throw fail('version_type', `No version type match [${versionType}]`);
  const routing = dest.routing === undefined || dest.routing === null ? 'keep' : String(dest.routing);
  if (routing !== 'keep' && routing !== 'discard' && !routing.startsWith('='))
    throw illegalArgument(`Unsupported routing command: [${routing}]`);
  return { index: String(dest.index ?? ''), opType, versionType, routing };
}
