// Parsers of queries for exact values: term, terms, range, exists, ids, prefix, wildcard, regexp, fuzzy, match_all, match_none.

import { isObject, type JsonObject, tokenOf } from '../common/json/json-value.ts';
import { javaText } from '../common/text/java-text.ts';
import { REGEXP_ALL } from '../common/text/regexp-flags.ts';
import { DateFormatter } from '../dates/date-format.ts';
import { zoneOf } from '../dates/zones.ts';
import { illegalArgumentError, parsingError } from '../errors/catalog.ts';
import { xContentParseError } from '../errors/search-errors.ts';
import { parseScript } from '../scripting/script-spec.ts';
import { checkKeys, illegalFieldName, multipleFieldsError, type QueryBase, readBase, readFieldBody } from './field-body.ts';
import type { PatternQuery, RangeQuery } from './leaf-query.ts';
import { asParsingError, BASE_KINDS, bareEntries, checkTokens, ObjectParser } from './parameters.ts';
import type { Query } from './query.ts';
import type { QueryParser } from './query-parser.ts';
import { readBoolean, readInt, readList, readPlainText, readText, readTextOrNull, readValue } from './read-json.ts';
import { AUTO_FUZZINESS, parseFuzziness } from './text/fuzziness.ts';
import { parseRegexpFlags } from './text/regexp-flags.ts';

const MAX_EXPANSIONS = 50;
const MAX_DETERMINIZED_STATES = 10_000;

export const LEAF_PARSERS: Readonly<Record<string, QueryParser>> = {
  match_all: parseMatchAll,
  match_none: parseMatchNone,
  term: parseTerm,
  terms: parseTerms,
  terms_set: parseTermsSet,
  range: parseRange,
  exists: parseExists,
  ids: parseIds,
  prefix: (body) => parsePattern('prefix', body),
  wildcard: (body) => parsePattern('wildcard', body),
  regexp: (body) => parsePattern('regexp', body),
  fuzzy: parseFuzzy,
};

const MATCH_ALL = new ObjectParser('match_all', BASE_KINDS, asParsingError);

function parseMatchAll(body: JsonObject): Query {
  MATCH_ALL.check(body);
  return { kind: 'match_all', ...readBase('match_all', body, MATCH_ALL) };
}

function parseMatchNone(body: JsonObject): Query {
  checkTokens('match_none', body);
  checkKeys('match_none', body, new Set());
  return { kind: 'match_none', ...readBase('match_none', body) };
}

const TERM_KEYS = new Set(['value', 'term', 'case_insensitive']);

function parseTerm(body: JsonObject): Query {
  const { field, options } = readFieldBody('term', body, 'value');
  checkKeys('term', options, TERM_KEYS);
  const value = options['value'] ?? options['term'];
  if (value === undefined || value === null) {
    // A null in the short form counts as a missing field.
    throw isObject(body[field]) ? illegalArgumentError('value cannot be null') : illegalFieldName();
  }
  if (typeof value === 'object') throw parsingError(`[term] query does not support [${tokenOf(value)}] as value`);
  const insensitive = options['case_insensitive'];
  return {
    kind: 'term',
    field,
    value,
    caseInsensitive: insensitive === undefined ? false : readBoolean(insensitive, 'term'),
    ...readBase('term', options),
  };
}

function parseTerms(body: JsonObject): Query {
  for (const key of ['boost', '_name'])
    if (body[key] === null) throw parsingError(`[terms] unknown token [VALUE_NULL] after [${key}]`);
    else if (Array.isArray(body[key])) throw parsingError('[terms] query does not support multiple fields');
  const base = readBase('terms', body);
  let found: Query | null = null;
  for (const [field, value] of Object.entries(body)) {
    if (field === 'boost' || field === '_name') continue;
    if (field === 'value_type') throw parsingError('[terms] query does not support [value_type]');
    if (!Array.isArray(value) && !isObject(value)) throw parsingError(`[terms] query does not support [${field}]`);
    if (found) throw parsingError('[terms] query does not support multiple fields');
    if (Array.isArray(value)) {
      found = { kind: 'terms', field, values: value.map(termOf), ...base };
    } else {
      found = parseTermsLookup(field, value, base);
    }
  }
  if (!found) throw parsingError('[terms] query requires a field name, followed by array of terms or a document lookup specification');
  return found;
}

/** An element of `terms`. An object counts as the text that Java makes of it. @throws ApiError parsing_exception: null, or an array */
function termOf(value: unknown): unknown {
  if (value === null) throw parsingError('No value specified for terms query');
  if (Array.isArray(value)) throw parsingError('[terms] query does not support a [START_ARRAY] among its values');
  return isObject(value) ? javaText(value) : value;
}

