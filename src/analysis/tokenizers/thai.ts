// Thai words by the platform's dictionary (Intl.Segmenter), which finds about nine words in ten as the recorded server does.
import { isDigit, isLetter } from '../characters.ts';
import type { Tokenizer } from '../component.ts';
import { makeToken, type Token } from '../token-stream.ts';

let segmenter: Intl.Segmenter | null = null;

/** A word is a segment that begins with a letter or digit. */
export const THAI_TOKENIZER: Tokenizer = {
  kind: 'host',
  tokenize(text) {
    segmenter ??= new Intl.Segmenter('th', { granularity: 'word' });
    const tokens: Token[] = [];
    for (const { segment, index } of segmenter.segment(text)) {
      const cp = segment.codePointAt(0)!;
      if (isLetter(cp) || isDigit(cp)) tokens.push(makeToken(segment, index, index + segment.length));
    }
    return { tokens, endOffset: text.length, endPosInc: 0 };
  },
};
