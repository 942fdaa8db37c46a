// The body of a search as a typed request, with Elasticsearch's defaults. Queries are parsed; aggregations remain JSON.

import { isObject, type JsonObject, tokenOf } from '../../common/json-value.ts';
import type { SourceFilter } from '../../common/source-filter.ts';
import { parseDurationMs } from '../../common/time-unit.ts';
import { badTimeValue, illegalArgument, parsingError, validationFailed } from '../../errors/catalog.ts';
import { xContentParse } from '../../errors/search-errors.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { readBoolean, readFloat, readInt, readList, readNumber, readText } from '../../query/read-json.ts';
import type { ReportUncacheable } from '../../query/uncacheable.ts';
import { checkRuntimeScripts } from '../evaluate/runtime-field.ts';
import { parseHighlight } from './highlight-request.ts';
import { readScriptFields, type ScriptFieldRequest } from './script-field-request.ts';
import { parseSort, type SortSpec } from './sort-request.ts';
import { parseSuggest, type Suggestion } from './suggest-request.ts';

/** Counts every hit. */
export const TRACK_ALL = Number.POSITIVE_INFINITY;
export const TRACK_DEFAULT = 10_000;

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

export interface CollapseRequest {
  readonly field: string;
  /** Bodies of the inner hits, each with a `name`. */
  readonly innerHits: readonly JsonObject[];
}

export interface SearchRequest {
  readonly from: number;
  readonly size: number;
  /** null for match_all. */
  readonly query: Query | null;
  readonly postFilter: Query | null;
  /** Empty sorts by score. */
  readonly sort: readonly SortSpec[];
  readonly searchAfter: readonly unknown[] | null;
  readonly trackScores: boolean;
  /** 0 does not count hits. */
  readonly trackTotalHitsUpTo: number;
  /** null for no timeout. */
  readonly timeoutMs: number | null;
  readonly terminateAfter: number;
  readonly minScore: number | null;
  readonly source: SourceFilter | null;
  readonly fields: readonly FieldRequest[];
  readonly docvalueFields: readonly FieldRequest[];
  /** null if not given. `_none_` omits all metadata. */
  readonly storedFields: readonly string[] | null;
  readonly version: boolean;
  readonly seqNoPrimaryTerm: boolean;
  readonly explain: boolean;
  readonly profile: boolean;
  readonly highlight: JsonObject | null;
  readonly collapse: CollapseRequest | null;
  readonly rescore: readonly RescoreRequest[];
  readonly indicesBoost: ReadonlyArray<{ readonly index: string; readonly boost: number }>;
  readonly aggs: JsonObject | null;
  readonly slice: { readonly id: number; readonly max: number; readonly field: string | null } | null;
  readonly scriptFields: readonly ScriptFieldRequest[];
  /** Runtime fields of this search only, null if there are none. */
  readonly runtimeMappings: JsonObject | null;
  readonly suggest: readonly Suggestion[];
  readonly includeNamedScores: boolean;
  readonly pit: { readonly id: string; readonly keepAliveMs: number | null } | null;
}

type Draft = { -readonly [K in keyof SearchRequest]: SearchRequest[K] };

export const EMPTY_REQUEST: SearchRequest = {
  from: 0,
  size: 10,
  query: null,
  postFilter: null,
  sort: [],
  searchAfter: null,
  trackScores: false,
  trackTotalHitsUpTo: TRACK_DEFAULT,
  timeoutMs: null,
  terminateAfter: 0,
  minScore: null,
  source: null,
  fields: [],
  docvalueFields: [],
  storedFields: null,
  version: false,
  seqNoPrimaryTerm: false,
  explain: false,
  profile: false,
  highlight: null,
  collapse: null,
  rescore: [],
  indicesBoost: [],
  aggs: null,
  slice: null,
  scriptFields: [],
  runtimeMappings: null,
  suggest: [],
  includeNamedScores: false,
  pit: null,
};

/** Known keys that are not supported: the error names the reason. */
export const UNSUPPORTED: Readonly<Record<string, string>> = {
  derived: 'derived fields are not available',
  knn: 'vector search is not available',
};

