// Host side of assembly/postings: encodes terms one by one, for tests, benches and tools. The segment writer calls the encoder inside WASM.
import { FIELD_FREQS, FIELD_NORMS, FIELD_OFFSETS, FIELD_POSITIONS } from './generated/codec.ts';
import { PostingsEncoder as Encoder } from './generated/postings.ts';
import type { Kernels } from './kernels.ts';
import { getU32, getU64 } from './records.ts';

/** FIELD_* flags of a field with these postings. */
export function postingsFlags(postings: { hasFreqs: boolean; hasPositions: boolean; hasOffsets: boolean; normsPtr: number }): number {
  return (
    (postings.hasFreqs ? FIELD_FREQS : 0) |
    (postings.hasPositions ? FIELD_POSITIONS : 0) |
    (postings.hasOffsets ? FIELD_OFFSETS : 0) |
    (postings.normsPtr !== 0 ? FIELD_NORMS : 0)
  );
}

export interface EncodedTerm {
  /** Offset of the term's record in the postings section. */
  readonly termOff: number;
  readonly docFreq: number;
  readonly totalTermFreq: number;
}

/** Writes one field's postings into memory of the caller. */
export class PostingsEncoder {
  readonly #k: Kernels;
  readonly #ptr: number;
  readonly #outPtr: number;
  readonly #positionsPtr: number;

  /**
   * Reserves the encoder and its scratch from `k`.
   * @param flags   FIELD_*
   * @param outPtr  multiple of 4
   */
  constructor(k: Kernels, flags: number, maxDoc: number, outPtr: number, outBytes: number, positionsPtr: number, positionsBytes: number) {
    this.#k = k;
    this.#outPtr = outPtr;
    this.#positionsPtr = positionsPtr;
    this.#ptr = k.reserve(k.exports.postingsEncoderBytes(maxDoc) >>> 0);
    k.exports.postingsEncoderInit(this.#ptr, maxDoc, flags, outPtr, outPtr + outBytes, positionsPtr, positionsPtr + positionsBytes);
  }

  begin(): void {
    this.#k.exports.postingsEncoderBegin(this.#ptr);
  }

  /** @param docId above the previous one; @param norm 1 if the field has no norms */
  addDoc(docId: number, freq: number, norm: number): void {
    this.#k.exports.postingsEncoderAddDoc(this.#ptr, docId, freq, norm);
  }

  addPosition(position: number, startOffset = 0, endOffset = 0): void {
    this.#k.exports.postingsEncoderAddPosition(this.#ptr, position, startOffset, endOffset);
  }

  /** @throws RangeError an extent is too small */
  finish(): EncodedTerm {
    const status = this.#k.exports.postingsEncoderFinish(this.#ptr);
    if (status < 0) throw new RangeError(`postings encoder: status ${status}, an extent is too small`);
    return {
      termOff: getU32(this.#k, this.#ptr, Encoder.termOff),
      docFreq: getU32(this.#k, this.#ptr, Encoder.docFreq),
      totalTermFreq: Number(getU64(this.#k, this.#ptr, Encoder.totalTermFreq)),
    };
  }

  /** Bytes of the postings section so far. */
  get postingsBytes(): number {
    return getU32(this.#k, this.#ptr, Encoder.cur) - this.#outPtr;
  }

  get positionsBytes(): number {
    return getU32(this.#k, this.#ptr, Encoder.positionsCur) - this.#positionsPtr;
  }
}
