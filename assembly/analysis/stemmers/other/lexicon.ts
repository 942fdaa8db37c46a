// The word list of a stemmer, in its stage's config; written by src/analysis/languages/lexicon.ts. The word consists of ASCII units of word.ts.
//   lexicon ├─ LexiconHeader ─┬─ blockOff u32 × (blockCount + 1) ─┬─ blocks ─┬─ 0..3 ─┬─ roots: term map ─┤
//   block   ├─ word ─┬─ capital: letters shared with the previous word (A: 0) ─┬─ its other letters ─┬─ capital ─┬─ ··· ─┤
//   Words are in ascending order, offsets are from the lexicon. The map has the words with a root of their own, and "!" for words that are not verb stems.
import { LexiconHeader, TermSetEntry } from '../../stage-configs';
import { findTerm } from '../../term-set';
import { unitAt, word, wordLen } from '../word';

/** Result of a look-up. */
export const ABSENT: i32 = 0;
export const PRESENT: i32 = 1;
export const NO_VERB: i32 = 2;
export const HAS_ROOT: i32 = 3;

/** Maximum length of a word that is looked up, at least that of the longest word in any list. */
const MAX_WORD: i32 = 26;
/** The root that the last `ask` found, as ASCII bytes, and its length. */
export let root: usize = 0;
export let rootLen: u32 = 0;

/** Looks the word up. Changes nothing but `root`. The word's bytes are written to the units after the word's end. */
export function ask(lexicon: usize): i32 {
  if (wordLen == 0 || wordLen > MAX_WORD) return ABSENT;
  const scratch = word + (<usize>wordLen << 1);
  for (let i = 0; i < wordLen; i++) store<u8>(scratch + i, <u8>unitAt(i));
  const map = lexicon + changetype<LexiconHeader>(lexicon).rootsOff, entry = findTerm(map, scratch, wordLen);
  if (entry) {
    const value = map + changetype<TermSetEntry>(entry).value;
    root = value + 4;
    rootLen = load<u32>(value);
    return load<u8>(root) == 0x21 ? NO_VERB : HAS_ROOT;
  }
  return isListed(lexicon, scratch) ? PRESENT : ABSENT;
}

function isListed(lexicon: usize, bytes: usize): bool {
  // The last block whose first word is not greater than the word.
  let low: u32 = 0, high = changetype<LexiconHeader>(lexicon).blockCount;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isAbove(lexicon + blockAt(lexicon, middle), bytes)) high = middle;
    else low = middle;
  }
  const end = lexicon + blockAt(lexicon, low + 1);
  // The word and the block's word before `cur` share `same` letters.
  let cur = lexicon + blockAt(lexicon, low), same = 0, shared = 0;
  while (true) {
    if (shared < same) return false;
    if (shared == same) {
      while (cur < end && isSmall(load<u8>(cur)) && same < wordLen && load<u8>(cur) == load<u8>(bytes + same)) {
        cur++;
        same++;
      }
      const isAtEnd = cur >= end || !isSmall(load<u8>(cur));
      if (same == wordLen) return isAtEnd;
      if (!isAtEnd && load<u8>(cur) > load<u8>(bytes + same)) return false;
    }
    while (cur < end && isSmall(load<u8>(cur))) cur++;
    if (cur >= end) return false;
    shared = <i32>load<u8>(cur++) - 0x41;
  }
}

// @ts-ignore: decorator
@inline
function blockAt(lexicon: usize, index: u32): u32 {
  return load<u32>(lexicon + offsetof<LexiconHeader>() + (<usize>index << 2));
}

// @ts-ignore: decorator
@inline
function isSmall(byte: u32): bool {
  return byte >= 0x61;
}

/** Whether a block's first word is greater than the word. */
function isAbove(block: usize, bytes: usize): bool {
  for (let i = 0; i < wordLen; i++) {
    const a = <u32>load<u8>(block + i), b = <u32>load<u8>(bytes + i);
    if (!isSmall(a)) return false;
    if (a != b) return a > b;
  }
  return isSmall(load<u8>(block + wordLen));
}
