// Terms within a number of edits of a word: one walk of the dictionary with a bit-parallel automaton, whose states along the current prefix are
// cached. A prefix that no state survives rules out every term with it; blocks whose first terms begin with it are skipped. A prefix that
// has used up all edits can only continue like the word, from one of a few positions: if many blocks share it, the terms that can match are looked up.
//   scratch: ├ FuzzyWalk ┬ chars u32[DEPTHS] ┬ masks of the ASCII chars u64[128] ┬ states[DEPTHS] ┬ found u32[MAX_FOUND] ┬ term ┤
//   state of a prefix, 32 bytes: near0, near1, near2 u64: bit j is set if the prefix is within 0, 1, 2 edits of the word's first j code
//   points; mask u64 of its last char: bit j + 1 is set if the word's char j is that char
// Edits are insertions, deletions, substitutions and swaps of adjacent code points. If the request does not allow swaps, the host drops the terms
// that need one.
// Source: Wu, Manber, "Fast text searching allowing errors" (1992); the swap as in Hyyro, "A bit-vector algorithm for computing Levenshtein and
// Damerau edit distances" (2003). 10 times as fast as rows of the distance matrix.

import { readVint, vintBytes } from '../codec/vint';
import { BLOCK_LOG2, blockTerms, ordIn, TERM_STATE_BYTES, TermsHeader, termsState, TermState, termsTerm } from './dictionary';

/** Longest word in code points. */
export const MAX_FUZZY_LENGTH: u32 = 62;
const DEPTHS: u32 = 128;

/** A search for terms near a word: the head of its scratch, fuzzyScratchBytes(longestTerm) at a multiple of 8. The host writes the first group of fields. */
// @ts-ignore: decorator
@unmanaged
export class FuzzyWalk {
  /** Address of the term dictionary. */
  dictionary: usize;
  /** Next ordinal to examine; termsFuzzy moves it forward. */
  ord: u32;
  /** One past the last ordinal. */
  toOrd: u32;
  /** Code points of the word, u32[length]; length <= MAX_FUZZY_LENGTH. */
  word: usize;
  length: u32;
  /** 0 to 2. */
  maxEdits: u32;

  // State.
  /** Number of chars of the path whose states are known. */
  known: u32;
  /** Bytes at the start of the last term that are ASCII and on the path, char for byte. */
  plain: u32;
  /** Ordinals that `lookUp` has found: ascending, at FOUND_OFF. */
  foundCount: u32;
  reserved: u32;
}

const CHARS_OFF: usize = 40;
const MASKS_OFF: usize = CHARS_OFF + DEPTHS * 4;
const STATES_OFF: usize = MASKS_OFF + 128 * 8;
/** Ordinals of the terms that continue a prefix without edits left. */
const FOUND_OFF: usize = STATES_OFF + DEPTHS * 32;
const MAX_FOUND: u32 = 8;
const TERM_OFF: usize = FOUND_OFF + MAX_FOUND * 4;
/** From this many blocks on, looking terms up is faster than stepping through them. */
const MANY_BLOCKS: u32 = 2;

/** Bytes of scratch for a dictionary whose longest term has `longestTerm` bytes. */
export function fuzzyScratchBytes(longestTerm: u32): usize {
  return TERM_OFF + max<u32>(longestTerm, MAX_FUZZY_LENGTH + 8) + 32;
}

/** Positions of a char in the word, one further up. */
function maskOf(walk: FuzzyWalk, char: u32): u64 {
  const word = walk.word, length = walk.length;
  let mask: u64 = 0;
  for (let j: u32 = 0; j < length; j++) if (load<u32>(word + ((<usize>j) << 2)) == char) mask |= (<u64>2) << j;
  return mask;
}

// @ts-ignore: decorator
@inline
function stateAt(walk: FuzzyWalk, depth: u32): usize {
  return changetype<usize>(walk) + STATES_OFF + ((<usize>depth) << 5);
}

function open(walk: FuzzyWalk): void {
  walk.known = 0;
  const masks = changetype<usize>(walk) + MASKS_OFF;
  for (let char: u32 = 0; char < 128; char++) store<u64>(masks + ((<usize>char) << 3), maskOf(walk, char));
  const state = stateAt(walk, 0);
  const all = ((<u64>2) << walk.length) - 1;
  store<u64>(state, 1);
  store<u64>(state, 3 & all, 8);
  store<u64>(state, 7 & all, 16);
  store<u64>(state, 0, 24);
}

