// Parts of a search body that have a form of their own: source filters, fields, collapse, rescore, slices.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import type { SourceFilter } from '../../common/json/source-filter.ts';
import { didYouMean } from '../../common/text/nearest-name.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, parsingError, timeValueError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { readBoolean, readFloat, readInt, readList, readNumber, readText } from '../../query/read-json.ts';
import type { ReportUncacheable } from '../../query/uncacheable.ts';

/** Counts every hit. */
export const TRACK_ALL = Number.POSITIVE_INFINITY;
export interface FieldRequest {
  readonly field: string;
  readonly format: string | null;
  /** Whether source values that are not mapped are returned, too. */
  readonly includeUnmapped?: boolean;
}

export interface RescoreRequest {
  readonly windowSize: number;
  readonly query: Query;
  readonly queryWeight: number;
  readonly rescoreWeight: number;
  readonly scoreMode: 'total' | 'multiply' | 'avg' | 'max' | 'min';
}

/** One of `max` slices of a scroll or a point in time. */
export interface SliceRequest {
  readonly id: number;
  readonly max: number;
  /** null slices by sequence number. */
  readonly field: string | null;
}

export interface PitRequest {
  readonly id: string;
  readonly keepAliveMs: number | null;
}

export function unknownKey(key: string, value: unknown): never {
  throw parsingError(`Unknown key for a ${tokenOf(value)} in [${key}].`);
}

export function requireObject(key: string, value: unknown): JsonObject {
  return isObject(value) ? value : unknownKey(key, value);
}

/** A string, a number or a boolean. */
export function requireScalar(key: string, value: unknown): unknown {
  return typeof value === 'object' ? unknownKey(key, value) : value;
}

/** -1 counts nothing; other negative numbers are refused by each shard. */
export function readTrackTotalHits(value: unknown): number {
  if (value === true || value === 'true') return TRACK_ALL;
  if (value === false || value === 'false') return 0;
  const number = readInt(value, 'track_total_hits');
  return number === -1 ? 0 : number;
}

export function readDuration(key: string, value: unknown): number | null {
  const text = readText(value, key);
  const ms = parseDurationMs(text);
  if (ms === null) throw timeValueError(key, text);
  return ms === -1 ? null : ms;
}

export function readSource(value: unknown): SourceFilter {
  if (typeof value === 'boolean') return { enabled: value, includes: [], excludes: [] };
  if (value === 'true' || value === 'false') return { enabled: value === 'true', includes: [], excludes: [] };
  if (typeof value === 'string') return { enabled: true, includes: [value], excludes: [] };
  if (Array.isArray(value)) return { enabled: true, includes: value.map((item) => readText(item, '_source')), excludes: [] };
  if (isObject(value)) {
    let includes: string[] = [];
    let excludes: string[] = [];
    let excludesVectors = false;
    for (const [key, item] of Object.entries(value)) {
      if (key === 'exclude_vectors') {
        excludesVectors = readBoolean(item, key);
        continue;
      }
      if (typeof item !== 'string' && !Array.isArray(item)) unknownKey(key, item);
      const list = readList(item).map((text) => (typeof text === 'string' ? text : unknownKey(key, text)));
      if (key === 'includes' || key === 'include') includes = list;
      else if (key === 'excludes' || key === 'exclude') excludes = list;
      else throw parsingError(`Unknown key for a ${tokenOf(item)} in [${key}].`);
    }
    return { enabled: true, includes, excludes, ...(excludesVectors ? { excludesVectors } : {}) };
  }
  if (value === null) unknownKey('_source', value);
  throw parsingError(`Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] but found [${tokenOf(value)}]`);
}

const DOC_VALUE_KEYS = ['field', 'format'];
const FIELD_KEYS = [...DOC_VALUE_KEYS, 'include_unmapped'];

export function readFieldRequests(key: string, value: unknown): FieldRequest[] {
  if (!Array.isArray(value)) unknownKey(key, value);
  return value.map((item) => {
    if (item !== null && typeof item !== 'object') return { field: String(item), format: null };
    if (!isObject(item)) throw parsingError(`[${key}] expects a field name or an object, but found [${tokenOf(item)}]`);
    for (const name of Object.keys(item)) {
      const known = key === 'fields' ? FIELD_KEYS : DOC_VALUE_KEYS;
      if (!known.includes(name)) throw xContentParseError(`[docvalues_field] unknown field [${name}]${didYouMean(name, known)}`);
      if (item[name] !== null && typeof item[name] !== 'string' && name !== 'include_unmapped')
        throw xContentParseError(`[docvalues_field] ${name} doesn't support values of type: ${tokenOf(item[name])}`);
    }
    if (item['field'] === undefined) throw illegalArgumentError('Required [field]');
    const format = item['format'];
    const unmapped = item['include_unmapped'];
    return {
      field: readText(item['field'], key),
      format: format === undefined || format === null ? null : readText(format, key),
      ...(unmapped === undefined || unmapped === null ? {} : { includeUnmapped: readBoolean(unmapped, key) }),
    };
  });
}

export function readStoredFields(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.map((item) => readText(item, 'stored_fields'));
  if (value === null) unknownKey('stored_fields', value);
  throw parsingError(`Expected [VALUE_STRING] or [START_ARRAY] in [stored_fields] but found [${tokenOf(value)}]`);
}

const RESCORE_MODES = new Set(['total', 'multiply', 'avg', 'max', 'min']);
const RESCORE_WINDOW = 10;
const RESCORE_KEYS = ['rescore_query', 'query_weight', 'rescore_query_weight', 'score_mode'];

