// Stemmers by id; src/analysis/languages/stemmer-ids.ts has the same numbers. Each changes the word of word.ts in place.
import { englishPossessive, porter } from './porter';

export const PORTER: u32 = 0;
export const ENGLISH_POSSESSIVE: u32 = 1;

/** False: no such stemmer. */
export function runStemmer(id: u32): bool {
  switch (id) {
    case PORTER: porter(); return true;
    case ENGLISH_POSSESSIVE: englishPossessive(); return true;
    default: return false;
  }
}
