// Registry entries of token filters that have files of their own.
import type { ComponentEntry, FilterFactory } from '../component.ts';
import { COMMON_GRAMS_FILTERS } from './common-grams.ts';
import { CONCATENATE_FILTERS } from './concatenate-graph.ts';
import { DECOMPOUND_FILTERS } from './decompound.ts';
import { SUMMARY_FILTERS } from './fingerprint.ts';
import { FLATTEN_FILTERS } from './flatten-graph.ts';
import { NESTED_FILTERS } from './nested.ts';
import { NGRAM_FILTERS } from './ngram.ts';
import { PATTERN_FILTERS } from './pattern.ts';
import { PAYLOAD_FILTERS } from './payload.ts';
import { SHINGLE_FILTERS } from './shingle.ts';
import { SYNONYM_FILTERS } from './synonym.ts';
import { WORD_DELIMITER_FILTERS } from './word-delimiter.ts';

export const FAMILY_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  ...COMMON_GRAMS_FILTERS,
  ...CONCATENATE_FILTERS,
  ...DECOMPOUND_FILTERS,
  ...FLATTEN_FILTERS,
  ...NESTED_FILTERS,
  ...NGRAM_FILTERS,
  ...PATTERN_FILTERS,
  ...PAYLOAD_FILTERS,
  ...SHINGLE_FILTERS,
  ...SUMMARY_FILTERS,
  ...SYNONYM_FILTERS,
  ...WORD_DELIMITER_FILTERS,
];
