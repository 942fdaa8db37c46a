// Predefined stop lists by their name without underscores.

/** Source: the 33 words of Lucene's EnglishAnalyzer. */
const ENGLISH =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with';

export const STOP_LISTS: Readonly<Record<string, readonly string[]>> = {
  english: ENGLISH.split(' '),
};