/** Computes the state of the first `depth` chars from the previous states. */
// @ts-ignore: decorator
@inline
function addState(walk: FuzzyWalk, depth: u32, char: u32): void {
  const state = stateAt(walk, depth);
  const mask = char < 128 ? load<u64>(changetype<usize>(walk) + MASKS_OFF + ((<usize>char) << 3)) : maskOf(walk, char);
  const all = ((<u64>2) << walk.length) - 1;
  const old0 = load<u64>(state - 32);
  const old1 = load<u64>(state - 32, 8);
  const old2 = load<u64>(state - 32, 16);
  let swap1: u64 = 0;
  let swap2: u64 = 0;
  if (depth > 1) {
    const before = load<u64>(state - 32, 24);
    swap1 = (((load<u64>(state - 64) << 1) & mask) << 1) & before;
    swap2 = (((load<u64>(state - 64, 8) << 1) & mask) << 1) & before;
  }
  const near0 = (old0 << 1) & mask;
  const near1 = (((old1 << 1) & mask) | old0 | (old0 << 1) | (near0 << 1) | swap1) & all;
  const near2 = (((old2 << 1) & mask) | old1 | (old1 << 1) | (near1 << 1) | swap2) & all;
  store<u64>(state, near0);
  store<u64>(state, near1, 8);
  store<u64>(state, near2, 16);
  store<u64>(state, mask, 24);
}

/** Sets the char at `index` of the path; false if no term with this prefix is near enough. */
// @ts-ignore: decorator
@inline
function follow(walk: FuzzyWalk, index: u32, char: u32): bool {
  if (index + 1 >= DEPTHS) return false;
  const at = changetype<usize>(walk) + CHARS_OFF + ((<usize>index) << 2);
  if (index >= walk.known || load<u32>(at) != char) {
    store<u32>(at, char);
    walk.known = index + 1;
    addState(walk, index + 1, char);
  }
  return load<u64>(stateAt(walk, index + 1) + ((<usize>walk.maxEdits) << 3)) != 0;
}

/**
 * Bytes of the shortest prefix of the block's first term that no near term has, or only terms that `lookUp` has found; 0 if its first 8 bytes do
 * not decide. These bytes are the path then, and `plain` counts those that some near term has.
 */
function deadByFirst(header: TermsHeader, walk: FuzzyWalk, block: u32): u32 {
  const prefixes = changetype<usize>(header) + header.prefixesOff;
  const first = load<u64>(prefixes + ((<usize>block) << 3));
  walk.foundCount = 0;
  for (let i: u32 = 0, prefix = first; i < 8; i++, prefix <<= 8) {
    const byte = <u32>(prefix >> 56);
    // Zeros may be padding; the walk handles code points of several bytes.
    if (byte == 0 || byte > 0x7f) return 0;
    if (!follow(walk, i, byte)) {
      walk.plain = i;
      return i + 1;
    }
    if (!isExhausted(walk, i + 1)) continue;
    const last = lastBlockWith(prefixes, header.blockCount, block, i + 1);
    if (last - block < MANY_BLOCKS || !lookUp(header, walk, first, i + 1, block, last)) continue;
    walk.plain = i;
    return i + 1;
  }
  return 0;
}

/** Whether the prefix of `depth` chars on the path has no edit left, including that of a swap which its last char may have begun. */
// @ts-ignore: decorator
@inline
function isExhausted(walk: FuzzyWalk, depth: u32): bool {
  const maxEdits = walk.maxEdits;
  if (maxEdits == 0) return true;
  const state = stateAt(walk, depth);
  const fewer = (<usize>maxEdits - 1) << 3;
  return load<u64>(state + fewer) == 0 && ((load<u64>(state - 32 + fewer) << 2) & load<u64>(state, 24)) == 0;
}

