// Turns the open buffer into a segment image. Deleted documents are dropped with their postings; the others keep their order.
//   after the region: ├ scratch (document map, sort records, column arrays) ┬ image ┤ extentEnd
import { FIELD_COLUMN_SHIFT, FIELD_FREQS, FIELD_NORMS, FIELD_OFFSETS, FIELD_PATH, FIELD_POSITIONS, FIELD_POSTINGS } from '../codec/field-flags';
import { bitsetBytes, bitsetCount, bitsetSet } from '../codec/bitset';
import { regionAllocate, regionInit } from '../mem/region';
import { E_NO_SPACE } from '../mem/status';
import { sortScratchBytes, sortTerms, SORT_RECORD_BYTES } from '../terms/sort';
import { termsSideBytes } from '../terms/writer';
import { outputBegin, outputCreate, outputDoc, outputEnd, outputFinish, outputOpen, outputPosition } from './field-output';
import { NO_FIELD, SectionKind, imageFinish, imageFree, imageSection } from './image';
import {
  Buffer,
  ColumnKind,
  Field,
  NO_DOC,
  TERM_RECORD_BYTES,
  TermRecord,
  columnKind,
  columnStream,
  docRecord,
  fieldAt,
  normStream,
  regionOf,
} from './layout';
import {
  SYSTEM_COLUMNS,
  SegmentWriter,
  segmentBinary,
  segmentColumn,
  segmentWriterOpen,
  systemColumnName,
} from './segment-writer';
import { fieldRecordBytes, fieldsAdd, fieldsOpen, FIELDS_HEADER_BYTES } from './fields-section';
import { idTableAdd, idTableOpen } from './id-table';
import { SliceReader, sliceOpen, sliceVint } from './slices';
import { streamCollect } from './value-stream';

/**
 * Writes the image after the region (buffer.imagePtr, imageBytes). The buffer keeps its content. Returns the number of documents
 * (0: all are deleted, no image), or E_NO_SPACE: the extent is too small.
 */
export function bufferFlush(ptr: usize): i32 {
  const buffer = changetype<Buffer>(ptr), region = regionOf(buffer);
  buffer.imageBytes = 0;
  if (buffer.docCount == buffer.deletedCount) return 0;
  const writerPtr = (region.cur + 63) & ~63;
  const writer = segmentWriterOpen(writerPtr, buffer.extentEnd, scratchBytes(buffer), buffer.fieldCount + buffer.pathCount, buffer.docCount);
  if (!writer) return E_NO_SPACE;
  const docMap = regionAllocate(writer.scratch, <usize>buffer.docCount << 2);
  if (!docMap) return E_NO_SPACE;
  mapDocs(buffer, writer, docMap);
  let status = writeFieldsSection(buffer, writer);
  const mark = writer.scratch.cur;
  let ord: u32 = 0;
  for (let number: u32 = 0; number < buffer.fieldCount && status == 0; number++) {
    const field = fieldAt(buffer, number);
    if (!hasData(field)) continue;
    status = flushField(buffer, writer, docMap, field, ord++);
    writer.scratch.cur = mark;
  }
  for (let which: u32 = 0; which < SYSTEM_COLUMNS && status == 0; which++) {
    status = flushSystemColumn(buffer, writer, docMap, which, ord++);
    writer.scratch.cur = mark;
  }
  if (status == 0 && buffer.pathCount) status = flushNested(buffer, writer, docMap, ord);
  if (status == 0) status = flushIds(buffer, writer, docMap);
  if (status != 0) return status;
  buffer.imagePtr = writer.image.start;
  buffer.imageBytes = imageFinish(writer.image, writer.maxDoc, writer.rootDocs);
  return buffer.imageBytes ? <i32>writer.maxDoc : E_NO_SPACE;
}

function hasData(field: Field): bool {
  return (field.termCount | columnStream(field).count | normStream(field).count) != 0;
}

