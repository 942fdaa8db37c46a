// The plan of an aggregation tree on one segment and its result, in columns: a bucket aggregation produces a list of buckets, each with the
// bucket of its parent; a metric produces values per parent bucket. The root's parent is the single bucket 0.
import type { PlanNode } from './query-plan.ts';
import type { SegmentColumn } from './segment.ts';

/** A values source. column null: the segment has no value of the field. `missing`: raw value of documents without one. */
export interface AggColumn {
  readonly column: SegmentColumn | null;
  /** Raw value (bigint or integer for i64 columns, number for f64, an ordinal for ordinals: column.max + 1 if the segment has no such term). */
  readonly missing: bigint | number | null;
  /** Raw i64 value times this is the value as a double (scaled_float: 1 / scaling_factor); 1 elsewhere. unsigned_long adds 2^63. */
  readonly scale: number;
  readonly unsigned: boolean;
}

export interface AggRange {
  readonly from: number;
  readonly to: number;
}

export type AggNode = {
  readonly children: readonly AggNode[];
} /** One bucket per distinct ordinal; keys are ordinals, column.max + 1 stands for `missing`. `accept`: bitset of allowed ordinals, or null. */ & (
  | { readonly op: 'termsOrd'; readonly source: AggColumn; readonly accept: Uint8Array | null }
  /** One bucket per distinct raw value (i64 or f64). `perValue`: docCounts count values, repeats in a document too. */
  | { readonly op: 'termsNumeric'; readonly source: AggColumn; readonly perValue: boolean }
  /** One bucket per value as a double of 17 significant bits, docCounts count values: distributions of too many values to store. */
  | { readonly op: 'roundedValues'; readonly source: AggColumn }
  /**
   * key = floor((value - offset) / interval), as a double; keys outside [minKey, maxKey] are left out.
   * `missingApart`: documents without a value have a bucket with the key NaN, and the limits are ignored.
   */
  | {
      readonly op: 'histogram';
      readonly source: AggColumn;
      readonly interval: number;
      readonly offset: number;
      readonly minKey: number;
      readonly maxKey: number;
      readonly missingApart: boolean;
    }
  /** key = raw value of the bucket's start: floor to multiples of the interval past the offset. */
  | { readonly op: 'dateFixed'; readonly source: AggColumn; readonly interval: number; readonly offset: number }
  /** Calendar units and zones: ascending starts (the last is the end of the last bucket); values outside are left out; key = the start. */
  | { readonly op: 'dateStarts'; readonly source: AggColumn; readonly starts: BigInt64Array }
  /** Cells of a geo column; keys as in assembly/aggs/geo-cells.ts. `missingApart`: documents without a value have a bucket with the key -1. */
  | {
      readonly op: 'geoCells';
      readonly source: AggColumn;
      readonly grid: 'geotile' | 'geohash';
      readonly precision: number;
      readonly missingApart: boolean;
    }
  /** Bucket i per range [from, to); a document is in each range that contains one of its values. Keys are i. Values as doubles; ordinals as numbers. */
  | { readonly op: 'ranges'; readonly source: AggColumn; readonly ranges: readonly AggRange[] }
  /** Bucket i per filter, keys are i; `other` adds a last bucket for documents that match none. */
  | { readonly op: 'filters'; readonly filters: readonly PlanNode[]; readonly other: boolean }
  /** Documents without a value. One bucket per parent bucket, key 0. */
  | { readonly op: 'missing'; readonly source: AggColumn }
  /** From parents to their children in childDocs; one bucket per parent bucket. parentDocsPtr 0 = root documents. */
  | { readonly op: 'nested'; readonly childDocsPtr: number; readonly parentDocsPtr: number }
  /** From children back to the parents in parentDocs (0 = roots), each parent once per bucket. */
  | { readonly op: 'reverseNested'; readonly parentDocsPtr: number }
  /** count, sum (Kahan as Lucene's aggregators), min, max, sum of squares per bucket. */
  | { readonly op: 'stats'; readonly source: AggColumn; readonly sumOfSquares: boolean }
  | { readonly op: 'valueCount'; readonly source: AggColumn }
  /** HyperLogLog registers of the raw values, 2^precision bytes per parent bucket. */
  | { readonly op: 'distinct'; readonly source: AggColumn; readonly precision: number }
  /** The documents of each parent bucket with their scores, for top hits, samplers and metrics that the host computes. */
  | { readonly op: 'docs' }
);

/** Buckets of one aggregation in one segment that have documents. Arrays are parallel; index i is the bucket's number for its children. */
export interface BucketColumns {
  /** Parent bucket of each bucket. */
  readonly parents: Uint32Array;
  /** Doubles; bigints if raw i64 keys (or geo cells) may exceed 2^53. */
  readonly keys: Float64Array | BigInt64Array;
  /** Doubles if values count more than once. */
  readonly docCounts: Uint32Array | Float64Array;
}

/** Parallel to the parent's buckets. */
export interface StatsColumns {
  readonly count: Float64Array;
  readonly sum: Float64Array;
  /** Infinity, -Infinity where there is no value. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sumOfSquares: Float64Array;
}

/** Result of one node for one segment; `children` in the order of the node's children. */
export type AggResult =
  | { readonly op: 'buckets'; readonly buckets: BucketColumns; readonly children: readonly AggResult[] }
  | { readonly op: 'stats'; readonly stats: StatsColumns }
  | { readonly op: 'valueCount'; readonly counts: Float64Array }
  /** Registers of parent bucket b: 2^precision bytes from b << precision. */
  | { readonly op: 'distinct'; readonly precision: number; readonly registers: Uint8Array }
  /** Documents of parent bucket b: docs[starts[b]] .. docs[starts[b + 1] - 1], ascending. */
  | { readonly op: 'docs'; readonly starts: Uint32Array; readonly docs: Uint32Array; readonly scores: Float32Array };
