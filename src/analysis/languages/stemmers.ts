// Stemming filters: `stemmer` by language name, and those that are one algorithm.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import { words } from '../blob.ts';
import { kernelFilter, type TokenFilter } from '../component.ts';
import { STAGE } from '../stage-ids.ts';
import { kstemLexicon } from './lexicon.ts';

/** Ids of assembly/analysis/stemmers/dispatch.ts. */
export const STEMMER = {
  PORTER: 0,
  ENGLISH_POSSESSIVE: 1,
  LIGHT_GERMAN: 2,
  LIGHT_FRENCH: 3,
  LIGHT_ITALIAN: 4,
  LIGHT_PORTUGUESE: 5,
  LIGHT_SPANISH: 6,
  CZECH: 7,
  BULGARIAN: 8,
  ARABIC: 9,
  PERSIAN: 10,
  SORANI: 11,
  HINDI: 12,
  PORTER2: 13,
  DANISH: 14,
  NORWEGIAN: 15,
  SWEDISH: 16,
  RUSSIAN: 17,
  LIGHT_RUSSIAN: 18,
  PORTER_PUBLISHED: 19,
  INDONESIAN: 20,
  LATVIAN: 21,
  CAUMANNS: 22,
  MINIMAL_ENGLISH: 23,
  MINIMAL_GERMAN: 24,
  FRENCH: 25,
  DUTCH: 31,
  FINNISH: 32,
  HUNGARIAN: 33,
  ESTONIAN: 34,
  BRAZILIAN: 45,
  CATALAN: 46,
  ROMANIAN: 47,
  BASQUE: 48,
  GALICIAN: 49,
  MINIMAL_GALICIAN: 50,
  GREEK: 60,
  BENGALI: 61,
  IRISH: 62,
  ARMENIAN: 63,
  LITHUANIAN: 64,
  TURKISH: 70,
  GERMAN: 71,
  SPANISH: 72,
  ITALIAN: 73,
  PORTUGUESE: 74,
  SERBIAN: 75,
  ARABIC_SNOWBALL: 76,
  HINDI_SNOWBALL: 77,
  INDONESIAN_SNOWBALL: 78,
  NEPALI: 79,
  TAMIL: 80,
  YIDDISH: 81,
  GREEK_SNOWBALL: 82,
  LIGHT_FINNISH: 100,
  LIGHT_HUNGARIAN: 101,
  LIGHT_SWEDISH: 102,
  LIGHT_NORWEGIAN: 103,
  LIGHT_NYNORSK: 104,
  MINIMAL_NORWEGIAN: 105,
  MINIMAL_NYNORSK: 106,
  MINIMAL_FRENCH: 107,
  MINIMAL_PORTUGUESE: 108,
  PORTUGUESE_RSLP: 109,
  PLURAL_ENGLISH: 110,
  KSTEM: 111,
  SPANISH_PLURAL: 112,
} as const;

/** Values of `stemmer`'s `language` (or `name`), in any case, some also in camel case; any other is tried as a class of `snowball`. */
export const STEMMER_LANGUAGES: Readonly<Record<string, number>> = {
  english: STEMMER.PORTER,
  porter: STEMMER.PORTER,
  possessive_english: STEMMER.ENGLISH_POSSESSIVE,
  light_german: STEMMER.LIGHT_GERMAN,
  light_french: STEMMER.LIGHT_FRENCH,
  light_italian: STEMMER.LIGHT_ITALIAN,
  light_portuguese: STEMMER.LIGHT_PORTUGUESE,
  light_spanish: STEMMER.LIGHT_SPANISH,
  czech: STEMMER.CZECH,
  bulgarian: STEMMER.BULGARIAN,
  porter2: STEMMER.PORTER2,
  french: STEMMER.FRENCH,
  danish: STEMMER.DANISH,
  norwegian: STEMMER.NORWEGIAN,
  swedish: STEMMER.SWEDISH,
  russian: STEMMER.RUSSIAN,
  light_russian: STEMMER.LIGHT_RUSSIAN,
  arabic: STEMMER.ARABIC,
  persian: STEMMER.PERSIAN,
  sorani: STEMMER.SORANI,
  minimal_english: STEMMER.MINIMAL_ENGLISH,
  minimal_german: STEMMER.MINIMAL_GERMAN,
  hindi: STEMMER.HINDI,
  indonesian: STEMMER.INDONESIAN,
  latvian: STEMMER.LATVIAN,
  hungarian: STEMMER.HUNGARIAN,
  estonian: STEMMER.ESTONIAN,
  finnish: STEMMER.FINNISH,
  dutch: STEMMER.DUTCH,
  brazilian: STEMMER.BRAZILIAN,
  catalan: STEMMER.CATALAN,
  romanian: STEMMER.ROMANIAN,
  basque: STEMMER.BASQUE,
  galician: STEMMER.GALICIAN,
  minimal_galician: STEMMER.MINIMAL_GALICIAN,
  greek: STEMMER.GREEK,
  bengali: STEMMER.BENGALI,
  irish: STEMMER.IRISH,
  armenian: STEMMER.ARMENIAN,
  lithuanian: STEMMER.LITHUANIAN,
  turkish: STEMMER.TURKISH,
  german: STEMMER.GERMAN,
  german2: STEMMER.GERMAN,
  spanish: STEMMER.SPANISH,
  italian: STEMMER.ITALIAN,
  portuguese: STEMMER.PORTUGUESE,
  light_finnish: STEMMER.LIGHT_FINNISH,
  light_finish: STEMMER.LIGHT_FINNISH,
  light_hungarian: STEMMER.LIGHT_HUNGARIAN,
  light_swedish: STEMMER.LIGHT_SWEDISH,
  light_norwegian: STEMMER.LIGHT_NORWEGIAN,
  light_nynorsk: STEMMER.LIGHT_NYNORSK,
  minimal_norwegian: STEMMER.MINIMAL_NORWEGIAN,
  minimal_nynorsk: STEMMER.MINIMAL_NYNORSK,
  minimal_french: STEMMER.MINIMAL_FRENCH,
  minimal_portuguese: STEMMER.MINIMAL_PORTUGUESE,
  portuguese_rslp: STEMMER.PORTUGUESE_RSLP,
  plural_english: STEMMER.PLURAL_ENGLISH,
  kstem: STEMMER.KSTEM,
  light_english: STEMMER.KSTEM,
  spanish_plural: STEMMER.SPANISH_PLURAL,
};

