// Host side of assembly/codec: checksums and bitsets.
import type { Kernels } from './kernels.ts';

/** Bytes of a bitset of `bits` bits: u64 words, padded to a multiple of 64 bytes. */
export function bitsetBytes(bits: number): number {
  return Math.ceil(bits / 512) * 64;
}

/** CRC-32C of a byte range of kernel memory, as u32. */
export function crc32c(k: Kernels, ptr: number, bytes: number): number {
  return k.exports.codecCrc32c(ptr, bytes, 0) >>> 0;
}

export function bitsetCount(k: Kernels, ptr: number, bits: number): number {
  return k.exports.codecBitsetCount(ptr, bits) >>> 0;
}

/** Bits set in both bitsets. */
export function bitsetCountAnd(k: Kernels, aPtr: number, bPtr: number, bits: number): number {
  return k.exports.codecBitsetCountAnd(aPtr, bPtr, bits) >>> 0;
}

/** First bit >= `from` that is set, or -1. */
export function bitsetNext(k: Kernels, ptr: number, bits: number, from: number): number {
  return k.exports.codecBitsetNext(ptr, bits, from);
}
