// Parser of intervals: rules about the positions of terms in a text. Source: Elasticsearch's reference of the intervals query.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { REGEXP_ALL } from '../../common/text/regexp-flags.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import type { ClauseCounter } from '../clause-counter.ts';
import { readBase } from '../field-body.ts';
import type { QueryParser } from '../query-parser.ts';
import { readBoolean, readInt, readList, readText, readTextOrNull } from '../read-json.ts';
import { AUTO_FUZZINESS, parseFuzziness } from '../text/fuzziness.ts';
import { parseRegexpFlags } from '../text/regexp-flags.ts';
import type { FieldChoice, IntervalFilter, IntervalMode, IntervalRelation, IntervalRule } from './positional-rules.ts';

const Q = 'intervals';
const MAX_DEPTH = 30;
const MAX_EXPANSIONS = 128;
const RULES = ['match', 'any_of', 'all_of', 'prefix', 'wildcard', 'regexp', 'fuzzy'];
const RELATIONS: readonly string[] = [
  'after',
  'before',
  'contained_by',
  'containing',
  'not_contained_by',
  'not_containing',
  'not_overlapping',
  'overlapping',
];

export const parseIntervals: QueryParser = (body, { clauses }) => {
  const fields = Object.keys(body).filter((key) => isObject(body[key]));
  if (fields.length !== 1) {
    if (fields.length === 0) throw parsingError('Expected [FIELD_NAME] but got [END_OBJECT]');
    throw parsingError(`[${Q}] query doesn't support multiple fields, found [${fields[0]}] and [${fields[1]}]`);
  }
  const [field] = fields;
  if (Object.keys(body).length > 1) throw parsingError('Expected [END_OBJECT] but got [FIELD_NAME]');
  const content = body[field] as JsonObject;
  const { boost: _boost, _name, ...rules } = content;
  const names = Object.keys(rules);
  if (names.length > 1) throw parsingError(`Only one interval rule can be specified, found [${names[0]}] and [${names[1]}]`);
  return { kind: 'intervals', field, rule: parseRule(rules, 1, clauses), ...readBase(Q, content) };
};

function parseRule(value: unknown, depth: number, clauses: ClauseCounter): IntervalRule {
  clauses.add();
  if (depth > MAX_DEPTH) throw illegalArgumentError(`[${Q}] rules nest deeper than ${MAX_DEPTH}`);
  if (!isObject(value)) throw parsingError('Expected [FIELD_NAME] but got [START_ARRAY]');
  const names = Object.keys(value);
  if (names.length !== 1)
    throw parsingError(
      names.length === 0
        ? 'Missing intervals from interval query definition'
        : `Only one interval rule can be specified, found [${names[0]}] and [${names[1]}]`,
    );
  const [name] = names;
  if (!RULES.includes(name))
    throw parsingError(`Unknown interval type [${name}], expecting one of [match, any_of, all_of, prefix, wildcard, regexp]`);
  const body = value[name];
  if (!isObject(body)) throw xContentParseError(`[${name}] Expected START_OBJECT but was: ${tokenOf(body)}`);
  switch (name) {
    case 'match':
      return parseMatch(body, depth, clauses);
    case 'any_of':
    case 'all_of':
      return parseGroup(name, body, depth, clauses);
    case 'fuzzy':
      return parseFuzzyRule(body);
    default:
      return parsePattern(name as 'prefix' | 'wildcard' | 'regexp', body);
  }
}

/** A string and nothing else, as parsers of objects want it. */
function readString(value: unknown, parser: string, key: string): string {
  if (typeof value !== 'string') throw xContentParseError(`[${parser}] ${key} doesn't support values of type: ${tokenOf(value)}`);
  return value;
}

function parseMatch(body: JsonObject, depth: number, clauses: ClauseCounter): IntervalRule {
  checkKeys('match', body, new Set(['query', 'max_gaps', 'ordered', 'mode', 'analyzer', 'use_field', 'filter']));
  if (body['query'] === undefined) throw illegalArgumentError('Required [query]');
  return {
    type: 'match',
    query: readString(body['query'], 'match', 'query'),
    maxGaps: readGaps(body),
    mode: readMode(body),
    filter: readFilter(body['filter'], depth, clauses),
    ...readFieldChoice(body),
  };
}

