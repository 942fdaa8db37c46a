// N-grams of terms: every gram has the offsets and position of its token.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { NgramConfig, NgramFlag, StageId } from '../../wasm/generated/analysis.ts';
import { recordBytes } from '../blob.ts';
import type { ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import { checkGrams, checkNgramDiff } from '../tokenizers/ngram.ts';
import { filterEntry } from './kernel-filters.ts';

const REVERSE = { id: StageId.REVERSE, config: new Uint8Array(0) };

/** Grams from the end are those of the reversed term, reversed again. */
function gramFilter(min: number, max: number, flags: number, fromBack = false): TokenFilter {
  checkGrams(min, max);
  const grams = { id: StageId.NGRAM, config: recordBytes(NgramConfig, { min, max, flags }) };
  return { kind: 'kernel', stages: fromBack ? [REVERSE, grams, REVERSE] : [grams] };
}

const PARAMS = ['min_gram: int = 1', 'max_gram: int = 2', 'preserve_original: bool = false'];

export const NGRAM_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'ngram',
    PARAMS,
    (context) => {
      const { settings } = context;
      const min = settings.int('min_gram', 1);
      const max = settings.int('max_gram', 2);
      checkNgramDiff(context, min, max);
      const flags = settings.bool('preserve_original', false) ? NgramFlag.PRESERVE : 0;
      return () => gramFilter(min, max, flags);
    },
    { inSynonymRules: 'refused' },
  ),
  filterEntry(
    'edge_ngram',
    [...PARAMS, 'side: string = front'],
    ({ settings, isBuiltIn }) => {
      const min = settings.int('min_gram', 1);
      const max = isBuiltIn ? 1 : settings.int('max_gram', 2);
      const side = settings.get('side', 'front');
      if (side !== 'front' && side !== 'back') throw illegalArgumentError(`invalid side: ${side}`);
      const flags = NgramFlag.EDGE | (settings.bool('preserve_original', false) ? NgramFlag.PRESERVE : 0);
      return () => gramFilter(min, max, flags, side === 'back');
    },
    { inSynonymRules: 'refused' },
  ),
];