/**
 * @param report  receives the reasons why answers to this request cannot be cached; those inside aggregations are reported by their own parser
 * @throws ApiError parsing_exception, illegal_argument_exception, x_content_parse_exception
 */
export function parseSearchRequest(body: unknown, report: ReportUncacheable = () => undefined): SearchRequest {
  if (body === undefined) return EMPTY_REQUEST;
  if (!isObject(body)) throw parsingError(`Expected [START_OBJECT] but found [${tokenOf(body)}]`);
  const request: Draft = { ...EMPTY_REQUEST };
  for (const [key, value] of Object.entries(body)) readKey(key, value, request, report);
  if (request.searchAfter && request.from > 0) throw illegalArgument('`from` parameter must be set to 0 when `search_after` is used.');
  return request;
}

function unknownKey(key: string, value: unknown): never {
  throw parsingError(`Unknown key for a ${tokenOf(value)} in [${key}].`);
}

function requireObject(key: string, value: unknown): JsonObject {
  return isObject(value) ? value : unknownKey(key, value);
}

function requireScalar(key: string, value: unknown): unknown {
  return value !== null && typeof value === 'object' ? unknownKey(key, value) : value;
}

function readKey(key: string, value: unknown, request: Draft, report: ReportUncacheable): void {
  switch (key) {
    case 'from':
    case 'size': {
      const number = readInt(requireScalar(key, value), key);
      if (number < 0) throw illegalArgument(`[${key}] parameter cannot be negative, found [${number}]`);
      request[key] = number;
      return;
    }
    case 'query':
      request.query = parseQuery(requireObject(key, value), report);
      return;
    case 'post_filter':
      request.postFilter = parseQuery(requireObject(key, value), report);
      return;
    case 'sort':
      request.sort = parseSort(value, report);
      return;
    case 'search_after':
      if (!Array.isArray(value)) unknownKey(key, value);
      if (value.length === 0) throw illegalArgument('Values must contains at least one value.');
      request.searchAfter = value;
      return;
    case 'track_scores':
      request.trackScores = readBoolean(requireScalar(key, value), key);
      return;
    case 'track_total_hits':
      request.trackTotalHitsUpTo = readTrackTotalHits(requireScalar(key, value));
      return;
    case 'timeout':
      request.timeoutMs = readDuration(key, requireScalar(key, value));
      return;
    case 'terminate_after':
      request.terminateAfter = readInt(requireScalar(key, value), key);
      if (request.terminateAfter < 0) throw illegalArgument('terminateAfter must be > 0');
      return;
    case 'min_score':
      request.minScore = readFloat(requireScalar(key, value), key);
      return;
    case '_source':
      request.source = readSource(value);
      return;
    case 'fields':
      request.fields = readFieldRequests(key, value);
      return;
    case 'docvalue_fields':
      request.docvalueFields = readFieldRequests(key, value);
      return;
    case 'stored_fields':
      request.storedFields = readStoredFields(value);
      return;
    case 'version':
      request.version = readBoolean(requireScalar(key, value), key);
      return;
    case 'seq_no_primary_term':
      request.seqNoPrimaryTerm = readBoolean(requireScalar(key, value), key);
      return;
    case 'explain':
      request.explain = readBoolean(requireScalar(key, value), key);
      return;
    case 'profile':
      request.profile = readBoolean(requireScalar(key, value), key);
      return;
    case 'highlight':
      request.highlight = requireObject(key, value);
      parseHighlight(request.highlight);
      return;
    case 'collapse':
      request.collapse = readCollapse(requireObject(key, value));
      return;
    case 'rescore':
      request.rescore = readList(value).map((item) => readRescore(requireObject(key, item), report));
      return;
    case 'indices_boost':
      request.indicesBoost = readIndicesBoost(value);
      return;
    case 'aggs':
    case 'aggregations':
      request.aggs = requireObject(key, value);
      return;
    case 'slice':
      request.slice = readSlice(requireObject(key, value));
      return;
    case 'pit':
      request.pit = readPit(requireObject(key, value));
      return;
    case 'suggest':
      request.suggest = parseSuggest(requireObject(key, value));
      return;
    case 'script_fields':
      request.scriptFields = readScriptFields(requireObject(key, value));
      return;
    case 'runtime_mappings':
      request.runtimeMappings = requireObject(key, value);
      checkRuntimeScripts(request.runtimeMappings);
      return;
    case 'stats':
      if (!Array.isArray(value)) unknownKey(key, value);
      return;
    case 'ext':
      if (Object.keys(requireObject(key, value)).length > 0) {
        throw xContentParse('unknown named object category [org.opensearch.search.SearchExtBuilder]');
      }
      return;
    case 'include_named_queries_score':
      request.includeNamedScores = readBoolean(requireScalar(key, value), key);
      return;
    case 'verbose_pipeline':
      readBoolean(requireScalar(key, value), key);
      return;
    default: {
      const reason = Object.hasOwn(UNSUPPORTED, key) ? UNSUPPORTED[key] : undefined;
      if (reason !== undefined) throw illegalArgument(`[${key}] is not supported: ${reason}`);
      unknownKey(key, value);
    }
  }
}