function parseGroup(type: 'any_of' | 'all_of', body: JsonObject, depth: number, clauses: ClauseCounter): IntervalRule {
  checkKeys(type, body, new Set(type === 'all_of' ? ['intervals', 'max_gaps', 'ordered', 'mode', 'filter'] : ['intervals', 'filter']));
  const list = body['intervals'];
  if (list === undefined) throw illegalArgumentError('Required [intervals]');
  if (!Array.isArray(list) && !isObject(list))
    throw xContentParseError(`[${type}] intervals doesn't support values of type: ${tokenOf(list)}`);
  const rules = readList(list).map((item) => parseRule(item, depth + 1, clauses));
  const filter = readFilter(body['filter'], depth, clauses);
  return type === 'any_of' ? { type, rules, filter } : { type, rules, maxGaps: readGaps(body), mode: readMode(body), filter };
}

function parsePattern(type: 'prefix' | 'wildcard' | 'regexp', body: JsonObject): IntervalRule {
  const key = type === 'prefix' ? 'prefix' : 'pattern';
  checkKeys(
    type,
    body,
    new Set([
      key,
      'analyzer',
      'use_field',
      ...(type === 'prefix' ? [] : ['max_expansions', 'case_insensitive']),
      ...(type === 'regexp' ? ['flags'] : []),
    ]),
  );
  if (body[key] === undefined) throw illegalArgumentError(`Required [${key}]`);
  const maxExpansions = body['max_expansions'] === undefined ? MAX_EXPANSIONS : readInt(body['max_expansions'], type);
  return {
    type,
    pattern: readString(body[key], type, key),
    maxExpansions,
    caseInsensitive: body['case_insensitive'] !== undefined && readBoolean(body['case_insensitive'], type),
    flags: body['flags'] === undefined ? REGEXP_ALL : parseRegexpFlags(readText(body['flags'], type)),
    ...readFieldChoice(body),
  };
}

function parseFuzzyRule(body: JsonObject): IntervalRule {
  checkKeys('fuzzy', body, new Set(['term', 'prefix_length', 'transpositions', 'fuzziness', 'analyzer', 'use_field']));
  if (body['term'] === undefined) throw illegalArgumentError('Required [term]');
  return {
    type: 'fuzzy',
    term: readText(body['term'], 'fuzzy'),
    fuzziness: body['fuzziness'] === undefined ? AUTO_FUZZINESS : parseFuzziness(body['fuzziness']),
    prefixLength: body['prefix_length'] === undefined ? 0 : readInt(body['prefix_length'], 'fuzzy'),
    transpositions: body['transpositions'] === undefined ? true : readBoolean(body['transpositions'], 'fuzzy'),
    ...readFieldChoice(body),
  };
}

function readFieldChoice(body: JsonObject): FieldChoice {
  const text = (key: string) => (body[key] === undefined ? null : readTextOrNull(body[key], Q));
  return { analyzer: text('analyzer'), useField: text('use_field') };
}

function readGaps(body: JsonObject): number {
  return body['max_gaps'] === undefined ? -1 : readInt(body['max_gaps'], Q);
}

function readMode(body: JsonObject): IntervalMode {
  const { mode, ordered } = body;
  if (mode !== undefined) {
    const text = readText(mode, Q).toLowerCase();
    if (text !== 'ordered' && text !== 'unordered' && text !== 'unordered_no_overlap')
      throw illegalArgumentError(`[mode] must be one of ordered, unordered, unordered_no_overlap but was [${text}]`);
    return text;
  }
  return ordered !== undefined && readBoolean(ordered, Q) ? 'ordered' : 'unordered';
}

function readFilter(value: unknown, depth: number, clauses: ClauseCounter): IntervalFilter | null {
  if (value === undefined) return null;
  if (!isObject(value)) throw parsingError('Expected [START_OBJECT] in [filter]');
  const names = Object.keys(value);
  if (names.length !== 1) throw parsingError('Expected one interval filter');
  const [name] = names;
  if (name === 'script') throw illegalArgumentError('[script] filters of intervals are not supported');
  if (!RELATIONS.includes(name)) throw parsingError(`Unknown filter type [${name}]`);
  return { relation: name as IntervalRelation, rule: parseRule(value[name], depth + 1, clauses) };
}

/** Rules are read by object parsers, whose errors differ from those of queries. @throws ApiError x_content_parse_exception */
function checkKeys(rule: string, body: JsonObject, known: ReadonlySet<string>): void {
  for (const key of Object.keys(body)) if (!known.has(key)) throw xContentParseError(`[${rule}] unknown field [${key}]`);
}
