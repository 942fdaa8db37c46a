// Typed trees of queries that contain no other query, as parsed from JSON: names and values are checked, nothing is resolved against mappings yet.
import type { JsonObject } from '../common/json/json-value.ts';
import type { Shape } from '../mapping/values/geo-shape-value.ts';
import type { ScriptSpec } from '../scripting/script-spec.ts';
import type { GeoPoint } from './geo/geo-point.ts';
import type { Fuzziness } from './text/fuzziness.ts';
import type { SyntaxQuery } from './text/query-string-syntax.ts';
import type { SimpleSyntaxNode } from './text/simple-query-string-syntax.ts';

/** Common to all queries. `name` is the query's `_name`. */
export interface QueryBase {
  readonly boost: number;
  readonly name: string | null;
}

export type Operator = 'and' | 'or';
export type ZeroTerms = 'none' | 'all';
export type MultiMatchType = 'best_fields' | 'most_fields' | 'cross_fields' | 'phrase' | 'phrase_prefix' | 'bool_prefix';

/** Options common to match, match_bool_prefix, multi_match and the query strings. */
export interface MatchOptions {
  readonly operator: Operator;
  readonly analyzer: string | null;
  readonly fuzziness: Fuzziness | null;
  readonly prefixLength: number;
  readonly maxExpansions: number;
  readonly fuzzyTranspositions: boolean;
  readonly fuzzyRewrite: string | null;
  readonly minimumShouldMatch: string | null;
  readonly zeroTerms: ZeroTerms;
  readonly lenient: boolean;
  readonly slop: number;
  readonly autoPhrase: boolean;
  /** Whether phrases preserve the positions of removed words (`enable_position_increments`). */
  readonly gaps: boolean;
}

/** A field name or pattern with its boost: `title^3`, `*_name`. */
export interface WeightedField {
  readonly field: string;
  readonly boost: number;
}

export interface MatchQuery extends QueryBase {
  readonly kind: 'match' | 'match_phrase' | 'match_phrase_prefix' | 'match_bool_prefix';
  readonly field: string;
  /** The string, number or boolean of the request. */
  readonly value: unknown;
  readonly options: MatchOptions;
}

export interface MultiMatchQuery extends QueryBase {
  readonly kind: 'multi_match';
  readonly value: unknown;
  readonly fields: readonly WeightedField[];
  readonly type: MultiMatchType;
  readonly tieBreaker: number | null;
  /** null is lenient only if all fields (`*`) are searched. */
  readonly lenient: boolean | null;
  readonly options: MatchOptions;
}

/** Terms of several text fields, scored as if the fields were one. */
export interface CombinedFieldsQuery extends QueryBase {
  readonly kind: 'combined_fields';
  readonly value: string;
  /** Boosts are at least 1. */
  readonly fields: readonly WeightedField[];
  readonly operator: Operator;
  readonly minimumShouldMatch: string | null;
  readonly zeroTerms: ZeroTerms;
  readonly autoPhrase: boolean;
}

/** Finds stored queries that match documents. */
export interface PercolateQuery extends QueryBase {
  readonly kind: 'percolate';
  /** Of type percolator. */
  readonly field: string;
  /** null if `stored` refers to the document; src/api sets it before the shards see the query. */
  readonly documents: readonly JsonObject[] | null;
  readonly stored: { readonly index: string; readonly id: string; readonly routing: string | null } | null;
  /** Suffix of the fields with matching documents, if a search has several of these queries. null: the name of the field. */
  readonly slotName: string | null;
}

export interface QueryStringQuery extends QueryBase {
  readonly kind: 'query_string';
  readonly text: string;
  readonly syntax: SyntaxQuery;
  readonly defaultField: string | null;
  readonly fields: readonly WeightedField[];
  readonly type: MultiMatchType;
  readonly tieBreaker: number | null;
  readonly lenient: boolean | null;
  readonly quoteAnalyzer: string | null;
  readonly quoteFieldSuffix: string | null;
  readonly allowLeadingWildcard: boolean;
  readonly analyzeWildcard: boolean;
  /** For `word~` without a number. */
  readonly defaultFuzziness: Fuzziness;
  readonly rewrite: string | null;
  readonly timeZone: string | null;
  readonly options: MatchOptions;
}

export interface SimpleQueryStringQuery extends QueryBase {
  readonly kind: 'simple_query_string';
  /** null if there is no clause. */
  readonly syntax: SimpleSyntaxNode | null;
  readonly fields: readonly WeightedField[];
  readonly lenient: boolean | null;
  readonly quoteFieldSuffix: string | null;
  readonly analyzeWildcard: boolean;
  readonly options: MatchOptions;
}

export interface TermQuery extends QueryBase {
  readonly kind: 'term';
  readonly field: string;
  readonly value: unknown;
  readonly caseInsensitive: boolean;
}

export interface TermsQuery extends QueryBase {
  readonly kind: 'terms';
  readonly field: string;
  readonly values: readonly unknown[];
}

