// Single documents, their sources, updates, and multi get.
import type { VersionType, WriteConditions } from '../../api/core/write.ts';
import { type GetRequest, getDocument, getSource, type MultiGetItem, multiGet } from '../../api/documents/get-document.ts';
import { deleteDocument, type IndexRequest, indexDocument, updateDocument } from '../../api/documents/write-document.ts';
import type { SourceFilter } from '../../common/source-filter.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument, validationFailed } from '../../errors/catalog.ts';
import { errorBody } from '../../errors/error-body.ts';
import { defineApi, type Params, type RestContext, SOURCE_FILTER } from '../core/api.ts';
import { readRefresh } from '../core/param-kinds.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, exists, ok } from '../core/response.ts';
import { readSourceFilter, sourceFilterOf } from '../core/source-params.ts';
import { activeShardsOf } from '../core/write-params.ts';

const WRITE_PARAMS: Params = {
  refresh: 'refresh',
  routing: 'string',
  timeout: 'time',
  wait_for_active_shards: 'activeShards',
  if_seq_no: 'long',
  if_primary_term: 'long',
  version: 'long',
  version_type: 'string',
};
const GET_PARAMS: Params = {
  ...SOURCE_FILTER,
  stored_fields: 'list',
  preference: 'string',
  realtime: 'boolean',
  refresh: 'boolean',
  routing: 'string',
  version: 'long',
  version_type: 'string',
};

export const indexApi = defineApi({
  name: 'index',
  body: 'bytes!',
  needs: 'index:write',
  params: { ...WRITE_PARAMS, op_type: 'string', pipeline: 'string', require_alias: 'boolean' },
  routes: {
    'PUT  /{index}/_doc/{id}': (request, context) => write(request, context, null),
    'POST /{index}/_doc/{id}': (request, context) => write(request, context, null),
    'POST /{index}/_doc': (request, context) => write(request, context, null),
    'PUT  /{index}/_create/{id}': (request, context) => write(request, context, 'create'),
    'POST /{index}/_create/{id}': (request, context) => write(request, context, 'create'),
  },
});

async function write(request: ApiRequest, { engine }: RestContext, forced: 'create' | null): Promise<ApiResponse> {
  const opType = forced ?? readOpType(request.string('op_type'));
  const { index, id } = request.params;
  const written: IndexRequest = {
    index,
    id: id ?? null,
    source: request.bytes as Uint8Array,
    opType,
    routing: request.string('routing') ?? null,
    refresh: readRefresh(request.string('refresh')),
    requireAlias: request.boolean('require_alias') ?? false,
    pipeline: request.string('pipeline') ?? null,
    refusalOf: (target) => request.access.refusal('index:write', target),
    conditions: readConditions(request),
    activeShards: activeShardsOf(request),
  };
  const { status, body } = await indexDocument(engine, written);
  return answer(status, body, { location: documentPath(String(body._index), String(body._id), request.string('routing')) });
}

export const deleteApi = defineApi({
  name: 'delete',
  needs: 'index:write',
  params: WRITE_PARAMS,
  routes: {
    'DELETE /{index}/_doc/{id}': async (request, { engine }) => {
      const { status, body } = await deleteDocument(engine, {
        index: request.params.index,
        id: request.params.id,
        routing: request.string('routing') ?? null,
        refresh: readRefresh(request.string('refresh')),
        conditions: readConditions(request),
        activeShards: activeShardsOf(request),
      });
      return answer(status, body);
    },
  },
});

export const updateApi = defineApi({
  name: 'update',
  body: 'bytes',
  needs: 'index:write',
  params: {
    ...WRITE_PARAMS,
    ...SOURCE_FILTER,
    lang: 'string',
    retry_on_conflict: 'int',
    require_alias: 'boolean',
    doc_as_upsert: 'boolean',
  },
  routes: { 'POST /{index}/_update/{id}': update },
});

