// Bucket aggregations of one value source: finds each value's bucket, counts its documents, passes (doc, bucket) to the children.
//   direct  bucket = parent bucket * size + index; counts u32[denseParents * size]; the host skips empty ones
//   hashed  bucket-table.ts
// Root buckets over stored values without children count straight from the column, in four tables in turn if many values fall on
// few counters (store forwarding: 1.06 against 0.5 ns a document).
import { E_NO_SPACE } from '../mem/status';
import { Column } from '../docvalues/column';
import { hashedBucket } from './bucket-table';
import { AggNode, FOUR_TABLES, HAS_MISSING, KIND_STORED, MAY_DROP, NIL, PER_VALUE } from './node';
import { beginValues, loadStored, nextSlots, passesThrough, valueBase, valueBuckets, valueDocs, valuePairs } from './values';
import { loadIndexes, loadKeys } from './bucket-index';
import { collectChildren } from './tree';

/** OP_BUCKETS: one block. @returns 0 or a status */
export function collectBuckets(node: AggNode, docs: usize, base: u32, buckets: usize, count: u32): i32 {
  if (node.childCount == 0 && buckets == 0 && node.flags & FOUR_TABLES) {
    if (node.kind == KIND_STORED) countStored(node, docs, base, count);
    else {
      beginValues(node);
      loadIndexes(node, nextSlots(node, docs, base, 0, count), <usize>node.values);
      countOf<u32>(node, <usize>node.values, 0, 0, count);
    }
    return 0;
  }
  const values = <usize>node.values;
  const drops = (node.flags & (MAY_DROP | HAS_MISSING)) != 0 || !passesThrough(<usize>node.column);
  beginValues(node);
  for (let n = nextSlots(node, docs, base, buckets, count); n > 0; n = nextSlots(node, docs, base, buckets, count)) {
    // The module variables of nextSlots change when children read their own values.
    const fromDocs = valueDocs, fromBase = valueBase, fromBuckets = valueBuckets;
    let m: u32;
    let sameDocs = false;
    if (node.size == 0) {
      loadKeys(node, n, values);
      m = assignKeys(node, n, fromDocs, fromBase, fromBuckets, valuePairs, values);
    } else {
      loadIndexes(node, n, values);
      if (node.denseParents && !drops) {
        assignAll(node, n, fromBuckets, values);
        m = n;
        sameDocs = true;
      } else {
        m = assignIndexes(node, n, fromDocs, fromBase, fromBuckets, valuePairs, values);
      }
    }
    if (m == NIL) return E_NO_SPACE;
    if (node.childCount && m) {
      const status = collectChildren(node, sameDocs ? fromDocs : <usize>node.outDocs, sameDocs ? fromBase : 0, <usize>node.outBuckets, m);
      if (status) return status;
    }
  }
  return 0;
}

/** Root, no children, no drops: counts per stored value in four tables. */
function countStored(node: AggNode, docs: usize, base: u32, count: u32): void {
  const column = changetype<Column>(<usize>node.column);
  const width = column.width, values = <usize>node.column + column.valuesOff;
  if (width == 1) countOf<u8>(node, values, docs, base, count);
  else if (width == 2) countOf<u16>(node, values, docs, base, count);
  else if (width == 4) countOf<u32>(node, values, docs, base, count);
  else store<u32>(<usize>node.counts, load<u32>(<usize>node.counts) + count);
}

@inline
function countOf<T>(node: AggNode, values: usize, docs: usize, base: u32, count: u32): void {
  const shift: usize = alignof<T>();
  const bytes = <usize>node.size << 2;
  const t0 = <usize>node.counts, t1 = t0 + bytes, t2 = t1 + bytes, t3 = t2 + bytes;
  let i: u32 = 0;
  if (docs) {
    for (; i + 4 <= count; i += 4) {
      const at = docs + (<usize>i << 2);
      bump(t0, <u32>load<T>(values + (<usize>load<u32>(at) << shift)));
      bump(t1, <u32>load<T>(values + (<usize>load<u32>(at, 4) << shift)));
      bump(t2, <u32>load<T>(values + (<usize>load<u32>(at, 8) << shift)));
      bump(t3, <u32>load<T>(values + (<usize>load<u32>(at, 12) << shift)));
    }
    for (; i < count; i++) bump(t0, <u32>load<T>(values + (<usize>load<u32>(docs + (<usize>i << 2)) << shift)));
    return;
  }
  let cur = values + (<usize>base << shift);
  for (; i + 4 <= count; i += 4) {
    bump(t0, <u32>load<T>(cur));
    bump(t1, <u32>load<T>(cur, sizeof<T>()));
    bump(t2, <u32>load<T>(cur, 2 * sizeof<T>()));
    bump(t3, <u32>load<T>(cur, 3 * sizeof<T>()));
    cur += 4 * sizeof<T>();
  }
  for (; i < count; i++) {
    bump(t0, <u32>load<T>(cur));
    cur += sizeof<T>();
  }
}

