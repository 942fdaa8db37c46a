// Paths: every ancestor of a path is a token, from the front or, reversed, from the back.
import { illegalArgument } from '../../errors/catalog.ts';
import type { ComponentEntry, Tokenizer, TokenizerFactory } from '../component.ts';
import { checkTokenCount, makeToken, type Token } from '../token-stream.ts';
import { tokenizerEntry } from './simple.ts';

function forwardTokenizer(delimiter: string, replacement: string, skip: number): Tokenizer {
  return {
    kind: 'host',
    tokenize(text) {
      // A first delimiter belongs to the first part, so parts are cut at delimiters behind the first character.
      const cuts: number[] = [];
      for (let at = 1; at < text.length; at++) if (text[at] === delimiter) cuts.push(at);
      cuts.push(text.length);
      checkTokenCount(cuts.length);
      const start = skip === 0 ? 0 : (cuts[skip - 1] ?? text.length);
      const shown = text.replaceAll(delimiter, () => replacement);
      const tokens: Token[] = [];
      // The delimiter behind a token has been read when it is handed out.
      for (const end of cuts.slice(skip)) {
        if (text.length > 0) tokens.push({ ...makeToken(shown.slice(start, end), start, end), stopOffset: Math.min(end + 1, text.length) });
      }
      return { tokens, endOffset: text.length, endPosInc: 0 };
    },
  };
}

function reverseTokenizer(delimiter: string, replacement: string, skip: number): Tokenizer {
  return {
    kind: 'host',
    tokenize(text) {
      const bounds = [0];
      for (let at = 0; at < text.length; at++) if (text[at] === delimiter) bounds.push(at + 1);
      if (bounds[bounds.length - 1] < text.length) bounds.push(text.length);
      checkTokenCount(bounds.length);
      const end = bounds[bounds.length - 1 - skip] ?? 0;
      const shown = text.replaceAll(delimiter, () => replacement);
      const tokens = bounds.slice(0, Math.max(0, bounds.length - skip - 1)).map((start) => makeToken(shown.slice(start, end), start, end));
      return { tokens, endOffset: text.length, endPosInc: 0 };
    },
  };
}

export const PATH_TOKENIZERS: readonly ComponentEntry<TokenizerFactory>[] = [
  tokenizerEntry(
    'path_hierarchy',
    ['delimiter: char = /', 'replacement: char', 'skip: int = 0', 'reverse: bool = false', 'buffer_size: int = 1024'],
    ({ settings }) => {
      const oneChar = (key: string, fallback: string): string => {
        const value = settings.get(key);
        if (value === undefined) return fallback;
        if (value.length !== 1) throw illegalArgument(`${key} must be a one char value`);
        return value;
      };
      const delimiter = oneChar('delimiter', '/');
      const replacement = oneChar('replacement', delimiter);
      const skip = settings.int('skip', 0);
      const bufferSize = settings.int('buffer_size', 1024);
      const reverse = settings.bool('reverse', false);
      return () => {
        if (bufferSize < 0) throw illegalArgument('bufferSize cannot be negative');
        if (skip < 0) throw illegalArgument('skip cannot be negative');
        return (reverse ? reverseTokenizer : forwardTokenizer)(delimiter, replacement, skip);
      };
    },
  ),
];
