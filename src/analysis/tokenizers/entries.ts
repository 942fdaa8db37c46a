// Registry entries of tokenizers that run on the host, or whose kernels need tables from it.
import type { ComponentEntry, TokenizerFactory } from '../component.ts';
import { tokenizerEntry } from './kernel-tokenizers.ts';
import { NGRAM_TOKENIZERS } from './ngram.ts';
import { PATH_TOKENIZERS } from './path-hierarchy.ts';
import { PATTERN_TOKENIZERS } from './pattern.ts';
import { thaiTokenizer } from './thai.ts';

export const FAMILY_TOKENIZERS: readonly ComponentEntry<TokenizerFactory>[] = [
  ...NGRAM_TOKENIZERS,
  ...PATH_TOKENIZERS,
  ...PATTERN_TOKENIZERS,
  tokenizerEntry('thai', [], () => thaiTokenizer),
];
