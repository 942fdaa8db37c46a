// `_mget`.
import { type MultiGetItem, multiGet } from '../../api/documents/get-document.ts';
import type { SourceFilter } from '../../common/json/source-filter.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { defineApi, type RestContext, SOURCE_FILTER } from '../core/api.ts';
import { readSourceFilter, sourceFilterOf } from '../core/params/source-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';
import { renderFailure } from './item-failure.ts';

export const mgetApi = defineApi({
  name: 'mget',
  body: 'json!',
  needs: 'indices:data/read/mget',
  reaches: 'indices:data/read/mget[shard]',
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
  const { docs } = await multiGet(engine, items, {
    mobility: request.mobility,
    realtime: request.boolean('realtime') ?? true,
    refresh: request.boolean('refresh') ?? false,
  });
  return ok({ docs: docs.map(renderFailure) });
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
  if (items.length === 0) throw validationFailedError(['no documents to get']);
  items.forEach((item, i) => {
    if (item.index === null) problems.push(`index is missing for doc ${i}`);
    if (item.id === null) problems.push(`id is missing for doc ${i}`);
  });
  if (problems.length > 0) throw validationFailedError(problems);
  return items;
}

interface MultiGetFallback {
  readonly index: string | null;
  readonly routing: string | null;
  readonly source: SourceFilter | null;
  readonly storedFields: readonly string[];
}

function readMultiGetId(entry: unknown, fallback: MultiGetFallback): MultiGetItem {
  if (typeof entry === 'object') throw illegalArgumentError('ids array element should only contain ids');
  return makeMultiGet(fallback.index, String(entry), fallback.routing, null, fallback.source, fallback.storedFields);
}

function readMultiGetDoc(entry: unknown, fallback: MultiGetFallback): MultiGetItem {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw illegalArgumentError('docs array element should include an object');
  const doc = entry as Record<string, unknown>;
  for (const [key, value] of Object.entries(doc)) {
    if (!ITEM_KEYS.has(key)) {
      if (Array.isArray(value)) throw new ApiError('parse_exception', 400, `failed to parse multi get request. unknown field [${key}] `);
      throw new ApiError('parse_exception', 400, `failed to parse multi get request. unknown field [${key}]`);
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
