// Encoding of histogram fields in a binary column: pairs of a value and its count, values ascending.
//   ├ value f64 ┬ count f64 ┤ ├ value f64 ┬ count f64 ┤ ···    Little-endian; counts are positive integers up to 2^53.

const PAIR_BYTES = 16;

/** Values and counts, parallel. */
export interface Histogram {
  readonly values: ArrayLike<number>;
  readonly counts: ArrayLike<number>;
}

/** Values that did not occur are left out. */
export function encodeHistogram({ values, counts }: Histogram): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * PAIR_BYTES));
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    if (counts[i] === 0) continue;
    view.setFloat64(at, values[i], true);
    view.setFloat64(at + 8, counts[i], true);
    at += PAIR_BYTES;
  }
  return new Uint8Array(view.buffer, 0, at);
}

/** Calls `visit` for each value, ascending. */
export function eachInHistogram(bytes: Uint8Array, visit: (value: number, count: number) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + PAIR_BYTES <= bytes.length; at += PAIR_BYTES) visit(view.getFloat64(at, true), view.getFloat64(at + 8, true));
}
