// Integer columns store each value as (value - base) / multiplier: what a query looks for is converted to that.
import { Column } from '../wasm/generated/docvalues.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getI64 } from '../wasm/records.ts';
import type { SegmentColumn } from './segment.ts';

const MAX_U64 = (1n << 64n) - 1n;

/** The stored values between raw ones, all of them included; `lo` exceeds `hi` if there are none. */
export function storedRange(k: Kernels, column: SegmentColumn, min: bigint, max: bigint): { lo: bigint; hi: bigint } {
  const { base, multiplier } = storedScale(k, column);
  const lo = min <= base ? 0n : ceilDivide(min - base, multiplier);
  const hi = max < base ? -1n : (max - base) / multiplier;
  return { lo, hi: hi > MAX_U64 ? MAX_U64 : hi };
}

/** The stored forms of those raw values that the column can hold. */
export function storedValues(k: Kernels, column: SegmentColumn, values: BigInt64Array): bigint[] {
  const { base, multiplier } = storedScale(k, column);
  const offsets = [...values].map((value) => value - base).filter((off) => off >= 0n && off % multiplier === 0n);
  return offsets.map((off) => off / multiplier);
}

/** A column whose values are all equal may have multiplier 0. */
function storedScale(k: Kernels, column: SegmentColumn): { base: bigint; multiplier: bigint } {
  const multiplier = getI64(k, column.ptr, Column.multiplier);
  return { base: getI64(k, column.ptr, Column.base), multiplier: multiplier > 0n ? multiplier : 1n };
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}
