// N-grams of the text: ngram from every character, edge_ngram from the start of each run of token characters.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { CATEGORY_NAMES } from '../../regex/characters.ts';
import { NgramTokenizerConfig, NgramTokenizerFlag, StageId } from '../../wasm/generated/analysis.ts';
import { recordBytes, words } from '../blob.ts';
import type { BuildContext, ComponentEntry, Tokenizer, TokenizerFactory } from '../component.ts';
import type { Settings } from '../settings.ts';
import { kernelTokenizer, tokenizerEntry } from './kernel-tokenizers.ts';

/** Bits of general categories (characters.ts). */
const CLASSES: Readonly<Record<string, number>> = { letter: 0x3e, digit: 0x200, punctuation: 0x61f00000, symbol: 0x1e000000 };

/** The characters that belong to tokens, as the kernel encodes them (assembly/analysis/tokenizers/ngram.ts). */
interface TokenChars {
  readonly flags: number;
  readonly categories: number;
  readonly codePoints: readonly number[];
}

/** Names in the order in which the service lists them in its error. */
const NAMES_IN_REFUSAL = [
  'symbol',
  'private_use',
  'paragraph_separator',
  'start_punctuation',
  'unassigned',
  'enclosing_mark',
  'connector_punctuation',
  'letter_number',
  'other_number',
  'math_symbol',
  'lowercase_letter',
  'space_separator',
  'surrogate',
  'initial_quote_punctuation',
  'decimal_digit_number',
  'digit',
  'other_punctuation',
  'dash_punctuation',
  'currency_symbol',
  'non_spacing_mark',
  'custom',
  'format',
  'modifier_letter',
  'control',
  'uppercase_letter',
  'other_symbol',
  'end_punctuation',
  'modifier_symbol',
  'other_letter',
  'line_separator',
  'titlecase_letter',
  'letter',
  'punctuation',
  'combining_spacing_mark',
  'final_quote_punctuation',
  'whitespace',
];

/** @throws ApiError illegal_argument_exception */
function tokenChars(settings: Settings): TokenChars {
  const names = settings.list('token_chars');
  if (!names?.length) return { flags: NgramTokenizerFlag.ALL, categories: 0, codePoints: [] };
  let flags = 0;
  let categories = 0;
  let codePoints: number[] = [];
  for (const name of names) {
    const key = name.toLowerCase().trim();
    if (key === 'custom') {
      const custom = settings.get('custom_token_chars');
      if (custom === undefined) throw illegalArgumentError("Token type: 'custom' requires setting `custom_token_chars`");
      codePoints = [...new Set(Array.from(custom, (char) => char.codePointAt(0) ?? 0))].sort((a, b) => a - b);
    } else if (key === 'whitespace') flags |= NgramTokenizerFlag.WHITESPACE;
    else if (Object.hasOwn(CLASSES, key)) categories |= CLASSES[key];
    else if (Object.hasOwn(CATEGORY_NAMES, key)) categories |= 1 << CATEGORY_NAMES[key];
    else throw illegalArgumentError(unknownTokenType(name.toLowerCase()));
  }
  return { flags, categories, codePoints };
}

function unknownTokenType(name: string): string {
  return `Unknown token type: '${name}', must be one of [${NAMES_IN_REFUSAL.join(', ')}]`;
}

export function checkGrams(min: number, max: number): void {
  if (min < 1) throw illegalArgumentError('minGram must be greater than zero');
  if (min > max) throw illegalArgumentError('minGram must not be greater than maxGram');
}

function gramTokenizer(min: number, max: number, chars: TokenChars, flags: number): Tokenizer {
  checkGrams(min, max);
  const { categories, codePoints } = chars;
  const values = { min, max, flags: chars.flags | flags, categories: categories >>> 0, codePointCount: codePoints.length };
  return kernelTokenizer(StageId.NGRAM_TOKENIZER, recordBytes(NgramTokenizerConfig, values, words(codePoints)));
}

/** @throws ApiError illegal_argument_exception: wider than index.max_ngram_diff */
export function checkNgramDiff({ limits }: BuildContext, min: number, max: number): void {
  const diff = max - min;
  if (diff <= limits.maxNgramDiff) return;
  throw illegalArgumentError(
    `The difference between max_gram and min_gram in NGram Tokenizer must be less than or equal to: [${limits.maxNgramDiff}] but was [${diff}]. ` +
      'This limit can be set by changing the [index.max_ngram_diff] index level setting.',
  );
}

const PARAMS = ['min_gram: int = 1', 'max_gram: int = 2', 'token_chars: list', 'custom_token_chars: string'];

export const NGRAM_TOKENIZERS: readonly ComponentEntry<TokenizerFactory>[] = [
  tokenizerEntry('ngram', PARAMS, (context) => {
    const min = context.settings.int('min_gram', 1);
    const max = context.settings.int('max_gram', 2);
    checkNgramDiff(context, min, max);
    const chars = tokenChars(context.settings);
    return () => gramTokenizer(min, max, chars, 0);
  }),
  tokenizerEntry('edge_ngram', PARAMS, ({ settings }) => {
    const min = settings.int('min_gram', 1);
    const max = settings.int('max_gram', 2);
    const chars = tokenChars(settings);
    return () => gramTokenizer(min, max, chars, NgramTokenizerFlag.EDGE);
  }),
];
