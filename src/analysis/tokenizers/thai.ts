// Words as Java's BreakIterator finds them for Thai: runs by rules, and runs of Thai letters by a dictionary. The dictionary is the platform's
// (Intl.Segmenter), which finds about nine words in ten as the recorded server does. Source of the rules: the documentation of
// java.text.BreakIterator's word instance, checked against the recorded answers.
import { isDigit, isLetter } from '../characters.ts';
import type { Tokenizer } from '../component.ts';
import { LongestMatcher } from '../regex/lucene-pattern.ts';
import { parseJavaRegex } from '../regex/parser.ts';
import { makeToken, type Token } from '../token-stream.ts';

const IGNORED = '[\\p{Mn}\\p{Me}\\p{Cf}]*';
const KANJI = `[\\u3005\\u4e00-\\u9fa5\\uf900-\\ufa2d]${IGNORED}`;
const KATAKANA = '\\u30a1-\\u30fa';
const HIRAGANA = '\\u3041-\\u3094';
const KANA_MARKS = '\\u3099-\\u309c';
const NO_LETTER = `[^\\u3005\\u4e00-\\u9fa5\\uf900-\\ufa2d${KATAKANA}${HIRAGANA}${KANA_MARKS}]`;
const LETTER = `[[\\p{L}\\p{Mc}\\u0e30-\\u0e3a\\u0e47-\\u0e4e]&&${NO_LETTER}]${IGNORED}`;
const NUMBER_CHAR = `\\p{N}${IGNORED}`;
const MID_WORD = `[\\p{Pd}\\u00ad\\u2027"'.]${IGNORED}`;
const MID_NUMBER = `["',\\u066b.]${IGNORED}`;
const WORD = `(?:(?:${LETTER})+(?:${MID_WORD}(?:${LETTER})+)*(?:[\\u0964\\u0965]${IGNORED})?)`;
const NUMBER = `(?:(?:${NUMBER_CHAR})+(?:${MID_NUMBER}(?:${NUMBER_CHAR})+)*)`;
const TAIL = `(?:${NUMBER}${WORD})*(?:${NUMBER}(?:[\\u00a2%\\u066a\\u2030\\u2031&]${IGNORED})?)?`;
const PREFIX = `[[\\p{Sc}#.]&&[^\\u00a2]]${IGNORED}`;
const RUNS = [
  `${WORD}?${TAIL}`,
  `${PREFIX}${TAIL}`,
  `[${KATAKANA}]${IGNORED}(?:[${KATAKANA}${KANA_MARKS}]${IGNORED})*`,
  `(?:[${HIRAGANA}${KANA_MARKS}]${IGNORED})+`,
  `(?:${KANJI})+`,
  `[\\x{0}-\\x{10ffff}]${IGNORED}`,
].join('|');
/** Runs of Thai letters and of others. */
const THAI_RUNS = /[\u0e01-\u0e3a\u0e40-\u0e4e]+|[^\u0e01-\u0e3a\u0e40-\u0e4e]+/g;

let matcher: LongestMatcher | null = null;
let segmenter: Intl.Segmenter | null = null;

/** A word is a run that begins with a letter or digit. */
export const THAI_TOKENIZER: Tokenizer = {
  kind: 'host',
  tokenize(text) {
    matcher ??= new LongestMatcher(parseJavaRegex(`${IGNORED}(?:${RUNS})`, 0).node, 'thai');
    const runEnd = matcher.start(text);
    const tokens: Token[] = [];
    const add = (word: string, at: number): void => {
      const cp = word.codePointAt(0)!;
      if (isLetter(cp) || isDigit(cp)) tokens.push(makeToken(word, at, at + word.length));
    };
    for (let at = 0; at < text.length; ) {
      const end = Math.max(runEnd(at), at + 1);
      const run = text.slice(at, end);
      for (const { 0: part, index } of run.matchAll(THAI_RUNS)) {
        if (part.charCodeAt(0) < 0xe01 || part.charCodeAt(0) > 0xe4e) {
          add(part, at + index);
          continue;
        }
        segmenter ??= new Intl.Segmenter('th', { granularity: 'word' });
        for (const word of segmenter.segment(part)) add(word.segment, at + index + word.index);
      }
      at = end;
    }
    return { tokens, endOffset: text.length, endPosInc: 0 };
  },
};
