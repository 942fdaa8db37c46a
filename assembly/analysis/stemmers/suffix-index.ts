// Finds the longest suffix of a list or table without comparing all of it. Each has an index, built on first use in the memory that the stem stage
// supplies (private to the chain); if that is full, the literal itself is searched. Basque, whose lists have 300 suffixes: 7 -> 60 MB/s; Greek 12 ->
// 45. Lists and tables have the same form (suffix-table.ts): entries separated by blanks or line ends, `>` before the replacement of an entry, a
// slash before the next group.
//   area  ├─ used bytes u32 ─┬─ 0 ─┬─ slot × 128: literal ptr u32, index ptr u32 ─┬─ indices ─┤
//   index ├─ mask u16 ─┬─ 0 ─┬─ head u16 × (mask + 1) ─┬─ Entry × n ─┤      heads and `next` are entry numbers from 1; 0 terminates
//   Entry ├─ next u16 ─┬─ start u16 ─┬─ len u8 ─┬─ targetLen u8 ─┬─ group u16 ─┬─ number u16 ─┬─ target u16 ─┤   longest first; offsets in units
// The key of a suffix is the hash of its last two units, or of its only one.
import { lengthOf, unitAt, wordLen } from './word';

const SLOTS: u32 = 128;
const HEADER: usize = 8 + <usize>SLOTS * 8;
const ENTRY: usize = 12;
const BLANK: u32 = 0x20;
const LINE_END: u32 = 0x0a;
const SLASH: u32 = 0x2f;
const ARROW: u32 = 0x3e;

let area: usize = 0;
let areaEnd: usize = 0;

// Results of the last search.
export let foundLen: i32 = 0;
/** Number of the entry in the literal, and of its group; -1 if none was found. */
export let foundNumber: i32 = -1;
export let foundGroup: i32 = -1;
/** Its replacement, as units of the literal. */
export let targetPtr: usize = 0;
export let targetLen: i32 = 0;

/** Sets the memory of the current chain; if it is smaller than the header there is none. */
export function useSuffixIndex(ptr: usize, end: usize): void {
  area = end - ptr >= HEADER ? ptr : 0;
  areaEnd = end;
}

/** Clears all indices. */
export function clearSuffixIndex(ptr: usize, end: usize): void {
  if (end - ptr < HEADER) return;
  memory.fill(ptr, 0, HEADER);
  store<u32>(ptr, <u32>HEADER);
}

/** Finds the longest entry of at most `room` units that is a suffix of the word's first `end` units. False: none. */
export function findSuffix(list: string, end: i32, room: i32): bool {
  foundLen = 0;
  foundNumber = -1;
  foundGroup = -1;
  targetLen = 0;
  room = min(room, end);
  if (room <= 0) return false;
  const index = indexOf(list);
  if (!index) return scan(list, end, room);
  const mask = <u32>load<u16>(index), last = unitAt(end - 1), text = changetype<usize>(list);
  if (room > 1 && walk(index, mask, pairHash(unitAt(end - 2), last) & mask, text, end, room)) return true;
  return walk(index, mask, last & mask, text, end, 1);
}

// @ts-ignore: decorator
@inline
function pairHash(first: u32, second: u32): u32 {
  return first * 5 + second * 3 + (first >> 5);
}

function walk(index: usize, mask: u32, bucket: u32, text: usize, end: i32, room: i32): bool {
  const entries = index + 4 + (<usize>(mask + 1) << 1) - ENTRY;
  let at = <usize>load<u16>(index + 4 + (<usize>bucket << 1));
  while (at) {
    const entry = entries + at * ENTRY, len = <i32>load<u8>(entry, 4);
    if (len <= room && isSuffix(text + (<usize>load<u16>(entry, 2) << 1), end, len)) {
      foundLen = len;
      targetLen = load<u8>(entry, 5);
      foundGroup = load<u16>(entry, 6);
      foundNumber = load<u16>(entry, 8);
      targetPtr = text + (<usize>load<u16>(entry, 10) << 1);
      return true;
    }
    at = load<u16>(entry);
  }
  return false;
}

// @ts-ignore: decorator
@inline
function isSuffix(from: usize, end: i32, len: i32): bool {
  let i = len - 1, at = end - 1;
  while (i >= 0 && unitAt(at) == <u32>load<u16>(from + (<usize>i << 1))) {
    i--;
    at--;
  }
  return i < 0;
}

/** The index of a literal, built if necessary; 0 if there is no room for it. */
function indexOf(list: string): usize {
  const slot = slotOf(list);
  return !slot ? 0 : load<u32>(slot) ? <usize>load<u32>(slot, 4) : build(list, slot);
}

/** Slot of the index of a literal: ├─ literal ptr u32, 0 if unused ─┬─ index ptr u32 ─┤. 0: there is no memory for indices. */
export function slotOf(list: string): usize {
  if (!area) return 0;
  const ptr = <u32>changetype<usize>(list);
  let slot = (ptr >> 4) & (SLOTS - 1);
  for (let tries: u32 = 0; tries < SLOTS; tries++) {
    const entry = area + 8 + (<usize>slot << 3), key = load<u32>(entry);
    if (key == ptr || !key) return entry;
    slot = (slot + 1) & (SLOTS - 1);
  }
  return 0;
}

