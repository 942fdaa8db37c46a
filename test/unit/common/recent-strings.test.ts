import { expect, test } from 'vitest';
import { RecentStrings } from '../../../src/common/recent-strings.ts';

test('a string is new once, then known', () => {
  const seen = new RecentStrings();
  expect(seen.seen('{"query":{"match":{"name":"san pedro"}}}')).toBe(false);
  expect(seen.seen('{"query":{"match":{"name":"san juan"}}}')).toBe(false);
  expect(seen.seen('{"query":{"match":{"name":"san pedro"}}}')).toBe(true);
  expect(seen.seen('')).toBe(false);
  expect(seen.seen('')).toBe(true);
});

test('long strings differ by their beginning, their end and their length', () => {
  const seen = new RecentStrings();
  const middle = 'x'.repeat(10_000);
  for (const text of [`a${middle}a`, `b${middle}a`, `a${middle}b`, `a${middle}xa`]) expect(seen.seen(text)).toBe(false);
  expect(seen.seen(`a${middle}a`)).toBe(true);
});

test('strings that do not recur are forgotten', () => {
  const seen = new RecentStrings();
  for (let i = 0; i < 100_000; i++) seen.seen(`query ${i}`);
  let known = 0;
  for (let i = 0; i < 1000; i++) if (seen.seen(`query ${i}`)) known++;
  expect(known).toBeLessThan(50);
});
