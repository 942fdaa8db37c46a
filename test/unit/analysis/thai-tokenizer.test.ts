// Words by the rules of Java's BreakIterator around what the dictionary cuts.
import { expect, test } from 'vitest';
import { THAI_TOKENIZER } from '../../../src/analysis/tokenizers/thai.ts';

function words(text: string): string[] {
  return THAI_TOKENIZER.kind === 'host' ? THAI_TOKENIZER.tokenize(text).tokens.map(({ term }) => term) : [];
}

test.each([
  ['a currency sign before a number makes it no word', '฿100 $5 5', ['5']],
  ['signs of repetition and abbreviation alone', '100 ๆฯ', ['100', 'ๆฯ']],
  ['Latin between Thai', 'การabcที่ การ-abcที่', ['การ', 'abc', 'ที่', 'การ', 'abc', 'ที่']],
  ['a soft hyphen joins inside a word alone', 'a\u00adb ひ\u00ad', ['a\u00adb', 'ひ']],
  ['the virama of Chakma ends a word', '\u{11107}\u{11134}\u{11107}\u{11127}', ['\u{11107}', '\u{11107}\u{11127}']],
  ['marks of kana are no letters of a word', 'b\u3099ñ', ['b', 'ñ']],
])('%s', (_, text, expected) => {
  expect(words(text)).toEqual(expected);
});
