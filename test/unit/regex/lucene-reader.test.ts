import { expect, test } from 'vitest';
import { REGEXP_ALL } from '../../../src/common/text/regexp-flags.ts';
import { regexpMatcher } from '../../../src/regex/lucene-automaton.ts';
import { LucenePattern } from '../../../src/regex/lucene-pattern.ts';

const matchesWhole = (pattern: string, text: string): boolean =>
  regexpMatcher(pattern, REGEXP_ALL, false, 10_000).matches(new TextEncoder().encode(text));
const longestAtStart = (pattern: string, text: string): number => new LucenePattern(pattern).start(text)(0);

test.each([
  ['[a-c]+', 'abc', true],
  ['[^a-c]', 'b', false],
  ['[\\d_]+', '1_2', true],
  ['\\s', '\t', true],
  ['\\s', '\v', false],
  ['"a.b"', 'a.b', true],
  ['"a.b"', 'axb', false],
  ['<8-11>', '10', true],
  ['<8-11>', '12', false],
  ['a{2,3}', 'aaa', true],
  ['\u{1f600}+', '\u{1f600}\u{1f600}', true],
])('both engines read %s alike on %s', (pattern, text, isMatch) => {
  expect(matchesWhole(pattern, text)).toBe(isMatch);
  expect(longestAtStart(pattern, text) === text.length).toBe(isMatch);
});

test.each([
  ['[a', "expected ']' at position 2"],
  ['[b-a]', 'invalid range: from (98) cannot be > to (97)'],
  ['"a', "expected '\"' at position 2"],
  ['a{2,1}', 'invalid repetition range(out of order): 2..1'],
  ['<1>', "'1' not found"],
  [`${'('.repeat(300)}a${')'.repeat(300)}`, 'nested deeper than 200'],
])('both engines refuse %s', (pattern, message) => {
  expect(() => matchesWhole(pattern, '')).toThrow(message);
  expect(() => longestAtStart(pattern, '')).toThrow(message);
});
