// Common grams: pairs with a frequent word as further tokens; in query mode pairs instead of their words.
import { illegalArgument } from '../../errors/catalog.ts';
import type { ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import type { Token } from '../token-stream.ts';
import { lowerCodePoints, stopWords } from '../word-lists.ts';
import { listFilter } from './lists.ts';
import { filterEntry } from './simple.ts';

function withGrams(tokens: readonly Token[], isCommon: (term: string) => boolean): Token[] {
  const out: Token[] = [];
  tokens.forEach((token, i) => {
    const before = tokens[i - 1];
    if (before && (isCommon(before.term) || isCommon(token.term))) {
      out.push({
        ...token,
        term: `${before.term}_${token.term}`,
        startOffset: before.startOffset,
        type: 'gram',
        posInc: 0,
        posLen: 2,
        keyword: false,
      });
    }
    out.push(token);
  });
  return out;
}

/** Leaves out words that a gram begins with, and the last word if a gram ends with it. */
function gramsOnly(tokens: readonly Token[]): Token[] {
  const out: Token[] = [];
  tokens.forEach((token, i) => {
    const next = tokens[i + 1];
    if (token.type === 'gram') out.push({ ...token, posInc: 1, posLen: 1 });
    else if (next?.type !== 'gram' && (next || tokens[i - 1]?.type !== 'gram')) out.push(token);
  });
  return out;
}

export const COMMON_GRAMS_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'common_grams',
    ['common_words: list', 'common_words_path: string', 'ignore_case: bool = false', 'query_mode: bool = false'],
    (context): TokenFilter => {
      const { settings } = context;
      if (!settings.has('common_words') && !settings.has('common_words_path')) {
        throw illegalArgument('missing or empty [common_words] or [common_words_path] configuration for common_grams token filter');
      }
      const ignoreCase = settings.bool('ignore_case', false);
      const words = stopWords(context, [], 'common_words');
      const set = new Set(ignoreCase ? words.map(lowerCodePoints) : words);
      const isCommon = (term: string): boolean => set.has(ignoreCase ? lowerCodePoints(term) : term);
      const queryMode = settings.bool('query_mode', false);
      return listFilter((tokens) => (queryMode ? gramsOnly(withGrams(tokens, isCommon)) : withGrams(tokens, isCommon)));
    },
    { inSynonymRules: 'refused' },
  ),
];
