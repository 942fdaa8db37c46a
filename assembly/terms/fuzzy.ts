// Terms within a number of edits of a word: one walk of the dictionary that keeps the rows of the edit distance matrix of the current prefix.
// A row whose least value is above the limit rules out every term with that prefix; blocks are left out unread by what their first term
// has in common with the next block's.
//   scratch: ├ next ordinal u32 │ known depth u32 │ chars u32[DEPTHS] │ least u8[DEPTHS] │ rows u8[DEPTHS][256] │ term ┤
// Edits are insertions, deletions, substitutions and swaps of neighbours, of code points. Without swaps in the request the host drops what
// needs one.

import { readVint, vintBytes } from '../codec/vint';
import { BLOCK_LOG2, BLOCK_TERMS, blockTerms, TERM_STATE_BYTES, TermsHeader, termsState, TermState } from './dictionary';

/** Longest word in code points. */
export const MAX_FUZZY_LENGTH: u32 = 200;
const DEPTHS: u32 = 256;
const CHARS_OFF: usize = 8;
const LEAST_OFF: usize = CHARS_OFF + DEPTHS * 4;
const ROWS_OFF: usize = LEAST_OFF + DEPTHS;
const TERM_OFF: usize = ROWS_OFF + DEPTHS * 256;

/** Scratch for a dictionary whose longest term has so many bytes. */
export function fuzzyScratchBytes(longestTerm: u32): usize {
  return TERM_OFF + longestTerm + 16;
}

/** Computes the row of the first `depth` chars, chars[depth - 1] being the new one. */
function addRow(scratch: usize, target: usize, length: u32, depth: u32): void {
  const row = scratch + ROWS_OFF + ((<usize>depth) << 8);
  const above = row - 256;
  const chars = scratch + CHARS_OFF + ((<usize>depth) << 2);
  const char = load<u32>(chars - 4);
  const before = depth > 1 ? load<u32>(chars - 8) : 0;
  let left: u32 = depth;
  let least: u32 = left;
  store<u8>(row, <u8>min<u32>(left, 255));
  for (let j: u32 = 1; j <= length; j++) {
    const other = load<u32>(target + ((<usize>j - 1) << 2));
    let cost = min<u32>(min<u32>(<u32>load<u8>(above + j), left) + 1, <u32>load<u8>(above + j - 1) + <u32>(char != other));
    if (depth > 1 && j > 1 && before == other && load<u32>(target + ((<usize>j - 2) << 2)) == char) {
      cost = min<u32>(cost, <u32>load<u8>(above - 256 + j - 2) + 1);
    }
    cost = min<u32>(cost, 255);
    store<u8>(row + j, <u8>cost);
    left = cost;
    least = min<u32>(least, cost);
  }
  store<u8>(scratch + LEAST_OFF + depth, <u8>least);
}

/** Makes `char` the one at `index` of the path; false if no term with this prefix is near enough. */
// @ts-ignore: decorator
@inline
function follow(scratch: usize, target: usize, length: u32, maxEdits: u32, index: u32, char: u32): bool {
  if (index + 1 >= DEPTHS) return false;
  const at = scratch + CHARS_OFF + ((<usize>index) << 2);
  if (index >= load<u32>(scratch, 4) || load<u32>(at) != char) {
    store<u32>(at, char);
    store<u32>(scratch, index + 1, 4);
    addRow(scratch, target, length, index + 1);
  }
  return <u32>load<u8>(scratch + LEAST_OFF + index + 1) <= maxEdits;
}

/** Whether some term of the block may be near enough, by the bytes that its first term shares with the next block's. */
function blockMayMatch(header: TermsHeader, scratch: usize, target: usize, length: u32, maxEdits: u32, block: u32): bool {
  if (block + 1 >= header.blockCount) return true;
  const prefixes = changetype<usize>(header) + header.prefixesOff + ((<usize>block) << 3);
  let prefix = load<u64>(prefixes);
  const common = <u32>clz<u64>(prefix ^ load<u64>(prefixes, 8)) >> 3;
  for (let i: u32 = 0; i < common; i++, prefix <<= 8) {
    const byte = <u32>(prefix >> 56);
    // Zeros may be padding; code points of several bytes are left to the walk.
    if (byte == 0 || byte > 0x7f) return true;
    if (!follow(scratch, target, length, maxEdits, i, byte)) return false;
  }
  return true;
}

