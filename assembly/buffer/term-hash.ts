// Terms and postings of the open buffer: an open-addressing table per field from term bytes to TermRecord, postings in slice chains.
//   documents: ├ delta << 1 | (freq == 1) ┬ freq, if not 1 ┬ ··· ┤ with freqs, ├ delta ┬ ··· ┤ without
//   positions: per occurrence ├ position - last in the document ┬ with offsets: start - last start, end - start ┤
import { FIELD_FREQS, FIELD_OFFSETS, FIELD_POSITIONS } from '../codec/field-flags';
import { TOKEN_BYTES, Token } from '../analysis/token';
import { equalBytes, hashBytes } from '../codec/hash';
import { Region, regionAllocate, regionAllocateBlock, regionFree } from '../mem/region';
import { Buffer, Field, TERM_RECORD_BYTES, TermRecord } from './layout';
import { MAX_SLICE_BYTES, nextLevel, sliceAllocate, sliceEnd } from './slices';

const FIRST_SLOTS: u32 = 16;
/** Room that one occurrence of a term may take besides its record and bytes. */
const OCCURRENCE_BYTES: usize = 4 * MAX_SLICE_BYTES;

/**
 * Looks up all terms of a batch of tokens: `found` receives ├ hash u32 │ TermRecord address or 0 ┤ per token. Hashes, table entries and records are
 * loaded in separate loops, whose cache misses overlap: indexing 250 k documents took 6.5 s of CPU without, 5.6 s with it.
 */
export function findBatch(buffer: Buffer, field: Field, tokens: usize, count: u32, found: usize): void {
  const seed = buffer.hashSeed, table = field.table, mask = field.tableMask;
  let at = tokens, out = found;
  const end = found + (<usize>count << 3);
  for (; out < end; out += 8, at += TOKEN_BYTES) {
    const token = changetype<Token>(at);
    store<u64>(out, <u64>hashBytes(token.termPtr, token.termLen, seed));
  }
  if (!table) return;
  // The first entry of each term; if it is occupied, its record is loaded next.
  for (out = found; out < end; out += 8) store<u32>(out, load<u32>(table + ((<usize>(load<u32>(out) & mask)) << 3), 4), 4);
  for (out = found, at = tokens; out < end; out += 8, at += TOKEN_BYTES) {
    if (!load<u32>(out, 4)) continue;
    const token = changetype<Token>(at);
    store<u32>(out, <u32>changetype<usize>(probe(field, load<u32>(out), token.termPtr, token.termLen)), 4);
  }
}

// @ts-ignore: decorator
@inline
function probe(field: Field, hash: u32, ptr: usize, length: u32): TermRecord | null {
  const mask = field.tableMask;
  let slot = hash & mask;
  let entry = load<u64>(field.table + ((<usize>slot) << 3));
  while (entry != 0) {
    if (<u32>entry == hash) {
      const record = changetype<TermRecord>(<usize>(entry >> 32));
      if (record.length == length && equalBytes(changetype<usize>(record) + TERM_RECORD_BYTES, ptr, length)) return record;
    }
    slot = (slot + 1) & mask;
    entry = load<u64>(field.table + ((<usize>slot) << 3));
  }
  return null;
}

/** Whether the region has room for one more occurrence of a term of this length; marks it as failed otherwise. */
// @ts-ignore: decorator
@inline
export function hasRoom(region: Region, length: u32): bool {
  if (region.end - region.cur >= OCCURRENCE_BYTES + TERM_RECORD_BYTES + length + 16) return true;
  region.failed = 1;
  return false;
}

/** The record of a term, created if it is new; null with the region marked as failed if memory is full. Pre: hasRoom, length <= MAX_TERM_BYTES. */
export function findTerm(buffer: Buffer, region: Region, field: Field, ptr: usize, length: u32): TermRecord | null {
  return findHashed(region, field, ptr, length, hashBytes(ptr, length, buffer.hashSeed));
}

/** Like findTerm, with the hash from findBatch. */
export function findHashed(region: Region, field: Field, ptr: usize, length: u32, hash: u32): TermRecord | null {
  const known = field.table ? probe(field, hash, ptr, length) : null;
  return known ? known : insertTerm(region, field, ptr, length, hash);
}

function insertTerm(region: Region, field: Field, ptr: usize, length: u32, hash: u32): TermRecord | null {
  if ((field.table == 0 || field.termCount * 5 > field.tableMask * 3) && !growTable(region, field)) return null;
  let slot = hash & field.tableMask;
  while (load<u64>(field.table + ((<usize>slot) << 3))) slot = (slot + 1) & field.tableMask;
  const at = regionAllocate(region, TERM_RECORD_BYTES + length);
  if (!at) return null;
  memory.fill(at, 0, TERM_RECORD_BYTES);
  const record = changetype<TermRecord>(at);
  record.length = <u16>length;
  memory.copy(at + TERM_RECORD_BYTES, ptr, length);
  store<u64>(field.table + ((<usize>slot) << 3), <u64>hash | (<u64>at << 32));
  field.termCount++;
  field.termBytes += length;
  return record;
}

