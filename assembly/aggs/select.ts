// Bucket aggregations that are not keyed by one value: ranges, filters, missing, nested, reverse nested; and the list of documents per bucket.
// Their buckets are direct or hashed as in buckets.ts.
import { E_NO_SPACE } from '../mem/status';
import { columnHeader, hasValue } from '../docvalues/column-view';
import { hashedBucket } from './bucket-table';
import { AggNode, AggRoot, BLOCK, DISJOINT, FiltersNode, NestedNode, NIL, OTHER_BUCKET, RangesNode, regrow, ReverseNestedNode } from './node';
import { beginValues, loadDoubles, nextSlots, valueBase, valueBuckets, valueDocs, valuePairs } from './values';
import { collectChildren } from './tree';

/** Bucket of (parent bucket, index). NIL if the region is used up. */
@inline
function bucketOf(node: AggNode, parent: u32, index: u32): u32 {
  return node.denseParents ? parent * node.size + index : hashedBucket(node, parent, <u64>index);
}

@inline
function emit(node: AggNode, m: u32, doc: u32, bucket: u32): void {
  const at = <usize>m << 2;
  const counter = <usize>node.counts + (<usize>bucket << 2);
  store<u32>(counter, load<u32>(counter) + 1);
  store<u32>(<usize>node.outDocs + at, doc);
  store<u32>(<usize>node.outBuckets + at, bucket);
}

@inline
function flush(node: AggNode, m: u32): i32 {
  return node.childCount && m ? collectChildren(node, <usize>node.outDocs, 0, <usize>node.outBuckets, m) : 0;
}

/** OP_RANGES: counts a document once in each range that contains one of its values. */
export function collectRanges(node: RangesNode, docs: usize, base: u32, buckets: usize, count: u32): i32 {
  const ranges = <usize>node.ranges, rangeCount = node.rangeCount, marks = <usize>node.marks;
  const values = <usize>node.values;
  const disjoint = (node.flags & DISJOINT) != 0;
  beginValues(node);
  memory.fill(marks, 0xff, <usize>rangeCount << 2);
  let m: u32 = 0;
  for (let n = nextSlots(node, docs, base, buckets, count); n > 0; n = nextSlots(node, docs, base, buckets, count)) {
    const fromDocs = valueDocs, fromBase = valueBase, fromBuckets = valueBuckets, pairs = valuePairs;
    loadDoubles(node, n, values);
    for (let i: u32 = 0; i < n; i++) {
      const value = load<f64>(values + (<usize>i << 3));
      const doc = fromDocs ? load<u32>(fromDocs + (<usize>i << 2)) : fromBase + i;
      const parent = fromBuckets ? load<u32>(fromBuckets + (<usize>i << 2)) : 0;
      const pair = pairs ? load<u32>(pairs + (<usize>i << 2)) : i;
      for (let r: u32 = 0; r < rangeCount; r++) {
        const range = ranges + (<usize>r << 4);
        if (!(value >= load<f64>(range) && value < load<f64>(range, 8))) continue;
        const mark = marks + (<usize>r << 2);
        if (load<u32>(mark) != pair) {
          store<u32>(mark, pair);
          const bucket = bucketOf(node, parent, r);
          if (bucket == NIL) return E_NO_SPACE;
          emit(node, m++, doc, bucket);
          if (m == BLOCK) {
            const status = flush(node, m);
            if (status) return status;
            m = 0;
          }
        }
        if (disjoint) break;
      }
    }
  }
  return flush(node, m);
}

/** OP_FILTERS: a bucket per filter, and with OTHER_BUCKET one for documents that match none. */
export function collectFilters(node: FiltersNode, docs: usize, base: u32, buckets: usize, count: u32): i32 {
  const filters = node.filterCount;
  const other = (node.flags & OTHER_BUCKET) != 0;
  const total = other ? filters + 1 : filters;
  for (let f: u32 = 0; f < total; f++) {
    const bits = f < filters ? <usize>load<u32>(<usize>node.filters + (<usize>f << 2)) : 0;
    let m: u32 = 0;
    for (let i: u32 = 0; i < count; i++) {
      const at = <usize>i << 2;
      const doc = docs ? load<u32>(docs + at) : base + i;
      if (bits ? !bit(bits, doc) : matchesAny(node, filters, doc)) continue;
      const bucket = bucketOf(node, buckets ? load<u32>(buckets + at) : 0, f);
      if (bucket == NIL) return E_NO_SPACE;
      emit(node, m++, doc, bucket);
    }
    const status = flush(node, m);
    if (status) return status;
  }
  return 0;
}

@inline
function bit(bits: usize, doc: u32): bool {
  return ((load<u64>(bits + (<usize>(doc >> 6) << 3)) >> (doc & 63)) & 1) != 0;
}

function matchesAny(node: FiltersNode, filters: u32, doc: u32): bool {
  for (let f: u32 = 0; f < filters; f++) {
    if (bit(<usize>load<u32>(<usize>node.filters + (<usize>f << 2)), doc)) return true;
  }
  return false;
}

/** OP_MISSING: documents without a value in the column. */
export function collectMissing(node: AggNode, docs: usize, base: u32, buckets: usize, count: u32): i32 {
  const column = <usize>node.column;
  let m: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = <usize>i << 2;
    const doc = docs ? load<u32>(docs + at) : base + i;
    if (column && hasValue(columnHeader(column), doc)) continue;
    const bucket = bucketOf(node, buckets ? load<u32>(buckets + at) : 0, 0);
    if (bucket == NIL) return E_NO_SPACE;
    emit(node, m++, doc, bucket);
  }
  return flush(node, m);
}

