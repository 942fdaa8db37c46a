// Query DSL: JSON -> typed tree. One parser per query name; this file dispatches, counts depth and reads what every query has.

import { isObject, type JsonObject, tokenOf } from '../common/json-value.ts';
import { didYouMean } from '../common/nearest-name.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgument, parsingError } from '../errors/catalog.ts';
import { COMPOUND_PARSERS } from './compound-queries.ts';
import { GEO_PARSERS } from './geo-queries.ts';
import { parseIntervals } from './interval-queries.ts';
import { JOIN_PARSERS } from './join-queries.ts';
import { LEAF_PARSERS } from './leaf-queries.ts';
import { parseMoreLikeThis } from './more-like-this.ts';
import type { Query } from './query.ts';
import { SCORE_PARSERS } from './score-queries.ts';
import { SPAN_PARSERS } from './span-queries.ts';
import { TEXT_PARSERS } from './text-queries.ts';

/** Deepest nesting of queries in queries (`indices.query.bool.max_nested_depth`). */
export const MAX_QUERY_DEPTH = 30;

export interface QueryParseContext {
  /** Parses a query inside a query. @throws ApiError */
  inner(body: unknown): Query;
}

export type QueryParser = (body: JsonObject, context: QueryParseContext) => Query;

const PARSERS: ReadonlyMap<string, QueryParser> = new Map(
  Object.entries({
    ...LEAF_PARSERS,
    ...TEXT_PARSERS,
    ...COMPOUND_PARSERS,
    ...GEO_PARSERS,
    ...SCORE_PARSERS,
    ...SPAN_PARSERS,
    ...JOIN_PARSERS,
    intervals: parseIntervals,
    more_like_this: parseMoreLikeThis,
    wrapper: parseWrapper,
  }),
);

/** `{ "match": {...} }`. @throws ApiError parsing_exception, illegal_argument_exception, x_content_parse_exception */
export function parseQuery(body: unknown): Query {
  return parseAtDepth(body, 1);
}

function parseAtDepth(body: unknown, depth: number): Query {
  if (depth > MAX_QUERY_DEPTH) {
    throw illegalArgument(
      `The nested depth of the query exceeds the maximum nested depth for queries set in [indices.query.bool.max_nested_depth]`,
    );
  }
  if (!isObject(body)) throw parsingError('[_na] query malformed, must start with start_object');
  const names = Object.keys(body);
  if (names.length === 0) throw illegalArgument('query malformed, empty clause found');
  const [name] = names;
  const content = body[name];
  if (!isObject(content)) throw parsingError(`[${name}] query malformed, no start_object after query name`);
  const parser = PARSERS.get(name);
  if (!parser) throw unknownQuery(name);
  const query = parser(content, { inner: (innerBody) => parseAtDepth(innerBody, depth + 1) });
  if (names.length > 1) throw parsingError(`[${name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`);
  return query;
}

function unknownQuery(name: string): ApiError {
  const cause = new ApiError('named_object_not_found_exception', 400, `unknown field [${name}]`);
  return parsingError(`unknown query [${name}]${didYouMean(name, PARSERS.keys())}`, null, cause);
}

/** A query as base64 text. */
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
    throw parsingError(`[wrapper] query holds no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return context.inner(decoded);
}
