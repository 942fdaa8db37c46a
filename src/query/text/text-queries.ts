// Parsers of full-text queries: the match family, multi_match, query_string, simple_query_string.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { zoneOf } from '../../dates/zones.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { parseFailureError } from '../../errors/search-errors.ts';
import { checkKeys, readBase, readFieldBody } from '../field-body.ts';
import type { MatchOptions, MatchQuery, MultiMatchType, Operator, WeightedField } from '../leaf-query.ts';
import { checkTokens } from '../parameters.ts';
import type { Query } from '../query.ts';
import type { QueryParser } from '../query-parser.ts';
import { readBoolean, readFloat, readInt, readList, readText, readTextOrNull } from '../read-json.ts';
import { AUTO_FUZZINESS, parseFuzziness } from './fuzziness.ts';
import { escapeQueryString, parseQueryStringSyntax, type SyntaxQuery } from './query-string-syntax.ts';
import { parseSimpleSyntax, SIMPLE_FLAGS } from './simple-query-string-syntax.ts';

const MAX_EXPANSIONS = 50;
/** `search.query.max_query_string_length`. */
const MAX_QUERY_STRING_LENGTH = 32_000;

const DEFAULTS: MatchOptions = {
  operator: 'or',
  analyzer: null,
  fuzziness: null,
  prefixLength: 0,
  maxExpansions: MAX_EXPANSIONS,
  fuzzyTranspositions: true,
  fuzzyRewrite: null,
  minimumShouldMatch: null,
  zeroTerms: 'none',
  lenient: false,
  slop: 0,
  autoPhrase: true,
  gaps: true,
};

export const TEXT_PARSERS: Readonly<Record<string, QueryParser>> = {
  match: (body) => parseMatch('match', body),
  match_phrase: (body) => parseMatch('match_phrase', body),
  match_phrase_prefix: (body) => parseMatch('match_phrase_prefix', body),
  match_bool_prefix: (body) => parseMatch('match_bool_prefix', body),
  multi_match: parseMultiMatch,
  query_string: parseQueryString,
  simple_query_string: parseSimpleQueryString,
};

const MATCH_KEYS: Readonly<Record<MatchQuery['kind'], ReadonlySet<string>>> = {
  match: new Set(
    (
      'query operator analyzer fuzziness prefix_length max_expansions fuzzy_transpositions fuzzy_rewrite minimum_should_match ' +
      'zero_terms_query lenient auto_generate_synonyms_phrase_query cutoff_frequency'
    ).split(' '),
  ),
  match_phrase: new Set(['query', 'analyzer', 'slop', 'zero_terms_query']),
  match_phrase_prefix: new Set(['query', 'analyzer', 'slop', 'max_expansions', 'zero_terms_query']),
  match_bool_prefix: new Set(
    'query operator analyzer fuzziness prefix_length max_expansions fuzzy_transpositions fuzzy_rewrite minimum_should_match'.split(' '),
  ),
};

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Whether a query has a syntax of its own: these take negative options without effect. */
function isSyntax(query: string): boolean {
  return query === 'query_string' || query === 'simple_query_string';
}

