// Hits sorted by columns, distances, scores or document numbers.
// Each document becomes a tuple of u64 keys that sort ascending, ties by docId. Integers with the sign bit flipped, doubles in order-preserving
// bits, ordinals plus one and doubled (so that a value between two of them has a key, and 0 is left for missing ones), document numbers plus
// one (so that a position before the segment is below all of them), scores as doubles; descending keys are complemented.
// `after`: such a tuple; only later ones enter: greater, or equal with docId > afterDoc.
// The heap contains slots; a slot is keys u64[n], docId u32, score f32.

import { Column, COLUMN_MULTI } from '../docvalues/column';
import { columnHeader, doubleAt, firstValue, integerAt, NO_SLOT, slotOf } from '../docvalues/column-view';
import { allocate, allocateTemp, releaseTemp, tempMark } from '../search/context';
import { haversinMeters, latitudeOf, longitudeOf, planeMeters } from '../search/geo';

// SortKey.by
export const BY_SCORE: u32 = 0;
export const BY_DOC: u32 = 1;
export const BY_INTEGER: u32 = 2;
export const BY_DOUBLE: u32 = 3;
export const BY_DISTANCE: u32 = 4;
export const BY_ORDINAL: u32 = 5;
/** Integers stored as an unsigned number less 2^63. */
export const BY_UNSIGNED: u32 = 6;

// SortKey.mode: the sort value of a document with several values.
export const MODE_MIN: u32 = 0;
export const MODE_MAX: u32 = 1;
export const MODE_SUM: u32 = 2;
export const MODE_AVG: u32 = 3;
export const MODE_MEDIAN: u32 = 4;

/** Written by the host, which clears it first. */
// @ts-ignore: decorator
@unmanaged
export class SortKey {
  /** BY_* */
  by: u32;
  /** 1: greatest first. */
  descending: u32;
  /** Address of the column, 0: no document has a value. */
  column: u32;
  /** MODE_* */
  mode: u32;
  /** Key of documents without a value, in the form in which keys are compared. */
  missing: u64;
  /** Bitset of the nested documents whose values count, 0: the values of the document itself. */
  nested: u32;
  /** Bitset of root documents, with `nested`. */
  roots: u32;
  /** BY_DISTANCE: f64 pairs (latitude, longitude)[pointCount]. */
  points: u32;
  pointCount: u32;
  /** 1: distances in the plane. */
  plane: u32;
  reserved: u32;
}

// @ts-ignore: decorator
@unmanaged
class Sorter {
  keys: usize;
  keyCount: u32;
  size: u32;
  count: u32;
  /** Heap of slot addresses, the last hit at the root. */
  heap: usize;
  slotBytes: u32;
  after: usize;
  afterDoc: i32;
  /** Slot to fill before it is known whether it enters. */
  spare: usize;
}

export function sortOpen(keys: usize, keyCount: u32, size: u32, after: usize, afterDoc: i32): usize {
  const s = changetype<Sorter>(allocate(offsetof<Sorter>()));
  s.keys = keys;
  s.keyCount = keyCount;
  s.size = size;
  s.count = 0;
  s.heap = allocate((<usize>size) << 2);
  s.slotBytes = keyCount * 8 + 8;
  s.after = after;
  s.afterDoc = afterDoc;
  s.spare = allocate(<usize>s.slotBytes);
  return changetype<usize>(s);
}

// @ts-ignore: decorator
@inline
function sortKey(s: Sorter, i: u32): SortKey {
  return changetype<SortKey>(s.keys + <usize>i * offsetof<SortKey>());
}

/** Offers matching documents, ascending over all calls; scores f32 in parallel, or 0. */
export function sortOffer(ptr: usize, docs: usize, scores: usize, count: u32): void {
  const s = changetype<Sorter>(ptr);
  for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
    const doc = load<u32>(docs + i);
    const score = scores ? load<f32>(scores + i) : <f32>NaN;
    const full = s.count == s.size;
    const worst = full ? <usize>load<u32>(s.heap) : 0;
    const slot = s.spare;
    let order = full ? 0 : -1;
    let k: u32 = 0;
    for (; k < s.keyCount; k++) {
      const key = keyOf(sortKey(s, k), doc, score);
      store<u64>(slot + ((<usize>k) << 3), key);
      if (order != 0) continue;
      const limit = load<u64>(worst + ((<usize>k) << 3));
      if (key > limit) break;
      if (key < limit) order = -1;
    }
    // An equal tuple does not enter: its docId is greater.
    if (k < s.keyCount || order == 0) continue;
    const at = slot + ((<usize>s.keyCount) << 3);
    store<u32>(at, doc);
    store<f32>(at, score, 4);
    if (s.after && !isBehind(s, slot, doc)) continue;
    enter(s, slot);
  }
}

