// Terms of a slice by their ordinals.
import type { ValuesSource } from '../source.ts';
import type { Slice } from '../types.ts';

/** Bytes of a term as a string of chars 0-255, which compares as the bytes do. */
export function termKey(slice: Slice, bound: ValuesSource, ord: number): string {
  return Buffer.from(termBytes(slice, bound, ord)).toString('latin1');
}

/** Bytes of the term with an ordinal; the ordinal after the last one stands for the `missing` term. */
export function termBytes(slice: Slice, bound: ValuesSource, ord: number): Uint8Array {
  if (bound.type?.family === 'text') return slice.segment.segment.termOf(bound.field, ord);
  const column = bound.type ? slice.segment.segment.column(bound.field) : null;
  if (column && ord <= Number(column.max)) return slice.segment.segment.termOf(bound.field, ord);
  return bound.missing as Uint8Array;
}