/** Reads an option that the match queries share. @returns false if `key` is not one */
function readMatchOption(query: string, key: string, value: unknown, into: Writable<MatchOptions>): boolean {
  switch (key) {
    case 'operator':
    case 'default_operator':
      into.operator = parseOperator(readText(value, query));
      return true;
    case 'analyzer':
      into.analyzer = readTextOrNull(value, query);
      return true;
    case 'fuzziness':
      into.fuzziness = parseFuzziness(value);
      return true;
    case 'prefix_length':
    case 'fuzzy_prefix_length':
      into.prefixLength = readInt(value, query);
      if (into.prefixLength < 0 && !isSyntax(query)) throw illegalArgumentError('No negative prefix length allowed.');
      return true;
    case 'max_expansions':
    case 'fuzzy_max_expansions':
      into.maxExpansions = readInt(value, query);
      if (query === 'match' && into.maxExpansions <= 0) throw illegalArgumentError('[match] requires maxExpansions to be positive.');
      if (query === 'multi_match' && into.maxExpansions <= 0)
        throw illegalArgumentError('Max expansions must be strictly great than zero.');
      if (into.maxExpansions < 0 && !isSyntax(query)) throw illegalArgumentError('No negative maxExpansions allowed.');
      return true;
    case 'fuzzy_transpositions':
      into.fuzzyTranspositions = readBoolean(value, query);
      return true;
    case 'fuzzy_rewrite':
      into.fuzzyRewrite = readTextOrNull(value, query);
      return true;
    case 'minimum_should_match':
      into.minimumShouldMatch = readTextOrNull(value, query);
      return true;
    case 'zero_terms_query': {
      const text = readText(value, query).toLowerCase();
      if (text !== 'none' && text !== 'all') throw parsingError(`Unsupported zero_terms_query value [${String(value)}]`);
      into.zeroTerms = text;
      return true;
    }
    case 'lenient':
      into.lenient = readBoolean(value, query);
      return true;
    case 'slop':
    case 'phrase_slop':
      into.slop = readInt(value, query);
      if (into.slop < 0 && !isSyntax(query)) throw illegalArgumentError('No negative slop allowed.');
      return true;
    case 'auto_generate_synonyms_phrase_query':
      into.autoPhrase = readBoolean(value, query);
      return true;
    case 'cutoff_frequency':
      throw parsingError(
        `[${query}] query does not support [cutoff_frequency]`,
        null,
        valueError(() => readFloat(value, query)),
      );
    default:
      return false;
  }
}

/** The error that reading a value ends with; null if it succeeds. */
function valueError(read: () => unknown): ApiError | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function parseOperator(text: string): Operator {
  const lower = text.toLowerCase();
  if (lower !== 'and' && lower !== 'or') {
    throw illegalArgumentError(`No enum constant org.opensearch.index.query.Operator.${text.toUpperCase()}`);
  }
  return lower;
}

function parseMatch(kind: MatchQuery['kind'], body: JsonObject): Query {
  for (const value of Object.values(body)) {
    if (Array.isArray(value)) throw parsingError(`[${kind}] unknown token [START_ARRAY] after [query]`);
    if (isObject(value)) checkTokens(kind, value);
  }
  if (Object.keys(body).length === 0) {
    throw kind === 'match' ? parsingError('No text specified for text query') : illegalArgumentError(`[${kind}] requires fieldName`);
  }
  const { field, options: given } = readFieldBody(kind, body, 'query');
  checkKeys(kind, given, MATCH_KEYS[kind]);
  const value = given['query'];
  if (value === undefined || value === null)
    throw kind === 'match' ? parsingError('No text specified for text query') : illegalArgumentError(`[${kind}] requires query value`);
  readText(value, kind);
  const options = { ...DEFAULTS };
  for (const [key, option] of Object.entries(given)) readMatchOption(kind, key, option, options);
  return { kind, field, value, options, ...readBase(kind, given) };
}

/** A field with an optional boost: `title^3`. @throws ApiError number_format_exception */
function parseWeightedField(text: string): WeightedField {
  const at = text.indexOf('^');
  if (at < 0) return { field: text, boost: 1 };
  return { field: text.slice(0, at), boost: readFloat(text.slice(at + 1), 'fields') };
}

function readFields(value: unknown, query: string): WeightedField[] {
  return readList(value).map((item) => parseWeightedField(readText(item, query)));
}

