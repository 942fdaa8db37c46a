// Runs of LEB128 numbers (vint.ts) decoded in parallel and summed.
//   cur ├ vint ┬ vint ┬ ··· ┤        out ├ u32 ┬ u32 ┬ ··· ┤
// Pre:  trusted bytes; 16 bytes may be read past the last number and 64 written past the last of `out`; they do not overlap.
// Numbers of one byte: 0.19 ns each; a tenth of them of two bytes: 0.57 (0.39 and 1.13 if each longer number is decoded alone and summed in a second
// pass); half of them: 0.99 (4.6).
// Source: Plaisance, Kurz, Lemire, "Vectorized VByte decoding" (2015).

import { readVint, vintBytes } from './vint';
import { VINT_LANES, VINT_STEPS } from './vint-lanes';

/**
 * Running sums of `count` vints, modulo 2^32: runs of one-byte numbers 16 at a time, others of up to two bytes by 8 bytes, whose top bits select the
 * lanes. Returns an upper bound of all numbers.
 */
export function readVintSums(cur: usize, out: usize, count: u32): u32 {
  let bound: u32 = 0x7f;
  let sum = i32x4.splat(0);
  const low7 = i16x8.splat(0x7f);
  const high7 = i16x8.splat(0x3f80);
  const end = out + ((<usize>count) << 2);
  while (out < end) {
    const bytes = v128.load(cur);
    const long = <usize>i8x16.bitmask(bytes);
    if (!long) {
      const low = i16x8.extend_low_i8x16_u(bytes);
      const high = i16x8.extend_high_i8x16_u(bytes);
      sum = storeSums(out, i32x4.extend_low_i16x8_u(low), sum);
      sum = storeSums(out + 16, i32x4.extend_high_i16x8_u(low), sum);
      sum = storeSums(out + 32, i32x4.extend_low_i16x8_u(high), sum);
      sum = storeSums(out + 48, i32x4.extend_high_i16x8_u(high), sum);
      out += 64;
      cur += 16;
      continue;
    }
    const pattern = long & 0xff;
    const numbers = <usize>load<u8>(VINT_STEPS + (pattern << 1));
    if (numbers == 0) {
      const value = readVint(cur);
      cur += vintBytes(value);
      bound |= value;
      sum = i32x4.add(sum, i32x4.splat(<i32>value));
      store<u32>(out, i32x4.extract_lane(sum, 0));
      out += 4;
      continue;
    }
    const pairs = i8x16.swizzle(bytes, v128.load(VINT_LANES + (pattern << 4)));
    const values = v128.or(v128.and(pairs, low7), v128.and(i16x8.shr_u(pairs, 1), high7));
    storeSums(out + 16, i32x4.extend_high_i16x8_u(values), storeSums(out, i32x4.extend_low_i16x8_u(values), sum));
    bound |= 0x3fff;
    out += numbers << 2;
    sum = v128.load32_splat(out - 4);
    cur += <usize>load<u8>(VINT_STEPS + (pattern << 1), 1);
  }
  return bound;
}

/** Stores the running sums of four numbers from `before`, which is the same in all lanes; returns the last in the same form. */
// @ts-ignore: decorator
@inline
function storeSums(out: usize, numbers: v128, before: v128): v128 {
  const zero = i32x4.splat(0);
  numbers = i32x4.add(numbers, v128.shuffle<i8>(zero, numbers, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  numbers = i32x4.add(numbers, v128.shuffle<i8>(zero, numbers, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23));
  numbers = i32x4.add(numbers, before);
  v128.store(out, numbers);
  return v128.shuffle<i32>(numbers, numbers, 3, 3, 3, 3);
}
