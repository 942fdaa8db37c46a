// The convert processor: converts values between types with Java's parsing rules.
import { jsonDouble, jsonFloat } from '../../common/json/json-float.ts';
import { javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { tryParseIp } from '../../mapping/values/ip-address.ts';
import type { ProcessorFactory } from './processor.ts';

type Conversion = (value: unknown) => unknown;

/** @param read  what the parser of numbers has read */
function failure(value: unknown, type: string, read = `For input string: "${javaText(value)}"`) {
  return illegalArgumentError(`unable to convert [${javaText(value)}] to ${type}`, new ApiError('number_format_exception', 400, read));
}

/** Integers may be hexadecimal with a prefix (0x1F, -#1f). */
function toInteger(bits: 32 | 64, type: string): Conversion {
  const limit = 1n << BigInt(bits - 1);
  return (value) => {
    const text = javaText(value);
    const hex = /^([+-]?)(?:0[xX]|#)([0-9A-Fa-f]+)$/.exec(text);
    if (!hex && !/^[+-]?\d+$/.test(text)) throw failure(value, type);
    const number = hex ? BigInt(`0x${hex[2]}`) * (hex[1] === '-' ? -1n : 1n) : BigInt(text.replace('+', ''));
    if (number < -limit || number >= limit)
      throw failure(value, type, hex ? `For input string: "${hex[1]}${hex[2]}" under radix 16` : undefined);
    return Number.isSafeInteger(Number(number)) ? Number(number) : number;
  };
}

function toDecimal(type: 'float' | 'double'): Conversion {
  return (value) => {
    const text = javaText(value).trim();
    if (text === '') throw failure(value, type, 'empty String');
    if (!/^[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/.test(text)) throw failure(value, type);
    const number = Number(text.replace(/[fFdD]$/, '').replace(/[+-]NaN/, 'NaN'));
    return type === 'float' ? jsonFloat(number) : jsonDouble(number);
  };
}

function toBoolean(value: unknown): boolean {
  const text = javaText(value).toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  throw illegalArgumentError(`[${javaText(value)}] is not a boolean value, cannot convert to boolean`);
}

function toIp(value: unknown): string {
  if (typeof value === 'string' && tryParseIp(value) !== null) return value;
  throw illegalArgumentError(`[${javaText(value)}] is not a valid ipv4/ipv6 address`);
}

const INTEGER = toInteger(32, 'integer');
const LONG = toInteger(64, 'long');
const FLOAT = toDecimal('float');
const DOUBLE = toDecimal('double');

/** Converts a string to the narrowest type that can represent it; other values are unchanged. */
function auto(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  for (const conversion of [INTEGER, LONG, FLOAT, DOUBLE, toBoolean]) {
    try {
      return conversion(value);
    } catch {
      // Not of this type; the next one is tried.
    }
  }
  return value;
}

const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map<string, Conversion>([
  ['integer', INTEGER],
  ['long', LONG],
  ['float', FLOAT],
  ['double', DOUBLE],
  ['boolean', toBoolean],
  ['string', javaText],
  ['ip', toIp],
  ['auto', auto],
]);

const convert: ProcessorFactory = (config) => {
  const field = config.text('field');
  const type = config.text('type').toLowerCase();
  const target = config.text('target_field', field);
  const ignoreMissing = config.boolean('ignore_missing');
  const conversion = CONVERSIONS.get(type);
  if (!conversion) throw config.error('type', `type [${type}] not supported, cannot convert field.`);
  return (document) => {
    if (ignoreMissing && (!document.has(field) || document.get(field) === null)) return;
    const value = document.get(field);
    const isNull = value === null || (type !== 'auto' && Array.isArray(value) && value.includes(null));
    if (isNull) throw illegalArgumentError(`Field [${field}] is null, cannot be converted to type [${type}]`);
    document.set(target, Array.isArray(value) ? value.map(conversion) : conversion(value));
  };
};

export const CONVERT_PROCESSORS: Readonly<Record<string, ProcessorFactory>> = { convert };
