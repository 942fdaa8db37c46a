// Adds an encoded block of documents (src/arena/document-encoder.ts has the layout) to the open buffer: analysis, inversion, values.
// A document that fails remains as a deleted one, which flush drops with all its postings and statistics.
import { chainNext, chainReset } from '../analysis/run';
import { FIELD_FREQS, FIELD_NORMS } from '../codec/field-flags';
import { Chain } from '../analysis/stage';
import { TOKEN_BYTES, Token } from '../analysis/token';
import { encodeNorm, NORM_EMPTY } from '../docvalues/norms';
import { Region, regionAllocate } from '../mem/region';
import { E_CHAIN, E_CORRUPT, E_LIMIT, E_NO_SPACE } from '../mem/status';
import { equalBytes } from '../codec/hash';
import { MAX_TERM_BYTES } from '../terms/dictionary';
import {
  Buffer,
  ColumnKind,
  DOC_BYTES,
  Field,
  MAX_PATHS,
  TermRecord,
  columnKind,
  columnStream,
  docRecord,
  fieldAt,
  growArray,
  normStream,
  regionOf,
} from './layout';
import { addOccurrence, addPosition, findBatch, findHashed, findTerm, hasRoom } from './term-hash';
import { streamAdd } from './value-stream';

/** Kinds of values in an encoded block. */
export namespace ValueOp {
  export const TEXT: u32 = 1;
  export const TERM: u32 = 2;
  export const KEYWORD: u32 = 3;
  export const I64: u32 = 4;
  export const F64: u32 = 5;
  export const GEO: u32 = 6;
  export const BINARY: u32 = 7;
  export const FEATURE: u32 = 8;
}

/** A block of documents to add; written by the host. */
// @ts-ignore: decorator
@unmanaged
export class DocumentBlock {
  /** The encoded documents; the last one is the root, which gets `id` and the version triple. */
  start: usize;
  end: usize;
  /** Bytes of the `_id`. */
  id: usize;
  idLength: u32;
  seqNo: f64;
  version: f64;
  primaryTerm: f64;
}

/**
 * Adds a block. Returns the root's doc id, or a status, and then no document of the block will be in a segment: E_NO_SPACE (flush first), E_LIMIT (a
 * term is longer than MAX_TERM_BYTES: errorField, errorLength, errorTerm of the buffer), E_CHAIN, E_CORRUPT (the bytes are not a block).
 */
export function bufferAdd(ptr: usize, blockPtr: usize): i32 {
  const buffer = changetype<Buffer>(ptr), region = regionOf(buffer), block = changetype<DocumentBlock>(blockPtr);
  const blockStart = block.start, blockEnd = block.end, idLen = block.idLength;
  if (blockStart + 4 > blockEnd) return E_CORRUPT;
  const count = load<u32>(blockStart), first = buffer.docCount;
  if (count == 0 || count > <u32>(blockEnd - blockStart)) return E_CORRUPT;
  region.failed = 0;
  if (!ensureDocs(buffer, region, count)) return E_NO_SPACE;
  const idRecord = regionAllocate(region, 4 + <usize>idLen);
  if (!idRecord) return E_NO_SPACE;
  store<u32>(idRecord, idLen);
  memory.copy(idRecord + 4, block.id, idLen);
  let cur = blockStart + 4, status: i32 = 0;
  for (let i: u32 = 0; i < count && status == 0; i++) {
    const doc = docRecord(buffer, buffer.docCount);
    doc.id = 0;
    doc.deleted = 0;
    doc.path = 0;
    doc.seqNo = <i64>block.seqNo;
    doc.version = <i64>block.version;
    doc.primaryTerm = <i64>block.primaryTerm;
    const end = cur + 4 > blockEnd ? cur : cur + 4 + load<u32>(cur);
    status = end < cur + 6 || end > blockEnd ? E_CORRUPT : addDocument(buffer, region, cur + 4, end);
    cur = end;
    buffer.docCount++;
  }
  const root = buffer.docCount - 1;
  if (status == 0 && docRecord(buffer, root).path != 0) status = E_CORRUPT;
  if (status != 0) {
    for (let doc = first; doc <= root; doc++) docRecord(buffer, doc).deleted = 1;
    buffer.deletedCount += root + 1 - first;
    return status;
  }
  docRecord(buffer, root).id = idRecord;
  return <i32>root;
}

