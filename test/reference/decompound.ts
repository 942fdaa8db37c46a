// Words inside words, slow and obvious: every slice is looked up.
import type { PlainToken } from './token-filters.ts';

export interface Options {
  minWord: number;
  minPart: number;
  maxPart: number;
  onlyLongest: boolean;
}

function dictionaryParts(term: string, { minPart, maxPart, onlyLongest }: Options, has: (part: string) => boolean): string[] {
  const out: string[] = [];
  for (let at = 0; at <= term.length - minPart; at++) {
    const found: string[] = [];
    for (let size = minPart; size <= maxPart && at + size <= term.length; size++) {
      const part = term.slice(at, at + size);
      if (has(part)) found.push(part);
    }
    if (onlyLongest && found.length) {
      // Characters of a longest part belong to no other part.
      out.push(found[found.length - 1]);
      at += found[found.length - 1].length - 1;
    } else out.push(...found);
  }
  return out;
}

/** The word, and its parts at the same position with its offsets. */
export function decompounded(tokens: readonly PlainToken[], options: Options, list: ReadonlySet<string>): PlainToken[] {
  return tokens.flatMap((token) => {
    const parts = token.term.length < options.minWord ? [] : dictionaryParts(token.term, options, (part) => list.has(part));
    return [token, ...parts.map((term) => ({ ...token, term, posInc: 0 }))];
  });
}
