// `_count`: how many documents match a query.
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { parsingError } from '../../errors/catalog.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { TRACK_ALL } from '../../search/request/request-parts.ts';
import { EMPTY_REQUEST, type SearchRequest } from '../../search/request/search-request.ts';
import type { EngineContext } from '../core/context.ts';
import { parseJsonText } from '../core/json-text.ts';
import type { SearchParameters } from '../core/search-parameters.ts';
import { queryOfParameters } from './apply-parameters.ts';
import { helpRequest } from './help-search.ts';
import { runSearch } from './run-search.ts';
import { acquireSpread } from './scatter/acquire-spread.ts';
import { distantSearch } from './scatter/distant-search.ts';
import { bodyText, resolveSearch, type SearchCall } from './search-call.ts';
import { shardsJson } from './search-response.ts';
import { resolveQuery } from './terms-lookup.ts';

/** Body of `_count`: `{ count, _shards }`. @throws ApiError */
export async function count(ctx: EngineContext, call: SearchCall): Promise<MutableJsonObject> {
  const { parameters, mobility } = call;
  const { query, hasLookups } = readQuery(call);
  const request = countRequest(query && (await resolveQuery(ctx, query)), parameters);
  const acquiring = acquireSpread(ctx, resolveSearch(ctx, call.indices), parameters);
  const acquired = acquiring instanceof Promise ? await acquiring : acquiring;
  try {
    const nowMs = Date.now();
    const distant = distantSearch(ctx, asSearch(call), acquired, bodyText(call.body), nowMs);
    const askHelpers = hasLookups || distant ? null : call.askHelpers;
    const outcome = await runSearch(ctx, { ...acquired, distant, request, aggs: null, parameters, nowMs, mobility, askHelpers });
    const json: MutableJsonObject = { count: outcome.total?.value ?? 0 };
    if (outcome.terminatedEarly !== null) json['terminated_early'] = outcome.terminatedEarly;
    json['_shards'] = shardsJson(outcome.shards, outcome.failures);
    return json;
  } finally {
    acquired.release();
  }
}

/** What this thread counts in the segments that it claims, as helpSearch. */
export function helpCount(ctx: EngineContext, call: SearchCall, part: JsonObject): Promise<Uint8Array> {
  return helpRequest(ctx, call, { request: countRequest(readQuery(call).query, call.parameters), aggs: null }, part);
}

function countRequest(query: Query | null, { terminateAfter = 0, minScore }: SearchParameters): SearchRequest {
  return { ...EMPTY_REQUEST, query, size: 0, trackTotalHitsUpTo: TRACK_ALL, terminateAfter, minScore: minScore ?? null };
}

/** The search that finds what the request counts. */
function asSearch({ indices, body, parameters }: SearchCall): Pick<SearchCall, 'indices' | 'parameters'> {
  const hasQuery = (parseJsonText(bodyText(body)) as JsonObject | undefined)?.['query'] !== undefined;
  const query = hasQuery ? undefined : parameters.query;
  return { indices, parameters: { ...parameters, query, size: 0, trackTotalHitsUpTo: TRACK_ALL } };
}

/** The query of the body or, without one, of the parameters; null matches everything. `hasLookups`: it refers to documents. */
function readQuery({ body, parameters }: SearchCall): { readonly query: Query | null; readonly hasLookups: boolean } {
  const json = parseJsonText(bodyText(body));
  if (json !== undefined) {
    if (!isObject(json)) throw parsingError('Expected [START_OBJECT]');
    for (const key of Object.keys(json)) if (key !== 'query') throw parsingError(`request does not support [${key}]`);
    if (json['query'] !== undefined) {
      let hasLookups = false;
      const query = parseQuery(json['query'], (reason) => {
        hasLookups ||= reason === 'document_lookup';
      });
      return { query, hasLookups };
    }
  }
  return { query: parameters.query ? queryOfParameters(parameters.query) : null, hasLookups: false };
}
