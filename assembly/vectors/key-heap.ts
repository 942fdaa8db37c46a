// Binary heap of u64 keys with the least at the top. A key orders a vector by similarity, then by number: the lower number is the better one.
//   key: ├ similarity as an ordered u32 │ ~number u32 ┤      greater is better

/** Bits of a float that compare like the float; the least for NaN. */
// @ts-ignore: decorator
@inline
function orderedBits(value: f32): u32 {
  if (value != value) return 0;
  const bits = reinterpret<u32>(value);
  return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

/** Inverse of `orderedBits`. */
// @ts-ignore: decorator
@inline
function floatOfBits(bits: u32): f32 {
  return reinterpret<f32>(bits & 0x80000000 ? bits & 0x7fffffff : ~bits);
}

// @ts-ignore: decorator
@inline
export function keyOf(similarity: f32, number: u32): u64 {
  return ((<u64>orderedBits(similarity)) << 32) | <u64>~number;
}

// @ts-ignore: decorator
@inline
export function similarityOf(key: u64): f32 {
  return floatOfBits(<u32>(key >> 32));
}

// @ts-ignore: decorator
@inline
export function numberOf(key: u64): u32 {
  return ~(<u32>key);
}

/** Adds a key to a heap of `count`; there must be room for it. */
export function heapPush(heap: usize, count: u32, key: u64): void {
  let at = count;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = load<u64>(heap + ((<usize>parent) << 3));
    if (above <= key) break;
    store<u64>(heap + ((<usize>at) << 3), above);
    at = parent;
  }
  store<u64>(heap + ((<usize>at) << 3), key);
}

/** Replaces the top of a heap of `count` > 0. */
export function heapReplace(heap: usize, count: u32, key: u64): void {
  let at: u32 = 0;
  for (;;) {
    let child: u32 = 2 * at + 1;
    if (child >= count) break;
    let below = load<u64>(heap + ((<usize>child) << 3));
    if (child + 1 < count) {
      const other = load<u64>(heap + ((<usize>child) << 3), 8);
      if (other < below) {
        below = other;
        child++;
      }
    }
    if (key <= below) break;
    store<u64>(heap + ((<usize>at) << 3), below);
    at = child;
  }
  store<u64>(heap + ((<usize>at) << 3), key);
}

/** Removes the top of a heap of `count` > 0, which then has one less. */
export function heapPop(heap: usize, count: u32): void {
  if (count > 1) heapReplace(heap, count - 1, load<u64>(heap + ((<usize>(count - 1)) << 3)));
}

/** Sorts a heap of `count` keys: greatest first. */
export function heapSort(heap: usize, count: u32): void {
  for (let left = count; left > 1; left--) {
    const last = heap + ((<usize>(left - 1)) << 3);
    const least = load<u64>(heap);
    heapReplace(heap, left - 1, load<u64>(last));
    store<u64>(last, least);
  }
}
