// Suffix rules as data. A table is one literal, read from left to right:
//   suffix suffix>target suffix/suffix ...     blanks or line ends between suffixes; a slash starts the next group; `>` precedes a replacement
// The longest suffix in the whole table wins; its group determines the action.
import * as index from './suffix-index';
import { lengthOf, setLength, setUnit, word, wordLen } from './word';

const BLANK: u32 = 0x20;

/** Start of the suffix or prefix found last, its length and its group. */
export let foundAt: i32 = 0;
export let foundLen: i32 = 0;
export let foundGroup: i32 = -1;

/** Group of the longest suffix that the first `len` units of the word have after `from`; -1 for none. */
export function groupAt(table: string, len: i32, from: i32): i32 {
  index.findSuffix(table, len, len - from);
  foundLen = index.foundLen;
  foundAt = len - foundLen;
  return (foundGroup = index.foundGroup);
}

/** Group of the longest entry at `at`; -1 for none. */
export function groupAhead(table: string, at: i32): i32 {
  foundAt = index.findPrefix(table, at) ? at : wordLen;
  foundLen = index.foundLen;
  return (foundGroup = index.foundGroup);
}

export function groupOf(table: string, from: i32): i32 {
  return groupAt(table, wordLen, from);
}

/** Replaces what was found by its target, and cuts the word after a suffix. Returns the end of the target. */
export function replaceFound(): i32 {
  memory.copy(word + (<usize>foundAt << 1), index.targetPtr, <usize>index.targetLen << 1);
  setLength(foundAt + index.targetLen);
  return foundAt + index.targetLen;
}

/** The same inside the word, keeping the rest. */
export function replaceInside(): i32 {
  const ptr = word + (<usize>foundAt << 1), end = foundAt + index.targetLen;
  memory.copy(word + (<usize>end << 1), ptr + (<usize>foundLen << 1), <usize>(wordLen - foundAt - foundLen) << 1);
  memory.copy(ptr, index.targetPtr, <usize>index.targetLen << 1);
  setLength(wordLen - foundLen + index.targetLen);
  return end;
}

/** Makes the word the entry with this number in a list without groups and targets. */
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

/** Removes the suffix found if it is in the region that starts at `region`. */
export function removeFound(region: i32): bool {
  if (foundAt < region) return false;
  setLength(foundAt);
  return true;
}

/** Removes the longest suffix of a table if it is in the region. */
export function removeSuffix(table: string, region: i32): bool {
  return groupOf(table, 0) >= 0 && removeFound(region);
}