@inline
function bump(table: usize, index: u32): void {
  const at = table + (<usize>index << 2);
  store<u32>(at, load<u32>(at) + 1);
}

@inline
function add(table: usize, index: u32, count: u32): void {
  const at = table + (<usize>index << 2);
  store<u32>(at, load<u32>(at) + count);
}

/** Direct, every pair has exactly one index: counts and writes outBuckets; documents stay as they are. */
function assignAll(node: AggNode, n: u32, buckets: usize, indexes: usize): void {
  const counts = <usize>node.counts, out = <usize>node.outBuckets, size = node.size;
  // Equal neighbours (ascending times) are counted in a register: incrementing one counter repeatedly costs 5 cycles each by store forwarding.
  let last: u32 = 0, run: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const at = <usize>i << 2;
    let bucket = load<u32>(indexes + at);
    if (buckets) bucket += load<u32>(buckets + at) * size;
    store<u32>(out + at, bucket);
    if (bucket != last) {
      add(counts, last, run);
      last = bucket;
      run = 0;
    }
    run++;
  }
  add(counts, last, run);
}

/** Indexes to buckets; drops NIL and a document's repeats of an index. @returns pairs in outDocs, outBuckets; NIL if the region is used up */
function assignIndexes(node: AggNode, n: u32, docs: usize, base: u32, buckets: usize, pairs: usize, indexes: usize): u32 {
  const dense = node.denseParents != 0, size = node.size, unique = pairs != 0 && !(node.flags & PER_VALUE);
  const outDocs = <usize>node.outDocs, outBuckets = <usize>node.outBuckets;
  let m: u32 = 0, lastPair = node.lastPair, lastIndex = node.lastIndex;
  for (let i: u32 = 0; i < n; i++) {
    const at = <usize>i << 2;
    const index = load<u32>(indexes + at);
    if (index == NIL) continue;
    if (unique) {
      const pair = load<u32>(pairs + at);
      if (pair == lastPair && index == lastIndex) continue;
      lastPair = pair;
      lastIndex = index;
    }
    const parent = buckets ? load<u32>(buckets + at) : 0;
    const bucket = dense ? parent * size + index : hashedBucket(node, parent, <u64>index);
    if (bucket == NIL) return NIL;
    bump(<usize>node.counts, bucket);
    store<u32>(outDocs + (<usize>m << 2), docs ? load<u32>(docs + at) : base + i);
    store<u32>(outBuckets + (<usize>m << 2), bucket);
    m++;
  }
  node.lastPair = lastPair;
  node.lastIndex = lastIndex;
  return m;
}

/** The same for 64-bit keys; always hashed. Repeats of a value follow each other, since values of a document ascend. */
function assignKeys(node: AggNode, n: u32, docs: usize, base: u32, buckets: usize, pairs: usize, keys: usize): u32 {
  const unique = pairs != 0 && !(node.flags & PER_VALUE);
  const outDocs = <usize>node.outDocs, outBuckets = <usize>node.outBuckets;
  let m: u32 = 0, lastPair = node.lastPair, lastBucket = node.lastIndex;
  for (let i: u32 = 0; i < n; i++) {
    const at = <usize>i << 2;
    const parent = buckets ? load<u32>(buckets + at) : 0;
    const bucket = hashedBucket(node, parent, load<u64>(keys + (<usize>i << 3)));
    if (bucket == NIL) return NIL;
    if (unique) {
      const pair = load<u32>(pairs + at);
      if (pair == lastPair && bucket == lastBucket) continue;
      lastPair = pair;
      lastBucket = bucket;
    }
    bump(<usize>node.counts, bucket);
    store<u32>(outDocs + (<usize>m << 2), docs ? load<u32>(docs + at) : base + i);
    store<u32>(outBuckets + (<usize>m << 2), bucket);
    m++;
  }
  node.lastPair = lastPair;
  node.lastIndex = lastBucket;
  return m;
}