/** Scratch for the most demanding field, and for the data that is needed until the flush ends. */
function scratchBytes(buffer: Buffer): usize {
  let most = <usize>buffer.docCount * 12;
  for (let number: u32 = 0; number < buffer.fieldCount; number++) {
    const field = fieldAt(buffer, number), terms = field.termCount;
    const inverted = <usize>terms * SORT_RECORD_BYTES + sortScratchBytes(terms) + termsSideBytes(terms) + bitsetBytes(buffer.docCount);
    most = max(most, max(inverted, <usize>columnStream(field).count * 12));
  }
  return most + (<usize>buffer.docCount << 2) + 256;
}

function mapDocs(buffer: Buffer, writer: SegmentWriter, docMap: usize): void {
  let next: u32 = 0, roots: u32 = 0;
  for (let doc: u32 = 0; doc < buffer.docCount; doc++) {
    const record = docRecord(buffer, doc);
    store<u32>(docMap + ((<usize>doc) << 2), record.deleted ? NO_DOC : next);
    if (record.deleted) continue;
    next++;
    if (record.path == 0) roots++;
  }
  writer.maxDoc = next;
  writer.rootDocs = roots;
}

function writeFieldsSection(buffer: Buffer, writer: SegmentWriter): i32 {
  const image = writer.image;
  let bytes = FIELDS_HEADER_BYTES + <usize>SYSTEM_COLUMNS * 64;
  for (let i: u32 = 0; i < buffer.fieldCount; i++) bytes += fieldRecordBytes(fieldAt(buffer, i).nameLength);
  for (let i: u32 = 0; i < buffer.pathCount; i++) bytes += fieldRecordBytes(<u32>load<u16>(pathAt(buffer, i)));
  if (bytes > imageFree(image)) return E_NO_SPACE;
  const section = image.cur;
  fieldsOpen(section);
  let cur = section + FIELDS_HEADER_BYTES;
  for (let i: u32 = 0; i < buffer.fieldCount; i++) {
    const field = fieldAt(buffer, i);
    if (hasData(field)) cur = fieldsAdd(section, cur, field.flags, field.name, field.nameLength);
  }
  for (let which: u32 = 0; which < SYSTEM_COLUMNS; which++) {
    const name = systemColumnName(which);
    cur = fieldsAdd(section, cur, ColumnKind.I64 << FIELD_COLUMN_SHIFT, name + 1, <u32>load<u8>(name));
  }
  for (let i: u32 = 0; i < buffer.pathCount; i++) {
    cur = fieldsAdd(section, cur, FIELD_PATH, pathAt(buffer, i) + 2, <u32>load<u16>(pathAt(buffer, i)));
  }
  return imageSection(image, SectionKind.FIELDS, NO_FIELD, cur - section) ? 0 : E_NO_SPACE;
}

// @ts-ignore: decorator
@inline
function pathAt(buffer: Buffer, index: u32): usize {
  return <usize>load<u32>(buffer.paths + ((<usize>index) << 2));
}

function flushField(buffer: Buffer, writer: SegmentWriter, docMap: usize, field: Field, ord: u32): i32 {
  const mark = writer.scratch.cur;
  let norms: usize = 0;
  if (field.flags & FIELD_NORMS && normStream(field).count) {
    norms = flushNorms(writer, docMap, field, ord);
    if (norms == NORMS_FAILED) return E_NO_SPACE;
  }
  if (field.termCount) {
    const status = flushTerms(buffer, writer, docMap, field, ord, norms);
    if (status != 0) return status;
    writer.scratch.cur = mark;
  }
  const kind = columnKind(field.flags), stream = columnStream(field);
  if (kind == ColumnKind.NONE || stream.count == 0) return 0;
  const docs = regionAllocate(writer.scratch, <usize>stream.count << 2);
  const values = regionAllocate(writer.scratch, <usize>stream.count << 3);
  if (!docs || !values) return E_NO_SPACE;
  const count = streamCollect(stream, docMap, docs, values);
  if (kind == ColumnKind.BINARY) return segmentBinary(writer, ord, docs, values, count);
  if (kind == ColumnKind.ORDINALS) {
    for (let at = values; at < values + (<usize>count << 3); at += 8) {
      store<i64>(at, <i64>changetype<TermRecord>(<usize>load<i64>(at)).ord);
    }
  }
  return segmentColumn(writer, ord, kind, docs, values, count, true);
}

