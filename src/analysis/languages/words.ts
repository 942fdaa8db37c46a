// Word lists of languages: stop words, and the dictionaries of KStem and Thai. Here they are all imported; the bundle for browsers replaces this
// file by words.browser.ts, which loads them by language.
import { STOP_WORDS } from '../generated/stop-words.ts';

export { exceptions, roots, words } from '../generated/kstem-lexicon.ts';
export { thaiDictionary } from '../generated/thai-dictionary.ts';

/** Names of the languages with word lists. English stop words are always loaded. */
export const wordLanguages = (): readonly string[] => [...Object.keys(STOP_WORDS), 'english', 'kstem'];

/** Stop words separated by |; undefined if there is no such list. */
export function stopWords(name: string): string | undefined {
  return Object.hasOwn(STOP_WORDS, name) ? STOP_WORDS[name] : undefined;
}

/** Loads the words of some of wordLanguages(); null loads every language. */
export async function loadWords(_languages: readonly string[] | null): Promise<void> {}
