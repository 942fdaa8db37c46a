// Writes of single documents: index, create, delete, update.

import type { WriteConditions } from '../../api/core/write.ts';
import { deleteDocument, type IndexRequest, indexDocument, updateDocument } from '../../api/documents/write-document.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { defineApi, type Params, type RestContext, SOURCE_FILTER } from '../core/api.ts';
import { readRefresh } from '../core/param-kinds.ts';
import { sourceFilterOf } from '../core/params/source-params.ts';
import { activeShardsOf } from '../core/params/write-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer } from '../core/response.ts';
import { readVersionType } from './version-type.ts';

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

export const indexApi = defineApi({
  name: 'index',
  body: 'bytes!',
  needs: 'indices:data/write/index',
  reaches: 'indices:data/write/bulk[s]',
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
  const { index, id } = request.params;
  // Documents with generated ids are always new.
  const opType = forced ?? readOpType(request.string('op_type') ?? (id === undefined ? 'create' : undefined));
  const given: IndexRequest = {
    index,
    id: id ?? null,
    source: request.bytes as Uint8Array,
    opType,
    routing: request.string('routing') ?? null,
    refresh: readRefresh(request.string('refresh')),
    requireAlias: request.boolean('require_alias') ?? false,
    pipeline: request.string('pipeline') ?? null,
    conditions: readConditions(request),
    activeShards: activeShardsOf(request),
  };
  const { status, body } = await indexDocument(engine, given);
  return written(engine, status, body, request.string('routing'));
}

export const deleteApi = defineApi({
  name: 'delete',
  needs: 'indices:data/write/delete',
  reaches: 'indices:data/write/bulk[s]',
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
  needs: 'indices:data/write/update',
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
  if (request.bytes === null) throw validationFailedError(['script or doc is missing']);
  const conditions = readConditions(request);
  if (conditions.version !== null || conditions.versionType !== 'internal') {
    throw validationFailedError([
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
    mobility: request.mobility,
  });
  return written(engine, status, body, request.string('routing'));
}

function readOpType(value: string | undefined): 'index' | 'create' {
  if (value === undefined || value.toLowerCase() === 'index') return 'index';
  if (value.toLowerCase() === 'create') return 'create';
  throw illegalArgumentError(`opType must be 'create' or 'index', found: [${value}]`);
}

function readConditions(request: ApiRequest): WriteConditions {
  const versionType = readVersionType(request);
  return {
    ifSeqNo: request.long('if_seq_no') ?? null,
    ifPrimaryTerm: request.long('if_primary_term') ?? null,
    version: request.long('version') ?? null,
    versionType,
  };
}

/** Only new documents have a location. */
function written(engine: RestContext['engine'], status: number, body: JsonObject, routing: string | undefined): ApiResponse {
  if (status !== 201) return answer(status, body);
  return answer(status, body, { location: documentPath(engine, String(body._index), String(body._id), routing) });
}

function documentPath({ dialect }: RestContext['engine'], index: string, id: string, routing: string | undefined): string {
  const encode = (part: string) => encodeURIComponent(part).replaceAll('%20', dialect.locationSpace);
  const query = routing === undefined || routing === '' ? '' : `?routing=${encode(routing)}`;
  return `/${encode(index)}/_doc/${encode(id)}${query}`;
}
