// The word being stemmed: UTF-16 units, changed in place, with room to grow by GROWTH units. One word at a time per instance.
//   word ├─ u16 × wordLen ─┬─ free ─┤
// Suffixes are string literals: static UTF-16 data preceded by their size in bytes; they are never allocated.

/** Units that a stemmer may add to a word. */
export const GROWTH: i32 = 16;

export let word: usize = 0;
export let wordLen: i32 = 0;

export function setWord(ptr: usize, len: i32): void {
  word = ptr;
  wordLen = len;
}

export function setLength(len: i32): void {
  wordLen = len;
}

// @ts-ignore: decorator
@inline
export function unitAt(index: i32): u32 {
  assert(index >= 0 && index < wordLen);
  return load<u16>(word + (<usize>index << 1));
}

// @ts-ignore: decorator
@inline
export function setUnit(index: i32, unit: u32): void {
  assert(index >= 0 && index < wordLen);
  store<u16>(word + (<usize>index << 1), <u16>unit);
}

/** Length of a literal in units. */
// @ts-ignore: decorator
@inline
export function lengthOf(literal: string): i32 {
  return <i32>(load<u32>(changetype<usize>(literal) - 4) >> 1);
}

/** Whether the first `len` units of the word end with a literal. */
export function endsAt(len: i32, suffix: string): bool {
  const n = lengthOf(suffix);
  if (n > len) return false;
  const from = word + (<usize>(len - n) << 1), to = changetype<usize>(suffix);
  for (let i = 0; i < n; i++) if (load<u16>(from + (<usize>i << 1)) != load<u16>(to + (<usize>i << 1))) return false;
  return true;
}

export function ends(suffix: string): bool {
  return endsAt(wordLen, suffix);
}

export function starts(prefix: string): bool {
  return standsAt(0, prefix);
}

/** Writes a literal at `at` and ends the word after it. */
export function put(at: i32, literal: string): void {
  const n = lengthOf(literal);
  memory.copy(word + (<usize>at << 1), changetype<usize>(literal), <usize>n << 1);
  wordLen = at + n;
}

/** Whether a literal contains a unit. */
export function isIn(unit: u32, literal: string): bool {
  const n = lengthOf(literal), from = changetype<usize>(literal);
  for (let i = 0; i < n; i++) if (load<u16>(from + (<usize>i << 1)) == unit) return true;
  return false;
}

/** Whether the unit before `at` is one of a literal's units. */
export function isBefore(at: i32, units: string): bool {
  return at > 0 && isIn(unitAt(at - 1), units);
}

/** Maps a unit of `from` to the one at the same index of `to`; other units stay unchanged. Both have the same length. */
export function mapUnit(unit: u32, from: string, to: string): u32 {
  const n = lengthOf(from);
  for (let i = 0; i < n; i++)
    if (<u32>load<u16>(changetype<usize>(from) + (<usize>i << 1)) == unit) return load<u16>(changetype<usize>(to) + (<usize>i << 1));
  return unit;
}

/** Whether a literal is at `at`. */
export function standsAt(at: i32, literal: string): bool {
  const n = lengthOf(literal);
  return at + n <= wordLen && memory.compare(word + (<usize>at << 1), changetype<usize>(literal), <usize>n << 1) == 0;
}

/** Whether the word equals a literal. */
export function isWhole(literal: string): bool {
  return lengthOf(literal) == wordLen && standsAt(0, literal);
}

/** Deletes `len` units at `at`. */
export function removeUnits(at: i32, len: i32): void {
  const ptr = word + (<usize>at << 1);
  memory.copy(ptr, ptr + (<usize>len << 1), <usize>(wordLen - at - len) << 1);
  wordLen -= len;
}

export function insertUnit(at: i32, unit: u32): void {
  const ptr = word + (<usize>at << 1);
  memory.copy(ptr + 2, ptr, <usize>(wordLen - at) << 1);
  wordLen++;
  setUnit(at, unit);
}

/** Replaces `len` units at `at` by a literal. */
export function replaceUnits(at: i32, len: i32, literal: string): void {
  const n = lengthOf(literal), ptr = word + (<usize>at << 1);
  memory.copy(ptr + (<usize>n << 1), ptr + (<usize>len << 1), <usize>(wordLen - at - len) << 1);
  memory.copy(ptr, changetype<usize>(literal), <usize>n << 1);
  wordLen += n - len;
}