function isBehind(s: Sorter, slot: usize, doc: u32): bool {
  for (let k: usize = 0, end = (<usize>s.keyCount) << 3; k < end; k += 8) {
    const key = load<u64>(slot + k);
    const after = load<u64>(s.after + k);
    if (key != after) return key > after;
  }
  return <i64>doc > <i64>s.afterDoc;
}

/** Whether slot a sorts after slot b. */
function comesBehind(s: Sorter, a: usize, b: usize): bool {
  for (let k: usize = 0, end = (<usize>s.keyCount) << 3; k < end; k += 8) {
    const x = load<u64>(a + k);
    const y = load<u64>(b + k);
    if (x != y) return x > y;
  }
  return load<u32>(a + ((<usize>s.keyCount) << 3)) > load<u32>(b + ((<usize>s.keyCount) << 3));
}

function enter(s: Sorter, slot: usize): void {
  if (s.count == s.size) {
    s.spare = <usize>load<u32>(s.heap);
    sink(s, slot);
    return;
  }
  let at = <usize>(s.count++);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = <usize>load<u32>(s.heap + (parent << 2));
    if (!comesBehind(s, slot, above)) break;
    store<u32>(s.heap + (at << 2), <u32>above);
    at = parent;
  }
  store<u32>(s.heap + (at << 2), <u32>slot);
  s.spare = allocate(<usize>s.slotBytes);
}

/** Puts a slot at the root and sifts it down. */
function sink(s: Sorter, slot: usize): void {
  let at: usize = 0;
  const n = <usize>s.count;
  for (;;) {
    let child = (at << 1) + 1;
    if (child >= n) break;
    let below = <usize>load<u32>(s.heap + (child << 2));
    if (child + 1 < n && comesBehind(s, <usize>load<u32>(s.heap + ((child + 1) << 2)), below)) {
      child++;
      below = <usize>load<u32>(s.heap + (child << 2));
    }
    if (!comesBehind(s, below, slot)) break;
    store<u32>(s.heap + (at << 2), <u32>below);
    at = child;
  }
  store<u32>(s.heap + (at << 2), <u32>slot);
}

/** Empties the heap into columns, best first: docs u32[], scores f32[], keys u64[count * keyCount]. Returns the count. */
export function sortDrain(ptr: usize, docs: usize, scores: usize, keys: usize): u32 {
  const s = changetype<Sorter>(ptr);
  const count = s.count;
  const keyBytes = (<usize>s.keyCount) << 3;
  while (s.count > 0) {
    const slot = <usize>load<u32>(s.heap);
    const at = <usize>(s.count - 1);
    memory.copy(keys + at * keyBytes, slot, keyBytes);
    store<u32>(docs + (at << 2), load<u32>(slot + keyBytes));
    store<f32>(scores + (at << 2), load<f32>(slot + keyBytes, 4));
    s.count--;
    if (s.count > 0) sink(s, <usize>load<u32>(s.heap + ((<usize>s.count) << 2)));
  }
  return count;
}

// @ts-ignore: decorator
@inline
function orderedDouble(value: f64): u64 {
  const bits = reinterpret<u64>(value);
  return bits >> 63 ? ~bits : bits | 0x8000000000000000;
}

function keyOf(key: SortKey, doc: u32, score: f32): u64 {
  const by = key.by;
  let value: u64;
  if (by == BY_SCORE) value = orderedDouble(<f64>score);
  else if (by == BY_DOC) value = <u64>doc + 1;
  else {
    if (!key.column) return key.missing;
    const column = columnHeader(<usize>key.column);
    if (key.nested) return nestedKey(key, column, doc);
    const slot = slotOf(column, doc);
    if (slot == NO_SLOT) return key.missing;
    const first = firstValue(column, slot);
    const end = column.flags & COLUMN_MULTI ? firstValue(column, slot + 1) : first + 1;
    value = reduce(key, column, first, end);
  }
  return key.descending ? ~value : value;
}

