// Values of sorted fields in their three forms: raw in the column of a segment, comparable between shards, and JSON in a hit.

import { jsonDouble } from '../../common/json/json-float.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { numberFormatError } from '../../errors/search-errors.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { type Bytes, bytesOfKey, keyOf } from '../index-query/term.ts';
import type { SortSpec } from '../request/sort-request.ts';
import type { SortValue } from './resolved-sort.ts';

const LONG_MAX = 2n ** 63n - 1n;
const LONG_MIN = -(2n ** 63n);
const INT_MAX = 2 ** 31 - 1;
const INT_MIN = -(2 ** 31);
const UNSIGNED_SHIFT = 2n ** 63n;
const NANOS_PER_MS = 1_000_000n;

export type FieldSpecOf = Extract<SortSpec, { by: 'field' }>;

export interface SortCodec {
  /** Returns the raw value that replaces missing ones; null puts documents without a value first or last. */
  readonly missing: ((segment: SegmentReader) => bigint | number) | null;
  decode(raw: bigint | number | null, segment: SegmentReader): SortValue;
  render(value: SortValue): unknown;
  encode(value: unknown, segment: SegmentReader): bigint | number | null;
  raw(value: SortValue, segment: SegmentReader): bigint | number | null;
}

/** A missing value in a segment without terms: it is not an ordinal. */
const BEFORE_ALL = -0.5;

/** The ordinal of a term in a segment; a value between two ordinals for a term that the segment does not have. */
function ordinalOf(segment: SegmentReader, field: string, bytes: Bytes): number {
  const state = segment.lookupTerm(field, bytes);
  return state ? state.ord : segment.seekOrd(field, bytes) - 0.5;
}

export function ordinalsCodec(field: FieldType, spec: FieldSpecOf): SortCodec {
  const name = field.spec.name;
  const format = field.format(spec.format, null);
  const given = spec.missing === '_first' || spec.missing === '_last' ? null : field.termBytes(spec.missing);
  const givenKey = given ? keyOf(given) : null;
  return {
    missing: given ? (segment) => (segment.postings(name) || segment.column(name) ? ordinalOf(segment, name, given) : BEFORE_ALL) : null,
    decode: (raw, segment) => {
      if (raw === null) return givenKey;
      const ord = Number(raw);
      return Number.isInteger(ord) ? keyOf(segment.termOf(name, ord)) : givenKey;
    },
    render: (value) => (value === null ? null : format.formatBytes(bytesOfKey(String(value)))),
    encode: (value, segment) => (value === null ? null : ordinalOf(segment, name, field.termBytes(value))),
    raw: (value, segment) => (value === null ? null : ordinalOf(segment, name, bytesOfKey(String(value)))),
  };
}

/** The lowest and highest value of a type, shown for documents without a value. */
function extremes(typeName: string, numericType: string | null, dialect: Dialect): readonly [unknown, unknown] {
  switch (numericType ?? typeName) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'token_count':
    case 'boolean':
      return dialect.sortsIntegersAsLongs ? [LONG_MIN, LONG_MAX] : [INT_MIN, INT_MAX];
    case 'float':
    case 'half_float':
    case 'double':
    case 'scaled_float':
      return ['-Infinity', 'Infinity'];
    case 'date_nanos':
      return [dialect.sortsNanosFromEpoch ? 0 : LONG_MIN, LONG_MAX];
    case 'unsigned_long':
      return [0, 2n ** 64n - 1n];
    case 'keyword':
    case 'text':
    case 'ip':
      return [null, null];
    default:
      return [LONG_MIN, LONG_MAX];
  }
}

