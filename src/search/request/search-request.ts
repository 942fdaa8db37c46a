// The body of a search as a typed request, with Elasticsearch's defaults. Queries are parsed; aggregations remain JSON.

import { isObject, type JsonObject, type MutableJsonObject, tokenOf } from '../../common/json-value.ts';
import type { SourceFilter } from '../../common/source-filter.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { illegalArgumentError, parsingError, validationFailedError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { readBoolean, readFloat, readInt, readList, readText } from '../../query/read-json.ts';
import type { ReportUncacheable } from '../../query/uncacheable.ts';
import { checkRuntimeScripts } from '../evaluate/runtime-field.ts';
import { type HighlightField, parseHighlight } from './highlight-request.ts';
import { checkListLimit } from './list-limits.ts';
import {
  type FieldRequest,
  type PitRequest,
  type RescoreRequest,
  readDuration,
  readFieldRequests,
  readIndicesBoost,
  readPit,
  readRescore,
  readSlice,
  readSource,
  readStoredFields,
  readTrackTotalHits,
  requireObject,
  requireScalar,
  type SliceRequest,
  unknownKey,
} from './request-parts.ts';
import { readScriptFields, type ScriptFieldRequest } from './script-field-request.ts';
import { parseSort, type SortSpec } from './sort-request.ts';
import { parseSuggest, type Suggestion } from './suggest-request.ts';

export const TRACK_DEFAULT = 10_000;
/** Inner hits of each collapsed group, by default. */
const GROUP_SIZE = 3;

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
  /** Empty without highlighting. */
  readonly highlight: readonly HighlightField[];
  readonly collapse: CollapseRequest | null;
  readonly rescore: readonly RescoreRequest[];
  readonly indicesBoost: ReadonlyArray<{ readonly index: string; readonly boost: number }>;
  readonly aggs: JsonObject | null;
  readonly slice: SliceRequest | null;
  readonly scriptFields: readonly ScriptFieldRequest[];
  /** Runtime fields of this search only, null if there are none. */
  readonly runtimeMappings: JsonObject | null;
  readonly suggest: readonly Suggestion[];
  readonly includeNamedScores: boolean;
  readonly pit: PitRequest | null;
}

export interface CollapseRequest {
  readonly field: string;
  readonly innerHits: ReadonlyArray<{ readonly name: string; readonly request: SearchRequest }>;
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
  highlight: [],
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
  if (request.searchAfter && request.from > 0) throw illegalArgumentError('`from` parameter must be set to 0 when `search_after` is used.');
  return request;
}

function readKey(key: string, value: unknown, request: Draft, report: ReportUncacheable): void {
  checkListLimit(key, value);
  switch (key) {
    case 'from':
    case 'size': {
      const number = readInt(requireScalar(key, value), key);
      if (number < 0) throw illegalArgumentError(`[${key}] parameter cannot be negative, found [${number}]`);
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
      if (value.length === 0) throw illegalArgumentError('Values must contains at least one value.');
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
      if (request.terminateAfter < 0) throw illegalArgumentError('terminateAfter must be > 0');
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
      request.highlight = parseHighlight(requireObject(key, value), report);
      return;
    case 'collapse':
      request.collapse = readCollapse(requireObject(key, value), report);
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
        throw xContentParseError('unknown named object category [org.opensearch.search.SearchExtBuilder]');
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
      if (reason !== undefined) throw illegalArgumentError(`[${key}] is not supported: ${reason}`);
      unknownKey(key, value);
    }
  }
}

/** Checks that apply to scrolls only. @throws ApiError action_request_validation_exception */
export function checkScroll(request: SearchRequest, dialect: Dialect): void {
  const problems: string[] = [];
  if (request.from > 0) problems.push('using [from] is not allowed in a scroll context');
  if (request.size === 0) problems.push('[size] cannot be [0] in a scroll context');
  if (dialect.validatesSearchesWhole) {
    if (request.rescore.length > 0) problems.push('using [rescore] is not allowed in a scroll context');
    if (request.searchAfter) problems.push('[search_after] cannot be used in a scroll context');
    if (request.collapse) problems.push('cannot use `collapse` in a scroll context');
  }
  if (problems.length > 0) throw validationFailedError(problems);
}

/** The inner hits of a group are a search of their own. */
function readCollapse(body: JsonObject, report: ReportUncacheable): CollapseRequest {
  let field: string | null = null;
  const groups: Array<{ name: unknown; request: SearchRequest }> = [];
  for (const [key, value] of Object.entries(body)) {
    if (key === 'field') field = readText(value, 'collapse');
    else if (key === 'inner_hits') {
      checkListLimit(key, value);
      for (const item of readList(value)) {
        const { name, ...rest } = requireObject('inner_hits', item) as MutableJsonObject;
        groups.push({ name, request: parseSearchRequest({ size: GROUP_SIZE, ...rest }, report) });
      }
    } else if (key === 'max_concurrent_group_searches') checkGroupSearches(readInt(value, 'collapse'));
    else throw xContentParseError(`[collapse] unknown field [${key}]`);
  }
  if (field === null) throw illegalArgumentError('[collapse] requires a [field]');
  const innerHits = groups.map(({ name, request }) => ({ name: String(name ?? field), request }));
  return { field, innerHits };
}

function checkGroupSearches(count: number): void {
  if (count < 1) throw illegalArgumentError('maxConcurrentGroupRequests` must be positive');
}
