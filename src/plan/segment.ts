// What planners see of one segment: names to columns and postings, terms to term states. Implemented by src/arena over a segment image.

/** How a column's raw values are to be read. `ordinals` point into the field's sorted term dictionary. */
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

/** Postings of one field in one segment. */
export interface SegmentPostings {
  /** Address of the field's term dictionary header in the segment's arena. */
  readonly ptr: number;
  readonly hasFreqs: boolean;
  readonly hasPositions: boolean;
  readonly hasOffsets: boolean;
  /** Address of the field's positions section in the segment's arena, 0 if it has none. */
  readonly positionsPtr: number;
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
  /** docFreq where the field has no freqs. */
  readonly totalTermFreq: number;
  /** Rank of the term in the field's dictionary = its ordinal in the field's ordinals column. */
  readonly ord: number;
  /** Address of the term's record: of the field's postings section + `termOff` of assembly/postings/encoder.ts. */
  readonly ptr: number;
}

/** `ptr` and `docFreq` of each term in turn, docFreq > 0: the least that names the postings of many terms. */
export type TermPairs = Uint32Array;

export interface WalkedTerm extends TermState {
  readonly bytes: Uint8Array;
}

/** Terms between two, null: open; the flags (true unless given) say whether the ends count. */
export interface TermRange {
  readonly from: Uint8Array | null;
  readonly to: Uint8Array | null;
  readonly includeFrom?: boolean;
  readonly includeTo?: boolean;
}

/** Decides while a dictionary is walked: the bytes of a term come in ascending order. */
export interface TermFilter {
  (bytes: Uint8Array): boolean;
  /** All terms that it keeps are within `maxEdits` edits (swaps of neighbours too) of this word: the walk may leave out the others unseen. */
  readonly near?: { readonly word: Uint32Array; readonly maxEdits: number };
}

export interface SegmentReader {
  /** Unique in the node's life; for caches. */
  readonly id: number;
  /** Documents with deleted ones; nested children count. Doc ids are 0..maxDoc-1. */
  readonly maxDoc: number;
  /** Live documents, nested children counted. */
  readonly numDocs: number;
  /** Live root documents: what a match_all of a search counts. */
  readonly numRootDocs: number;
  /** Address of the live docs bitset (u64 words, bit set = live), 0 if all live. */
  readonly liveDocsPtr: number;
  /** Address of the bitset of root documents, 0 if every document is a root. */
  readonly rootDocsPtr: number;
  postings(field: string): SegmentPostings | null;
  column(field: string): SegmentColumn | null;
  /** Address of the bitset of children of a nested path, 0 if the segment has none. */
  nestedDocsPtr(path: string): number;
  /** Address of the norms of a field, or 0. */
  lookupTerm(field: string, term: Uint8Array): TermState | null;
  /** At most `limit` terms that `filter` keeps, ascending. */
  walkTerms(field: string, range: TermRange, limit: number, filter?: TermFilter): WalkedTerm[];
  /** Those that `walkTerms` gives without a limit, by eight bytes each. */
  matchTerms(field: string, range: TermRange, filter: TermFilter): TermPairs;
  /** Bytes of the term with this ordinal, copied. */
  termOf(field: string, ord: number): Uint8Array;
  /** Ordinal of the first term >= bytes (termCount if none). */
  seekOrd(field: string, term: Uint8Array): number;
  /** Ascending raw values of one document (bigint for i64 and geo, number for f64 and ordinals); empty if it has none. */
  values(field: string, docId: number): ReadonlyArray<bigint | number>;
  /** Value of a binary column, or null. */
  binary(field: string, docId: number): Uint8Array | null;
  /** Norm byte of a document, 0 if it has none. */
  norm(field: string, docId: number): number;
  /** Root document of an `_id`, live or -1. */
  docOfId(id: string): number;
  /** Operation log key of the document's record. For a nested child: its root's. */
  seqNo(docId: number): number;
  /** First root document id >= docId: the parent of a nested child. */
  rootOf(docId: number): number;
}
