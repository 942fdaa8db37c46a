// Bucket aggregations of one value source: finds each value's bucket, counts its documents, hands (doc, bucket) to the children.
//   direct  bucket = parent bucket * size + index; counts u32[denseParents * size]; empty ones are skipped by the host
//   hashed  open addressing over (parent bucket, index or 64-bit key): table u32[mask + 1] of bucket + 1, keys u64[], bucketParents u32[], counts u32[]
// Root buckets over stored values without children count straight from the column, in four tables in turn when that many values would fall on
// few counters (store forwarding: 1.06 against 0.5 ns a document).
import { E_NO_SPACE } from '../mem/status';
import { AggNode, allocate, FOUR_TABLES, MAY_DROP, NIL, PER_VALUE, KIND_STORED, KIND_TABLE, HAS_MISSING, regrow } from './node';
import { beginValues, loadStored, nextSlots, passesThrough, valueBase, valueBuckets, valueDocs, valuePairs } from './values';
import { loadIndexes, loadKeys } from './bucket-index';
import { collectChildren } from './tree';

const H_VALUES: usize = 32;
const H_WIDTH: usize = 4;

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
    // the module variables of nextSlots change when children read their own values
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

/** Buckets that exist, an upper bound of bucket numbers for children's state. */
export function bucketLimit(node: AggNode): u32 {
  return node.denseParents ? node.denseParents * node.size : node.bucketCount;
}

/** Root, no children, no drops: counts per stored value in four tables. */
function countStored(node: AggNode, docs: usize, base: u32, count: u32): void {
  const column = <usize>node.column;
  const width = load<u32>(column, H_WIDTH), values = column + load<u32>(column, H_VALUES);
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
  // equal neighbours (times in order) are counted in a register: one counter again and again costs 5 cycles each by store forwarding
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

/** Murmur3's finaliser over the key and the parent. */
@inline
function mix(parent: u32, key: u64): u32 {
  let h = key ^ (<u64>parent * 0x9e3779b97f4a7c15);
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return <u32>(h ^ (h >> 33));
}

/** Bucket of (parent, key), made if new. NIL if the region is used up. */
export function hashedBucket(node: AggNode, parent: u32, key: u64): u32 {
  if (node.bucketCount >= node.capacity && !growBuckets(node)) return NIL;
  const table = <usize>node.table, mask = node.tableMask;
  const keys = <usize>node.keys, parents = <usize>node.bucketParents;
  let at = mix(parent, key) & mask;
  for (;;) {
    const entry = load<u32>(table + (<usize>at << 2));
    if (entry == 0) break;
    const bucket = entry - 1;
    if (load<u64>(keys + (<usize>bucket << 3)) == key && load<u32>(parents + (<usize>bucket << 2)) == parent) return bucket;
    at = (at + 1) & mask;
  }
  const bucket = node.bucketCount++;
  store<u32>(table + (<usize>at << 2), bucket + 1);
  store<u64>(keys + (<usize>bucket << 3), key);
  store<u32>(parents + (<usize>bucket << 2), parent);
  return bucket;
}

/** Doubles the hash table (load at most a half) and its columns. */
function growBuckets(node: AggNode): bool {
  const root = <usize>node.root;
  const used = node.bucketCount;
  const capacity: u32 = used ? used << 1 : 64;
  if (capacity > 0x20000000) return false;
  const counts = regrow(root, <usize>node.counts, <u64>used << 2, <u64>capacity << 2);
  const keys = regrow(root, <usize>node.keys, <u64>used << 3, <u64>capacity << 3);
  const parents = regrow(root, <usize>node.bucketParents, <u64>used << 2, <u64>capacity << 2);
  const table = allocate(root, <u64>capacity << 3);
  if (!counts || !keys || !parents || !table) return false;
  const mask = (capacity << 1) - 1;
  for (let bucket: u32 = 0; bucket < used; bucket++) {
    let at = mix(load<u32>(parents + (<usize>bucket << 2)), load<u64>(keys + (<usize>bucket << 3))) & mask;
    while (load<u32>(table + (<usize>at << 2))) at = (at + 1) & mask;
    store<u32>(table + (<usize>at << 2), bucket + 1);
  }
  node.counts = <u32>counts;
  node.keys = <u32>keys;
  node.bucketParents = <u32>parents;
  node.table = <u32>table;
  node.tableMask = mask;
  node.capacity = capacity;
  return true;
}
