import { expect, test } from 'vitest';
import { checkFlags, flagNumber, parseArguments } from '../../../src/cli/arguments.ts';

test.each<[string[], Record<string, string | true>, string[]]>([
  [['x', '--a=1', '--b', '2', '--c', '--d', '--', '--e'], { a: '1', b: '2', c: true, d: true }, ['x', '--e']],
  [['--a', '--', 'x'], { a: true }, ['x']],
  [['-c', 'file', '-i', 'name', '-u', 'ann:secret', '-h', 'x'], { config: 'file', index: 'name', user: 'ann:secret', help: true }, ['x']],
  [['--exit', 'x', '--http.port', '1', 'y'], { exit: true, 'http.port': '1' }, ['x', 'y']],
  [['--a=', '--b=x=y'], { a: '', b: 'x=y' }, []],
])('parses %j', (argv, flags, positionals) => {
  expect(parseArguments(argv)).toEqual({ flags, positionals });
});

test('reports unknown flags, flags without a value, and numbers out of bounds', () => {
  const check = (...argv: string[]) => checkFlags(parseArguments(argv), ['index', 'size'], ['exit']);
  check('--index', 'a', '--exit');
  expect(() => check('--indx', 'a')).toThrow('unknown flag [--indx]');
  expect(() => check('-5')).toThrow('unknown flag [-5]');
  expect(() => check('--index', '--size', '1')).toThrow('flag [--index] needs a value');
  expect(flagNumber(parseArguments(['--size=7']), 'size', 1, 1, 9)).toBe(7);
  expect(flagNumber(parseArguments([]), 'size', 1, 1, 9)).toBe(1);
  expect(() => flagNumber(parseArguments(['--size=x']), 'size', 1, 1, 9)).toThrow(
    'flag [--size] must be a whole number from 1 to 9, got [x]',
  );
});
