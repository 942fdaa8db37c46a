// Typed trees of span and interval queries.

import type { FuzzyQuery, PatternQuery, RangeQuery } from '../leaf-query.ts';
import type { Fuzziness } from '../text/fuzziness.ts';

export type MultiTermQuery = PatternQuery | FuzzyQuery | RangeQuery;

/** A span query: a condition on the positions of terms in a field. */
export type SpanClause =
  | { readonly type: 'term'; readonly field: string; readonly value: unknown }
  | { readonly type: 'near'; readonly clauses: readonly SpanClause[]; readonly slop: number; readonly inOrder: boolean }
  | { readonly type: 'or'; readonly clauses: readonly SpanClause[] }
  /** No span of `exclude` may overlap `include`, extended by `pre` positions before and `post` positions after. */
  | { readonly type: 'not'; readonly include: SpanClause; readonly exclude: SpanClause; readonly pre: number; readonly post: number }
  | { readonly type: 'first'; readonly match: SpanClause; readonly end: number }
  | { readonly type: 'multi'; readonly match: MultiTermQuery }
  | { readonly type: 'containing' | 'within'; readonly big: SpanClause; readonly little: SpanClause }
  /** Treats the spans of another field as spans of this one. */
  | { readonly type: 'masking'; readonly match: SpanClause; readonly field: string };

/** How the intervals of several sources are combined. */
export type IntervalMode = 'ordered' | 'unordered' | 'unordered_no_overlap';

export type IntervalRelation =
  | 'after'
  | 'before'
  | 'contained_by'
  | 'containing'
  | 'not_contained_by'
  | 'not_containing'
  | 'not_overlapping'
  | 'overlapping';

export interface IntervalFilter {
  readonly relation: IntervalRelation;
  readonly rule: IntervalRule;
}

export interface FieldChoice {
  readonly analyzer: string | null;
  readonly useField: string | null;
}

export type IntervalRule =
  | (FieldChoice & {
      readonly type: 'match';
      readonly query: string;
      readonly maxGaps: number;
      readonly mode: IntervalMode;
      readonly filter: IntervalFilter | null;
    })
  | { readonly type: 'any_of'; readonly rules: readonly IntervalRule[]; readonly filter: IntervalFilter | null }
  | {
      readonly type: 'all_of';
      readonly rules: readonly IntervalRule[];
      readonly maxGaps: number;
      readonly mode: IntervalMode;
      readonly filter: IntervalFilter | null;
    }
  | (FieldChoice & {
      readonly type: 'prefix' | 'wildcard' | 'regexp';
      readonly pattern: string;
      readonly maxExpansions: number;
      readonly caseInsensitive: boolean;
      /** Operators of regular expressions, as bits. */
      readonly flags: number;
    })
  | (FieldChoice & {
      readonly type: 'fuzzy';
      readonly term: string;
      readonly fuzziness: Fuzziness;
      readonly prefixLength: number;
      readonly transpositions: boolean;
    });
