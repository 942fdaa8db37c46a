// Words in a run of Thai letters: the algorithm of ICU's Thai break engine (ICU User Guide, Boundary Analysis, "Details about Dictionary-Based
// Break Iteration"; icu4c/source/common/dictbe.cpp), written anew. At each place the longest dictionary word is taken that lets two more words
// follow. A word under three letters takes what no word begins into it, up to a place where a word may begin and one does.
import { thaiDictionary } from '../generated/thai-dictionary.ts';

/** Letters count from U+0E00: 0 is none. */
const BASE = 0x0e00;
const PAIYANNOI = 0x2f;
const MAIYAMOK = 0x46;
/** A run up to this long is one word. */
const ONE_WORD = 4;
/** A word from here on stands alone; what shares this much with a dictionary word, a letter past the last shared one counted, is no leftover. */
const THRESHOLD = 3;
/** Of the dictionary words at a place the 20 shortest count. */
const MAX_CANDIDATES = 20;

const MARK = 1;
const BEGINS = 2;
const ENDS = 4;
/** What each letter may be: a mark, the first of a word, the last of one. */
const KINDS = new Uint8Array(128);
for (let c = 1; c < 0x4f; c++) {
  if (c === 0x31 || (c >= 0x34 && c <= 0x3a) || (c >= 0x47 && c <= 0x4e)) KINDS[c] |= MARK;
  if (c <= 0x2e || (c >= 0x40 && c <= 0x44)) KINDS[c] |= BEGINS;
  if (c !== 0x31 && !(c >= 0x40 && c <= 0x44)) KINDS[c] |= ENDS;
}

/**
 * A trie in one array: the entry at (where its parent's children begin + letter) holds that letter (7 bits), whether a word ends here (1 bit), and
 * where its own children begin (24 bits; 0 without any). No two nodes' children begin at one place, so the letter alone tells whose child it is.
 */
const LETTER = 0x7f;
const WORD = 0x80;
let trie: Uint32Array | null = null;
/** Where the children of the root begin. */
const ROOT = 1;

/** Steps of a search for room after which the next ones begin higher: little is free below. */
const LONG_SEARCH = 32;

/** The words of the front-coded list, in order. */
function dictionaryWords(): string[] {
  const words: string[] = [];
  let word = '';
  for (const [, shared, rest] of thaiDictionary().matchAll(/([A-Z])([^A-Z]*)/g)) {
    word = word.slice(0, shared.charCodeAt(0) - 65) + rest;
    words.push(word);
  }
  return words;
}

function dictionaryTrie(): Uint32Array {
  const words = dictionaryWords();
  let entries = new Uint32Array(1 << 17);
  let taken = new Uint8Array(entries.length);
  let low = ROOT;
  /** Where children with these letters have room. */
  const room = (letters: readonly number[]): number => {
    for (let from = low; ; from++) {
      if (from + LETTER >= entries.length) {
        const [larger, more] = [new Uint32Array(entries.length * 2), new Uint8Array(entries.length * 2)];
        larger.set(entries);
        more.set(taken);
        entries = larger;
        taken = more;
      }
      let i = taken[from] ? -1 : 0;
      while (i >= 0 && i < letters.length) i = entries[from + letters[i]] ? -1 : i + 1;
      if (i < 0) continue;
      if (from - low > LONG_SEARCH) low = from - LONG_SEARCH;
      taken[from] = 1;
      return from;
    }
  };
  /** Places what follows the first `depth` letters that words[first, end) share, and tells where. */
  const place = (first: number, end: number, depth: number): number => {
    const letters: number[] = [];
    const starts: number[] = [];
    for (let i = words[first].length === depth ? first + 1 : first; i < end; i++) {
      const letter = words[i].charCodeAt(depth) - BASE;
      if (letter === letters[letters.length - 1]) continue;
      letters.push(letter);
      starts.push(i);
    }
    if (letters.length === 0) return 0;
    const from = room(letters);
    for (let k = 0; k < letters.length; k++) entries[from + letters[k]] = letters[k] | (words[starts[k]].length === depth + 1 ? WORD : 0);
    for (let k = 0; k < letters.length; k++) {
      const children = place(starts[k], starts[k + 1] ?? end, depth + 1);
      entries[from + letters[k]] |= children << 8;
    }
    return from;
  };
  place(0, words.length, 0);
  return entries;
}

