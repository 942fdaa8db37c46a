// Decompounders: find words inside words, by a dictionary alone (a kernel) or only at hyphenation points (on the host).
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { DecompoundConfig, StageId } from '../../wasm/generated/analysis.ts';
import { joinConfigs, recordBytes, termSet } from '../blob.ts';
import { type BuildContext, type ComponentEntry, type FilterFactory, kernelFilter } from '../component.ts';
import { readText, wordList } from '../languages/word-lists.ts';
import { checkTokenCount } from '../tokens/token-stream.ts';
import { encodeWtf8 } from '../tokens/wtf8.ts';
import { termsFilter } from './host-terms.ts';
import { Hyphenator } from './hyphenator.ts';
import { filterEntry } from './kernel-filters.ts';

export interface Options {
  readonly minWord: number;
  readonly minPart: number;
  readonly maxPart: number;
  readonly onlyLongest: boolean;
}

type Dictionary = (term: string) => boolean;

/** Config of the decompound stage; assembly/analysis/filters/expand/decompound.ts has the layout. */
export function decompoundConfig({ minWord, minPart, maxPart, onlyLongest }: Options, list: readonly string[]): Uint8Array {
  const firsts = new Uint8Array(8192);
  for (const word of list) {
    const bytes = encodeWtf8(word);
    if (bytes.length === 1) firsts.fill(0xff, bytes[0] << 5, (bytes[0] + 1) << 5);
    else if (bytes.length) firsts[(bytes[0] << 5) | (bytes[1] >> 3)] |= 1 << (bytes[1] & 7);
  }
  return joinConfigs([
    recordBytes(DecompoundConfig, { minWord, minPart, maxPart, isLongestOnly: onlyLongest ? 1 : 0 }, firsts),
    termSet(list),
  ]);
}

interface HyphenOptions extends Options {
  readonly noSubMatches: boolean;
  readonly noOverlappingMatches: boolean;
}

/** @param longest length of the longest word in the dictionary */
function hyphenParts(term: string, options: HyphenOptions, hyphenator: Hyphenator, has: Dictionary, longest: number): string[] {
  const firstOnly = options.onlyLongest || options.noSubMatches || options.noOverlappingMatches;
  if (firstOnly && (has(term) || has(term.slice(0, -1)))) return [];
  const points = hyphenator.points(term);
  if (!points) return [];
  const out: string[] = [];
  const maxPart = Math.min(options.maxPart, term.length - 1, longest + 1);
  let consumed = -1;
  let last = 0;
  for (let i = 0; i < points.length; i++) {
    // The points are in ascending order, except the last one if the word starts with characters without a class.
    while (last + 2 < points.length && points[last + 1] - points[i] <= maxPart) last++;
    if (options.noOverlappingMatches && i < consumed) continue;
    const until = options.noSubMatches ? Math.max(consumed, i) : i;
    for (let j = points.length - 1; j > until; j = Math.min(j - 1, last)) {
      const size = points[j] - points[i];
      if (size > maxPart) continue;
      if (size < options.minPart) break;
      const part = term.slice(points[i], points[j]);
      // Also without its last character, which may be a linking letter.
      const match = has(part) ? part : has(part.slice(0, -1)) ? part.slice(0, -1) : null;
      if (match === null) continue;
      out.push(match);
      checkTokenCount(out.length);
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

/** @throws ApiError illegal_argument_exception: a size below 0 */
function checkSizes({ minWord, minPart, maxPart }: Options): void {
  const sizes = { minWordSize: minWord, minSubwordSize: minPart, maxSubwordSize: maxPart };
  for (const [name, size] of Object.entries(sizes)) if (size < 0) throw illegalArgumentError(`${name} cannot be negative`);
}

/** @throws ApiError illegal_argument_exception: there is no list */
function wordsOf(context: BuildContext): readonly string[] {
  const list = wordList(context, 'word_list');
  if (!list) throw illegalArgumentError(`word_list must be provided for [${context.name}], either as a path to a file, or directly`);
  return list;
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
      const list = wordsOf(context);
      const options = readOptions(context);
      return () => {
        checkSizes(options);
        return kernelFilter(StageId.DECOMPOUND, decompoundConfig(options, list));
      };
    },
    { inSynonymRules: 'skipped' },
  ),
  filterEntry(
    'hyphenation_decompounder',
    [...PARAMS, 'hyphenation_patterns_path: string', 'no_sub_matches: bool = false', 'no_overlapping_matches: bool = false'],
    (context) => {
      const { settings } = context;
      const set = new Set(wordsOf(context));
      const longest = [...set].reduce((most, word) => Math.max(most, word.length), 0);
      const has = (term: string): boolean => set.has(term);
      const path = settings.get('hyphenation_patterns_path');
      if (path === undefined) throw illegalArgumentError('hyphenation_patterns_path is a required setting.');
      const options: HyphenOptions = {
        ...readOptions(context),
        noSubMatches: settings.bool('no_sub_matches', false),
        noOverlappingMatches: settings.bool('no_overlapping_matches', false),
      };
      let hyphenator: Hyphenator;
      try {
        hyphenator = new Hyphenator(readText(context, path, 'hyphenation_patterns_path'));
      } catch (error) {
        if (error instanceof ApiError && error.reason?.startsWith('Resource path')) throw error;
        throw illegalArgumentError('Exception while reading hyphenation_patterns_path.');
      }
      return () => {
        checkSizes(options);
        return termsFilter((term) =>
          term.length < options.minWord ? [] : [term, ...hyphenParts(term, options, hyphenator, has, longest)],
        );
      };
    },
    { inSynonymRules: 'skipped' },
  ),
];
