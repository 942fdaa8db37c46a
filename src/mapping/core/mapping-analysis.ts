/** The part of an index's analyzers that mappings use; implemented by AnalysisRegistry in src/analysis. */
export interface MappingAnalysis {
  hasAnalyzer(name: string): boolean;
  /** Updateable filters of an analyzer: if there are any, it may be used at search time only. */
  updateableFilters?(analyzer: string): readonly string[];
  hasNormalizer(name: string): boolean;
  /** @throws ApiError illegal_argument_exception: unknown normalizer */
  normalize(normalizer: string, text: string): string;
  /** Tokens of a text; `position` is absolute, from 0. */
  analyze(analyzer: string, text: string): ReadonlyArray<{ readonly term: string; readonly position: number }>;
  /** Term for prefix, wildcard and range queries: only the analyzer's normalization is applied. */
  normalizeTerm(analyzer: string, text: string): string;
}
