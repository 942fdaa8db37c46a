// Common grams: adds a token for each pair of words of which at least one is frequent; in query mode, such pairs replace their words.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { IGNORE_CASE, StageId } from '../../wasm/generated/analysis.ts';
import { termSet, words } from '../blob.ts';
import type { ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import { lowerCodePoints, stopWords } from '../languages/word-lists.ts';
import { filterEntry } from './kernel-filters.ts';

export const COMMON_GRAMS_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'common_grams',
    ['common_words: list', 'common_words_path: string', 'ignore_case: bool = false', 'query_mode: bool = false'],
    (context): TokenFilter => {
      const { settings } = context;
      if (!settings.has('common_words') && !settings.has('common_words_path') && !context.isBuiltIn) {
        throw illegalArgumentError('missing or empty [common_words] or [common_words_path] configuration for common_grams token filter');
      }
      const ignoreCase = settings.bool('ignore_case', false);
      const frequent = stopWords(context, [], 'common_words');
      const config = words([ignoreCase ? IGNORE_CASE : 0], termSet(ignoreCase ? frequent.map(lowerCodePoints) : frequent));
      const grams = { id: StageId.COMMON_GRAMS, config };
      const only = { id: StageId.GRAMS_ONLY, config: new Uint8Array(0) };
      return { kind: 'kernel', stages: settings.bool('query_mode', false) ? [grams, only] : [grams] };
    },
    { inSynonymRules: 'refused' },
  ),
];
