// Finds the longest suffix of a list without comparing the whole list: an index of each list, made at its first use and kept in the memory that
// the stem stage gives (private to the chain). Where that is full the list itself is searched. Basque, whose lists hold 300 suffixes: 7 -> 60 MB/s.
//   area  ├─ used bytes u32 ─┬─ 0 ─┬─ slot × 64: list ptr u32, index ptr u32 ─┬─ indices ─┤
//   index ├─ mask u16 ─┬─ 0 ─┬─ head u16 × (mask + 1) ─┬─ Entry × n ─┤      heads and `next` are numbers of entries from 1, 0 ends
//   Entry ├─ next u16 ─┬─ start u16 ─┬─ len u16 ─┬─ number u16 ─┤          longest first; start = unit in the list
// A suffix stands under the hash of its last two units, or of its only one.
import { lengthOf, unitAt, wordLen } from './word';

const SLOTS: u32 = 64;
const HEADER: usize = 8 + <usize>SLOTS * 8;
const ENTRY: usize = 8;

let area: usize = 0;
let areaEnd: usize = 0;
/** Units of the suffix that the last search found. */
export let foundLen: i32 = 0;

/** Names the memory of the chain at hand; less than the header means none. */
export function useSuffixIndex(ptr: usize, end: usize): void {
  area = end - ptr >= HEADER ? ptr : 0;
  areaEnd = end;
}

/** Forgets all lists. */
export function clearSuffixIndex(ptr: usize, end: usize): void {
  if (end - ptr < HEADER) return;
  memory.fill(ptr, 0, HEADER);
  store<u32>(ptr, <u32>HEADER);
}

/** Number in `list` of the longest suffix of at most `room` units, -1 for none; `foundLen` units long. */
export function findLongest(list: string, room: i32): i32 {
  foundLen = 0;
  room = min(room, wordLen);
  if (room <= 0) return -1;
  const index = indexOf(list);
  if (!index) return scan(list, room);
  const mask = <u32>load<u16>(index), last = unitAt(wordLen - 1), text = changetype<usize>(list);
  if (room > 1) {
    const number = walk(index, mask, pairHash(unitAt(wordLen - 2), last) & mask, text, room);
    if (number >= 0) return number;
  }
  return walk(index, mask, last & mask, text, 1);
}

// @ts-ignore: decorator
@inline
function pairHash(first: u32, second: u32): u32 {
  return first * 5 + second * 3 + (first >> 5);
}

function walk(index: usize, mask: u32, bucket: u32, text: usize, room: i32): i32 {
  const entries = index + 4 + (<usize>(mask + 1) << 1) - ENTRY;
  let at = <usize>load<u16>(index + 4 + (<usize>bucket << 1));
  while (at) {
    const entry = entries + at * ENTRY, len = <i32>load<u16>(entry, 4);
    if (len <= room && isSuffix(text + (<usize>load<u16>(entry, 2) << 1), len)) {
      foundLen = len;
      return load<u16>(entry, 6);
    }
    at = load<u16>(entry);
  }
  return -1;
}

// @ts-ignore: decorator
@inline
function isSuffix(from: usize, len: i32): bool {
  let i = len - 1, at = wordLen - 1;
  while (i >= 0 && unitAt(at) == <u32>load<u16>(from + (<usize>i << 1))) {
    i--;
    at--;
  }
  return i < 0;
}

/** The index of a list, made if there is none yet; 0 if there is no room for it. */
function indexOf(list: string): usize {
  if (!area) return 0;
  const ptr = <u32>changetype<usize>(list);
  let slot = (ptr >> 4) & (SLOTS - 1);
  for (let tries: u32 = 0; tries < SLOTS; tries++) {
    const entry = area + 8 + (<usize>slot << 3), key = load<u32>(entry);
    if (key == ptr) return load<u32>(entry, 4);
    if (!key) return build(list, entry);
    slot = (slot + 1) & (SLOTS - 1);
  }
  return 0;
}

function build(list: string, slot: usize): usize {
  const text = changetype<usize>(list), n = lengthOf(list);
  let count: u32 = 1;
  for (let i = 0; i < n; i++) if (load<u16>(text + (<usize>i << 1)) == 0x20) count++;
  let mask: u32 = 7;
  while (mask + 1 < count) mask = mask * 2 + 1;
  const index = area + load<u32>(area), bytes = 4 + (<usize>(mask + 1) << 1) + <usize>count * ENTRY;
  if (index + bytes > areaEnd || count > 0xffff || n > 0xffff) return 0;
  store<u32>(area, load<u32>(area) + <u32>((bytes + 7) & ~7));
  store<u32>(slot, <u32>text);
  store<u32>(slot, <u32>index, 4);
  memory.fill(index, 0, bytes);
  store<u16>(index, <u16>mask);
  const entries = index + 4 + (<usize>(mask + 1) << 1) - ENTRY;
  let number: u32 = 0;
  for (let start = 0; start < n; number++) {
    let end = start;
    while (end < n && load<u16>(text + (<usize>end << 1)) != 0x20) end++;
    const len = end - start;
    if (len > 0) {
      const last = <u32>load<u16>(text + (<usize>(end - 1) << 1));
      const bucket = (len == 1 ? last : pairHash(load<u16>(text + (<usize>(end - 2) << 1)), last)) & mask;
      const entry = entries + <usize>(number + 1) * ENTRY;
      store<u16>(entry, <u16>start, 2);
      store<u16>(entry, <u16>len, 4);
      store<u16>(entry, <u16>number, 6);
      // Behind the entries that are as long or longer: of equal ones the first stays the first.
      let link = index + 4 + (<usize>bucket << 1);
      while (load<u16>(link)) {
        const other = entries + <usize>load<u16>(link) * ENTRY;
        if (<i32>load<u16>(other, 4) < len) break;
        link = other;
      }
      store<u16>(entry, load<u16>(link));
      store<u16>(link, <u16>(number + 1));
    }
    start = end + 1;
  }
  return index;
}

/** The same by the list alone. */
function scan(list: string, room: i32): i32 {
  const text = changetype<usize>(list), n = lengthOf(list);
  let best = -1, number = 0;
  for (let start = 0; start < n; number++) {
    let end = start;
    while (end < n && load<u16>(text + (<usize>end << 1)) != 0x20) end++;
    const len = end - start;
    if (len > foundLen && len <= room && isSuffix(text + (<usize>start << 1), len)) {
      best = number;
      foundLen = len;
    }
    start = end + 1;
  }
  return best;
}
