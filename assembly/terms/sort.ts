// Sorts terms by their bytes: records of eight bytes of prefix and a pointer, radix sorted, ties by the next eight bytes.
//   record: ├ prefix u64 (big-endian number) │ value u32 │ unused u32 ┤   value points at ├ length u16 │ bytes ┤ after `lengthOff`
// Linear in the bytes that distinguish the terms, so no input makes it slow.
import { compareBytes, prefixOf } from './dictionary';

export const SORT_RECORD_BYTES: usize = 16;
/** For fewer records insertion sort with whole comparisons is faster than eight counting passes. */
const SMALL: u32 = 48;
const COUNTS_BYTES: usize = 8 * 256 * 4;

/** Bytes of scratch that sorting `count` records needs. */
export function sortScratchBytes(count: u32): usize {
  return <usize>count * SORT_RECORD_BYTES + COUNTS_BYTES;
}

/**
 * Sorts `count` records whose `value` is set; `value + lengthOff` holds the term's u16 length, `value + bytesOff` its bytes.
 * Terms are distinct. `scratch`: sortScratchBytes(count).
 */
export function sortTerms(records: usize, count: u32, scratch: usize, lengthOff: usize, bytesOff: usize): void {
  sortFrom(records, count, scratch, lengthOff, bytesOff, 0);
}

function sortFrom(records: usize, count: u32, scratch: usize, lengthOff: usize, bytesOff: usize, depth: u32): void {
  const end = records + <usize>count * SORT_RECORD_BYTES;
  for (let at = records; at < end; at += SORT_RECORD_BYTES) {
    const value = <usize>load<u32>(at, 8), length = <u32>load<u16>(value + lengthOff);
    store<u64>(at, length > depth ? prefixOf(value + bytesOff + depth, length - depth) : 0);
  }
  if (count <= SMALL) {
    insertionSort(records, end, lengthOff, bytesOff);
    return;
  }
  radixSort(records, count, scratch);
  // Runs of equal prefixes: terms that end within the prefix come first, by length; the others continue with the next eight bytes.
  for (let from = records; from < end; ) {
    const prefix = load<u64>(from);
    let to = from + SORT_RECORD_BYTES;
    while (to < end && load<u64>(to) == prefix) to += SORT_RECORD_BYTES;
    if (to - from > SORT_RECORD_BYTES) {
      const rest = shortFirst(from, to, lengthOff, depth + 8);
      insertionSort(from, rest, lengthOff, bytesOff);
      const left = <u32>((to - rest) / SORT_RECORD_BYTES);
      if (left > 1) sortFrom(rest, left, scratch, lengthOff, bytesOff, depth + 8);
    }
    from = to;
  }
}

/** Moves terms of at most `length` bytes to the front; there are at most nine with one prefix. Returns the first longer one. */
function shortFirst(from: usize, to: usize, lengthOff: usize, length: u32): usize {
  let rest = from;
  for (let at = from; at < to; at += SORT_RECORD_BYTES) {
    const value = load<u32>(at, 8);
    if (<u32>load<u16>(value + lengthOff) > length) continue;
    store<u32>(at, load<u32>(rest, 8), 8);
    store<u32>(rest, value, 8);
    rest += SORT_RECORD_BYTES;
  }
  return rest;
}

function insertionSort(from: usize, to: usize, lengthOff: usize, bytesOff: usize): void {
  for (let at = from + SORT_RECORD_BYTES; at < to; at += SORT_RECORD_BYTES) {
    const prefix = load<u64>(at), value = load<u32>(at, 8);
    let hole = at;
    for (; hole > from; hole -= SORT_RECORD_BYTES) {
      const other = load<u64>(hole - SORT_RECORD_BYTES);
      if (other < prefix) break;
      const before = load<u32>(hole - SORT_RECORD_BYTES, 8);
      if (other == prefix) {
        const a = <usize>before, b = <usize>value;
        if (compareBytes(a + bytesOff, load<u16>(a + lengthOff), b + bytesOff, load<u16>(b + lengthOff)) < 0) break;
      }
      store<u64>(hole, other);
      store<u32>(hole, before, 8);
    }
    store<u64>(hole, prefix);
    store<u32>(hole, value, 8);
  }
}

/** LSD radix sort by the prefix; a byte that all records share costs one pass of reading. */
function radixSort(records: usize, count: u32, scratch: usize): void {
  const counts = scratch + <usize>count * SORT_RECORD_BYTES;
  memory.fill(counts, 0, COUNTS_BYTES);
  const bytes = <usize>count * SORT_RECORD_BYTES;
  for (let at = records; at < records + bytes; at += SORT_RECORD_BYTES) {
    const prefix = load<u64>(at);
    for (let digit: u32 = 0; digit < 8; digit++) {
      const slot = counts + (<usize>digit << 10) + (<usize>((<u32>(prefix >> (digit << 3))) & 0xff) << 2);
      store<u32>(slot, load<u32>(slot) + 1);
    }
  }
  let from = records, to = scratch;
  for (let digit: u32 = 0; digit < 8; digit++) {
    const table = counts + (<usize>digit << 10), shift = digit << 3;
    if (load<u32>(table + (<usize>((<u32>(load<u64>(from) >> shift)) & 0xff) << 2)) == count) continue;
    let sum: u32 = 0;
    for (let slot = table; slot < table + 1024; slot += 4) {
      const here = load<u32>(slot);
      store<u32>(slot, sum);
      sum += here;
    }
    for (let at = from; at < from + bytes; at += SORT_RECORD_BYTES) {
      const prefix = load<u64>(at);
      const slot = table + (<usize>((<u32>(prefix >> shift)) & 0xff) << 2), place = load<u32>(slot);
      store<u32>(slot, place + 1);
      const out = to + <usize>place * SORT_RECORD_BYTES;
      store<u64>(out, prefix);
      store<u32>(out, load<u32>(at, 8), 8);
    }
    const swap = from;
    from = to;
    to = swap;
  }
  if (from != records) memory.copy(records, from, bytes);
}
