// Columns, postings and terms of one segment, as planners see them. src/plan/segment-reader.ts has the interface that returns them.

/** How to interpret a column's raw values. `ordinals` point into the field's sorted term dictionary. */
export type ColumnKind = 'i64' | 'f64' | 'ordinals' | 'geo' | 'binary';

/**
 * A doc values column of one field in one segment.
 * - `i64`: integers, booleans (0, 1), dates (ms; date_nanos: ns), scaled_float (scaled), unsigned_long (value - 2^63).
 * - `f64`: float, half_float, double.
 * - `ordinals`: keyword, ip (16 bytes), flattened...: ordinal of the value in the term dictionary of the field, ascending in a document.
 * - `geo`: u64, latitude in the high 32 bits and longitude in the low, each as Lucene's GeoEncodingUtils encodes it, sign bit flipped.
 * - `binary`: bytes per document, read by the host only.
 * Values of a document are sorted ascending; `multiValued` is false when no document has more than one.
 */
export interface SegmentColumn {
  readonly kind: ColumnKind;
  /** Address of the column's header in the segment's arena. */
  readonly ptr: number;
  readonly multiValued: boolean;
  /** Documents that have a value. */
  readonly docCount: number;
  /** Values in all documents. */
  readonly valueCount: number;
  /** Smallest and largest value; of ordinals the number of distinct terms is `max + 1`. f64 columns as numbers, i64 as bigint. */
  readonly min: bigint | number;
  readonly max: bigint | number;
}

/** Postings of one field in one segment. Their addresses are valid until the reader's `release`. */
export interface SegmentPostings {
  /** Address of the field's term dictionary header in the segment's arena. */
  readonly ptr: number;
  readonly hasFreqs: boolean;
  readonly hasPositions: boolean;
  readonly hasOffsets: boolean;
  /** Address of the record at a place. */
  recordAt(place: number): number;
  /** Replaces the places in pairs by addresses. */
  relocate(pairs: TermPairs): void;
  /** Address from which a record at this place counts the offset of its positions, modulo 2^32; 0 if the field has none. */
  positionsAt(place: number): number;
  /**
   * The ordinals [from, to) as parts whose records have moved by the same distance from where the dictionary leads to: for each part the ordinal
   * after it and the distance modulo 2^32.
   */
  pieces(from: number, to: number): Uint32Array;
  readonly hasNorms: boolean;
  /** Address of the norms (one byte a document, 0 = the document has no value), 0 if the field has none. */
  readonly normsPtr: number;
  readonly termCount: number;
  readonly docCount: number;
  readonly sumDocFreq: number;
  readonly sumTotalTermFreq: number;
}

/** A term found in one segment. */
export interface TermState {
  readonly docFreq: number;
  /** docFreq if the field has no freqs. */
  readonly totalTermFreq: number;
  /** Rank of the term in the field's dictionary = its ordinal in the field's ordinals column. */
  readonly ord: number;
  /** Place of the term's record, see `SegmentPostings.recordAt`. */
  readonly ptr: number;
}

/** `ptr` (the place of its record) and `docFreq` of each term in turn, docFreq > 0: the most compact form of many terms. */
export type TermPairs = Uint32Array;

export interface WalkedTerm extends TermState {
  readonly bytes: Uint8Array;
}

/** Terms between two bounds, null: open; the flags (default true) include the bounds. */
export interface TermRange {
  readonly from: Uint8Array | null;
  readonly to: Uint8Array | null;
  readonly includeFrom?: boolean;
  readonly includeTo?: boolean;
}

/** Decides while a dictionary is walked: the bytes of terms come in ascending order. */
export interface TermFilter {
  (bytes: Uint8Array): boolean;
  /** All accepted terms are within `maxEdits` edits (including swaps of adjacent code points) of this word: the walk may skip the others. */
  readonly near?: { readonly word: Uint32Array; readonly maxEdits: number };
}