function ensureDocs(buffer: Buffer, region: Region, count: u32): bool {
  while (buffer.docCount + count > buffer.docCapacity) {
    const capacity = max<u32>(64, buffer.docCapacity * 2);
    const grown = growArray(region, buffer.docs, <usize>buffer.docCapacity * DOC_BYTES, <usize>capacity * DOC_BYTES);
    if (!grown) return false;
    buffer.docs = grown;
    buffer.docCapacity = capacity;
  }
  return true;
}

/** Adds one document: the bytes after its size word. Finishes touched fields even after a failure. */
function addDocument(buffer: Buffer, region: Region, cur: usize, end: usize): i32 {
  const pathLen = <u32>load<u16>(cur);
  cur += 2;
  if (pathLen > <u32>(end - cur)) return E_CORRUPT;
  if (pathLen) {
    const path = findPath(buffer, region, cur, pathLen);
    if (path <= 0) return path == 0 ? E_CORRUPT : path;
    docRecord(buffer, buffer.docCount).path = <u16>path;
  }
  let status = addValues(buffer, region, cur + pathLen, end);
  const doc = buffer.docCount;
  for (let at = buffer.touched; at; ) {
    const field = changetype<Field>(at);
    if (field.flags & FIELD_NORMS) {
      // Lucene: the length of a field without frequencies is its number of distinct terms.
      const tokens = field.flags & FIELD_FREQS ? field.length - field.overlaps : <u32>field.sumDocFreq - field.docFreqsBefore;
      if (!streamAdd(region, normStream(field), doc, <i64>(tokens ? encodeNorm(tokens) : NORM_EMPTY)) && status == 0) status = E_NO_SPACE;
    }
    if (field.length) field.docCount++;
    at = field.nextTouched;
  }
  buffer.touched = 0;
  return status;
}

/** Number of a nested path from 1, or a status. */
function findPath(buffer: Buffer, region: Region, ptr: usize, length: u32): i32 {
  for (let i: u32 = 0; i < buffer.pathCount; i++) {
    const path = <usize>load<u32>(buffer.paths + ((<usize>i) << 2));
    if (<u32>load<u16>(path) == length && equalBytes(path + 2, ptr, length)) return i + 1;
  }
  if (buffer.pathCount == MAX_PATHS) return E_LIMIT;
  const path = regionAllocate(region, 2 + <usize>length);
  if (!path) return E_NO_SPACE;
  store<u16>(path, <u16>length);
  memory.copy(path + 2, ptr, length);
  store<u32>(buffer.paths + ((<usize>buffer.pathCount) << 2), <u32>path);
  return ++buffer.pathCount;
}

function addValues(buffer: Buffer, region: Region, cur: usize, end: usize): i32 {
  while (cur < end) {
    if (cur + 8 > end) return E_CORRUPT;
    const head = load<u32>(cur), op = head & 15, number = head >> 4;
    if (number >= buffer.fieldCount) return E_CORRUPT;
    const field = fieldAt(buffer, number);
    cur += 4;
    if (op >= ValueOp.I64 && op <= ValueOp.GEO) {
      if (cur + 8 > end) return E_CORRUPT;
      if (!streamAdd(region, columnStream(field), buffer.docCount, load<i64>(cur))) return E_NO_SPACE;
      cur += 8;
      continue;
    }
    let freq: u32 = 1;
    if (op == ValueOp.FEATURE) {
      freq = load<u32>(cur);
      cur += 4;
      if (cur + 4 > end) return E_CORRUPT;
    }
    const length = load<u32>(cur);
    cur += 4;
    if (length > <u32>(end - cur)) return E_CORRUPT;
    let status: i32;
    if (op == ValueOp.TEXT && field.chain) status = addText(buffer, region, field, cur, length);
    else if (op == ValueOp.BINARY) status = addBinary(buffer, region, field, cur, length);
    else status = addExact(buffer, region, field, cur, length, freq, op == ValueOp.KEYWORD);
    if (status != 0) return status;
    cur += length;
  }
  return 0;
}

/** Prepares the field's state for the document being added. */
// @ts-ignore: decorator
@inline
function touch(buffer: Buffer, field: Field): void {
  if (field.doc == buffer.docCount) return;
  field.doc = buffer.docCount;
  field.position = -1;
  field.offset = 0;
  field.length = 0;
  field.overlaps = 0;
  field.docFreqsBefore = <u32>field.sumDocFreq;
  field.valueCount = 0;
  field.nextTouched = buffer.touched;
  buffer.touched = changetype<usize>(field);
}

