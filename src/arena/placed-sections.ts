// Postings and columns of a segment image whose sections may not be in memory yet: each address is looked up when it is used.
import type { SegmentColumn, SegmentPostings, TermPairs } from '../plan/segment.ts';
import { FIELD_FREQS, FIELD_OFFSETS, FIELD_POSITIONS } from '../wasm/generated/codec.ts';
import { TermsHeader } from '../wasm/generated/terms.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getU32, getU64 } from '../wasm/records.ts';
import type { FieldPlace } from './segment-image.ts';

/** Postings of a field whose sections are loaded on first use. */
export class PlacedPostings implements SegmentPostings {
  readonly hasFreqs: boolean;
  readonly hasPositions: boolean;
  readonly hasOffsets: boolean;
  readonly termCount: number;
  readonly docCount: number;
  readonly sumDocFreq: number;
  readonly sumTotalTermFreq: number;
  readonly hasNorms: boolean;
  readonly #place: FieldPlace;

  constructor(k: Kernels, place: FieldPlace) {
    const dictionary = place.terms;
    const flags = getU32(k, dictionary, TermsHeader.flags);
    this.hasFreqs = (flags & FIELD_FREQS) !== 0;
    this.hasPositions = (flags & FIELD_POSITIONS) !== 0;
    this.hasOffsets = (flags & FIELD_OFFSETS) !== 0;
    this.termCount = getU32(k, dictionary, TermsHeader.termCount);
    this.docCount = getU32(k, dictionary, TermsHeader.docCount);
    this.sumDocFreq = Number(getU64(k, dictionary, TermsHeader.sumDocFreq));
    this.sumTotalTermFreq = Number(getU64(k, dictionary, TermsHeader.sumTotalTermFreq));
    this.hasNorms = place.hasNorms;
    this.#place = place;
  }

  get ptr(): number {
    return this.#place.terms;
  }

  get normsPtr(): number {
    return this.#place.norms;
  }

  recordAt(place: number): number {
    return this.#place.recordAt(place);
  }

  positionsAt(place: number): number {
    return this.#place.positionsAt(place);
  }

  relocate(pairs: TermPairs): void {
    this.#place.relocate(pairs);
  }

  pieces(from: number, to: number): Uint32Array {
    return this.#place.pieces(from, to);
  }
}

/** A column whose section is loaded on first use. */
export class PlacedColumn implements SegmentColumn {
  readonly kind: SegmentColumn['kind'];
  readonly multiValued: boolean;
  readonly docCount: number;
  readonly valueCount: number;
  readonly min: bigint | number;
  readonly max: bigint | number;
  readonly #place: FieldPlace;

  constructor(place: FieldPlace, column: Omit<SegmentColumn, 'ptr'>) {
    this.kind = column.kind;
    this.multiValued = column.multiValued;
    this.docCount = column.docCount;
    this.valueCount = column.valueCount;
    this.min = column.min;
    this.max = column.max;
    this.#place = place;
  }

  get ptr(): number {
    return this.kind === 'binary' ? this.#place.binary : this.#place.column;
  }
}
