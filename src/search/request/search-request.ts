// The body of a search as a typed request, with Elasticsearch's defaults. Queries are parsed; aggregations remain JSON.
// One file: the request's fields, their defaults and the reader of each key are three parts of one table.

import { isObject, type JsonObject, type MutableJsonObject, tokenOf } from '../../common/json/json-value.ts';
import type { SourceFilter } from '../../common/json/source-filter.ts';
import { illegalArgumentError, parsingError, validationFailedError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { ObjectParser } from '../../query/parameters.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { KnnQuery, Query } from '../../query/query.ts';
import { readBoolean, readFloat, readInt, readList, readText } from '../../query/read-json.ts';
import type { ReportUncacheable } from '../../query/uncacheable.ts';
import { parseKnn } from '../../query/vectors/knn-query.ts';
import { checkRuntimeScripts } from '../evaluate/runtime-field.ts';
import { type HighlightField, parseHighlight } from './highlight-request.ts';
import { INNER_HITS } from './inner-hits.ts';
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
import { parseRank, parseRetriever, type RankedBody, type RankRule } from './retriever-request.ts';
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
  /** Searches for vectors, whose hits are added to those of the query. */
  readonly knn: readonly KnnSection[];
  /** Searches whose hits are combined instead of those of `query` and `knn`; null for none. */
  readonly rank: RankedSearches | null;
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
  /** `indices_boost` is an object, not a list. */
  readonly isBoostObject: boolean;
  readonly indicesBoost: ReadonlyArray<{ readonly index: string; readonly boost: number }>;
  readonly aggs: JsonObject | null;
  readonly slice: SliceRequest | null;
  readonly scriptFields: readonly ScriptFieldRequest[];
  /** Runtime fields of this search only, null if there are none. */
  readonly runtimeMappings: JsonObject | null;
  readonly suggest: readonly Suggestion[];
  /** Groups under which `_stats` counts the search. */
  readonly stats: readonly string[];
  readonly includeNamedScores: boolean;
  readonly pit: PitRequest | null;
}

/** One of the searches that are combined. */
export interface RankedSearch extends Omit<RankedBody, 'body'> {
  readonly request: SearchRequest;
}

export interface RankedSearches extends RankRule {
  readonly searches: readonly RankedSearch[];
}

export interface KnnSection {
  readonly query: KnnQuery;
  /** Body of `inner_hits`, for vectors in nested documents; null if there is none. */
  readonly innerHits: JsonObject | null;
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
  knn: [],
  rank: null,
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
  isBoostObject: false,
  indicesBoost: [],
  aggs: null,
  slice: null,
  scriptFields: [],
  runtimeMappings: null,
  suggest: [],
  stats: [],
  includeNamedScores: false,
  pit: null,
};

/** Known keys that are not supported: the error names the reason. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  derived: 'derived fields are not available',
};

/**
 * @param report  receives the reasons why answers to this request cannot be cached; those inside aggregations are reported by their own parser
 * @throws ApiError parsing_exception, illegal_argument_exception, x_content_parse_exception
 */
export function parseSearchRequest(body: unknown, report: ReportUncacheable = () => undefined): SearchRequest {
  if (body === undefined) return EMPTY_REQUEST;
  if (!isObject(body)) throw parsingError(`Expected [START_OBJECT] but found [${tokenOf(body)}]`);
  const request: Draft = { ...EMPTY_REQUEST };
  let isRanked = false;
  for (const [key, value] of Object.entries(body)) {
    if (RANKING_KEYS.has(key)) isRanked = true;
    else readKey(key, value, request, report);
  }
  if (isRanked) readRanking(body, request, report);
  return request;
}

type Reader = (request: Draft, value: unknown, key: string, report: ReportUncacheable) => void;

const readFlag = (value: unknown, key: string): boolean => readBoolean(requireScalar(key, value), key);

function readCount(value: unknown, key: 'from' | 'size'): number {
  const number = readInt(requireScalar(key, value), key);
  if (number < 0) throw illegalArgumentError(`[${key}] parameter cannot be negative, found [${number}]`);
  return number;
}

const readAggs: Reader = (request, value, key) => {
  request.aggs = requireObject(key, value);
};