/**
 * Writes the terms of ordinals [fromOrd, toOrd) within `maxEdits` of the word as termsWalk does, until all are seen or the output is full:
 * the word at the start of scratch is the ordinal to go on from. target: code points u32[length], length <= MAX_FUZZY_LENGTH. Returns how many.
 */
export function termsFuzzy(ptr: usize, fromOrd: u32, toOrd: u32, target: usize, length: u32, maxEdits: u32, scratch: usize, outPtr: usize, outEnd: usize): u32 {
  const header = changetype<TermsHeader>(ptr);
  toOrd = min(toOrd, header.termCount);
  for (let j: u32 = 0; j <= length; j++) store<u8>(scratch + ROWS_OFF + j, <u8>j);
  store<u8>(scratch + LEAST_OFF, 0);
  store<u32>(scratch, 0, 4);
  let count: u32 = 0;
  for (let ord = fromOrd & ~(BLOCK_TERMS - 1); ord < toOrd; ord += BLOCK_TERMS) {
    const block = ord >> BLOCK_LOG2;
    if (!blockMayMatch(header, scratch, target, length, maxEdits, block)) continue;
    const end = min(ord + blockTerms(header, block), toOrd);
    const term = scratch + TERM_OFF;
    let cur = ptr + load<u32>(ptr + header.blocksOff + ((<usize>block) << 2)) + 8;
    // Bytes of the prefix that ruled the last term out: `term` holds them, and terms that share them are out too.
    let dead: u32 = 0;
    for (let at = ord; at < end; at++) {
      let shared: u32 = 0;
      if (at != ord) {
        shared = readVint(cur);
        cur += vintBytes(shared);
      } else {
        dead = 1;
      }
      const suffix = readVint(cur);
      cur += vintBytes(suffix);
      const bytes = cur;
      cur += suffix;
      if (shared >= dead) continue;
      memory.copy(term + shared, bytes, suffix);
      const termLen = shared + suffix;
      dead = ruledOut(term, termLen, scratch, target, length, maxEdits);
      if (dead <= termLen) continue;
      if (at < fromOrd || !isNear(scratch, length, maxEdits)) continue;
      const record = TERM_STATE_BYTES + ((<usize>termLen + 7) & ~7);
      if (outPtr + record > outEnd) {
        store<u32>(scratch, at);
        return count;
      }
      termsState(ptr, at, outPtr);
      changetype<TermState>(outPtr).length = termLen;
      memory.copy(outPtr + TERM_STATE_BYTES, term, termLen);
      outPtr += record;
      count++;
    }
  }
  store<u32>(scratch, toOrd);
  return count;
}

/** Bytes of the shortest prefix that no near term has; more than termLen if there is none. The depth of a term that is not ruled out is `known`. */
function ruledOut(term: usize, termLen: u32, scratch: usize, target: usize, length: u32, maxEdits: u32): u32 {
  let at = term;
  const end = term + termLen;
  let depth: u32 = 0;
  while (at < end) {
    let char = <u32>load<u8>(at++);
    if (char >= 0x80) {
      // Lead byte 110xxxxx, 1110xxxx or 11110xxx, then continuation bytes; other bytes stand for themselves.
      const more: u32 = char >= 0xf0 ? 3 : char >= 0xe0 ? 2 : char >= 0xc0 ? 1 : 0;
      if (more) char &= 0x3f >> more;
      for (let i: u32 = 0; i < more && at < end; i++) char = (char << 6) | (<u32>load<u8>(at++) & 0x3f);
    }
    if (!follow(scratch, target, length, maxEdits, depth, char)) return <u32>(at - term);
    depth++;
  }
  store<u32>(scratch, depth, 4);
  return termLen + 1;
}

/** Whether the word and the whole path, `known` chars deep, are near. */
// @ts-ignore: decorator
@inline
function isNear(scratch: usize, length: u32, maxEdits: u32): bool {
  return <u32>load<u8>(scratch + ROWS_OFF + ((<usize>load<u32>(scratch, 4)) << 8) + length) <= maxEdits;
}
