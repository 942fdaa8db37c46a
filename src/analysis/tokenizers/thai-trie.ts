// ICU's Thai dictionary as a trie in one array; assembly/analysis/tokenizers/thai-words.ts has the layout.
import { thaiDictionary } from '../languages/words.ts';

/** Letters are offsets from U+0E00; 0 means none. */
const BASE = 0x0e00;
const LETTER = 0x7f;
const WORD = 0x80;
/** Where the children of the root begin. */
const ROOT = 1;

/** After a search of this many steps, later searches start higher, since there is little room below. */
const LONG_SEARCH = 32;

/** Decodes the front-coded list, in order: an upper-case letter for the length shared with the word before, then the remaining letters. */
function dictionaryWords(): string[] {
  const list = thaiDictionary();
  const words: string[] = [];
  let word = '';
  for (let at = 0, end = 0; at < list.length; at = end) {
    end = at + 1;
    while (end < list.length && list.charCodeAt(end) >= BASE) end++;
    word = word.slice(0, list.charCodeAt(at) - 65) + list.slice(at + 1, end);
    words.push(word);
  }
  return words;
}

/**
 * Builds the trie: an entry for each letter, at the letter's distance from where its parent's children start. No two nodes' children start at the same
 * index, so that the letter alone identifies its parent.
 */
export function thaiTrie(): Uint32Array {
  const words = dictionaryWords();
  let entries = new Uint32Array(1 << 17);
  let taken = new Uint8Array(entries.length);
  let low = ROOT;
  let last = ROOT;
  /** Finds an index from which children with these letters fit. */
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
      last = Math.max(last, from);
      return from;
    }
  };
  /** Places the letters after the first `depth`, which words[first, end) share. Returns the index of the children. */
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
  return entries.subarray(0, last + LETTER + 1);
}
