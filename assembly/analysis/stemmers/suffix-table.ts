// Suffix rules as data. A table is one literal, read from left to right, in which nothing is counted by hand:
//   suffix suffix>target suffix/suffix ...     blanks or line ends between suffixes; a slash begins the next group; `>` names what replaces a suffix
// The longest suffix of the whole table decides; its group says what to do with it.
import { lengthOf, setLength, setUnit, unitAt, word, wordLen } from './word';

const BLANK: u32 = 0x20;
const LINE_END: u32 = 0x0a;
const SLASH: u32 = 0x2f;
const ARROW: u32 = 0x3e;

// @ts-ignore: decorator
@inline
function endsEntry(unit: u32): bool {
  return unit == BLANK || unit == SLASH || unit == LINE_END;
}

/** Where the suffix or prefix that was found last begins, its units and its group. */
export let foundAt: i32 = 0;
export let foundLen: i32 = 0;
export let foundGroup: i32 = -1;
/** What replaces it: units of the table. */
let targetPtr: usize = 0;
let targetLen: i32 = 0;

/** Group of the longest entry that lies in [from, to) of the word at its end (or its beginning: `ahead`); -1 for none. */
function find(table: string, from: i32, to: i32, ahead: bool): i32 {
  const end = changetype<usize>(table) + (<usize>lengthOf(table) << 1);
  let group = 0;
  foundGroup = -1;
  foundLen = 0;
  foundAt = to;
  targetLen = 0;
  for (let cur = changetype<usize>(table); cur < end; cur += 2) {
    const start = cur;
    let unit: u32 = 0;
    while (cur < end && !endsEntry(unit = load<u16>(cur)) && unit != ARROW) cur += 2;
    const len = <i32>((cur - start) >> 1), at = ahead ? from : to - len;
    const longer = len > foundLen && to - len >= from && sameUnits(start, word + (<usize>at << 1), len);
    if (longer) {
      foundGroup = group;
      foundLen = len;
      foundAt = at;
      targetLen = 0;
    }
    if (cur < end && unit == ARROW) {
      const target = (cur += 2);
      while (cur < end && !endsEntry(unit = load<u16>(cur))) cur += 2;
      if (longer) {
        targetPtr = target;
        targetLen = <i32>((cur - target) >> 1);
      }
    }
    if (cur < end && unit == SLASH) group++;
  }
  return foundGroup;
}

/** Group of the longest suffix that the first `len` units of the word have behind `from`; -1 for none. */
export function groupAt(table: string, len: i32, from: i32): i32 {
  return find(table, from, len, false);
}

/** Group of the longest entry that stands at `at`; -1 for none. */
export function groupAhead(table: string, at: i32): i32 {
  return find(table, at, wordLen, true);
}

export function groupOf(table: string, from: i32): i32 {
  return groupAt(table, wordLen, from);
}

function sameUnits(a: usize, b: usize, len: i32): bool {
  for (let i = 0; i < len; i++) if (load<u16>(a + (<usize>i << 1)) != load<u16>(b + (<usize>i << 1))) return false;
  return true;
}

/** Puts the target in the place of what was found, and cuts what comes behind a suffix. Returns the end of the target. */
export function replaceFound(): i32 {
  memory.copy(word + (<usize>foundAt << 1), targetPtr, <usize>targetLen << 1);
  setLength(foundAt + targetLen);
  return foundAt + targetLen;
}

/** The same inside of the word, whose end stays. */
export function replaceInside(): i32 {
  const ptr = word + (<usize>foundAt << 1), end = foundAt + targetLen;
  memory.copy(word + (<usize>end << 1), ptr + (<usize>foundLen << 1), <usize>(wordLen - foundAt - foundLen) << 1);
  memory.copy(ptr, targetPtr, <usize>targetLen << 1);
  setLength(wordLen - foundLen + targetLen);
  return end;
}

/** Makes the word the entry of this number of a list without groups and targets. */
export function putEntry(list: string, number: i32): void {
  let ptr = changetype<usize>(list);
  const end = ptr + (<usize>lengthOf(list) << 1);
  for (let left = number; left > 0; ptr += 2) if (load<u16>(ptr) == BLANK) left--;
  let len = 0;
  while (ptr < end && load<u16>(ptr) != BLANK) {
    setUnit(len++, load<u16>(ptr));
    ptr += 2;
  }
  setLength(len);
}

/** Takes the suffix found off if it lies in the region that begins at `region`. */
export function removeFound(region: i32): bool {
  if (foundAt < region) return false;
  setLength(foundAt);
  return true;
}

/** Takes the longest suffix of a table off if it lies in the region. */
export function removeSuffix(table: string, region: i32): bool {
  return groupOf(table, 0) >= 0 && removeFound(region);
}

/** Takes `len` units at `at` out of the word. */
export function removeUnits(at: i32, len: i32): void {
  const ptr = word + (<usize>at << 1);
  memory.copy(ptr, ptr + (<usize>len << 1), <usize>(wordLen - at - len) << 1);
  setLength(wordLen - len);
}

/** Replaces `len` units at `at` by a literal. */
export function replaceUnits(at: i32, len: i32, literal: string): void {
  const n = lengthOf(literal), ptr = word + (<usize>at << 1);
  memory.copy(ptr + (<usize>n << 1), ptr + (<usize>len << 1), <usize>(wordLen - at - len) << 1);
  memory.copy(ptr, changetype<usize>(literal), <usize>n << 1);
  setLength(wordLen - len + n);
}

/** Whether the word is a literal. */
export function isWhole(literal: string): bool {
  return lengthOf(literal) == wordLen && standsAt(0, literal);
}

/** Whether a literal stands at `at`. */
export function standsAt(at: i32, literal: string): bool {
  const n = lengthOf(literal);
  return at + n <= wordLen && sameUnits(changetype<usize>(literal), word + (<usize>at << 1), n);
}

/** The unit of `to` at the place where `from` holds the unit; the unit itself if it does not. Both have the same length. */
export function mapUnit(unit: u32, from: string, to: string): u32 {
  const n = lengthOf(from);
  for (let i = 0; i < n; i++)
    if (<u32>load<u16>(changetype<usize>(from) + (<usize>i << 1)) == unit) return load<u16>(changetype<usize>(to) + (<usize>i << 1));
  return unit;
}

/** Whether the unit before `at` is one of a list. */
export function isBefore(at: i32, units: string): bool {
  if (at <= 0) return false;
  const unit = unitAt(at - 1), n = lengthOf(units);
  for (let i = 0; i < n; i++) if (<u32>load<u16>(changetype<usize>(units) + (<usize>i << 1)) == unit) return true;
  return false;
}
