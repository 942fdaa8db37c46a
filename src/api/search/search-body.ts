// Search bodies: JSON text -> parsed request and aggregations, cached by text.

import { parseAggregations } from '../../aggs/index.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { ClauseCounter } from '../../query/clause-counter.ts';
import { parseQuery } from '../../query/parse-query.ts';
import { reportUncacheableValues, type UncacheableReason } from '../../query/uncacheable.ts';
import { parseSearchRequest } from '../../search/request/search-request.ts';
import type { EngineContext } from '../core/context.ts';
import { parseJsonText } from '../core/json-text.ts';
import type { ParsedBody } from '../core/search-caches.ts';

/** Longest body that is cached, in characters. */
const MAX_CACHED_BODY = 8192;

/**
 * @param useCache false for a body that is not expected again: caching it makes it outlive the request, which costs more than parsing it
 * again
 * @throws ApiError parsing_exception and the other errors of bodies
 */
export function parseSearchBody({ searchCaches, dialect }: EngineContext, text: string, useCache = true): ParsedBody {
  const cached = useCache ? searchCaches.bodies.get(text) : undefined;
  if (cached) return cached;
  const parsed = parse(text, dialect);
  if (useCache && isCacheable(text, parsed)) searchCaches.bodies.set(text, parsed);
  return parsed;
}

/** True if responses to this body depend only on the shards. */
export function isCacheable(text: string, { uncacheable }: ParsedBody): boolean {
  return text.length <= MAX_CACHED_BODY && uncacheable.size === 0;
}

function parse(text: string, dialect: Dialect): ParsedBody {
  const uncacheable = new Set<UncacheableReason>();
  const report = (reason: UncacheableReason) => uncacheable.add(reason);
  const json = parseJsonText(text);
  reportUncacheableValues(json, report);
  const request = parseSearchRequest(json, report);
  const clauses = new ClauseCounter();
  const context = {
    dialect,
    parseQuery: (query: unknown) => parseQuery(query, report, clauses),
    checkHits: (hits: JsonObject) => void parseSearchRequest(hits, report),
  };
  const aggs = request.aggs && Object.keys(request.aggs).length > 0 ? parseAggregations(request.aggs, context) : null;
  return { request, aggs, uncacheable };
}
