// Hash table of buckets: open addressing over (parent bucket, index or 64-bit key).
//   table u32[tableMask + 1] of bucket + 1 (0: free) │ keys u64[capacity] │ bucketParents u32[capacity] │ counts u32[capacity]
import { AggNode, allocate, NIL, regrow } from './node';

/** Upper bound of the bucket numbers so far, for the state of children. */
export function bucketLimit(node: AggNode): u32 {
  return node.denseParents ? node.denseParents * node.size : node.bucketCount;
}

/** Murmur3's finalizer over the key and the parent. */
@inline
function mix(parent: u32, key: u64): u32 {
  let h = key ^ (<u64>parent * 0x9e3779b97f4a7c15);
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return <u32>(h ^ (h >> 33));
}

/** Bucket of (parent, key), added if it is new. NIL if the region is used up. */
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
