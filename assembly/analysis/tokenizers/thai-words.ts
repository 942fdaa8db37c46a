// Words in a run of Thai letters: reimplements the algorithm of ICU's Thai break engine (ICU User Guide, Boundary Analysis, "Details about
// Dictionary-Based Break Iteration"; icu4c/source/common/dictbe.cpp). At each position it takes the longest dictionary word that is followed by two
// more words. A word of less than three letters absorbs letters that start no word, up to a position where a word may start and does.
//   trie ├─ entry u32 × n ─┤   the entry at (start of the parent's children + letter): letter (bits 0..6), 128 if a word ends here, start of its
//                              own children << 8 (0 if none); the root's children start at 1. Written by src/analysis/tokenizers/thai-trie.ts.
// A run is UTF-8, three bytes per letter, and contains only U+0E01..0E3A and 0E40..0E4E. Letters are offsets from U+0E00. Time is linear: the cost of
// a letter is bounded by the longest words of the dictionary.

const LETTER: u32 = 0x7f;
const WORD: u32 = 0x80;
const ROOT: u32 = 1;
const LETTER_BYTES: usize = 3;

const MAI_HAN_AKAT: u32 = 0x31;
const PAIYANNOI: u32 = 0x2f;
const MAIYAMOK: u32 = 0x46;
/** Words of this length stand alone. Text that shares this many letters with a dictionary word, plus one, is not a leftover. */
const THRESHOLD: usize = 3;
/** Only the 20 shortest dictionary words at a position are considered. */
const MAX_CANDIDATES: u32 = 20;

/** Scratch memory for a cut. */
export const SCRATCH_BYTES: usize = 192;
const SECOND_ENDS: usize = 96;

/** The Thai letter at `p`, 0 if there is none. */
// @ts-ignore: decorator
@inline
export function thaiLetter(p: usize, end: usize): u32 {
  if (p + LETTER_BYTES > end || load<u8>(p) != 0xe0) return 0;
  const rest = <u32>load<u16>(p, 1);
  // B8 or B9 and a continuation byte.
  if ((rest & 0xc0fe) != 0x80b8) return 0;
  const letter = ((rest & 1) << 6) | ((rest >> 8) & 63);
  return letter - 1 < 0x3a || letter - 0x40 < 0x0f ? letter : 0;
}

/** The same, within a run. */
// @ts-ignore: decorator
@inline
function letterAt(p: usize): u32 {
  const rest = <u32>load<u16>(p, 1);
  return ((rest & 1) << 6) | ((rest >> 8) & 63);
}

// @ts-ignore: decorator
@inline
export function isMark(letter: u32): bool {
  return letter == MAI_HAN_AKAT || letter - 0x34 < 7 || letter - 0x47 < 8;
}

// @ts-ignore: decorator
@inline
function isVowelBefore(letter: u32): bool {
  return letter - 0x40 < 5;
}

// @ts-ignore: decorator
@inline
function mayBegin(letter: u32): bool {
  return letter <= 0x2e || isVowelBefore(letter);
}

// @ts-ignore: decorator
@inline
function mayEnd(letter: u32): bool {
  return letter != MAI_HAN_AKAT && !isVowelBefore(letter);
}

/** Writes the ends of the words at a position to `ends`, shortest first. Returns their number. */
function wordsAt(trie: usize, place: usize, runEnd: usize, ends: usize): u32 {
  let count: u32 = 0, at = place, from = ROOT;
  while (from && at < runEnd) {
    const letter = letterAt(at), entry = load<u32>(trie + (<usize>(from + letter) << 2));
    if ((entry & LETTER) != letter) break;
    at += LETTER_BYTES;
    if ((entry & WORD) != 0 && count != MAX_CANDIDATES) {
      store<u32>(ends + (<usize>count << 2), <u32>at);
      count++;
    }
    from = entry >> 8;
  }
  return count;
}

// @ts-ignore: decorator
@inline
function endAt(ends: usize, i: u32): usize {
  return <usize>load<u32>(ends + (<usize>i << 2));
}

/** Number of letters after which it is clear that no word starts at a position, -1 if one does. */
function lettersToRefuse(trie: usize, place: usize, runEnd: usize): i32 {
  let letters: i32 = 0, from = ROOT;
  for (let at = place; at < runEnd; at += LETTER_BYTES) {
    const letter = letterAt(at), entry = load<u32>(trie + (<usize>(from + letter) << 2));
    letters++;
    if ((entry & LETTER) != letter) break;
    if (entry & WORD) return -1;
    from = entry >> 8;
  }
  return letters;
}

/** End of the best word at a position; the position itself if no word starts there. */
function bestWord(trie: usize, place: usize, runEnd: usize, scratch: usize): usize {
  const count = wordsAt(trie, place, runEnd, scratch);
  if (!count) return place;
  let best = endAt(scratch, count - 1);
  if (count == 1 || best == runEnd) return best;
  const secondEnds = scratch + SECOND_ENDS;
  for (let i = count; i > 0; i--) {
    const first = endAt(scratch, i - 1), seconds = wordsAt(trie, first, runEnd, secondEnds);
    if (!seconds) continue;
    best = first;
    if (endAt(secondEnds, seconds - 1) == runEnd) return best;
    for (let j = seconds; j > 0; j--) if (lettersToRefuse(trie, endAt(secondEnds, j - 1), runEnd) < 0) return best;
  }
  return best;
}

/** End of the leftover that starts at a position: before the next word that starts where one may. */
function leftoverEnd(trie: usize, place: usize, runEnd: usize): usize {
  for (let at = place + LETTER_BYTES; at < runEnd; at += LETTER_BYTES) {
    if (mayEnd(letterAt(at - LETTER_BYTES)) && mayBegin(letterAt(at)) && lettersToRefuse(trie, at, runEnd) < 0) return at;
  }
  return runEnd;
}

/** End of a word including the signs of abbreviation and repetition that follow it. */
function suffixEnd(place: usize, runEnd: usize): usize {
  let at = place;
  let before = letterAt(at - LETTER_BYTES);
  if (letterAt(at) == PAIYANNOI && before != PAIYANNOI && before != MAIYAMOK) {
    at += LETTER_BYTES;
    before = PAIYANNOI;
  }
  return at < runEnd && letterAt(at) == MAIYAMOK && before != MAIYAMOK ? at + LETTER_BYTES : at;
}

/**
 * End of the next word in a run of more than four letters. Text that starts with a mark is not a word but is cut in the same way.
  * @param place    start of the word, < runEnd
 * @param scratch  SCRATCH_BYTES, 4-byte aligned
 */
export function thaiWordEnd(trie: usize, place: usize, runEnd: usize, scratch: usize): usize {
  let at = bestWord(trie, place, runEnd, scratch);
  if (at < runEnd && at - place < THRESHOLD * LETTER_BYTES) {
    const refused = lettersToRefuse(trie, at, runEnd);
    if (refused >= 0 && (at == place || refused < <i32>THRESHOLD)) at = leftoverEnd(trie, at, runEnd);
  }
  while (at < runEnd && isMark(letterAt(at))) at += LETTER_BYTES;
  if (at < runEnd) {
    const letter = letterAt(at);
    if ((letter == PAIYANNOI || letter == MAIYAMOK) && lettersToRefuse(trie, at, runEnd) >= 0) at = suffixEnd(at, runEnd);
  }
  return at;
}
