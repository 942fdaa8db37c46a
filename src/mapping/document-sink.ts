// What the document parser writes and a shard's open buffer reads. The parser validates and translates; nothing below it can refuse a value.

/** How a field is kept in segments. Two fields of the same name in one index have the same spec; it may only grow by new fields. */
export interface FieldSpec {
  /** Full name: `customer.name.raw`. Internal fields start with an underscore: `_field_names`, `_seq_no`. */
  readonly name: string;
  /** Postings: none, documents only, with freqs, with positions, with offsets too. */
  readonly postings: 'none' | 'docs' | 'freqs' | 'positions' | 'offsets';
  readonly norms: boolean;
  /** Name of the index-time analyzer (AnalysisRegistry) for `text`; null for fields that get exact terms only. */
  readonly analyzer: string | null;
  readonly positionIncrementGap: number;
  readonly column: 'none' | 'i64' | 'f64' | 'ordinals' | 'geo' | 'binary';
  /** Tokens longer than this many bytes are refused (immense term): Lucene's 32766. */
}

/**
 * One operation's documents: nested children first, then the root, as a block. A field number is the index of its FieldSpec in
 * `MappingSnapshot.fields`. Values may come in any order; several values of a field in the order of the source.
 * Bytes are valid during the call only: a sink copies what it keeps.
 */
export interface DocumentSink {
  /** Opens a document inside the one that is open; `path` is null for the root. Documents nest; blocks are put in order by the sink. */
  begin(path: string | null): void;
  end(): void;
  /** Text to analyse with the field's analyzer; successive values of one field are separated by its position gap. */
  text(field: number, value: string): void;
  /** An exact term of the inverted index; freq adds up where the field has freqs. */
  term(field: number, bytes: Uint8Array): void;
  /** Column values: several calls make a multi-valued document. */
  i64(field: number, value: bigint | number): void;
  f64(field: number, value: number): void;
  /** Both the exact term (if the field has postings) and the ordinal (if it has a column): keyword, ip. */
  keyword(field: number, bytes: Uint8Array): void;
  geo(field: number, lat: number, lon: number): void;
  /** At most one per document and field. */
  binary(field: number, bytes: Uint8Array): void;
  /** A term with a given frequency, for rank features (freq carries the value). */
  feature(field: number, bytes: Uint8Array, freq: number): void;
}
