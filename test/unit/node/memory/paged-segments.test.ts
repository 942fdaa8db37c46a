import { expect, test } from 'vitest';
import { sectionShare } from '../../../../src/node/memory/paged-segments.ts';

const MB = 1 << 20;

test('sections may take 60 % of a large limit', () => {
  expect(sectionShare(2048 * MB, true)).toBe(Math.floor(2048 * MB * 0.6));
  expect(sectionShare(400 * MB, true)).toBe(240 * MB);
});

test('sections leave 160 MB of a small limit to the threads of a service, but keep a quarter', () => {
  expect(sectionShare(320 * MB, true)).toBe(160 * MB);
  expect(sectionShare(200 * MB, true)).toBe(50 * MB);
  expect(sectionShare(100 * MB, true)).toBe(25 * MB);
});

test('the limit of the library does not cover the memory of its program', () => {
  expect(sectionShare(100 * MB, false)).toBe(60 * MB);
  expect(sectionShare(1000, false)).toBe(MB);
});
