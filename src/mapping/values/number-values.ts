// Values of the numeric types: read from JSON values and strings, rounded to their width, and the bounds of ranges over them.

import { javaText } from '../../common/text/java-text.ts';
import { ApiError, asCause } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { RangeBounds, RangeSpec } from '../core/field-type.ts';

export type IntegerType = 'byte' | 'short' | 'integer' | 'long';
export type FloatType = 'float' | 'half_float' | 'double';

export const LIMITS: Record<IntegerType, { min: bigint; max: bigint; java: string; className: string; article: string }> = {
  byte: { min: -128n, max: 127n, java: 'byte', className: 'Byte', article: 'a byte' },
  short: { min: -32_768n, max: 32_767n, java: 'short', className: 'Short', article: 'a short' },
  integer: { min: -(2n ** 31n), max: 2n ** 31n - 1n, java: 'int', className: 'Integer', article: 'an integer' },
  long: { min: -(2n ** 63n), max: 2n ** 63n - 1n, java: 'long', className: 'Long', article: 'a long' },
};
export const MAX_UNSIGNED = 2n ** 64n - 1n;
export const UNSIGNED_SHIFT = 2n ** 63n;

function numberFormatError(text: string): ApiError {
  return new ApiError('number_format_exception', 400, text.trim() === '' ? 'empty String' : `For input string: "${text}"`);
}

export function notNumericError(value: unknown): ApiError {
  const token = typeof value === 'boolean' ? `VALUE_${String(value).toUpperCase()}` : Array.isArray(value) ? 'START_ARRAY' : 'START_OBJECT';
  return new ApiError('input_coercion_exception', 400, `Current token (${token}) not numeric, cannot use numeric value accessors`);
}

/** A decimal string as an integer, truncated, and whether it had a fraction. */
export function decimalToInteger(text: string): { value: bigint; hasFraction: boolean; positive: boolean } {
  if (/^[+-]?\d+$/.test(text)) return { value: BigInt(text.replace(/^\+/, '')), hasFraction: false, positive: !text.startsWith('-') };
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (!match || (match[2] === '' && !match[3])) throw numberFormatError(text);
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const integer = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const rest = point < 0 ? digits : digits.slice(Math.max(0, point));
  const value = BigInt(integer || '0');
  return { value: sign === '-' ? -value : value, hasFraction: /[1-9]/.test(rest), positive: sign !== '-' };
}

function integerText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return String(value);
  throw notNumericError(value);
}

/** As `decimalToInteger`. @throws ApiError illegal_argument_exception: the parser of longs names no other error */
function longOf(text: string): ReturnType<typeof decimalToInteger> {
  try {
    return decimalToInteger(text);
  } catch (error) {
    throw illegalArgumentError(asCause(error).reason ?? text);
  }
}

/** Integer of a document or of null_value. @throws ApiError */
export function parseIntegerValue(value: unknown, type: IntegerType, coerce: boolean): bigint {
  const { min, max, java, className, article } = LIMITS[type];
  const text = integerText(value);
  if (typeof value === 'string' && !coerce) throw illegalArgumentError(`${className} value passed as String`);
  const { value: integer, hasFraction } = type === 'long' && typeof value === 'string' ? longOf(text) : decimalToInteger(text);
  if (hasFraction && !coerce) throw illegalArgumentError(`${text} cannot be converted to ${className} without data loss`);
  if (integer < min || integer > max) {
    // The parser reads a byte and a short as an int first.
    const { min: lowest, max: highest } = LIMITS.integer;
    if (typeof value !== 'string' && type !== 'long' && (integer < lowest || integer > highest))
      throw new ApiError('input_coercion_exception', 400, `Numeric value (${text}) out of range of \`int\` (${lowest} - ${highest})`);
    if (typeof value === 'string' || type === 'byte') throw illegalArgumentError(`Value [${text}] is out of range for ${article}`);
    throw new ApiError('input_coercion_exception', 400, `Numeric value (${text}) out of range of \`${java}\` (${min} - ${max})`);
  }
  return integer;
}

/** An integer that is not truncated: `null_value`. */
export function parseWholeNumber(value: unknown, type: IntegerType): bigint {
  const text = integerText(value);
  if (decimalToInteger(text).hasFraction) throw illegalArgumentError(`Value [${text}] has a decimal part`);
  return parseIntegerValue(value, type, true);
}

export function parseUnsigned(value: unknown): bigint {
  const text = integerText(value);
  const { value: integer } = decimalToInteger(text);
  if (integer < 0n || integer > MAX_UNSIGNED) throw illegalArgumentError(`Value [${text}] is out of range for an unsigned long`);
  return integer;
}

/** Double of a string or number. @throws ApiError number_format_exception */
export function toDouble(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') throw notNumericError(value);
  const text = value.trim();
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[dfDF]?$/.test(text) ? Number.parseFloat(text) : JAVA_SPECIALS[text];
  if (number === undefined) throw numberFormatError(value);
  return number;
}
const JAVA_SPECIALS: Record<string, number | undefined> = Object.assign(Object.create(null), {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '+Infinity': Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
});

const f32 = new Float32Array(1);
const u32 = new Uint32Array(f32.buffer);

