// Typed values of a parsed JSON body, with the coercions of Elasticsearch's parsers.
import { tokenOf } from '../common/json/json-value.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../errors/catalog.ts';
import { intOf, numberFormatError } from '../errors/search-errors.ts';

/** A scalar as a string. @throws ApiError: an array or an object */
export function readText(value: unknown, where: string): string {
  if (value === null || typeof value === 'object') throw parsingError(`[${where}] expects a text, but found [${tokenOf(value)}]`);
  return String(value);
}

/** The value of a field of a query whose parser does not look at the token first. @throws ApiError illegal_state_exception: not a scalar */
export function readPlainText(value: unknown): string {
  if (value === null || typeof value === 'object')
    throw new ApiError('illegal_state_exception', 400, `Can't get text on a ${tokenOf(value)}`);
  return String(value);
}

/** An element of a list of strings that an object parser reads. @throws ApiError illegal_state_exception: null, an array or an object */
export function readValue(value: unknown): string {
  if (value === null || typeof value === 'object')
    throw new ApiError('illegal_state_exception', 400, `expected value but got [${tokenOf(value)}]`);
  return String(value);
}

export function readTextOrNull(value: unknown, where: string): string | null {
  return value === null ? null : readText(value, where);
}

/** A number, or a string that contains one. */
export function readNumber(value: unknown, where: string): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') {
    if (!/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(value)) throw numberFormatError(value);
    return Number(value);
  }
  throw parsingError(`[${where}] expects a number, but found [${tokenOf(value)}]`);
}

/** A number as float32: boosts, tie breakers, scores. */
export function readFloat(value: unknown, where: string): number {
  return Math.fround(readNumber(value, where));
}

/** A 32-bit integer; fractions are cut off. @throws ApiError input_coercion_exception, illegal_argument_exception: out of range */
export function readInt(value: unknown, where: string): number {
  return intOf(readNumber(value, where), value);
}

export function readBoolean(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  if (value === 'false' || value === '') return false;
  if (typeof value === 'string') throw illegalArgumentError(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
  throw parsingError(`[${where}] expects a boolean, but found [${tokenOf(value)}]`);
}

/** An array; any other value becomes an array of one. */
export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** @throws ApiError illegal_argument_exception: the boost is negative */
export function readBoost(value: unknown, query: string): number {
  const boost = readFloat(value, query);
  if (boost < 0) throw illegalArgumentError(`negative [boost] are not allowed in [${query}], use a value between 0 and 1 to deboost`);
  return boost;
}