/** The key of values [first, end) of the column, end > first; they ascend. */
function reduce(key: SortKey, column: Column, first: u32, end: u32): u64 {
  const by = key.by;
  const mode = key.mode;
  if (by == BY_DISTANCE) return distanceKey(key, column, first, end);
  if (by == BY_DOUBLE) {
    if (mode == MODE_MIN || end == first + 1) return orderedDouble(doubleAt(column, first));
    if (mode == MODE_MAX) return orderedDouble(doubleAt(column, end - 1));
    if (mode == MODE_SUM || mode == MODE_AVG) {
      let sum: f64 = 0;
      for (let i = first; i < end; i++) sum += doubleAt(column, i);
      return orderedDouble(mode == MODE_AVG ? sum / <f64>(end - first) : sum);
    }
    const middle = (first + end) >> 1;
    return orderedDouble((end - first) & 1 ? doubleAt(column, middle) : (doubleAt(column, middle - 1) + doubleAt(column, middle)) / 2);
  }
  if (mode == MODE_MIN || end == first + 1) return integerKey(key, integerAt(column, first));
  if (mode == MODE_MAX) return integerKey(key, integerAt(column, end - 1));
  if (by == BY_UNSIGNED) return unsignedKey(column, mode, first, end);
  if (mode == MODE_SUM || mode == MODE_AVG) {
    let sum: i64 = 0;
    for (let i = first; i < end; i++) sum += integerAt(column, i);
    return integerKey(key, mode == MODE_AVG ? roundHalfUp(<f64>sum / <f64>(end - first)) : sum);
  }
  const middle = (first + end) >> 1;
  if ((end - first) & 1) return integerKey(key, integerAt(column, middle));
  return integerKey(key, roundHalfUp((<f64>integerAt(column, middle - 1) + <f64>integerAt(column, middle)) / 2));
}

/** Sum, average or median of values [first, end): the key of an unsigned number is the number, sums are modulo 2^64, halves are rounded up. */
function unsignedKey(column: Column, mode: u32, first: u32, end: u32): u64 {
  const count = end - first;
  let from = first, to = end;
  if (mode != MODE_SUM && mode != MODE_AVG) {
    to = ((first + end) >> 1) + 1;
    from = count & 1 ? to - 1 : to - 2;
  }
  let sum: u64 = 0;
  for (let i = from; i < to; i++) sum += <u64>integerAt(column, i) ^ 0x8000000000000000;
  return mode == MODE_SUM ? sum : dividedUp(sum, to - from);
}

/** sum / count, rounded half up. */
// @ts-ignore: decorator
@inline
function dividedUp(sum: u64, count: u32): u64 {
  const rest = sum % <u64>count;
  return sum / <u64>count + <u64>(rest << 1 >= <u64>count);
}

/** Java's Math.round. */
// @ts-ignore: decorator
@inline
function roundHalfUp(value: f64): i64 {
  return <i64>Math.floor(value + 0.5);
}

// @ts-ignore: decorator
@inline
function integerKey(key: SortKey, value: i64): u64 {
  return key.by == BY_ORDINAL ? (<u64>value + 1) << 1 : <u64>value ^ 0x8000000000000000;
}

