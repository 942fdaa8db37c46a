// Terms within a number of edits of a word, and the similarity by which Lucene's FuzzyQuery boosts them.
import type { TermFilter } from '../../plan/segment.ts';
import type { Bytes } from '../index-query/term.ts';

const decoder = new TextDecoder();

/** The code points of a term in UTF-8. */
function codePoints(bytes: Bytes, into: number[]): number {
  let isAscii = true;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] > 0x7f) {
      isAscii = false;
      break;
    }
    into[i] = bytes[i];
  }
  if (isAscii) return bytes.length;
  let count = 0;
  for (const char of decoder.decode(bytes)) into[count++] = char.codePointAt(0) ?? 0;
  return count;
}

export interface FuzzyMatcher {
  /** The prefix that a term must share with the word. */
  readonly prefix: string;
  readonly matches: TermFilter;
  /** 1 for the word itself, otherwise 1 - edits / length of the shorter one, as float32. Defined for matching terms only. */
  boostOf(term: Bytes): number;
}

/**
 * Edits are insertions, deletions, substitutions and, with `transpositions`, swaps of adjacent code points (each in one edit at most).
 * The first `prefixLength` code points must be equal.
 */
export function fuzzyMatcher(word: string, maxEdits: number, prefixLength: number, transpositions: boolean): FuzzyMatcher {
  const target = Array.from(word, (char) => char.codePointAt(0) ?? 0);
  const fixed = Math.min(prefixLength, target.length);
  const prefix = target
    .slice(0, fixed)
    .map((cp) => String.fromCodePoint(cp))
    .join('');
  const scratch: number[] = [];
  const rows = [0, 1, 2].map(() => new Int32Array(target.length - fixed + 1));

  const distance = (term: Bytes): number => {
    // A code point has up to four bytes, so the number of bytes only bounds the length from above.
    if (term.length < target.length - maxEdits) return maxEdits + 1;
    const length = codePoints(term, scratch);
    if (Math.abs(length - target.length) > maxEdits || length < fixed) return maxEdits + 1;
    for (let i = 0; i < fixed; i++) if (scratch[i] !== target[i]) return maxEdits + 1;
    return bounded(scratch, length);
  };

  const bounded = (term: readonly number[], length: number): number => {
    const width = target.length - fixed;
    let [previous2, previous, row] = rows;
    for (let j = 0; j <= width; j++) previous[j] = j;
    for (let i = 1; i <= length - fixed; i++) {
      const char = term[fixed + i - 1];
      row[0] = i;
      let best = i;
      for (let j = 1; j <= width; j++) {
        const other = target[fixed + j - 1];
        let cost = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (char === other ? 0 : 1));
        if (transpositions && i > 1 && j > 1 && char === target[fixed + j - 2] && term[fixed + i - 2] === other) {
          cost = Math.min(cost, previous2[j - 2] + 1);
        }
        row[j] = cost;
        if (cost < best) best = cost;
      }
      if (best > maxEdits) return maxEdits + 1;
      [previous2, previous, row] = [previous, row, previous2];
    }
    return previous[width];
  };

  return {
    prefix,
    matches: Object.assign((term: Bytes) => distance(term) <= maxEdits, { near: { word: Uint32Array.from(target), maxEdits } }),
    boostOf: (term) => {
      const edits = distance(term);
      if (edits === 0) return 1;
      const shorter = Math.min(codePoints(term, scratch), target.length);
      return Math.fround(1 - Math.fround(edits / shorter));
    },
  };
}
