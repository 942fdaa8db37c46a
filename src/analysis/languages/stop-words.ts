// Predefined stop lists by their name without underscores.
import { STOP_WORDS } from '../generated/stop-words.ts';

/** Source: the 33 words of Lucene's EnglishAnalyzer. */
const ENGLISH =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with';

/** Words of a list that no definition may name, for the analyzer of that name. */
export const CJK_STOP_WORDS: readonly string[] = STOP_WORDS.cjk.split('|');

export const STOP_LISTS: Readonly<Record<string, readonly string[]>> = Object.fromEntries([
  ['english', ENGLISH.split(' ')],
  ...Object.entries(STOP_WORDS)
    .filter(([name]) => name !== 'cjk')
    .map(([name, words]) => [name, words.split('|')]),
]);