/** Runs the analysis chain over a string and inverts its tokens, batch by batch. Counts like Lucene's FieldInvertState. */
function addText(buffer: Buffer, region: Region, field: Field, textPtr: usize, textLen: u32): i32 {
  touch(buffer, field);
  const doc = buffer.docCount, chain = changetype<Chain>(field.chain);
  if (field.valueCount++) {
    field.position += field.positionGap;
    field.offset++;
  }
  let position = field.position;
  const offset = field.offset;
  // The column of a text field (fielddata) contains the ordinals of its tokens.
  const asColumn = columnKind(field.flags) == ColumnKind.ORDINALS;
  chainReset(field.chain, textPtr, textLen);
  for (;;) {
    const count = chainNext(field.chain);
    if (count <= 0) {
      if (count == 0) break;
      buffer.errorField = field.number;
      return count == E_NO_SPACE ? E_CHAIN : count;
    }
    let at = chain.tokens, found = buffer.found;
    findBatch(buffer, field, at, count, found);
    for (const tokensEnd = at + <usize>count * TOKEN_BYTES; at < tokensEnd; at += TOKEN_BYTES, found += 8) {
      const token = changetype<Token>(at), length = token.termLen;
      if (length > MAX_TERM_BYTES) return immenseTerm(buffer, field, token.termPtr, length);
      if (!hasRoom(region, length)) return E_NO_SPACE;
      let record = changetype<TermRecord | null>(<usize>load<u32>(found, 4));
      if (!record) record = findHashed(region, field, token.termPtr, length, load<u32>(found));
      if (!record) return E_NO_SPACE;
      position = max(position + <i32>token.posInc, 0);
      addOccurrence(region, field, record, doc, token.termFreq);
      addPosition(region, field, record, <u32>position, offset + token.startOffset, offset + token.endOffset);
      field.length += token.termFreq;
      if (token.posInc == 0) field.overlaps++;
      if (asColumn && !streamAdd(region, columnStream(field), doc, <i64>changetype<usize>(record))) return E_NO_SPACE;
    }
  }
  field.position = position + <i32>chain.endPosInc;
  field.offset = offset + chain.endOffset;
  return 0;
}

/** Adds a term that is not analysed; `asKeyword`: its ordinal goes into the column, too. */
function addExact(buffer: Buffer, region: Region, field: Field, ptr: usize, length: u32, freq: u32, asKeyword: bool): i32 {
  if (length > MAX_TERM_BYTES) return immenseTerm(buffer, field, ptr, length);
  touch(buffer, field);
  const record = hasRoom(region, length) ? findTerm(buffer, region, field, ptr, length) : null;
  if (!record) return E_NO_SPACE;
  field.position++;
  addOccurrence(region, field, record, buffer.docCount, freq);
  addPosition(region, field, record, <u32>field.position, 0, length);
  field.length++;
  if (!asKeyword || columnKind(field.flags) != ColumnKind.ORDINALS) return 0;
  return streamAdd(region, columnStream(field), buffer.docCount, <i64>changetype<usize>(record)) ? 0 : E_NO_SPACE;
}

function addBinary(buffer: Buffer, region: Region, field: Field, ptr: usize, length: u32): i32 {
  const record = regionAllocate(region, 4 + <usize>length);
  if (!record) return E_NO_SPACE;
  store<u32>(record, length);
  memory.copy(record + 4, ptr, length);
  return streamAdd(region, columnStream(field), buffer.docCount, <i64>record) ? 0 : E_NO_SPACE;
}

function immenseTerm(buffer: Buffer, field: Field, ptr: usize, length: u32): i32 {
  buffer.errorField = field.number;
  buffer.errorLength = length;
  buffer.errorTerm = ptr;
  return E_LIMIT;
}

/** Marks a root and its nested children as deleted. Pre: docId is a root that `bufferAdd` returned. */
export function bufferDelete(ptr: usize, docId: u32): void {
  const buffer = changetype<Buffer>(ptr);
  if (docRecord(buffer, docId).deleted) return;
  for (let doc = docId; ; doc--) {
    docRecord(buffer, doc).deleted = 1;
    buffer.deletedCount++;
    if (doc == 0) return;
    const before = docRecord(buffer, doc - 1);
    if (before.path == 0 || before.deleted) return; // another root, or the rest of a block that failed
  }
}