const NORMS_FAILED: usize = 1;

/** Returns the address of the norms, 0 if no remaining document has the field, or NORMS_FAILED if they do not fit. */
function flushNorms(writer: SegmentWriter, docMap: usize, field: Field, ord: u32): usize {
  const image = writer.image, norms = image.cur, maxDoc = writer.maxDoc;
  const stream = normStream(field), mark = writer.scratch.cur;
  const docs = regionAllocate(writer.scratch, <usize>stream.count << 2);
  const values = regionAllocate(writer.scratch, <usize>stream.count << 3);
  if (!docs || !values) return NORMS_FAILED;
  const count = streamCollect(stream, docMap, docs, values);
  writer.scratch.cur = mark;
  if (count == 0) return 0;
  if (<usize>maxDoc > imageFree(image)) return NORMS_FAILED;
  memory.fill(norms, 0, maxDoc);
  for (let i: u32 = 0; i < count; i++) store<u8>(norms + load<u32>(docs + ((<usize>i) << 2)), load<u8>(values + ((<usize>i) << 3)));
  return imageSection(image, SectionKind.NORMS, ord, maxDoc) ? norms : NORMS_FAILED;
}

function flushTerms(buffer: Buffer, writer: SegmentWriter, docMap: usize, field: Field, ord: u32, norms: usize): i32 {
  const terms = field.termCount;
  const records = regionAllocate(writer.scratch, <usize>terms * SORT_RECORD_BYTES);
  const sortScratch = regionAllocate(writer.scratch, sortScratchBytes(terms));
  const side = regionAllocate(writer.scratch, termsSideBytes(terms));
  const present = buffer.deletedCount ? regionAllocate(writer.scratch, bitsetBytes(writer.maxDoc)) : 0;
  if (!records || !sortScratch || !side || (buffer.deletedCount && !present)) return E_NO_SPACE;
  let at = records;
  for (let slot: u32 = 0; slot <= field.tableMask; slot++) {
    const entry = load<u64>(field.table + ((<usize>slot) << 3));
    if (!entry) continue;
    store<u32>(at, <u32>(entry >> 32), 8);
    at += SORT_RECORD_BYTES;
  }
  sortTerms(records, terms, sortScratch, offsetof<TermRecord>('length'), TERM_RECORD_BYTES);
  if (present) memory.fill(present, 0, bitsetBytes(writer.maxDoc));
  const output = writer.output;
  let status = outputOpen(output, ord, field.flags & FIELD_POSTINGS, terms, field.termBytes, side, norms);
  let next: u32 = 0;
  for (let record = records; record < at && status == 0; record += SORT_RECORD_BYTES) {
    const term = changetype<TermRecord>(<usize>load<u32>(record, 8));
    if (!flushPostings(writer, docMap, field.flags, term, present)) continue;
    term.ord = next++;
    status = outputEnd(output, changetype<usize>(term) + TERM_RECORD_BYTES, term.length);
  }
  if (status != 0) return status;
  return outputFinish(output, present ? bitsetCount(present, writer.maxDoc) : field.docCount);
}