/** The run that is being cut, as letters, with a 0 behind them. */
let run = new Uint8Array(256);
let runEnd = 0;
/** Ends of the words that begin at the place in question and at the one after it, shortest first. */
const firstEnds = new Uint32Array(MAX_CANDIDATES);
const secondEnds = new Uint32Array(MAX_CANDIDATES);

/** Fills `ends` with where the words end that begin at a place, and tells how many. */
function wordsAt(entries: Uint32Array, place: number, ends: Uint32Array): number {
  let count = 0;
  let at = place;
  for (let from = ROOT; from; ) {
    const letter = run[at];
    const entry = entries[from + letter];
    if (letter === 0 || (entry & LETTER) !== letter) break;
    at++;
    if (entry & WORD && count < MAX_CANDIDATES) ends[count++] = at;
    from = entry >>> 8;
  }
  return count;
}

/** How many letters it takes to tell that no word begins at a place, -1 if one does. */
function lettersToRefuse(entries: Uint32Array, place: number): number {
  let at = place;
  for (let from = ROOT; at < runEnd; ) {
    const letter = run[at++];
    const entry = entries[from + letter];
    if ((entry & LETTER) !== letter) break;
    if (entry & WORD) return -1;
    from = entry >>> 8;
  }
  return at - place;
}

/** Where the best word from a place on ends; the place itself if no word begins there. */
function bestWord(entries: Uint32Array, place: number): number {
  const count = wordsAt(entries, place, firstEnds);
  if (count === 0) return place;
  let best = firstEnds[count - 1];
  if (count === 1 || best === runEnd) return best;
  for (let i = count - 1; i >= 0; i--) {
    const seconds = wordsAt(entries, firstEnds[i], secondEnds);
    if (seconds === 0) continue;
    best = firstEnds[i];
    if (secondEnds[seconds - 1] === runEnd) return best;
    for (let j = seconds - 1; j >= 0; j--) if (lettersToRefuse(entries, secondEnds[j]) < 0) return best;
  }
  return best;
}

/** Where a leftover that begins at a place ends: before the next word that begins where one may. */
function leftoverEnd(entries: Uint32Array, place: number): number {
  for (let at = place + 1; at < runEnd; at++) {
    if (KINDS[run[at - 1]] & ENDS && KINDS[run[at]] & BEGINS && lettersToRefuse(entries, at) < 0) return at;
  }
  return runEnd;
}

/** The end of a word with the signs of abbreviation and repetition that follow it. */
function suffixEnd(place: number): number {
  let at = place;
  if (run[at] === PAIYANNOI && run[at - 1] !== PAIYANNOI && run[at - 1] !== MAIYAMOK) at++;
  if (run[at] === MAIYAMOK && run[at - 1] !== MAIYAMOK) at++;
  return at;
}

/** The run as letters: text[start, end), with a 0 behind them. */
function readRun(text: string, start: number, end: number): void {
  runEnd = end - start;
  if (run.length <= runEnd) run = new Uint8Array(runEnd * 2);
  for (let i = 0; i < runEnd; i++) run[i] = text.charCodeAt(start + i) - BASE;
  run[runEnd] = 0;
}

/**
 * Adds the words of text[start, end), which must hold Thai letters alone (U+0E01..0E3A, 0E40..0E4E), to a list: where each begins and ends, in
 * order. What begins with a mark is no word. Time is linear: a letter costs what the longest words of the dictionary cost at most.
 */
export function addThaiWords(text: string, start: number, end: number, out: number[]): void {
  readRun(text, start, end);
  let place = 0;
  while (KINDS[run[place]] & MARK) place++;
  if (runEnd - place <= ONE_WORD) {
    if (place < runEnd) out.push(start + place, end);
    return;
  }
  trie ??= dictionaryTrie();
  while (place < runEnd) {
    let at = bestWord(trie, place);
    if (at < runEnd && at - place < THRESHOLD) {
      const refused = lettersToRefuse(trie, at);
      if (refused >= 0 && (at === place || refused < THRESHOLD)) at = leftoverEnd(trie, at);
    }
    while (KINDS[run[at]] & MARK) at++;
    if ((run[at] === PAIYANNOI || run[at] === MAIYAMOK) && lettersToRefuse(trie, at) >= 0) at = suffixEnd(at);
    if (!(KINDS[run[place]] & MARK)) out.push(start + place, start + at);
    place = at;
  }
}
