// The statistics of a term that a similarity uses, and its results.
import type { Explanation } from './explanation.ts';

/** Statistics of a term in its field. Deleted documents count. */
export interface TermStatistics {
  readonly boost: number;
  /** Documents that have the field. */
  readonly docCount: number;
  readonly sumDocFreq: number;
  readonly sumTotalTermFreq: number;
  readonly docFreq: number;
  readonly totalTermFreq: number;
}

/** Scores documents for one term. `length` is the field's length as its norm encodes it. */
export interface TermScores {
  /** A float32, at least 0. */
  score(freq: number, length: number): number;
  explain(freq: Explanation, length: number): Explanation;
}

/** Makes the scorer of a term. */
export type Scoring = (statistics: TermStatistics) => TermScores;

export function log2(value: number): number {
  return Math.log(value) / Math.LN2;
}

/** The length of the field in an average document. */
export function averageFieldLength({ sumTotalTermFreq, docCount }: TermStatistics): number {
  return sumTotalTermFreq / docCount;
}
