// Reads a column of a segment image in loops over many documents: the slot of a document, stored values (docs/internals/segment-format.md, "Column").
// A document's values are values[firstValue .. endValue) of the column; value = base + multiplier * stored.

import { BOUNDS_LOG2, Column, COLUMN_DENSE, COLUMN_DIRECT, COLUMN_MULTI, columnRank } from './column';

export const NO_SLOT: u32 = 0xffffffff;
/** Documents of a block with bounds. */
export const BOUNDS_DOCS: u32 = 1 << BOUNDS_LOG2;

// @ts-ignore: decorator
@inline
export function columnHeader(ptr: usize): Column {
  return changetype<Column>(ptr);
}

// @ts-ignore: decorator
@inline
export function hasValue(column: Column, docId: u32): bool {
  if (column.flags & COLUMN_DENSE) return true;
  const presence = changetype<usize>(column) + column.presenceOff;
  return ((load<u64>(presence + ((<usize>(docId >> 6)) << 3)) >> docId) & 1) != 0;
}

/** Slot of a document, NO_SLOT if it has no value. */
// @ts-ignore: decorator
@inline
export function slotOf(column: Column, docId: u32): u32 {
  const flags = column.flags;
  if (flags & COLUMN_DENSE) return docId;
  const presence = changetype<usize>(column) + column.presenceOff;
  const wordPtr = presence + ((<usize>(docId >> 6)) << 3);
  const word = load<u64>(wordPtr);
  if (!((word >> docId) & 1)) return NO_SLOT;
  if (flags & COLUMN_DIRECT) return docId;
  return columnRank(column, docId);
}

/** Index of a slot's first value; the next slot's first value is the end. */
// @ts-ignore: decorator
@inline
export function firstValue(column: Column, slot: u32): u32 {
  if (!(column.flags & COLUMN_MULTI)) return slot;
  return load<u32>(changetype<usize>(column) + column.startsOff + ((<usize>slot) << 2));
}

/** Stored value of an integer column. */
// @ts-ignore: decorator
@inline
export function storedAt(column: Column, index: u32): u64 {
  const values = changetype<usize>(column) + column.valuesOff;
  const width = column.width;
  if (width == 1) return <u64>load<u8>(values + index);
  if (width == 2) return <u64>load<u16>(values + ((<usize>index) << 1));
  if (width == 4) return <u64>load<u32>(values + ((<usize>index) << 2));
  if (width == 0) return 0;
  return load<u64>(values + ((<usize>index) << 3));
}

// @ts-ignore: decorator
@inline
export function integerAt(column: Column, index: u32): i64 {
  return column.base + column.multiplier * <i64>storedAt(column, index);
}

/** Value of an f64 column. */
// @ts-ignore: decorator
@inline
export function doubleAt(column: Column, index: u32): f64 {
  const values = changetype<usize>(column) + column.valuesOff;
  if (column.width == 4) return <f64>load<f32>(values + ((<usize>index) << 2));
  if (column.width == 0) return reinterpret<f64>(column.base);
  return load<f64>(values + ((<usize>index) << 3));
}
