// Columns as the aggregation planner sees them, and tables from stored values to bucket indexes.
import { NIL } from '../wasm/generated/aggs.ts';
import { COLUMN_DENSE, COLUMN_F64, COLUMN_MULTI, Column } from '../wasm/generated/docvalues.ts';
import type { AggColumn } from './agg-plan.ts';
import type { SegmentColumn } from './segment.ts';

/** Bucket indexes stay below this. */
export const MAX_TABLE = 2 ** 31;
/** Columns with at most this many stored values get tables. */
const NARROW = 1 << 16;

/** Properties of a column that the planner uses, from its header and statistics. */
export interface ColumnImage {
  readonly isDouble: boolean;
  readonly passesThrough: boolean;
  /** A raw value is base + multiplier * stored value; as a double exact only up to 2^53, which the base of every unsigned_long is beyond. */
  readonly base: number;
  readonly exactBase: bigint;
  readonly exactMultiplier: bigint;
  readonly multiplier: number;
  /** Stored values are below this; 0 if they are not narrow integers (f64, 8 bytes wide). */
  readonly stored: number;
  readonly isNarrow: boolean;
  readonly min: bigint | number;
  readonly max: bigint | number;
  readonly valueCount: number;
  readonly maxDoc: number;
  /** The values source with this column. */
  readonly source: AggColumn;
  /** Raw value as the API's double. */
  toDouble(raw: bigint | number): number;
}

/** @param view the memory that contains the column */
export function readImage(view: DataView, source: AggColumn, column: SegmentColumn): ColumnImage {
  const word = (field: number): number => view.getUint32(column.ptr + field, true);
  const flags = word(Column.flags);
  const base = view.getBigInt64(column.ptr + Column.base, true);
  const multiplier = view.getBigInt64(column.ptr + Column.multiplier, true);
  const isDouble = (flags & COLUMN_F64) !== 0;
  let stored = 0;
  if (!isDouble && word(Column.width) <= 4 && multiplier > 0n) {
    const last = (BigInt(column.max) - base) / multiplier;
    if (last < BigInt(MAX_TABLE)) stored = Number(last) + 1;
  }
  return {
    isDouble,
    passesThrough: (flags & (COLUMN_MULTI | COLUMN_DENSE)) === COLUMN_DENSE,
    base: Number(base),
    exactBase: base,
    exactMultiplier: multiplier,
    multiplier: Number(multiplier),
    stored,
    isNarrow: stored > 0 && stored <= NARROW,
    min: column.min,
    max: column.max,
    valueCount: column.valueCount,
    maxDoc: word(Column.maxDoc),
    source,
    toDouble: isDouble ? (raw) => Number(raw) : (raw) => (source.unsigned ? Number(BigInt(raw) + (1n << 63n)) : Number(raw) * source.scale),
  };
}

/** Stored form of a raw value, -1 if the column's base and multiplier cannot express it in 32 bits. */
export function storedOf(image: ColumnImage, raw: bigint | number): number {
  if (typeof raw === 'number' && !Number.isInteger(raw)) return -1;
  const distance = BigInt(raw) - image.exactBase;
  const { exactMultiplier } = image;
  const stored = distance / exactMultiplier;
  return distance % exactMultiplier === 0n && stored >= 0n && stored < BigInt(NIL) ? Number(stored) : -1;
}

/** u32 index per stored value, by raw values up to 2^53. */
export function indexTable(image: ColumnImage, indexOf: (raw: number) => number): Uint32Array {
  const table = new Uint32Array(image.stored);
  for (let stored = 0; stored < image.stored; stored++) table[stored] = indexOf(image.base + image.multiplier * stored);
  return table;
}

/** u32 index per stored value, by the API's doubles. */
export function doubleTable(image: ColumnImage, indexOf: (value: number) => number): Uint32Array {
  const { exactBase, exactMultiplier } = image;
  if ([image.min, image.max].every((end) => Number.isSafeInteger(Number(end))))
    return indexTable(image, (raw) => indexOf(image.toDouble(raw)));
  const table = new Uint32Array(image.stored);
  for (let stored = 0; stored < image.stored; stored++)
    table[stored] = indexOf(image.toDouble(exactBase + exactMultiplier * BigInt(stored)));
  return table;
}
