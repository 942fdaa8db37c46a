// `_search`.
import type { SearchParameters } from '../../api/core/search-parameters.ts';
import { helpSearch } from '../../api/search/help-search.ts';
import { answerPart } from '../../api/search/scatter/search-part.ts';
import { searchThrough } from '../../api/search/search-pipelines.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type Params, QUERY_STRING, type RestContext, SOURCE_FILTER } from '../core/api.ts';
import { readInt } from '../core/param-kinds.ts';
import { indicesOf, isDfs, preFilterShardSize, queryParametersOf } from '../core/params/search-params.ts';
import { sourceFilterOf } from '../core/params/source-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const SEARCH_PARAMS: Params = {
  ...INDICES_OPTIONS,
  ...QUERY_STRING,
  ...SOURCE_FILTER,
  _source_exclude_vectors: 'boolean',
  from: 'int',
  size: 'int',
  sort: 'string',
  stored_fields: 'list',
  docvalue_fields: 'list',
  explain: 'boolean',
  version: 'boolean',
  seq_no_primary_term: 'boolean',
  track_scores: 'boolean',
  track_total_hits: 'string',
  timeout: 'time',
  terminate_after: 'int',
  routing: 'string',
  preference: 'string',
  search_type: 'string',
  typed_keys: 'boolean',
  rest_total_hits_as_int: 'boolean',
  allow_partial_search_results: 'boolean',
  batched_reduce_size: 'int',
  pre_filter_shard_size: 'int',
  max_concurrent_shard_requests: 'int',
  request_cache: 'boolean',
  ccs_minimize_roundtrips: 'boolean',
  cancel_after_time_interval: 'time',
  stats: 'list',
  include_named_queries_score: 'boolean',
  scroll: 'time',
};

export const searchApi = defineApi({
  name: 'search',
  body: 'bytes',
  needs: 'indices:data/read/search',
  params: { ...SEARCH_PARAMS, search_pipeline: 'string' },
  routes: {
    'GET  /_search': searchDocs,
    'POST /_search': searchDocs,
    'GET  /{index}/_search': searchDocs,
    'POST /{index}/_search': searchDocs,
  },
});

const NO_PARAMETERS: SearchParameters = {};

/** @throws ApiError illegal_argument_exception */
export function parametersOf(request: ApiRequest): SearchParameters {
  // Most searches have no parameters.
  let isEmpty = true;
  for (const key in request.query) {
    if (key !== 'pretty' && key !== 'human' && key !== 'filter_path') {
      isEmpty = false;
      break;
    }
  }
  if (isEmpty) return NO_PARAMETERS;
  const batch = request.int('batched_reduce_size');
  if (batch !== undefined && batch < 2) throw illegalArgumentError('batchedReduceSize must be >= 2');
  const concurrent = request.int('max_concurrent_shard_requests');
  if (concurrent !== undefined && concurrent < 1) throw illegalArgumentError('maxConcurrentShardRequests must be >= 1');
  const source = sourceFilterOf(request);
  return {
    query: queryParametersOf(request),
    from: request.int('from'),
    size: request.int('size'),
    sort: request.string('sort'),
    source: source ?? undefined,
    storedFields: request.list('stored_fields'),
    docvalueFields: request.list('docvalue_fields'),
    includeNamedScores: request.boolean('include_named_queries_score'),
    stats: request.list('stats'),
    explain: request.boolean('explain'),
    version: request.boolean('version'),
    seqNoPrimaryTerm: request.boolean('seq_no_primary_term'),
    trackScores: request.boolean('track_scores'),
    trackTotalHitsUpTo: trackTotalHits(request),
    timeoutMs: request.timeMs('timeout'),
    terminateAfter: request.int('terminate_after'),
    routing: request.string('routing'),
    isDfs: isDfs(request),
    typedKeys: request.boolean('typed_keys'),
    totalHitsAsInt: request.boolean('rest_total_hits_as_int'),
    scrollMs: request.timeMs('scroll'),
    requestCache: request.boolean('request_cache'),
    batchedReduceSize: batch,
    preFilterShardSize: preFilterShardSize(request),
    preference: request.string('preference'),
    allowPartialResults: request.boolean('allow_partial_search_results'),
  };
}

function trackTotalHits(request: ApiRequest): number | undefined {
  const text = request.string('track_total_hits');
  if (text === undefined) return undefined;
  if (text === 'true' || text === '') return Number.POSITIVE_INFINITY;
  if (text === 'false') return 0;
  const number = readInt('track_total_hits', text);
  if (number < -1) throw illegalArgumentError(`[track_total_hits] parameter must be positive or equals to -1, got ${number}`);
  return number === -1 ? 0 : number;
}

/** 200 `{ took, timed_out, _shards, hits, aggregations }`. @throws ApiError */
async function searchDocs(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const call = {
    indices: indicesOf(request),
    parameters: parametersOf(request),
    body: request.bytes,
    mobility: request.mobility,
    opaqueId: () => request.http.header('x-opaque-id'),
    askHelpers: request.askHelpers,
  };
  if (request.help !== null) return { status: 200, bytes: await helpSearch(engine, call, request.help) };
  // Another node asks for a part.
  if (request.part !== null) return { status: 200, bytes: await answerPart(engine, request.part, request.mobility) };
  return ok(await searchThrough(engine, call, request.string('search_pipeline') ?? null));
}
