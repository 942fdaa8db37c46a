// Heap of the best k documents by score, ties by ascending docId. Documents must come in ascending order.
//   keys u64[k], a binary min-heap: order-preserving bits of the f32 score << 32 | ~docId

// @ts-ignore: decorator
@unmanaged
export class TopK {
  keys: usize;
  k: u32;
  count: u32;
  /** Only greater scores enter: the caller's floor or, once the heap is full, its least score. */
  minScore: f32;
}

// @ts-ignore: decorator
@inline
function orderedBits(score: f32): u32 {
  const bits = reinterpret<u32>(score);
  return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

// @ts-ignore: decorator
@inline
function scoreOfBits(bits: u32): f32 {
  return reinterpret<f32>(bits & 0x80000000 ? bits ^ 0x80000000 : ~bits);
}

export function topOffer(top: TopK, doc: u32, score: f32): void {
  if (!(score > top.minScore)) return;
  const key = ((<u64>orderedBits(score)) << 32) | <u64>(~doc);
  const keys = top.keys;
  if (top.count < top.k) {
    let at = <usize>(top.count++);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = load<u64>(keys + (parent << 3));
      if (above <= key) break;
      store<u64>(keys + (at << 3), above);
      at = parent;
    }
    store<u64>(keys + (at << 3), key);
  } else {
    siftDown(keys, top.count, key);
  }
  if (top.count == top.k) top.minScore = max<f32>(top.minScore, scoreOfBits(<u32>(load<u64>(keys) >> 32)));
}

/** Replaces the root by `key`. */
function siftDown(keys: usize, count: u32, key: u64): void {
  let at: usize = 0;
  const n = <usize>count;
  for (;;) {
    let child = (at << 1) + 1;
    if (child >= n) break;
    if (child + 1 < n && load<u64>(keys + ((child + 1) << 3)) < load<u64>(keys + (child << 3))) child++;
    const below = load<u64>(keys + (child << 3));
    if (below >= key) break;
    store<u64>(keys + (at << 3), below);
    at = child;
  }
  store<u64>(keys + (at << 3), key);
}

export function topOfferList(top: TopK, docs: usize, scores: usize, count: u32): void {
  for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
    const score = load<f32>(scores + i);
    if (score > top.minScore) topOffer(top, load<u32>(docs + i), score);
  }
}

/** Empties the heap into parallel columns, best first. */
export function topDrain(top: TopK, docs: usize, scores: usize): void {
  for (let n = top.count; n > 0; n--) {
    const key = load<u64>(top.keys);
    const at = (<usize>n - 1) << 2;
    store<u32>(docs + at, ~(<u32>key));
    store<f32>(scores + at, scoreOfBits(<u32>(key >> 32)));
    siftDown(top.keys, n - 1, load<u64>(top.keys + ((<usize>n - 1) << 3)));
  }
}
