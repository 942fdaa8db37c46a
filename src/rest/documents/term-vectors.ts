// `_termvectors` and `_mtermvectors`.
import { multiTermVectors, type TermVectorsRequest, termVectors, type VectorFilter } from '../../api/documents/term-vectors.ts';
import { hashSetOrder } from '../../common/text/hash-set-order.ts';
import { ApiError } from '../../errors/api-error.ts';
import { parsingError, validationFailedError } from '../../errors/catalog.ts';
import { defineApi, type Params, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';
import { renderFailure } from './item-failure.ts';

type Body = Readonly<Record<string, unknown>>;

const PARAMS: Params = {
  fields: 'list',
  positions: 'boolean',
  offsets: 'boolean',
  payloads: 'boolean',
  term_statistics: 'boolean',
  field_statistics: 'boolean',
  preference: 'string',
  realtime: 'boolean',
  routing: 'string',
  version: 'long',
  version_type: 'string',
};

export const termVectorsApi = defineApi({
  name: 'termvectors',
  body: 'json',
  needs: 'indices:data/read/tv',
  params: PARAMS,
  routes: {
    'GET  /{index}/_termvectors': ofDocument,
    'POST /{index}/_termvectors': ofDocument,
    'GET  /{index}/_termvectors/{id}': ofDocument,
    'POST /{index}/_termvectors/{id}': ofDocument,
  },
});

/** 200 `{ _index, _id, _version, found, took, term_vectors }`. @throws ApiError */
async function ofDocument(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await termVectors(engine, readItem(objectOf(request.body), request, request.params.id ?? null), request.mobility));
}

export const multiTermVectorsApi = defineApi({
  name: 'mtermvectors',
  body: 'json',
  needs: 'indices:data/read/mtv',
  reaches: 'indices:data/read/mtv[shard]',
  params: { ...PARAMS, ids: 'list' },
  routes: {
    'GET  /_mtermvectors': ofDocuments,
    'POST /_mtermvectors': ofDocuments,
    'GET  /{index}/_mtermvectors': ofDocuments,
    'POST /{index}/_mtermvectors': ofDocuments,
  },
});

/** 200 `{ docs }`. @throws ApiError */
async function ofDocuments(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const { docs, ids, parameters, ...rest } = objectOf(request.body);
  for (const key of Object.keys(rest)) throw parsingError(`No parameter named [${key}] and type [${typeof rest[key]}]`);
  const shared = objectOf(parameters);
  const items = listOf(docs, 'docs').map((doc) => ({ ...shared, ...objectOf(doc) }));
  const allIds = [...listOf(ids, 'ids'), ...(request.list('ids') ?? [])];
  for (const id of hashSetOrder(allIds.map(String))) items.push({ ...shared, _id: id });
  if (items.length === 0) throw validationFailedError(['multi term vectors: no documents requested']);
  const requests = items.map((item) => readItem(item, request, null));
  const answer = await multiTermVectors(engine, requests, request.mobility);
  return ok({ docs: answer.docs.map(renderFailure) });
}

function unparsableError(why: string): ApiError {
  return new ApiError('parse_exception', 400, `failed to parse term vectors request. ${why}`);
}

function objectOf(value: unknown): Body {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw parsingError('expected [START_OBJECT]');
  return value as Body;
}

function listOf(value: unknown, name: string): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw parsingError(`[${name}] must be a list`);
  return value;
}

const KEYS = new Set(
  (
    '_index _id _type doc fields offsets positions payloads term_statistics termStatistics field_statistics fieldStatistics per_field_analyzer ' +
    'perFieldAnalyzer filter routing version version_type realtime dfs'
  ).split(' '),
);

function readItem(body: Body, request: ApiRequest, id: string | null): TermVectorsRequest {
  for (const key of Object.keys(body)) if (!KEYS.has(key)) throw unparsableError(`unknown field [${key}]`);
  const text = (key: string): string | null => (body[key] === undefined ? null : String(body[key]));
  const flag = (key: string, fallback: boolean): boolean => {
    const value = body[key] ?? body[key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())] ?? request.boolean(key);
    return value === undefined ? fallback : String(value) !== 'false';
  };
  const index = text('_index') ?? request.params.index;
  if (index === undefined || index === null) throw validationFailedError(['index is missing']);
  const fields = body.fields === undefined ? request.list('fields') : [body.fields].flat().map(String);
  const version = body.version ?? request.long('version');
  return {
    index,
    id: id ?? text('_id'),
    doc: body.doc === undefined ? null : { ...objectOf(body.doc) },
    routing: text('routing') ?? request.string('routing') ?? null,
    realtime: flag('realtime', true),
    version: version === undefined ? null : Number(version),
    fields: fields ?? null,
    positions: flag('positions', true),
    offsets: flag('offsets', true),
    payloads: flag('payloads', true),
    termStatistics: flag('term_statistics', false),
    fieldStatistics: flag('field_statistics', true),
    perFieldAnalyzer: objectOf(body.per_field_analyzer ?? body.perFieldAnalyzer) as Record<string, string>,
    filter: body.filter === undefined ? null : readFilter(objectOf(body.filter)),
  };
}

const FILTER_KEYS: Readonly<Record<string, keyof VectorFilter>> = {
  max_num_terms: 'maxNumTerms',
  min_term_freq: 'minTermFreq',
  max_term_freq: 'maxTermFreq',
  min_doc_freq: 'minDocFreq',
  max_doc_freq: 'maxDocFreq',
  min_word_length: 'minWordLength',
  max_word_length: 'maxWordLength',
};

function readFilter(body: Body): VectorFilter {
  const filter: { -readonly [K in keyof VectorFilter]: number } = {
    maxNumTerms: 25,
    minTermFreq: 1,
    maxTermFreq: Number.MAX_SAFE_INTEGER,
    minDocFreq: 1,
    maxDocFreq: Number.MAX_SAFE_INTEGER,
    minWordLength: 0,
    maxWordLength: 0,
  };
  for (const [key, value] of Object.entries(body)) {
    if (!Object.hasOwn(FILTER_KEYS, key))
      throw unparsableError(`the field [${key}] is not valid for filter parameter for term vector request`);
    if (!Number.isInteger(value)) throw parsingError(`[${key}] of the term vectors filter must be an integer`);
    filter[FILTER_KEYS[key]] = value as number;
  }
  return filter;
}