/** Finds the near terms in blocks [block, last] that begin with the `depth` ASCII bytes of `first`, which have no edit left. False: cannot look them up. */
function lookUp(header: TermsHeader, walk: FuzzyWalk, first: u64, depth: u32, block: u32, last: u32): bool {
  let ends = load<u64>(stateAt(walk, depth) + ((<usize>walk.maxEdits) << 3));
  if (<u32>popcnt<u64>(ends) > MAX_FOUND) return false;
  const term = changetype<usize>(walk) + TERM_OFF, found = changetype<usize>(walk) + FOUND_OFF, length = walk.length;
  store<u64>(term, bswap<u64>(first));
  for (; ends != 0; ends &= ends - 1) {
    const from = <u32>ctz<u64>(ends);
    for (let j = from; j < length; j++) {
      const char = load<u32>(walk.word + ((<usize>j) << 2));
      if (char > 0x7f) {
        walk.foundCount = 0;
        return false;
      }
      store<u8>(term + depth + (j - from), <u8>char);
    }
    const ord = ordIn(header, block, last + 1, term, depth + length - from);
    if (ord < 0) continue;
    let at = found + ((<usize>walk.foundCount) << 2);
    walk.foundCount++;
    for (; at > found && load<i32>(at - 4) > ord; at -= 4) store<i32>(at, load<i32>(at - 4));
    store<i32>(at, ord);
  }
  return true;
}

