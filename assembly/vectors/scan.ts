// The vectors of a segment that are most similar to a query, by comparing it with each of them.
import { heapPush, heapReplace, heapSort, keyOf } from './key-heap';
import { similarity, VectorSpace } from './space';

// @ts-ignore: decorator
@unmanaged
export class VectorScan {
  /** Address of a VectorSpace. */
  space: usize;
  /** u32[maxDoc + 1]: offsets of the values of each document; equal offsets: it has none. */
  offsets: usize;
  /** Bitset of documents that may be found; 0: all. */
  accept: usize;
  /** u64[size]: heap of the best so far; its keys hold document numbers. */
  heap: usize;
  size: u32;
  count: u32;
}

/** Compares the documents [from, to). @param ptr  of a VectorScan */
export function scanRange(ptr: usize, from: u32, to: u32): void {
  const scan = changetype<VectorScan>(ptr);
  const space = changetype<VectorSpace>(scan.space), offsets = scan.offsets, accept = scan.accept, heap = scan.heap, size = scan.size;
  let count = scan.count;
  for (let doc = from; doc < to; doc++) {
    if (accept && !(load<u8>(accept + (doc >> 3)) & (1 << (doc & 7)))) continue;
    const off = load<u32>(offsets + ((<usize>doc) << 2));
    if (off == load<u32>(offsets + ((<usize>doc) << 2), 4)) continue;
    const key = keyOf(similarity(space, space.values + off), doc);
    if (count < size) heapPush(heap, count++, key);
    else if (key > load<u64>(heap)) heapReplace(heap, count, key);
  }
  scan.count = count;
}

/** Sorts the best: most similar first. */
export function scanFinish(ptr: usize): u32 {
  const scan = changetype<VectorScan>(ptr);
  heapSort(scan.heap, scan.count);
  return scan.count;
}
