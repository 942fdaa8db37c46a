// Positions of terms in single documents, read through the cursors of assembly/postings.
import type { SegmentPostings, TermState } from '../plan/segment.ts';
import { CURSOR_BYTES } from '../wasm/generated/postings.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { postingsFlags } from '../wasm/postings.ts';

const NONE: readonly number[] = [];

interface Cursor {
  readonly ptr: number;
  docId: number;
  positions: readonly number[] | null;
}

/** See SegmentReader.visitPositions. */
export function visitPositions(
  k: Kernels,
  docs: Uint32Array,
  terms: ReadonlyMap<string, { readonly field: string; readonly state: TermState }>,
  postingsOf: (field: string) => SegmentPostings | null,
  visit: (docId: number, positionsOf: (key: string) => readonly number[]) => void,
): void {
  k.scoped(() => {
    const cursors = new Map<string, Cursor>();
    for (const [key, { field, state }] of terms) {
      const postings = postingsOf(field);
      if (!postings?.hasPositions) continue;
      const ptr = k.reserve(CURSOR_BYTES);
      const [record, positions] = [postings.recordAt(state.ptr), postings.positionsAt(state.ptr)];
      k.exports.postingsCursorOpen(ptr, record, state.docFreq, postingsFlags(postings), positions);
      cursors.set(key, { ptr, docId: -1, positions: null });
    }
    for (const docId of docs) visit(docId, (key) => positionsIn(k, cursors.get(key), docId));
  });
}

function positionsIn({ exports }: Kernels, cursor: Cursor | undefined, docId: number): readonly number[] {
  if (!cursor) return NONE;
  if (cursor.docId < docId) {
    cursor.docId = exports.postingsCursorAdvance(cursor.ptr, docId);
    cursor.positions = null;
  }
  if (cursor.docId !== docId) return NONE;
  if (cursor.positions === null) {
    exports.postingsCursorStartPositions(cursor.ptr);
    const freq = exports.postingsCursorFreq(cursor.ptr);
    cursor.positions = Array.from({ length: freq }, () => exports.postingsCursorNextPosition(cursor.ptr));
  }
  return cursor.positions;
}
