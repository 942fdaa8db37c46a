// Host side of assembly/buffer: kinds of columns in field flags, and the ids section of segments.
import { ColumnKind } from './generated/buffer.ts';
import { FIELD_COLUMN, FIELD_COLUMN_SHIFT } from './generated/codec.ts';
import type { Kernels } from './kernels.ts';

const COLUMN_KINDS = {
  none: ColumnKind.NONE,
  i64: ColumnKind.I64,
  f64: ColumnKind.F64,
  ordinals: ColumnKind.ORDINALS,
  geo: ColumnKind.GEO,
  binary: ColumnKind.BINARY,
} as const;

export type ColumnKindName = keyof typeof COLUMN_KINDS;

const NAMES = Object.keys(COLUMN_KINDS) as ColumnKindName[];

/** Bits of a field's flags for this kind of column. */
export function columnFlags(kind: ColumnKindName): number {
  return COLUMN_KINDS[kind] << FIELD_COLUMN_SHIFT;
}

/** ColumnKind in a field's flags. */
export function columnKindOf(flags: number): number {
  return (flags & FIELD_COLUMN) >>> FIELD_COLUMN_SHIFT;
}

/** Kind of column in a field's flags, null if it is not known. */
export function columnKindName(flags: number): ColumnKindName | null {
  const kind = columnKindOf(flags);
  return NAMES.find((name) => COLUMN_KINDS[name] === kind) ?? null;
}

const encoder = new TextEncoder();

/** Live document with this `_id` (`liveDocsPtr` 0: any document), -1 if there is none. */
export function findId(k: Kernels, sectionPtr: number, id: string, liveDocsPtr: number): number {
  const mark = k.mark();
  const ptr = k.reserve(id.length * 3 + 8);
  const { written } = encoder.encodeInto(id, k.u8.subarray(ptr, ptr + id.length * 3));
  const docId = k.exports.bufferIdTableFind(sectionPtr, ptr, written, liveDocsPtr);
  k.release(mark);
  return docId;
}

/** `_id` of a document, copied; empty for nested children. */
export function idOf(k: Kernels, sectionPtr: number, docId: number): Uint8Array {
  return k.scoped(() => {
    const outPtr = k.reserve(8);
    k.exports.bufferIdTableGet(sectionPtr, docId, outPtr);
    return k.copyOut(k.u32[outPtr >>> 2], k.u32[(outPtr >>> 2) + 1]);
  });
}
