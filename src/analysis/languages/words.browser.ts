// Replaces words.ts in browsers: stop words and dictionaries are files next to the bundle; loadWords loads all of them or those of some languages.
import { illegalArgumentError } from '../../errors/catalog.ts';
import type * as KStem from '../generated/kstem-lexicon.ts';
import type * as Thai from '../generated/thai-dictionary.ts';

/** Loads the stop words of each language; tools/build/bundles.mjs generates it from generated/stop-words.ts. */
declare const STOP_WORD_FILES: Readonly<Record<string, () => Promise<{ readonly default: string }>>>;

const lists = new Map<string, string>();
let kstem: typeof KStem | null = null;
let thai: typeof Thai | null = null;

export const wordLanguages = (): readonly string[] => [...Object.keys(STOP_WORD_FILES), 'english', 'kstem'];

export async function loadWords(languages: readonly string[] | null): Promise<void> {
  if (languages === null) {
    const [all] = await Promise.all([import('../generated/stop-words.ts'), load('kstem'), load('thai')]);
    for (const [name, words] of Object.entries(all.STOP_WORDS)) lists.set(name, words);
    return;
  }
  await Promise.all(languages.flatMap((language) => [load(language), loadStopWords(language)]));
}

/** Loads the dictionary of that name, if there is one. */
async function load(name: string): Promise<void> {
  if (name === 'kstem') kstem = await import('../generated/kstem-lexicon.ts');
  if (name === 'thai') thai = await import('../generated/thai-dictionary.ts');
}

async function loadStopWords(language: string): Promise<void> {
  if (!Object.hasOwn(STOP_WORD_FILES, language)) return;
  lists.set(language, (await STOP_WORD_FILES[language]()).default);
}

const notLoaded = (name: string): never => {
  throw illegalArgumentError(`the words of [${name}] are not loaded; load them with loadAnalyzer({ languages: ['${name}'] })`);
};

export const stopWords = (name: string): string | undefined =>
  Object.hasOwn(STOP_WORD_FILES, name) ? (lists.get(name) ?? notLoaded(name)) : undefined;

export const exceptions = (): string => (kstem ?? notLoaded('kstem')).exceptions();
export const roots = (): string => (kstem ?? notLoaded('kstem')).roots();
export const words = (): string => (kstem ?? notLoaded('kstem')).words();
export const thaiDictionary = (): string => (thai ?? notLoaded('thai')).thaiDictionary();
