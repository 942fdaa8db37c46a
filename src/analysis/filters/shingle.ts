// Shingles: neighbouring tokens joined, holes filled with a filler token.
import { illegalArgument } from '../../errors/catalog.ts';
import type { BuildContext, ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import type { Token, TokenStream } from '../token-stream.ts';
import { filterEntry } from './simple.ts';

export interface ShingleOptions {
  readonly min: number;
  readonly max: number;
  readonly unigrams: boolean;
  readonly unigramsIfNoShingles: boolean;
  readonly separator: string;
  readonly filler: string;
}

interface Slot {
  token: Token;
  isFiller: boolean;
}

/** Tokens with a filler for each hole, at most max - 1 in a row; holes at the end too. */
function withFillers(stream: TokenStream, { max, filler }: ShingleOptions): Slot[] {
  const slots: Slot[] = [];
  const fill = (count: number, offset: number, like: Token): void => {
    for (let i = 0; i < Math.min(count, max - 1); i++) {
      slots.push({ token: { ...like, term: filler, startOffset: offset, endOffset: offset }, isFiller: true });
    }
  };
  for (const token of stream.tokens) {
    fill(token.posInc - 1, token.startOffset, token);
    slots.push({ token, isFiller: false });
  }
  const last = stream.tokens.at(-1);
  const blank: Token = { ...(last ?? BLANK), type: 'word', posInc: 1, posLen: 1, keyword: false };
  fill(stream.endPosInc, stream.endOffset, blank);
  return slots;
}

const BLANK: Token = {
  term: '',
  startOffset: 0,
  endOffset: 0,
  posInc: 1,
  posLen: 1,
  type: 'word',
  keyword: false,
  termFreq: 1,
  payload: null,
};

export function shingleFilter(options: ShingleOptions): TokenFilter {
  const { min, max, unigrams, separator } = options;
  return {
    kind: 'host',
    apply(stream) {
      const slots = withFillers(stream, options);
      const tokens: Token[] = [];
      const lonely = options.unigramsIfNoShingles && !unigrams && slots.length < min;
      const sizes = unigrams || lonely ? [1] : [];
      for (let size = min; size <= max; size++) sizes.push(size);
      for (let from = 0; from < slots.length; from++) {
        let posInc = 1;
        const before = tokens.length;
        for (const size of sizes) {
          if (from + size > slots.length) break;
          const window = slots.slice(from, from + size);
          if (window.every((slot) => slot.isFiller)) continue;
          const first = window[0].token;
          tokens.push({
            ...first,
            term: window.map((slot) => slot.token.term).join(separator),
            endOffset: window[size - 1].token.endOffset,
            type: size > 1 ? 'shingle' : first.type,
            posInc,
            // Lengths count from the smallest size that is put out.
            posLen: Math.max(1, size - sizes[0] + 1),
          });
          posInc = 0;
        }
        // A place without a shingle ends the stream.
        if (tokens.length === before) break;
      }
      return { ...stream, tokens };
    },
  };
}

function shingleOptions({ settings, limits }: BuildContext): ShingleOptions {
  const min = settings.int('min_shingle_size', 2);
  const max = settings.int('max_shingle_size', 2);
  const unigrams = settings.bool('output_unigrams', true);
  const unigramsIfNoShingles = settings.bool('output_unigrams_if_no_shingles', false);
  const diff = max - min + (unigrams ? 1 : 0);
  if (diff > limits.maxShingleDiff) {
    throw illegalArgument(
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
        if (options.max < 2) throw illegalArgument('Max shingle size must be >= 2');
        if (options.min < 2) throw illegalArgument('Min shingle size must be >= 2');
        if (options.min > options.max) throw illegalArgument('Min shingle size must be <= max shingle size');
        return shingleFilter(options);
      };
    },
    { inSynonymRules: 'refused' },
  ),
];
