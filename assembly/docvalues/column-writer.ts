// Writes a column section from parallel arrays of document and raw value.
//   docsPtr ├ docId u32 ┬ ··· ┤ ascending, a document as often as it has values │ valuesPtr ├ i64 or f64 bits ┬ ··· ┤
// `columnSort` puts the values of each document in order first, and drops repeated ordinals.
import { bitsetBytes, bitsetSet } from '../codec/bitset';
import {
  BOUNDS_LOG2,
  COLUMN_DENSE,
  COLUMN_DIRECT,
  COLUMN_F64,
  COLUMN_HEADER_BYTES,
  COLUMN_MULTI,
  COLUMN_ORDINALS,
  Column,
  RANK_LOG2,
} from './column';

/** Maps the order of doubles to the order of integers, -0 before 0, as Lucene's sortable longs. */
// @ts-ignore: decorator
@inline
function sortable(bits: i64, isF64: bool): i64 {
  return isF64 ? bits ^ ((bits >> 63) & i64.MAX_VALUE) : bits;
}

/** Sorts the values within each document in place; `flags` are the column's. Returns the number of remaining values. */
export function columnSort(flags: u32, docsPtr: usize, valuesPtr: usize, count: u32): u32 {
  const isF64 = (flags & COLUMN_F64) != 0, unique = (flags & COLUMN_ORDINALS) != 0;
  let kept: u32 = 0;
  for (let from: u32 = 0; from < count; ) {
    const doc = load<u32>(docsPtr + ((<usize>from) << 2));
    let to = from + 1;
    while (to < count && load<u32>(docsPtr + ((<usize>to) << 2)) == doc) to++;
    if (to - from > 1) sortRun(valuesPtr + ((<usize>from) << 3), to - from, isF64);
    for (let i = from; i < to; i++) {
      const value = load<i64>(valuesPtr + ((<usize>i) << 3));
      if (unique && i > from && value == load<i64>(valuesPtr + ((<usize>(kept - 1)) << 3))) continue;
      store<u32>(docsPtr + ((<usize>kept) << 2), doc);
      store<i64>(valuesPtr + ((<usize>kept) << 3), value);
      kept++;
    }
    from = to;
  }
  return kept;
}

/** Heap sort for more than a few values, so that a document with a million values costs n log n; insertion sort for fewer. */
function sortRun(ptr: usize, count: u32, isF64: bool): void {
  if (count <= 24) {
    for (let i: u32 = 1; i < count; i++) {
      const value = load<i64>(ptr + ((<usize>i) << 3)), key = sortable(value, isF64);
      let j = i;
      for (; j > 0; j--) {
        const before = load<i64>(ptr + ((<usize>(j - 1)) << 3));
        if (sortable(before, isF64) <= key) break;
        store<i64>(ptr + ((<usize>j) << 3), before);
      }
      store<i64>(ptr + ((<usize>j) << 3), value);
    }
    return;
  }
  for (let root = <i32>(count >> 1) - 1; root >= 0; root--) siftDown(ptr, <u32>root, count, isF64);
  for (let end = count - 1; end > 0; end--) {
    const last = ptr + ((<usize>end) << 3), value = load<i64>(last);
    store<i64>(last, load<i64>(ptr));
    store<i64>(ptr, value);
    siftDown(ptr, 0, end, isF64);
  }
}

function siftDown(ptr: usize, root: u32, count: u32, isF64: bool): void {
  const value = load<i64>(ptr + ((<usize>root) << 3)), key = sortable(value, isF64);
  for (let child: u32 = 2 * root + 1; child < count; child = 2 * root + 1) {
    let at = ptr + ((<usize>child) << 3);
    if (child + 1 < count && sortable(load<i64>(at), isF64) < sortable(load<i64>(at, 8), isF64)) {
      child++;
      at += 8;
    }
    if (sortable(load<i64>(at), isF64) <= key) break;
    store<i64>(ptr + ((<usize>root) << 3), load<i64>(at));
    root = child;
  }
  store<i64>(ptr + ((<usize>root) << 3), value);
}

/** Upper bound of the size that `columnWrite` needs for these counts. */
function columnBytesLimit(maxDoc: u32, count: u32): usize {
  const blocks = <usize>((maxDoc + (1 << BOUNDS_LOG2) - 1) >> BOUNDS_LOG2);
  return COLUMN_HEADER_BYTES + bitsetBytes(maxDoc) + (((<usize>maxDoc) >> RANK_LOG2) + 1) * 4 + ((<usize>maxDoc) + 1) * 4 + blocks * 16 +
    max<usize>(<usize>count, <usize>maxDoc) * 8 + 256;
}

