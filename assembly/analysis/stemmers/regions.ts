// What Snowball stemmers share: regions of a word, and the longest suffix of a list. Source: M. F. Porter, "Snowball: A language for stemming
// algorithms" (2001), R1 and R2.
import { findSuffix, foundLen, foundNumber } from './suffix-index';
import { isIn, unitAt, wordLen } from './word';

/** Units of the suffix that the last longestOf found. */
export let suffixLen: i32 = 0;

/** Place behind the first consonant that follows a vowel from `from` on; the word's end if there is none. */
export function regionAfter(from: i32, vowels: string): i32 {
  let i = from;
  while (i < wordLen && !isIn(unitAt(i), vowels)) i++;
  while (i < wordLen && isIn(unitAt(i), vowels)) i++;
  return min(i + 1, wordLen);
}

/** RV as the Romance stemmers (and Basque) have it; the word's end if there is none. */
export function verbRegion(vowels: string): i32 {
  if (wordLen < 2) return wordLen;
  const first = isIn(unitAt(0), vowels), second = isIn(unitAt(1), vowels);
  if (!first && second) return min(3, wordLen);
  let i = 2;
  while (i < wordLen && isIn(unitAt(i), vowels) == second) i++;
  return min(i + 1, wordLen);
}

/** Number in a list, separated by spaces, of the longest suffix that the word has behind `from`; -1 for none. */
export function longestOf(list: string, from: i32): i32 {
  findSuffix(list, wordLen, wordLen - from);
  suffixLen = foundLen;
  return foundNumber;
}
