import { expect, test } from 'vitest';
import { compilePattern } from '../../../src/regex/java-flags.ts';
import { JavaPattern } from '../../../src/regex/java-pattern.ts';
import { LucenePattern } from '../../../src/regex/lucene-pattern.ts';
import { parseJavaRegex } from '../../../src/regex/parser.ts';
import { Replacement } from '../../../src/regex/replacement.ts';
import { forSeeds, type Rng } from '../../support/rng.ts';

function allMatches(source: string, text: string): (string | null)[][] {
  const pattern = new JavaPattern(source);
  const matcher = pattern.matcher(text);
  const out: (string | null)[][] = [];
  while (matcher.find()) out.push([String(matcher.start), ...Array.from({ length: pattern.groupCount + 1 }, (_, i) => matcher.group(i))]);
  return out;
}

function scriptMatches(source: string, text: string): (string | null)[][] {
  return [...text.matchAll(new RegExp(source, 'g'))].map((match) => [String(match.index), ...Array.from(match, (group) => group ?? null)]);
}

/** Patterns whose meaning in Java and JavaScript is the same. */
function randomPattern(rng: Rng, depth: number): string {
  if (depth === 0) return rng.pick(['a', 'b', 'c', '[ab]', '[^a]', '.', '\\w', '\\b']);
  const inner = (): string => randomPattern(rng, depth - 1);
  switch (rng.int(0, 6)) {
    case 0:
      return `(?:${inner()}|${inner()})`;
    case 1:
      // Repeated parts are not empty, since Java and JavaScript differ there.
      return `(?:${rng.pick(['a', 'ab', '[bc]', '(?:a|bc)'])})${rng.pick(['*', '+', '?', '*?', '+?', '{1,2}', '{2}'])}`;
    case 2:
      return `(?=${inner()})`;
    case 3:
      return `(?!${inner()})`;
    case 4:
      return `(?<=${rng.pick(['a', 'b', 'ab', '[bc]'])})`;
    default:
      return inner() + inner();
  }
}

test('finds the same matches as a backtracking engine', () => {
  forSeeds(1500, (rng) => {
    const source = randomPattern(rng, 3);
    const text = rng.word(14, 'abc ');
    expect(allMatches(source, text), source).toEqual(scriptMatches(source, text));
  });
});

test('groups hold the last repetition, and are unset if they took no part', () => {
  expect(allMatches('(a)|(b)', 'ab')).toEqual([
    ['0', 'a', 'a', null],
    ['1', 'b', null, 'b'],
  ]);
  expect(allMatches('(?<x>[ab])+c', 'abac')).toEqual([['0', 'abac', 'a']]);
  expect(allMatches('a++b|a*', 'aab')).toEqual([
    ['0', 'aab'],
    ['3', ''],
  ]);
});

test('runs expressions that take exponential time elsewhere', () => {
  const text = 'a'.repeat(20_000);
  for (const source of ['(a*)*b', '(a|aa)+$b', '(?=(?:a|a)*b)a', '(?<!ba{0,9})b']) expect(allMatches(source, text)).toEqual([]);
});

test('gives up quadratic work of possessive parts', () => {
  expect(() => allMatches('(?>a*)b', 'a'.repeat(40_000))).toThrow('too much work');
  expect(allMatches('a++c|a', 'aab')).toHaveLength(2);
});

test('Java syntax: classes, properties, flags, quotations, line terminators', () => {
  const found = (source: string, text: string, flags?: string): string[] => {
    const matcher = compilePattern(source, flags).matcher(text);
    const out: string[] = [];
    while (matcher.find()) out.push(matcher.group(0)!);
    return out;
  };
  expect(found('[a-z&&[^aeiou]]+', 'abcde')).toEqual(['bcd']);
  expect(found('\\p{Lu}\\p{IsAlphabetic}+', 'xÉcole')).toEqual(['École']);
  expect(found('\\w+', 'é_1')).toEqual(['_1']);
  expect(found('\\w+', 'é_1', 'UNICODE_CHARACTER_CLASS')).toEqual(['é_1']);
  expect(found('(?i)THE(?-i)x', 'thex THEX')).toEqual(['thex']);
  expect(found('\\Qa.b\\E+', 'a.bbb axb')).toEqual(['a.bbb']);
  expect(found('^.$', 'a\r\nb\u2028c', 'MULTILINE')).toEqual(['a', 'b', 'c']);
  expect(found('a b # comment', 'ab', 'COMMENTS')).toEqual(['ab']);
});

