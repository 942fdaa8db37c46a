import { expect, test } from 'vitest';
import { matchesPattern } from '../../../../src/common/text/wildcard.ts';

test('a pattern without a wildcard matches the same name only', () => {
  expect([matchesPattern('a', 'a'), matchesPattern('a', 'ab'), matchesPattern('', '')]).toEqual([true, false, true]);
});

test('a wildcard matches any string, including the empty one', () => {
  for (const name of ['logs-1', 'logs-', 'logs-a-b']) expect(matchesPattern('logs-*', name), name).toBe(true);
  expect(matchesPattern('logs-*', 'log-1')).toBe(false);
  expect([matchesPattern('*', ''), matchesPattern('*a', 'ba'), matchesPattern('a*b*c', 'a1b2c'), matchesPattern('a*b*c', 'acb')]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('parts of a pattern do not overlap in the name', () => {
  expect([matchesPattern('ab*ba', 'aba'), matchesPattern('ab*ba', 'abba'), matchesPattern('*aa*aa', 'aaa')]).toEqual([false, true, false]);
});

test('other characters are literal', () => {
  expect([matchesPattern('a.b*', 'axb'), matchesPattern('a.b*', 'a.b1'), matchesPattern('[a]*', '[a]x')]).toEqual([false, true, true]);
});

test('many wildcards take linear time', () => {
  expect(matchesPattern(`${'*a'.repeat(50)}b`, 'a'.repeat(10_000))).toBe(false);
});