/** A terms query with values from a document. src/api replaces it by `terms` before the shards see the query. */
export interface TermsLookupQuery extends QueryBase {
  readonly kind: 'terms_lookup';
  readonly field: string;
  readonly index: string;
  readonly id: string;
  readonly path: string;
  readonly routing: string | null;
}

export interface TermsSetQuery extends QueryBase {
  readonly kind: 'terms_set';
  readonly field: string;
  readonly terms: readonly unknown[];
  readonly minimumField: string | null;
  readonly minimumScript: ScriptSpec | null;
}

export interface RangeQuery extends QueryBase {
  readonly kind: 'range';
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly includeFrom: boolean;
  readonly includeTo: boolean;
  readonly format: string | null;
  readonly timeZone: string | null;
  readonly relation: 'intersects' | 'within' | 'contains' | 'disjoint' | null;
  /** The bound that was given twice (`gt` and `gte`). */
  readonly doubled: 'lower' | 'upper' | null;
}

/** prefix, wildcard and regexp: a pattern for the terms of a field. */
export interface PatternQuery extends QueryBase {
  readonly kind: 'prefix' | 'wildcard' | 'regexp';
  readonly field: string;
  readonly value: string;
  readonly caseInsensitive: boolean;
  readonly rewrite: string | null;
  /** regexp: the enabled operators, see src/query/text/regexp-flags.ts. */
  readonly flags: number;
  readonly maxDeterminizedStates: number;
}

export interface FuzzyQuery extends QueryBase {
  readonly kind: 'fuzzy';
  readonly field: string;
  readonly value: unknown;
  readonly fuzziness: Fuzziness;
  readonly prefixLength: number;
  readonly maxExpansions: number;
  readonly transpositions: boolean;
  readonly rewrite: string | null;
}

export interface GeoDistanceQuery extends QueryBase {
  readonly kind: 'geo_distance';
  readonly field: string;
  readonly point: GeoPoint;
  readonly meters: number;
  readonly ignoreUnmapped: boolean;
}

export interface GeoBoxQuery extends QueryBase {
  readonly kind: 'geo_bounding_box';
  readonly field: string;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly ignoreUnmapped: boolean;
}

export interface GeoShapeQuery extends QueryBase {
  readonly kind: 'geo_shape';
  /** Name of the query: shapes on the earth, or on a plane. */
  readonly space: 'geo_shape' | 'shape';
  readonly field: string;
  readonly relation: 'intersects' | 'disjoint' | 'within' | 'contains';
  /** null if `indexed` refers to the shape; src/api sets it before the shards see the query. */
  readonly shape: Shape | null;
  readonly indexed: { readonly index: string; readonly id: string; readonly path: string; readonly routing: string | null } | null;
  readonly ignoreUnmapped: boolean;
}

export interface GeoPolygonQuery extends QueryBase {
  readonly kind: 'geo_polygon';
  readonly field: string;
  readonly points: readonly GeoPoint[];
  readonly ignoreUnmapped: boolean;
}

export interface ParentIdQuery extends QueryBase {
  readonly kind: 'parent_id';
  readonly type: string;
  readonly id: string;
  readonly ignoreUnmapped: boolean;
}

/** A document by id. src/api reads it before the shards are searched. */
export interface LikeDocument {
  readonly kind: 'like_document';
  /** null for the index that is searched. */
  readonly index: string | null;
  readonly id: string;
  readonly routing: string | null;
  readonly fields: readonly string[] | null;
  /** Analyzers by field, instead of those of the mapping. */
  readonly analyzers: ReadonlyMap<string, string>;
}

/** The source of a document. */
export interface LikeSource {
  readonly kind: 'like_source';
  /** null for a document in the request, which applies to every index. */
  readonly index: string | null;
  /** null for a document in the request. */
  readonly id: string | null;
  readonly source: JsonObject;
  readonly fields: readonly string[] | null;
  readonly analyzers: ReadonlyMap<string, string>;
}

export type LikeItem = string | LikeDocument | LikeSource;

export interface MoreLikeThisQuery extends QueryBase {
  readonly kind: 'more_like_this';
  /** null for all fields with terms. */
  readonly fields: readonly string[] | null;
  readonly like: readonly LikeItem[];
  readonly unlike: readonly LikeItem[];
  readonly maxQueryTerms: number;
  readonly minTermFreq: number;
  readonly minDocFreq: number;
  readonly maxDocFreq: number;
  readonly minWordLength: number;
  /** 0 for no limit. */
  readonly maxWordLength: number;
  readonly stopWords: readonly string[];
  readonly analyzer: string | null;
  readonly minimumShouldMatch: string;
  /** 0 does not boost the terms. */
  readonly boostTerms: number;
  readonly include: boolean;
  readonly failOnUnsupportedField: boolean;
}

/** How the value of a feature becomes a score. Numbers are float32. */
export type FeatureFunction =
  | { readonly kind: 'saturation'; readonly pivot: number | null }
  | { readonly kind: 'log'; readonly scalingFactor: number }
  | { readonly kind: 'sigmoid'; readonly pivot: number; readonly exponent: number }
  | { readonly kind: 'linear' };

export interface RankFeatureParts {
  readonly field: string;
  readonly function: FeatureFunction;
}
