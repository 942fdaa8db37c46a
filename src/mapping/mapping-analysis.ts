/** What mappings ask of an index's analyzers; AnalysisRegistry of src/analysis implements it. */
export interface MappingAnalysis {
  hasAnalyzer(name: string): boolean;
  /** Filters of an analyzer that may change: it is for searches only if there are any. */
  updateableFilters?(analyzer: string): readonly string[];
  hasNormalizer(name: string): boolean;
  /** @throws ApiError illegal_argument_exception: no such normalizer */
  normalize(normalizer: string, text: string): string;
  /** Tokens of a text; `position` is absolute, from 0. */
  analyze(analyzer: string, text: string): ReadonlyArray<{ readonly term: string; readonly position: number }>;
  /** Term of a query for prefix, wildcard, range: the analyzer's normalisation alone. */
  normalizeTerm(analyzer: string, text: string): string;
}
