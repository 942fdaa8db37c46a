/** PCRE semantics, equal in both engines, and the bound on time. */
import { describe, expect, test } from 'vitest';
import { capture, Regex, RegexLimitError, STEP_LIMIT } from '../../../../src/front/config/regex.ts';
import { parseRegex } from '../../../../src/front/config/regex-syntax.ts';

const groups = (source: string, subject: string, ignoreCase = false) => {
  const regex = new Regex(source, ignoreCase);
  const found = regex.exec(subject);
  return found && Array.from({ length: regex.groupCount + 1 }, (_, n) => capture(found, n));
};

describe('front regular expressions', () => {
  test.each([
    ['^/a/(.*)\\.php$', '/a/b.php', ['/a/b.php', 'b']],
    ['(a)|(b)', 'b', ['b', null, 'b']],
    ['(?<y>\\d{4})-(\\d+)', 'on 2024-12', ['2024-12', '2024', '12']],
    ['^(?:a+)+b$', 'aaab', ['aaab']],
    ['(\\w)\\1', 'abccd', ['cc', 'c']],
    ['a(?=b)', 'acab', ['a']],
    ['(?<!x)a', 'xaa', ['a']],
    ['a++a', 'aaa', null],
    ['(?>a+)b', 'aab', ['aab']],
    ['(?i)ABC', 'xabcx', ['abc']],
    ['[[:digit:]]+', 'a12b', ['12']],
    ['\\p{N}+', 'a12b', ['12']],
    ['a$', 'a\n', ['a']],
    ['a\\z', 'a\n', null],
    ['\\Qa.b\\E+', 'a.bb', ['a.bb']],
    ['a{2,3}?', 'aaaa', ['aa']],
    ['x*', '', ['']],
  ])('%s on %s', (source, subject, expected) => expect(groups(source, subject)).toEqual(expected));

  test('named groups are found by number', () => {
    expect([...new Regex('(?<a>x)(?P<b>y)').names]).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  test.each(['(', 'a)', '[a', '*', 'a{3,2}', '(?R)', '(?<a>x)(?<a>y)', '\\', '(?(1)a)'])('%s is refused', (source) => {
    expect(() => parseRegex(source, false)).toThrow();
  });

  test('a pattern with catastrophic backtracking ends with an error', () => {
    expect(() => new Regex('^(a+)+$').exec('a'.repeat(60) + 'b')).toThrow(RegexLimitError);
    expect(() => new Regex('(.*)(.*)(.*)(.*)x').exec('a'.repeat(4000))).toThrow(RegexLimitError);
    expect(STEP_LIMIT).toBeLessThan(10_000_000);
  });
});
