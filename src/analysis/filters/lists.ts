// Filters over whole token lists that are variants of kernel filters.
import type { TokenFilter } from '../component.ts';
import { STAGE } from '../stage-ids.ts';
import type { Token } from '../token-stream.ts';
import { lowerCodePoints } from '../word-lists.ts';

/** A filter on the host from a function over the tokens; holes that removed tokens leave are the function's business. */
export function listFilter(apply: (tokens: Token[]) => Token[]): TokenFilter {
  return { kind: 'host', apply: (stream) => ({ ...stream, tokens: apply(stream.tokens) }) };
}

/** A filter that sets or heeds the mark of keywords. */
export function withKeywordMark(filter: TokenFilter): TokenFilter {
  return filter.kind === 'host' ? { ...filter, usesKeywordMark: true } : filter;
}

/** Keeps the tokens that pass and hands the increments of the others on. */
export function selectFilter(keep: (token: Token, index: number, tokens: readonly Token[], endOffset: number) => boolean): TokenFilter {
  return {
    kind: 'host',
    apply(stream) {
      let carry = 0;
      const tokens: Token[] = [];
      stream.tokens.forEach((token, i) => {
        if (keep(token, i, stream.tokens, stream.endOffset)) {
          tokens.push({ ...token, posInc: token.posInc + carry, stopPosInc: token.stopPosInc + carry });
          carry = 0;
        } else carry += token.posInc;
      });
      return { ...stream, tokens, endPosInc: stream.endPosInc + carry };
    },
  };
}

/** Stop filter that leaves a last word alone when the text ends with it, since it may be the beginning of another. */
export function suggestStop(stop: Iterable<string>, ignoreCase: boolean): TokenFilter {
  const set = new Set(ignoreCase ? [...stop].map(lowerCodePoints) : stop);
  const isStop = (token: Token): boolean => set.has(ignoreCase ? lowerCodePoints(token.term) : token.term);
  const filter = selectFilter((token, i, tokens, endOffset) => {
    if (!isStop(token)) return true;
    const last = i === tokens.length - 1;
    if (last && token.endOffset === endOffset) {
      token.keyword = true;
      return true;
    }
    return false;
  });
  return withKeywordMark(filter);
}

const FOLD: readonly TokenFilter[] = [{ kind: 'kernel', stages: [{ id: STAGE.FOLDING, config: new Uint8Array(0) }] }];

/** ASCII folding that keeps the term as it was beside the folded one. */
export function preserveOriginalFolding(): TokenFilter {
  return {
    kind: 'host',
    apply(stream, env) {
      const folded = env.run(FOLD, stream).tokens;
      const tokens: Token[] = [];
      folded.forEach((token, i) => {
        const original = stream.tokens[i];
        tokens.push({ ...original, term: token.term });
        if (token.term !== original.term) tokens.push({ ...original, posInc: 0 });
      });
      return { ...stream, tokens };
    },
  };
}
