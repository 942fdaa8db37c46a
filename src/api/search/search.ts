// Searches: one, counted, several in one request.

import { type AggTree, parseAggregations } from '../../aggs/index.ts';
import { JsonSyntaxError, parseJson } from '../../common/json-parse.ts';
import { isObject, type MutableJsonObject } from '../../common/json-value.ts';
import { RawJson } from '../../common/raw-json.ts';
import { SeenTexts } from '../../common/seen-texts.ts';
import type { SourceFilter } from '../../common/source-filter.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument, jsonSyntax, parsingError, validationFailed } from '../../errors/catalog.ts';
import { describe, type ShardFailure } from '../../errors/search-errors.ts';
import { type IndicesOptions, type ResolvedIndex, resolveIndices, SEARCH_OPTIONS } from '../../metadata/resolve.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import type { StoredScript } from '../../scripting/script-spec.ts';
import { EMPTY_REQUEST, parseSearchRequest, type SearchRequest, TRACK_ALL, TRACK_DEFAULT } from '../../search/request/search-request.ts';
import { parseSortParameter } from '../../search/request/sort-request.ts';
import { runInKernels } from '../../search/run/run-segment.ts';
import { runInTurns } from '../../search/run/steps.ts';
import { type SearchEnvironment, type SearchOutcome, type SearchTarget, searchSteps } from '../../search/search-shards.ts';
import { SearchCaches } from '../../search/shard/search-shard.ts';
import type { EngineContext } from '../core/context.ts';
import { RequestCache } from '../core/request-cache.ts';
import { searchPointInTime, startScroll } from './scroll.ts';
import { acquireTargets, indexSetting, maxBucketsOf } from './search-targets.ts';
import { hasLookup, resolveAggLookups, resolveLookups } from './terms-lookup.ts';
import { isVolatileBody, isVolatileText } from './volatile-requests.ts';

/** The parts of a URL search: `q` with its options. */
export interface QueryParameters {
  readonly q: string;
  readonly df?: string;
  readonly analyzer?: string;
  readonly analyzeWildcard?: boolean;
  readonly defaultOperator?: string;
  readonly lenient?: boolean;
}

/** Parameters of a search beside its body; what is undefined leaves the body's word. */
export interface SearchParameters {
  readonly query?: QueryParameters;
  readonly from?: number;
  readonly size?: number;
  readonly sort?: string;
  readonly source?: SourceFilter;
  readonly storedFields?: readonly string[];
  readonly docvalueFields?: readonly string[];
  readonly explain?: boolean;
  readonly version?: boolean;
  readonly seqNoPrimaryTerm?: boolean;
  readonly trackScores?: boolean;
  readonly trackTotalHitsUpTo?: number;
  readonly timeoutMs?: number;
  readonly terminateAfter?: number;
  readonly minScore?: number;
  readonly routing?: string;
  readonly profile?: boolean;
  readonly isDfs?: boolean;
  readonly typedKeys?: boolean;
  readonly totalHitsAsInt?: boolean;
  readonly allowPartialResults?: boolean;
  readonly scrollMs?: number;
  /** false: neither take nor keep an answer. */
  readonly requestCache?: boolean;
  /** `matched_queries` with scores. */
  readonly includeNamedScores?: boolean;
  /** Answers of shards that are reduced together before the last reduction. */
  readonly batchedReduceSize?: number;
  /** For more shards than this, those that cannot match are left out. */
  readonly preFilterShardSize?: number;
  /** Which copies of which shards: `_shards:0,2`, `_local`... */
  readonly preference?: string;
}

/** The indices part of a request. */
export interface SearchIndices {
  /** Expressions, empty: all. */
  readonly expressions: readonly string[];
  readonly options?: Partial<IndicesOptions>;
}

export interface SearchCall {
  readonly indices: SearchIndices;
  readonly parameters: SearchParameters;
  /** UTF-8 JSON, null: no body. */
  readonly body: Uint8Array | string | null;
}

/** Longest body that is kept parsed. */
const MAX_CACHED_BODY = 8192;
const MAX_CACHED_BODIES = 512;

export interface ParsedBody {
  readonly request: SearchRequest;
  readonly aggs: AggTree | null;
  /** Values come from documents of other indices. */
  readonly hasLookup: boolean;
  /** Its answer depends on more than its text and the shards (lookups, the time): not to be kept. */
  readonly isVolatile: boolean;
}

/** Words of lookups, or an escape that hides one: others need not be looked through. */
const MAY_LOOK_UP = /"(?:path|more_like_this|indexed_shape)"|\\u00[2-7]/;

const caches = new SearchCaches();
const bodies = new Map<string, ParsedBody>();
const seen = new SeenTexts();
const decoder = new TextDecoder();

