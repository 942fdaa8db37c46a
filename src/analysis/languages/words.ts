// Words of languages: stop words, and the dictionaries of KStem and of Thai. All of them are at hand here; the bundle for browsers has
// words.browser.ts in the place of this file, which loads them by language.
import { STOP_WORDS } from '../generated/stop-words.ts';

export { exceptions, roots, words } from '../generated/kstem-lexicon.ts';
export { thaiDictionary } from '../generated/thai-dictionary.ts';

/** What there are words of. English stop words are always there. */
export const wordLanguages = (): readonly string[] => [...Object.keys(STOP_WORDS), 'english', 'kstem'];

/** Stop words separated by |, undefined: there is no such list. */
export function stopWords(name: string): string | undefined {
  return Object.hasOwn(STOP_WORDS, name) ? STOP_WORDS[name] : undefined;
}

/** Loads words of some languages of wordLanguages(), null: of all. */
export async function loadWords(_languages: readonly string[] | null): Promise<void> {}
