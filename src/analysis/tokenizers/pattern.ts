// Tokenizers that use regular expressions: pattern (Java), simple_pattern and simple_pattern_split (Lucene's automaton syntax).
import { illegalArgumentError } from '../../errors/catalog.ts';
import { compilePattern } from '../../regex/java-flags.ts';
import type { JavaPattern } from '../../regex/java-pattern.ts';
import { LucenePattern } from '../../regex/lucene-pattern.ts';
import type { ComponentEntry, Tokenizer, TokenizerFactory } from '../component.ts';
import { checkTokenCount, makeToken, type Token } from '../tokens/token-stream.ts';
import { tokenizerEntry } from './kernel-tokenizers.ts';

/** @param group the group that is the token; -1 splits the text at matches */
export function patternTokenizer(pattern: JavaPattern, group: number): Tokenizer {
  return {
    kind: 'host',
    tokenize(text) {
      const tokens: Token[] = [];
      const add = (start: number, end: number): void => {
        if (end > start) tokens.push(makeToken(text.slice(start, end), start, end));
        checkTokenCount(tokens.length);
      };
      const matcher = pattern.matcher(text);
      let last = 0;
      while (matcher.find()) {
        if (group >= 0) add(matcher.groups[group * 2], matcher.groups[group * 2 + 1]);
        else {
          add(last, matcher.start);
          last = matcher.end;
        }
      }
      if (group < 0) add(last, text.length);
      return { tokens, endOffset: text.length, endPosInc: 0 };
    },
  };
}

/** Tokens are the longest matches, or the text between them if `split` is true. */
function simplePatternTokenizer(pattern: LucenePattern, split: boolean): Tokenizer {
  return {
    kind: 'host',
    tokenize(text) {
      const tokens: Token[] = [];
      let last = 0;
      let at = 0;
      const run = pattern.start(text);
      while (at < text.length) {
        const end = run(at);
        if (end <= at) {
          at += pattern.read(text, at).width;
          continue;
        }
        const [from, to] = split ? [last, at] : [at, end];
        // Lucene has read the token and the separator when it emits the token.
        if (to > from) tokens.push({ ...makeToken(text.slice(from, to), from, to), stopOffset: end });
        last = at = end;
        checkTokenCount(tokens.length);
      }
      if (split && last < text.length) tokens.push(makeToken(text.slice(last), last, text.length));
      return { tokens, endOffset: text.length, endPosInc: 0 };
    },
  };
}

export const PATTERN_TOKENIZERS: readonly ComponentEntry<TokenizerFactory>[] = [
  tokenizerEntry('pattern', ['pattern: string = \\W+', 'flags: string', 'group: int = -1'], ({ settings }) => {
    const group = settings.int('group', -1);
    const source = settings.get('pattern', '\\W+');
    const pattern = compilePattern(source, settings.get('flags'));
    return () => {
      if (group >= 0 && group > pattern.groupCount) {
        throw illegalArgumentError(`invalid group specified: pattern only has: ${pattern.groupCount} capturing groups`);
      }
      return patternTokenizer(pattern, group);
    };
  }),
  tokenizerEntry('simple_pattern', ['pattern: string'], ({ settings }) => {
    const pattern = new LucenePattern(settings.get('pattern', ''));
    return simplePatternTokenizer(pattern, false);
  }),
  tokenizerEntry('simple_pattern_split', ['pattern: string'], ({ settings }) => {
    const pattern = new LucenePattern(settings.get('pattern', ''));
    return simplePatternTokenizer(pattern, true);
  }),
];