/**
 * Writes the section at `outPtr` (multiple of 64). `flags`: COLUMN_F64 or COLUMN_ORDINALS or 0. Pre: values in order within documents.
 * Returns its size in bytes, or 0 if it does not fit before `outEnd`.
 */
export function columnWrite(flags: u32, maxDoc: u32, docsPtr: usize, valuesPtr: usize, count: u32, outPtr: usize, outEnd: usize): usize {
  if (outPtr > outEnd || columnBytesLimit(maxDoc, count) > outEnd - outPtr) return 0;
  const column = changetype<Column>(outPtr);
  memory.fill(outPtr, 0, COLUMN_HEADER_BYTES);
  let docCount: u32 = 0, last: u32 = u32.MAX_VALUE;
  for (let i: u32 = 0; i < count; i++) {
    const doc = load<u32>(docsPtr + ((<usize>i) << 2));
    assert(doc < maxDoc);
    if (doc != last) docCount++;
    last = doc;
  }
  if (docCount < count) flags |= COLUMN_MULTI;
  if (docCount == maxDoc) flags |= COLUMN_DENSE;
  if (<u64>docCount * 8 >= <u64>maxDoc) flags |= COLUMN_DIRECT;
  column.flags = flags;
  column.valueCount = count;
  column.docCount = docCount;
  column.maxDoc = maxDoc;
  if (flags & COLUMN_F64) chooseF64(column, valuesPtr, count);
  else chooseI64(column, valuesPtr, count);

  let cur = outPtr + COLUMN_HEADER_BYTES;
  if (!(flags & COLUMN_DENSE)) {
    column.presenceOff = <u32>(cur - outPtr);
    cur = writePresence(column, docsPtr, count, cur);
  }
  column.boundsOff = <u32>(cur - outPtr);
  cur = writeBounds(column, docsPtr, valuesPtr, count, cur);
  if (flags & COLUMN_MULTI) {
    column.startsOff = <u32>(cur - outPtr);
    cur = align(writeStarts(column, docsPtr, count, cur));
  }
  column.valuesOff = <u32>(cur - outPtr);
  cur = writeValues(column, docsPtr, valuesPtr, count, cur);
  return cur - outPtr;
}

function chooseF64(column: Column, valuesPtr: usize, count: u32): void {
  column.width = 4;
  for (let i: u32 = 0; i < count; i++) {
    const value = load<f64>(valuesPtr + ((<usize>i) << 3));
    if (reinterpret<u64>(<f64>(<f32>value)) != reinterpret<u64>(value)) {
      column.width = 8;
      return;
    }
  }
}

function chooseI64(column: Column, valuesPtr: usize, count: u32): void {
  column.multiplier = 1;
  if (count == 0) return;
  let low = i64.MAX_VALUE, high = i64.MIN_VALUE;
  const end = valuesPtr + ((<usize>count) << 3);
  for (let at = valuesPtr; at < end; at += 8) {
    const value = load<i64>(at);
    low = min(low, value);
    high = max(high, value);
  }
  column.base = low;
  let range = <u64>high - <u64>low;
  if (range == 0) return;
  if (range > 0xff && !(column.flags & COLUMN_ORDINALS)) {
    let divisor = range;
    for (let at = valuesPtr; at < end && divisor > 1; at += 8) divisor = gcd(<u64>load<i64>(at) - <u64>low, divisor);
    // The multiplier is signed; with a larger divisor there is only one other value, which fits eight bytes unscaled.
    if (divisor > 1 && divisor <= <u64>i64.MAX_VALUE) {
      column.multiplier = <i64>divisor;
      range /= divisor;
    }
  }
  column.width = range <= 0xff ? 1 : range <= 0xffff ? 2 : range <= 0xffffffff ? 4 : 8;
}

function gcd(a: u64, b: u64): u64 {
  while (a) {
    const rest = b % a;
    b = a;
    a = rest;
  }
  return b;
}

// @ts-ignore: decorator
@inline
function storedOf(column: Column, value: i64): u64 {
  const offset = <u64>value - <u64>column.base;
  return column.multiplier == 1 ? offset : offset / <u64>column.multiplier;
}

