// The typed tree of a query as parsed from JSON: names and values are checked, nothing is resolved against mappings yet.

import type { JsonObject } from '../common/json/json-value.ts';
import type { ScriptSpec } from '../scripting/script-spec.ts';
import type {
  CombinedFieldsQuery,
  FuzzyQuery,
  GeoBoxQuery,
  GeoDistanceQuery,
  GeoPolygonQuery,
  GeoShapeQuery,
  MatchQuery,
  MoreLikeThisQuery,
  MultiMatchQuery,
  ParentIdQuery,
  PatternQuery,
  PercolateQuery,
  QueryBase,
  QueryStringQuery,
  RangeQuery,
  RankFeatureParts,
  SimpleQueryStringQuery,
  TermQuery,
  TermsLookupQuery,
  TermsQuery,
  TermsSetQuery,
} from './leaf-query.ts';
import type { IntervalRule, SpanClause } from './positional/positional-rules.ts';
import type { BoostMode, ScoreFunction, ScoreMode } from './scores/score-function.ts';
import type { SparseVectorQuery } from './vectors/sparse-vector-query.ts';

export interface BoolQuery extends QueryBase {
  readonly kind: 'bool';
  readonly must: readonly Query[];
  readonly filter: readonly Query[];
  readonly should: readonly Query[];
  readonly mustNot: readonly Query[];
  readonly minimumShouldMatch: string | null;
  readonly adjustPureNegative: boolean;
}

type BoolClauses = Pick<BoolQuery, 'must' | 'filter' | 'should' | 'mustNot' | 'minimumShouldMatch'>;

/** A bool query of some clauses, with the defaults of the rest. */
export function makeBoolQuery(clauses: Partial<BoolClauses>): BoolQuery {
  return {
    kind: 'bool',
    must: [],
    filter: [],
    should: [],
    mustNot: [],
    minimumShouldMatch: null,
    adjustPureNegative: true,
    boost: 1,
    name: null,
    ...clauses,
  };
}

export interface NestedQuery extends QueryBase {
  readonly kind: 'nested';
  readonly path: string;
  readonly query: Query;
  readonly scoreMode: 'none' | 'avg' | 'sum' | 'min' | 'max';
  readonly ignoreUnmapped: boolean;
  /** Body of `inner_hits` in the request, null if there is none. */
  readonly innerHits: Readonly<Record<string, unknown>> | null;
}

export interface WeightedFunction {
  /** null applies the function to every document. */
  readonly filter: Query | null;
  /** null if none is given. */
  readonly weight: number | null;
  readonly function: ScoreFunction;
}

export interface FunctionScoreParts {
  readonly query: Query | null;
  readonly functions: readonly WeightedFunction[];
  readonly scoreMode: ScoreMode;
  readonly boostMode: BoostMode;
  readonly maxBoost: number;
  readonly minScore: number | null;
}

export type JoinScoreMode = 'none' | 'avg' | 'sum' | 'min' | 'max';

/** has_child finds parents by their children, has_parent finds children by their parent. */
export interface RelatedQuery extends QueryBase {
  readonly kind: 'has_child' | 'has_parent';
  /** Type of the documents that `query` matches, by its name in the join field. */
  readonly type: string;
  readonly query: Query;
  readonly scoreMode: JoinScoreMode;
  readonly minChildren: number;
  readonly maxChildren: number;
  readonly ignoreUnmapped: boolean;
  /** Body of `inner_hits` in the request, null if there is none. */
  readonly innerHits: JsonObject | null;
}

/** A document that a pinned query puts on top. `index` is null if the id counts in every index. */
export interface PinnedDocument {
  readonly index: string | null;
  readonly id: string;
}

export interface KnnQuery extends QueryBase {
  readonly kind: 'knn';
  readonly field: string;
  /** Bytes if the request has them as hexadecimal digits. */
  readonly vector: Float64Array | Int8Array;
  /** null for a default that depends on the size of the request. */
  readonly k: number | null;
  readonly numCandidates: number | null;
  /** Documents must match all of these. */
  readonly filter: readonly Query[];
  /** Least similarity (of `l2_norm`: greatest distance), null for any. */
  readonly similarity: number | null;
}

/** Documents of one segment, and their scores, parallel. */
export interface FoundVectors {
  readonly docs: Uint32Array;
  readonly scores: Float32Array;
}

/** The hits of a `knn` section, already reduced over all shards. */
export interface VectorHitsQuery extends QueryBase {
  readonly kind: 'vector_hits';
  /** null for hits of other searches. */
  readonly knn: KnnQuery | null;
  /** By `shardKey` of knn-query.ts; a list has an entry for each segment. */
  readonly byShard: ReadonlyMap<string, readonly FoundVectors[]>;
}

/** Queries without queries inside them. */
export type LeafQuery =
  | MatchQuery
  | MultiMatchQuery
  | CombinedFieldsQuery
  | QueryStringQuery
  | SimpleQueryStringQuery
  | TermQuery
  | TermsQuery
  | TermsLookupQuery
  | MoreLikeThisQuery
  | TermsSetQuery
  | RangeQuery
  | PatternQuery
  | FuzzyQuery
  | GeoDistanceQuery
  | GeoBoxQuery
  | GeoPolygonQuery
  | GeoShapeQuery
  | ParentIdQuery
  | PercolateQuery
  | (QueryBase & { readonly kind: 'script'; readonly script: ScriptSpec })
  | SparseVectorQuery
  | (QueryBase & RankFeatureParts & { readonly kind: 'rank_feature' })
  | (QueryBase & { readonly kind: 'distance_feature'; readonly field: string; readonly origin: unknown; readonly pivot: string })
  | (QueryBase & { readonly kind: 'span'; readonly clause: SpanClause })
  | (QueryBase & { readonly kind: 'intervals'; readonly field: string; readonly rule: IntervalRule })
  | (QueryBase & { readonly kind: 'match_all' })
  | (QueryBase & { readonly kind: 'match_none' })
  | (QueryBase & { readonly kind: 'exists'; readonly field: string })
  | (QueryBase & { readonly kind: 'ids'; readonly values: readonly string[] });

/** Queries that contain queries. Code that walks a tree needs a case for each: `satisfies LeafQuery` in the default case checks that. */
export type CompoundQuery =
  | BoolQuery
  | NestedQuery
  | RelatedQuery
  | (QueryBase & FunctionScoreParts & { readonly kind: 'function_score' })
  | (QueryBase & { readonly kind: 'script_score'; readonly query: Query; readonly script: ScriptSpec; readonly minScore: number | null })
  | (QueryBase & { readonly kind: 'constant_score'; readonly filter: Query })
  | (QueryBase & { readonly kind: 'boosting'; readonly positive: Query; readonly negative: Query; readonly negativeBoost: number })
  /** `documents` come first, in this order, then the matches of `organic`. */
  | (QueryBase & { readonly kind: 'pinned'; readonly documents: readonly PinnedDocument[]; readonly organic: Query })
  | KnnQuery
  | VectorHitsQuery
  | (QueryBase & { readonly kind: 'dis_max'; readonly queries: readonly Query[]; readonly tieBreaker: number });

export type Query = LeafQuery | CompoundQuery;

export const MATCH_ALL: Query = { kind: 'match_all', boost: 1, name: null };
