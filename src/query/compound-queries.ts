// Parsers of compound queries: bool, boosting, constant_score, dis_max, nested.

import { isObject, type JsonObject, tokenOf } from '../common/json/json-value.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../errors/catalog.ts';
import { readBase } from './field-body.ts';
import { BASE_KINDS, bareBody, bareEntries, ObjectParser } from './parameters.ts';
import type { NestedQuery, Query } from './query.ts';
import type { QueryParseContext, QueryParser } from './query-parser.ts';
import { readBoolean, readFloat, readList, readText, readTextOrNull } from './read-json.ts';
import { parseFunctionScore } from './scores/function-score.ts';

export const COMPOUND_PARSERS: Readonly<Record<string, QueryParser>> = {
  bool: parseBool,
  boosting: parseBoosting,
  constant_score: parseConstantScore,
  dis_max: parseDisMax,
  nested: parseNested,
  function_score: parseFunctionScore,
};

const BOOL = new ObjectParser('bool', {
  must: 'objectsOrNull',
  filter: 'objectsOrNull',
  should: 'objectsOrNull',
  must_not: 'objectsOrNull',
  mustNot: 'objectsOrNull',
  minimum_should_match: 'scalar',
  adjust_pure_negative: 'boolean',
  ...BASE_KINDS,
});

function parseBool(body: JsonObject, context: QueryParseContext): Query {
  const clauses = { must: [] as Query[], filter: [] as Query[], should: [] as Query[], mustNot: [] as Query[] };
  let minimumShouldMatch: string | null = null;
  let adjustPureNegative = true;
  BOOL.check(body);
  for (const [key, value] of Object.entries(body)) {
    switch (key) {
      case 'must':
      case 'filter':
      case 'should':
      case 'must_not':
      case 'mustNot':
        readClauses(key, value, context, key === 'must_not' ? clauses.mustNot : clauses[key]);
        break;
      case 'minimum_should_match':
        minimumShouldMatch = readTextOrNull(value, 'bool');
        break;
      case 'adjust_pure_negative':
        adjustPureNegative = BOOL.read(key, () => readBoolean(value, 'bool'));
        break;
      default:
    }
  }
  return { kind: 'bool', ...clauses, minimumShouldMatch, adjustPureNegative, ...readBase('bool', body, BOOL) };
}

function readClauses(key: string, value: unknown, context: QueryParseContext, into: Query[]): void {
  if (value === null) return; // treated as absent
  for (const clause of readList(value)) into.push(BOOL.read(key, () => context.inner(objectOf(clause))));
}

/** An element of a list of objects. @throws ApiError illegal_state_exception: it is an array */
function objectOf(element: unknown): unknown {
  if (Array.isArray(element)) throw new ApiError('illegal_state_exception', 400, 'expected value but got [START_ARRAY]');
  return element;
}

function parseBoosting(body: JsonObject, context: QueryParseContext): Query {
  let positive: Query | null = null;
  let negative: Query | null = null;
  let negativeBoost = -1;
  for (const [key, value] of bareEntries(body)) {
    if (key === 'positive') positive = context.inner(value);
    else if (key === 'negative') negative = context.inner(value);
    else if (key === 'negative_boost') negativeBoost = readFloat(value, 'boosting');
    else if (key !== 'boost' && key !== '_name') throw parsingError(`[boosting] query does not support [${key}]`);
  }
  if (!positive) throw parsingError("[boosting] query requires 'positive' query to be set'");
  if (!negative) throw parsingError("[boosting] query requires 'negative' query to be set'");
  if (negativeBoost < 0) throw parsingError("[boosting] query requires 'negative_boost' to be set to be a positive value'");
  return { kind: 'boosting', positive, negative, negativeBoost, ...readBase('boosting', bareBody(body)) };
}

function parseConstantScore(body: JsonObject, context: QueryParseContext): Query {
  let filter: Query | null = null;
  for (const [key, value] of Object.entries(body)) {
    if (value === null || Array.isArray(value)) throw parsingError(`unexpected token [${tokenOf(value)}]`);
    if (isObject(value) && key !== 'filter') throw parsingError(`[constant_score] query does not support [${key}]`);
    if (key === 'filter') {
      if (filter) throw parsingError("[constant_score] accepts only one 'filter' element.");
      filter = context.inner(value);
    } else if (key !== 'boost' && key !== '_name') {
      throw parsingError(`[constant_score] query does not support [${key}]`);
    }
  }
  if (!filter) throw parsingError("[constant_score] requires a 'filter' element");
  return { kind: 'constant_score', filter, ...readBase('constant_score', body) };
}

function parseDisMax(body: JsonObject, context: QueryParseContext): Query {
  let queries: Query[] | null = null;
  let tieBreaker = 0;
  for (const [key, value] of Object.entries(body)) {
    const isClauses = key === 'queries';
    if (isObject(value) || Array.isArray(value) ? !isClauses : isClauses) throw parsingError(`[dis_max] query does not support [${key}]`);
    if (key === 'queries') queries = readList(value).map((inner) => context.inner(inner));
    else if (key === 'tie_breaker') tieBreaker = readFloat(value, 'dis_max');
    else if (key !== 'boost' && key !== '_name') throw parsingError(`[dis_max] query does not support [${key}]`);
  }
  if (!queries || queries.length === 0) throw parsingError("[dis_max] requires 'queries' field with at least one clause");
  return { kind: 'dis_max', queries, tieBreaker, ...readBase('dis_max', body) };
}

const SCORE_MODES = new Set(['none', 'avg', 'sum', 'min', 'max']);

function parseNested(body: JsonObject, context: QueryParseContext): Query {
  let path: string | null = null;
  let query: Query | null = null;
  let scoreMode: NestedQuery['scoreMode'] = 'avg';
  let ignoreUnmapped = false;
  let innerHits: JsonObject | null = null;
  for (const [key, value] of bareEntries(body)) {
    switch (key) {
      case 'path':
        path = readText(value, 'nested');
        break;
      case 'query':
        query = context.inner(value);
        break;
      case 'score_mode': {
        const mode = readText(value, 'nested');
        if (!SCORE_MODES.has(mode)) throw illegalArgumentError(`No score mode for child query [${mode}] found`);
        scoreMode = mode as NestedQuery['scoreMode'];
        break;
      }
      case 'ignore_unmapped':
        ignoreUnmapped = readBoolean(value, 'nested');
        break;
      case 'inner_hits':
        if (!isObject(value)) throw parsingError(`[nested] inner_hits expects an object, but found [${tokenOf(value)}]`);
        innerHits = value;
        break;
      case 'boost':
      case '_name':
        break;
      default:
        throw parsingError(`[nested] query does not support [${key}]`);
    }
  }
  if (path === null) throw illegalArgumentError("[nested] requires 'path' field");
  if (query === null) throw illegalArgumentError("[nested] requires 'query' field");
  return { kind: 'nested', path, query, scoreMode, ignoreUnmapped, innerHits, ...readBase('nested', bareBody(body)) };
}
