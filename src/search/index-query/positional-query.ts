// Span and interval queries: trees of conditions on the positions of terms. src/search/positions evaluates them document by document.
import type { IntervalMode, IntervalRelation } from '../../query/positional/positional-rules.ts';
import type { PatternQuery } from './pattern-query.ts';
import type { Term } from './term.ts';

interface Leaves {
  /** The terms that match a pattern; replaced by an `or` of those terms before the query runs. */
  readonly pattern: { readonly type: 'pattern'; readonly query: PatternQuery; readonly limit: number };
  readonly term: { readonly type: 'term'; readonly term: Term };
  readonly none: { readonly type: 'none' };
}

export type SpanSource =
  | Leaves[keyof Leaves]
  | { readonly type: 'or'; readonly sources: readonly SpanSource[] }
  | { readonly type: 'near'; readonly sources: readonly SpanSource[]; readonly slop: number; readonly inOrder: boolean }
  | { readonly type: 'not'; readonly include: SpanSource; readonly exclude: SpanSource; readonly pre: number; readonly post: number }
  | { readonly type: 'first'; readonly source: SpanSource; readonly end: number }
  | { readonly type: 'containing' | 'within'; readonly big: SpanSource; readonly little: SpanSource };

export type IntervalSource =
  | Leaves[keyof Leaves]
  | { readonly type: 'or'; readonly sources: readonly IntervalSource[] }
  | { readonly type: 'all'; readonly sources: readonly IntervalSource[]; readonly mode: IntervalMode | 'phrase' }
  /** Includes `before` positions in front: stop words that the analyzer removed. */
  | { readonly type: 'extend'; readonly source: IntervalSource; readonly before: number }
  | { readonly type: 'maxGaps'; readonly source: IntervalSource; readonly gaps: number }
  | { readonly type: 'filter'; readonly source: IntervalSource; readonly relation: IntervalRelation; readonly by: IntervalSource };

export type PositionalQuery = {
  readonly op: 'positional';
  /** The field whose norms and statistics are used for scores. */
  readonly field: string;
  readonly nestedPath: string | null;
  readonly label: string;
} & ({ readonly kind: 'spans'; readonly source: SpanSource } | { readonly kind: 'intervals'; readonly source: IntervalSource });
