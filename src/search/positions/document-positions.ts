// Positions of terms, document by document in ascending order, read through the cursors of assembly/postings.
import type { SegmentImageReader } from '../../arena/segment-reader.ts';
import type { SegmentReader, TermState } from '../../plan/segment.ts';
import type { Kernels } from '../../wasm/kernels.ts';
import type { Term } from '../index-query/term.ts';
import type { Positions } from './sources.ts';

const NONE: readonly number[] = [];

interface Cursor {
  readonly ptr: number;
  docId: number;
  positions: readonly number[] | null;
}

export function keyOfTerm({ field, key }: Term): string {
  return `${field}\u0000${key}`;
}

/**
 * Calls `visit` for each of `docs` with the positions of terms in it.
 * @param docs    ascending
 * @param states  by `keyOfTerm`, of the terms that this segment has
 */
export function eachDocument(
  segment: SegmentReader,
  docs: Uint32Array,
  states: ReadonlyMap<string, { readonly field: string; readonly state: TermState }>,
  visit: (docId: number, positions: Positions) => void,
): void {
  const k: Kernels = (segment as SegmentImageReader).kernels;
  k.scoped(() => {
    const cursors = new Map<string, Cursor>();
    for (const [key, { field, state }] of states) {
      const postings = segment.postings(field);
      if (!postings?.hasPositions) continue;
      const { hasFreqs, hasOffsets, normsPtr, positionsPtr } = postings;
      const flags = Number(hasFreqs) | 2 | (Number(hasOffsets) << 2) | (Number(normsPtr !== 0) << 3);
      const ptr = k.reserve(k.exports.postingsCursorBytes());
      k.exports.postingsCursorOpen(ptr, state.ptr, state.docFreq, flags, positionsPtr);
      cursors.set(key, { ptr, docId: -1, positions: null });
    }
    for (const docId of docs) visit(docId, (term) => positionsIn(k, cursors.get(keyOfTerm(term)), docId));
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
