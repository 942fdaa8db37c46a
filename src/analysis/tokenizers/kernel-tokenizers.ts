// Registry entries of tokenizers that are kernels.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { CharClassConfig, CharKind, StageId, StandardConfig, StandardFlag } from '../../wasm/generated/analysis.ts';
import { recordBytes, termSet, words } from '../blob.ts';
import type { BuildContext, ComponentEntry, Tokenizer, TokenizerFactory } from '../component.ts';
import { TOP_LEVEL_DOMAINS } from '../generated/tlds.ts';
import { hexNumber, runtimeError } from '../languages/word-lists.ts';
import type { Settings } from '../settings.ts';

/** An entry. If `make` returns a function, it is called when an analyzer is assembled. */
export function tokenizerEntry(
  type: string,
  params: readonly string[],
  make: (context: BuildContext) => Tokenizer | (() => Tokenizer),
): ComponentEntry<TokenizerFactory> {
  return {
    type,
    params,
    build(context) {
      const made = make(context);
      return { name: context.name, create: () => (typeof made === 'function' ? made() : made) };
    },
  };
}

export function kernelTokenizer(id: number, config: Uint8Array): Tokenizer {
  return { kind: 'kernel', stage: { id, config } };
}

const DEFAULT_MAX_LENGTH = 255;
const MAX_LENGTH_LIMIT = 1024 * 1024;

/** max_token_length of the standard family. @throws ApiError illegal_argument_exception, when an analyzer is assembled */
export function standardMaxLength(settings: Settings, limit = MAX_LENGTH_LIMIT): () => number {
  const length = settings.int('max_token_length', DEFAULT_MAX_LENGTH);
  return () => {
    if (length < 1) throw illegalArgumentError('maxTokenLength must be greater than zero');
    if (length > limit) throw illegalArgumentError(`maxTokenLength may not exceed ${limit}`);
    return length;
  };
}

/** max_token_length of the tokenizers that cut at character classes. */
function charMaxLength(settings: Settings, key = 'max_token_length', fallback = DEFAULT_MAX_LENGTH): () => number {
  const length = settings.int(key, fallback);
  return () => {
    if (length <= 0 || length > MAX_LENGTH_LIMIT) {
      throw illegalArgumentError(`maxTokenLen must be greater than 0 and less than ${MAX_LENGTH_LIMIT} passed: ${length}`);
    }
    return length;
  };
}

export function charClassTokenizer(kind: number, maxLength = DEFAULT_MAX_LENGTH, classes = 0, codePoints: number[] = []): Tokenizer {
  const values = { maxLength, kind, classes, codePointCount: codePoints.length };
  return kernelTokenizer(StageId.CHAR_CLASS, recordBytes(CharClassConfig, values, words(codePoints)));
}

/** @param splitsAtNonJoiner treats U+200C as a space */
export function standardTokenizer(maxLength = DEFAULT_MAX_LENGTH, splitsAtNonJoiner = false): Tokenizer {
  return kernelTokenizer(
    StageId.STANDARD,
    recordBytes(StandardConfig, { maxLength, flags: splitsAtNonJoiner ? StandardFlag.NON_JOINER : 0 }),
  );
}

const MAX_TOKEN_LENGTH = ['max_token_length: int = 255'];

export const KERNEL_TOKENIZERS: readonly ComponentEntry<TokenizerFactory>[] = [
  tokenizerEntry('standard', MAX_TOKEN_LENGTH, ({ settings }) => {
    const length = standardMaxLength(settings);
    return () => standardTokenizer(length());
  }),
  tokenizerEntry('classic', MAX_TOKEN_LENGTH, ({ settings }) => {
    const length = standardMaxLength(settings, 0x7fffffff);
    return () => kernelTokenizer(StageId.CLASSIC, words([length()]));
  }),
  tokenizerEntry('uax_url_email', MAX_TOKEN_LENGTH, ({ settings }) => {
    const length = standardMaxLength(settings);
    return () => ({ kind: 'kernel', stage: { id: StageId.URL_EMAIL, config: words([length()], termSet(TOP_LEVEL_DOMAINS.split(' '))) } });
  }),
  tokenizerEntry('letter', [], () => charClassTokenizer(CharKind.LETTER)),
  tokenizerEntry('lowercase', [], () => charClassTokenizer(CharKind.LOWERCASE)),
  tokenizerEntry('whitespace', MAX_TOKEN_LENGTH, ({ settings }) => {
    const length = charMaxLength(settings);
    return () => charClassTokenizer(CharKind.WHITESPACE, length());
  }),
  tokenizerEntry('keyword', ['buffer_size: int = 256'], ({ settings }) => {
    const size = charMaxLength(settings, 'buffer_size', 256);
    return () => {
      size();
      return kernelTokenizer(StageId.KEYWORD, words([]));
    };
  }),
  tokenizerEntry('char_group', ['tokenize_on_chars: list', 'max_token_length: int = 255'], ({ settings }) => {
    const length = charMaxLength(settings);
    let classes = 0;
    const codePoints: number[] = [];
    for (const item of settings.list('tokenize_on_chars') ?? []) {
      if (item === '') throw runtimeError('[tokenize_on_chars] cannot contain empty characters');
      const bit = item.length > 1 ? ['whitespace', 'letter', 'digit', 'punctuation', 'symbol'].indexOf(item) : -1;
      if (bit >= 0) classes |= 1 << bit;
      else if (item.length === 1) codePoints.push(item.charCodeAt(0));
      else codePoints.push(escapedChar(item));
    }
    return () => charClassTokenizer(CharKind.NOT_LISTED, length(), classes, codePoints);
  }),
];

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** `\n`, `\\`, `\u0041`; anything after a letter escape is ignored. @throws ApiError runtime_exception, number_format_exception */
function escapedChar(text: string): number {
  const code = text[1];
  if (text[0] !== '\\' || (code === 'u' && text.length > 6)) throw runtimeError(`Invalid escaped char in [${text}]`);
  if (code === 'u') return hexNumber(text.slice(2));
  if (code !== undefined && Object.hasOwn(ESCAPES, code)) return ESCAPES[code].charCodeAt(0);
  throw runtimeError(`Invalid escaped char ${code} in [${text}]`);
}
