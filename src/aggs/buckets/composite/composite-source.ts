// Counts one source of a composite in one segment: the kernels' node, and the meaning of its raw keys. Documents without a value get a raw
// value whose bucket contains no value of the column.
import type { AggNode } from '../../../plan/agg-plan.ts';
import type { SegmentColumn } from '../../../plan/segment.ts';
import type { Rounding } from '../../dates/rounding.ts';
import { columnOf, doubleOf, millisecondsOf, type ValuesSource } from '../../source.ts';
import type { SegmentScope } from '../../types.ts';
import { dateNode } from '../histograms/date-histogram.ts';
import { termsNode } from '../terms/terms.ts';

/** The kind of a source and its parameters. */
export interface SourceShape {
  readonly kind: 'terms' | 'histogram' | 'date_histogram' | 'geotile_grid';
  readonly missingBucket: boolean;
  readonly interval: number;
  readonly rounding: Rounding | null;
  readonly precision: number;
}

export interface SegmentSource {
  node(children: readonly AggNode[]): AggNode;
  /**
   * True if keys are values that must still be rounded. A document with two values in one interval then counts twice. Only some dates are
   * counted this way: those of a field of doubles, those in more calendar buckets than kernels have room for, and columns from the first to
   * the last 64-bit date.
   */
  readonly isRaw: boolean;
  /** True if a raw key is that of documents without a value. */
  isMissing(key: number | bigint): boolean;
}

const LEAST = -(1n << 63n);
const GREATEST = (1n << 63n) - 1n;
/** A value that is very unlikely to occur, for columns with both the least and the greatest 64-bit value. */
const ODD_VALUE = 0x2545_f491_4f6c_dd1dn;
/** Up to this key, the key after the next differs from it. */
const MAX_HISTOGRAM_KEY = 2 ** 53 - 4;

export function segmentSource(shape: SourceShape, source: ValuesSource, scope: SegmentScope): SegmentSource {
  const { column } = columnOf(source, scope.segment);
  if (source.kind === 'ordinals') return ordinalSource(shape, source, scope);
  if (shape.kind === 'geotile_grid') return geotileSource(shape, source, scope);
  if (!column) return { ...valueSource(shape, source, scope, 0), isMissing: () => shape.missingBucket };
  if (shape.kind === 'histogram') return histogramSource(shape, source, scope, column);
  if (source.isDate || shape.kind === 'date_histogram') return dateSource(shape, source, scope, column);
  return valueSource(shape, source, scope, freeValue(column));
}

/** A value that the column does not hold. */
function freeValue({ kind, min, max }: SegmentColumn): bigint | number {
  if (kind === 'f64') return Number.NaN;
  if (BigInt(max) < GREATEST) return BigInt(max) + 1n;
  return BigInt(min) > LEAST ? BigInt(min) - 1n : ODD_VALUE;
}

/** Unrounded values, and `missing` for documents without one. */
function valueSource(
  { kind, missingBucket }: SourceShape,
  source: ValuesSource,
  scope: SegmentScope,
  missing: bigint | number,
): SegmentSource {
  const counted = missingBucket ? { ...source, missing } : source;
  return {
    node: (children) => ({ op: 'termsNumeric', source: columnOf(counted, scope.segment), perValue: false, children }),
    isRaw: kind !== 'terms',
    isMissing: (key) =>
      missingBucket && (typeof missing === 'bigint' ? !Number.isNaN(Number(key)) && BigInt(key) === missing : Number.isNaN(key)),
  };
}

function ordinalSource({ missingBucket }: SourceShape, source: ValuesSource, scope: SegmentScope): SegmentSource {
  if (!missingBucket) return { node: (children) => termsNode(source, scope, null, children), isRaw: false, isMissing: () => false };
  const column = columnOf(source, scope.segment);
  const missing = column.column ? Number(column.column.max) + 1 : 0;
  return {
    node: (children) => ({ op: 'termsOrd', source: { ...column, missing }, accept: null, children }),
    isRaw: false,
    isMissing: (key) => Number(key) === missing,
  };
}

function histogramSource(shape: SourceShape, source: ValuesSource, scope: SegmentScope, column: SegmentColumn): SegmentSource {
  const { interval, missingBucket } = shape;
  const keyOf = (raw: bigint | number) => Math.floor(doubleOf(source, raw) / interval);
  const lastKey = keyOf(column.max);
  const value = (lastKey + 2) * interval;
  // Twice an interval may be infinite, which no integer is.
  const whole = Math.min(Math.ceil(value / source.scale), Number.MAX_VALUE);
  const beyond = source.kind === 'f64' ? value : BigInt(whole) - (source.unsigned ? 1n << 63n : 0n);
  const isExact =
    value < Number.POSITIVE_INFINITY &&
    -keyOf(column.min) < MAX_HISTOGRAM_KEY &&
    lastKey < MAX_HISTOGRAM_KEY &&
    (typeof beyond === 'number' || beyond <= GREATEST);
  const missingApart = missingBucket && !isExact;
  const counted = columnOf(missingBucket && isExact ? { ...source, missing: beyond } : source, scope.segment);
  return {
    node: (children) => ({
      op: 'histogram',
      source: counted,
      interval,
      offset: 0,
      minKey: -Infinity,
      maxKey: Infinity,
      missingApart,
      children,
    }),
    isRaw: false,
    isMissing: (key) => (missingApart ? Number.isNaN(key) : missingBucket && Number(key) > lastKey),
  };
}

/** The key of `missingApart` in a node of cells. */
const MISSING_CELL = -1n;

const EVERY_MILLISECOND: Rounding = { round: (ms) => ms, next: (ms) => ms + 1, fixed: { interval: 1, offset: 0 }, unit: null };

function dateSource(shape: SourceShape, source: ValuesSource, scope: SegmentScope, column: SegmentColumn): SegmentSource {
  const { missingBucket } = shape;
  const rounding = shape.rounding ?? EVERY_MILLISECOND;
  if (source.kind === 'f64') return valueSource({ ...shape, kind: 'date_histogram' }, source, scope, Number.NaN);
  const bucketOf = (value: bigint | number) => rounding.round(millisecondsOf(value));
  const behind = rounding.next(rounding.next(bucketOf(column.max)));
  const before = rounding.round(rounding.round(bucketOf(column.min) - 1) - 1);
  const missing = rawDate(behind) ?? rawDate(before);
  if (missing === null) return valueSource({ ...shape, kind: 'date_histogram' }, source, scope, freeValue(column));
  const counted = missingBucket ? { ...source, missing } : source;
  const first = BigInt(bucketOf(column.min));
  return {
    node: (children) => dateNode(counted, scope, rounding, children),
    isRaw: false,
    isMissing: (key) => missingBucket && (missing < first ? BigInt(key) < first : key > column.max),
  };
}

/** Milliseconds as stored in a column; null for dates that it cannot hold. */
function rawDate(ms: number): bigint | null {
  return Number.isSafeInteger(ms) ? BigInt(ms) : null;
}

function geotileSource({ precision, missingBucket }: SourceShape, source: ValuesSource, scope: SegmentScope): SegmentSource {
  const column = columnOf(source, scope.segment);
  return {
    node: (children) => ({ op: 'geoCells', source: column, grid: 'geotile', precision, missingApart: missingBucket, children }),
    isRaw: false,
    isMissing: (key) => missingBucket && BigInt(key) === MISSING_CELL,
  };
}
