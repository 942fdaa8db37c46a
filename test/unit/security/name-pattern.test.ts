// Patterns of roles: wildcards and regular expressions, and which pattern includes which.
import { expect, test } from 'vitest';
import { checkPattern, includesPattern, matchesName, matchesPrefix, NOT_HIDDEN } from '../../../src/security/name-pattern.ts';
import { Rng } from '../../support/rng.ts';

test.each([
  ['logs-*', 'logs-1', true],
  ['logs-*', 'log', false],
  ['lo?s', 'logs', true],
  ['/logs-[0-9]{4}/', 'logs-2024', true],
  ['/logs-[0-9]{4}/', 'logs-20245', false],
  ['/logs-<1-31>/', 'logs-7', true],
  ['/logs-<1-31>/', 'logs-32', false],
  ['/~(secret.*)/', 'public', true],
  ['/~(secret.*)/', 'secret-1', false],
  ['/.*&~(.*-old)/', 'orders-old', false],
  ['//', '', true],
  ['//', 'a', false],
  ['/ä+/', 'ää', true],
  [NOT_HIDDEN, 'orders', true],
  [NOT_HIDDEN, '.orders', false],
  [NOT_HIDDEN, 'ilm-history-5', false],
])('%s on %s: %s', (pattern, name, expected) => {
  expect(matchesName(pattern, name)).toBe(expected);
});

test.each([
  ['user.*', 'user.', true],
  ['user.name', 'user.', true],
  ['other.name', 'user.', false],
  ['/user\\.(name|mail)/', 'user.', true],
  ['/user\\.(name|mail)/', 'user.name.', false],
  ['/(user|group)\\..*/', 'group.a.b.', true],
])('%s has names below %s: %s', (pattern, prefix, expected) => {
  expect(matchesPrefix(pattern, prefix)).toBe(expected);
});

test.each([
  ['*', '/a.*/', true],
  ['logs-*', '/logs-[0-9]+/', true],
  ['logs-*', '/log.*/', false],
  ['/logs-.*/', 'logs-a*', true],
  ['/logs-.*/', 'logs*', false],
  ['/logs-[a-z]+/', 'logs-?', false],
  ['/logs-./', 'logs-?', true],
  ['/a|b|c/', '/[ab]/', true],
  ['/a|b/', '/[abc]/', false],
  ['/a.d/', 'a.d', true],
  ['/a\\.d/', 'a-d', false],
])('%s includes %s: %s', (wide, narrow, expected) => {
  expect(includesPattern(wide, narrow)).toBe(expected);
});

test('a pattern that includes another one matches all that it matches', () => {
  const rng = new Rng(11);
  const part = (): string => rng.pick(['a', 'b', '.', '[ab]', '(a|ab)', 'a*', '.*', 'b+']);
  const pattern = (): string => `/${Array.from({ length: rng.int(1, 4) }, part).join('')}/`;
  let included = 0;
  for (let i = 0; i < 400; i++) {
    const [wide, narrow] = [pattern(), pattern()];
    const isIncluded = includesPattern(wide, narrow);
    if (isIncluded) included++;
    let isRefuted = false;
    for (let n = 0; n < 1 << 6; n++) {
      for (let length = 0; length <= 5; length++) {
        const name = Array.from({ length }, (_, at) => 'abc'[(n >> at) & 1]).join('');
        if (matchesName(narrow, name) && !matchesName(wide, name)) isRefuted = true;
      }
    }
    if (isRefuted) expect(isIncluded, `${wide} ${narrow}`).toBe(false);
  }
  expect(included).toBeGreaterThan(20);
});

test.each([
  ['/a', /must also end with '\/'/],
  ['/', /must also end with '\/'/],
  ['/[a/', /\]/],
  ['/a{2,1}/', /./],
  [`/${'a'.repeat(1000)}/`, /at most 1000 characters/],
])('%.20s is refused', (pattern, reason) => {
  expect(() => checkPattern(pattern)).toThrow(reason);
});
