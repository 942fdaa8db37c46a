// Host side of assembly/postings: encodes terms one by one. The segment writer calls the encoder inside WASM; tests, benches and tools use this.
import type { Kernels } from './kernels.ts';

/** Flags of a field's postings as the kernels take them (assembly/postings/format.ts). */
export const WITH_FREQS = 1;
export const WITH_POSITIONS = 2;
export const WITH_OFFSETS = 4;
export const WITH_NORMS = 8;

export interface EncodedTerm {
  /** Offset of the term's record in the postings section. */
  readonly termOff: number;
  readonly docFreq: number;
  readonly totalTermFreq: number;
}

/** Offsets of results in the PostingsEncoder struct (u32 fields in order of declaration, totalTermFreq at a multiple of 8). */
const CUR = 12;
const POSITIONS_CUR = 24;
const TERM_OFF = 40;
const DOC_FREQ = 44;
const TOTAL_TERM_FREQ = 48;

/** One field's postings while they are written. The memory it writes to is the caller's. */
export class PostingsEncoder {
  private readonly k: Kernels;
  private readonly ptr: number;
  private readonly outPtr: number;
  private readonly positionsPtr: number;

  /**
   * Reserves the encoder and its scratch from `k`.
   * @param flags   WITH_*
   * @param outPtr  multiple of 4
   */
  constructor(k: Kernels, flags: number, maxDoc: number, outPtr: number, outBytes: number, positionsPtr: number, positionsBytes: number) {
    this.k = k;
    this.outPtr = outPtr;
    this.positionsPtr = positionsPtr;
    this.ptr = k.reserve(k.exports.postingsEncoderBytes());
    const scratchBytes = k.exports.postingsEncoderScratchBytes(maxDoc) >>> 0;
    const scratch = k.reserve(scratchBytes);
    k.exports.postingsEncoderInit(
      this.ptr,
      flags,
      outPtr,
      outPtr + outBytes,
      positionsPtr,
      positionsPtr + positionsBytes,
      scratch,
      scratch + scratchBytes,
    );
  }

  begin(): void {
    this.k.exports.postingsEncoderBegin(this.ptr);
  }

  /** @param docId above the one before; @param norm 1 where the field has no norms */
  addDoc(docId: number, freq: number, norm: number): void {
    this.k.exports.postingsEncoderAddDoc(this.ptr, docId, freq, norm);
  }

  addPosition(position: number, startOffset = 0, endOffset = 0): void {
    this.k.exports.postingsEncoderAddPosition(this.ptr, position, startOffset, endOffset);
  }

  /** @throws RangeError an extent is too small */
  finish(): EncodedTerm {
    const status = this.k.exports.postingsEncoderFinish(this.ptr);
    if (status < 0) throw new RangeError(`postings encoder: status ${status}, an extent is too small`);
    return {
      termOff: this.u32(TERM_OFF),
      docFreq: this.u32(DOC_FREQ),
      totalTermFreq: Number(this.k.view.getBigUint64(this.ptr + TOTAL_TERM_FREQ, true)),
    };
  }

  /** Bytes of the postings section so far. */
  get postingsBytes(): number {
    return this.u32(CUR) - this.outPtr;
  }

  get positionsBytes(): number {
    return this.u32(POSITIONS_CUR) - this.positionsPtr;
  }

  private u32(off: number): number {
    return this.k.u32[(this.ptr + off) >>> 2];
  }
}
