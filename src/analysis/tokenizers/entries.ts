// Tokenizers that run on the host.
import type { ComponentEntry, TokenizerFactory } from '../component.ts';
import { NGRAM_TOKENIZERS } from './ngram.ts';
import { PATH_TOKENIZERS } from './path-hierarchy.ts';
import { PATTERN_TOKENIZERS } from './pattern.ts';
import { tokenizerEntry } from './simple.ts';
import { THAI_TOKENIZER } from './thai.ts';

export const HOST_TOKENIZERS: readonly ComponentEntry<TokenizerFactory>[] = [
  ...NGRAM_TOKENIZERS,
  ...PATH_TOKENIZERS,
  ...PATTERN_TOKENIZERS,
  tokenizerEntry('thai', [], () => THAI_TOKENIZER),
];