const TERMS_LOOKUP = new ObjectParser('terms_lookup', {
  index: 'string',
  id: 'string',
  path: 'string',
  routing: 'string',
  store: 'boolean',
});

function parseTermsLookup(field: string, lookup: JsonObject, base: QueryBase): Query {
  TERMS_LOOKUP.check(lookup);
  for (const key of ['index', 'path']) {
    if (lookup[key] === undefined) throw illegalArgumentError(`Required [${key}]`);
  }
  if (lookup['id'] === undefined) {
    throw xContentParseError(
      'Failed to build [terms_lookup] after last required field arrived',
      illegalArgumentError('[terms] query lookup element requires specifying either the id or the query.'),
    );
  }
  return {
    kind: 'terms_lookup',
    field,
    index: readText(lookup['index'], 'terms_lookup'),
    id: readText(lookup['id'], 'terms_lookup'),
    path: readText(lookup['path'], 'terms_lookup'),
    routing: lookup['routing'] === undefined ? null : readTextOrNull(lookup['routing'], 'terms_lookup'),
    ...base,
  };
}

const TERMS_SET_KEYS = new Set(['terms', 'minimum_should_match_field', 'minimum_should_match_script']);

function parseTermsSet(body: JsonObject): Query {
  const [value, another] = Object.values(body);
  if (value !== undefined && !isObject(value)) throw parsingError(`[terms_set] unknown token [${tokenOf(value)}]`);
  if (another !== undefined) throw parsingError('[terms_set] unknown token [FIELD_NAME]');
  const { field, options } = readFieldBody('terms_set', body, 'terms');
  checkTokens('terms_set', options, { arrays: ['terms'], objects: ['minimum_should_match_script'], arraysAreUnknown: true });
  checkKeys('terms_set', options, TERMS_SET_KEYS);
  const terms = options['terms'] ?? [];
  if (!Array.isArray(terms)) throw parsingError('[terms_set] requires a list of [terms]');
  for (const term of terms) {
    if (term === null) throw parsingError('No value specified for terms query');
    if (Array.isArray(term)) throw parsingError('[terms_set] unknown token [END_ARRAY] after [terms]');
  }
  const script = options['minimum_should_match_script'];
  const minimum = options['minimum_should_match_field'];
  return {
    kind: 'terms_set',
    field,
    terms,
    minimumField: minimum === undefined ? null : readTextOrNull(minimum, 'terms_set'),
    minimumScript: script === undefined ? null : parseScript(script),
    ...readBase('terms_set', options),
  };
}

const RELATIONS: Readonly<Record<string, NonNullable<RangeQuery['relation']>>> = {
  INTERSECTS: 'intersects',
  WITHIN: 'within',
  CONTAINS: 'contains',
  DISJOINT: 'disjoint',
};

function parseRange(body: JsonObject): Query {
  let field: string | null = null;
  let options: JsonObject = {};
  for (const [key, value] of bareEntries(body)) {
    if (isObject(value)) {
      if (field !== null) throw multipleFieldsError('range', field, key === field ? (Object.keys(options).at(-1) ?? key) : key);
      field = key;
      options = value;
    } else {
      throw parsingError(`[range] query does not support [${key}]`);
    }
  }
  if (field === null || field === '') throw illegalFieldName('range');
  let from: unknown = null;
  let to: unknown = null;
  let includeFrom = true;
  let includeTo = true;
  let format: string | null = null;
  let timeZone: string | null = null;
  let relation: RangeQuery['relation'] = null;
  for (const [key, value] of Object.entries(options)) {
    switch (key) {
      case 'gte':
      case 'gt':
        from = rangeEnd(value);
        includeFrom = key === 'gte';
        break;
      case 'lte':
      case 'lt':
        to = rangeEnd(value);
        includeTo = key === 'lte';
        break;
      case 'from':
        from = rangeEnd(value);
        break;
      case 'to':
        to = rangeEnd(value);
        break;
      case 'include_lower':
        includeFrom = readBoolean(value, 'range');
        break;
      case 'include_upper':
        includeTo = readBoolean(value, 'range');
        break;
      case 'format':
        format = readTextOrNull(value, 'range');
        if (format !== null) DateFormatter.of(format);
        break;
      case 'time_zone':
        timeZone = readTextOrNull(value, 'range');
        if (timeZone !== null) zoneOf(timeZone);
        break;
      case 'relation': {
        const text = readText(value, 'range');
        relation = RELATIONS[text.toUpperCase()] ?? null;
        if (relation === null || relation === 'disjoint') throw illegalArgumentError(`${text} is not a valid relation`);
        break;
      }
      case 'boost':
      case '_name':
        break;
      default:
        throw parsingError(`[range] query does not support [${key}]`);
    }
  }
  const doubled = BOUNDS.find(([, ...keys]) => keys.filter((key) => key in options).length > 1)?.[0] ?? null;
  return { kind: 'range', field, from, to, includeFrom, includeTo, format, timeZone, relation, doubled, ...readBase('range', options) };
}

