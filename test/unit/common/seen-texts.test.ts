import { expect, test } from 'vitest';
import { SeenTexts } from '../../../src/common/seen-texts.ts';

test('a text is met once, then known', () => {
  const seen = new SeenTexts();
  expect(seen.meet('{"query":{"match":{"name":"san pedro"}}}')).toBe(false);
  expect(seen.meet('{"query":{"match":{"name":"san juan"}}}')).toBe(false);
  expect(seen.meet('{"query":{"match":{"name":"san pedro"}}}')).toBe(true);
  expect(seen.meet('')).toBe(false);
  expect(seen.meet('')).toBe(true);
});

test('long texts differ by their beginning, their end and their length', () => {
  const seen = new SeenTexts();
  const middle = 'x'.repeat(10_000);
  for (const text of [`a${middle}a`, `b${middle}a`, `a${middle}b`, `a${middle}xa`]) expect(seen.meet(text)).toBe(false);
  expect(seen.meet(`a${middle}a`)).toBe(true);
});

test('what does not come back is forgotten', () => {
  const seen = new SeenTexts();
  for (let i = 0; i < 100_000; i++) seen.meet(`query ${i}`);
  let known = 0;
  for (let i = 0; i < 1000; i++) if (seen.meet(`query ${i}`)) known++;
  expect(known).toBeLessThan(50);
});
