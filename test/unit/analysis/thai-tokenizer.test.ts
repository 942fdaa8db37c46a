// Words by the rules of Java's BreakIterator around those that the dictionary cuts.
import { expect, test } from 'vitest';
import { loadAnalyzer } from '../../../src/analyzer-node.ts';

const analysis = await loadAnalyzer({ settings: { analysis: { analyzer: { words: { type: 'custom', tokenizer: 'thai' } } } } });

test.each([
  ['a currency sign before a number makes it no word', '฿100 $5 5', ['5']],
  ['signs of repetition and abbreviation alone', '100 ๆฯ', ['100', 'ๆฯ']],
  ['Latin between Thai', 'การabcที่ การ-abcที่', ['การ', 'abc', 'ที่', 'การ', 'abc', 'ที่']],
  ['a soft hyphen joins inside a word alone', 'a\u00adb ひ\u00ad', ['a\u00adb', 'ひ']],
  ['the virama of Chakma ends a word', '\u{11107}\u{11134}\u{11107}\u{11127}', ['\u{11107}', '\u{11107}\u{11127}']],
  ['marks of kana are no letters of a word', 'b\u3099ñ', ['b', 'ñ']],
])('%s', (_, text, expected) => {
  expect(analysis.analyze(text, 'words').map(({ term }) => term)).toEqual(expected);
});

test('the analyzer lower-cases, converts digits to ASCII and removes stop words', () => {
  const tokens = analysis.analyze('การทดลอง ABC ๑๒', 'thai');
  expect(tokens.map(({ term, startOffset, endOffset, position }) => [term, startOffset, endOffset, position])).toEqual([
    ['ทดลอง', 3, 8, 1],
    ['abc', 9, 12, 2],
    ['12', 13, 15, 3],
  ]);
});