/** @throws ApiError index_not_found_exception, index_closed_exception */
export function resolveSearch(ctx: EngineContext, { expressions, options }: SearchIndices): ResolvedIndex[] {
  return resolveIndices(ctx.cluster, expressions, options ? { ...SEARCH_OPTIONS, ...options } : SEARCH_OPTIONS);
}

export function textOfBody(body: SearchCall['body']): string {
  return body === null ? '' : typeof body === 'string' ? body : decoder.decode(body);
}

/** Parsed JSON of a body; undefined for an empty one. @throws ApiError the JSON errors */
export function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw jsonSyntax(error);
    throw error;
  }
}

/** @param isKept  false: the body is one that nobody is expected to send again */
export function parsedBody(ctx: EngineContext, text: string, nowMs: number, isKept = true): ParsedBody {
  const known = isKept ? bodies.get(text) : undefined;
  if (known) return known;
  const request = parseSearchRequest(parseBody(text));
  const context = { parseQuery: (json: unknown) => parseQuery(json), nowMs, maxBuckets: maxBucketsOf(ctx) };
  const aggs = request.aggs && Object.keys(request.aggs).length > 0 ? parseAggregations(request.aggs, context) : null;
  const lookup = MAY_LOOK_UP.test(text) && hasLookup(request, aggs);
  const parsed: ParsedBody = {
    request,
    hasLookup: lookup,
    aggs,
    isVolatile: text.length > MAX_CACHED_BODY || lookup || isVolatileBody(text, request, aggs),
  };
  if (isKept && !parsed.isVolatile) {
    if (bodies.size >= MAX_CACHED_BODIES) bodies.delete(bodies.keys().next().value!);
    bodies.set(text, parsed);
  }
  return parsed;
}

/** The query that `q` and its options stand for. */
export function queryOfParameters(parameters: QueryParameters): Query {
  const { q, df, analyzer, analyzeWildcard, defaultOperator, lenient } = parameters;
  return parseQuery({
    query_string: {
      query: q,
      ...(df === undefined ? {} : { default_field: df }),
      ...(analyzer === undefined ? {} : { analyzer }),
      ...(analyzeWildcard === undefined ? {} : { analyze_wildcard: analyzeWildcard }),
      ...(defaultOperator === undefined ? {} : { default_operator: defaultOperator }),
      ...(lenient === undefined ? {} : { lenient }),
    },
  });
}

/** The request with what parameters say laid over it. */
export function withParameters(request: SearchRequest, parameters: SearchParameters): SearchRequest {
  if (isEmpty(parameters)) return request;
  let isChanged = false;
  const merged: { -readonly [K in keyof SearchRequest]: SearchRequest[K] } = { ...request };
  const set = <K extends keyof SearchRequest>(key: K, value: SearchRequest[K] | undefined): void => {
    if (value === undefined) return;
    merged[key] = value;
    isChanged = true;
  };
  for (const key of ['from', 'size'] as const) {
    const value = parameters[key];
    if (value !== undefined && value < 0) throw illegalArgument(`[${key}] parameter cannot be negative, found [${value}]`);
    set(key, value);
  }
  if (parameters.query) set('query', queryOfParameters(parameters.query));
  if (parameters.sort !== undefined) set('sort', parseSortParameter(parameters.sort));
  set('source', parameters.source);
  set('storedFields', parameters.storedFields);
  set(
    'docvalueFields',
    parameters.docvalueFields?.map((field) => ({ field, format: null })),
  );
  for (const key of [
    'explain',
    'profile',
    'version',
    'seqNoPrimaryTerm',
    'trackScores',
    'trackTotalHitsUpTo',
    'timeoutMs',
    'terminateAfter',
    'minScore',
    'includeNamedScores',
  ] as const) {
    set(key, parameters[key] as never);
  }
  if (parameters.totalHitsAsInt) set('trackTotalHitsUpTo', plainTotals(request, parameters));
  return isChanged ? merged : request;
}

function isEmpty(parameters: SearchParameters): boolean {
  for (const _ in parameters) return false;
  return true;
}

/** How far totals shown as plain numbers are counted: they must be exact, or say that nothing was counted. @throws ApiError */
export function plainTotals(request: SearchRequest, parameters: SearchParameters): number {
  const given = parameters.trackTotalHitsUpTo ?? (request.trackTotalHitsUpTo === TRACK_DEFAULT ? TRACK_ALL : request.trackTotalHitsUpTo);
  if (given !== TRACK_ALL && given !== 0) {
    throw illegalArgument(`[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got ${given}`);
  }
  return given;
}

