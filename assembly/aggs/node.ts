// Records of an aggregation tree in worker scratch: the host writes them (src/plan/agg-encode.ts), kernels add their state.
//   AggRoot ─ children ─► u32[] of AggNode ─ children ─► u32[] ...
// A node gets blocks of at most BLOCK pairs (docId, bucket of the parent), docs ascending inside each bucket. `docs` 0 means the
// consecutive docs base, base + 1, ...; `buckets` 0 means that all belong to bucket 0.
// State grows by doubling out of [cur, end) of the root; the memory of smaller tables is not reused. All of it is dropped after the segment's run.

/** Pairs in a block. */
export const BLOCK: u32 = 1024;
/** No value, no slot, no bucket. */
export const NIL: u32 = 0xffffffff;

// AggNode.op
export const OP_BUCKETS: u32 = 1;
export const OP_RANGES: u32 = 2;
export const OP_FILTERS: u32 = 3;
export const OP_MISSING: u32 = 4;
export const OP_NESTED: u32 = 5;
export const OP_REVERSE_NESTED: u32 = 6;
export const OP_STATS: u32 = 7;
export const OP_DOCS: u32 = 8;
export const OP_DISTINCT: u32 = 9;

// AggNode.kind of OP_BUCKETS: how a value becomes a bucket index (or, if size is 0, a 64-bit key)
export const KIND_STORED: u32 = 0;
export const KIND_TABLE: u32 = 1;
export const KIND_FIXED: u32 = 2;
export const KIND_HISTOGRAM: u32 = 3;
export const KIND_STARTS: u32 = 4;
export const KIND_RAW: u32 = 5;
export const KIND_GEOTILE: u32 = 6;
export const KIND_GEOHASH: u32 = 7;
export const KIND_FIXED_STORED: u32 = 8;
export const KIND_ROUNDED: u32 = 9;
// AggNode.kind of OP_STATS
export const STATS_INTEGER: u32 = 0;
export const STATS_DOUBLE: u32 = 1;
export const STATS_COUNT: u32 = 2;

// AggNode.flags
/** Documents without a value get `missing` or `missingIndex`. */
export const HAS_MISSING: u32 = 1;
/** Count each value, not each document once per bucket. */
export const PER_VALUE: u32 = 2;
/** The table contains NIL: values that are left out. */
export const MAY_DROP: u32 = 4;
/** Root buckets without children over stored values: four counter tables in turn, summed by the host. */
export const FOUR_TABLES: u32 = 8;
/** unsigned_long: raw values are value - 2^63. */
export const UNSIGNED: u32 = 16;
/** Ranges do not overlap and ascend. */
export const DISJOINT: u32 = 32;
/** Filters: a last bucket for documents that match none. */
export const OTHER_BUCKET: u32 = 64;
/** Stats keep sums of squares. */
export const SQUARES: u32 = 128;
/** With 64-bit keys and HAS_MISSING: the key of documents without a value is MISSING_KEY, which no value has. */
export const MISSING_APART: u32 = 256;

/** As a double, it is a NaN. */
export const MISSING_KEY: u64 = 0xffffffffffffffff;

/** Head of the region of a tree; the host writes it and clears the rest. */
// @ts-ignore: decorator
@unmanaged
export class AggRoot {
  /** Next free byte of the region, and one past its last. */
  cur: u32;
  end: u32;
  childCount: u32;
  /** Addresses of the top nodes, u32[childCount]. */
  children: u32;
  maxDoc: u32;
  /** The current block of documents, for their scores: docs u32[count], or the numbers from `base` on if 0; scores f32[count] or 0. */
  docs: u32;
  base: u32;
  scores: u32;
  count: u32;
  /** First failure of the run, or 0. */
  status: i32;
}

/** Fields of all nodes. The host clears a record and writes the first group of fields; the classes below add the fields of single ops. */
// @ts-ignore: decorator
@unmanaged
export class AggNode {
  /** OP_* */
  op: u32;
  childCount: u32;
  /** Addresses of the child nodes, u32[childCount]. */
  children: u32;
  flags: u32;
  /** Address of the column whose values are read, 0 without. */
  column: u32;
  /** KIND_* or STATS_* */
  kind: u32;
  /** Bucket indexes are 0..size-1; 0: 64-bit keys. */
  size: u32;
  /** Bucket index or stored value of documents without a value (HAS_MISSING). */
  missingIndex: u32;
  /** Raw value of documents without a value (HAS_MISSING). */
  missing: u64;
  /** Turns raw values into doubles of the API; 0: `missing` is such a double. */
  scale: f64;
  /** Number of parent buckets if buckets are direct (bucket = parent * size + index); 0: hashed. */
  denseParents: u32;
  root: u32;
  // Buffers of BLOCK entries: u64 values, the others u32.
  values: u32;
  slots: u32;
  exDocs: u32;
  exBuckets: u32;
  exPairs: u32;
  outDocs: u32;
  outBuckets: u32;

