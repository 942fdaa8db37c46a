// Formats of raw column values: plain numbers and terms, decimal patterns, dates, booleans, addresses, points.

import { decodeGeoPoint } from '../../common/encoding/geo-encoding.ts';
import { jsonDouble } from '../../common/json/json-float.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { DateFormatter } from '../../dates/date-format.ts';
import { parseDateMath } from '../../dates/date-math.ts';
import { type TimeZone, UTC, zoneOf } from '../../dates/zones.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ValueFormat } from '../core/field-type.ts';
import { DecimalFormat } from './decimal-format.ts';
import { formatIp, parseIp } from './ip-address.ts';

const decoder = new TextDecoder();

/** Safe integers as numbers, others as bigints: the renderer prints both as JSON numbers. */
export function jsonInteger(raw: bigint | number): number | bigint {
  if (typeof raw === 'number') return raw;
  const number = Number(raw);
  return Number.isSafeInteger(number) ? number : raw;
}

function parseDouble(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isNaN(number) || text === 'NaN') return number;
  throw new ApiError('number_format_exception', 400, text.trim() === '' ? 'empty String' : `For input string: "${text}"`);
}

export const RAW_FORMAT: ValueFormat = {
  name: 'raw',
  format: jsonInteger,
  formatBytes: (bytes) => decoder.decode(bytes),
  keyAsString: () => null,
  parse: (text) => parseDouble(text),
};

export const DOUBLE_FORMAT: ValueFormat = { ...RAW_FORMAT, format: (raw) => jsonDouble(Number(raw)) };

/** Raw i64 of scaled numbers. */
export function scaledFormat(scale: number): ValueFormat {
  return { ...RAW_FORMAT, format: (raw) => jsonDouble(Number(raw) * scale) };
}

/** Raw = value - 2^63. */
export const UNSIGNED_FORMAT: ValueFormat = {
  ...RAW_FORMAT,
  format: (raw) => jsonInteger(typeof raw === 'bigint' ? raw + (1n << 63n) : raw),
};

export const BOOLEAN_FORMAT: ValueFormat = {
  name: 'bool',
  format: (raw) => Number(raw) !== 0,
  formatBytes: (bytes) => bytes[0] === 84,
  keyAsString: (value) => (Number(value) !== 0 ? 'true' : 'false'),
  parse(text) {
    if (text === 'true') return 1;
    if (text === 'false') return 0;
    throw illegalArgumentError(`Cannot parse boolean [${text}], expected either [true] or [false]`);
  },
};

export const IP_FORMAT: ValueFormat = {
  name: 'ip',
  format: (raw) => raw,
  formatBytes: formatIp,
  keyAsString: () => null,
  parse(text) {
    parseIp(text);
    throw illegalArgumentError(`Cannot use an address as a number: [${text}]`);
  },
};

/** A point of a column as `lat, lon`. */
export const GEO_FORMAT: ValueFormat = {
  name: 'geo_point',
  format(raw) {
    const { lat, lon } = decodeGeoPoint(BigInt(raw));
    return `${javaDouble(lat)}, ${javaDouble(lon)}`;
  },
  formatBytes: (bytes) => decoder.decode(bytes),
  keyAsString: () => null,
  parse(text) {
    throw illegalArgumentError(`Cannot use a point as a number: [${text}]`);
  },
};

const BASE64: ValueFormat = { ...RAW_FORMAT, name: 'binary', formatBytes: (bytes) => Buffer.from(bytes).toString('base64') };
export const BINARY_FORMAT = BASE64;

/** A DecimalFormat pattern over values that are raw * scale. */
export function decimalFormat(pattern: string, toNumber: (raw: bigint | number) => number): ValueFormat {
  const decimal = DecimalFormat.of(pattern);
  return {
    name: pattern,
    format: (raw) => decimal.format(toNumber(raw)),
    formatBytes: (bytes) => decoder.decode(bytes),
    keyAsString: (value) => decimal.format(Number(value)),
    parse: (text) => decimal.parse(text),
  };
}

/** The largest double below 2^63: sums of squares of dates are shown as the last instant of Java's long. */
const MAX_TIME_MS = 2 ** 63 - 1024;

/** Dates over epoch ms, or over epoch ns if `nanos`; keys of aggregations are always ms. */
function dateFormat(formatter: DateFormatter, zone: TimeZone, nanos: boolean): ValueFormat {
  const print = (raw: bigint | number): string => {
    if (!nanos) return formatter.print(Number(raw), zone);
    const ns = BigInt(raw);
    const ms = ns / 1_000_000n;
    return formatter.print(Number(ms), zone, Number(ns - ms * 1_000_000n));
  };
  return {
    name: formatter.pattern,
    format: print,
    formatBytes: (bytes) => decoder.decode(bytes),
    keyAsString: (value) => formatter.print(Math.trunc(Math.max(-MAX_TIME_MS, Math.min(Number(value), MAX_TIME_MS))), zone),
    parse(text, roundUp, nowMs, timeZone) {
      const instant = parseDateMath(text, formatter, nowMs, roundUp, timeZone === undefined ? zone : zoneOf(timeZone));
      return nanos ? BigInt(instant.ms) * 1_000_000n + BigInt(instant.nanos) : instant.ms;
    },
  };
}

export function dateFormatOf(pattern: string | null, fallback: DateFormatter, timeZone: string | null, nanos: boolean): ValueFormat {
  const formatter = pattern === null ? fallback : DateFormatter.of(pattern);
  return dateFormat(formatter, timeZone === null ? UTC : zoneOf(timeZone), nanos);
}