/** OP_NESTED: the children between each document and the parent before it. */
export function collectNested(node: NestedNode, docs: usize, base: u32, buckets: usize, count: u32): i32 {
  const children = <usize>node.childDocs, parents = <usize>node.parentDocs;
  if (!children || !parents) return 0;
  let m: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = <usize>i << 2;
    const doc = docs ? load<u32>(docs + at) : base + i;
    let child = previousBit(parents, doc) + 1;
    if (child == doc) continue;
    const bucket = bucketOf(node, buckets ? load<u32>(buckets + at) : 0, 0);
    if (bucket == NIL) return E_NO_SPACE;
    for (child = nextBit(children, child, doc); child < doc; child = nextBit(children, child + 1, doc)) {
      emit(node, m++, child, bucket);
      if (m == BLOCK) {
        const status = flush(node, m);
        if (status) return status;
        m = 0;
      }
    }
  }
  return flush(node, m);
}

/** Last document before `doc` in the bitset; NIL (so that + 1 is 0) if there is none. */
function previousBit(bits: usize, doc: u32): u32 {
  if (doc == 0) return NIL;
  let word = (doc - 1) >> 6;
  let w = load<u64>(bits + (<usize>word << 3)) << (63 - ((doc - 1) & 63));
  if (w) return doc - 1 - <u32>clz<u64>(w);
  while (word > 0) {
    word--;
    w = load<u64>(bits + (<usize>word << 3));
    if (w) return (word << 6) + 63 - <u32>clz<u64>(w);
  }
  return NIL;
}

/** First document >= from in the bitset, or `end` if there is none below it. */
function nextBit(bits: usize, from: u32, end: u32): u32 {
  if (from >= end) return end;
  let word = from >> 6;
  let w = load<u64>(bits + (<usize>word << 3)) >> (from & 63);
  if (w) return min(end, from + <u32>ctz<u64>(w));
  const last = (end - 1) >> 6;
  while (word < last) {
    word++;
    w = load<u64>(bits + (<usize>word << 3));
    if (w) return min(end, (word << 6) + <u32>ctz<u64>(w));
  }
  return end;
}

/** OP_REVERSE_NESTED: the parent of each child, once per parent bucket. */
export function collectReverseNested(node: ReverseNestedNode, docs: usize, base: u32, buckets: usize, count: u32, limit: u32): i32 {
  const parents = <usize>node.parentDocs;
  const maxDoc = changetype<AggRoot>(<usize>node.root).maxDoc;
  if (limit > node.lastParentCount) {
    const capacity = max(limit, node.lastParentCount << 1);
    const grown = regrow(<usize>node.root, <usize>node.lastParents, <u64>node.lastParentCount << 2, <u64>capacity << 2);
    if (!grown) return E_NO_SPACE;
    node.lastParents = <u32>grown;
    node.lastParentCount = capacity;
  }
  const lastParents = <usize>node.lastParents;
  let m: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = <usize>i << 2;
    const doc = docs ? load<u32>(docs + at) : base + i;
    const from = buckets ? load<u32>(buckets + at) : 0;
    const parent = parents ? nextBit(parents, doc, maxDoc) : doc;
    if (parent == maxDoc) continue;
    const mark = lastParents + (<usize>from << 2);
    if (load<u32>(mark) == parent + 1) continue;
    store<u32>(mark, parent + 1);
    const bucket = bucketOf(node, from, 0);
    if (bucket == NIL) return E_NO_SPACE;
    emit(node, m++, parent, bucket);
  }
  return flush(node, m);
}

/** A document of a bucket; documents without a score have 0. */
// @ts-ignore: decorator
@unmanaged
export class DocEntry {
  doc: u32;
  bucket: u32;
  score: f32;
}

/** OP_DOCS: appends to DocEntry[bucketCount] at node.counts. */
export function collectDocs(node: AggNode, docs: usize, base: u32, buckets: usize, count: u32): i32 {
  if (node.bucketCount + count > node.capacity) {
    const capacity = max(node.capacity << 1, max(node.bucketCount + count, 1024));
    const grown = regrow(<usize>node.root, <usize>node.counts, <u64>node.bucketCount * offsetof<DocEntry>(), <u64>capacity * offsetof<DocEntry>());
    if (!grown) return E_NO_SPACE;
    node.counts = <u32>grown;
    node.capacity = capacity;
  }
  const root = changetype<AggRoot>(<usize>node.root);
  const scores = <usize>root.scores, scored = <usize>root.docs;
  let cur = <usize>node.counts + <usize>node.bucketCount * offsetof<DocEntry>();
  let place: u32 = 0, lastDoc: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = <usize>i << 2;
    const doc = docs ? load<u32>(docs + at) : base + i;
    let score: f32 = 0;
    if (scores) {
      if (doc < lastDoc) place = 0;
      lastDoc = doc;
      if (!scored) place = doc - root.base;
      else while (place < root.count && load<u32>(scored + (<usize>place << 2)) < doc) place++;
      if (place < root.count && (!scored || load<u32>(scored + (<usize>place << 2)) == doc)) score = load<f32>(scores + (<usize>place << 2));
    }
    const entry = changetype<DocEntry>(cur);
    entry.doc = doc;
    entry.bucket = buckets ? load<u32>(buckets + at) : 0;
    entry.score = score;
    cur += offsetof<DocEntry>();
  }
  node.bucketCount += count;
  return 0;
}