export function numericCodec(field: FieldType, spec: FieldSpecOf, dialect: Dialect): SortCodec {
  const isF64 = field.spec.column === 'f64';
  const scaled = field.scale !== 1;
  if (dialect.formatsDatesInSortsOnly && spec.format !== null && field.family === 'numeric')
    throw illegalArgumentError('require a date_time formatter; got [decimal]');
  if (spec.numericType === 'date_nanos' && field.family !== 'date')
    throw illegalArgumentError('trying to convert a known date time formatter to a nanosecond one, wrong field used?');
  const [lowest, highest] = extremes(isF64 ? 'double' : field.typeName, spec.numericType, dialect);
  const shown = (spec.missing === '_first') === spec.descending ? highest : lowest;
  const given = spec.missing === '_first' || spec.missing === '_last' ? null : rawOf(field, spec.missing);
  const format = spec.format === null ? null : field.format(spec.format, null);
  const isDouble = isF64 || scaled || spec.numericType === 'double';
  const toNanos = spec.numericType === 'date_nanos' && field.typeName === 'date';
  /** Converts a comparable value to the unit of the column. */
  const stored = (value: bigint): bigint => (toNanos ? value / NANOS_PER_MS : value);
  return {
    missing: given === null ? null : () => given,
    decode: (raw) => {
      if (raw === null) return null;
      if (isF64) return Number(raw);
      if (scaled) return Number(raw) * field.scale;
      if (field.unsigned) return BigInt(raw) + UNSIGNED_SHIFT;
      if (toNanos) return BigInt(raw) * NANOS_PER_MS;
      return typeof raw === 'number' ? raw : asNumber(raw);
    },
    render: (value) => {
      if (value === null) return format && field.family === 'date' ? format.format(BigInt(String(shown))) : shown;
      if (format) return format.format(isF64 || scaled ? Number(value) : stored(BigInt(value)));
      if (typeof value === 'bigint') return isDouble ? jsonDouble(Number(value)) : asNumber(value);
      if (spec.numericType === 'long' || spec.numericType === 'date') return Math.trunc(Number(value));
      return isDouble ? jsonDouble(Number(value)) : value;
    },
    encode: (value) => {
      if (value === null || value === shown || String(value) === String(shown)) return null;
      if (isF64) return readNumber(value);
      if (scaled) return BigInt(Math.round(readNumber(value) / field.scale));
      if (typeof value === 'string' && field.family === 'date' && !(toNanos && format === null)) {
        if (!format) return BigInt(field.exactValue(value) ?? 0);
        return BigInt(format.parse(value, false, Date.now()));
      }
      if (toNanos) return stored(readInteger(value));
      if (field.family === 'boolean' && typeof value === 'boolean') return value ? 1n : 0n;
      return field.unsigned ? BigInt(readInteger(value)) - UNSIGNED_SHIFT : BigInt(readInteger(value));
    },
    raw: (value) => {
      if (value === null) return null;
      if (isF64) return Number(value);
      if (scaled) return BigInt(Math.round(Number(value) / field.scale));
      const whole = BigInt(value);
      if (field.unsigned) return whole - UNSIGNED_SHIFT;
      return stored(whole);
    },
  };
}

/** The raw value in place of missing ones: a number in the unit of the column, also for dates and booleans. */
function rawOf(field: FieldType, value: unknown): bigint | number {
  if (typeof value === 'boolean') throw numberFormatError(String(value));
  if (field.spec.column === 'f64') return readNumber(value);
  if (field.scale !== 1) return BigInt(Math.round(readNumber(value) / field.scale));
  const whole = typeof value === 'number' && Number.isFinite(value) ? BigInt(Math.trunc(value)) : readWhole(value);
  return field.unsigned ? whole - UNSIGNED_SHIFT : BigInt.asIntN(64, whole);
}

function readWhole(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) return BigInt(value);
  throw numberFormatError(String(value));
}

/** A bigint as a number if it can be represented exactly. */
function asNumber(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

export function readNumber(value: unknown): number {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(number) || value === null || typeof value === 'object') throw numberFormatError(String(value));
  return number;
}

function readInteger(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) return BigInt(value);
  return BigInt(Math.trunc(readNumber(value)));
}
