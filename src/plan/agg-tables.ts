// Column images as the aggregation planner sees them, and tables from stored values to bucket indexes.
import type { AggColumn } from './agg-plan.ts';
import type { SegmentColumn } from './segment.ts';

/** No bucket. */
export const NIL = 0xffffffff;
/** Bucket indexes stay below this. */
export const MAX_TABLE = 2 ** 31;
/** Columns with at most so many stored values get tables. */
const NARROW = 1 << 16;

/** What counts of a column's header (docs/internals/segment-format.md, "Column"). */
export interface ColumnImage {
  readonly isDouble: boolean;
  readonly passesThrough: boolean;
  readonly base: number;
  readonly multiplier: number;
  /** Stored values are below this; 0 if they are not narrow integers (f64, 8 bytes wide). */
  readonly stored: number;
  readonly isNarrow: boolean;
  readonly min: bigint | number;
  readonly max: bigint | number;
  readonly valueCount: number;
  readonly maxDoc: number;
  /** Raw value as the API's double. */
  toDouble(raw: bigint | number, source: AggColumn): number;
}

/** @param view the memory that the column's address is in */
export function readImage(view: DataView, column: SegmentColumn): ColumnImage {
  const header = new DataView(view.buffer, view.byteOffset + column.ptr, 64);
  const flags = header.getUint32(0, true);
  const width = header.getUint32(4, true);
  const base = header.getBigInt64(8, true);
  const multiplier = header.getBigInt64(16, true);
  const isDouble = (flags & 8) !== 0;
  let stored = 0;
  if (!isDouble && width <= 4 && multiplier > 0n) {
    const last = (BigInt(column.max) - base) / multiplier;
    if (last < BigInt(MAX_TABLE)) stored = Number(last) + 1;
  }
  return {
    isDouble,
    passesThrough: (flags & 3) === 2,
    base: Number(base),
    multiplier: Number(multiplier),
    stored,
    isNarrow: stored > 0 && stored <= NARROW,
    min: column.min,
    max: column.max,
    valueCount: column.valueCount,
    maxDoc: header.getUint32(52, true),
    toDouble: isDouble
      ? (raw) => Number(raw)
      : (raw, source) => (source.unsigned ? Number(BigInt(raw) + (1n << 63n)) : Number(raw) * source.scale),
  };
}

/** Stored form of a raw value, -1 if the column's base and multiplier cannot express it in 32 bits. */
export function storedOf(image: ColumnImage, raw: number): number {
  const stored = (raw - image.base) / image.multiplier;
  return Number.isInteger(stored) && stored >= 0 && stored < NIL ? stored : -1;
}

/** u32 index per stored value. */
export function indexTable(image: ColumnImage, indexOf: (raw: number) => number): Uint32Array {
  const table = new Uint32Array(image.stored);
  for (let stored = 0; stored < image.stored; stored++) table[stored] = indexOf(image.base + image.multiplier * stored);
  return table;
}
