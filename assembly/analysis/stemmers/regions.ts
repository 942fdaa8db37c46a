// Shared by Snowball stemmers: regions of a word, and the longest suffix of a list. Source: M. F. Porter, "Snowball: A language for stemming
// algorithms" (2001), R1 and R2.
import { findSuffix, foundLen, foundNumber } from './suffix-index';
import { isIn, unitAt, wordLen } from './word';

/** Length of the suffix that the last longestOf found. */
export let suffixLen: i32 = 0;

/** Index after the first consonant that follows a vowel, from `from` on; the word's end if there is none. */
export function regionAfter(from: i32, vowels: string): i32 {
  let i = from;
  while (i < wordLen && !isIn(unitAt(i), vowels)) i++;
  while (i < wordLen && isIn(unitAt(i), vowels)) i++;
  return min(i + 1, wordLen);
}

/** RV of the Romance stemmers (and Basque); the word's end if there is none. */
export function verbRegion(vowels: string): i32 {
  if (wordLen < 2) return wordLen;
  const first = isIn(unitAt(0), vowels), second = isIn(unitAt(1), vowels);
  if (!first && second) return min(3, wordLen);
  let i = 2;
  while (i < wordLen && isIn(unitAt(i), vowels) == second) i++;
  return min(i + 1, wordLen);
}

/** Number of the longest suffix in a list, separated by spaces, that the word has after `from`; -1 for none. */
export function longestOf(list: string, from: i32): i32 {
  findSuffix(list, wordLen, wordLen - from);
  suffixLen = foundLen;
  return foundNumber;
}
