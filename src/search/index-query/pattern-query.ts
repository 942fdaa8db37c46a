// Queries that match every term of a field within a range of the dictionary: prefix, wildcard, regexp, fuzzy, range over terms.
import type { TermFilter } from '../../plan/segment.ts';
import type { Bytes } from './term.ts';

/** How the terms that match a pattern are scored: the rewrite methods of Lucene's MultiTermQuery. */
export type RewriteMethod =
  | { readonly kind: 'constant' }
  | { readonly kind: 'scoring_boolean' }
  | { readonly kind: 'constant_boolean' }
  | { readonly kind: 'top_terms'; readonly size: number }
  | { readonly kind: 'top_terms_boost'; readonly size: number }
  | { readonly kind: 'top_terms_blended'; readonly size: number };

/** A range of the term dictionary and a filter within it. */
export interface TermPattern {
  readonly from: Bytes | null;
  readonly to: Bytes | null;
  readonly includeFrom: boolean;
  readonly includeTo: boolean;
  /** null matches every term of the range. */
  readonly filter: TermFilter | null;
  /** Boost of each term, for rewrite methods that keep only the best terms; null stands for 1. */
  readonly boostOf: ((term: Bytes) => number) | null;
}

export interface PatternQuery {
  readonly op: 'pattern';
  readonly field: string;
  readonly pattern: TermPattern;
  readonly rewrite: RewriteMethod;
  readonly hasColumn: boolean;
  /** The query as profiles and explanations print it. */
  readonly label: string;
}