/** Last block from `block` on whose first term shares its first `bytes` bytes (1..8, no zeros) with that of `block`; found by galloping. */
function lastBlockWith(prefixes: usize, blocks: u32, block: u32, bytes: u32): u32 {
  const shift = <u64>(64 - (bytes << 3));
  const wanted = load<u64>(prefixes + ((<usize>block) << 3)) >> shift;
  let low = block;
  let step: u32 = 1;
  while (low + step < blocks && load<u64>(prefixes + ((<usize>(low + step)) << 3)) >> shift == wanted) {
    low += step;
    step <<= 1;
  }
  // The prefix of low matches, that of high does not.
  let high = min(low + step, blocks);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (load<u64>(prefixes + ((<usize>middle) << 3)) >> shift == wanted) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Writes the terms of ordinals [walk.ord, walk.toOrd) within `maxEdits` of the word as termsWalk does, until all are seen or the output is full;
 * then walk.ord is the ordinal to continue with. Returns how many.
 */
export function termsFuzzy(walkPtr: usize, outPtr: usize, outEnd: usize): u32 {
  const walk = changetype<FuzzyWalk>(walkPtr), ptr = walk.dictionary;
  const header = changetype<TermsHeader>(ptr), prefixes = ptr + header.prefixesOff;
  const fromOrd = walk.ord, toOrd = min(walk.toOrd, header.termCount);
  assert(walk.maxEdits <= 2 && walk.length <= MAX_FUZZY_LENGTH);
  open(walk);
  let count: u32 = 0;
  for (let block = fromOrd >> BLOCK_LOG2; block << BLOCK_LOG2 < toOrd; block++) {
    const dead = deadByFirst(header, walk, block);
    for (let i: u32 = 0; i < walk.foundCount; i++) {
      const ord = load<u32>(walkPtr + FOUND_OFF + ((<usize>i) << 2));
      if (ord < fromOrd || ord >= toOrd) continue;
      const end = writeTerm(ptr, ord, outPtr, outEnd);
      if (!end) {
        walk.ord = ord;
        return count;
      }
      outPtr = end;
      count++;
    }
    if (dead) block = lastBlockWith(prefixes, header.blockCount, block, dead);
    if (block << BLOCK_LOG2 >= toOrd) break;
    const end = walkBlock(walk, header, block, dead, outPtr, outEnd);
    count += blockFound;
    if (!end) return count;
    outPtr = end;
  }
  walk.ord = toOrd;
  return count;
}

/** Number of terms that the last `walkBlock` has written. */
let blockFound: u32 = 0;

/**
 * Writes the near terms of a block. `dead`: bytes of the prefix that rules the first term out, 0 if none is known. Returns one past the output, or 0
 * if that is full, and then walk.ord is the ordinal to continue with.
 */
function walkBlock(walk: FuzzyWalk, header: TermsHeader, block: u32, dead: u32, outPtr: usize, outEnd: usize): usize {
  blockFound = 0;
  const ptr = walk.dictionary, fromOrd = walk.ord;
  const ord = block << BLOCK_LOG2, end = min(ord + blockTerms(header, block), min(walk.toOrd, header.termCount));
  const term = changetype<usize>(walk) + TERM_OFF;
  let cur = ptr + load<u32>(ptr + header.blocksOff + ((<usize>block) << 2)) + 8;
  for (let at = ord; at < end; at++) {
    let shared: u32 = 0;
    let suffix: u32;
    if (at != ord) {
      // Terms that share the dead prefix of the term before are ruled out, too.
      let pair = <u32>load<u16>(cur);
      while (!(pair & 0x8080) && (pair & 0x7f) >= dead && ++at < end) {
        cur += 2 + <usize>(pair >> 8);
        pair = <u32>load<u16>(cur);
      }
      if (at >= end) break;
      shared = readVint(cur);
      cur += vintBytes(shared);
    }
    suffix = readVint(cur);
    cur += vintBytes(suffix);
    const bytes = cur;
    cur += suffix;
    if (at != ord) {
      if (shared >= dead) continue;
      // Most terms are ruled out by the first byte of their own.
      const byte = <u32>load<u8>(bytes);
      if (shared <= walk.plain && suffix && byte < 0x80 && !follow(walk, shared, byte)) {
        walk.plain = shared;
        dead = shared + 1;
        continue;
      }
    }
    // For a few bytes memory.copy costs more than everything else here.
    if (suffix <= 16) v128.store(term + shared, v128.load(bytes));
    else memory.copy(term + shared, bytes, suffix);
    if (at == ord) {
      if (dead) continue;
      walk.plain = 0;
    }
    const termLen = shared + suffix;
    dead = ruledOut(walk, termLen, min(shared, walk.plain));
    if (dead <= termLen) continue;
    if (at < fromOrd || !isNear(walk)) continue;
    const recordEnd = writeTerm(ptr, at, outPtr, outEnd);
    if (!recordEnd) {
      walk.ord = at;
      return 0;
    }
    outPtr = recordEnd;
    blockFound++;
  }
  return outPtr;
}

/** Writes a term as termsWalk does; returns one past it, or 0 if the longest term would not fit. */
function writeTerm(ptr: usize, ord: u32, outPtr: usize, outEnd: usize): usize {
  if (outPtr + TERM_STATE_BYTES + changetype<TermsHeader>(ptr).longestTerm + 8 > outEnd) return 0;
  termsState(ptr, ord, outPtr);
  const length = termsTerm(ptr, ord, outPtr + TERM_STATE_BYTES);
  changetype<TermState>(outPtr).length = length;
  return outPtr + TERM_STATE_BYTES + ((<usize>length + 7) & ~7);
}

/**
 * Bytes of the shortest prefix that no near term has; more than termLen if there is none. The depth of a term that is not ruled out is `known`.
 * The first `done` bytes are on the path already.
 */
function ruledOut(walk: FuzzyWalk, termLen: u32, done: u32): u32 {
  const term = changetype<usize>(walk) + TERM_OFF;
  let at = term + done;
  const end = term + termLen;
  let depth = done;
  walk.plain = termLen;
  while (at < end) {
    let char = <u32>load<u8>(at++);
    if (char >= 0x80) {
      walk.plain = min(walk.plain, <u32>(at - term) - 1);
      // Lead byte 110xxxxx, 1110xxxx or 11110xxx, then continuation bytes; other bytes are characters themselves.
      const more: u32 = char >= 0xf0 ? 3 : char >= 0xe0 ? 2 : char >= 0xc0 ? 1 : 0;
      if (more) char &= 0x3f >> more;
      for (let i: u32 = 0; i < more && at < end; i++) char = (char << 6) | (<u32>load<u8>(at++) & 0x3f);
    }
    if (!follow(walk, depth, char)) {
      const dead = <u32>(at - term);
      walk.plain = min(walk.plain, dead - 1);
      return dead;
    }
    depth++;
  }
  walk.known = depth;
  return termLen + 1;
}

/** Whether the word and the whole path, `known` chars deep, are near. */
// @ts-ignore: decorator
@inline
function isNear(walk: FuzzyWalk): bool {
  return ((load<u64>(stateAt(walk, walk.known) + ((<usize>walk.maxEdits) << 3)) >> walk.length) & 1) != 0;
}
