// Packed table of a dictionary's words and entries: a hundred thousand words take a few megabytes instead of tens in objects.
//   units ├─ UTF-16 units of word 0 ─┬─ of word 1 ─┬─ ··· ─┤   word w is [starts[w], starts[w + 1])
//   slots ├─ word + 1, 0 empty ─┤ × a power of two, by hash, linear probing
//   firsts[w] .. firsts[w + 1]: entries of a word, two numbers each: indices of its flags and its stem among the distinct ones
import type { Flags } from './affix-file.ts';

export interface Entry {
  readonly flags: Flags;
  /** Stem that `st:` defines instead of the word. */
  readonly stem: string | null;
}

/** Numbers distinct values, from 0. */
class Numbers<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<T, number>();

  of(value: T): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.values.push(value) - 1;
      this.#numbers.set(value, number);
    }
    return number;
  }
}

const NOTHING: readonly Entry[] = [];

export class WordTable {
  readonly #units: Uint16Array;
  readonly #starts: Uint32Array;
  readonly #firsts: Uint32Array;
  readonly #entries: Uint32Array;
  readonly #slots: Uint32Array;
  readonly #flags: readonly Flags[];
  readonly #stems: readonly (string | null)[];

  /** @param entriesOf returns the entries of a word in order; called once per word */
  constructor(words: readonly string[], entriesOf: (word: string) => readonly Entry[]) {
    this.#units = new Uint16Array(words.reduce((sum, word) => sum + word.length, 0));
    this.#starts = new Uint32Array(words.length + 1);
    this.#firsts = new Uint32Array(words.length + 1);
    let size = 8;
    while (size < words.length * 2) size *= 2;
    this.#slots = new Uint32Array(size);
    const entries: number[] = [];
    const flags = new Numbers<Flags>();
    const stems = new Numbers<string | null>();
    let at = 0;
    words.forEach((word, number) => {
      for (let i = 0; i < word.length; i++) this.#units[at++] = word.charCodeAt(i);
      this.#starts[number + 1] = at;
      for (const entry of entriesOf(word)) entries.push(flags.of(entry.flags), stems.of(entry.stem));
      this.#firsts[number + 1] = entries.length;
      let slot = hash(word) & (size - 1);
      while (this.#slots[slot]) slot = (slot + 1) & (size - 1);
      this.#slots[slot] = number + 1;
    });
    this.#entries = Uint32Array.from(entries);
    this.#flags = flags.values;
    this.#stems = stems.values;
  }

  /** Entries of a word; empty if it is unknown. */
  lookup(word: string): readonly Entry[] {
    const mask = this.#slots.length - 1;
    for (let slot = hash(word) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot];
      if (!number) return NOTHING;
      if (this.#isWord(number - 1, word)) return this.#entriesAt(number - 1);
    }
  }

  #isWord(number: number, word: string): boolean {
    const start = this.#starts[number];
    if (this.#starts[number + 1] - start !== word.length) return false;
    for (let i = 0; i < word.length; i++) if (this.#units[start + i] !== word.charCodeAt(i)) return false;
    return true;
  }

  #entriesAt(number: number): Entry[] {
    const out: Entry[] = [];
    for (let i = this.#firsts[number]; i < this.#firsts[number + 1]; i += 2) {
      out.push({ flags: this.#flags[this.#entries[i]], stem: this.#stems[this.#entries[i + 1]] });
    }
    return out;
  }
}

function hash(word: string): number {
  let hash = word.length;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}
