// Shingles: adjacent tokens joined to one, with a filler for each missing position.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { ShingleConfig, ShingleFlag, StageId } from '../../wasm/generated/analysis.ts';
import { joinConfigs, recordBytes } from '../blob.ts';
import { type BuildContext, type ComponentEntry, type FilterFactory, kernelFilter, type TokenFilter } from '../component.ts';
import { encodeWtf8 } from '../tokens/wtf8.ts';
import { filterEntry } from './kernel-filters.ts';

interface ShingleOptions {
  readonly min: number;
  readonly max: number;
  readonly unigrams: boolean;
  readonly unigramsIfNoShingles: boolean;
  readonly separator: string;
  readonly filler: string;
}

function shingleFilter({ min, max, unigrams, unigramsIfNoShingles, separator, filler }: ShingleOptions): TokenFilter {
  const flags = (unigrams ? ShingleFlag.UNIGRAMS : 0) | (unigramsIfNoShingles ? ShingleFlag.UNIGRAMS_IF_NONE : 0);
  const between = encodeWtf8(separator);
  const hole = encodeWtf8(filler);
  return kernelFilter(
    StageId.SHINGLE,
    recordBytes(ShingleConfig, { min, max, flags, separatorBytes: between.length, fillerBytes: hole.length }, joinConfigs([between, hole])),
  );
}

function shingleOptions({ settings, limits }: BuildContext): ShingleOptions {
  const min = settings.int('min_shingle_size', 2);
  const max = settings.int('max_shingle_size', 2);
  const unigrams = settings.bool('output_unigrams', true);
  const unigramsIfNoShingles = settings.bool('output_unigrams_if_no_shingles', false);
  const diff = max - min + (unigrams ? 1 : 0);
  if (diff > limits.maxShingleDiff) {
    throw illegalArgumentError(
      'In Shingle TokenFilter the difference between max_shingle_size and min_shingle_size (and +1 if outputting unigrams) must be less than or ' +
        `equal to: [${limits.maxShingleDiff}] but was [${diff}]. This limit can be set by changing the [index.max_shingle_diff] index level setting.`,
    );
  }
  return {
    min,
    max,
    unigrams,
    unigramsIfNoShingles,
    separator: settings.get('token_separator', ' '),
    filler: settings.get('filler_token', '_'),
  };
}

export const SHINGLE_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'shingle',
    [
      'min_shingle_size: int = 2',
      'max_shingle_size: int = 2',
      'output_unigrams: bool = true',
      'output_unigrams_if_no_shingles: bool = false',
      'token_separator: string = " "',
      'filler_token: string = _',
    ],
    (context) => {
      const options = shingleOptions(context);
      return () => {
        if (options.max < 2) throw illegalArgumentError('Max shingle size must be >= 2');
        if (options.min < 2) throw illegalArgumentError('Min shingle size must be >= 2');
        if (options.min > options.max) throw illegalArgumentError('Min shingle size must be <= max shingle size');
        return shingleFilter(options);
      };
    },
    { inSynonymRules: 'refused' },
  ),
];
