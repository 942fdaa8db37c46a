// A query rewritten for one index: fields, analyzers, dates and aliases are resolved, statistics and segments are not. It has the shape of
// Lucene's queries, because scores follow from that shape. src/search/plan/planner.ts turns it into one plan per segment.

import type { Vector, VectorElement, VectorSimilarity } from '../../common/encoding/vector-format.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { JoinScoreMode } from '../../query/query.ts';
import type { BoostMode, ScoreMode } from '../../query/scores/score-function.ts';
import type { PatternQuery } from './pattern-query.ts';
import type { PositionalQuery } from './positional-query.ts';
import type { Term } from './term.ts';

export interface BoolIndexQuery {
  readonly op: 'bool';
  readonly must: readonly IndexQuery[];
  readonly filter: readonly IndexQuery[];
  readonly should: readonly IndexQuery[];
  readonly mustNot: readonly IndexQuery[];
  /** 0 next to must or filter: the optional clauses only add to the score. 0 otherwise: at least one must match. */
  readonly minimumShouldMatch: number;
}

/** @property scored  false: all documents score 0 */
export interface TermIndexQuery {
  readonly op: 'term';
  readonly term: Term;
  readonly scored: boolean;
}

/** Terms that count as one. */
export interface SynonymIndexQuery {
  readonly op: 'synonym';
  readonly field: string;
  readonly terms: readonly Term[];
}

export interface PhraseIndexQuery {
  readonly op: 'phrase';
  readonly field: string;
  readonly positions: ReadonlyArray<{ readonly position: number; readonly terms: readonly Term[] }>;
  readonly slop: number;
  /** The terms at the last position are prefixes, expanded to at most this many terms; null if they are whole terms. */
  readonly prefixExpansions: number | null;
}

export interface BoostingIndexQuery {
  readonly op: 'boosting';
  readonly positive: IndexQuery;
  readonly negative: IndexQuery;
  readonly negativeBoost: number;
  readonly nestedPath: string | null;
}

/** Terms of several fields that share their statistics (`cross_fields`). */
export interface BlendedIndexQuery {
  readonly op: 'blended';
  readonly terms: ReadonlyArray<{ readonly term: Term; readonly boost: number }>;
  readonly tieBreaker: number;
}

export type RangeIndexQuery =
  | { readonly op: 'rangeI64'; readonly field: string; readonly min: bigint; readonly max: bigint }
  | { readonly op: 'rangeF64'; readonly field: string; readonly min: number; readonly max: number };

/** Evaluated on the host, for every document of each segment that has the column. */
export interface HostFilter {
  readonly op: 'hostFilter';
  /** Empty if no column is needed. */
  readonly field: string;
  readonly label: string;
  readonly matches: (segment: SegmentReader, docId: number) => boolean;
}

/** Each document states, in a field or through a script, how many of the clauses it must match. */
export interface TermsSetIndexQuery {
  readonly op: 'termsSet';
  readonly clauses: readonly IndexQuery[];
  readonly minimum: { readonly by: 'field'; readonly field: string; readonly isF64: boolean } | ScriptedMinimum;
}

export interface ScriptedMinimum {
  readonly by: 'script';
  readonly nestedPath: string | null;
  readonly clausesOf: (segment: SegmentReader, docId: number) => number;
}

export interface NestedIndexQuery {
  readonly op: 'nested';
  readonly path: string;
  /** Path of the enclosing nested documents, null if those are the roots. */
  readonly parentPath: string | null;
  readonly query: IndexQuery;
  readonly scoreMode: 'none' | 'avg' | 'sum' | 'min' | 'max';
}

/**
 * The value of a score function for a document.
 * @param score  of the query whose score the function changes
 * @throws ApiError: the value cannot be a score
 */
export interface DocFunction {
  (segment: SegmentReader, docId: number, score: number): number;
  /** The values of many documents; null if they cannot be computed together. @throws what the function throws for the first that fails */
  readonly many?: (segment: SegmentReader, docs: Uint32Array, scores: Float32Array) => Float64Array | null;
  /** Description of the value for a document, and of the values that it is computed from. Without it, the function has a constant value. */
  readonly describe?: (segment: SegmentReader, docId: number) => readonly string[];
}

