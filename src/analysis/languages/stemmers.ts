// Stemming filters: `stemmer` by language name, and filters with a fixed algorithm.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { OperationHead, StageId, Stemmer } from '../../wasm/generated/analysis.ts';
import { recordBytes, words } from '../blob.ts';
import { kernelFilter, type TokenFilter } from '../component.ts';
import { kstemLexicon } from './lexicon.ts';

/** Values of `language` (or `name`) of `stemmer`, in any case, some also in camel case; any other value is tried as a class of `snowball`. */
export const STEMMER_LANGUAGES: Readonly<Record<string, number>> = {
  english: Stemmer.PORTER,
  porter: Stemmer.PORTER,
  possessive_english: Stemmer.ENGLISH_POSSESSIVE,
  light_german: Stemmer.LIGHT_GERMAN,
  light_french: Stemmer.LIGHT_FRENCH,
  light_italian: Stemmer.LIGHT_ITALIAN,
  light_portuguese: Stemmer.LIGHT_PORTUGUESE,
  light_spanish: Stemmer.LIGHT_SPANISH,
  czech: Stemmer.CZECH,
  bulgarian: Stemmer.BULGARIAN,
  porter2: Stemmer.PORTER2,
  french: Stemmer.FRENCH,
  danish: Stemmer.DANISH,
  norwegian: Stemmer.NORWEGIAN,
  swedish: Stemmer.SWEDISH,
  russian: Stemmer.RUSSIAN,
  light_russian: Stemmer.LIGHT_RUSSIAN,
  arabic: Stemmer.ARABIC,
  persian: Stemmer.PERSIAN,
  sorani: Stemmer.SORANI,
  minimal_english: Stemmer.MINIMAL_ENGLISH,
  minimal_german: Stemmer.MINIMAL_GERMAN,
  hindi: Stemmer.HINDI,
  indonesian: Stemmer.INDONESIAN,
  latvian: Stemmer.LATVIAN,
  hungarian: Stemmer.HUNGARIAN,
  estonian: Stemmer.ESTONIAN,
  finnish: Stemmer.FINNISH,
  dutch: Stemmer.DUTCH,
  brazilian: Stemmer.BRAZILIAN,
  catalan: Stemmer.CATALAN,
  romanian: Stemmer.ROMANIAN,
  basque: Stemmer.BASQUE,
  galician: Stemmer.GALICIAN,
  minimal_galician: Stemmer.MINIMAL_GALICIAN,
  greek: Stemmer.GREEK,
  bengali: Stemmer.BENGALI,
  irish: Stemmer.IRISH,
  armenian: Stemmer.ARMENIAN,
  lithuanian: Stemmer.LITHUANIAN,
  turkish: Stemmer.TURKISH,
  german: Stemmer.GERMAN,
  german2: Stemmer.GERMAN,
  spanish: Stemmer.SPANISH,
  italian: Stemmer.ITALIAN,
  portuguese: Stemmer.PORTUGUESE,
  light_finnish: Stemmer.LIGHT_FINNISH,
  light_finish: Stemmer.LIGHT_FINNISH,
  light_hungarian: Stemmer.LIGHT_HUNGARIAN,
  light_swedish: Stemmer.LIGHT_SWEDISH,
  light_norwegian: Stemmer.LIGHT_NORWEGIAN,
  light_nynorsk: Stemmer.LIGHT_NYNORSK,
  minimal_norwegian: Stemmer.MINIMAL_NORWEGIAN,
  minimal_nynorsk: Stemmer.MINIMAL_NYNORSK,
  minimal_french: Stemmer.MINIMAL_FRENCH,
  minimal_portuguese: Stemmer.MINIMAL_PORTUGUESE,
  portuguese_rslp: Stemmer.PORTUGUESE_RSLP,
  plural_english: Stemmer.PLURAL_ENGLISH,
  kstem: Stemmer.KSTEM,
  light_english: Stemmer.KSTEM,
  spanish_plural: Stemmer.SPANISH_PLURAL,
};

const CAMEL_CASE = /^(light|minimal|plural|possessive)_/;
const BY_NAME: ReadonlyMap<string, number> = new Map(
  Object.entries(STEMMER_LANGUAGES).flatMap(([name, id]): [string, number][] => [
    [name, id],
    [name.replace(CAMEL_CASE, '$1'), id],
  ]),
);

export function stemStage(id: number): TokenFilter {
  if (id !== Stemmer.KSTEM) return kernelFilter(StageId.STEM, words([id]));
  const lexicon = kstemLexicon();
  return kernelFilter(StageId.STEM, recordBytes(OperationHead, { op: id, dataBytes: lexicon.length }, lexicon));
}

/** @throws ApiError illegal_argument_exception: no stemmer of this name; names the Snowball class that Lucene would have looked for */
export function stemmerByLanguage(language: string): TokenFilter {
  const id = BY_NAME.get(language.toLowerCase());
  if (id !== undefined) return stemStage(id);
  const className = language.charAt(0).toUpperCase() + language.slice(1);
  if (Object.hasOwn(SNOWBALL_CLASSES, className)) return stemStage(SNOWBALL_CLASSES[className]);
  throw noStemmerError(className);
}

function noStemmerError(className: string): ApiError {
  const cause = new ApiError('class_not_found_exception', 500, `org.tartarus.snowball.ext.${className}Stemmer`);
  return illegalArgumentError(`Invalid stemmer class specified: ${className}`, cause);
}

/** Classes of the `snowball` filter and analyzer. */
export const SNOWBALL_CLASSES: Readonly<Record<string, number>> = {
  English: Stemmer.PORTER2,
  Porter: Stemmer.PORTER_PUBLISHED,
  French: Stemmer.FRENCH,
  Danish: Stemmer.DANISH,
  Norwegian: Stemmer.NORWEGIAN,
  Swedish: Stemmer.SWEDISH,
  Russian: Stemmer.RUSSIAN,
  Hungarian: Stemmer.HUNGARIAN,
  Estonian: Stemmer.ESTONIAN,
  Finnish: Stemmer.FINNISH,
  Dutch: Stemmer.DUTCH,
  Catalan: Stemmer.CATALAN,
  Romanian: Stemmer.ROMANIAN,
  Basque: Stemmer.BASQUE,
  Irish: Stemmer.IRISH,
  Armenian: Stemmer.ARMENIAN,
  Lithuanian: Stemmer.LITHUANIAN,
  Turkish: Stemmer.TURKISH,
  German: Stemmer.GERMAN,
  German2: Stemmer.GERMAN,
  Spanish: Stemmer.SPANISH,
  Italian: Stemmer.ITALIAN,
  Portuguese: Stemmer.PORTUGUESE,
  Serbian: Stemmer.SERBIAN,
  Arabic: Stemmer.ARABIC_SNOWBALL,
  Hindi: Stemmer.HINDI_SNOWBALL,
  Indonesian: Stemmer.INDONESIAN_SNOWBALL,
  Nepali: Stemmer.NEPALI,
  Tamil: Stemmer.TAMIL,
  Yiddish: Stemmer.YIDDISH,
  Greek: Stemmer.GREEK_SNOWBALL,
};

/** @throws ApiError illegal_argument_exception: no such class */
export function snowballStage(language: string): TokenFilter {
  const name = language.charAt(0).toUpperCase() + language.slice(1);
  if (!Object.hasOwn(SNOWBALL_CLASSES, name)) throw noStemmerError(name);
  return stemStage(SNOWBALL_CLASSES[name]);
}
