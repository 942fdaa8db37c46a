// Hash of a byte string: 64-bit multiply and shift over words of eight bytes, folded to 32 bits. Part of the segment format (ids section,
// seed 0); the open buffer's tables use a seed per process, so that no client can send colliding terms.

const MULTIPLIER: u64 = 0x9fb21c651e98df25;

/** Hash of [ptr, ptr + length). May read, but does not use, up to 7 bytes after it. */
// @ts-ignore: decorator
@inline
export function hashBytes(ptr: usize, length: u32, seed: u64): u32 {
  let hash = seed ^ (<u64>length * MULTIPLIER);
  let left = length;
  while (left >= 8) {
    hash = (hash ^ load<u64>(ptr)) * MULTIPLIER;
    hash ^= hash >> 32;
    ptr += 8;
    left -= 8;
  }
  if (left) {
    hash = (hash ^ (load<u64>(ptr) & (((<u64>1) << (<u64>left << 3)) - 1))) * MULTIPLIER;
    hash ^= hash >> 32;
  }
  hash *= MULTIPLIER;
  return <u32>(hash >> 32);
}

/** Whether two byte strings of the same length are equal. May read up to 7 bytes after both. */
// @ts-ignore: decorator
@inline
export function equalBytes(aPtr: usize, bPtr: usize, length: u32): bool {
  let left = length;
  while (left >= 8) {
    if (load<u64>(aPtr) != load<u64>(bPtr)) return false;
    aPtr += 8;
    bPtr += 8;
    left -= 8;
  }
  return left == 0 || (load<u64>(aPtr) ^ load<u64>(bPtr)) << (64 - (<u64>left << 3)) == 0;
}