/** Other negative numbers are rejected by each shard. */
function readTrackTotalHits(value: unknown): number {
  if (value === true || value === 'true') return TRACK_ALL;
  if (value === false || value === 'false') return 0;
  const number = readInt(value, 'track_total_hits');
  return number === -1 ? TRACK_ALL : number;
}

function readDuration(key: string, value: unknown): number | null {
  const text = readText(value, key);
  const ms = parseDurationMs(text);
  if (ms === null) throw badTimeValue(key, text);
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
    for (const [key, item] of Object.entries(value)) {
      const list = readList(item).map((text) => readText(text, '_source'));
      if (key === 'includes' || key === 'include') includes = list;
      else if (key === 'excludes' || key === 'exclude') excludes = list;
      else throw parsingError(`Unknown key for a ${tokenOf(item)} in [${key}].`);
    }
    return { enabled: true, includes, excludes };
  }
  throw parsingError(`Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] but found [${tokenOf(value)}]`);
}

function readFieldRequests(key: string, value: unknown): FieldRequest[] {
  if (!Array.isArray(value)) unknownKey(key, value);
  return value.map((item) => {
    if (typeof item === 'string') return { field: item, format: null };
    if (!isObject(item)) throw parsingError(`[${key}] expects a field name or an object, but found [${tokenOf(item)}]`);
    for (const name of Object.keys(item)) {
      if (name !== 'field' && name !== 'format' && !(key === 'fields' && name === 'include_unmapped'))
        throw xContentParse(`[docvalues_field] unknown field [${name}]`);
    }
    if (item['field'] === undefined) throw illegalArgument('Required [field]');
    const format = item['format'];
    const unmapped = item['include_unmapped'];
    return {
      field: readText(item['field'], key),
      format: format === undefined || format === null ? null : readText(format, key),
      ...(unmapped === undefined || unmapped === null ? {} : { includeUnmapped: readBoolean(unmapped, key) }),
    };
  });
}

function readStoredFields(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.map((item) => readText(item, 'stored_fields'));
  throw parsingError(`Expected [VALUE_STRING] or [START_ARRAY] in [stored_fields] but found [${tokenOf(value)}]`);
}

function readCollapse(body: JsonObject): CollapseRequest {
  let field: string | null = null;
  let innerHits: readonly JsonObject[] = [];
  for (const [key, value] of Object.entries(body)) {
    if (key === 'field') field = readText(value, 'collapse');
    else if (key === 'inner_hits') innerHits = readList(value).map((item) => requireObject('inner_hits', item));
    else if (key === 'max_concurrent_group_searches') checkGroupSearches(readInt(value, 'collapse'));
    else throw xContentParse(`[collapse] unknown field [${key}]`);
  }
  if (field === null) throw illegalArgument('[collapse] requires a [field]');
  return { field, innerHits };
}

