// The plan of an aggregation tree on one segment and its result, columnar: a bucket aggregation gives a list of buckets, each with the
// bucket of its parent; a metric gives values per parent bucket. The root's parent is the single bucket 0.
import type { PlanNode, SortKey } from './query-plan.ts';
import type { SegmentColumn } from './segment.ts';

/** A values source: null column = the segment has no value of the field. `missing`: raw value taken for documents without one. */
export interface AggColumn {
  readonly column: SegmentColumn | null;
  readonly missing: bigint | number | null;
  /** Raw i64 value times this is the value as a double (scaled_float: 1 / scaling_factor); 1 elsewhere. unsigned_long adds 2^63. */
  readonly scale: number;
  readonly unsigned: boolean;
}

export type AggNode = {
  readonly children: readonly AggNode[];
} /** One bucket per distinct ordinal; keys are ordinals, column.max + 1 stands for `missing`. `accept`: bitset of allowed ordinals, or null. */ & (
  | { readonly op: 'termsOrd'; readonly source: AggColumn; readonly accept: Uint8Array | null }
  /** One bucket per distinct raw value (i64 or f64). */
  | { readonly op: 'termsNumeric'; readonly source: AggColumn }
  /** key = floor((value - offset) / interval), as a double. */
  | {
      readonly op: 'histogram';
      readonly source: AggColumn;
      readonly interval: number;
      readonly offset: number;
      readonly min: number;
      readonly max: number;
    }
  /** key = raw value of the bucket's start. `fixed`: floor to multiples of interval past offset. */
  | { readonly op: 'dateFixed'; readonly source: AggColumn; readonly interval: number; readonly offset: number }
  /** Calendar units and zones: ascending starts that cover the column's range; key = the start. */
  | { readonly op: 'dateStarts'; readonly source: AggColumn; readonly starts: BigInt64Array }
  /** Bucket i per range [from, to); a document is in each range that one of its values is in. Keys are i. Values as doubles. */
  | { readonly op: 'ranges'; readonly source: AggColumn; readonly ranges: ReadonlyArray<{ readonly from: number; readonly to: number }> }
  /** The same over ordinals [from, to) (ip ranges). */
  | { readonly op: 'ordRanges'; readonly source: AggColumn; readonly ranges: ReadonlyArray<{ readonly from: number; readonly to: number }> }
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
  /** Distinct values: exact sets up to the budget, else HyperLogLog++ of 2^precision registers; merged over segments by hashes of values. */
  | { readonly op: 'cardinality'; readonly source: AggColumn; readonly precision: number; readonly exactUpTo: number }
  /** Best `size` documents per bucket. */
  | { readonly op: 'topHits'; readonly size: number; readonly sort: readonly SortKey[]; readonly trackScores: boolean }
);

/** Buckets of one aggregation in one segment. Arrays are parallel; index i is the bucket's number for its children. */
export interface BucketColumns {
  /** Parent bucket of each bucket. */
  readonly parents: Uint32Array;
  /** Ordinals, indexes of ranges and filters, histogram keys: doubles. Raw i64 keys: bigints. */
  readonly keys: Float64Array | BigInt64Array;
  readonly docCounts: Uint32Array;
}

/** Parallel to the parent's buckets. */
export interface StatsColumns {
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sumOfSquares: Float64Array | null;
}

/** Result of one node for one segment; `children` in the order of the node's children. */
export type AggResult =
  | { readonly op: 'buckets'; readonly buckets: BucketColumns; readonly children: readonly AggResult[] }
  | { readonly op: 'stats'; readonly stats: StatsColumns }
  | { readonly op: 'valueCount'; readonly counts: Float64Array }
  /** Per parent bucket a set to be merged over segments: 64-bit hashes while exact, else registers (see src/wasm/sketch.ts). */
  | { readonly op: 'cardinality'; readonly sketches: readonly Uint8Array[] }
  | {
      readonly op: 'topHits';
      readonly hits: ReadonlyArray<{
        readonly docs: Uint32Array;
        readonly scores: Float32Array;
        readonly sortValues: ReadonlyArray<ReadonlyArray<bigint | number | null>>;
      }>;
      readonly totals: Float64Array;
      readonly maxScores: Float32Array;
    };