/** 200 body of `_search`. @throws ApiError what Elasticsearch answers for the request, or for all of its shards */
export async function search(ctx: EngineContext, call: SearchCall): Promise<MutableJsonObject> {
  const started = performance.now();
  const nowMs = Date.now();
  const text = textOfBody(call.body);
  // Of hits alone, only what is asked for twice is kept.
  const isKept = seen.meet(text) || text.includes('agg') || call.parameters.requestCache === true;
  const parsed = parsedBody(ctx, text, nowMs, isKept);
  const request = withParameters(parsed.request, call.parameters);
  if (call.parameters.scrollMs !== undefined) return startScroll(ctx, call, call.parameters.scrollMs);
  if (request.pit) {
    if (call.indices.expressions.length > 0) throw validationFailed(['[indices] cannot be used with point in time']);
    return searchPointInTime(ctx, call, request, parsed);
  }
  if (request.slice) {
    throw new ApiError('search_exception', 400, '`slice` cannot be used outside of a scroll context or PIT context');
  }
  const looked = parsed.hasLookup ? await resolveLookups(ctx, request) : request;
  const resolved = looked.indicesBoost.length > 0 ? withBoosts(ctx, looked, call.indices) : looked;
  const aggs = parsed.hasLookup && parsed.aggs ? await resolveAggLookups(ctx, parsed.aggs) : parsed.aggs;
  const acquired = acquireTargets(ctx, resolveSearch(ctx, call.indices), call.parameters);
  try {
    const isKeepable = isKept && !parsed.isVolatile && !isVolatileText(call.parameters.query?.q);
    const key =
      !isKeepable || request.profile || call.parameters.requestCache === false ? null : answerKey(ctx, call, text, acquired.targets);
    const answers = answersFor(ctx);
    const known = key === null ? null : answers.get(key, Math.floor(performance.now() - started));
    if (known) return known;
    const outcome = await runSearch(ctx, acquired.targets, resolved, aggs, call.parameters, nowMs);
    const json = searchJson(outcome, call.parameters, started);
    if (key !== null && !outcome.timedOut && outcome.failures.length === 0) answers.put(key, json);
    return json;
  } finally {
    acquired.release();
  }
}

/** Boosts by concrete names: aliases and patterns resolved, the first that names an index counts. @throws ApiError index_not_found_exception */
function withBoosts(ctx: EngineContext, request: SearchRequest, { options }: SearchIndices): SearchRequest {
  const boosts = new Map<string, number>();
  for (const { index, boost } of request.indicesBoost) {
    for (const { meta } of resolveIndices(ctx.cluster, [index], { ...SEARCH_OPTIONS, ...options }))
      if (!boosts.has(meta.name)) boosts.set(meta.name, boost);
  }
  return { ...request, indicesBoost: [...boosts].map(([index, boost]) => ({ index, boost })) };
}

/** Per node: generations of one node mean nothing in another that the same program opens. */
const answersOf = new WeakMap<EngineContext, RequestCache>();

function answersFor(ctx: EngineContext): RequestCache {
  let answers = answersOf.get(ctx);
  if (!answers) answersOf.set(ctx, (answers = new RequestCache()));
  return answers;
}

/** What an answer depends on, or null if on more than that: filters of aliases may hold dates. */
function answerKey(ctx: EngineContext, call: SearchCall, text: string, targets: readonly SearchTarget[]): string | null {
  let key = `${ctx.cluster.version}`;
  for (const { shard, aliasFilter } of targets) {
    if (aliasFilter !== null) return null;
    const enabled = ctx.cluster.indices[shard.index]?.settings['index.requests.cache.enable'];
    if (enabled === 'false' && call.parameters.requestCache !== true) return null;
    key += ` ${shard.uuid}/${shard.shard}@${shard.generation}`;
  }
  return `${key} ${JSON.stringify(call.parameters)} ${text}`;
}

export function environmentOf(ctx: EngineContext, parameters: SearchParameters, nowMs: number): SearchEnvironment {
  return {
    run: runInKernels,
    caches,
    nowMs,
    stop: () => false,
    maxBuckets: maxBucketsOf(ctx),
    dfs: parameters.isDfs ?? false,
    preFilterShards: parameters.preFilterShardSize,
    typedKeys: parameters.typedKeys ?? false,
    nodeId: ctx.nodeId,
    storedScript: (id) => storedScript(ctx, id),
    indexSetting: (index, name, fallback) => indexSetting(ctx, index, name, fallback),
  };
}

/** A stored script, null if there is none of that id. */
export function storedScript({ cluster }: EngineContext, id: string): StoredScript | null {
  const script = Object.hasOwn(cluster.scripts, id) ? cluster.scripts[id] : null;
  return script && { lang: String(script['lang']), source: String(script['source']) };
}

function runSearch(
  ctx: EngineContext,
  targets: readonly SearchTarget[],
  request: SearchRequest,
  aggs: AggTree | null,
  parameters: SearchParameters,
  nowMs: number,
): Promise<SearchOutcome> {
  return runInTurns(searchSteps(targets, request, aggs, environmentOf(ctx, parameters, nowMs)));
}

