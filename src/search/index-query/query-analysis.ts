// The part of an index's analyzers that queries need; src/analysis implements it.

export interface AnalyzedToken {
  readonly term: string;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly type: string;
  /** Absolute position, from 0. */
  readonly position: number;
  readonly positionLength: number;
  /** Bytes that a filter (delimited_payload) has given the token, if any. */
  readonly payload?: Uint8Array;
}

export interface QueryAnalysis {
  /** @throws ApiError illegal_argument_exception: no such analyzer */
  analyze(analyzer: string, text: string): AnalyzedToken[];
  normalize(normalizer: string, text: string): string;
  /** The analyzer's normalisation alone (lowercase, folding...), for patterns and fuzzy terms. */
  normalizeTerm(analyzer: string, text: string): string;
  hasAnalyzer(name: string): boolean;
}
