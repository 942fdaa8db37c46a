// Reads the parameters of an aggregation body one by one; whatever is left unread is an unknown field.
import { isObject, type JsonObject, tokenOf } from '../common/json/json-value.ts';
import { didYouMean } from '../common/text/nearest-name.ts';
import { ApiError, asCause } from '../errors/api-error.ts';
import { intOf } from '../errors/search-errors.ts';
import { numberFormatError, parameterError, parsingError, xContentError } from './errors.ts';

/** Errors of the types whose parsers are written by hand in Elasticsearch, for a key, the kind of its value and the name of the aggregation. */
const UNKNOWN_FIELDS: Readonly<Record<string, (key: string, token: string, aggregation: string, hint: string) => Error>> = {
  filters: unknownKeyError,
  nested: (key, token, name) =>
    token === 'VALUE_STRING' ? unknownKeyError(key, token, name) : parsingError(`Unexpected token ${token} in [${name}].`),
  reverse_nested: (key, token, name) =>
    token === 'VALUE_STRING' ? unknownKeyError(key, token, name) : parsingError(`Unexpected token ${token} in [${name}].`),
  global: (_key, token, name) => parsingError(`Expected [FIELD_NAME] under a [START_OBJECT], but got a [${token}] in [${name}]`),
  'geo_distance range': (key, token) =>
    parsingError(`Failed to parse object: ${token.startsWith('START') ? `unexpected token [${token}]` : `unknown field [${key}]`} found`),
  avg_bucket: unexpectedTokenError,
  max_bucket: unexpectedTokenError,
  min_bucket: unexpectedTokenError,
  sum_bucket: unexpectedTokenError,
  stats_bucket: unexpectedTokenError,
  extended_stats_bucket: unexpectedTokenError,
  percentiles_bucket: unexpectedTokenError,
  serial_diff: (key, token, name) =>
    ['VALUE_STRING', 'VALUE_NUMBER', 'START_ARRAY'].includes(token)
      ? unknownKeyError(key, token, name)
      : parsingError(`Unexpected token ${token} in [${name}].`),
  sampler: (key, _token, name) => parsingError(`Unsupported property "${key}" for aggregation "${name}`),
  significant_terms: (key, _token, _name, hint) => {
    const cause = new ApiError('named_object_not_found_exception', 400, `unknown field [${key}]`);
    const reason = `[significant_terms] unknown field [${key}]${hint}`;
    return new ApiError('x_content_parse_exception', 400, reason, { rootCauses: [cause], causedBy: cause });
  },
};

/** The error of a type whose parser is written by hand. */
export function unknownFieldError(typeName: string, key: string, token: string, aggregation: string): Error {
  return UNKNOWN_FIELDS[typeName](key, token, aggregation, '');
}

/** What the parsers of sibling pipelines report. */
function unexpectedTokenError(key: string, token: string, name: string): Error {
  return parsingError(`Unexpected token ${token} [${key}] in [${name}].`);
}

function unknownKeyError(key: string, token: string, name: string): Error {
  return parsingError(`Unknown key for a ${token} in [${name}]: [${key}].`);
}

export class Params {
  readonly typeName: string;
  readonly #body: JsonObject;
  readonly #left: Set<string>;
  /** Names read so far: candidates for the suggestion in the error for an unknown one. */
  readonly #known = new Set<string>();
  #late: Error | null = null;
  readonly #aggregation: string;

  /** @param aggregation  name of the aggregation, for the messages that contain it. @throws ApiError parsing_exception: not an object */
  constructor(typeName: string, body: unknown, aggregation = '') {
    if (!isObject(body)) throw parsingError(`Expected [START_OBJECT] under [${typeName}], but got a [${tokenOf(body)}]`);
    this.typeName = typeName;
    this.#aggregation = aggregation;
    this.#body = body;
    this.#left = new Set(Object.keys(body));
  }

  /** The keys that have not been read, in the order of the body. */
  keys(): string[] {
    return [...this.#left];
  }

  has(key: string): boolean {
    this.#known.add(key);
    return this.#body[key] !== undefined && this.#body[key] !== null;
  }

  isNull(key: string): boolean {
    return this.#body[key] === null;
  }

  /** The raw value; undefined if absent or null. */
  take(key: string): unknown {
    this.#left.delete(key);
    this.#known.add(key);
    return this.#body[key] ?? undefined;
  }

  /** Like `take`, but rejects null, as do parsers that declare the type of a field. @throws ApiError x_content_parse_exception */
  takeValue(key: string): unknown {
    if (this.#body[key] === null) throw this.wrongTypeError(key, null);
    return this.take(key);
  }

  /** Stores an error for `done`, which rejects unknown fields first. */
  failLater(error: Error): void {
    this.#late ??= error;
  }

  string(key: string): string | null {
    const value = this.takeValue(key);
    if (value === undefined) return null;
    if (typeof value === 'object') throw this.wrongTypeError(key, value);
    return String(value);
  }

  /** A string; other scalars are refused (names of fields and formats). */
  name(key: string): string | null {
    const value = this.takeValue(key);
    if (value === undefined) return null;
    if (typeof value !== 'string') throw this.wrongTypeError(key, value);
    return value;
  }

  number(key: string): number | null {
    const value = this.takeValue(key);
    if (value === undefined) return null;
    return this.#numberOf(key, value);
  }

  /** A number, or the text of one. */
  #numberOf(key: string, value: unknown): number {
    if (typeof value === 'string') {
      const number = value.trim() === '' ? Number.NaN : Number(value);
      if (Number.isFinite(number)) return number;
      throw xContentError(`[${this.typeName}] failed to parse field [${key}]`, numberFormatError(value));
    }
    if (typeof value !== 'number' && typeof value !== 'bigint') throw this.wrongTypeError(key, value);
    return Number(value);
  }

  integer(key: string): number | null {
    const number = this.number(key);
    if (number === null) return null;
    try {
      return intOf(number, this.#body[key]);
    } catch (error) {
      throw xContentError(`[${this.typeName}] failed to parse field [${key}]`, asCause(error));
    }
  }

  bool(key: string): boolean | null {
    const value = this.takeValue(key);
    if (value === undefined) return null;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw parameterError(this.typeName, key, `Failed to parse value [${String(value)}] as only [true] or [false] are allowed.`);
  }

  list(key: string): unknown[] | null {
    const value = this.takeValue(key);
    if (value === undefined) return null;
    return Array.isArray(value) ? value : [value];
  }

  object(key: string): JsonObject | null {
    const value = this.takeValue(key);
    if (value === undefined) return null;
    if (!isObject(value)) throw this.wrongTypeError(key, value);
    return value;
  }

  numbers(key: string): number[] | null {
    const values = this.list(key);
    return values?.map((value) => this.#numberOf(key, value)) ?? null;
  }

  wrongTypeError(key: string, value: unknown): Error {
    return xContentError(`[${this.typeName}] ${key} doesn't support values of type: ${tokenOf(value)}`);
  }

  refusalError(key: string, reason: string): Error {
    return parameterError(this.typeName, key, reason);
  }

  /** @throws ApiError x_content_parse_exception: a parameter that was not read; an error that was kept */
  done(): void {
    for (const key of this.#left) {
      const own = Object.hasOwn(UNKNOWN_FIELDS, this.typeName) ? UNKNOWN_FIELDS[this.typeName] : null;
      const hint = didYouMean(key, this.#known);
      if (own !== null) throw own(key, tokenOf(this.#body[key]), this.#aggregation, hint);
      throw xContentError(`[${this.typeName}] unknown field [${key}]${hint}`);
    }
    if (this.#late !== null) throw this.#late;
  }
}
