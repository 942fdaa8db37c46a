// Host side of assembly/docvalues: single values of columns. Kernels read many documents themselves.
import type { Kernels } from './kernels.ts';

/** Address in scratch and number of the raw values (8 bytes each) of a document; call inside `k.scoped`. */
export function rawValues(k: Kernels, columnPtr: number, docId: number): { ptr: number; count: number } {
  let ptr = k.reserve(64);
  const count = k.exports.docvaluesColumnGet(columnPtr, docId, ptr, 8) >>> 0;
  if (count > 8) {
    ptr = k.reserve(count * 8);
    k.exports.docvaluesColumnGet(columnPtr, docId, ptr, count);
  }
  return { ptr, count };
}

/** Smallest value of a document as a double (exact up to 2^53), NaN if it has none. */
export function firstValue(k: Kernels, columnPtr: number, docId: number): number {
  return k.exports.docvaluesColumnFirst(columnPtr, docId);
}

/** Smallest and largest raw value of a column. Pre: it has values. */
export function columnBounds(k: Kernels, columnPtr: number, isF64: boolean): { min: bigint | number; max: bigint | number } {
  return k.scoped(() => {
    const ptr = k.reserve(16);
    k.exports.docvaluesColumnBounds(columnPtr, ptr);
    const values = isF64 ? k.f64 : k.i64;
    return { min: values[ptr >>> 3], max: values[(ptr >>> 3) + 1] };
  });
}
