// Components of single languages: stemmers and language analyzers. The registry adds these lists to its own.
import type { ComponentEntry, FilterFactory } from '../component.ts';
import type { AnalyzerEntry } from '../registry.ts';

export const LANGUAGE_FILTERS: readonly ComponentEntry<FilterFactory>[] = [];
export const LANGUAGE_ANALYZERS: readonly AnalyzerEntry[] = [];
