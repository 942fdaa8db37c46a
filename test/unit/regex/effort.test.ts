// All regular expressions of one operation share its budget of steps.
import { expect, test } from 'vitest';
import { withEffort } from '../../../src/regex/effort.ts';
import { JavaPattern } from '../../../src/regex/java-pattern.ts';

const pattern = new JavaPattern('(a|aa)*b');
const TEXT = 'a'.repeat(200);
const TOO_MUCH = 'needs too much work';

/** Searches without a match, `times` times. */
function search(times: number): void {
  for (let i = 0; i < times; i++) expect(pattern.matcher(TEXT).find()).toBe(false);
}

test('many matchers exceed what one does not', () => {
  expect(() => withEffort(200_000, () => search(2))).not.toThrow();
  expect(() => withEffort(200_000, () => search(2000))).toThrow(TOO_MUCH);
});

test('matches of whole strings count as well', () => {
  expect(() =>
    withEffort(200_000, () => {
      for (let i = 0; i < 2000; i++) pattern.matches(TEXT);
    }),
  ).toThrow(TOO_MUCH);
});

test('an inner budget does not extend the outer one, and nothing is limited afterwards', () => {
  expect(() =>
    withEffort(200_000, () => {
      for (let i = 0; i < 2000; i++) withEffort(1e9, () => search(1));
    }),
  ).toThrow(TOO_MUCH);
  expect(() => search(2000)).not.toThrow();
});
