// Host side of assembly/terms: look up, seek and walk the term dictionary of one field of one segment. `ptr` is the dictionary's header.
import type { Kernels } from './kernels.ts';

/** A term's place: `ptr` is its postings' address, 0 where the field has no postings. */
export interface FoundTerm {
  readonly ord: number;
  readonly docFreq: number;
  readonly totalTermFreq: number;
  readonly ptr: number;
}

/** Offsets in the header, see docs/internals/segment-format.md. */
export const TERMS_HEADER = {
  flags: 0,
  termCount: 4,
  docCount: 28,
  sumDocFreq: 32,
  sumTotalTermFreq: 40,
  longestTerm: 48,
  norms: 52,
  termBytes: 56,
} as const;
export const TERMS_FLAG = { docs: 1, freqs: 2, positions: 4, offsets: 8 } as const;

const STATE_BYTES = 24;
/** A walk crosses the boundary in batches of about this size. */
const WALK_BYTES = 16 * 1024;

function readState(k: Kernels, at: number): FoundTerm {
  return {
    ord: k.view.getUint32(at, true),
    docFreq: k.view.getUint32(at + 4, true),
    totalTermFreq: k.view.getFloat64(at + 8, true),
    ptr: k.view.getUint32(at + 16, true),
  };
}

/** The term's state, or null if the field has no such term. */
export function lookupTerm(k: Kernels, ptr: number, term: Uint8Array): FoundTerm | null {
  const mark = k.mark();
  const outPtr = k.reserve(STATE_BYTES);
  const termPtr = k.copyIn(term);
  const found = k.exports.termsLookup(ptr, termPtr, term.length, outPtr);
  k.release(mark);
  return found ? readState(k, outPtr) : null;
}

/** Ordinal of the first term >= `term`; the number of terms if there is none. */
export function seekOrd(k: Kernels, ptr: number, term: Uint8Array): number {
  return k.scoped(() => k.exports.termsSeek(ptr, k.copyIn(term), term.length) >>> 0);
}

/** Bytes of a term by ordinal, copied. */
export function termOf(k: Kernels, ptr: number, ord: number): Uint8Array {
  return k.scoped(() => {
    const outPtr = k.reserve(k.view.getUint32(ptr + TERMS_HEADER.longestTerm, true));
    return k.copyOut(outPtr, k.exports.termsTerm(ptr, ord, outPtr));
  });
}

/**
 * Calls `visit` with the terms of ordinals [fromOrd, toOrd) in ascending order until it returns false. The bytes are a view that is valid
 * during the call only. Costs one call into the kernel per batch of about 16 KiB.
 */
export function walkTerms(
  k: Kernels,
  ptr: number,
  fromOrd: number,
  toOrd: number,
  visit: (bytes: Uint8Array, state: FoundTerm) => boolean,
): void {
  k.scoped(() => {
    const longest = (k.view.getUint32(ptr + TERMS_HEADER.longestTerm, true) + 7) & ~7;
    const bytes = WALK_BYTES + STATE_BYTES + 2 * longest; // the kernel keeps the current term and a cursor at the end of it
    const outPtr = k.reserve(bytes);
    for (let ord = fromOrd; ord < toOrd; ) {
      const count = k.exports.termsWalk(ptr, ord, toOrd, outPtr, outPtr + bytes);
      if (count === 0) throw new RangeError(`walk of terms stands at ordinal ${ord} of ${toOrd}`);
      let at = outPtr;
      for (let i = 0; i < count; i++) {
        const length = k.view.getUint32(at + 20, true);
        if (!visit(k.u8.subarray(at + STATE_BYTES, at + STATE_BYTES + length), readState(k, at))) return;
        at += STATE_BYTES + ((length + 7) & ~7);
      }
      ord += count;
    }
  });
}

/** Longest word that `fuzzyTerms` takes, in code points. */
export const MAX_FUZZY_LENGTH = 62;
export const MAX_FUZZY_EDITS = 2;

/**
 * Calls `visit` as `walkTerms` does with the terms within `maxEdits` (insertions, deletions, substitutions, swaps of neighbours) of a word.
 * @param word code points, at most MAX_FUZZY_LENGTH; maxEdits at most MAX_FUZZY_EDITS
 */
export function fuzzyTerms(
  k: Kernels,
  ptr: number,
  fromOrd: number,
  toOrd: number,
  word: Uint32Array,
  maxEdits: number,
  visit: (bytes: Uint8Array, state: FoundTerm) => boolean,
): void {
  k.scoped(() => {
    const longest = k.view.getUint32(ptr + TERMS_HEADER.longestTerm, true);
    const scratch = k.reserve(k.exports.termsFuzzyScratchBytes(longest));
    const target = k.copyInU32(word);
    const bytes = WALK_BYTES + STATE_BYTES + longest + 8;
    const outPtr = k.reserve(bytes);
    for (let ord = fromOrd; ord < toOrd; ord = k.u32[scratch >>> 2]) {
      const count = k.exports.termsFuzzy(ptr, ord, toOrd, target, word.length, maxEdits, scratch, outPtr, outPtr + bytes);
      let at = outPtr;
      for (let i = 0; i < count; i++) {
        const length = k.view.getUint32(at + 20, true);
        if (!visit(k.u8.subarray(at + STATE_BYTES, at + STATE_BYTES + length), readState(k, at))) return;
        at += STATE_BYTES + ((length + 7) & ~7);
      }
    }
  });
}

/** Hashes of all terms by ordinal: low and high word each. About 30 ns a term. */
export function termHashes(k: Kernels, ptr: number): Uint32Array {
  return k.scoped(() => {
    const count = k.view.getUint32(ptr + TERMS_HEADER.termCount, true);
    const outPtr = k.reserve(count * 8, 8);
    k.exports.termsHashes(ptr, outPtr, k.reserve(64 + k.view.getUint32(ptr + TERMS_HEADER.longestTerm, true) + 16, 8));
    return k.copyOutU32(outPtr, count * 2);
  });
}

/** Hash of one term, as `termHashes` gives it. */
export function termHash(k: Kernels, term: Uint8Array): Uint32Array {
  return k.scoped(() => {
    const outPtr = k.reserve(8, 8);
    const ptr = k.reserve(term.length + 8);
    k.u8.set(term, ptr);
    k.exports.termsHash(ptr, term.length, outPtr);
    return k.copyOutU32(outPtr, 2);
  });
}
