// Host side of assembly/buffer/merge.ts and merge-terms.ts: the steps of a merge in kernel memory.
import { MergeField, MergeSource } from './generated/buffer.ts';
import { FIELD_POSITIONS } from './generated/codec.ts';
import { E_NO_SPACE } from './generated/mem.ts';
import { TermsHeader } from './generated/terms.ts';
import type { Kernels } from './kernels.ts';
import { getU32, getU64, setU32, setU64 } from './records.ts';

const BITSET_BLOCK = 512;
/** Postings between two yields: about ten milliseconds. */
const STEP_POSTINGS = 500_000;

/** One input that has the field being merged; addresses in kernel memory, 0 for missing parts. */
export interface TermsSource {
  readonly terms: number;
  readonly norms: number;
  readonly positions: number;
  readonly docMap: number;
  readonly ordMap: number;
  readonly docFreqs: number;
}

/** A segment being written by a merge. Every method throws RangeError when the work memory is too small. */
export class MergeWriter {
  readonly k: Kernels;
  readonly maxDoc: number;
  readonly #ptr: number;

  /** @param fields number of fields and nested paths at most */
  constructor(k: Kernels, at: number, end: number, scratchBytes: number, fields: number, maxDoc: number, rootDocs: number) {
    this.k = k;
    this.maxDoc = maxDoc;
    this.#ptr = k.exports.mergeOpen(at, end, scratchBytes, fields, maxDoc, rootDocs) >>> 0;
    if (this.#ptr === 0) throw noSpaceError();
  }

  allocate(bytes: number, zero = false): number {
    const ptr = this.k.exports.mergeAllocate(this.#ptr, bytes, Number(zero)) >>> 0;
    if (ptr === 0) throw noSpaceError();
    return ptr;
  }

  /** Runs `call` and releases the scratch that it reserved. */
  *scoped<T>(call: () => Generator<void, T>): Generator<void, T> {
    const mark = this.k.exports.mergeMark(this.#ptr);
    const result = yield* call();
    this.k.exports.mergeRelease(this.#ptr, mark);
    return result;
  }

  /** Address of the next section, with room for `bytes`. */
  room(bytes: number): number {
    if (this.k.exports.mergeFree(this.#ptr) >>> 0 < bytes) throw noSpaceError();
    return this.k.exports.mergeCursor(this.#ptr) >>> 0;
  }

  /** Registers the `bytes` written at `room` as a section. */
  section(kind: number, fieldOrd: number, bytes: number): void {
    this.#check(this.k.exports.mergeSection(this.#ptr, kind, fieldOrd, bytes));
  }

  /**
   * Merges the dictionaries and postings of a field; `norms`: of the new segment, 0 without; `dropped`: some documents are dropped; `reordered`: the
   * documents of the only source are put in another order.
   */
  *terms(sources: readonly TermsSource[], fieldOrd: number, norms: number, dropped: boolean, reordered: boolean): Generator<void> {
    const { k } = this;
    const terms = sources.reduce((sum, source) => sum + getU32(k, source.terms, TermsHeader.termCount), 0);
    const bytes = sources.reduce((sum, source) => sum + getU64(k, source.terms, TermsHeader.termBytes), 0n);
    const longest = Math.max(...sources.map((source) => getU32(k, source.terms, TermsHeader.longestTerm)));
    const list = this.allocate(sources.length * MergeSource.sizeof);
    sources.forEach((source, i) => {
      const at = list + i * MergeSource.sizeof;
      setU32(k, at, MergeSource.terms, source.terms);
      setU32(k, at, MergeSource.norms, source.norms);
      setU32(k, at, MergeSource.positions, source.positions);
      setU32(k, at, MergeSource.docMap, source.docMap);
      setU32(k, at, MergeSource.ordMap, source.ordMap);
      setU32(k, at, MergeSource.docFreqs, source.docFreqs);
    });
    const work = this.allocate(k.exports.mergeTermsBytes(sources.length, longest));
    const field = this.allocate(MergeField.sizeof);
    setU32(k, field, MergeField.sources, list);
    setU32(k, field, MergeField.count, sources.length);
    setU32(k, field, MergeField.fieldOrd, fieldOrd);
    setU32(k, field, MergeField.terms, terms);
    setU64(k, field, MergeField.termBytes, bytes);
    setU32(k, field, MergeField.side, this.allocate(k.exports.termsSideBytes(terms)));
    setU32(k, field, MergeField.norms, norms);
    setU32(k, field, MergeField.present, dropped ? this.allocate(Math.ceil(this.maxDoc / BITSET_BLOCK) * 64, true) : 0);
    setU32(k, field, MergeField.area, reordered ? this.allocate(reorderAreaBytes(k, this.maxDoc, sources[0].terms)) : 0);
    this.#check(k.exports.mergeTermsOpen(work, this.#ptr, field));
    for (;;) {
      const status = k.exports.mergeTermsStep(work, STEP_POSTINGS);
      this.#check(status);
      if (status === 0) return;
      yield;
    }
  }

  /** Writes the binary values of the only input in another order; returns their bytes. */
  reorderedBinary(from: number, order: number): number {
    const bytes = this.k.exports.reorderBinary(this.#ptr, from, order);
    this.#check(Math.min(bytes, 0));
    return bytes;
  }

  reorderedIds(from: number, order: number, scratch: number): void {
    this.k.exports.reorderIds(this.#ptr, from, order, scratch);
  }

  column(fieldOrd: number, kind: number, docs: number, values: number, count: number): void {
    this.#check(this.k.exports.mergeColumn(this.#ptr, fieldOrd, kind, docs, values, count));
  }

  /** Appends one input's binary values (`from` 0: none); returns bytes of values so far. */
  binary(from: number, maxDoc: number, docMap: number, used: number): number {
    const now = this.k.exports.mergeBinary(this.#ptr, from, maxDoc, docMap, used);
    this.#check(Math.min(now, 0));
    return now;
  }

  /** Lays out the ids section. @returns its size */
  openIds(idBytes: number): number {
    const bytes = this.k.exports.mergeIdsOpen(this.#ptr, idBytes) >>> 0;
    if (bytes === 0) throw noSpaceError();
    return bytes;
  }

  ids(from: number, maxDoc: number, docMap: number, scratch: number): void {
    this.k.exports.mergeIds(this.#ptr, from, maxDoc, docMap, scratch);
  }

  /** Checksums and closes the image. @returns a view of it in kernel memory */
  finish(): Uint8Array {
    const bytes = this.k.exports.mergeFinish(this.#ptr) >>> 0;
    if (bytes === 0) throw noSpaceError();
    const start = this.k.exports.mergeImage(this.#ptr) >>> 0;
    return this.k.u8.subarray(start, start + bytes);
  }

  #check(status: number): void {
    if (status === E_NO_SPACE) throw noSpaceError();
    if (status < 0) throw new Error(`merge failed with status ${status}`);
  }
}

/** Bytes needed to sort the postings of any term of a field. @param terms  address of the dictionary */
export function reorderAreaBytes(k: Kernels, maxDoc: number, terms: number): number {
  const hasPositions = (getU32(k, terms, TermsHeader.flags) & FIELD_POSITIONS) !== 0;
  const occurrences = hasPositions ? mostOccurrences(k, terms) : 0;
  return k.exports.reorderAreaBytes(maxDoc, occurrences);
}

function mostOccurrences(k: Kernels, terms: number): number {
  return k.scoped(() => {
    const work = k.reserve(k.exports.bisectTermsBytes(getU32(k, terms, TermsHeader.longestTerm)));
    return k.exports.reorderMostOccurrences(terms, work);
  });
}

function noSpaceError(): RangeError {
  return new RangeError('the memory of the merge is too small');
}
