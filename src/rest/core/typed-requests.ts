// Mapping types of Elasticsearch 7: requests with a type in the path or with `include_type_name` are handled like those without, and
// `_type` is added to responses. An index has one type here, whose name is not stored: responses show that of the path, otherwise `_doc`.
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ApiResponse } from './response.ts';

export interface TypedRequest {
  /** Path without the type. */
  readonly path: string;
  /** Type shown in responses. */
  readonly type: string;
  /** Mappings in the body and the response are below the name of the type. */
  readonly includesType: boolean;
}

const NAME = '([^_/][^/]*|_doc)';
/** Operations on documents that follow the id. */
const AFTER_ID = '(_source|_create|_update|_explain|_termvectors)';
const SEARCHES =
  '(_search|_count|_msearch|_mget|_bulk|_delete_by_query|_update_by_query|_search/template|_msearch/template|_validate/query|_mtermvectors)';
/** Typed paths: the groups are the index, the type and the rest. */
const RULES: ReadonlyArray<readonly [pattern: RegExp, path: (index: string, rest: string) => string]> = [
  [new RegExp(`^/([^_/][^/]*)/${NAME}/([^_/][^/]*)/${AFTER_ID}$`), (index, rest) => `/${index}/${operationFirst(rest)}`],
  [/^\/([^_/][^/]*)\/([^_/][^/]*)\/([^_/][^/]*)$/, (index, rest) => `/${index}/_doc/${rest}`],
  [new RegExp(`^/([^_/][^/]*)/([^_/][^/]*)/${SEARCHES}$`), (index, rest) => `/${index}/${rest}`],
];

/** `_source/1` for `1/_source`. */
function operationFirst(rest: string): string {
  const [id, operation] = rest.split('/');
  return `${operation}/${id}`;
}

const TYPED_MAPPING = new RegExp(`^/([^_/][^/]*)/(?:_mappings?/${NAME}|${NAME}/_mappings?)$`);
/** Mappings of all types, which may be read without `include_type_name`. */
const ALL_TYPES = /^((?:\/(?:[^_/][^/]*|_all))?\/_mappings?)\/(?:_all|\*)$/;
const TYPED_FIELDS = new RegExp(`^/([^_/][^/]*)/_mappings?/${NAME}/field/([^/]+)$`);

/**
 * Converts a request of version 7 to one without types. `include_type_name` is taken out of the query.
 * @throws ApiError illegal_argument_exception: a type where `include_type_name` is needed
 */
export function untyped(method: string, path: string, query: Record<string, string>): TypedRequest {
  const given = query['include_type_name'];
  delete query['include_type_name'];
  if (given !== undefined && given !== '' && given !== 'true' && given !== 'false')
    throw illegalArgumentError(`Failed to parse value [${given}] as only [true] or [false] are allowed.`);
  const includesType = given === 'true' || given === '';
  // A synced flush is a flush since 7.6; an index has a type if it exists.
  if (path.endsWith('/_flush/synced')) return { path: path.slice(0, -'/synced'.length), type: '_doc', includesType };
  const exists = method === 'HEAD' ? /^\/([^_/][^/]*)\/_mapping\/_doc$/.exec(path) : null;
  if (exists) return { path: `/${exists[1]}`, type: '_doc', includesType };
  const whole = method === 'GET' ? ALL_TYPES.exec(path) : null;
  if (whole) return { path: whole[1], type: '_doc', includesType };
  const mapping = TYPED_MAPPING.exec(path);
  if (mapping && method !== 'HEAD' && !includesType) refuseType(method);
  if (mapping) return { path: `/${mapping[1]}/_mapping`, type: mapping[2] ?? mapping[3], includesType };
  const fields = TYPED_FIELDS.exec(path);
  if (fields && !includesType) refuseType(method);
  if (fields) return { path: `/${fields[1]}/_mapping/field/${fields[3]}`, type: fields[2], includesType };
  if (method === 'POST') {
    const posted = /^\/([^_/][^/]*)\/([^_/][^/]*)$/.exec(path);
    if (posted) return { path: `/${posted[1]}/_doc`, type: posted[2], includesType };
  }
  for (const [pattern, pathOf] of RULES) {
    const found = pattern.exec(path);
    if (found) return { path: pathOf(found[1], found.slice(3).join('/')), type: found[2], includesType };
  }
  return { path, type: '_doc', includesType };
}

function refuseType(method: string): never {
  throw illegalArgumentError(
    method === 'GET'
      ? 'Types cannot be provided in get mapping requests, unless include_type_name is set to true.'
      : 'Types cannot be provided in put mapping requests, unless the include_type_name parameter is set to true.',
  );
}

/** What a mapping may have at its top: everything else is the name of a type. */
const MAPPING_KEYS = new Set([
  'properties',
  'dynamic',
  'dynamic_templates',
  '_source',
  '_routing',
  '_meta',
  'date_detection',
  'numeric_detection',
]);

function unwrapped(mapping: unknown): unknown {
  if (!isObject(mapping)) return mapping;
  const [key, ...others] = Object.keys(mapping);
  if (key === undefined || others.length > 0 || MAPPING_KEYS.has(key) || key.startsWith('dynamic_')) return mapping;
  return isObject(mapping[key]) ? mapping[key] : mapping;
}

/** The body of a typed request as one without types. */
export function untypedBody(body: unknown, api: string, { includesType }: TypedRequest): unknown {
  if (!includesType || !isObject(body)) return body;
  if (api === 'indices.put_mapping') return unwrapped(body);
  return 'mappings' in body ? { ...body, mappings: unwrapped(body['mappings']) } : body;
}

/** A response with types. */
export function typedResponse(response: ApiResponse, request: TypedRequest): ApiResponse {
  const { body } = response;
  if (body === undefined) return response;
  const shown = request.includesType ? wrapped(body, request.type) : body;
  return { ...response, body: withTypes(shown, request.type) };
}

/** Mappings below the name of their type: `{ index: { mappings } }`. */
function wrapped(body: unknown, type: string): unknown {
  if (!isObject(body)) return body;
  const out: MutableJsonObject = {};
  for (const [name, item] of Object.entries(body)) {
    const mappings = isObject(item) ? item['mappings'] : undefined;
    const isEmpty = isObject(mappings) && Object.keys(mappings).length === 0;
    setOwn(out, name, mappings === undefined || isEmpty ? item : { ...(item as JsonObject), mappings: { [type]: mappings } });
  }
  return out;
}

/** Members whose values are data of users. */
const DATA = new Set(['_source', 'fields', 'highlight', 'mappings', 'settings', 'error']);
const IDENTIFIED = /"_index":("(?:[^"\\]|\\.)*"),(?="_id":)/g;

/** Adds `_type` to every reference to a document. */
function withTypes(value: unknown, type: string): unknown {
  if (value instanceof RawJson)
    return new RawJson(value.text.replace(IDENTIFIED, (_, index) => `"_index":${index},"_type":${JSON.stringify(type)},`));
  if (Array.isArray(value)) return value.map((item) => withTypes(item, type));
  if (!isObject(value)) return value;
  const out: MutableJsonObject = {};
  const isDocument = '_index' in value && '_id' in value && !('_type' in value);
  for (const [key, member] of Object.entries(value)) {
    setOwn(out, key, DATA.has(key) ? member : withTypes(member, type));
    if (key === '_index' && isDocument) setOwn(out, '_type', type);
  }
  return out;
}
