// The `hunspell` filter: emits every stem of a word in a dictionary, at the word's position. It runs on the host: dictionaries are megabytes of words
// shared by chains, and words recur, so that most are found in the filter's cache (docs/internals/notes.md has the figures).
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { BuildContext, ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import type { ConfigFiles } from '../config-files.ts';
import { termsFilter } from '../filters/host-terms.ts';
import { filterEntry } from '../filters/kernel-filters.ts';
import { HunspellDictionary } from './dictionary.ts';
import { HunspellStemmer } from './stemmer.ts';

/** Maximum number of words whose stems a filter caches. */
const MAX_REMEMBERED = 65_536;
/** Maximum length of a cached word. */
const MAX_REMEMBERED_LENGTH = 64;

/** How the stems of a word are reduced. */
interface HunspellOptions {
  /** Emits each stem once. */
  readonly dedup: boolean;
  /** Emits only the longest stem, the last of several equally long ones. */
  readonly longestOnly: boolean;
}

function hunspellFilter(dictionary: HunspellDictionary, { dedup, longestOnly }: HunspellOptions): TokenFilter {
  const stemmer = new HunspellStemmer(dictionary);
  let remembered = new Map<string, readonly string[]>();
  const stemsOf = (word: string): readonly string[] => {
    let stems = remembered.get(word);
    if (stems) return stems;
    stems = stemmer.stem(word);
    if (longestOnly) stems = stems.length ? [longest(stems)] : stems;
    else if (dedup) stems = distinct(stems, dictionary.affixes.ignoresCase);
    if (word.length <= MAX_REMEMBERED_LENGTH) {
      if (remembered.size >= MAX_REMEMBERED) remembered = new Map();
      remembered.set(word, stems);
    }
    return stems;
  };
  return termsFilter(stemsOf, { keepsKeywords: true });
}

function longest(stems: readonly string[]): string {
  return stems.reduce((best, stem) => (stem.length > best.length || (stem.length === best.length && stem > best) ? stem : best));
}

function distinct(stems: readonly string[], ignoresCase: boolean): string[] {
  const seen = new Set<string>();
  return stems.filter((stem) => {
    const key = ignoresCase ? stem.toLowerCase() : stem;
    return !seen.has(key) && seen.add(key);
  });
}

/** Dictionaries by their files: read once and shared by the filters of a thread. */
const dictionaries = new WeakMap<object, Map<string, HunspellDictionary>>();

/** @throws ApiError illegal_state_exception, with its cause: the dictionary does not exist or cannot be read */
function dictionaryOf(files: ConfigFiles, locale: string, names: readonly string[]): HunspellDictionary {
  const owner = files.hunspell ?? files;
  let known = dictionaries.get(owner);
  if (!known) dictionaries.set(owner, (known = new Map()));
  const key = [locale, ...names].join('\n');
  let dictionary = known.get(key);
  if (!dictionary) {
    try {
      const source = files.hunspell?.(locale, names);
      if (!source) throw new ApiError('exception', 500, `Could not find hunspell dictionary [${locale}]`);
      dictionary = HunspellDictionary.read(source);
    } catch (error) {
      throw new ApiError('illegal_state_exception', 500, `failed to load hunspell dictionary for locale: ${locale}`, {
        causedBy: error instanceof ApiError ? error : new ApiError('exception', 500, (error as Error).message),
      });
    }
    known.set(key, dictionary);
  }
  return dictionary;
}

function build({ settings, files }: BuildContext): TokenFilter {
  const locale = settings.get('locale') ?? settings.get('language') ?? settings.get('lang');
  if (locale === undefined) throw illegalArgumentError('missing [locale | language | lang] configuration for hunspell token filter');
  if (!files) throw illegalArgumentError(`Unknown hunspell dictionary for locale [${locale}]`);
  const options = { dedup: settings.bool('dedup', true), longestOnly: settings.bool('longest_only', false) };
  return hunspellFilter(dictionaryOf(files, locale, settings.list('dictionary') ?? []), options);
}

export const HUNSPELL_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'hunspell',
    ['locale: string', 'language: string', 'lang: string', 'dictionary: list', 'dedup: bool = true', 'longest_only: bool = false'],
    build,
  ),
];