function checkGroupSearches(count: number): void {
  if (count < 1) throw illegalArgument('maxConcurrentGroupRequests` must be positive');
}

const RESCORE_MODES = new Set(['total', 'multiply', 'avg', 'max', 'min']);
const RESCORE_WINDOW = 10;

function readRescore(body: JsonObject, report: ReportUncacheable): RescoreRequest {
  const inner = body['query'];
  if (!isObject(inner)) throw parsingError('missing rescore type');
  for (const key of Object.keys(body)) {
    if (key !== 'query' && key !== 'window_size') throw parsingError(`rescore doesn't support [${key}]`);
  }
  const rescoreQuery = inner['rescore_query'];
  if (!isObject(rescoreQuery)) throw illegalArgument('rescore_query cannot be null');
  for (const key of Object.keys(inner)) {
    if (!['rescore_query', 'query_weight', 'rescore_query_weight', 'score_mode'].includes(key))
      throw xContentParse(`[query] unknown field [${key}]`);
  }
  const mode = inner['score_mode'] === undefined ? 'total' : readText(inner['score_mode'], 'rescore').toLowerCase();
  if (!RESCORE_MODES.has(mode)) throw illegalArgument(`illegal score_mode [${mode}]`);
  const windowSize = body['window_size'] === undefined ? RESCORE_WINDOW : readInt(body['window_size'], 'window_size');
  if (windowSize < 0) throw illegalArgument(`[window_size] must be >= 0, found [${windowSize}]`);
  return {
    windowSize,
    query: parseQuery(rescoreQuery, report),
    queryWeight: inner['query_weight'] === undefined ? 1 : readFloat(inner['query_weight'], 'rescore'),
    rescoreWeight: inner['rescore_query_weight'] === undefined ? 1 : readFloat(inner['rescore_query_weight'], 'rescore'),
    scoreMode: mode as RescoreRequest['scoreMode'],
  };
}

function readIndicesBoost(value: unknown): Array<{ index: string; boost: number }> {
  return readList(value).flatMap((item) =>
    Object.entries(requireObject('indices_boost', item)).map(([index, boost]) => {
      if (typeof boost !== 'number' && typeof boost !== 'bigint') {
        throw parsingError(`Expected [VALUE_NUMBER] in [indices_boost] but found [${tokenOf(boost)}]`);
      }
      return { index, boost: Math.fround(readNumber(boost, 'indices_boost')) };
    }),
  );
}

function readSlice(body: JsonObject): SearchRequest['slice'] {
  let id = -1;
  let max = -1;
  let field: string | null = null;
  for (const [key, value] of Object.entries(body)) {
    if (key === 'field') field = readText(value, 'slice');
    else if (key === 'id') id = readInt(value, 'slice');
    else if (key === 'max') max = readInt(value, 'slice');
    else throw xContentParse(`[slice] unknown field [${key}]`);
  }
  if (id < 0) throw xContentParse('[slice] failed to parse field [id]', illegalArgument('id must be greater than or equal to 0'));
  if (max <= 1) throw xContentParse('[slice] failed to parse field [max]', illegalArgument('max must be greater than 1'));
  if (max <= id) throw xContentParse('[slice] failed to parse field [max]', illegalArgument('max must be greater than id'));
  return { id, max, field };
}

function readPit(body: JsonObject): SearchRequest['pit'] {
  for (const key of Object.keys(body)) {
    if (key !== 'id' && key !== 'keep_alive') throw xContentParse(`[pit] unknown field [${key}]`);
  }
  if (typeof body['id'] !== 'string') throw illegalArgument('Required [id]');
  return { id: body['id'], keepAliveMs: body['keep_alive'] === undefined ? null : readDuration('keep_alive', body['keep_alive']) };
}

/** Checks that apply to scrolls only. @throws ApiError action_request_validation_exception */
export function checkScroll(request: SearchRequest): void {
  const problems: string[] = [];
  if (request.from > 0) problems.push('using [from] is not allowed in a scroll context');
  if (request.size === 0) problems.push('[size] cannot be [0] in a scroll context');
  if (problems.length > 0) throw validationFailed(problems);
}