const READERS: Readonly<Record<string, Reader>> = {
  from(request, value) {
    request.from = readCount(value, 'from');
  },
  size(request, value) {
    request.size = readCount(value, 'size');
  },
  query(request, value, key, report) {
    request.query = parseQuery(requireObject(key, value), report);
  },
  knn(request, value, key, report) {
    request.knn = readList(value).map((item) => readKnn(requireObject(key, item), report));
  },
  post_filter(request, value, key, report) {
    request.postFilter = parseQuery(requireObject(key, value), report);
  },
  sort(request, value, key, report) {
    request.sort = parseSort(value === null ? unknownKey(key, value) : value, report);
  },
  search_after(request, value, key) {
    if (!Array.isArray(value)) unknownKey(key, value);
    if (value.length === 0) throw illegalArgumentError('Values must contains at least one value.');
    request.searchAfter = value;
  },
  track_scores(request, value, key) {
    request.trackScores = readFlag(value, key);
  },
  track_total_hits(request, value, key) {
    request.trackTotalHitsUpTo = readTrackTotalHits(requireScalar(key, value));
  },
  timeout(request, value, key) {
    request.timeoutMs = readDuration(key, requireScalar(key, value));
  },
  terminate_after(request, value, key) {
    request.terminateAfter = readInt(requireScalar(key, value), key);
    if (request.terminateAfter < 0) throw illegalArgumentError('terminateAfter must be > 0');
  },
  min_score(request, value, key) {
    request.minScore = readFloat(requireScalar(key, value), key);
  },
  _source(request, value) {
    request.source = readSource(value);
  },
  fields(request, value, key) {
    request.fields = readFieldRequests(key, value);
  },
  docvalue_fields(request, value, key) {
    request.docvalueFields = readFieldRequests(key, value);
  },
  stored_fields(request, value) {
    request.storedFields = readStoredFields(value);
  },
  version(request, value, key) {
    request.version = readFlag(value, key);
  },
  seq_no_primary_term(request, value, key) {
    request.seqNoPrimaryTerm = readFlag(value, key);
  },
  explain(request, value, key) {
    request.explain = readFlag(value, key);
  },
  profile(request, value, key) {
    request.profile = readFlag(value, key);
  },
  highlight(request, value, key, report) {
    request.highlight = parseHighlight(requireObject(key, value), report);
  },
  collapse(request, value, key, report) {
    request.collapse = readCollapse(requireObject(key, value), report);
  },
  rescore(request, value, key, report) {
    request.rescore = readList(value).map((item) => readRescore(requireObject(key, item), report));
  },
  indices_boost(request, value) {
    request.isBoostObject = isObject(value);
    request.indicesBoost = readIndicesBoost(value);
  },
  aggs: readAggs,
  aggregations: readAggs,
  slice(request, value, key) {
    request.slice = readSlice(requireObject(key, value));
  },
  pit(request, value, key) {
    request.pit = readPit(requireObject(key, value));
  },
  suggest(request, value, key) {
    request.suggest = parseSuggest(requireObject(key, value));
  },
  script_fields(request, value, key) {
    request.scriptFields = readScriptFields(requireObject(key, value));
  },
  runtime_mappings(request, value, key) {
    request.runtimeMappings = requireObject(key, value);
    checkRuntimeScripts(request.runtimeMappings);
  },
  stats(request, value, key) {
    if (!Array.isArray(value)) return unknownKey(key, value);
    request.stats = value.map(String);
  },
  ext(_request, value, key) {
    if (Object.keys(requireObject(key, value)).length > 0) {
      throw xContentParseError('unknown named object category [org.opensearch.search.SearchExtBuilder]');
    }
  },
  include_named_queries_score(request, value, key) {
    request.includeNamedScores = readFlag(value, key);
  },
  verbose_pipeline(_request, value, key) {
    readFlag(value, key);
  },
};

function readKey(key: string, value: unknown, request: Draft, report: ReportUncacheable): void {
  checkListLimit(key, value);
  if (Object.hasOwn(READERS, key)) {
    READERS[key](request, value, key, report);
    return;
  }
  const reason = Object.hasOwn(UNSUPPORTED, key) ? UNSUPPORTED[key] : undefined;
  if (reason !== undefined) throw illegalArgumentError(`[${key}] is not supported: ${reason}`);
  unknownKey(key, value);
}

function readKnn(body: JsonObject, report: ReportUncacheable): KnnSection {
  const query = parseKnn(body, (filter) => parseQuery(filter, report), true);
  return { query, innerHits: body['inner_hits'] === undefined ? null : requireObject('inner_hits', body['inner_hits']) };
}