/** Presence bitset, and ranks unless the column is direct. */
function writePresence(column: Column, docsPtr: usize, count: u32, cur: usize): usize {
  const presence = cur, maxDoc = column.maxDoc;
  memory.fill(presence, 0, bitsetBytes(maxDoc));
  for (let i: u32 = 0; i < count; i++) bitsetSet(presence, load<u32>(docsPtr + ((<usize>i) << 2)));
  cur += bitsetBytes(maxDoc);
  if (column.flags & COLUMN_DIRECT) return cur;
  column.ranksOff = <u32>(cur - changetype<usize>(column));
  let rank: u32 = 0;
  for (let block: u32 = 0; block <= maxDoc >> RANK_LOG2; block++, cur += 4) {
    store<u32>(cur, rank);
    const words = presence + ((<usize>block) << 6);
    if (words >= presence + bitsetBytes(maxDoc)) continue;
    for (let at = words; at < words + 64; at += 8) rank += <u32>popcnt<u64>(load<u64>(at));
  }
  return align(cur);
}

/** Next multiple of 16, with zeros before it: equal values produce equal bytes. */
function align(cur: usize): usize {
  const aligned = (cur + 15) & ~15;
  memory.fill(cur, 0, aligned - cur);
  return aligned;
}

function writeBounds(column: Column, docsPtr: usize, valuesPtr: usize, count: u32, cur: usize): usize {
  const blocks = (column.maxDoc + (1 << BOUNDS_LOG2) - 1) >> BOUNDS_LOG2;
  const isF64 = (column.flags & COLUMN_F64) != 0;
  let i: u32 = 0;
  for (let block: u32 = 0; block < blocks; block++, cur += 16) {
    const docEnd = (block + 1) << BOUNDS_LOG2;
    if (isF64) {
      let low: f64 = Infinity, high: f64 = -Infinity;
      for (; i < count && load<u32>(docsPtr + ((<usize>i) << 2)) < docEnd; i++) {
        const value = load<f64>(valuesPtr + ((<usize>i) << 3));
        low = min(low, value);
        high = max(high, value);
      }
      store<f64>(cur, low);
      store<f64>(cur, high, 8);
    } else {
      let low: u64 = u64.MAX_VALUE, high: u64 = 0;
      for (; i < count && load<u32>(docsPtr + ((<usize>i) << 2)) < docEnd; i++) {
        const stored = storedOf(column, load<i64>(valuesPtr + ((<usize>i) << 3)));
        low = min(low, stored);
        high = max(high, stored);
      }
      store<u64>(cur, low);
      store<u64>(cur, high, 8);
    }
  }
  return cur;
}

/** u32[slots + 1] for multi-valued columns: index of each slot's first value. */
function writeStarts(column: Column, docsPtr: usize, count: u32, cur: usize): usize {
  const direct = (column.flags & COLUMN_DIRECT) != 0;
  let slot: u32 = 0, last: u32 = u32.MAX_VALUE;
  for (let i: u32 = 0; i < count; i++) {
    const doc = load<u32>(docsPtr + ((<usize>i) << 2));
    if (doc == last) continue;
    last = doc;
    if (direct) {
      for (; slot <= doc; slot++) store<u32>(cur + ((<usize>slot) << 2), i);
    } else {
      store<u32>(cur + ((<usize>slot) << 2), i);
      slot++;
    }
  }
  const slots = direct ? column.maxDoc : column.docCount;
  for (; slot <= slots; slot++) store<u32>(cur + ((<usize>slot) << 2), count);
  return cur + (((<usize>slots) + 1) << 2);
}

function writeValues(column: Column, docsPtr: usize, valuesPtr: usize, count: u32, cur: usize): usize {
  const width = column.width;
  if (width == 0) return cur;
  const bySlot = (column.flags & COLUMN_DIRECT) != 0 && (column.flags & COLUMN_MULTI) == 0;
  const slots = bySlot ? column.maxDoc : count;
  if (bySlot && !(column.flags & COLUMN_DENSE)) memory.fill(cur, 0, <usize>slots * width);
  const isF64 = (column.flags & COLUMN_F64) != 0;
  for (let i: u32 = 0; i < count; i++) {
    const value = load<i64>(valuesPtr + ((<usize>i) << 3));
    const slot = <usize>(bySlot ? load<u32>(docsPtr + ((<usize>i) << 2)) : i);
    if (isF64) {
      if (width == 8) store<i64>(cur + (slot << 3), value);
      else store<f32>(cur + (slot << 2), <f32>reinterpret<f64>(value));
      continue;
    }
    const stored = storedOf(column, value);
    if (width == 1) store<u8>(cur + slot, <u8>stored);
    else if (width == 2) store<u16>(cur + (slot << 1), <u16>stored);
    else if (width == 4) store<u32>(cur + (slot << 2), <u32>stored);
    else store<u64>(cur + (slot << 3), stored);
  }
  return cur + <usize>slots * width;
}