test('errors are those of java.util.regex', () => {
  const reason = (source: string): string | null => {
    try {
      new JavaPattern(source);
      return null;
    } catch (error) {
      return (error as { reason: string }).reason;
    }
  };
  expect(reason('*')).toBe("Dangling meta character '*' near index 0\n*\n^");
  expect(reason('(')).toBe('Unclosed group near index 1\n(');
  expect(reason('[')).toBe('Unclosed character class near index 0\n[\n^');
  expect(reason('(?<')).toBe('capturing group name does not start with a Latin letter near index 3\n(?<');
  expect(reason('(a)\\1')).toContain('back references');
});

test('replacements', () => {
  const pattern = new JavaPattern('(?<x>a)(b)?');
  const matcher = pattern.matcher('ab');
  matcher.find();
  expect(new Replacement('[$1$2${x}\\$]', pattern).apply(matcher)).toBe('[aba$]');
  expect(() => new Replacement('$3', pattern).apply(matcher)).toThrow('No group 3');
});

test('Lucene syntax: longest matches', () => {
  const run = (source: string, text: string): number => new LucenePattern(source).start(text)(0);
  expect(run('a|ab', 'ab')).toBe(2);
  expect(run('"a*"b', 'a*b')).toBe(3);
  expect(run('<1-12>', '123')).toBe(2);
  expect(run('[^x]{2,3}', 'abcd')).toBe(3);
  expect(() => new LucenePattern('(')).toThrow('unexpected end-of-string');
});

test('limits the nesting of patterns', () => {
  for (const pattern of ['('.repeat(100_000), '[a'.repeat(100_000), `${'(?:'.repeat(501)}a${')'.repeat(501)}`]) {
    expect(() => parseJavaRegex(pattern, 0)).toThrow('more than 500 levels');
  }
  expect(parseJavaRegex(`${'('.repeat(400)}a${')'.repeat(400)}`, 0).groupCount).toBe(400);
});

test.each<[string, number, string, string[]]>([
  ['classes that begin with &&', 0, '[&&a]|[^&&b]', ['a', 'c']],
  ['properties of one case where case is ignored', 2, '\\p{Lu}\\p{Lower}\\p{javaUpperCase}', ['aBc']],
  ['the Turkish letter and the Kelvin sign', 2 | 64, 'İ|k', ['i', 'K']],
  ['blocks', 0, '\\p{InGreek}\\p{block=Basic Latin}\\p{InLATIN_1_SUPPLEMENT}', ['αxé']],
  ["Java's own properties", 0, '\\p{javaMirrored}\\p{javaSpaceChar}\\p{javaISOControl}', ['(\u00a0\u0085']],
  ['quotations', 0, '\\Q1.*\\E+\\Qa', ['1.**a']],
  ['as much of a class as there is, behind', 0, '(?<=a[bc]*)d', ['d']],
  ['marks belong to the letter before', 0, '\\B\u0301', ['\u0301']],
  ['nothing, repeated', 0, '(?i){2}A', ['a']],
])('%s', (_, flags, source, found) => {
  const text = found.join('');
  const matcher = new JavaPattern(source, flags).matcher(
    source.includes('<=') ? `abc${text}` : source.startsWith('\\B') ? `a${text}` : text,
  );
  const matches: string[] = [];
  while (matcher.find()) matches.push(matcher.group(0)!);
  expect(matches).toEqual(found);
});

test('an empty match may be inside a surrogate pair, after another match', () => {
  const matcher = new JavaPattern('\\p{javaDigit}*').matcher('😀');
  const at: number[] = [];
  while (matcher.find()) at.push(matcher.start);
  expect(at).toEqual([0, 1, 2]);
});

test.each([
  ['a{,2}', 'Illegal repetition near index 2\na{,2}\n  ^'],
  ['😀{2,1}', 'Illegal repetition range near index 5\n😀{2,1}\n     ^'],
  ['\\Qa.b\\E{', 'Illegal repetition near index 5\n\\Qa.b\\E{\n     ^'],
  ['(?<=(ab){1,})', 'capturing group inside a lookaround'],
  ['(?<=(?:ab)*)', 'Look-behind group does not have an obvious maximum length near index 10'],
  ['\\N{DIGIT ONE}', 'linear time here and cannot have \\N'],
])('%s is refused', (source, reason) => {
  expect(() => new JavaPattern(source)).toThrow(reason);
});

test('finds word boundaries among marks in linear time', () => {
  const text = `a${'\u0301'.repeat(200_000)} ${'\u0301'.repeat(200_000)}`;
  const matcher = new JavaPattern('\\b').matcher(text);
  const at: number[] = [];
  while (matcher.find()) at.push(matcher.start);
  expect(at).toEqual([0, 200_001]);
});