async function update(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  if (request.bytes === null) throw validationFailed(['script or doc is missing']);
  const conditions = readConditions(request);
  if (conditions.version !== null || conditions.versionType !== 'internal') {
    throw validationFailed([
      'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead',
    ]);
  }
  const { status, body } = await updateDocument(engine, {
    index: request.params.index,
    id: request.params.id,
    body: request.bytes,
    routing: request.string('routing') ?? null,
    refresh: readRefresh(request.string('refresh')),
    requireAlias: request.boolean('require_alias') ?? false,
    retryOnConflict: request.int('retry_on_conflict') ?? 0,
    docAsUpsert: request.boolean('doc_as_upsert') ?? false,
    conditions,
    source: sourceFilterOf(request),
    activeShards: activeShardsOf(request),
  });
  return answer(status, body, { location: documentPath(String(body._index), String(body._id), request.string('routing')) });
}

export const getApi = defineApi({
  name: 'get',
  needs: 'index:read',
  params: GET_PARAMS,
  routes: {
    'GET  /{index}/_doc/{id}': async (request, { engine }) => {
      const body = await getDocument(engine, readGet(request));
      return answer(body.found ? 200 : 404, body);
    },
    'HEAD /{index}/_doc/{id}': async (request, { engine }) => exists((await getDocument(engine, readGet(request))).found === true),
  },
});

export const getSourceApi = defineApi({
  name: 'get_source',
  needs: 'index:read',
  params: GET_PARAMS,
  routes: {
    'GET  /{index}/_source/{id}': async (request, { engine }) => ok(await getSource(engine, readGet(request))),
    'HEAD /{index}/_source/{id}': async (request, { engine }) => {
      await getSource(engine, readGet(request));
      return exists(true);
    },
  },
});

function readGet(request: ApiRequest): GetRequest {
  const storedFields = request.list('stored_fields') ?? [];
  const source = sourceFilterOf(request);
  readVersionType(request); // they all ask for the same: this version
  return {
    index: request.params.index,
    id: request.params.id,
    routing: request.string('routing') ?? null,
    realtime: request.boolean('realtime') ?? true,
    refresh: request.boolean('refresh') ?? false,
    version: request.long('version') ?? null,
    source: source ?? { enabled: storedFields.length === 0 || storedFields.includes('_source'), includes: [], excludes: [] },
    storedFields,
  };
}

export const mgetApi = defineApi({
  name: 'mget',
  body: 'json!',
  needs: 'index:read',
  params: { ...SOURCE_FILTER, stored_fields: 'list', preference: 'string', realtime: 'boolean', refresh: 'boolean', routing: 'string' },
  routes: {
    'GET  /_mget': mget,
    'POST /_mget': mget,
    'GET  /{index}/_mget': mget,
    'POST /{index}/_mget': mget,
  },
});

async function mget(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const items = readMultiGet(request);
  for (const item of items) request.access.require('index:read', item.index);
  const { docs } = await multiGet(engine, items, {
    realtime: request.boolean('realtime') ?? true,
    refresh: request.boolean('refresh') ?? false,
  });
  return ok({ docs: docs.map(renderFailure) });
}

/** An item that failed holds its ApiError. */
export function renderFailure(doc: unknown): unknown {
  const { error } = doc as { error?: unknown };
  return error instanceof ApiError ? { ...(doc as object), error: errorBody(error).error } : doc;
}

const ITEM_KEYS = new Set(['_index', '_id', 'id', 'routing', 'stored_fields', 'version', 'version_type', '_source']);

function readMultiGet(request: ApiRequest): MultiGetItem[] {
  const body = request.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError(
      'parsing_exception',
      400,
      `unexpected token [${Array.isArray(body) ? 'START_ARRAY' : 'VALUE'}], expected [START_OBJECT]`,
    );
  const fallback = {
    index: request.params.index ?? null,
    routing: request.string('routing') ?? null,
    source: sourceFilterOf(request),
    storedFields: request.list('stored_fields') ?? [],
  };
  const items: MultiGetItem[] = [];
  const problems: string[] = [];
  for (const [key, value] of Object.entries(body)) {
    if (key !== 'docs' && key !== 'ids') {
      const token = Array.isArray(value) ? 'START_ARRAY' : typeof value === 'object' ? 'START_OBJECT' : 'FIELD_NAME';
      throw new ApiError('parsing_exception', 400, `unknown key [${key}] for a ${token}, expected [docs] or [ids]`);
    }
    if (!Array.isArray(value))
      throw new ApiError(
        'parsing_exception',
        400,
        `unknown key [${key}] for a ${typeof value === 'string' ? 'VALUE_STRING' : 'START_OBJECT'}, expected [docs] or [ids]`,
      );
    for (const entry of value as unknown[]) items.push(key === 'ids' ? readMultiGetId(entry, fallback) : readMultiGetDoc(entry, fallback));
  }
  if (items.length === 0) throw validationFailed(['no documents to get']);
  items.forEach((item, i) => {
    if (item.index === null) problems.push(`index is missing for doc ${i}`);
    if (item.id === null) problems.push(`id is missing for doc ${i}`);
  });
  if (problems.length > 0) throw validationFailed(problems);
  return items;
}

