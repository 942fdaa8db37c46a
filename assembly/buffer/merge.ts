// Merges everything except the inverted index: document maps, norms, columns, binary values, nested bitsets, ids. The host drives it field by field
// (src/arena/merge.ts) and passes the addresses of the inputs' sections; everything is in one memory.
import { bitsetGet, bitsetSet } from '../codec/bitset';
import { COLUMN_DENSE, COLUMN_DIRECT, COLUMN_MULTI, Column, columnValue } from '../docvalues/column';
import { regionAllocate } from '../mem/region';
import { E_NO_SPACE } from '../mem/status';
import { idTableAdd, idTableGet, idTableOpen } from './id-table';
import { imageFinish, imageFree, imageSection } from './image';
import { NO_DOC } from './layout';
import { SegmentWriter, segmentColumn, segmentWriterOpen } from './segment-writer';

/** Address of a writer with an empty image in [at, end), 0 if there is no room. Arguments as for segmentWriterOpen. */
export function mergeOpen(at: usize, end: usize, scratchBytes: usize, fields: u32, maxDoc: u32, rootDocs: u32): usize {
  const writer = segmentWriterOpen(at, end, scratchBytes, fields, maxDoc);
  if (!writer) return 0;
  writer.maxDoc = maxDoc;
  writer.rootDocs = rootDocs;
  return changetype<usize>(writer);
}

/** Scratch of the writer, 0 if it is full; zeroed on request. */
export function mergeAllocate(writerPtr: usize, bytes: usize, zero: bool): usize {
  const ptr = regionAllocate(changetype<SegmentWriter>(writerPtr).scratch, bytes);
  if (ptr && zero) memory.fill(ptr, 0, bytes);
  return ptr;
}

export function mergeMark(writerPtr: usize): usize {
  return changetype<SegmentWriter>(writerPtr).scratch.cur;
}

export function mergeRelease(writerPtr: usize, mark: usize): void {
  changetype<SegmentWriter>(writerPtr).scratch.cur = mark;
}

/** First free byte of the image, for sections that the host writes. */
export function mergeCursor(writerPtr: usize): usize {
  return changetype<SegmentWriter>(writerPtr).image.cur;
}

/** Bytes left in the image. */
export function mergeFree(writerPtr: usize): usize {
  return imageFree(changetype<SegmentWriter>(writerPtr).image);
}

/** Registers a section that the host has written at `mergeCursor`. Returns 0 or E_NO_SPACE. */
export function mergeSection(writerPtr: usize, kind: u32, fieldOrd: u32, bytes: usize): i32 {
  return imageSection(changetype<SegmentWriter>(writerPtr).image, kind, fieldOrd, bytes) ? 0 : E_NO_SPACE;
}

/** Closes the image. Returns its size, 0 if there is no room; it starts at mergeImage. */
export function mergeFinish(writerPtr: usize): usize {
  const writer = changetype<SegmentWriter>(writerPtr);
  return imageFinish(writer.image, writer.maxDoc, writer.rootDocs);
}

export function mergeImage(writerPtr: usize): usize {
  return changetype<SegmentWriter>(writerPtr).image.start;
}

/** Fills docMap u32[maxDoc]: numbers live documents (`liveDocs` 0: all) from `first` on. Returns the next number. */
export function mergeDocMap(docMap: usize, maxDoc: u32, liveDocs: usize, first: u32): u32 {
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    const live = !liveDocs || bitsetGet(liveDocs, doc);
    store<u32>(docMap + ((<usize>doc) << 2), live ? first++ : NO_DOC);
  }
  return first;
}

/** Copies the norms of remaining documents to `to` u8[new maxDoc]. Returns how many of them have the field. */
export function mergeNorms(from: usize, maxDoc: u32, docMap: usize, to: usize): u32 {
  let count: u32 = 0;
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    const docId = load<u32>(docMap + ((<usize>doc) << 2));
    if (docId == NO_DOC) continue;
    const norm = load<u8>(from + doc);
    store<u8>(to + docId, norm);
    if (norm) count++;
  }
  return count;
}

/**
 * Appends the values of remaining documents to parallel arrays that contain `count` entries; ordinals are translated by `ordMap` (0: none).
 * Returns the new count.
 */
export function mergeCollect(columnPtr: usize, docMap: usize, ordMap: usize, docs: usize, values: usize, count: u32): u32 {
  const column = changetype<Column>(columnPtr), flags = column.flags;
  const presence = columnPtr + column.presenceOff, starts = columnPtr + column.startsOff;
  let rank: u32 = 0;
  for (let doc: u32 = 0; doc < column.maxDoc; doc++) {
    if (!(flags & COLUMN_DENSE) && !bitsetGet(presence, doc)) continue;
    const slot = flags & (COLUMN_DENSE | COLUMN_DIRECT) ? doc : rank++;
    const docId = load<u32>(docMap + ((<usize>doc) << 2));
    if (docId == NO_DOC) continue;
    let from = slot, to = slot + 1;
    if (flags & COLUMN_MULTI) {
      from = load<u32>(starts + ((<usize>slot) << 2));
      to = load<u32>(starts + ((<usize>slot) << 2), 4);
    }
    for (; from < to; from++, count++) {
      let value = columnValue(column, from);
      if (ordMap) value = <i64>load<u32>(ordMap + ((<usize>value) << 2));
      store<u32>(docs + ((<usize>count) << 2), docId);
      store<i64>(values + ((<usize>count) << 3), value);
    }
  }
  return count;
}

