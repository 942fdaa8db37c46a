// Applies the parameters of a search, which override its body.

import { illegalArgumentError } from '../../errors/catalog.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { TRACK_ALL } from '../../search/request/request-parts.ts';
import { type SearchRequest, TRACK_DEFAULT } from '../../search/request/search-request.ts';
import { parseSortParameter } from '../../search/request/sort-request.ts';
import type { QueryParameters, SearchParameters } from '../core/search-parameters.ts';

/** The query_string query for `q` and its options. */
export function queryOfParameters(parameters: QueryParameters): Query {
  const { q, df, analyzer, analyzeWildcard, defaultOperator, lenient } = parameters;
  const options = { default_field: df, analyzer, analyze_wildcard: analyzeWildcard, default_operator: defaultOperator, lenient };
  return parseQuery({ query_string: { query: q, ...withoutUndefined(options) } });
}

/** The request with the values of the body overridden by the given parameters. @throws ApiError illegal_argument_exception */
export function withParameters(request: SearchRequest, parameters: SearchParameters): SearchRequest {
  if (isEmpty(parameters)) return request;
  const { from, size, query, sort, docvalueFields } = parameters;
  for (const [name, value] of Object.entries({ from, size }))
    if (value !== undefined && value < 0) throw illegalArgumentError(`[${name}] parameter cannot be negative, found [${value}]`);
  return {
    ...request,
    ...withoutUndefined({
      from,
      size,
      query: query && queryOfParameters(query),
      sort: sort === undefined ? undefined : parseSortParameter(sort),
      source: parameters.source,
      storedFields: parameters.storedFields,
      docvalueFields: docvalueFields?.map((field) => ({ field, format: null })),
      explain: parameters.explain,
      profile: parameters.profile,
      version: parameters.version,
      seqNoPrimaryTerm: parameters.seqNoPrimaryTerm,
      trackScores: parameters.trackScores,
      trackTotalHitsUpTo: parameters.totalHitsAsInt ? exactTotals(request, parameters) : parameters.trackTotalHitsUpTo,
      timeoutMs: parameters.timeoutMs,
      terminateAfter: parameters.terminateAfter,
      minScore: parameters.minScore,
      includeNamedScores: parameters.includeNamedScores,
      stats: parameters.stats,
    }),
  };
}

function isEmpty(parameters: SearchParameters): boolean {
  for (const _ in parameters) return false;
  return true;
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** A copy without the members that are undefined, so that spreading it leaves the other object's values. */
function withoutUndefined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/**
 * Exactness of the hit count when totals are shown as plain numbers (`rest_total_hits_as_int`): exactly or not at all.
 * @throws ApiError illegal_argument_exception: the request wants a lower bound
 */
export function exactTotals(request: SearchRequest, parameters: SearchParameters): number {
  const given = parameters.trackTotalHitsUpTo ?? (request.trackTotalHitsUpTo === TRACK_DEFAULT ? TRACK_ALL : request.trackTotalHitsUpTo);
  if (given !== TRACK_ALL && given !== 0) {
    throw illegalArgumentError(`[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got ${given}`);
  }
  return given;
}