export function readRescore(body: JsonObject, report: ReportUncacheable): RescoreRequest {
  for (const [key, value] of Object.entries(body)) {
    if (value === null || Array.isArray(value)) throw parsingError(`unexpected token [${tokenOf(value)}] after [${key}]`);
    if (!isObject(value) && key !== 'window_size') throw parsingError(`rescore doesn't support [${key}]`);
    if (isObject(value) && key !== 'query') throw new ApiError('named_object_not_found_exception', 400, `unknown field [${key}]`);
  }
  const inner = body['query'];
  if (!isObject(inner)) throw parsingError('missing rescore type');
  for (const key of Object.keys(inner))
    if (!RESCORE_KEYS.includes(key)) throw xContentParseError(`[query] unknown field [${key}]${didYouMean(key, RESCORE_KEYS)}`);
  const rescoreQuery = inner['rescore_query'];
  if (rescoreQuery === undefined) throw illegalArgumentError('rescore_query cannot be null');
  if (!isObject(rescoreQuery)) throw xContentParseError(`[query] rescore_query doesn't support values of type: ${tokenOf(rescoreQuery)}`);
  const given = inner['score_mode'];
  if (typeof given === 'object') throw xContentParseError(`[query] score_mode doesn't support values of type: ${tokenOf(given)}`);
  const mode = given === undefined ? 'total' : readText(given, 'rescore').toLowerCase();
  if (!RESCORE_MODES.has(mode))
    throw xContentParseError('[query] failed to parse field [score_mode]', illegalArgumentError(`illegal score_mode [${mode}]`));
  const windowSize = body['window_size'] === undefined ? RESCORE_WINDOW : readInt(body['window_size'], 'window_size');
  if (windowSize < 0) throw illegalArgumentError(`[window_size] must be >= 0, found [${windowSize}]`);
  return {
    windowSize,
    query: readRescoreQuery(rescoreQuery, report),
    queryWeight: readWeight(inner, 'query_weight'),
    rescoreWeight: readWeight(inner, 'rescore_query_weight'),
    scoreMode: mode as RescoreRequest['scoreMode'],
  };
}

function readRescoreQuery(body: JsonObject, report: ReportUncacheable): Query {
  try {
    return parseQuery(body, report);
  } catch (error) {
    throw error instanceof ApiError ? xContentParseError('[query] failed to parse field [rescore_query]', error) : error;
  }
}

/** A list of objects with one entry each, or an object of entries. */
export function readIndicesBoost(value: unknown): Array<{ index: string; boost: number }> {
  if (!Array.isArray(value)) return Object.entries(requireObject('indices_boost', value)).map(indexBoost);
  return value.map((item) => {
    if (!isObject(item)) throw parsingError(`Expected [START_OBJECT] in [null] but found [${tokenOf(item)}]`);
    const entries = Object.entries(item);
    if (entries.length === 0) throw parsingError('Expected [FIELD_NAME] in [indices_boost] but found [END_OBJECT]');
    const first = indexBoost(entries[0]);
    if (entries.length > 1) throw parsingError('Expected [END_OBJECT] in [indices_boost] but found [FIELD_NAME]');
    return first;
  });
}

function indexBoost([index, boost]: [string, unknown]): { index: string; boost: number } {
  if (typeof boost !== 'number' && typeof boost !== 'bigint') {
    throw parsingError(`Expected [VALUE_NUMBER] in [indices_boost] but found [${tokenOf(boost)}]`);
  }
  return { index, boost: Math.fround(readNumber(boost, 'indices_boost')) };
}

export function readSlice(body: JsonObject): SliceRequest {
  let id = -1;
  let max = -1;
  let field: string | null = null;
  for (const [key, value] of Object.entries(body)) {
    if (key === 'field') field = readText(value, 'slice');
    else if (key === 'id') id = readInt(value, 'slice');
    else if (key === 'max') max = readInt(value, 'slice');
    else throw xContentParseError(`[slice] unknown field [${key}]`);
  }
  if (id < 0) throw xContentParseError('[slice] failed to parse field [id]', illegalArgumentError('id must be greater than or equal to 0'));
  if (max <= 1) throw xContentParseError('[slice] failed to parse field [max]', illegalArgumentError('max must be greater than 1'));
  if (max <= id) throw xContentParseError('[slice] failed to parse field [max]', illegalArgumentError('max must be greater than id'));
  return { id, max, field };
}

export function readPit(body: JsonObject): PitRequest {
  for (const key of Object.keys(body)) {
    if (key !== 'id' && key !== 'keep_alive') throw xContentParseError(`[pit] unknown field [${key}]`);
  }
  if (typeof body['id'] !== 'string') throw illegalArgumentError('Required [id]');
  return { id: body['id'], keepAliveMs: body['keep_alive'] === undefined ? null : readDuration('keep_alive', body['keep_alive']) };
}

/** A weight of a rescorer; 1 if absent. @throws ApiError x_content_parse_exception */
function readWeight(body: JsonObject, key: string): number {
  const value = body[key];
  if (value === undefined) return 1;
  if (typeof value !== 'number' && typeof value !== 'string')
    throw xContentParseError(`[query] ${key} doesn't support values of type: ${tokenOf(value)}`);
  try {
    return readFloat(value, 'rescore');
  } catch (error) {
    throw error instanceof ApiError ? xContentParseError(`[query] failed to parse field [${key}]`, error) : error;
  }
}