const TYPES = new Set<MultiMatchType>(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix', 'bool_prefix']);

function parseType(text: string, query: string): MultiMatchType {
  const type = text.toLowerCase() as MultiMatchType;
  if (!TYPES.has(type)) throw parseFailureError(`failed to parse [${query}] query type [${text}]. unknown type.`);
  return type;
}

function parseMultiMatch(body: JsonObject): Query {
  const options: Writable<MatchOptions> = { ...DEFAULTS };
  let value: unknown;
  let fields: WeightedField[] = [];
  let type: MultiMatchType = 'best_fields';
  let tieBreaker: number | null = null;
  let lenient: boolean | null = null;
  checkTokens('multi_match', body, { arrays: ['fields'] });
  for (const [key, option] of Object.entries(body)) {
    if (key === 'query') value = option;
    else if (key === 'fields') {
      fields = readFields(option, 'multi_match');
      const negative = fields.find(({ boost }) => boost < 0);
      if (negative)
        throw illegalArgumentError(
          `negative [boost] are not allowed in [multi_match], got [${negative.boost}] for the field [${negative.field}]`,
        );
    } else if (key === 'type') type = parseType(readText(option, 'multi_match'), 'multi_match');
    else if (key === 'tie_breaker') tieBreaker = option === null ? null : readFloat(option, 'multi_match');
    else if (key === 'lenient') lenient = readBoolean(option, 'multi_match');
    else if (key === 'cutoff_frequency' && type === 'bool_prefix')
      throw parsingError('[cutoff_frequency] not allowed for type [bool_prefix]');
    else if (key !== 'boost' && key !== '_name' && !readMatchOption('multi_match', key, option, options)) {
      throw parsingError(`[multi_match] query does not support [${key}]`);
    }
  }
  if (value === undefined || value === null) throw parsingError('No text specified for multi_match query');
  readText(value, 'multi_match');
  if (options.fuzziness && (type === 'cross_fields' || type === 'phrase' || type === 'phrase_prefix')) {
    throw parsingError(`Fuzziness not allowed for type [${type}]`);
  }
  if (options.slop !== 0 && type === 'bool_prefix') throw parsingError('[slop] not allowed for type [bool_prefix]');
  return { kind: 'multi_match', value, fields, type, tieBreaker, lenient, options, ...readBase('multi_match', body) };
}

function parseQueryString(body: JsonObject): Query {
  const options: Writable<MatchOptions> = { ...DEFAULTS };
  let text: string | null = null;
  let defaultField: string | null = null;
  let fields: WeightedField[] = [];
  let type: MultiMatchType = 'best_fields';
  let tieBreaker: number | null = null;
  let lenient: boolean | null = null;
  let quoteAnalyzer: string | null = null;
  let quoteFieldSuffix: string | null = null;
  let allowLeadingWildcard = true;
  let analyzeWildcard = false;
  let rewrite: string | null = null;
  let timeZone: string | null = null;
  let isEscaped = false;
  const q = 'query_string';
  checkTokens(q, body, { arrays: ['fields'], arraysAreUnknown: true });
  for (const [key, value] of Object.entries(body)) {
    switch (key) {
      case 'query':
        text = readText(value, q);
        break;
      case 'default_field':
        defaultField = readTextOrNull(value, q);
        break;
      case 'fields':
        if (!Array.isArray(value)) throw parsingError('[query_string] query does not support [fields]');
        fields = readFields(value, q);
        break;
      case 'type':
        type = parseType(readText(value, q), q);
        break;
      case 'tie_breaker':
        tieBreaker = readFloat(value, q);
        break;
      case 'lenient':
        lenient = readBoolean(value, q);
        break;
      case 'quote_analyzer':
        quoteAnalyzer = readTextOrNull(value, q);
        break;
      case 'quote_field_suffix':
        quoteFieldSuffix = readTextOrNull(value, q);
        break;
      case 'allow_leading_wildcard':
        allowLeadingWildcard = readBoolean(value, q);
        break;
      case 'analyze_wildcard':
        analyzeWildcard = readBoolean(value, q);
        break;
      case 'rewrite':
        rewrite = readTextOrNull(value, q);
        break;
      case 'time_zone':
        timeZone = readTextOrNull(value, q);
        if (timeZone !== null) zoneOf(timeZone);
        break;
      case 'escape':
        isEscaped = readBoolean(value, q);
        break;
      case 'enable_position_increments':
        options.gaps = readBoolean(value, q);
        break;
      case 'max_determinized_states':
        readInt(value, q);
        break;
      case 'boost':
      case '_name':
        break;
      default:
        if (!readMatchOption(q, key, value, options)) throw parsingError(`[query_string] query does not support [${key}]`);
    }
  }
  if (text === null) throw parsingError('[query_string] must be provided with a [query]');
  if (text.length > MAX_QUERY_STRING_LENGTH) {
    throw parseFailureError(
      `Query string length exceeds max allowed length ${MAX_QUERY_STRING_LENGTH} (search.query.max_query_string_length)`,
    );
  }
  return {
    kind: q,
    text,
    syntax: parseSyntax(isEscaped ? escapeQueryString(text) : text),
    defaultField,
    fields,
    type,
    tieBreaker,
    lenient,
    quoteAnalyzer,
    quoteFieldSuffix,
    allowLeadingWildcard,
    analyzeWildcard,
    defaultFuzziness: options.fuzziness ?? AUTO_FUZZINESS,
    rewrite,
    timeZone,
    options: { ...options, fuzziness: null },
    ...readBase(q, body),
  };
}

/** Syntax errors are stored in the tree, because Elasticsearch reports them as failures of the shards that rewrite the query. */
function parseSyntax(text: string): SyntaxQuery {
  try {
    return parseQueryStringSyntax(text);
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'query', items: [], error };
    throw error;
  }
}