/** Writes the column of collected values. Returns 0 or E_NO_SPACE. */
export function mergeColumn(writerPtr: usize, fieldOrd: u32, kind: u32, docs: usize, values: usize, count: u32): i32 {
  return segmentColumn(changetype<SegmentWriter>(writerPtr), fieldOrd, kind, docs, values, count, false);
}

/** Counts in docFreqs u32[termCount] the remaining documents of each ordinal. */
export function mergeCountOrds(columnPtr: usize, docMap: usize, docFreqs: usize): void {
  const column = changetype<Column>(columnPtr), flags = column.flags;
  const presence = columnPtr + column.presenceOff, starts = columnPtr + column.startsOff;
  let rank: u32 = 0;
  for (let doc: u32 = 0; doc < column.maxDoc; doc++) {
    if (!(flags & COLUMN_DENSE) && !bitsetGet(presence, doc)) continue;
    const slot = flags & (COLUMN_DENSE | COLUMN_DIRECT) ? doc : rank++;
    if (load<u32>(docMap + ((<usize>doc) << 2)) == NO_DOC) continue;
    let from = slot, to = slot + 1;
    if (flags & COLUMN_MULTI) {
      from = load<u32>(starts + ((<usize>slot) << 2));
      to = load<u32>(starts + ((<usize>slot) << 2), 4);
    }
    for (; from < to; from++) {
      const at = docFreqs + ((<usize>columnValue(column, from)) << 2);
      store<u32>(at, load<u32>(at) + 1);
    }
  }
}

/**
 * Appends the binary values of one input (0: it lacks the field) to a binary section that grows at mergeCursor: offsets u32[new maxDoc + 1]
 * first. `used`: bytes of values so far. Returns their new number, or a negative status.
 */
export function mergeBinary(writerPtr: usize, from: usize, maxDoc: u32, docMap: usize, used: f64): f64 {
  const writer = changetype<SegmentWriter>(writerPtr), image = writer.image, start = image.cur;
  const offsetsBytes = (<usize>writer.maxDoc + 1) << 2;
  if (offsetsBytes > imageFree(image)) return <f64>E_NO_SPACE;
  let cur = start + offsetsBytes + <usize>used;
  store<u32>(start, 0);
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    const docId = load<u32>(docMap + ((<usize>doc) << 2));
    if (docId == NO_DOC) continue;
    if (from) {
      const at = from + ((<usize>doc) << 2), first = load<u32>(at), length = <usize>(load<u32>(at, 4) - first);
      if (cur > image.end || length > image.end - cur) return <f64>E_NO_SPACE;
      memory.copy(cur, from + ((<usize>maxDoc + 1) << 2) + first, length);
      cur += length;
    }
    store<u32>(start + ((<usize>docId) << 2), <u32>(cur - start - offsetsBytes), 4);
  }
  return <f64>(cur - start - offsetsBytes);
}

/** Sets in the bitset `to` the bits of remaining documents that are set in `from` (0: all). */
export function mergeBits(from: usize, maxDoc: u32, docMap: usize, to: usize): void {
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    if (from && !bitsetGet(from, doc)) continue;
    const docId = load<u32>(docMap + ((<usize>doc) << 2));
    if (docId != NO_DOC) bitsetSet(to, docId);
  }
}

/** Bytes of the ids of remaining documents. `outPtr`: 8 bytes of scratch. */
export function mergeIdBytes(ids: usize, maxDoc: u32, docMap: usize, outPtr: usize): f64 {
  let bytes: f64 = 0;
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    if (load<u32>(docMap + ((<usize>doc) << 2)) == NO_DOC) continue;
    idTableGet(ids, doc, outPtr);
    bytes += <f64>load<u32>(outPtr, 4);
  }
  return bytes;
}

/** Lays out the ids section at mergeCursor. Returns its size or 0. */
export function mergeIdsOpen(writerPtr: usize, idBytes: f64): usize {
  const writer = changetype<SegmentWriter>(writerPtr);
  return idTableOpen(writer.image.cur, writer.image.end, writer.rootDocs, writer.maxDoc, <u64>idBytes);
}

/** Adds the ids of one input's remaining documents. `outPtr`: 8 bytes of scratch. */
export function mergeIds(writerPtr: usize, ids: usize, maxDoc: u32, docMap: usize, outPtr: usize): void {
  const table = changetype<SegmentWriter>(writerPtr).image.cur;
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    const docId = load<u32>(docMap + ((<usize>doc) << 2));
    if (docId == NO_DOC) continue;
    idTableGet(ids, doc, outPtr);
    idTableAdd(table, docId, load<u32>(outPtr), load<u32>(outPtr, 4));
  }
}