export interface IndexFunction {
  /** null applies the function to every document. */
  readonly filter: IndexQuery | null;
  readonly weight: number | null;
  readonly value: DocFunction;
}

export interface FunctionScoreIndexQuery {
  readonly op: 'functionScore';
  readonly query: IndexQuery;
  readonly functions: readonly IndexFunction[];
  readonly scoreMode: ScoreMode;
  readonly boostMode: BoostMode;
  readonly maxBoost: number;
  readonly minScore: number | null;
  /** Path of the nested documents that the query matches, null for root documents. */
  readonly nestedPath: string | null;
  /** What a boost multiplies: the score of the inner query; the result (script_score); or the function's double, which is rounded afterwards. */
  readonly boosts: 'query' | 'result' | 'value';
}

/** Documents that have a feature (rank_feature), scored by the feature's value. */
export interface FeatureIndexQuery {
  readonly op: 'feature';
  readonly term: Term;
  /** @param pivot  approximately the mean of the feature's values in the shard */
  readonly scoreOf: (pivot: number) => (value: number) => number;
}

/** Terms of several fields that are scored as one term of one field (BM25F). Scores are those of a document's weighted frequencies together. */
export interface CombinedIndexQuery {
  readonly op: 'combined';
  readonly fields: ReadonlyArray<{ readonly field: string; readonly weight: number }>;
  /** The terms that count as one (synonyms), each in every field. */
  readonly terms: readonly Term[];
  readonly nestedPath: string | null;
}

/** Stored queries that match at least one of the documents of a request, with the best score that they give one. */
export interface PercolateIndexQuery {
  readonly op: 'percolate';
  /** Suffix of the fields of hits. */
  readonly slotName: string;
  /** Column with the JSON of the stored queries. */
  readonly column: string;
  /** Documents whose stored query may match. */
  readonly candidates: IndexQuery;
  readonly nestedPath: string | null;
  readonly mapping: MappingSnapshot;
  readonly sources: readonly JsonObject[];
  /** Runs an action on the documents as a segment. @param beside  a segment of the arena in which they are laid out */
  open<T>(beside: SegmentReader, action: (documents: SegmentReader) => T): T;
  /** A stored query, rewritten for the documents. @param json  a value of the column */
  readonly queryOf: (json: Uint8Array) => IndexQuery;
}

/** Documents that a script accepts. The script sees only documents that match the other clauses of the enclosing bool. */
export interface ScriptFilter {
  readonly op: 'scriptFilter';
  readonly label: string;
  readonly nestedPath: string | null;
  readonly matches: (segment: SegmentReader, docId: number) => boolean;
  /** 0 for each document that is not accepted; null if they cannot be computed together. */
  readonly matchesMany?: (segment: SegmentReader, docs: Uint32Array) => Float64Array | null;
}

export interface JoinQuery {
  readonly op: 'join';
  /** Column that holds the parent's id, in parents and children alike. */
  readonly column: string;
  /** Documents that the inner query matches. */
  readonly from: IndexQuery;
  /** Documents that may be returned: those on the other side of the relation. */
  readonly to: IndexQuery;
  readonly scoreMode: JoinScoreMode;
  /** Bounds on the number of documents of `from` that are related to a document of `to`. */
  readonly minChildren: number;
  readonly maxChildren: number;
}

/** The documents of a shard whose vectors are most similar to a given one. */
export interface KnnIndexQuery {
  readonly op: 'knn';
  /** Name of the field's column. */
  readonly field: string;
  readonly element: VectorElement;
  readonly dims: number;
  readonly similarity: VectorSimilarity;
  readonly vector: Vector;
  /** Documents to find in the shard. */
  readonly k: number;
  /** Candidates that the graph of a segment compares. */
  readonly candidates: number;
  /** Root documents that may be found, or that contain the nested documents that may; null for all. */
  readonly filter: IndexQuery | null;
  /** Less similar documents are not found; null for no limit. */
  readonly minScore: number | null;
  /** The vectors are in nested documents, of which each root returns the best one. */
  readonly isNested: boolean;
}

