import { describe, expect, test } from 'vitest';
import { JavaPattern } from '../../../src/regex/java-pattern.ts';
import { LucenePattern } from '../../../src/regex/lucene-pattern.ts';
import { Replacement } from '../../../src/regex/replacement.ts';

const LETTERS = 'ab'.repeat(20_000);

describe('the work of an expression on a text is limited', () => {
  test.each([
    ['alternatives', `(${'a?b?'.repeat(400)})*c`],
    ['a lookahead', `(?=(?:${'a?b?'.repeat(400)})*c)[ab]`],
    ['a lookbehind', `(?<=(?:${'a?b?'.repeat(400)})c)[ab]`],
  ])('%s', (_name, source) => {
    expect(() => new JavaPattern(source).matcher(LETTERS, 1_000_000).find()).toThrow('needs too much work');
  });

  test('repeating nothing takes no time', () => {
    expect(new JavaPattern('(?:){2147483647}a').matches('a')).toBe(true);
    expect(new JavaPattern('(?:(?:){1000000000}){1000000000}').matches('')).toBe(true);
  });

  test('states that are used once', () => {
    const pattern = new LucenePattern('(a|b)*a(a|b){300}(a|b)*c');
    // Each position of a random text has a state of its own.
    let seed = 1;
    const text = Array.from({ length: 20_000 }, () => ((seed = (seed * 48_271) % 2_147_483_647) & 1 ? 'a' : 'b')).join('');
    expect(() => pattern.start(text, 10_000_000)(0)).toThrow('needs too much work on this text');
  });
});

describe('replacements', () => {
  const replaceAll = (source: string, replacement: string, text: string): number => {
    const pattern = new JavaPattern(source);
    const parsed = new Replacement(replacement, pattern);
    const matcher = pattern.matcher(text);
    let length = 0;
    while (matcher.find()) length += parsed.apply(matcher).length;
    return length;
  };

  test('must not multiply the length of a text', () => {
    expect(() => replaceAll('a', 'x'.repeat(10_000), 'a'.repeat(100_000))).toThrow('more than 16 times longer');
    expect(() => replaceAll('(a*)', '$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1', 'a'.repeat(1_000_000))).toThrow(
      'more than 16 times longer',
    );
  });

  test('may make it some times longer', () => {
    expect(replaceAll('a', 'xyz', 'a'.repeat(1_000_000))).toBe(3_000_000);
    expect(replaceAll('a', 'x'.repeat(1_000_000), 'a')).toBe(1_000_000);
  });
});

test.each([
  ['many letters', 'w1 '.repeat(100_000)],
  ['a quoted text', `\\Q${'a'.repeat(200_000)}\\E`],
  ['many repetitions of nothing', 'a{0}'.repeat(100_000)],
])('%s are refused before they are compiled', (_, pattern) => {
  expect(() => new JavaPattern(pattern)).toThrow('more than 20000 instructions');
});

test('parts of a class and alternatives are joined once', () => {
  const letters = Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7) % 20_000))).join('');
  const pattern = new JavaPattern(`[${letters}]+|${Array.from({ length: 3000 }, () => '\\p{Lu}').join('|')}`);
  expect(pattern.matches(letters)).toBe(true);
  expect([0x4dff, 0x4e00, 0x4e00 + 19_999, 0x4e00 + 20_000, 65, 97].map((cp) => pattern.first?.has(cp))).toEqual([
    false,
    true,
    true,
    false,
    true,
    false,
  ]);
});

test('an intersection of classes is what is in both', () => {
  const both = new JavaPattern('[a-z0-9\\u0400-\\u04ff&&[f-q5-\\u0410]&&[^h]]');
  const text = Array.from({ length: 0x500 }, (_, cp) => String.fromCharCode(cp));
  const expected = text.filter((char) => /[a-z0-9\u0400-\u04ff]/.test(char) && /[f-q5-\u0410]/.test(char) && char !== 'h');
  expect(text.filter((char) => both.matches(char))).toEqual(expected);
});