  // State.
  /** Documents per bucket u32[], or accumulators per parent bucket (STATS), registers (DISTINCT), records (DOCS). */
  counts: u32;
  bucketCount: u32;
  capacity: u32;
  /** Hashed buckets (bucket-table.ts): keys u64[], bucketParents u32[], table u32[tableMask + 1]. */
  keys: u32;
  bucketParents: u32;
  table: u32;
  tableMask: u32;
  /** Position of nextSlots in the block. */
  resumePair: u32;
  resumeValue: u32;
  /** Last pair and its index, to count a document once per bucket. */
  lastPair: u32;
  lastIndex: u32;
}

// OP_BUCKETS by kind.

// @ts-ignore: decorator
@unmanaged
export class TableBuckets extends AggNode {
  /** Index per stored value, u32[]; NIL leaves the value out. */
  lookup: u32;
}

// @ts-ignore: decorator
@unmanaged
export class FixedBuckets extends AggNode {
  /** A whole number below 2^53. */
  interval: f64;
  origin: i64;
  /** 1 / interval, unless keys are hashed. */
  inverse: f64;
}

// @ts-ignore: decorator
@unmanaged
export class FixedStoredBuckets extends AggNode {
  width: u32;
  shift: u32;
}

// @ts-ignore: decorator
@unmanaged
export class HistogramBuckets extends AggNode {
  interval: f64;
  offset: f64;
  /** Quotient of bucket index 0. */
  first: f64;
}

// @ts-ignore: decorator
@unmanaged
export class StartsBuckets extends AggNode {
  /** Ascending starts i64[startCount], then the end of the last bucket. */
  starts: u32;
  startCount: u32;
}

// @ts-ignore: decorator
@unmanaged
export class GeoBuckets extends AggNode {
  precision: u32;
}

// Other ops.

// @ts-ignore: decorator
@unmanaged
export class RangesNode extends AggNode {
  /** Doubles [from, to) each, rangeCount pairs. */
  ranges: u32;
  rangeCount: u32;
  /** Buffer u32[rangeCount]. */
  marks: u32;
}

// @ts-ignore: decorator
@unmanaged
export class FiltersNode extends AggNode {
  /** Addresses of bitsets, u32[filterCount]. */
  filters: u32;
  filterCount: u32;
}

// @ts-ignore: decorator
@unmanaged
export class NestedNode extends AggNode {
  /** Bitsets of the nested path's documents and of their parents. 0: the segment has none, or every document is a parent. */
  childDocs: u32;
  parentDocs: u32;
}

// @ts-ignore: decorator
@unmanaged
export class ReverseNestedNode extends AggNode {
  /** Bitset of the parents; 0: every document is one. */
  parentDocs: u32;
  /** State: last parent + 1 per parent bucket, u32[lastParentCount]. */
  lastParents: u32;
  lastParentCount: u32;
}

// @ts-ignore: decorator
@unmanaged
export class DistinctNode extends AggNode {
  /** 2^precision registers per parent bucket. */
  precision: u32;
}

export function nodeAt(ptr: usize): AggNode {
  return changetype<AggNode>(ptr);
}

/** `bytes` of zeroed memory, 16-aligned; 0 if the region is used up. The region itself is not zeroed. */
export function allocate(rootPtr: usize, bytes: u64): usize {
  const root = changetype<AggRoot>(rootPtr);
  const start = (<u64>root.cur + 15) & ~15;
  if (start + bytes > <u64>root.end) return 0;
  root.cur = <u32>(start + bytes);
  memory.fill(<usize>start, 0, <usize>bytes);
  return <usize>start;
}

/** Copies `usedBytes` to a zeroed area of `bytes`; 0 if the region is used up. */
export function regrow(rootPtr: usize, from: usize, usedBytes: u64, bytes: u64): usize {
  const to = allocate(rootPtr, bytes);
  if (to && usedBytes) memory.copy(to, from, <usize>usedBytes);
  return to;
}