export function shardsJson(total: number, failures: readonly ShardFailure[], skipped = 0): MutableJsonObject {
  const json: MutableJsonObject = { total, successful: total - failures.length, skipped, failed: failures.length };
  if (failures.length > 0)
    json['failures'] = failures.map(({ shard, index, node, error }) => ({ shard, index, node, reason: describe(error) }));
  return json;
}

const DEFAULT_REDUCE_SIZE = 512;

/**
 * Reductions that answers of shards in batches of this size (2 or more) take: a full batch is reduced to one, which stands in the next batch as its
 * first. Answers without hits and aggregations are only counted, in one step.
 */
function reducePhases({ shards, failures, isReduced }: SearchOutcome, size: number): number {
  const answers = shards - failures.length;
  if (!isReduced || answers <= size) return 1;
  return 2 + Math.floor((answers - size - 1) / (size - 1));
}

export function searchJson(
  outcome: SearchOutcome,
  parameters: SearchParameters,
  started: number,
  extra: MutableJsonObject = {},
): MutableJsonObject {
  const json: MutableJsonObject = { ...extra, took: Math.floor(performance.now() - started), timed_out: outcome.timedOut };
  if (outcome.terminatedEarly !== null) json['terminated_early'] = outcome.terminatedEarly;
  const phases = reducePhases(outcome, parameters.batchedReduceSize ?? DEFAULT_REDUCE_SIZE);
  if (phases > 1) json['num_reduce_phases'] = phases;
  json['_shards'] = shardsJson(outcome.shards, outcome.failures, outcome.skipped);
  const hits: MutableJsonObject = {};
  if (outcome.total) hits['total'] = parameters.totalHitsAsInt ? outcome.total.value : outcome.total;
  else if (parameters.totalHitsAsInt) hits['total'] = -1;
  hits['max_score'] = outcome.maxScore;
  hits['hits'] = outcome.hits;
  json['hits'] = hits;
  if (outcome.aggregations) json['aggregations'] = outcome.aggregations;
  if (parameters.totalHitsAsInt) for (const hit of outcome.hits) plainInnerTotals(hit['inner_hits']);
  if (parameters.totalHitsAsInt) plainInnerTotals(outcome.aggregations);
  if (outcome.suggest) json['suggest'] = outcome.suggest;
  if (outcome.profile) json['profile'] = outcome.profile;
  return json;
}

/** Makes totals of hits inside of an answer (`inner_hits`, `top_hits`) plain numbers. @param json  fresh, not shared */
function plainInnerTotals(json: unknown): void {
  if (Array.isArray(json)) json.forEach(plainInnerTotals);
  if (!isObject(json) || json instanceof RawJson) return;
  for (const [key, value] of Object.entries(json as MutableJsonObject)) {
    const hits = key === 'hits' ? (value as MutableJsonObject | null)?.['hits'] : undefined;
    if (!Array.isArray(hits)) {
      plainInnerTotals(value);
      continue;
    }
    const found = value as MutableJsonObject;
    if (isObject(found['total'])) found['total'] = found['total']['value'];
    for (const hit of hits as MutableJsonObject[]) plainInnerTotals(hit['inner_hits']);
  }
}

/** Body of `_count`: `{ count, _shards }`. */
export async function count(ctx: EngineContext, call: SearchCall): Promise<MutableJsonObject> {
  const nowMs = Date.now();
  const body = parseBody(textOfBody(call.body));
  let query: Query | null = call.parameters.query ? queryOfParameters(call.parameters.query) : null;
  if (body !== undefined) {
    if (!isObject(body)) throw parsingError('Expected [START_OBJECT]');
    for (const key of Object.keys(body)) if (key !== 'query') throw parsingError(`request does not support [${key}]`);
    if (body['query'] !== undefined) query = parseQuery(body['query']);
  }
  const request = await resolveLookups(ctx, {
    ...EMPTY_REQUEST,
    query,
    size: 0,
    trackTotalHitsUpTo: Number.POSITIVE_INFINITY,
    terminateAfter: call.parameters.terminateAfter ?? 0,
    minScore: call.parameters.minScore ?? null,
  });
  const acquired = acquireTargets(ctx, resolveSearch(ctx, call.indices), call.parameters);
  try {
    const outcome = await runSearch(ctx, acquired.targets, request, null, call.parameters, nowMs);
    const json: MutableJsonObject = { count: outcome.total?.value ?? 0 };
    if (outcome.terminatedEarly !== null) json['terminated_early'] = outcome.terminatedEarly;
    json['_shards'] = shardsJson(outcome.shards, outcome.failures);
    return json;
  } finally {
    acquired.release();
  }
}