interface MultiGetFallback {
  readonly index: string | null;
  readonly routing: string | null;
  readonly source: SourceFilter | null;
  readonly storedFields: readonly string[];
}

function readMultiGetId(entry: unknown, fallback: MultiGetFallback): MultiGetItem {
  if (typeof entry === 'object') throw illegalArgument('ids array element should only contain ids');
  return makeMultiGet(fallback.index, String(entry), fallback.routing, null, fallback.source, fallback.storedFields);
}

function readMultiGetDoc(entry: unknown, fallback: MultiGetFallback): MultiGetItem {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw illegalArgument('docs array element should include an object');
  const doc = entry as Record<string, unknown>;
  for (const [key, value] of Object.entries(doc)) {
    if (!ITEM_KEYS.has(key)) {
      if (Array.isArray(value)) throw new ApiError('parsing_exception', 400, `failed to parse multi get request. unknown field [${key}] `);
      throw new ApiError('parsing_exception', 400, `failed to parse multi get request. unknown field [${key}]`);
    }
  }
  const text = (...keys: string[]): string | null => {
    for (const key of keys) if (doc[key] !== undefined && doc[key] !== null) return String(doc[key]);
    return null;
  };
  const storedFields = doc.stored_fields === undefined ? fallback.storedFields : [doc.stored_fields].flat().map(String);
  const version = text('version');
  const source = doc._source === undefined ? fallback.source : readSourceFilter(doc._source);
  return makeMultiGet(
    text('_index') ?? fallback.index,
    text('_id', 'id'),
    text('routing') ?? fallback.routing,
    version === null ? null : Number(version),
    source,
    storedFields,
  );
}

function makeMultiGet(
  index: string | null,
  id: string | null,
  routing: string | null,
  version: number | null,
  source: SourceFilter | null,
  storedFields: readonly string[],
): MultiGetItem {
  return {
    index: index as string,
    id: id as string,
    routing,
    version,
    source: source ?? { enabled: storedFields.length === 0 || storedFields.includes('_source'), includes: [], excludes: [] },
    storedFields,
  };
}

function readOpType(value: string | undefined): 'index' | 'create' {
  if (value === undefined || value.toLowerCase() === 'index') return 'index';
  if (value.toLowerCase() === 'create') return 'create';
  throw illegalArgument(`opType must be 'create' or 'index', found: [${value}]`);
}

const VERSION_TYPES = new Set(['internal', 'external', 'external_gte']);

function readConditions(request: ApiRequest): WriteConditions {
  const versionType = readVersionType(request);
  return {
    ifSeqNo: request.long('if_seq_no') ?? null,
    ifPrimaryTerm: request.long('if_primary_term') ?? null,
    version: request.long('version') ?? null,
    versionType,
  };
}

function readVersionType(request: ApiRequest): VersionType {
  const versionType = request.string('version_type') ?? 'internal';
  if (!VERSION_TYPES.has(versionType)) throw illegalArgument(`No version type match [${versionType}]`);
  return versionType as VersionType;
}

function documentPath(index: string, id: string, routing: string | undefined): string {
  const query = routing === undefined ? '' : `?routing=${encodeURIComponent(routing)}`;
  return `/${encodeURIComponent(index)}/_doc/${encodeURIComponent(id)}${query}`;
}