/** Nearest half-precision number as a double; ties to even. */
export function toHalf(value: number): number {
  const single = Math.fround(value);
  const abs = Math.abs(single);
  if (!(abs < 65_520)) return single > 0 ? Number.POSITIVE_INFINITY : single < 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  // Unit in the last place: 2^-24 below the smallest normal number, else 2^(exponent - 10).
  const exponent = abs < 2 ** -14 ? -14 : Math.floor(Math.log2(abs));
  const unit = 2 ** ((abs >= 2 ** (exponent + 1) ? exponent + 1 : exponent) - 10);
  const scaled = abs / unit;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
  return Math.sign(single) * rounded * unit;
}

const f64 = new Float64Array(1);
const i64 = new BigInt64Array(f64.buffer);

/** The next double, float or half in a direction. */
function neighbour(value: number, type: FloatType, up: boolean): number {
  if (value === (up ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY)) return value;
  if (type === 'double') {
    if (value === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
    f64[0] = value;
    i64[0] += value > 0 === up ? 1n : -1n;
    return f64[0];
  }
  if (type === 'half_float') {
    const abs = Math.abs(value);
    const exponent = abs < 2 ** -14 ? -14 : Math.floor(Math.log2(abs));
    const shrinking = value !== 0 && value > 0 !== up;
    const unit = 2 ** ((shrinking && abs === 2 ** exponent && exponent > -14 ? exponent - 1 : exponent) - 10);
    return toHalf(up ? value + unit : value - unit);
  }
  if (value === 0) return up ? 2 ** -149 : -(2 ** -149);
  f32[0] = value;
  u32[0] += value > 0 === up ? 1 : -1;
  return f32[0];
}

export function roundFloat(value: number, type: FloatType): number {
  return type === 'double' ? value : type === 'float' ? Math.fround(value) : toHalf(value);
}

export function parseFloatValue(value: unknown, type: FloatType, coerce: boolean): number {
  if (typeof value === 'string' && !coerce) throw illegalArgumentError(`${type === 'double' ? 'Double' : 'Float'} value passed as String`);
  const number = roundFloat(toDouble(value), type);
  if (!Number.isFinite(number)) throw illegalArgumentError(`[${type}] supports only finite values, but got [${javaText(value)}]`);
  return number;
}

export const EMPTY_I64: RangeBounds = { kind: 'i64', min: 0n, max: -1n, empty: true };

/**
 * Queries on byte and short fields accept any integer, those on other types what the type can hold.
 * @throws ApiError illegal_argument_exception: a value that the type cannot hold
 */
function requireQueryable(type: IntegerType, asked: unknown, value: bigint): void {
  const queried = type === 'long' ? 'long' : 'integer';
  const { min, max } = LIMITS[queried];
  if (value >= min && value <= max) return;
  throw illegalArgumentError(`Value [${javaText(asked)}] is out of range for ${queried === 'long' ? 'a long' : 'an integer'}`);
}

/** Bounds of a range as values of the type, both inclusive. @throws ApiError number_format_exception */
export function numberBounds(type: IntegerType | 'unsigned_long' | FloatType, range: RangeSpec): RangeBounds {
  if (type === 'float' || type === 'half_float' || type === 'double') return floatBounds(type, range);
  if (type === 'unsigned_long') return integerBounds({ min: 0n, max: MAX_UNSIGNED }, range);
  for (const end of [range.from, range.to]) if (isGiven(end)) requireQueryable(type, end, decimalToInteger(queryText(end)).value);
  return integerBounds(LIMITS[type], range);
}

function isGiven(end: unknown): boolean {
  return end !== null && end !== undefined;
}

function integerBounds(limits: { min: bigint; max: bigint }, range: RangeSpec): RangeBounds {
  let { min, max } = limits;
  if (isGiven(range.from)) {
    const from = decimalToInteger(queryText(range.from));
    min = from.value;
    // Truncation moved a positive bound with a fraction down and a negative one up.
    if (from.hasFraction ? from.positive : !range.includeFrom) min++;
  }
  if (isGiven(range.to)) {
    const to = decimalToInteger(queryText(range.to));
    max = to.value;
    if (to.hasFraction ? !to.positive : !range.includeTo) max--;
  }
  if (min < limits.min) min = limits.min;
  if (max > limits.max) max = limits.max;
  return min > max ? EMPTY_I64 : { kind: 'i64', min, max, empty: false };
}

export function floatBounds(type: FloatType, range: RangeSpec): RangeBounds {
  let min = Number.NEGATIVE_INFINITY;
  let max = Number.POSITIVE_INFINITY;
  if (isGiven(range.from)) {
    min = roundFloat(toDouble(queryText(range.from)), type);
    if (!range.includeFrom) min = neighbour(min, type, true);
  }
  if (isGiven(range.to)) {
    max = roundFloat(toDouble(queryText(range.to)), type);
    if (!range.includeTo) max = neighbour(max, type, false);
  }
  return { kind: 'f64', min, max, empty: !(min <= max) };
}

export function queryText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') throw numberFormatError(String(value));
  throw numberFormatError(javaText(value));
}

const MIN_LONG = -(2 ** 63);
const MAX_LONG_TEXT = LIMITS.long.max;

/** Java's cast from double to long: saturating, 0 for NaN. */
export function toLong(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** 63) return MAX_LONG_TEXT;
  return value <= MIN_LONG ? LIMITS.long.min : BigInt(Math.trunc(value));
}