/** The keys of each bound; the last one in the body counts. */
const BOUNDS = [
  ['lower', 'gte', 'gt', 'from'],
  ['upper', 'lte', 'lt', 'to'],
] as const;

function rangeEnd(value: unknown): unknown {
  if (value !== null && typeof value === 'object') throw parsingError(`[range] query does not support [${tokenOf(value)}] as a bound`);
  return value;
}

function parseExists(body: JsonObject): Query {
  let field: string | null = null;
  checkTokens('exists', body);
  for (const [key, value] of Object.entries(body)) {
    if (key === 'field') field = readText(value, 'exists');
    else if (key !== 'boost' && key !== '_name') throw parsingError(`[exists] query does not support [${key}]`);
  }
  if (field === null) throw parsingError('[exists] must be provided with a [field]');
  if (field === '') throw illegalFieldName();
  return { kind: 'exists', field, ...readBase('exists', body) };
}

const IDS = new ObjectParser('ids', { values: 'strings', ...BASE_KINDS }, asParsingError);

function parseIds(body: JsonObject): Query {
  IDS.check(body);
  const values = readList(body['values'] ?? []).map((id) => IDS.read('values', () => readValue(id)));
  return { kind: 'ids', values, ...readBase('ids', body, IDS) };
}

const PATTERN_KEYS: Readonly<Record<PatternQuery['kind'], ReadonlySet<string>>> = {
  prefix: new Set(['value', 'prefix', 'rewrite', 'case_insensitive']),
  wildcard: new Set(['value', 'wildcard', 'rewrite', 'case_insensitive']),
  regexp: new Set(['value', 'rewrite', 'flags', 'flags_value', 'max_determinized_states', 'case_insensitive']),
};

function parsePattern(kind: PatternQuery['kind'], body: JsonObject): Query {
  const { field, options } = readFieldBody(kind, body, 'value');
  checkKeys(kind, options, PATTERN_KEYS[kind]);
  const value = options['value'] ?? (kind === 'regexp' ? undefined : options[kind]);
  if (value === undefined || value === null) throw illegalArgumentError('value cannot be null');
  const insensitive = options['case_insensitive'];
  const states = options['max_determinized_states'];
  let flags = REGEXP_ALL;
  if (options['flags_value'] !== undefined) flags = readInt(options['flags_value'], kind);
  else if (options['flags'] !== undefined) flags = parseRegexpFlags(readTextOrNull(options['flags'], kind) ?? '');
  return {
    kind,
    field,
    value: readPlainText(value),
    caseInsensitive: insensitive === undefined ? false : readBoolean(insensitive, kind),
    rewrite: options['rewrite'] === undefined ? null : options['rewrite'] === null ? null : readPlainText(options['rewrite']),
    flags,
    maxDeterminizedStates: states === undefined ? MAX_DETERMINIZED_STATES : readInt(states, kind),
    ...readBase(kind, options),
  };
}

const FUZZY_KEYS = new Set(['value', 'term', 'fuzziness', 'prefix_length', 'max_expansions', 'transpositions', 'rewrite']);

function parseFuzzy(body: JsonObject): Query {
  const { field, options } = readFieldBody('fuzzy', body, 'value');
  if (isObject(body[field])) checkTokens('fuzzy', options, { word: 'unexpected' });
  checkKeys('fuzzy', options, FUZZY_KEYS);
  const value = options['value'] ?? options['term'];
  if (value === undefined || value === null) throw illegalArgumentError('query value cannot be null');
  const optional = <T>(key: string, read: (value: unknown, where: string) => T, fallback: T): T =>
    options[key] === undefined ? fallback : read(options[key], 'fuzzy');
  return {
    kind: 'fuzzy',
    field,
    value: readText(value, 'fuzzy'),
    fuzziness: options['fuzziness'] === undefined ? AUTO_FUZZINESS : parseFuzziness(options['fuzziness']),
    prefixLength: optional('prefix_length', readInt, 0),
    maxExpansions: optional('max_expansions', readInt, MAX_EXPANSIONS),
    transpositions: optional('transpositions', readBoolean, true),
    rewrite: optional('rewrite', readTextOrNull, null),
    ...readBase('fuzzy', options),
  };
}
