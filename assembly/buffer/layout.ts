// Records of the open buffer: an indexer's documents that are not in a segment yet. They are all in one region (mem/region.ts) of the
// host's extent; the rest of the extent is used by flush alone.
import { FIELD_COLUMN, FIELD_COLUMN_SHIFT } from '../codec/field-flags';
import { REGION_BYTES, Region, regionAllocateBlock, regionFree } from '../mem/region';

/** No document; in a map of documents: dropped. */
export const NO_DOC: u32 = 0xffffffff;

/** Kinds of columns, in the field flags. */
export namespace ColumnKind {
  export const NONE: u32 = 0;
  export const I64: u32 = 1;
  export const F64: u32 = 2;
  export const ORDINALS: u32 = 3;
  export const GEO: u32 = 4;
  export const BINARY: u32 = 5;
}

// @ts-ignore: decorator
@inline
export function columnKind(flags: u32): u32 {
  return (flags & FIELD_COLUMN) >> FIELD_COLUMN_SHIFT;
}

/** Head of the extent. */
// @ts-ignore: decorator
@unmanaged
export class Buffer {
  /** End of the extent; the region ends before it. */
  extentEnd: usize;
  hashSeed: u64;
  fieldCount: u32;
  fieldCapacity: u32;
  /** u32[fieldCapacity]: addresses of Field records. */
  fields: usize;
  pathCount: u32;
  /** u32[MAX_PATHS]: addresses of ├ length u16 │ bytes ┤; path number n of a document is paths[n - 1]. */
  paths: usize;
  docCount: u32;
  docCapacity: u32;
  deletedCount: u32;
  /** DocRecord[docCapacity]. */
  docs: usize;
  /** Fields that the document being added has touched: list through Field.nextTouched. */
  touched: usize;
  /** Buffer of findBatch: 8 bytes per token of a batch. */
  found: usize;
  /** Field whose value made the last `bufferAdd` fail; after E_LIMIT also length and address of the term. */
  errorField: u32;
  errorLength: u32;
  errorTerm: usize;
  /** The image that `bufferFlush` wrote. */
  imagePtr: usize;
  imageBytes: usize;
}

export const REGION_OFF: usize = 128;
export const BUFFER_BYTES: usize = 320;
export const MAX_PATHS: u32 = 4096;

// @ts-ignore: decorator
@inline
export function regionOf(buffer: Buffer): Region {
  return changetype<Region>(changetype<usize>(buffer) + REGION_OFF);
}

/** A document, 32 bytes. */
// @ts-ignore: decorator
@unmanaged
class DocRecord {
  /** Address of ├ length u32 │ bytes ┤ of its `_id`; 0 for nested children. */
  id: usize;
  /** 0: root; otherwise number of its nested path. */
  path: u16;
  deleted: u16;
  seqNo: i64;
  version: i64;
  primaryTerm: i64;
}

export const DOC_BYTES: usize = 32;

// @ts-ignore: decorator
@inline
export function docRecord(buffer: Buffer, docId: u32): DocRecord {
  return changetype<DocRecord>(buffer.docs + <usize>docId * DOC_BYTES);
}

/** (document, value) pairs in order of addition: a list of chunks ├ next u32 │ capacity u32 │ entries ┤. */
// @ts-ignore: decorator
@unmanaged
export class ValueStream {
  head: usize;
  chunk: usize;
  cur: usize;
  end: usize;
  count: u32;
}

/** ├ document u32 │ value 8 bytes ┤ */
export const ENTRY_BYTES: usize = 12;
export const CHUNK_HEADER_BYTES: usize = 8;

// @ts-ignore: decorator
@unmanaged
export class Field {
  flags: u32;
  positionGap: u32;
  /** Region of the analysis chain; 0: a string is one term. */
  chain: usize;
  /** Address and length of the name. */
  name: usize;
  nameLength: u32;
  /** Hash table: ├ hash u32 │ TermRecord address u32 ┤ x (mask + 1). */
  table: usize;
  tableMask: u32;
  termCount: u32;
  termBytes: u64;
  /** Documents with a term, including deleted ones. */
  docCount: u32;
  sumDocFreq: u64;
  // State within one document.
  doc: u32;
  nextTouched: usize;
  position: i32;
  offset: u32;
  length: u32;
  overlaps: u32;
  valueCount: u32;
  number: u32;
  /** sumDocFreq (its low half) before the document: the increase since then is the document's number of distinct terms. */
  docFreqsBefore: u32;
}

const FIELD_COLUMN_STREAM: usize = 96;
const FIELD_NORM_STREAM: usize = 120;
export const FIELD_BYTES: usize = 144;

// @ts-ignore: decorator
@inline
export function columnStream(field: Field): ValueStream {
  return changetype<ValueStream>(changetype<usize>(field) + FIELD_COLUMN_STREAM);
}

// @ts-ignore: decorator
@inline
export function normStream(field: Field): ValueStream {
  return changetype<ValueStream>(changetype<usize>(field) + FIELD_NORM_STREAM);
}

// @ts-ignore: decorator
@inline
export function fieldAt(buffer: Buffer, number: u32): Field {
  return changetype<Field>(<usize>load<u32>(buffer.fields + ((<usize>number) << 2)));
}

/**
 * A distinct term of a field, followed by its bytes. The posting of the newest document stays in the record until the next document,
 * so that its frequency is known and a term of one document needs no slice.
 */
// @ts-ignore: decorator
@unmanaged
export class TermRecord {
  /** Newest document and the distance to the one before it (to 0 for the first). */
  lastDoc: u32;
  pendingDelta: u32;
  freq: u32;
  docFreq: u32;
  totalTermFreq: u64;
  lastPosition: u32;
  lastOffset: u32;
  /** Slice chain of older postings: first slice, write cursor, end of the current slice. */
  docsHead: usize;
  docsCur: usize;
  docsEnd: usize;
  /** Slice chain of positions. */
  positionsHead: usize;
  positionsCur: usize;
  positionsEnd: usize;
  docsLevel: u8;
  positionsLevel: u8;
  length: u16;
  /** Set by flush: rank among the field's terms. */
  ord: u32;
}

export const TERM_RECORD_BYTES: usize = 64;

/** Moves a growable array into a larger block. Returns the new address, or 0 if the region is full (the old array stays valid). */
export function growArray(region: Region, ptr: usize, oldBytes: usize, newBytes: usize): usize {
  const grown = regionAllocateBlock(region, newBytes);
  if (!grown) return 0;
  if (ptr) {
    memory.copy(grown, ptr, oldBytes);
    regionFree(region, ptr, oldBytes);
  }
  return grown;
}

/** Fails the build if records outgrow their reserved space. */
export function checkLayout(): void {
  assert(offsetof<Buffer>() <= REGION_OFF && REGION_OFF + REGION_BYTES <= BUFFER_BYTES);
  assert(offsetof<Field>() <= FIELD_COLUMN_STREAM && offsetof<ValueStream>() <= 24);
  assert(offsetof<DocRecord>() == DOC_BYTES && offsetof<TermRecord>() == TERM_RECORD_BYTES);
}