/** Documents that are known already, by segment. */
export interface ScoredDocsQuery {
  readonly op: 'scoredDocs';
  readonly label: string;
  readonly bySegment: ReadonlyArray<{ readonly docs: Uint32Array; readonly scores: Float32Array }>;
}

/** The statistics of a shard that `PerShardQuery.make` reads. */
export interface TermStatistics {
  readonly segments: readonly SegmentReader[];
  docFreq(term: Term): number;
}

/** A query that depends on the statistics of the shard. */
export interface PerShardQuery {
  readonly op: 'perShard';
  readonly label: string;
  readonly make: (statistics: TermStatistics) => IndexQuery;
}

/** Queries without queries inside them. */
export type LeafIndexQuery =
  | { readonly op: 'all' }
  | { readonly op: 'none'; readonly reason: string }
  | TermIndexQuery
  | SynonymIndexQuery
  | PhraseIndexQuery
  | BlendedIndexQuery
  /** Any of these terms, without a score. */
  | { readonly op: 'anyTerm'; readonly field: string; readonly terms: readonly Term[]; readonly hasColumn: boolean }
  | PatternQuery
  | RangeIndexQuery
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
  | HostFilter
  | FeatureIndexQuery
  | CombinedIndexQuery
  | ScriptFilter
  | PositionalQuery
  | ScoredDocsQuery;

/** Queries that contain queries. Code that walks a tree needs a case for each: `satisfies LeafIndexQuery` in the default case checks that. */
export type CompoundIndexQuery =
  | BoolIndexQuery
  | { readonly op: 'disMax'; readonly queries: readonly IndexQuery[]; readonly tieBreaker: number }
  | BoostingIndexQuery
  | { readonly op: 'constant'; readonly query: IndexQuery }
  | { readonly op: 'boost'; readonly query: IndexQuery; readonly boost: number }
  | TermsSetIndexQuery
  | NestedIndexQuery
  | FunctionScoreIndexQuery
  | PercolateIndexQuery
  | JoinQuery
  | PerShardQuery
  | KnnIndexQuery
  /** A query with a `_name`, for `matched_queries`. */
  | { readonly op: 'named'; readonly name: string; readonly query: IndexQuery };

export type IndexQuery = LeafIndexQuery | CompoundIndexQuery;

export const ALL: IndexQuery = { op: 'all' };

export function none(reason: string): IndexQuery {
  return { op: 'none', reason };
}

/** A bool of the given clauses; the rest is empty. As in Lucene, one with `mustNot` alone matches nothing: add `ALL` to `filter`. */
export function bool(clauses: Partial<Omit<BoolIndexQuery, 'op'>>): BoolIndexQuery {
  return { op: 'bool', must: [], filter: [], should: [], mustNot: [], minimumShouldMatch: 0, ...clauses };
}

export function withBoost(query: IndexQuery, boost: number): IndexQuery {
  return boost === 1 || query.op === 'none' ? query : { op: 'boost', query, boost };
}

export function constant(query: IndexQuery): IndexQuery {
  return query.op === 'none' ? query : { op: 'constant', query };
}

/** @throws ApiError illegal_argument_exception */
export function checkTieBreaker(tieBreaker: number): number {
  if (!(tieBreaker >= 0 && tieBreaker <= 1)) throw illegalArgumentError('tieBreakerMultiplier must be in [0, 1]');
  return tieBreaker;
}

export function disMax(queries: readonly IndexQuery[], tieBreaker: number): IndexQuery {
  return queries.length === 1 ? queries[0] : { op: 'disMax', queries, tieBreaker: checkTieBreaker(tieBreaker) };
}

/**
 * Sets minimum_should_match of a disjunction; returns any other query unchanged.
 * @param calculate  number of clauses that must match, from the number of optional clauses
 */
export function applyMinimumShouldMatch(query: IndexQuery, calculate: (count: number) => number): IndexQuery {
  if (query.op !== 'bool' || query.should.length === 0) return query;
  return { ...query, minimumShouldMatch: calculate(query.should.length) };
}