/** Keys that are read after all others, because they combine their values. */
const RANKING_KEYS = new Set(['retriever', 'rank', 'sub_searches']);

function readRanking(body: JsonObject, request: Draft, report: ReportUncacheable): void {
  const { retriever, rank, sub_searches: subSearches } = body;
  if (retriever !== undefined) readRetriever(retriever, body, request, report);
  else if (rank !== undefined) readRank(requireObject('rank', rank), subSearches, request, report);
  else throw validationFailedError(['[sub_searches] requires [rank]']);
}

function readRetriever(value: unknown, given: JsonObject, request: Draft, report: ReportUncacheable): void {
  const retriever = parseRetriever(value, given);
  if (retriever.rank === null) {
    for (const [key, item] of Object.entries(retriever.body)) readKey(key, item, request, report);
    return;
  }
  const searches = retriever.children.map(({ body, ...rest }) => ({ ...rest, request: parseSearchRequest(body, report) }));
  request.rank = { ...retriever.rank, searches };
}

/** `rank` combines the query or the `sub_searches` with each of the `knn` sections. */
function readRank(body: JsonObject, subSearches: unknown, request: Draft, report: ReportUncacheable): void {
  const rule = parseRank(body);
  const subs =
    subSearches === undefined ? [] : readList(subSearches).map((item) => parseSearchRequest(requireObject('sub_searches', item), report));
  const queries = request.query === null ? subs : [{ ...EMPTY_REQUEST, query: request.query }, ...subs];
  const searches = [...queries, ...request.knn.map((section) => ({ ...EMPTY_REQUEST, knn: [section] }))];
  if (searches.length < 2) {
    throw validationFailedError(['[rank] requires a minimum of [2] result sets using a combination of sub searches and/or knn searches']);
  }
  const excluded = { sort: request.sort.length > 0, rescore: request.rescore.length > 0, search_after: request.searchAfter !== null };
  for (const [key, isGiven] of Object.entries(excluded)) if (isGiven) throw validationFailedError([`[rank] cannot be used with [${key}]`]);
  request.query = null;
  request.knn = [];
  request.rank = { ...rule, searches: searches.map((one) => ({ request: one, weight: 1, normalizer: 'none' })) };
}

const NO_NAME = 'inner_hits must have a [name]; set the [name] field in the inner_hits definition';

const COLLAPSE = new ObjectParser('collapse', { field: 'string', inner_hits: 'objects', max_concurrent_group_searches: 'number' });

/** Parses the inner hits of a group, which are a search of their own. */
function readCollapse(body: JsonObject, report: ReportUncacheable): CollapseRequest {
  COLLAPSE.check(body);
  let field: string | null = null;
  const groups: Array<{ name: unknown; request: SearchRequest }> = [];
  for (const [key, value] of Object.entries(body)) {
    if (key === 'field') field = readText(value, 'collapse');
    else if (key === 'inner_hits') {
      checkListLimit(key, value);
      for (const item of readList(value)) groups.push(COLLAPSE.read(key, () => readGroup(requireObject(key, item), report)));
    } else if (key === 'max_concurrent_group_searches') COLLAPSE.read(key, () => checkGroupSearches(readInt(value, 'collapse')));
  }
  if (field === null) throw illegalArgumentError('[collapse] requires a [field]');
  const innerHits = groups.map(({ name, request }) => ({ name: String(name), request }));
  return { field, innerHits };
}

/** The hits that a group shows. */
function readGroup(body: JsonObject, report: ReportUncacheable): { name: unknown; request: SearchRequest } {
  INNER_HITS.check(body);
  const { name, ignore_unmapped: _ignoreUnmapped, ...rest } = body as MutableJsonObject;
  if (name === undefined) throw illegalArgumentError(NO_NAME);
  const inner = rest.collapse;
  if (isObject(inner) && (inner.inner_hits !== undefined || inner.max_concurrent_group_searches !== undefined))
    throw parsingError('Invalid token in the inner collapse');
  try {
    return { name, request: parseSearchRequest({ size: GROUP_SIZE, ...rest }, report) };
  } catch (error) {
    // The parameter that cannot be read is named.
    for (const [key, value] of Object.entries(rest)) INNER_HITS.read(key, () => parseSearchRequest({ [key]: value }, report));
    throw error;
  }
}

function checkGroupSearches(count: number): void {
  if (count < 1) throw illegalArgumentError('maxConcurrentGroupRequests` must be positive');
}
