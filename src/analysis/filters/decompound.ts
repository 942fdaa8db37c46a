// Decompounders: words inside words, by a dictionary alone or at hyphenation points only.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import type { BuildContext, ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import { Hyphenator } from '../hyphenator.ts';
import type { Token } from '../token-stream.ts';
import { readText, wordList } from '../word-lists.ts';
import { listFilter } from './lists.ts';
import { filterEntry } from './simple.ts';

interface Options {
  readonly minWord: number;
  readonly minPart: number;
  readonly maxPart: number;
  readonly onlyLongest: boolean;
}

type Dictionary = (term: string) => boolean;

/** The word, and its parts at the same place with its offsets. Sizes count UTF-16 units. */
function decompounder(options: Options, parts: (term: string) => string[]): TokenFilter {
  return listFilter((tokens) =>
    tokens.flatMap((token): Token[] => {
      if (token.term.length < options.minWord) return [token];
      return [token, ...parts(token.term).map((term) => ({ ...token, term, posInc: 0 }))];
    }),
  );
}

function dictionaryParts(term: string, { minPart, maxPart, onlyLongest }: Options, has: Dictionary): string[] {
  const out: string[] = [];
  for (let at = 0; at <= term.length - minPart; at++) {
    const found: string[] = [];
    for (let size = minPart; size <= maxPart && at + size <= term.length; size++) {
      const part = term.slice(at, at + size);
      if (has(part)) found.push(part);
    }
    if (onlyLongest && found.length) {
      // Characters of a longest part belong to no other.
      out.push(found[found.length - 1]);
      at += found[found.length - 1].length - 1;
    } else out.push(...found);
  }
  return out;
}

interface HyphenOptions extends Options {
  readonly noSubMatches: boolean;
  readonly noOverlappingMatches: boolean;
}

function hyphenParts(term: string, options: HyphenOptions, hyphenator: Hyphenator, has: Dictionary | null): string[] {
  const firstOnly = options.onlyLongest || options.noSubMatches || options.noOverlappingMatches;
  if (firstOnly && has && (has(term) || has(term.slice(0, -1)))) return [];
  const points = hyphenator.points(term);
  if (!points) return [];
  const out: string[] = [];
  const maxPart = Math.min(options.maxPart, term.length - 1);
  let consumed = -1;
  for (let i = 0; i < points.length; i++) {
    if (options.noOverlappingMatches && i < consumed) continue;
    const until = options.noSubMatches ? Math.max(consumed, i) : i;
    for (let j = points.length - 1; j > until; j--) {
      const size = points[j] - points[i];
      if (size > maxPart) continue;
      if (size < options.minPart) break;
      const part = term.slice(points[i], points[j]);
      // Without its last character too, which may be a binding one.
      const match = !has || has(part) ? part : has(part.slice(0, -1)) ? part.slice(0, -1) : null;
      if (match === null) continue;
      out.push(match);
      consumed = j;
      if (firstOnly) break;
    }
  }
  return out;
}

function readOptions({ settings }: BuildContext): Options {
  return {
    minWord: settings.int('min_word_size', 5),
    minPart: settings.int('min_subword_size', 2),
    maxPart: settings.int('max_subword_size', 15),
    onlyLongest: settings.bool('only_longest_match', false),
  };
}

function dictionaryOf(context: BuildContext): Dictionary | null {
  const words = wordList(context, 'word_list');
  if (!words) return null;
  const set = new Set(words);
  return (term) => set.has(term);
}

const PARAMS = [
  'word_list: list',
  'word_list_path: string',
  'min_word_size: int = 5',
  'min_subword_size: int = 2',
  'max_subword_size: int = 15',
  'only_longest_match: bool = false',
];

export const DECOMPOUND_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'dictionary_decompounder',
    PARAMS,
    (context) => {
      const has = dictionaryOf(context);
      if (!has) throw illegalArgument(`word_list must be provided for [${context.name}], either as a path to a file, or directly`);
      const options = readOptions(context);
      return decompounder(options, (term) => dictionaryParts(term, options, has));
    },
    { inSynonymRules: 'skipped' },
  ),
  filterEntry(
    'hyphenation_decompounder',
    [...PARAMS, 'hyphenation_patterns_path: string', 'no_sub_matches: bool = false', 'no_overlapping_matches: bool = false'],
    (context) => {
      const { settings } = context;
      const has = dictionaryOf(context);
      if (!has) throw illegalArgument(`word_list must be provided for [${context.name}], either as a path to a file, or directly`);
      const path = settings.get('hyphenation_patterns_path');
      if (path === undefined) throw illegalArgument('hyphenation_patterns_path is a required setting.');
      const options: HyphenOptions = {
        ...readOptions(context),
        noSubMatches: settings.bool('no_sub_matches', false),
        noOverlappingMatches: settings.bool('no_overlapping_matches', false),
      };
      let hyphenator: Hyphenator;
      try {
        hyphenator = new Hyphenator(readText(context, path, 'hyphenation_patterns_path'));
      } catch (error) {
        throw new ApiError('illegal_argument_exception', 400, 'Exception while reading hyphenation_patterns_path.', {
          causedBy: error instanceof ApiError ? error : null,
        });
      }
      return decompounder(options, (term) => hyphenParts(term, options, hyphenator, has));
    },
    { inSynonymRules: 'skipped' },
  ),
];