/** Key of the values of all nested documents that count, taken together. */
function nestedKey(key: SortKey, column: Column, root: u32): u64 {
  const mark = tempMark();
  let first = root;
  while (first > 0 && !bitOf(<usize>key.roots, first - 1)) first--;
  let best: u64 = 0;
  let found: u32 = 0;
  let sum: f64 = 0;
  let exact: i64 = 0;
  const median = key.mode == MODE_MEDIAN;
  let room: u32 = 0;
  let list: usize = 0;
  for (let doc = first; doc < root; doc++) {
    if (!bitOf(<usize>key.nested, doc)) continue;
    const slot = slotOf(column, doc);
    if (slot == NO_SLOT) continue;
    const start = firstValue(column, slot);
    const end = column.flags & COLUMN_MULTI ? firstValue(column, slot + 1) : start + 1;
    for (let i = start; i < end; i++) {
      const value = reduce(key, column, i, i + 1);
      if (found == 0 || (key.mode == MODE_MAX ? value > best : value < best)) best = value;
      if (key.by == BY_DOUBLE || key.by == BY_DISTANCE) sum += doubleOfKey(value);
      else exact += <i64>(key.by == BY_UNSIGNED ? value : value ^ 0x8000000000000000);
      if (median) {
        if (found == room) {
          const larger = allocateTemp(((<usize>room * 2 + 64) << 3));
          memory.copy(larger, list, (<usize>room) << 3);
          list = larger;
          room = room * 2 + 64;
        }
        let at = (<usize>found) << 3;
        for (; at > 0 && load<u64>(list + at - 8) > value; at -= 8) store<u64>(list + at, load<u64>(list + at - 8));
        store<u64>(list + at, value);
      }
      found++;
    }
  }
  const isDouble = key.by == BY_DOUBLE || key.by == BY_DISTANCE;
  if (found > 0 && (key.mode == MODE_SUM || key.mode == MODE_AVG) && key.by != BY_ORDINAL) {
    if (isDouble) best = orderedDouble(key.mode == MODE_AVG ? sum / <f64>found : sum);
    else if (key.by == BY_UNSIGNED) best = key.mode == MODE_AVG ? dividedUp(<u64>exact, found) : <u64>exact;
    else best = integerKey(key, key.mode == MODE_AVG ? roundHalfUp(<f64>exact / <f64>found) : exact);
  } else if (found > 0 && median) {
    const upper = load<u64>(list + ((<usize>(found >> 1)) << 3));
    best = upper;
    if (!(found & 1)) {
      const lower = load<u64>(list + ((<usize>(found >> 1) - 1) << 3));
      if (isDouble) best = orderedDouble((doubleOfKey(lower) + doubleOfKey(upper)) / 2);
      else if (key.by == BY_UNSIGNED) best = dividedUp(lower + upper, 2);
      else best = integerKey(key, roundHalfUp((<f64>(<i64>(lower ^ 0x8000000000000000)) + <f64>(<i64>(upper ^ 0x8000000000000000))) / 2));
    }
  }
  releaseTemp(mark);
  if (found == 0) return key.missing;
  return key.descending ? ~best : best;
}

// @ts-ignore: decorator
@inline
function doubleOfKey(key: u64): f64 {
  return reinterpret<f64>(key >> 63 ? key ^ 0x8000000000000000 : ~key);
}

// @ts-ignore: decorator
@inline
function bitOf(bitset: usize, doc: u32): bool {
  return ((load<u64>(bitset + ((<usize>(doc >> 6)) << 3)) >> doc) & 1) != 0;
}

/** Distances of all values to all points, combined by the mode. */
function distanceKey(key: SortKey, column: Column, first: u32, end: u32): u64 {
  let least = Infinity;
  let greatest = -Infinity;
  let sum: f64 = 0;
  const count = (end - first) * key.pointCount;
  const mark = tempMark();
  const list = key.mode == MODE_MEDIAN ? allocateTemp((<usize>count << 3) + 16) : 0;
  let n: usize = 0;
  for (let i = first; i < end; i++) {
    const packed = <u64>integerAt(column, i) ^ 0x8000000000000000;
    for (let p: usize = 0, stop = (<usize>key.pointCount) << 4; p < stop; p += 16) {
      const lat1 = load<f64>(<usize>key.points + p);
      const lon1 = load<f64>(<usize>key.points + p, 8);
      const lat2 = latitudeOf(<u32>(packed >> 32));
      const lon2 = longitudeOf(<u32>packed);
      const meters = key.plane ? planeMeters(lat1, lon1, lat2, lon2) : haversinMeters(lat1, lon1, lat2, lon2);
      least = min(least, meters);
      greatest = max(greatest, meters);
      sum += meters;
      if (!list) continue;
      let at = n << 3;
      for (; at > 0 && load<f64>(list + at - 8) > meters; at -= 8) store<f64>(list + at, load<f64>(list + at - 8));
      store<f64>(list + at, meters);
      n++;
    }
  }
  let value = least;
  if (key.mode == MODE_MAX) value = greatest;
  else if (key.mode == MODE_SUM) value = sum;
  else if (key.mode == MODE_AVG) value = sum / <f64>count;
  else if (list) value = n & 1 ? load<f64>(list + ((n >> 1) << 3)) : (load<f64>(list + ((n >> 1) << 3)) + load<f64>(list + (((n >> 1) - 1) << 3))) / 2;
  releaseTemp(mark);
  return orderedDouble(value);
}
