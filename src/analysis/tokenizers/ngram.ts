// N-grams of the text: ngram from every character, edge_ngram from the start of each run of token characters.
import { illegalArgument } from '../../errors/catalog.ts';
import { CATEGORY_NAMES, category, isDigit, isLetter, isPunctuation, isSymbol, isWhitespace } from '../characters.ts';
import type { BuildContext, ComponentEntry, Tokenizer, TokenizerFactory } from '../component.ts';
import type { Settings } from '../settings.ts';
import { makeToken, type Token } from '../token-stream.ts';
import { tokenizerEntry } from './simple.ts';

type CharTest = (cp: number) => boolean;

const CLASSES: Readonly<Record<string, CharTest>> = {
  letter: isLetter,
  digit: isDigit,
  whitespace: isWhitespace,
  punctuation: isPunctuation,
  symbol: isSymbol,
};

/** Names in the order that the service lists them in its refusal. */
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

/** Which characters belong to tokens; null for all. @throws ApiError illegal_argument_exception */
function tokenChars(settings: Settings): CharTest | null {
  const names = settings.list('token_chars');
  if (!names?.length) return null;
  const tests = names.map((name): CharTest => {
    const key = name.toLowerCase().trim();
    if (key === 'custom') {
      const custom = settings.get('custom_token_chars');
      if (custom === undefined) throw illegalArgument("Token type: 'custom' requires setting `custom_token_chars`");
      const set = new Set([...custom].map((char) => char.codePointAt(0)!));
      return (cp) => set.has(cp);
    }
    const test = CLASSES[key];
    if (test) return test;
    const wanted = CATEGORY_NAMES[key];
    if (wanted === undefined) throw illegalArgument(unknownTokenType(name.toLowerCase()));
    return (cp) => category(cp) === wanted;
  });
  return (cp) => tests.some((test) => test(cp));
}

function unknownTokenType(name: string): string {
  return `Unknown token type: '${name}', must be one of [${NAMES_IN_REFUSAL.join(', ')}]`;
}

export function checkGrams(min: number, max: number): void {
  if (min < 1) throw illegalArgument('minGram must be greater than zero');
  if (min > max) throw illegalArgument('minGram must not be greater than maxGram');
}

function gramTokenizer(min: number, max: number, isToken: CharTest | null, edgesOnly: boolean): Tokenizer {
  checkGrams(min, max);
  return {
    kind: 'host',
    tokenize(text) {
      const tokens: Token[] = [];
      // Offsets of the code points of a run, and its end.
      const flush = (starts: number[], end: number): void => {
        const bounds = [...starts, end];
        const last = edgesOnly ? Math.min(1, starts.length) : starts.length;
        for (let i = 0; i < last; i++) {
          for (let size = min; size <= max && i + size < bounds.length; size++) {
            tokens.push(makeToken(text.slice(bounds[i], bounds[i + size]), bounds[i], bounds[i + size]));
          }
        }
      };
      let run: number[] = [];
      for (let at = 0; at < text.length; ) {
        const cp = text.codePointAt(at)!;
        if (!isToken || isToken(cp)) run.push(at);
        else {
          flush(run, at);
          run = [];
        }
        at += cp > 0xffff ? 2 : 1;
      }
      flush(run, text.length);
      return { tokens, endOffset: text.length, endPosInc: 0 };
    },
  };
}

/** @throws ApiError illegal_argument_exception: wider than index.max_ngram_diff */
export function checkNgramDiff({ limits }: BuildContext, min: number, max: number): void {
  const diff = max - min;
  if (diff <= limits.maxNgramDiff) return;
  throw illegalArgument(
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
    const test = tokenChars(context.settings);
    return () => gramTokenizer(min, max, test, false);
  }),
  tokenizerEntry('edge_ngram', PARAMS, ({ settings }) => {
    const min = settings.int('min_gram', 1);
    const max = settings.int('max_gram', 2);
    const test = tokenChars(settings);
    return () => gramTokenizer(min, max, test, true);
  }),
];