function growTable(region: Region, field: Field): bool {
  const oldSlots = field.table ? field.tableMask + 1 : 0;
  const slots = oldSlots ? oldSlots * 2 : FIRST_SLOTS;
  const table = regionAllocateBlock(region, (<usize>slots) << 3);
  // Growing a table may leave too little room for the current occurrence: check hasRoom again.
  if (!table || region.end - region.cur < OCCURRENCE_BYTES + TERM_RECORD_BYTES + 32768 + 16) {
    if (table) regionFree(region, table, (<usize>slots) << 3);
    region.failed = 1;
    return false;
  }
  memory.fill(table, 0, (<usize>slots) << 3);
  const mask = slots - 1, end = field.table + ((<usize>oldSlots) << 3);
  for (let entry = field.table; entry < end; entry += 8) {
    const at = load<u64>(entry);
    if (!at) continue;
    let slot = <u32>at & mask;
    while (load<u64>(table + ((<usize>slot) << 3))) slot = (slot + 1) & mask;
    store<u64>(table + ((<usize>slot) << 3), at);
  }
  regionFree(region, field.table, (<usize>oldSlots) << 3);
  field.table = table;
  field.tableMask = mask;
  return true;
}

/** Counts `freq` more occurrences of the term in `doc`. */
// @ts-ignore: decorator
@inline
export function addOccurrence(region: Region, field: Field, record: TermRecord, doc: u32, freq: u32): void {
  if (record.docFreq == 0 || record.lastDoc != doc) {
    if (record.docFreq) writePending(region, field, record);
    record.pendingDelta = doc - record.lastDoc;
    record.lastDoc = doc;
    record.freq = 0;
    record.docFreq++;
    record.lastPosition = 0;
    record.lastOffset = 0;
    field.sumDocFreq++;
  }
  record.freq += freq;
  record.totalTermFreq += freq;
}

/** Moves the posting of the newest document into the slices. */
function writePending(region: Region, field: Field, record: TermRecord): void {
  if (!record.docsHead) {
    record.docsHead = sliceAllocate(region, 0);
    record.docsCur = record.docsHead;
    record.docsEnd = sliceEnd(record.docsHead, 0);
  }
  if (field.flags & FIELD_FREQS) {
    const single = record.freq == 1;
    writeDocs(region, record, (record.pendingDelta << 1) | <u32>single);
    if (!single) writeDocs(region, record, record.freq);
  } else writeDocs(region, record, record.pendingDelta);
}

function writeDocs(region: Region, record: TermRecord, value: u32): void {
  for (;;) {
    if (record.docsCur == record.docsEnd) {
      record.docsLevel = <u8>nextLevel(record.docsLevel);
      const slice = sliceAllocate(region, record.docsLevel);
      store<u32>(record.docsEnd, <u32>slice);
      record.docsCur = slice;
      record.docsEnd = sliceEnd(slice, record.docsLevel);
    }
    if (value <= 0x7f) break;
    store<u8>(record.docsCur++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(record.docsCur++, <u8>value);
}

// @ts-ignore: decorator
@inline
function writePositions(region: Region, record: TermRecord, value: u32): void {
  while (value > 0x7f) {
    if (record.positionsCur == record.positionsEnd) growPositions(region, record);
    store<u8>(record.positionsCur++, <u8>(value | 0x80));
    value >>= 7;
  }
  if (record.positionsCur == record.positionsEnd) growPositions(region, record);
  store<u8>(record.positionsCur++, <u8>value);
}

function growPositions(region: Region, record: TermRecord): void {
  const level = record.positionsHead ? nextLevel(record.positionsLevel) : 0;
  record.positionsLevel = <u8>level;
  const slice = sliceAllocate(region, level);
  if (record.positionsHead) store<u32>(record.positionsEnd, <u32>slice);
  else record.positionsHead = slice;
  record.positionsCur = slice;
  record.positionsEnd = sliceEnd(slice, level);
}

/** Adds the position of an occurrence, after `addOccurrence` of the same document. Positions and start offsets do not decrease. */
// @ts-ignore: decorator
@inline
export function addPosition(region: Region, field: Field, record: TermRecord, position: u32, startOffset: u32, endOffset: u32): void {
  if (!(field.flags & FIELD_POSITIONS)) return;
  writePositions(region, record, position - record.lastPosition);
  record.lastPosition = position;
  if (!(field.flags & FIELD_OFFSETS)) return;
  const start = max(startOffset, record.lastOffset);
  writePositions(region, record, start - record.lastOffset);
  writePositions(region, record, max(endOffset, start) - start);
  record.lastOffset = start;
}