const CAMEL_CASE = /^(light|minimal|plural|possessive)_/;
const BY_NAME: ReadonlyMap<string, number> = new Map(
  Object.entries(STEMMER_LANGUAGES).flatMap(([name, id]): [string, number][] => [
    [name, id],
    [name.replace(CAMEL_CASE, '$1'), id],
  ]),
);

export function stemStage(id: number): TokenFilter {
  if (id !== STEMMER.KSTEM) return kernelFilter(STAGE.STEM, words([id]));
  const lexicon = kstemLexicon();
  return kernelFilter(STAGE.STEM, words([id, lexicon.length], lexicon));
}

/** @throws ApiError illegal_argument_exception: no stemmer of this name, with the Snowball class that Lucene would have looked for */
export function stemmerByLanguage(language: string): TokenFilter {
  const id = BY_NAME.get(language.toLowerCase());
  if (id !== undefined) return stemStage(id);
  const className = language.charAt(0).toUpperCase() + language.slice(1);
  if (Object.hasOwn(SNOWBALL_CLASSES, className)) return stemStage(SNOWBALL_CLASSES[className]);
  throw noStemmer(className);
}

function noStemmer(className: string): ApiError {
  const cause = new ApiError('class_not_found_exception', 500, `org.tartarus.snowball.ext.${className}Stemmer`);
  return illegalArgument(`Invalid stemmer class specified: ${className}`, cause);
}

/** Classes of the `snowball` filter and analyzer. */
export const SNOWBALL_CLASSES: Readonly<Record<string, number>> = {
  English: STEMMER.PORTER2,
  Porter: STEMMER.PORTER_PUBLISHED,
  French: STEMMER.FRENCH,
  Danish: STEMMER.DANISH,
  Norwegian: STEMMER.NORWEGIAN,
  Swedish: STEMMER.SWEDISH,
  Russian: STEMMER.RUSSIAN,
  Hungarian: STEMMER.HUNGARIAN,
  Estonian: STEMMER.ESTONIAN,
  Finnish: STEMMER.FINNISH,
  Dutch: STEMMER.DUTCH,
  Catalan: STEMMER.CATALAN,
  Romanian: STEMMER.ROMANIAN,
  Basque: STEMMER.BASQUE,
  Irish: STEMMER.IRISH,
  Armenian: STEMMER.ARMENIAN,
  Lithuanian: STEMMER.LITHUANIAN,
  Turkish: STEMMER.TURKISH,
  German: STEMMER.GERMAN,
  German2: STEMMER.GERMAN,
  Spanish: STEMMER.SPANISH,
  Italian: STEMMER.ITALIAN,
  Portuguese: STEMMER.PORTUGUESE,
  Serbian: STEMMER.SERBIAN,
  Arabic: STEMMER.ARABIC_SNOWBALL,
  Hindi: STEMMER.HINDI_SNOWBALL,
  Indonesian: STEMMER.INDONESIAN_SNOWBALL,
  Nepali: STEMMER.NEPALI,
  Tamil: STEMMER.TAMIL,
  Yiddish: STEMMER.YIDDISH,
  Greek: STEMMER.GREEK_SNOWBALL,
};

/** @throws ApiError illegal_argument_exception: no such class */
export function snowballStage(language: string): TokenFilter {
  const name = language.charAt(0).toUpperCase() + language.slice(1);
  if (!Object.hasOwn(SNOWBALL_CLASSES, name)) throw noStemmer(name);
  return stemStage(SNOWBALL_CLASSES[name]);
}
