// Suffix rules as data. A table is one literal, read from left to right, in which nothing is counted by hand:
//   suffix suffix>target suffix/suffix ...     blanks or line ends between suffixes; a slash begins the next group; `>` names what replaces a suffix
// The longest suffix of the whole table decides; its group says what to do with it.
import * as index from './suffix-index';
import { lengthOf, setLength, setUnit, word, wordLen } from './word';

const BLANK: u32 = 0x20;

/** Where the suffix or prefix that was found last begins, its units and its group. */
export let foundAt: i32 = 0;
export let foundLen: i32 = 0;
export let foundGroup: i32 = -1;

/** Group of the longest suffix that the first `len` units of the word have behind `from`; -1 for none. */
export function groupAt(table: string, len: i32, from: i32): i32 {
  index.findSuffix(table, len, len - from);
  foundLen = index.foundLen;
  foundAt = len - foundLen;
  return (foundGroup = index.foundGroup);
}

/** Group of the longest entry that stands at `at`; -1 for none. */
export function groupAhead(table: string, at: i32): i32 {
  foundAt = index.findPrefix(table, at) ? at : wordLen;
  foundLen = index.foundLen;
  return (foundGroup = index.foundGroup);
}

export function groupOf(table: string, from: i32): i32 {
  return groupAt(table, wordLen, from);
}

/** Puts the target in the place of what was found, and cuts what comes behind a suffix. Returns the end of the target. */
export function replaceFound(): i32 {
  memory.copy(word + (<usize>foundAt << 1), index.targetPtr, <usize>index.targetLen << 1);
  setLength(foundAt + index.targetLen);
  return foundAt + index.targetLen;
}

/** The same inside of the word, whose end stays. */
export function replaceInside(): i32 {
  const ptr = word + (<usize>foundAt << 1), end = foundAt + index.targetLen;
  memory.copy(word + (<usize>end << 1), ptr + (<usize>foundLen << 1), <usize>(wordLen - foundAt - foundLen) << 1);
  memory.copy(ptr, index.targetPtr, <usize>index.targetLen << 1);
  setLength(wordLen - foundLen + index.targetLen);
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
