// The analyzers of an index as queries use them; src/analysis implements the interface.

import type { AnalyzedToken } from '../../analysis/tokens/analyzed-token.ts';

export interface QueryAnalysis {
  /** Tokens of a text. @throws ApiError illegal_argument_exception: no such analyzer */
  analyze(analyzer: string, text: string): AnalyzedToken[];
  normalize(normalizer: string, text: string): string;
  /** Applies only the analyzer's normalization (lowercase, folding...), for patterns and fuzzy terms. */
  normalizeTerm(analyzer: string, text: string): string;
  hasAnalyzer(name: string): boolean;
  /** Words in the longest shingle of an analyzer with a shingle filter of the index; null for any other, including one with the built-in filter. */
  shingleSize(analyzer: string): number | null;
}
