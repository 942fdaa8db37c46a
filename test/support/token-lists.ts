// Random token lists for tests of filters.
import type { Token } from '../../src/analysis/tokens/token-stream.ts';
import type { PlainToken } from '../reference/token-filters.ts';
import type { Rng } from './rng.ts';

export function tokensOf(tokens: readonly PlainToken[]): Token[] {
  return tokens.map((token) => ({ ...token, termFreq: 1, payload: null, stopOffset: -1, stopPosInc: 0 }));
}

export function plainOf({ termFreq: _, payload: __, stopOffset: ___, stopPosInc: ____, ...token }: Token): PlainToken {
  return token;
}

/** Words in sequence, some stacked, some after holes, some keywords; occasionally more than a batch. */
export function randomWords(rng: Rng, words: readonly string[], longest = rng.pick([3, 30, 1300])): PlainToken[] {
  let offset = 0;
  return Array.from({ length: rng.int(0, longest) }, (_, i) => {
    const term = rng.pick(words);
    const posInc = i === 0 ? rng.pick([1, 1, 2]) : rng.pick([0, 1, 1, 1, 1, 2, 5]);
    if (posInc) offset += rng.int(0, 2);
    const token = { term, startOffset: offset, endOffset: offset + term.length, posInc, posLen: 1, type: 'word', keyword: rng.bool(0.1) };
    if (posInc) offset += term.length;
    return token;
  });
}

/** A token graph: every node is reached by a token or follows a hole; paths of several lengths overlap. */
export function randomGraph(rng: Rng, words: readonly string[]): PlainToken[] {
  return randomWords(rng, words, rng.pick([3, 40, 900])).map((token) => ({ ...token, posLen: rng.pick([1, 1, 1, 2, 3, 6]) }));
}