function parseSimpleQueryString(body: JsonObject): Query {
  const options: Writable<MatchOptions> = { ...DEFAULTS };
  let text: string | null = null;
  let fields: WeightedField[] = [];
  let flags = SIMPLE_FLAGS['ALL'];
  let lenient: boolean | null = null;
  let quoteFieldSuffix: string | null = null;
  let analyzeWildcard = false;
  const q = 'simple_query_string';
  checkTokens(q, body, { arrays: ['fields'], arraysAreUnknown: true });
  for (const [key, value] of Object.entries(body)) {
    switch (key) {
      case 'query':
        text = readText(value, q);
        break;
      case 'fields':
        if (!Array.isArray(value)) throw parsingError(`[${q}] unsupported field [${key}]`);
        fields = readFields(value, q);
        break;
      case 'flags':
        flags = typeof value === 'number' ? Math.trunc(value) : parseFlags(readText(value, q));
        break;
      case 'lenient':
        lenient = readBoolean(value, q);
        break;
      case 'analyze_wildcard':
        analyzeWildcard = readBoolean(value, q);
        break;
      case 'quote_field_suffix':
        quoteFieldSuffix = readTextOrNull(value, q);
        break;
      case 'boost':
      case '_name':
        break;
      default:
        if (key === 'fuzziness' || key === 'slop' || !readMatchOption(q, key, value, options)) {
          throw parsingError(`[simple_query_string] unsupported field [${key}]`);
        }
    }
  }
  if (text === null) throw parsingError('[simple_query_string] query text missing');
  if (text.length > MAX_QUERY_STRING_LENGTH) {
    throw parseFailureError(
      `Query string length exceeds max allowed length ${MAX_QUERY_STRING_LENGTH} (search.query.max_query_string_length)`,
    );
  }
  const syntax = parseSimpleSyntax(text, flags, options.operator);
  return { kind: q, syntax, fields, lenient, quoteFieldSuffix, analyzeWildcard, options, ...readBase(q, body) };
}

function parseFlags(text: string): number {
  let flags = 0;
  for (const name of text.split('|')) {
    const flag = SIMPLE_FLAGS[name.trim().toUpperCase()];
    if (name === '') continue;
    if (flag === undefined) throw illegalArgumentError(`Unknown simple_query_string flag [${name}]`);
    if (flag === -1) return -1;
    flags |= flag;
  }
  return flags;
}
