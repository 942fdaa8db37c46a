// Parser of the query DSL: JSON -> typed tree. Each query name has its own parser; this file dispatches to them and limits the depth.

import { isObject, type JsonObject, tokenOf } from '../common/json/json-value.ts';
import { didYouMean } from '../common/text/nearest-name.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../errors/catalog.ts';
import { ClauseCounter } from './clause-counter.ts';
import { COMPOUND_PARSERS } from './compound-queries.ts';
import { GEO_PARSERS } from './geo/geo-queries.ts';
import { JOIN_PARSERS } from './join-queries.ts';
import { LEAF_PARSERS } from './leaf-queries.ts';
import { parsePercolate } from './percolate.ts';
import { parseIntervals } from './positional/interval-queries.ts';
import { SPAN_PARSERS } from './positional/span-queries.ts';
import type { Query } from './query.ts';
import type { QueryParseContext, QueryParser } from './query-parser.ts';
import { parsePinned } from './scores/pinned.ts';
import { SCORE_PARSERS } from './scores/score-queries.ts';
import { parseCombinedFields } from './text/combined-fields.ts';
import { parseMoreLikeThis } from './text/more-like-this.ts';
import { TEXT_PARSERS } from './text/text-queries.ts';
import { type ReportUncacheable, reportUncacheableValues } from './uncacheable.ts';
import { parseKnn } from './vectors/knn-query.ts';
import { parseSparseVector, parseWeightedTokens } from './vectors/sparse-vector-query.ts';

/** Largest depth of nested queries (`indices.query.bool.max_nested_depth`). */
export const MAX_QUERY_DEPTH = 30;

const PARSERS: ReadonlyMap<string, QueryParser> = new Map(
  Object.entries({
    ...LEAF_PARSERS,
    ...TEXT_PARSERS,
    ...COMPOUND_PARSERS,
    ...GEO_PARSERS,
    ...SCORE_PARSERS,
    ...SPAN_PARSERS,
    ...JOIN_PARSERS,
    combined_fields: parseCombinedFields,
    intervals: parseIntervals,
    knn: (body, { inner }) => parseKnn(body, inner),
    more_like_this: parseMoreLikeThis,
    percolate: parsePercolate,
    pinned: parsePinned,
    sparse_vector: parseSparseVector,
    weighted_tokens: parseWeightedTokens,
    wrapper: parseWrapper,
  }),
);

/** Names of all queries. */
export const QUERY_NAMES: readonly string[] = [...PARSERS.keys()];

/**
 * Parses `{ "match": {...} }`.
 * @param report   receives the reasons why answers to this query cannot be cached
 * @param clauses  shared by the queries of a request
 * @throws ApiError parsing_exception, illegal_argument_exception, x_content_parse_exception
 */
export function parseQuery(body: unknown, report: ReportUncacheable = () => undefined, clauses = new ClauseCounter()): Query {
  return parseAtDepth(body, 1, report, clauses);
}

function parseAtDepth(body: unknown, depth: number, report: ReportUncacheable, clauses: ClauseCounter): Query {
  clauses.add();
  if (depth > MAX_QUERY_DEPTH) {
    throw illegalArgumentError(
      `The nested depth of the query exceeds the maximum nested depth for queries set in [indices.query.bool.max_nested_depth]`,
    );
  }
  if (!isObject(body)) throw parsingError('[_na] query malformed, must start with start_object');
  const names = Object.keys(body);
  if (names.length === 0) throw illegalArgumentError('query malformed, empty clause found');
  const [name] = names;
  const content = body[name];
  if (!isObject(content)) throw parsingError(`[${name}] query malformed, no start_object after query name`);
  const parser = PARSERS.get(name);
  if (!parser) throw unknownQueryError(name);
  const query = parser(content, { inner: (innerBody) => parseAtDepth(innerBody, depth + 1, report, clauses), report, clauses });
  reportUncacheableQuery(query, report);
  if (names.length > 1) throw parsingError(`[${name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`);
  return query;
}

/** Reports why answers to one parsed query cannot be cached. Its inner queries are reported when they are parsed. */
function reportUncacheableQuery(query: Query, report: ReportUncacheable): void {
  switch (query.kind) {
    case 'terms_lookup':
      report('document_lookup');
      return;
    case 'geo_shape':
      if (query.indexed !== null) report('document_lookup');
      return;
    case 'more_like_this':
      for (const item of [...query.like, ...query.unlike])
        if (typeof item !== 'string' && item.kind === 'like_document') report('document_lookup');
      return;
    case 'function_score':
      for (const { function: score } of query.functions) {
        if (score.kind === 'random' && score.seed === null) report('random_score');
        if (score.kind === 'decay' && score.origin === null) report('now');
      }
      return;
    default:
  }
}

function unknownQueryError(name: string): ApiError {
  const cause = new ApiError('named_object_not_found_exception', 400, `unknown field [${name}]`);
  return parsingError(`unknown query [${name}]${didYouMean(name, PARSERS.keys())}`, null, cause);
}

/** A query encoded in base64. */
function parseWrapper(body: JsonObject, context: QueryParseContext): Query {
  for (const key of Object.keys(body)) {
    if (key !== 'query') throw parsingError(`[wrapper] query malformed, expected \`query\` but was ${key}`);
  }
  const text = body['query'];
  if (typeof text !== 'string') throw parsingError(`[wrapper] query malformed, found [${tokenOf(text)}]`);
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch (error) {
    throw parsingError(`[wrapper] query is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  reportUncacheableValues(decoded, context.report);
  return context.inner(decoded);
}
