// Blocks of 64 bytes as bit masks, bit i for byte i. Shared by the tokenizers that read blocks.

/** Bytes that reading a block touches: 64, and the rest of a character that begins in them. */
export const BLOCK_BYTES: usize = 72;

/** Mask of the lowest `n` bits; all 64 for larger `n`. */
// @ts-ignore: decorator
@inline
export function below(n: u32): u64 {
  return n > 63 ? <u64>-1 : (<u64>1 << n) - 1;
}

/** Bytes in [first, first + count). The comparison is signed, since x86 takes three instructions for an unsigned one. */
// @ts-ignore: decorator
@inline
export function isWithin(x: v128, first: i32, count: i32): v128 {
  return i8x16.lt_s(i8x16.sub(x, i8x16.splat(<i8>(first + 128))), i8x16.splat(<i8>(count - 128)));
}

/** Sign bits of 64 bytes. */
// @ts-ignore: decorator
@inline
export function bitmasks(a: v128, b: v128, c: v128, d: v128): u64 {
  return <u64><u32>(i8x16.bitmask(a) | (i8x16.bitmask(b) << 16)) | (<u64><u32>(i8x16.bitmask(c) | (i8x16.bitmask(d) << 16)) << 32);
}

/** Stores 16 bytes, ASCII in lower case. */
// @ts-ignore: decorator
@inline
export function storeLower(at: usize, x: v128): void {
  const upper = i8x16.lt_u(i8x16.sub(x, i8x16.splat(65)), i8x16.splat(26));
  v128.store(at, v128.or(x, v128.and(upper, i8x16.splat(32))));
}
