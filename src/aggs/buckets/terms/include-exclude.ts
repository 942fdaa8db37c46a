// `include` and `exclude` of terms: regular expressions, lists of values, partitions.

import { floorMod, mix64, murmur3x86 } from '../../../common/encoding/java-hashes.ts';
import { isObject } from '../../../common/json/json-value.ts';
import { present } from '../../../common/present.ts';
import { REGEXP_ALL } from '../../../common/text/regexp-flags.ts';
import { checkTurn } from '../../../common/turns/turn.ts';
import type { Dialect } from '../../../compat/dialect.ts';
import { asCause } from '../../../errors/api-error.ts';
import { parseFailureError } from '../../../errors/search-errors.ts';
import type { SegmentReader } from '../../../plan/segment-reader.ts';
import { type RegexpMatcher, regexpMatcher } from '../../../regex/lucene-automaton.ts';
import { illegalArgumentError, misusedError, numberFormatError, xContentError } from '../../errors.ts';
import type { Params } from '../../params.ts';
import { doubleOf, hasNoValues, type ValuesSource } from '../../source.ts';

export interface IncludeExclude {
  readonly include: string | readonly unknown[] | { readonly partition: number; readonly partitions: number } | null;
  readonly exclude: string | readonly unknown[] | null;
}

export function parseIncludeExclude(p: Params, dialect: Dialect): IncludeExclude | null {
  const include = p.take('include');
  const exclude = p.take('exclude');
  if (include === undefined && exclude === undefined) return null;
  const parsed = { include: parseInclude(p, include), exclude: textOrList(p, exclude, 'exclude') };
  if (dialect.checksAggregationsEarly) {
    checkPattern(p, 'include', parsed.include);
    checkPattern(p, 'exclude', parsed.exclude);
  }
  return parsed;
}

function checkPattern(p: Params, key: string, side: unknown): void {
  if (typeof side !== 'string') return;
  try {
    matcherOf(side);
  } catch (error) {
    throw xContentError(`[${p.typeName}] failed to parse field [${key}]`, asCause(error));
  }
}

function parseInclude(p: Params, value: unknown): IncludeExclude['include'] {
  if (!isObject(value)) return textOrList(p, value, 'include');
  const partition = Number(value.partition);
  const partitions = Number(value.num_partitions);
  if (value.partition === undefined || value.num_partitions === undefined)
    throw illegalArgumentError('Missing [partition] or [num_partitions] parameter for partition-based include');
  if (!Number.isInteger(partition) || partition < 0) throw illegalArgumentError('Partition must be >= 0');
  if (!Number.isInteger(partitions) || partition >= partitions) throw illegalArgumentError('Partition must be < num_partitions');
  return { partition, partitions };
}

function textOrList(p: Params, value: unknown, key: string): string | readonly unknown[] | null {
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((entry) => entry !== null && typeof entry !== 'object')) return value;
  if (!Array.isArray(value)) throw p.wrongTypeError(key, value);
  const cause = parseFailureError('Array elements in include/exclude clauses should be string values');
  throw xContentError(`[${p.typeName}] failed to parse field [${key}]`, cause);
}

/** @throws ApiError aggregation_execution_exception, illegal_argument_exception: not applicable to a field of this type */
export function checkIncludeExclude(filter: IncludeExclude, source: ValuesSource, name: string, dialect: Dialect): void {
  if (hasNoValues(source)) return;
  const isRegExp = typeof filter.include === 'string' || typeof filter.exclude === 'string';
  if (isRegExp && source.kind !== 'ordinals') {
    throw misusedError(
      `Aggregation [${name}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of numeric values for include/exclude clauses used to filter numeric fields`,
      dialect,
    );
  }
  if (isRegExp && (source.type?.family === 'ip' || source.type?.typeName === 'version')) {
    throw misusedError(
      `Aggregation [${name}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of values for include/exclude clauses`,
      dialect,
    );
  }
  for (const side of [filter.include, filter.exclude]) if (typeof side === 'string') matcherOf(side);
}

const ORDINALS_PER_CHECK_MASK = 1023;

/** Same default as for regular expressions in index queries. */
const MAX_STATES = 10_000;

