// The plan of a query on one segment, as a typed tree. src/plan encodes it to the bytes that assembly/executor runs. A planner (src/search)
// makes one tree per segment, because term states and columns differ between segments; statistics that scores need are shard-wide.
import type { SegmentColumn, SegmentPostings, TermPairs, TermState } from './segment.ts';

/**
 * BM25 of one term, exactly Lucene's float32 arithmetic: score = weight - weight / (1 + freq * normInverse[norm]).
 * `weight` = boost * idf (f32) and `normInverse` = 1 / (k1 * ((1 - b) + b * length / avgLength)) for the 256 norm bytes
 * (all equal 1 / k1 where norms are off). A constant similarity ("boolean") is `constantScore` around an unscored term.
 */
export interface TermScorer {
  readonly weight: number;
  /** f32[256], shared by all terms of a field and shard: the same array object is encoded once. */
  readonly normInverse: Float32Array;
}

export type PlanNode =
  | { readonly op: 'matchAll' }
  | { readonly op: 'matchNone' }
  /** `scorer` null: matches without score (0). */
  | { readonly op: 'term'; readonly postings: SegmentPostings; readonly term: TermState; readonly scorer: TermScorer | null }
  /** Terms that count as one (synonyms, cross_fields of one field): freq = sum of their freqs. */
  | { readonly op: 'synonym'; readonly postings: SegmentPostings; readonly terms: readonly TermState[]; readonly scorer: TermScorer | null }
  /** Documents with any of the terms, no score: terms, prefix, wildcard, large disjunctions. Patterns may have millions of terms. */
  | { readonly op: 'anyTerm'; readonly postings: SegmentPostings; readonly terms: TermPairs }
  /** The same for all terms of the field's dictionary with ordinals [from, to): prefixes and ranges of terms without a walk by the host. */
  | { readonly op: 'termRange'; readonly postings: SegmentPostings; readonly from: number; readonly to: number }
  /**
   * Positions as in the query, ascending, gaps allowed; a position may have several terms. slop 0 = exact. Sloppy frequency is Lucene's
   * (sum of 1 / (1 + matchLength), order of terms free, repeated terms handled).
   */
  | {
      readonly op: 'phrase';
      readonly postings: SegmentPostings;
      readonly positions: ReadonlyArray<{ readonly position: number; readonly terms: readonly TermState[] }>;
      readonly slop: number;
      readonly scorer: TermScorer | null;
    }
  /**
   * Lucene's BooleanQuery. Score = sum of must and matching should scores (summed as double in Lucene's order, rounded to f32).
   * With must or filter clauses, minimumShouldMatch is 0 unless given; without, the planner passes 1.
   */
  | {
      readonly op: 'bool';
      readonly must: readonly PlanNode[];
      readonly filter: readonly PlanNode[];
      readonly should: readonly PlanNode[];
      readonly mustNot: readonly PlanNode[];
      readonly minimumShouldMatch: number;
    }
  | { readonly op: 'disMax'; readonly clauses: readonly PlanNode[]; readonly tieBreaker: number }
  | { readonly op: 'constantScore'; readonly child: PlanNode; readonly score: number }
  /** Multiplies the child's score (a boost around a compound query is pushed into weights by the planner where Lucene does). */
  | { readonly op: 'boost'; readonly child: PlanNode; readonly factor: number }
  /** Documents with a value in [min, max] (raw column values, both included). */
  | { readonly op: 'rangeI64'; readonly column: SegmentColumn; readonly min: bigint; readonly max: bigint }
  | { readonly op: 'rangeF64'; readonly column: SegmentColumn; readonly min: number; readonly max: number }
  /** Documents with a value among these raw values, ascending. */
  | { readonly op: 'inI64'; readonly column: SegmentColumn; readonly values: BigInt64Array }
  | { readonly op: 'inF64'; readonly column: SegmentColumn; readonly values: Float64Array }
  /** Ordinals in [min, max]. */
  | { readonly op: 'rangeOrd'; readonly column: SegmentColumn; readonly min: number; readonly max: number }
  /** Documents with a value in the column. */
  | { readonly op: 'existsColumn'; readonly column: SegmentColumn }
  /** Documents with a non-zero norm. */
  | { readonly op: 'existsNorm'; readonly postings: SegmentPostings }
  /** Documents of a bitset in the arena (u64 words over [0, maxDoc)): cached filters, root documents. */
  | { readonly op: 'bitset'; readonly ptr: number }
  /** Ascending doc ids that the host has found (ids query, host-evaluated queries), with a score each or none. */
  | { readonly op: 'docs'; readonly docs: Uint32Array; readonly scores: Float32Array | null }
  /** Box in degrees; left > right crosses the dateline. */
  | {
      readonly op: 'geoBox';
      readonly column: SegmentColumn;
      readonly top: number;
      readonly left: number;
      readonly bottom: number;
      readonly right: number;
    }
  /** Haversine as Lucene's, metres. */
  | { readonly op: 'geoDistance'; readonly column: SegmentColumn; readonly lat: number; readonly lon: number; readonly meters: number }
  /** Roots (or enclosing nested docs given by parentDocsPtr) of matching children. */
  | {
      readonly op: 'nested';
      readonly child: PlanNode;
      /** Bitset of the nested path's documents and of its parents' documents; 0 as parentDocsPtr means root documents. */
      readonly childDocsPtr: number;
      readonly parentDocsPtr: number;
      readonly scoreMode: 'none' | 'avg' | 'sum' | 'min' | 'max';
    };

