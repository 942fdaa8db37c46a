// Term patterns against simple versions: JavaScript's regular expressions, a full edit distance table.
import { expect, test } from 'vitest';
import { REGEXP_ALL } from '../../../../src/common/text/regexp-flags.ts';
import { regexpMatcher } from '../../../../src/regex/lucene-automaton.ts';
import { fuzzyMatcher } from '../../../../src/search/matchers/edit-distance.ts';
import { wildcardMatcher } from '../../../../src/search/matchers/wildcard.ts';
import { forSeeds, type Rng } from '../../../support/rng.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const word = (rng: Rng, letters: string, longest: number) =>
  Array.from({ length: rng.int(0, longest) }, () => rng.pick([...letters])).join('');

test('wildcards match like the equivalent regular expression', () =>
  forSeeds(300, (rng) => {
    const pattern = word(rng, 'ab*?é', 6);
    const text = word(rng, 'abé', 8);
    const source = [...pattern].map((char) => (char === '*' ? '.*' : char === '?' ? '.' : char)).join('');
    expect(wildcardMatcher(pattern, false).matches(utf8(text)), `${pattern} on ${text}`).toBe(new RegExp(`^${source}$`, 'u').test(text));
  }));

test('wildcards support escapes and case folding and report their kind', () => {
  expect(wildcardMatcher('a\\*', false)).toMatchObject({ kind: 'literal', prefix: 'a*' });
  expect(wildcardMatcher('ab*', false)).toMatchObject({ kind: 'prefix', prefix: 'ab' });
  expect(wildcardMatcher('A*É', true).matches(utf8('abé'))).toBe(true);
});

test('regular expressions match as JavaScript does where the syntax is the same', () =>
  forSeeds(300, (rng) => {
    const atom = (): string => rng.pick(['a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(ab)']);
    const pattern = Array.from({ length: rng.int(1, 4) }, () => atom() + rng.pick(['', '', '*', '+', '?', '{1,2}'])).join('');
    const text = word(rng, 'abc', 6);
    const matcher = regexpMatcher(pattern, REGEXP_ALL, false, 10_000);
    expect(matcher.matches(utf8(text)), `${pattern} on ${text}`).toBe(new RegExp(`^(?:${pattern})$`).test(text));
    if (matcher.matches(utf8(text))) expect(text.startsWith(matcher.prefix)).toBe(true);
  }));

test('regular expressions support complement, intersection, intervals, any string and classes', () => {
  const matches = (pattern: string, text: string, flags = REGEXP_ALL) => regexpMatcher(pattern, flags, false, 10_000).matches(utf8(text));
  expect(['xa', 'xb', 'x'].map((text) => matches('x~(a)', text))).toEqual([false, true, true]);
  expect(['ab1', 'ab', '1ab'].map((text) => matches('ab.*&.*[0-9]', text))).toEqual([true, false, false]);
  expect(['9', '10', '12', '13', '012'].map((text) => matches('<10-12>', text))).toEqual([false, true, true, false, false]);
  expect(['5', '05', '150', '151', '7'].map((text) => matches('<5-150>', text))).toEqual([true, true, true, false, true]);
  expect([matches('a@', 'anything'), matches('\\d+', '42'), matches('\\w\\s', 'a '), matches('"a.b"', 'a.b')]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(matches('a&b', 'a&b', 0)).toBe(true);
  expect(regexpMatcher('moscow|KIEV', REGEXP_ALL, true, 1000).matches(utf8('Kiev'))).toBe(true);
});

test.each(['(a', 'a{2', '[a', '"a', 'a{3,2}', '<1-', '('.repeat(5000)])('bad regular expression %# is refused', (pattern) => {
  expect(() => regexpMatcher(pattern, REGEXP_ALL, false, 10_000)).toThrow();
});

test('regular expressions are limited by their number of states', () => {
  const text = Array.from({ length: 500 }, (_, i) => 'ab'[(Math.imul(i + 1, 2654435761) >>> 15) & 1]).join('');
  expect(() => regexpMatcher(`(a|b)*a${'(a|b)'.repeat(30)}`, REGEXP_ALL, false, 100).matches(utf8(text))).toThrow('more than');
});

/** Optimal string alignment distance, computed with the full table. */
function distance(a: string, b: string, transpositions: boolean): number {
  const [x, y] = [[...a], [...b]];
  const d = x.map(() => [] as number[]).concat([[]]);
  for (let i = 0; i <= x.length; i++) d[i] = [i];
  for (let j = 0; j <= y.length; j++) d[0][j] = j;
  for (let i = 1; i <= x.length; i++) {
    for (let j = 1; j <= y.length; j++) {
      d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (x[i - 1] === y[j - 1] ? 0 : 1));
      if (transpositions && i > 1 && j > 1 && x[i - 1] === y[j - 2] && x[i - 2] === y[j - 1])
        d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[x.length][y.length];
}

test('fuzzy matching equals the full edit distance table after the prefix', () =>
  forSeeds(500, (rng) => {
    const target = word(rng, 'abcé😀', 6) || 'a';
    const other = word(rng, 'abcé😀', 7);
    const [edits, prefix, transpositions] = [rng.int(1, 2), rng.int(0, 2), rng.pick([true, false])];
    const matcher = fuzzyMatcher(target, edits, prefix, transpositions);
    const [start, rest] = [[...target].slice(0, prefix).join(''), [...target].slice(prefix).join('')];
    const tail = [...other].slice([...start].length).join('');
    const expected = other.startsWith(start) && distance(rest, tail, transpositions) <= edits;
    expect(matcher.matches(utf8(other)), `${target}~${edits} on ${other}`).toBe(expected);
  }));

test('boosts of fuzzy terms decrease with the number of edits', () => {
  const matcher = fuzzyMatcher('storm', 2, 0, true);
  expect([matcher.boostOf(utf8('storm')), matcher.boostOf(utf8('stom')), matcher.boostOf(utf8('stomr'))]).toEqual([
    1,
    Math.fround(1 - Math.fround(1 / 4)),
    Math.fround(1 - Math.fround(1 / 5)),
  ]);
});
