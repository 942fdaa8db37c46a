// Parsers of span queries, which together become one tree. Source: Elasticsearch's span query builders (behaviour, error messages).

import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { checkKeys, readBase, readFieldBody } from '../field-body.ts';
import type { Query } from '../query.ts';
import type { QueryParseContext, QueryParser } from '../query-parser.ts';
import { readBoolean, readInt, readText } from '../read-json.ts';
import type { MultiTermQuery, SpanClause } from './positional-rules.ts';

type Parse = (body: JsonObject, context: QueryParseContext) => SpanClause;

function spanParser(name: string, parse: Parse): QueryParser {
  return (body, context) => ({ kind: 'span', clause: parse(body, context), ...readBase(name, body) });
}

/** The span query within another one. */
function clauseOf(value: unknown, where: string, what: string, context: QueryParseContext, of = 'span query'): SpanClause {
  if (!isObject(value)) throw parsingError(`[${where}] [${what}] must be an object`);
  const query = context.inner(value);
  if (query.kind !== 'span') throw parsingError(`${where} [${what}] must be of type ${of}`);
  if (query.boost !== 1)
    throw parsingError(`${where} [${what}] as a nested span clause can't have non-default boost value [${query.boost}]`);
  return query.clause;
}

function clausesOf(value: unknown, where: string, context: QueryParseContext): SpanClause[] {
  if (!Array.isArray(value))
    throw parsingError(value === undefined ? `${where} must include [clauses]` : `[${where}] query does not support [clauses]`);
  if (value.length === 0) throw parsingError(`${where} must include [clauses]`);
  return value.map((item) => clauseOf(item, where, 'clauses', context));
}

function only(name: string, body: JsonObject, keys: readonly string[]): void {
  checkKeys(name, body, new Set(keys));
}

const spanTerm: QueryParser = (body) => {
  const { field, options } = readFieldBody('span_term', body, 'value');
  checkKeys('span_term', options, new Set(['value', 'term']));
  const value = options['value'] ?? options['term'];
  if (value === undefined || value === null) throw illegalArgumentError('value cannot be null');
  return { kind: 'span', clause: { type: 'term', field, value }, ...readBase('span_term', options) };
};

const near: Parse = (body, context) => {
  only('span_near', body, ['clauses', 'slop', 'in_order', 'collect_payloads']);
  for (const key of ['slop', 'in_order'])
    if (typeof body[key] === 'object') throw parsingError(`[span_near] query does not support [${key}]`);
  return {
    type: 'near',
    clauses: clausesOf(body['clauses'], 'span_near', context),
    slop: body['slop'] === undefined ? 0 : readInt(body['slop'], 'span_near'),
    inOrder: body['in_order'] === undefined ? true : readBoolean(body['in_order'], 'span_near'),
  };
};

const or: Parse = (body, context) => {
  only('span_or', body, ['clauses']);
  return { type: 'or', clauses: clausesOf(body['clauses'], 'span_or', context) };
};

const not: Parse = (body, context) => {
  only('span_not', body, ['include', 'exclude', 'dist', 'pre', 'post']);
  const { include, exclude, dist, pre, post } = body;
  if (include === undefined) throw parsingError('span_not must have [include] span query clause');
  if (exclude === undefined) throw parsingError('span_not must have [exclude] span query clause');
  if (dist !== undefined && (pre !== undefined || post !== undefined))
    throw parsingError('span_not can either use [dist] or [pre] & [post] (or none)');
  const distance = (value: unknown): number => (value === undefined ? 0 : Math.max(0, readInt(value, 'span_not')));
  return {
    type: 'not',
    include: clauseOf(include, 'span_not', 'include', context),
    exclude: clauseOf(exclude, 'span_not', 'exclude', context),
    pre: distance(dist ?? pre),
    post: distance(dist ?? post),
  };
};

const first: Parse = (body, context) => {
  only('span_first', body, ['match', 'end']);
  if (body['match'] === undefined) throw parsingError('span_first must have [match] span query clause');
  if (body['end'] === undefined) throw parsingError('span_first must have [end] set for it');
  return { type: 'first', match: clauseOf(body['match'], 'span_first', 'match', context), end: readInt(body['end'], 'span_first') };
};

const MULTI_KINDS = ['prefix', 'wildcard', 'regexp', 'fuzzy', 'range'];

const multi: Parse = (body, context) => {
  only('span_multi', body, ['match']);
  if (!isObject(body['match'])) throw parsingError('[span_multi] must have [match] multi term query clause');
  const match: Query = context.inner(body['match']);
  if (!MULTI_KINDS.includes(match.kind)) throw parsingError('[span_multi] [match] must be of type multi term query');
  return { type: 'multi', match: match as MultiTermQuery };
};

function pair(type: 'containing' | 'within'): Parse {
  const name = `span_${type}`;
  return (body, context) => {
    only(name, body, ['big', 'little']);
    for (const key of ['big', 'little']) if (body[key] === undefined) throw parsingError(`${name} must include [${key}]`);
    return { type, big: clauseOf(body['big'], name, 'big', context), little: clauseOf(body['little'], name, 'little', context) };
  };
}

const masking: Parse = (body, context) => {
  only('field_masking_span', body, ['query', 'field']);
  if (body['query'] === undefined) throw parsingError('field_masking_span must have [query] span query clause');
  if (body['field'] === undefined) throw parsingError('field_masking_span must have [field] set for it');
  const match = clauseOf(body['query'], 'field_masking_span', 'query', context);
  return { type: 'masking', match, field: readText(body['field'], 'field_masking_span') };
};

export const SPAN_PARSERS: Readonly<Record<string, QueryParser>> = {
  span_term: spanTerm,
  span_near: spanParser('span_near', near),
  span_or: spanParser('span_or', or),
  span_not: spanParser('span_not', not),
  span_first: spanParser('span_first', first),
  span_multi: spanParser('span_multi', multi),
  span_containing: spanParser('span_containing', pair('containing')),
  span_within: spanParser('span_within', pair('within')),
  field_masking_span: spanParser('field_masking_span', masking),
  span_field_masking: spanParser('field_masking_span', masking),
};
