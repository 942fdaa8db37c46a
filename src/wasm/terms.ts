// Host side of assembly/terms: look up, seek and walk the term dictionary of one field of one segment. `ptr` is the dictionary's header.
import { FuzzyWalk, TermState, TermsHeader } from './generated/terms.ts';
import type { Kernels } from './kernels.ts';
import { getF64, getU32, setU32 } from './records.ts';

/** A term of a dictionary. `ptr`: address of its postings, 0 if the field has none. */
export interface FoundTerm {
  readonly ord: number;
  readonly docFreq: number;
  readonly totalTermFreq: number;
  readonly ptr: number;
}

/** A walk crosses the boundary in batches of about this size. */
const WALK_BYTES = 16 * 1024;

function readState(k: Kernels, at: number): FoundTerm {
  return {
    ord: getU32(k, at, TermState.ord),
    docFreq: getU32(k, at, TermState.docFreq),
    totalTermFreq: getF64(k, at, TermState.totalTermFreq),
    ptr: getU32(k, at, TermState.ptr),
  };
}

/** The term's state, or null if the field has no such term. */
export function lookupTerm(k: Kernels, ptr: number, term: Uint8Array): FoundTerm | null {
  const mark = k.mark();
  const outPtr = k.reserve(TermState.sizeof, 8);
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
    const outPtr = k.reserve(getU32(k, ptr, TermsHeader.longestTerm));
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
    const longest = (getU32(k, ptr, TermsHeader.longestTerm) + 7) & ~7;
    const bytes = WALK_BYTES + TermState.sizeof + 2 * longest; // the kernel keeps the current term and a cursor at the end of it
    const outPtr = k.reserve(bytes);
    for (let ord = fromOrd; ord < toOrd; ) {
      const count = k.exports.termsWalk(ptr, ord, toOrd, outPtr, outPtr + bytes);
      if (count === 0) throw new RangeError(`walk of terms is stuck at ordinal ${ord} of ${toOrd}`);
      let at = outPtr;
      for (let i = 0; i < count; i++) {
        const length = getU32(k, at, TermState.length);
        if (!visit(k.u8.subarray(at + TermState.sizeof, at + TermState.sizeof + length), readState(k, at))) return;
        at += TermState.sizeof + ((length + 7) & ~7);
      }
      ord += count;
    }
  });
}

export const MAX_FUZZY_EDITS = 2;

/**
 * Calls `visit` like `walkTerms` with the terms within `maxEdits` (insertions, deletions, substitutions, swaps of adjacent code points) of a word.
 * @param word code points, at most MAX_FUZZY_LENGTH (generated/terms.ts); maxEdits at most MAX_FUZZY_EDITS
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
    const longest = getU32(k, ptr, TermsHeader.longestTerm);
    const walk = k.reserve(k.exports.termsFuzzyScratchBytes(longest), 8);
    setU32(k, walk, FuzzyWalk.dictionary, ptr);
    setU32(k, walk, FuzzyWalk.ord, fromOrd);
    setU32(k, walk, FuzzyWalk.toOrd, toOrd);
    setU32(k, walk, FuzzyWalk.word, k.copyInU32(word));
    setU32(k, walk, FuzzyWalk.length, word.length);
    setU32(k, walk, FuzzyWalk.maxEdits, maxEdits);
    const bytes = WALK_BYTES + TermState.sizeof + longest + 8;
    const outPtr = k.reserve(bytes);
    while (getU32(k, walk, FuzzyWalk.ord) < toOrd) {
      const count = k.exports.termsFuzzy(walk, outPtr, outPtr + bytes);
      let at = outPtr;
      for (let i = 0; i < count; i++) {
        const length = getU32(k, at, TermState.length);
        if (!visit(k.u8.subarray(at + TermState.sizeof, at + TermState.sizeof + length), readState(k, at))) return;
        at += TermState.sizeof + ((length + 7) & ~7);
      }
    }
  });
}

/** Hashes of all terms by ordinal: low and high word each. About 30 ns a term. */
export function termHashes(k: Kernels, ptr: number): Uint32Array {
  return k.scoped(() => {
    const count = getU32(k, ptr, TermsHeader.termCount);
    const outPtr = k.reserve(count * 8, 8);
    k.exports.termsHashes(ptr, outPtr, k.reserve(64 + getU32(k, ptr, TermsHeader.longestTerm) + 16, 8));
    return k.copyOutU32(outPtr, count * 2);
  });
}

/** Hash of one term, as `termHashes` computes it. */
export function termHash(k: Kernels, term: Uint8Array): Uint32Array {
  return k.scoped(() => {
    const outPtr = k.reserve(8, 8);
    const ptr = k.reserve(term.length + 8);
    k.u8.set(term, ptr);
    k.exports.termsHash(ptr, term.length, outPtr);
    return k.copyOutU32(outPtr, 2);
  });
}
