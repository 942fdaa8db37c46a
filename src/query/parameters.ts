// Checks of the JSON tokens of a query's parameters. Elasticsearch has two kinds of parsers, whose errors differ: those that read token by token,
// and object parsers, which declare the kinds of value that each parameter takes. Source: the error bodies of Elasticsearch 7.10 and 8.15.
import { type JsonObject, tokenOf } from '../common/json/json-value.ts';
import { didYouMean } from '../common/text/nearest-name.ts';
import { ApiError } from '../errors/api-error.ts';
import { parsingError } from '../errors/catalog.ts';
import { xContentParseError } from '../errors/search-errors.ts';

/** Parameters of a parser that reads token by token. All others must be strings, numbers or booleans. */
export interface TokenRules {
  /** Parameters that may be arrays. */
  readonly arrays?: readonly string[];
  /** Parameters that may be objects. */
  readonly objects?: readonly string[];
  /** The word for a token that is in the wrong place. */
  readonly word?: 'unknown' | 'unexpected';
  /** Whether an array in the wrong place is reported like a parameter that does not exist. */
  readonly arraysAreUnknown?: boolean;
}

/** @throws ApiError parsing_exception: a parameter is null, an array or an object where `rules` have none */
export function checkTokens(query: string, body: JsonObject, rules: TokenRules = {}): void {
  for (const [key, value] of Object.entries(body)) {
    if (value !== null && typeof value !== 'object') continue;
    if (Array.isArray(value) ? rules.arrays?.includes(key) : value !== null && rules.objects?.includes(key)) continue;
    if (Array.isArray(value) && rules.arraysAreUnknown) throw parsingError(`[${query}] query does not support [${key}]`);
    throw parsingError(`[${query}] ${rules.word ?? 'unknown'} token [${tokenOf(value)}] after [${key}]`);
  }
}

/**
 * The parameters as parsers see them that overlook nulls and the brackets of arrays: each element of an array is a value of the parameter, and an
 * empty array is an absent parameter.
 */
export function* bareEntries(body: JsonObject): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(body)) for (const element of bareValues(value)) yield [key, element];
}

/** The last value of each parameter in `bareEntries`. */
export function bareBody(body: JsonObject): JsonObject {
  return Object.fromEntries(bareEntries(body));
}

function* bareValues(value: unknown): Generator<unknown> {
  if (!Array.isArray(value)) {
    if (value !== null) yield value;
  } else for (const element of value) yield* bareValues(element);
}

/** The parameters as parsers see them that overlook nulls. */
export function withoutNulls(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** Kinds of value that an object parser may take for a parameter. A number may be a string, and so may a boolean. */
const TOKENS = {
  string: ['VALUE_STRING'],
  number: ['VALUE_NUMBER', 'VALUE_STRING'],
  boolean: ['VALUE_BOOLEAN', 'VALUE_STRING'],
  scalar: ['VALUE_STRING', 'VALUE_NUMBER', 'VALUE_BOOLEAN', 'VALUE_NULL'],
  stringOrNumber: ['VALUE_STRING', 'VALUE_NUMBER'],
  strings: ['START_ARRAY', 'VALUE_STRING'],
  object: ['START_OBJECT'],
  objects: ['START_OBJECT', 'START_ARRAY'],
  objectsOrNull: ['START_OBJECT', 'START_ARRAY', 'VALUE_NULL'],
  objectsBooleanOrString: ['START_OBJECT', 'START_ARRAY', 'VALUE_BOOLEAN', 'VALUE_STRING'],
  pointOrDate: ['VALUE_STRING', 'VALUE_NUMBER', 'START_OBJECT', 'START_ARRAY'],
  any: ['VALUE_STRING', 'VALUE_NUMBER', 'VALUE_BOOLEAN', 'VALUE_NULL', 'START_OBJECT', 'START_ARRAY'],
} as const;

export type ValueKind = keyof typeof TOKENS;

/** What `boost` and `_name` are in the object parsers of queries. */
export const BASE_KINDS = { boost: 'number', _name: 'string' } as const;

/** The declared parameters of an object parser. */
export class ObjectParser {
  readonly #name: string;
  readonly #kinds: ReadonlyMap<string, ValueKind>;
  readonly #error: (reason: string, cause?: ApiError | null) => ApiError;

  /** @param error  makes the errors; x_content_parse_exception unless the query's parser wraps it in another one */
  constructor(
    name: string,
    kinds: Readonly<Record<string, ValueKind>>,
    error: (reason: string, cause?: ApiError | null) => ApiError = xContentParseError,
  ) {
    this.#name = name;
    this.#kinds = new Map(Object.entries(kinds));
    this.#error = error;
  }

  /** @throws ApiError an unknown parameter, or a value of the wrong kind */
  check(body: JsonObject): void {
    for (const [key, value] of Object.entries(body)) {
      const kind = this.#kinds.get(key);
      if (kind === undefined) throw this.#error(`[${this.#name}] unknown field [${key}]${didYouMean(key, this.#kinds.keys())}`);
      const token = tokenOf(value);
      if (!TOKENS[kind].some((known) => known === token))
        throw this.#error(`[${this.#name}] ${key} doesn't support values of type: ${token}`);
    }
  }

  /** Reads the value of a parameter. @throws ApiError the reader's error as the cause of one that names the parameter */
  read<T>(key: string, reader: () => T): T {
    try {
      return reader();
    } catch (error) {
      throw error instanceof ApiError ? this.#error(`[${this.#name}] failed to parse field [${key}]`, error) : error;
    }
  }
}

/** The errors of an object parser as parsing exceptions, with themselves as causes: what some queries report. */
export function asParsingError(reason: string, cause: ApiError | null = null): ApiError {
  return parsingError(reason, null, xContentParseError(reason, cause));
}
