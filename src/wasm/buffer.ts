// Host side of assembly/buffer: the open buffer's life in kernel memory, and the ids section of segments.
import type { Kernels } from './kernels.ts';

/** Flags of a field record, see assembly/buffer/layout.ts. */
export const FIELD_FLAG = { docs: 1, freqs: 2, positions: 4, offsets: 8, norms: 16, columnShift: 8, path: 1 << 12 } as const;
export const COLUMN_KINDS = ['none', 'i64', 'f64', 'ordinals', 'geo', 'binary'] as const;

const encoder = new TextEncoder();

/** Document with this `_id` that is live (`liveDocsPtr` 0: any); -1 if there is none. */
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
