// The interface between the document parser, which validates and converts values, and a shard's open buffer, which can no longer refuse them.

/** How segments store a field. Fields of the same name in an index have the same spec; later versions of a mapping only add fields. */
export interface FieldSpec {
  /** Full name: `customer.name.raw`. Names of internal fields start with an underscore: `_field_names`, `_seq_no`. */
  readonly name: string;
  /** Postings: none, documents only, with frequencies, with positions, with offsets. */
  readonly postings: 'none' | 'docs' | 'freqs' | 'positions' | 'offsets';
  readonly norms: boolean;
  /** Name of the index-time analyzer (AnalysisRegistry) for `text`; null for fields with exact terms only. */
  readonly analyzer: string | null;
  readonly positionIncrementGap: number;
  readonly column: 'none' | 'i64' | 'f64' | 'ordinals' | 'geo' | 'binary';
  /** Longer tokens, in bytes, are refused (immense term): Lucene's 32766. */
}

/**
 * Receives the documents of one operation: nested children first, then the root, as a block. A field number is the index of its FieldSpec in
 * `MappingSnapshot.fields`. Fields may come in any order, the values of a field in the order of the source.
 * Bytes are valid during the call only: a sink must copy them.
 */
export interface DocumentSink {
  /** Opens a document inside the open one; `path` is null for the root. The sink orders the documents of the block. */
  begin(path: string | null): void;
  end(): void;
  /** Text to analyze with the field's analyzer; successive values of a field are separated by its position gap. */
  text(field: number, value: string): void;
  /** An exact term; freq adds up if the field has frequencies. */
  term(field: number, bytes: Uint8Array): void;
  /** A column value; several calls make the document multi-valued. */
  i64(field: number, value: bigint | number): void;
  f64(field: number, value: number): void;
  /** The exact term (if the field has postings) and the ordinal (if it has a column): keyword, ip. */
  keyword(field: number, bytes: Uint8Array): void;
  geo(field: number, lat: number, lon: number): void;
  /** At most one per document and field. */
  binary(field: number, bytes: Uint8Array): void;
  /** A term with an explicit frequency: rank features store their value in it. */
  feature(field: number, bytes: Uint8Array, freq: number): void;
}
