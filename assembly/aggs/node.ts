// Records of an aggregation tree in worker scratch: the host writes them (src/plan/agg-encode.ts has the same offsets), kernels fill state.
//   AggRoot ─ children ─► u32[] of AggNode ─ children ─► u32[] ...
// A node gets blocks of at most BLOCK pairs (docId, bucket of the parent), docs ascending inside each bucket. `docs` 0 means the
// consecutive docs base, base + 1, ...; `buckets` 0 means that all belong to bucket 0.
// State grows by doubling out of [cur, end) of the root; what a table outgrew is not reused. All of it dies with the segment's run.

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

// AggNode.kind of OP_BUCKETS: how a value becomes a bucket index (or a 64-bit key where size is 0)
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
/** `missing` / `missingIndex` stand for documents without a value. */
export const HAS_MISSING: u32 = 1;
/** Count each value, not each document once per bucket. */
export const PER_VALUE: u32 = 2;
/** The table has indexes NIL: values that are left out. */
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

@unmanaged
export class AggRoot {
  cur: u32; // 0
  end: u32; // 4
  childCount: u32; // 8
  children: u32; // 12
  maxDoc: u32; // 16
  // the block at hand, for scores of documents
  docs: u32; // 20
  base: u32; // 24
  scores: u32; // 28
  count: u32; // 32
  /** First failure of the run, or 0. */
  status: i32; // 36
}

@unmanaged
export class AggNode {
  op: u32; // 0
  childCount: u32; // 4
  children: u32; // 8
  flags: u32; // 12
  column: u32; // 16
  kind: u32; // 20
  /** Bucket indexes are 0..size-1; 0: 64-bit keys. */
  size: u32; // 24
  /** KIND_TABLE: u32 index per stored value. */
  lut: u32; // 28
  missing: u64; // 32
  scale: f64; // 40
  p0: f64; // 48
  p1: f64; // 56
  p2: f64; // 64
  p3: f64; // 72
  aux: u32; // 80
  auxCount: u32; // 84
  aux2: u32; // 88
  missingIndex: u32; // 92
  /** Number of parent buckets where slots are direct (bucket = parent * size + index); 0: hashed. */
  denseParents: u32; // 96
  /** u32 docs per bucket (OP_BUCKETS...), or accumulators per parent bucket (OP_STATS), or records (OP_DOCS). */
  counts: u32; // 100
  bucketCount: u32; // 104
  capacity: u32; // 108
  keys: u32; // 112
  bucketParents: u32; // 116
  table: u32; // 120
  tableMask: u32; // 124
  root: u32; // 128
  resumePair: u32; // 132
  resumeValue: u32; // 136
  lastPair: u32; // 140
  lastIndex: u32; // 144
  // scratch arrays of BLOCK entries: u32, but values u64
  slots: u32; // 148
  values: u32; // 152
  exDocs: u32; // 156
  exBuckets: u32; // 160
  exPairs: u32; // 164
  outDocs: u32; // 168
  outBuckets: u32; // 172
}
export const AGG_NODE_BYTES: u32 = 192;

export function nodeAt(ptr: usize): AggNode {
  return changetype<AggNode>(ptr);
}

/** `bytes` of zeroed memory, 16-aligned; 0 if the region is used up. Region bytes are not zero when given, so they are cleared here. */
export function allocate(rootPtr: usize, bytes: u64): usize {
  const root = changetype<AggRoot>(rootPtr);
  const start = (<u64>root.cur + 15) & ~15;
  if (start + bytes > <u64>root.end) return 0;
  root.cur = <u32>(start + bytes);
  memory.fill(<usize>start, 0, <usize>bytes);
  return <usize>start;
}

/** Copy of `usedBytes` in a zeroed area of `bytes`; 0 if the region is used up. */
export function regrow(rootPtr: usize, from: usize, usedBytes: u64, bytes: u64): usize {
  const to = allocate(rootPtr, bytes);
  if (to && usedBytes) memory.copy(to, from, <usize>usedBytes);
  return to;
}
