// A query rewritten for one index: fields, analyzers, dates and aliases are resolved, statistics and segments are not. It has the shape of
// Lucene's queries, because scores follow from that shape. src/search/plan/planner.ts turns it into plans of segments.

import type { SegmentReader, TermFilter } from '../../plan/segment.ts';
import type { BoostMode, ScoreMode } from '../../query/function-score.ts';
import type { IndexFunction } from '../compute/function-score.ts';
import type { JoinQuery } from '../compute/join.ts';
import type { PositionalQuery } from '../positions/plan-positional.ts';
import type { ShardStatistics } from '../shard/statistics.ts';

export type Bytes = Uint8Array;

/** A term with the text form of its bytes as key of caches: latin-1 of the bytes, one character each. */
export interface Term {
  readonly field: string;
  readonly bytes: Bytes;
  readonly key: string;
}

export interface BoolIndexQuery {
  readonly op: 'bool';
  readonly must: readonly IndexQuery[];
  readonly filter: readonly IndexQuery[];
  readonly should: readonly IndexQuery[];
  readonly mustNot: readonly IndexQuery[];
  /** 0 with required clauses means optional; without, at least one clause must match. */
  readonly minimumShouldMatch: number;
}

/** How the terms that a pattern finds are scored: see Lucene's MultiTermQuery rewrite methods. */
export type RewriteMethod =
  | { readonly kind: 'constant' }
  | { readonly kind: 'scoring_boolean' }
  | { readonly kind: 'constant_boolean' }
  | { readonly kind: 'top_terms'; readonly size: number }
  | { readonly kind: 'top_terms_boost'; readonly size: number }
  | { readonly kind: 'top_terms_blended'; readonly size: number };

/** A part of a sorted dictionary, and what of it counts. */
export interface TermPattern {
  readonly from: Bytes | null;
  readonly to: Bytes | null;
  readonly includeFrom: boolean;
  readonly includeTo: boolean;
  /** null: every term in the range. */
  readonly filter: TermFilter | null;
  /** Boost of a term, for rewrites that choose the best terms; null: 1. */
  readonly boostOf: ((term: Bytes) => number) | null;
}

