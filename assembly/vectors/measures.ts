// Sums over pairs of vectors, in lanes: products, squared differences, different bits. Vectors may be unaligned; tails are done one by one.

// @ts-ignore: decorator
@inline
function sumLanes(sums: v128): f32 {
  return f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1) + f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3);
}

// @ts-ignore: decorator
@inline
function sumIntLanes(sums: v128): i32 {
  return i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
}

/** Inner product of f32[count]. Four sums hide the latency of additions. */
export function dotF32(a: usize, b: usize, count: u32): f32 {
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
  let left = count;
  for (; left >= 16; left -= 16, a += 64, b += 64) {
    s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)));
    s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v128.load(b, 16)));
    s2 = f32x4.add(s2, f32x4.mul(v128.load(a, 32), v128.load(b, 32)));
    s3 = f32x4.add(s3, f32x4.mul(v128.load(a, 48), v128.load(b, 48)));
  }
  for (; left >= 4; left -= 4, a += 16, b += 16) s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)));
  let sum = sumLanes(f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)));
  for (; left > 0; left--, a += 4, b += 4) sum += load<f32>(a) * load<f32>(b);
  return sum;
}

/** Sum of squared differences of f32[count]. */
export function squaredL2F32(a: usize, b: usize, count: u32): f32 {
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
  let left = count;
  for (; left >= 16; left -= 16, a += 64, b += 64) {
    const d0 = f32x4.sub(v128.load(a), v128.load(b)), d1 = f32x4.sub(v128.load(a, 16), v128.load(b, 16));
    const d2 = f32x4.sub(v128.load(a, 32), v128.load(b, 32)), d3 = f32x4.sub(v128.load(a, 48), v128.load(b, 48));
    s0 = f32x4.add(s0, f32x4.mul(d0, d0));
    s1 = f32x4.add(s1, f32x4.mul(d1, d1));
    s2 = f32x4.add(s2, f32x4.mul(d2, d2));
    s3 = f32x4.add(s3, f32x4.mul(d3, d3));
  }
  for (; left >= 4; left -= 4, a += 16, b += 16) {
    const d = f32x4.sub(v128.load(a), v128.load(b));
    s0 = f32x4.add(s0, f32x4.mul(d, d));
  }
  let sum = sumLanes(f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)));
  for (; left > 0; left--, a += 4, b += 4) {
    const d = load<f32>(a) - load<f32>(b);
    sum += d * d;
  }
  return sum;
}

/** Inner product of i8[count]: at most 4096 * 2^14, which fits. */
export function dotI8(a: usize, b: usize, count: u32): i32 {
  let s0 = i32x4.splat(0), s1 = i32x4.splat(0);
  let left = count;
  for (; left >= 16; left -= 16, a += 16, b += 16) {
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(a), v128.load8x8_s(b)));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(a, 8), v128.load8x8_s(b, 8)));
  }
  let sum = sumIntLanes(i32x4.add(s0, s1));
  for (; left > 0; left--, a++, b++) sum += <i32>load<i8>(a) * <i32>load<i8>(b);
  return sum;
}

/** Sum of squared differences of i8[count]: at most 4096 * 2^16, which fits. */
export function squaredL2I8(a: usize, b: usize, count: u32): i32 {
  let s0 = i32x4.splat(0), s1 = i32x4.splat(0);
  let left = count;
  for (; left >= 16; left -= 16, a += 16, b += 16) {
    const d0 = i16x8.sub(v128.load8x8_s(a), v128.load8x8_s(b)), d1 = i16x8.sub(v128.load8x8_s(a, 8), v128.load8x8_s(b, 8));
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(d0, d0));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(d1, d1));
  }
  let sum = sumIntLanes(i32x4.add(s0, s1));
  for (; left > 0; left--, a++, b++) {
    const d = <i32>load<i8>(a) - <i32>load<i8>(b);
    sum += d * d;
  }
  return sum;
}

/** Inner product of i16[count] and i8[count]; `count` is a multiple of 16. The caller bounds the i16 so that the sum fits. */
export function dotI16I8(a: usize, b: usize, count: u32): i32 {
  let s0 = i32x4.splat(0), s1 = i32x4.splat(0);
  for (const end = b + count; b < end; a += 32, b += 16) {
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load(a), v128.load8x8_s(b)));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load(a, 16), v128.load8x8_s(b, 8)));
  }
  return sumIntLanes(i32x4.add(s0, s1));
}

/** `dotI16I8` with four vectors at once, stored to i32[4]: their cache misses overlap and `a` is read once. */
export function dotI16I8x4(a: usize, b0: usize, b1: usize, b2: usize, b3: usize, count: u32, out: usize): void {
  let s0 = i32x4.splat(0), s1 = i32x4.splat(0), s2 = i32x4.splat(0), s3 = i32x4.splat(0);
  for (let i: usize = 0; i < <usize>count; i += 8) {
    const x = v128.load(a + (i << 1));
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(x, v128.load8x8_s(b0 + i)));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(x, v128.load8x8_s(b1 + i)));
    s2 = i32x4.add(s2, i32x4.dot_i16x8_s(x, v128.load8x8_s(b2 + i)));
    s3 = i32x4.add(s3, i32x4.dot_i16x8_s(x, v128.load8x8_s(b3 + i)));
  }
  store<i32>(out, sumIntLanes(s0));
  store<i32>(out, sumIntLanes(s1), 4);
  store<i32>(out, sumIntLanes(s2), 8);
  store<i32>(out, sumIntLanes(s3), 12);
}

/** Bits that differ in two strings of `count` bytes. */
export function differentBits(a: usize, b: usize, count: u32): u32 {
  let bits: u64 = 0;
  let left = count;
  for (; left >= 8; left -= 8, a += 8, b += 8) bits += popcnt<u64>(load<u64>(a) ^ load<u64>(b));
  for (; left > 0; left--, a++, b++) bits += popcnt<u64>(<u64>(load<u8>(a) ^ load<u8>(b)));
  return <u32>bits;
}
