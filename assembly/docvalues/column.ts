// Header of a column section and access to single values. The layout is specified in docs/internals/segment-format.md, "Column".
import { bitsetGet } from '../codec/bitset';

export const COLUMN_MULTI: u32 = 1;
export const COLUMN_DENSE: u32 = 2;
export const COLUMN_DIRECT: u32 = 4;
export const COLUMN_F64: u32 = 8;
export const COLUMN_ORDINALS: u32 = 16;

export const COLUMN_HEADER_BYTES: usize = 64;
/** Documents per entry of the ranks. */
export const RANK_LOG2: u32 = 9;
/** Documents per entry of the block bounds. */
export const BOUNDS_LOG2: u32 = 12;

// @ts-ignore: decorator
@unmanaged
export class Column {
  flags: u32;
  /** Bytes of a stored value: 0, 1, 2, 4, 8. */
  width: u32;
  base: i64;
  multiplier: i64;
  valueCount: u32;
  docCount: u32;
  valuesOff: u32;
  presenceOff: u32;
  ranksOff: u32;
  startsOff: u32;
  boundsOff: u32;
  maxDoc: u32;
  reserved: u64;
}

/** Slot of a document, or -1 if it has no value. Pre: docId < maxDoc. */
// @ts-ignore: decorator
@inline
function columnSlot(column: Column, docId: u32): i32 {
  assert(docId < column.maxDoc);
  const flags = column.flags;
  if (flags & COLUMN_DENSE) return <i32>docId;
  const presence = changetype<usize>(column) + column.presenceOff;
  if (!bitsetGet(presence, docId)) return -1;
  return flags & COLUMN_DIRECT ? <i32>docId : <i32>columnRank(column, docId);
}

/** Documents with a value before `docId`. Pre: the column has presence and ranks. */
export function columnRank(column: Column, docId: u32): u32 {
  const presence = changetype<usize>(column) + column.presenceOff;
  let rank = load<u32>(changetype<usize>(column) + column.ranksOff + ((<usize>(docId >> RANK_LOG2)) << 2));
  let word = presence + ((<usize>(docId >> RANK_LOG2)) << 6);
  for (const end = presence + ((<usize>(docId >> 6)) << 3); word < end; word += 8) rank += <u32>popcnt<u64>(load<u64>(word));
  return rank + <u32>popcnt<u64>(load<u64>(word) & (((<u64>1) << (docId & 63)) - 1));
}

/** Raw value number `index`: an i64, or the bits of an f64. */
// @ts-ignore: decorator
@inline
export function columnValue(column: Column, index: u32): i64 {
  const values = changetype<usize>(column) + column.valuesOff;
  const width = column.width;
  if (column.flags & COLUMN_F64) {
    return width == 8
      ? load<i64>(values + ((<usize>index) << 3))
      : reinterpret<i64>(<f64>load<f32>(values + ((<usize>index) << 2)));
  }
  let stored: u64 = 0;
  if (width == 1) stored = <u64>load<u8>(values + index);
  else if (width == 2) stored = <u64>load<u16>(values + ((<usize>index) << 1));
  else if (width == 4) stored = <u64>load<u32>(values + ((<usize>index) << 2));
  else if (width == 8) stored = load<u64>(values + ((<usize>index) << 3));
  return column.base + column.multiplier * <i64>stored;
}

/** Writes the first value's index and the number of values of a document to `outPtr` (u32 x 2). Returns the number. */
export function columnValues(column: Column, docId: u32, outPtr: usize): u32 {
  const slot = columnSlot(column, docId);
  if (slot < 0) {
    store<u64>(outPtr, 0);
    return 0;
  }
  let first = <u32>slot, count: u32 = 1;
  if (column.flags & COLUMN_MULTI) {
    const starts = changetype<usize>(column) + column.startsOff + ((<usize>slot) << 2);
    first = load<u32>(starts);
    count = load<u32>(starts, 4) - first;
  }
  store<u32>(outPtr, first);
  store<u32>(outPtr, count, 4);
  return count;
}

/**
 * Copies the raw values of one document (i64 or f64 bits) to `outPtr`, at most `limit`. Returns how many the document has.
 * For the host: kernels that read many documents read the layout directly.
 */
export function columnGet(ptr: usize, docId: u32, outPtr: usize, limit: u32): u32 {
  const column = changetype<Column>(ptr);
  const count = columnValues(column, docId, outPtr);
  if (count == 0) return 0;
  const first = load<u32>(outPtr);
  for (let i: u32 = 0; i < min(count, limit); i++) store<i64>(outPtr + ((<usize>i) << 3), columnValue(column, first + i));
  return count;
}

/** Smallest value of a document as a double (exact up to 2^53); NaN if it has none. For the host: single look-ups without a copy. */
export function columnFirst(ptr: usize, docId: u32): f64 {
  const column = changetype<Column>(ptr), slot = columnSlot(column, docId);
  if (slot < 0) return NaN;
  const first = column.flags & COLUMN_MULTI ? load<u32>(ptr + column.startsOff + ((<usize>slot) << 2)) : <u32>slot;
  const value = columnValue(column, first);
  return column.flags & COLUMN_F64 ? reinterpret<f64>(value) : <f64>value;
}

/** Writes the smallest and the largest raw value to `outPtr` (8 + 8 bytes). Returns 0 if the column has no value. */
export function columnBounds(ptr: usize, outPtr: usize): u32 {
  const column = changetype<Column>(ptr);
  if (column.valueCount == 0) return 0;
  const bounds = ptr + column.boundsOff;
  const end = bounds + ((<usize>((column.maxDoc + (1 << BOUNDS_LOG2) - 1) >> BOUNDS_LOG2)) << 4);
  if (column.flags & COLUMN_F64) {
    let low: f64 = Infinity, high: f64 = -Infinity;
    for (let at = bounds; at < end; at += 16) {
      low = min(low, load<f64>(at));
      high = max(high, load<f64>(at, 8));
    }
    store<f64>(outPtr, low);
    store<f64>(outPtr, high, 8);
    return 1;
  }
  let low: u64 = u64.MAX_VALUE, high: u64 = 0;
  for (let at = bounds; at < end; at += 16) {
    low = min(low, load<u64>(at));
    high = max(high, load<u64>(at, 8));
  }
  store<i64>(outPtr, column.base + column.multiplier * <i64>low);
  store<i64>(outPtr, column.base + column.multiplier * <i64>high, 8);
  return 1;
}