export type IndexQuery =
  | { readonly op: 'all' }
  | { readonly op: 'none'; readonly reason: string }
  | { readonly op: 'term'; readonly term: Term; readonly scored: boolean }
  | { readonly op: 'synonym'; readonly field: string; readonly terms: readonly Term[] }
  | {
      readonly op: 'phrase';
      readonly field: string;
      readonly positions: ReadonlyArray<{ readonly position: number; readonly terms: readonly Term[] }>;
      readonly slop: number;
      /** The last position stands for all terms that begin with one of its terms, at most so many. */
      readonly prefixExpansions: number | null;
    }
  | BoolIndexQuery
  | { readonly op: 'disMax'; readonly queries: readonly IndexQuery[]; readonly tieBreaker: number }
  | { readonly op: 'boosting'; readonly positive: IndexQuery; readonly negative: IndexQuery; readonly negativeBoost: number }
  | { readonly op: 'constant'; readonly query: IndexQuery }
  | { readonly op: 'boost'; readonly query: IndexQuery; readonly boost: number }
  /** Terms of several fields that share statistics: cross_fields. */
  | { readonly op: 'blended'; readonly terms: ReadonlyArray<{ readonly term: Term; readonly boost: number }>; readonly tieBreaker: number }
  /** Any of these terms; no score of its own. */
  | { readonly op: 'anyTerm'; readonly field: string; readonly terms: readonly Term[]; readonly hasColumn: boolean }
  | {
      readonly op: 'pattern';
      readonly field: string;
      readonly pattern: TermPattern;
      readonly rewrite: RewriteMethod;
      readonly hasColumn: boolean;
      readonly label: string;
    }
  | { readonly op: 'rangeI64'; readonly field: string; readonly min: bigint; readonly max: bigint }
  | { readonly op: 'rangeF64'; readonly field: string; readonly min: number; readonly max: number }
  | { readonly op: 'inI64'; readonly field: string; readonly values: BigInt64Array }
  | { readonly op: 'inF64'; readonly field: string; readonly values: Float64Array }
  | { readonly op: 'existsColumn'; readonly field: string }
  | { readonly op: 'existsNorm'; readonly field: string }
  | { readonly op: 'ids'; readonly ids: readonly string[] }
  | {
      readonly op: 'geoBox';
      readonly field: string;
      readonly top: number;
      readonly left: number;
      readonly bottom: number;
      readonly right: number;
    }
  | { readonly op: 'geoDistance'; readonly field: string; readonly lat: number; readonly lon: number; readonly meters: number }
  /** Evaluated by the host, document by document; segments without the column have no match. `field` empty: no column is needed. */
  | {
      readonly op: 'hostFilter';
      readonly field: string;
      readonly label: string;
      readonly matches: (segment: SegmentReader, docId: number) => boolean;
    }
  /** Clauses that must match by the number that a field of the document gives. */
  | {
      readonly op: 'termsSet';
      readonly clauses: readonly IndexQuery[];
      readonly minimum:
        | { readonly by: 'field'; readonly field: string; readonly isF64: boolean }
        | {
            readonly by: 'script';
            readonly nestedPath: string | null;
            readonly clausesOf: (segment: SegmentReader, docId: number) => number;
          };
    }
  | {
      readonly op: 'nested';
      readonly path: string;
      /** Path of the enclosing scope, null at the root. */
      readonly parentPath: string | null;
      readonly query: IndexQuery;
      readonly scoreMode: 'none' | 'avg' | 'sum' | 'min' | 'max';
    }
  | {
      readonly op: 'functionScore';
      readonly query: IndexQuery;
      readonly functions: readonly IndexFunction[];
      readonly scoreMode: ScoreMode;
      readonly boostMode: BoostMode;
      readonly maxBoost: number;
      readonly minScore: number | null;
      /** Scope of the query: null for root documents. */
      readonly nestedPath: string | null;
      /** A boost is of the result (script_score), not of the query inside. */
      readonly boostsResult: boolean;
    }
  /** Documents that have a feature (rank_feature), scored by its value. */
  | {
      readonly op: 'feature';
      readonly term: Term;
      /** @param pivot  about the mean of the feature's values in the shard */
      readonly scoreOf: (pivot: number) => (value: number) => number;
    }
  /** Documents that a script takes, among those that the clauses beside it leave. */
  | {
      readonly op: 'scriptFilter';
      readonly label: string;
      readonly nestedPath: string | null;
      readonly matches: (segment: SegmentReader, docId: number) => boolean;
    }
  /** Terms at certain positions: spans and intervals. */
  | PositionalQuery
  | JoinQuery
  /** Made from a shard's statistics. */
  | { readonly op: 'ofShard'; readonly label: string; readonly make: (statistics: ShardStatistics) => IndexQuery }
  /** A query with a `_name`, for matched_queries. */
  | { readonly op: 'named'; readonly name: string; readonly query: IndexQuery };

export const ALL: IndexQuery = { op: 'all' };

export function none(reason: string): IndexQuery {
  return { op: 'none', reason };
}

const utf8 = new TextEncoder();

export function termOfText(field: string, text: string): Term {
  return termOfBytes(field, utf8.encode(text));
}

export function termOfBytes(field: string, bytes: Bytes): Term {
  return { field, bytes, key: keyOf(bytes) };
}

export function keyOf(bytes: Bytes): string {
  let key = '';
  for (let i = 0; i < bytes.length; i++) key += String.fromCharCode(bytes[i]);
  return key;
}

export function bool(clauses: Partial<Omit<BoolIndexQuery, 'op'>>): BoolIndexQuery {
  return { op: 'bool', must: [], filter: [], should: [], mustNot: [], minimumShouldMatch: 0, ...clauses };
}

export function withBoost(query: IndexQuery, boost: number): IndexQuery {
  return boost === 1 || query.op === 'none' ? query : { op: 'boost', query, boost };
}

export function constant(query: IndexQuery): IndexQuery {
  return query.op === 'none' ? query : { op: 'constant', query };
}

export function disMax(queries: readonly IndexQuery[], tieBreaker: number): IndexQuery {
  return queries.length === 1 ? queries[0] : { op: 'disMax', queries, tieBreaker };
}

/** Byte order, the order of dictionaries. */
export function compareBytes(a: Bytes, b: Bytes): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** The first byte string after all that begin with `prefix`; null if there is none. */
export function afterPrefix(prefix: Bytes): Bytes | null {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end--;
  if (end === 0) return null;
  const next = prefix.slice(0, end);
  next[end - 1]++;
  return next;
}

/**
 * Sets minimum_should_match of a disjunction, or gives the query back if it has no optional clauses.
 * @param calculate  clauses that must match, of so many optional ones
 */
export function applyMinimumShouldMatch(query: IndexQuery, calculate: (count: number) => number): IndexQuery {
  if (query.op !== 'bool' || query.should.length === 0) return query;
  return { ...query, minimumShouldMatch: calculate(query.should.length) };
}
