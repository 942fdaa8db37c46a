// All components by type. The entries are defined in the lists of each folder.

import { getOwn } from '../common/json/own-property.ts';
import { checkTurn } from '../common/turns/turn.ts';
import type { Dialect } from '../compat/dialect.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { BUILT_IN_ANALYZERS } from './built-in-analyzers.ts';
import { CHAR_FILTER_ENTRIES } from './char-filters/entries.ts';
import type { AnalyzerEntry, BuildContext, CharFilterFactory, ComponentEntry, FilterFactory, TokenizerFactory } from './component.ts';
import { FAMILY_FILTERS } from './filters/entries.ts';
import { KERNEL_FILTERS } from './filters/kernel-filters.ts';
import { HUNSPELL_FILTERS } from './hunspell/hunspell-filter.ts';
import { LANGUAGE_ANALYZERS, LANGUAGE_FILTERS } from './languages/index.ts';
import { FAMILY_TOKENIZERS } from './tokenizers/entries.ts';
import { KERNEL_TOKENIZERS } from './tokenizers/kernel-tokenizers.ts';

function byType<F>(...lists: readonly (readonly ComponentEntry<F>[])[]): ReadonlyMap<string, ComponentEntry<F>> {
  return new Map(lists.flat().map((entry) => [entry.type, entry]));
}

export const CHAR_FILTERS: ReadonlyMap<string, ComponentEntry<CharFilterFactory>> = byType(CHAR_FILTER_ENTRIES);
export const TOKENIZERS: ReadonlyMap<string, ComponentEntry<TokenizerFactory>> = byType(KERNEL_TOKENIZERS, FAMILY_TOKENIZERS);
export const TOKEN_FILTERS: ReadonlyMap<string, ComponentEntry<FilterFactory>> = byType(
  KERNEL_FILTERS,
  FAMILY_FILTERS,
  LANGUAGE_FILTERS,
  HUNSPELL_FILTERS,
);
export const ANALYZERS: ReadonlyMap<string, AnalyzerEntry> = byType(BUILT_IN_ANALYZERS, LANGUAGE_ANALYZERS);

/** Names in older versions that new indices may not use. */
const OLD_FILTER_NAMES: Readonly<Record<string, string>> = { nGram: 'ngram', edgeNGram: 'edge_ngram' };
const OLD_TOKENIZER_NAMES: Readonly<Record<string, string>> = { nGram: 'ngram', edgeNGram: 'edge_ngram' };
/** Old names that are still supported. */
const ALIASES: Readonly<Record<string, string>> = { PathHierarchy: 'path_hierarchy' };

function oldTokenizerNameError(type: string): Error {
  return illegalArgumentError(
    `The [${type}] tokenizer name was deprecated pre 1.0. Please change the tokenizer name to [${OLD_TOKENIZER_NAMES[type]}] for indices created in versions 3.0 or higher instead.`,
  );
}

export function tokenizerEntryOf(type: string, { knowsOldAnalysisNames }: Dialect): ComponentEntry<TokenizerFactory> | undefined {
  const old = getOwn(OLD_TOKENIZER_NAMES, type);
  if (old && knowsOldAnalysisNames) return TOKENIZERS.get(old);
  if (old) throw oldTokenizerNameError(type);
  return TOKENIZERS.get(getOwn(ALIASES, type) ?? type);
}

/** The filter type that a name in a chain refers to. */
export function filterEntryNamed(name: string, dialect: Dialect): ComponentEntry<FilterFactory> | undefined {
  const current = getOwn(OLD_FILTER_NAMES, name);
  if (current) {
    throw illegalArgumentError(
      `The [${name}] token filter name was deprecated in 6.4 and cannot be used in new indices. Please change the filter name to [${current}] instead.`,
    );
  }
  return filterEntryOf(name, dialect);
}

/** The character filter that a name in a chain refers to. */
export function charFilterEntryNamed(name: string, { knowsOldAnalysisNames }: Dialect): ComponentEntry<CharFilterFactory> | undefined {
  return CHAR_FILTERS.get(name === 'htmlStrip' && knowsOldAnalysisNames ? 'html_strip' : name);
}

/** The filter type of a definition. Of the old types, one is refused with the tokenizer's message and the other is still supported. */
export function filterEntryOf(type: string, { knowsOldAnalysisNames }: Dialect): ComponentEntry<FilterFactory> | undefined {
  if (type === 'standard') throw illegalArgumentError('The [standard] token filter has been removed.');
  if (type === 'edgeNGram' && !knowsOldAnalysisNames) throw oldTokenizerNameError(type);
  return TOKEN_FILTERS.get(OLD_FILTER_NAMES[type] ?? type);
}

/** Components that need parameters: a chain can only name them if they are defined. */
export const DEFINED_ONLY: Readonly<Record<'char_filter' | 'filter', ReadonlySet<string>>> = {
  char_filter: new Set(['mapping', 'pattern_replace']),
  filter: new Set([
    'condition',
    'dictionary_decompounder',
    'hunspell',
    'hyphenation_decompounder',
    'keep',
    'keep_types',
    'keyword_marker',
    'pattern_capture',
    'pattern_replace',
    'predicate_token_filter',
    'stemmer_override',
    'synonym',
    'synonym_graph',
  ]),
};

/** Builds a component and warns about unknown parameters. */
export function buildComponent<F>(entry: ComponentEntry<F>, context: BuildContext): F {
  checkTurn();
  const known = new Set(entry.params.map((param) => param.split(':')[0]));
  for (const key of context.settings.keys()) {
    const name = key.split('.')[0];
    if (name !== 'type' && name !== 'version' && !known.has(name)) {
      context.warn(`[${context.name}] has no parameter [${key}] and ignores it`);
    }
  }
  return entry.build(context);
}
