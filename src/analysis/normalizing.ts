// Normalizing: the part of an analyzer that changes the characters of one term and does not divide it, for wildcards, prefixes and fuzzy terms.
import { illegalArgumentError } from '../errors/catalog.ts';
import { StageId } from '../wasm/generated/analysis.ts';
import type { Analyzer } from './analyzer.ts';
import { words } from './blob.ts';
import type { TokenFilter, TokenizerFactory } from './component.ts';
import { kernelTokenizer } from './tokenizers/kernel-tokenizers.ts';

/** Keeps the text as one token. */
export const KEYWORD_TOKENIZER: TokenizerFactory = { name: 'keyword', create: () => kernelTokenizer(StageId.KEYWORD, words([])) };

/** The parts of a built-in analyzer that a normalizer may have; lower-casing becomes a filter if the tokenizer does it. */
export function normalizingParts(parts: Analyzer['parts']): Analyzer['parts'] {
  return { ...parts, tokenizer: KEYWORD_TOKENIZER.create(), filters: normalizingFilters(parts) };
}

function normalizingFilters({ tokenizer, filters }: Analyzer['parts']): TokenFilter[] {
  const normalizing = new Set<number>([StageId.CASE, StageId.FOLDING, StageId.NORMALIZE, StageId.ELISION]);
  const kept = filters.filter((filter) => filter.kind === 'kernel' && filter.stages.every((stage) => normalizing.has(stage.id)));
  const lowers = tokenizer.kind === 'kernel' && tokenizer.stage.id === StageId.CHAR_CLASS && tokenizer.stage.config[4] === 1;
  return lowers ? [{ kind: 'kernel', stages: [{ id: StageId.CASE, config: new Uint8Array(4) }] }, ...kept] : kept;
}

/** @throws ApiError illegal_argument_exception: the chain does not produce exactly one token */
export function onlyTerm(analyzer: Analyzer, text: string): string {
  const tokens = analyzer.analyze(text);
  if (tokens.length !== 1)
    throw illegalArgumentError(`The normalization token stream is expected to produce exactly 1 token, but got ${tokens.length}`);
  return tokens[0].term;
}