/** Passes the live postings of a term to the output. False if there are none. */
function flushPostings(writer: SegmentWriter, docMap: usize, flags: u32, term: TermRecord, present: usize): bool {
  const output = writer.output, docs = changetype<SliceReader>(writer.readers), positions = changetype<SliceReader>(writer.readers + 16);
  sliceOpen(docs, term.docsHead);
  sliceOpen(positions, term.positionsHead);
  const hasFreqs = (flags & FIELD_FREQS) != 0, hasPositions = (flags & FIELD_POSITIONS) != 0, hasOffsets = (flags & FIELD_OFFSETS) != 0;
  let doc: u32 = 0, begun = false;
  for (let left = term.docFreq; left > 0; left--) {
    let freq: u32 = 1;
    if (left == 1) {
      doc = term.lastDoc;
      if (hasFreqs) freq = term.freq;
    } else if (hasFreqs) {
      const code = sliceVint(docs);
      doc += code >> 1;
      if (!(code & 1)) freq = sliceVint(docs);
    } else doc += sliceVint(docs);
    const docId = load<u32>(docMap + ((<usize>doc) << 2));
    const live = docId != NO_DOC;
    if (live) {
      if (!begun) outputBegin(output);
      begun = true;
      outputDoc(output, docId, freq);
      if (present) bitsetSet(present, docId);
    }
    if (!hasPositions) continue;
    let position: u32 = 0, start: u32 = 0, length: u32 = 0;
    for (let i: u32 = 0; i < freq; i++) {
      position += sliceVint(positions);
      if (hasOffsets) {
        start += sliceVint(positions);
        length = sliceVint(positions);
      }
      if (live) outputPosition(output, position, start, start + length);
    }
  }
  return begun;
}

function flushSystemColumn(buffer: Buffer, writer: SegmentWriter, docMap: usize, which: u32, ord: u32): i32 {
  const docs = regionAllocate(writer.scratch, <usize>writer.maxDoc << 2);
  const values = regionAllocate(writer.scratch, <usize>writer.maxDoc << 3);
  if (!docs || !values) return E_NO_SPACE;
  let count: u32 = 0;
  for (let doc: u32 = 0; doc < buffer.docCount; doc++) {
    const record = docRecord(buffer, doc);
    if (record.deleted) continue;
    store<u32>(docs + ((<usize>count) << 2), count);
    store<i64>(values + ((<usize>count) << 3), which == 0 ? record.seqNo : which == 1 ? record.version : record.primaryTerm);
    count++;
  }
  return segmentColumn(writer, ord, ColumnKind.I64, docs, values, count, false);
}

/** Bitsets of the root documents and of each nested path; none if no nested document remains. */
function flushNested(buffer: Buffer, writer: SegmentWriter, docMap: usize, firstOrd: u32): i32 {
  const image = writer.image, bytes = bitsetBytes(writer.maxDoc);
  if (writer.rootDocs == writer.maxDoc) return 0;
  for (let path: u32 = 0; path <= buffer.pathCount; path++) {
    if (bytes > imageFree(image)) return E_NO_SPACE;
    memory.fill(image.cur, 0, bytes);
    for (let doc: u32 = 0; doc < buffer.docCount; doc++) {
      const record = docRecord(buffer, doc);
      if (!record.deleted && record.path == path) bitsetSet(image.cur, load<u32>(docMap + ((<usize>doc) << 2)));
    }
    if (!imageSection(image, SectionKind.NESTED, path ? firstOrd + path - 1 : NO_FIELD, bytes)) return E_NO_SPACE;
  }
  return 0;
}

function flushIds(buffer: Buffer, writer: SegmentWriter, docMap: usize): i32 {
  const image = writer.image;
  let idBytes: u64 = 0;
  for (let doc: u32 = 0; doc < buffer.docCount; doc++) {
    const record = docRecord(buffer, doc);
    if (!record.deleted && record.id) idBytes += load<u32>(record.id);
  }
  const bytes = idTableOpen(image.cur, image.end, writer.rootDocs, writer.maxDoc, idBytes);
  if (!bytes) return E_NO_SPACE;
  for (let doc: u32 = 0; doc < buffer.docCount; doc++) {
    const record = docRecord(buffer, doc);
    if (record.deleted) continue;
    const docId = load<u32>(docMap + ((<usize>doc) << 2));
    if (record.id) idTableAdd(image.cur, docId, record.id + 4, load<u32>(record.id));
    else idTableAdd(image.cur, docId, 0, 0);
  }
  return imageSection(image, SectionKind.IDS, NO_FIELD, bytes) ? 0 : E_NO_SPACE;
}