/** @throws ApiError illegal_argument_exception */
function matcherOf(pattern: string): RegexpMatcher {
  return regexpMatcher(pattern, REGEXP_ALL, false, MAX_STATES);
}

/** Predicate over terms. */
export function termFilter(filter: IncludeExclude, source: Pick<ValuesSource, 'type'>): (bytes: Uint8Array) => boolean {
  const parts: Array<(bytes: Uint8Array) => boolean> = [];
  const side = (value: IncludeExclude['include'], wanted: boolean) => {
    if (typeof value === 'string') {
      const matcher = matcherOf(value);
      parts.push((bytes) => matcher.matches(bytes) === wanted);
    } else if (Array.isArray(value)) {
      const terms = new Set(value.map((term) => latin1(source.type ? source.type.termBytes(term) : Buffer.from(String(term)))));
      parts.push((bytes) => terms.has(latin1(bytes)) === wanted);
    } else if (value !== null && 'partition' in (value as object)) {
      const { partition, partitions } = value as { partition: number; partitions: number };
      parts.push((bytes) => floorMod(murmur3x86(bytes, 31), partitions) === partition);
    }
  };
  side(filter.include, true);
  side(filter.exclude, false);
  return (bytes) => parts.every((part) => part(bytes));
}

/** Bitset of the accepted ordinals of a segment. */
export function acceptedOrdinals(filter: IncludeExclude, source: ValuesSource, segment: SegmentReader, count: number): Uint8Array {
  const accept = new Uint8Array((count >> 3) + 2);
  const test = termFilter(filter, source);
  // The ordinal after the last term stands for `missing`.
  for (let ord = 0; ord < count; ord++) {
    if ((ord & ORDINALS_PER_CHECK_MASK) === 0) checkTurn();
    if (test(segment.termOf(source.field, ord))) accept[ord >> 3] |= 1 << (ord & 7);
  }
  if (source.missing instanceof Uint8Array && test(source.missing)) accept[count >> 3] |= 1 << (count & 7);
  return accept;
}

/** Predicate over numeric keys. @throws ApiError number_format_exception: a value that is not a number */
export function numberFilter(filter: IncludeExclude, source: ValuesSource, nowMs: number): (raw: number | bigint) => boolean {
  const isDouble = source.kind === 'f64' || source.scale !== 1;
  const hashed = (value: number): bigint => mix64(isDouble ? sortableBits(value) : BigInt(Math.trunc(value)));
  const valuesOf = (values: readonly unknown[]) =>
    new Set(
      values.map((value) => {
        if (source.isDate && typeof value === 'string') return Number(present(source.format).parse(value, false, nowMs));
        if (source.type?.family === 'boolean') return booleanOf(value);
        const number = value === '' ? Number.NaN : Number(value);
        if (Number.isNaN(number)) throw numberFormatError(String(value));
        return isDouble ? number : Math.trunc(number);
      }),
    );
  const included = Array.isArray(filter.include) ? valuesOf(filter.include) : null;
  const excluded = Array.isArray(filter.exclude) ? valuesOf(filter.exclude) : null;
  const part = filter.include !== null && !Array.isArray(filter.include) && typeof filter.include === 'object' ? filter.include : null;
  return (raw) => {
    const value = doubleOf(source, raw);
    // An empty list of numbers includes all of them, an empty list of strings none.
    if (included && included.size > 0 && !included.has(value)) return false;
    if (excluded?.has(value)) return false;
    if (!part) return true;
    const { partition, partitions } = part as { partition: number; partitions: number };
    return Number(((hashed(value) % BigInt(partitions)) + BigInt(partitions)) % BigInt(partitions)) === partition;
  };
}

function booleanOf(value: unknown): number {
  const text = String(value);
  if (text === 'true' || text === 'false') return text === 'true' ? 1 : 0;
  throw illegalArgumentError(`Cannot parse boolean [${text}], expected either [true] or [false]`);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

const double = new Float64Array(1);
const doubleBits = new BigInt64Array(double.buffer);

/** The bits of a double as an integer with the same order, as Lucene's NumericUtils. */
function sortableBits(value: number): bigint {
  double[0] = value;
  return doubleBits[0] ^ ((doubleBits[0] >> 63n) & 0x7fff_ffff_ffff_ffffn);
}