export type BoolPlan = Extract<PlanNode, { op: 'bool' }>;

/** A bool of the given clauses; the others are empty. */
export function boolPlan(clauses: Partial<Omit<BoolPlan, 'op'>>): BoolPlan {
  return { op: 'bool', must: [], filter: [], should: [], mustNot: [], minimumShouldMatch: 0, ...clauses };
}

/** One sort key. Raw column values are compared; `missing` is the position of documents without a value, or a raw value for them. */
export type SortKey =
  | { readonly by: 'score'; readonly descending: boolean }
  | { readonly by: 'doc'; readonly descending: boolean }
  | {
      readonly by: 'column';
      /** null: no document of this segment has a value. */
      readonly column: SegmentColumn | null;
      readonly descending: boolean;
      readonly mode: 'min' | 'max' | 'sum' | 'avg' | 'median';
      readonly missing: 'first' | 'last' | bigint | number;
      /** An i64 column of unsigned integers, less 2^63: sums, averages and medians use the unsigned numbers, modulo 2^64. */
      readonly isUnsigned?: boolean;
      /** Sort by a column of nested children: their bitset (values of all children of a root are taken together); 0 otherwise. */
      readonly nestedDocsPtr: number;
      /** Nested documents whose values count: a plan over the nested documents, or null for all. */
      readonly nestedFilter: PlanNode | null;
      /** Of each root, only the first so many nested documents that have a value count; null for all. */
      readonly maxChildren: number | null;
    }
  | {
      readonly by: 'geoDistance';
      readonly column: SegmentColumn | null;
      readonly points: ReadonlyArray<{ lat: number; lon: number }>;
      /** Distances in the plane, not on the sphere. */
      readonly isPlane: boolean;
      readonly descending: boolean;
      readonly mode: 'min' | 'max' | 'avg' | 'median' | 'sum';
    };

/** Which matches and values to collect. */
export interface CollectPlan {
  /** Number of hits (from + size); 0 counts and aggregates only. */
  readonly size: number;
  /** Empty or [score desc] means by score. Ties are broken by ascending doc id. */
  readonly sort: readonly SortKey[];
  /** Compute scores although hits are sorted by something else (track_scores). */
  readonly trackScores: boolean;
  /**
   * search_after / scroll: raw sort values (ordinals already translated to this segment, fractions of ordinals for absent terms) and, if the
   * last hit was in this or an earlier segment, its doc id as the tie break: only later hits are collected.
   */
  readonly after: { readonly values: ReadonlyArray<bigint | number | null>; readonly docId: number | null } | null;
  /** Count hits exactly up to here (Infinity: all; 0: not at all); above, pruning may begin. */
  readonly trackTotalHitsUpTo: number;
  /** Hits with a lower score are neither counted nor collected; null: no limit. */
  readonly minScore: number | null;
  /** Stop after so many collected documents in this segment; 0: never. */
  readonly terminateAfter: number;
  /** Restricts hits but not aggregations. */
  readonly postFilter: PlanNode | null;
}

/** Counts every match and collects no hits. */
export const COUNT_ALL: CollectPlan = {
  size: 0,
  sort: [],
  trackScores: false,
  after: null,
  trackTotalHitsUpTo: Number.POSITIVE_INFINITY,
  minScore: null,
  terminateAfter: 0,
  postFilter: null,
};

/** Columns parallel by rank: best hit first. */
export interface SegmentHits {
  readonly docs: Uint32Array;
  /** NaN where not computed. */
  readonly scores: Float32Array;
  /** Per hit the raw sort values in the order of `sort` (null: missing); empty when sorted by score alone. */
  readonly sortValues: ReadonlyArray<ReadonlyArray<bigint | number | null>>;
  /** Hits counted; a lower bound if `totalIsLowerBound`. */
  readonly total: number;
  readonly totalIsLowerBound: boolean;
  readonly maxScore: number;
  readonly terminatedEarly: boolean;
}

/** Work done, the same counters for profile, slow log and budgets. */
export interface ExecutionCounters {
  blocksDecoded: number;
  docsCollected: number;
  docsScored: number;
  windows: number;
}

export function makeCounters(): ExecutionCounters {
  return { blocksDecoded: 0, docsCollected: 0, docsScored: 0, windows: 0 };
}

/** Called between windows: return true to stop (timeout, cancelled). */
export type StopCheck = () => boolean;

/** Properties of a segment that the executor needs. Matches at the top of a plan are live root documents. */
export interface SegmentScope {
  readonly maxDoc: number;
  readonly liveDocsPtr: number;
  readonly rootDocsPtr: number;
}

/** The aggregations of a request on this segment, written by AggEncoder: they see every match that minScore leaves (postFilter does not count). */
export interface AggProgram {
  readonly rootPtr: number;
  readonly needsScores: boolean;
}
