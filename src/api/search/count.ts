// `_count`: how many documents match a query.
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { parsingError } from '../../errors/catalog.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { TRACK_ALL } from '../../search/request/request-parts.ts';
import { EMPTY_REQUEST } from '../../search/request/search-request.ts';
import type { EngineContext } from '../core/context.ts';
import { parseJsonText } from '../core/json-text.ts';
import { queryOfParameters } from './apply-parameters.ts';
import { runSearch } from './run-search.ts';
import { bodyText, resolveSearch, type SearchCall } from './search-call.ts';
import { shardsJson } from './search-response.ts';
import { acquireTargets } from './search-targets.ts';
import { resolveQuery } from './terms-lookup.ts';

/** Body of `_count`: `{ count, _shards }`. @throws ApiError */
export async function count(ctx: EngineContext, call: SearchCall): Promise<MutableJsonObject> {
  const { parameters, mobility } = call;
  const request = {
    ...EMPTY_REQUEST,
    query: await readQuery(ctx, call),
    size: 0,
    trackTotalHitsUpTo: TRACK_ALL,
    terminateAfter: parameters.terminateAfter ?? 0,
    minScore: parameters.minScore ?? null,
  };
  const acquired = acquireTargets(ctx, resolveSearch(ctx, call.indices), parameters);
  try {
    const outcome = await runSearch(ctx, { ...acquired, request, aggs: null, parameters, nowMs: Date.now(), mobility });
    const json: MutableJsonObject = { count: outcome.total?.value ?? 0 };
    if (outcome.terminatedEarly !== null) json['terminated_early'] = outcome.terminatedEarly;
    json['_shards'] = shardsJson(outcome.shards, outcome.failures);
    return json;
  } finally {
    acquired.release();
  }
}

/** The query of the body or, without one, of the parameters; null matches everything. */
async function readQuery(ctx: EngineContext, { body, parameters }: SearchCall): Promise<Query | null> {
  const json = parseJsonText(bodyText(body));
  if (json !== undefined) {
    if (!isObject(json)) throw parsingError('Expected [START_OBJECT]');
    for (const key of Object.keys(json)) if (key !== 'query') throw parsingError(`request does not support [${key}]`);
    if (json['query'] !== undefined) return resolveQuery(ctx, parseQuery(json['query']));
  }
  return parameters.query ? queryOfParameters(parameters.query) : null;
}