/** Allocates zeroed memory for the index of a literal and stores its address in the slot; 0 if there is none. */
export function reserveIndex(list: string, slot: usize, bytes: usize): usize {
  const index = area + load<u32>(area);
  if (index + bytes > areaEnd) return 0;
  store<u32>(area, load<u32>(area) + <u32>((bytes + 7) & ~7));
  store<u32>(slot, <u32>changetype<usize>(list));
  store<u32>(slot, <u32>index, 4);
  memory.fill(index, 0, bytes);
  return index;
}

// The entry that nextEntry read last: offsets and lengths in units.
let entryStart: i32 = 0;
let entryLen: i32 = 0;
let entryTarget: i32 = 0;
let entryTargetLen: i32 = 0;
let entryEndsGroup: bool = false;

/** Reads the entry at `at`. Returns the offset of the next one; the literal's length or more at the end. */
function nextEntry(text: usize, n: i32, at: i32): i32 {
  let unit: u32 = 0;
  entryStart = at;
  while (at < n && !endsEntry(unit = load<u16>(text + (<usize>at << 1))) && unit != ARROW) at++;
  entryLen = at - entryStart;
  entryTarget = at;
  if (at < n && unit == ARROW) {
    entryTarget = ++at;
    while (at < n && !endsEntry(unit = load<u16>(text + (<usize>at << 1)))) at++;
  }
  entryTargetLen = at - entryTarget;
  entryEndsGroup = at < n && unit == SLASH;
  return at + 1;
}

// @ts-ignore: decorator
@inline
function endsEntry(unit: u32): bool {
  return unit == BLANK || unit == SLASH || unit == LINE_END;
}

function build(list: string, slot: usize): usize {
  const text = changetype<usize>(list), n = lengthOf(list);
  let count: u32 = 0;
  for (let at = 0; at < n; count++) at = nextEntry(text, n, at);
  let mask: u32 = 7;
  while (mask + 1 < count) mask = mask * 2 + 1;
  if (count > 0xffff || n > 0xffff) return 0;
  const index = reserveIndex(list, slot, 4 + (<usize>(mask + 1) << 1) + <usize>count * ENTRY);
  if (!index) return 0;
  store<u16>(index, <u16>mask);
  const entries = index + 4 + (<usize>(mask + 1) << 1) - ENTRY;
  let number: u32 = 0, group: u32 = 0;
  for (let at = 0; at < n; number++) {
    at = nextEntry(text, n, at);
    if (entryLen > 0) {
      assert(entryLen < 256 && entryTargetLen < 256);
      const end = text + (<usize>(entryStart + entryLen) << 1), last = <u32>load<u16>(end - 2);
      const bucket = (entryLen == 1 ? last : pairHash(load<u16>(end - 4), last)) & mask;
      const entry = entries + <usize>(number + 1) * ENTRY;
      store<u16>(entry, <u16>entryStart, 2);
      store<u8>(entry, <u8>entryLen, 4);
      store<u8>(entry, <u8>entryTargetLen, 5);
      store<u16>(entry, <u16>group, 6);
      store<u16>(entry, <u16>number, 8);
      store<u16>(entry, <u16>entryTarget, 10);
      // After the entries that are at least as long, so that the first of equal ones stays first.
      let link = index + 4 + (<usize>bucket << 1);
      while (load<u16>(link)) {
        const other = entries + <usize>load<u16>(link) * ENTRY;
        if (<i32>load<u8>(other, 4) < entryLen) break;
        link = other;
      }
      store<u16>(entry, load<u16>(link));
      store<u16>(link, <u16>(number + 1));
    }
    if (entryEndsGroup) group++;
  }
  return index;
}

/** The same search without an index. */
function scan(list: string, end: i32, room: i32): bool {
  const text = changetype<usize>(list), n = lengthOf(list);
  let number = 0, group = 0;
  for (let at = 0; at < n; number++) {
    at = nextEntry(text, n, at);
    if (entryLen > foundLen && entryLen <= room && isSuffix(text + (<usize>entryStart << 1), end, entryLen)) take(text, number, group);
    if (entryEndsGroup) group++;
  }
  return foundLen > 0;
}

/** Finds the longest entry that is at `at` in the word. Tables of prefixes are short and have no index. */
export function findPrefix(list: string, at: i32): bool {
  const text = changetype<usize>(list), n = lengthOf(list);
  let number = 0, group = 0;
  foundLen = 0;
  foundNumber = -1;
  foundGroup = -1;
  targetLen = 0;
  for (let cur = 0; cur < n; number++) {
    cur = nextEntry(text, n, cur);
    if (entryLen > foundLen && at + entryLen <= wordLen && isSuffix(text + (<usize>entryStart << 1), at + entryLen, entryLen)) take(text, number, group);
    if (entryEndsGroup) group++;
  }
  return foundLen > 0;
}

function take(text: usize, number: i32, group: i32): void {
  foundLen = entryLen;
  foundNumber = number;
  foundGroup = group;
  targetPtr = text + (<usize>entryTarget << 1);
  targetLen = entryTargetLen;
}
