// Writes a term dictionary section, fed with terms in ascending order. The layout is specified in docs/internals/segment-format.md.
//   section: ├ header ┬ blocks ··· ┬ block offsets u32[] ┬ prefixes u64[] ┤
// Offsets and prefixes are collected in a side buffer of the caller until the end, because their number is not known earlier.
import { FIELD_DOCS, FIELD_FREQS } from '../codec/field-flags';
import { writeVint, writeVlong } from '../codec/vint';
import { E_NO_SPACE } from '../mem/status';
import { BLOCK_LOG2, BLOCK_TERMS, MAX_TERM_BYTES, TERMS_HEADER_BYTES, TermsHeader, prefixOf } from './dictionary';

// @ts-ignore: decorator
@unmanaged
export class TermsWriter {
  /** Section start; multiple of 64. */
  section: usize;
  cur: usize;
  end: usize;
  /** Side buffer: u64 prefix, u32 offset, u32 unused per block. */
  side: usize;
  /** Start of the block being written. */
  block: usize;
  /** Cursor in `meta`. */
  metaCur: usize;
  /** Offset of the last term's postings. */
  postings: u32;
  lastLen: u32;
}

const META_OFF: usize = 32;
/** Metadata of a block: 32 terms of at most 5 + 10 + 5 bytes. */
const META_BYTES: usize = 640;
const LAST_OFF: usize = META_OFF + META_BYTES;
export const TERMS_WRITER_BYTES: usize = LAST_OFF + 32768;
const SIDE_ENTRY: usize = 16;

/** Maximum size of the side buffer for `terms` terms. */
export function termsSideBytes(terms: u32): usize {
  return ((<usize>terms + BLOCK_TERMS - 1) >> BLOCK_LOG2) * SIDE_ENTRY;
}

/** Maximum size of a section of `terms` terms with `termBytes` bytes in total. */
export function termsBytesLimit(terms: u32, termBytes: u64): u64 {
  return <u64>TERMS_HEADER_BYTES + termBytes + <u64>terms * 30 + ((<u64>terms >> BLOCK_LOG2) + 1) * 24 + 1024 + MAX_TERM_BYTES;
}

/** Starts a section at `section` (multiple of 64). Returns 0 or E_NO_SPACE. */
export function writerOpen(writer: TermsWriter, section: usize, end: usize, side: usize, flags: u32): i32 {
  if (section + TERMS_HEADER_BYTES > end) return E_NO_SPACE;
  memory.fill(section, 0, TERMS_HEADER_BYTES);
  changetype<TermsHeader>(section).flags = flags;
  writer.section = section;
  writer.cur = section + TERMS_HEADER_BYTES;
  writer.end = end;
  writer.side = side;
  writer.postings = 0;
  writer.lastLen = 0;
  return 0;
}

/**
 * Adds a term that is above all before. `postingsOff`: where its postings start in their section, not descending; 0 without postings.
 * Returns 0 or E_NO_SPACE.
 */
export function writerAdd(writer: TermsWriter, termPtr: usize, termLen: u32, docFreq: u32, totalTermFreq: u64, postingsOff: u32): i32 {
  const header = changetype<TermsHeader>(writer.section);
  if (writer.end - writer.cur < <usize>termLen + META_BYTES + 64) return E_NO_SPACE;
  const last = changetype<usize>(writer) + LAST_OFF;
  let cur = writer.cur, shared: u32 = 0;
  if ((header.termCount & (BLOCK_TERMS - 1)) == 0) {
    finishBlock(writer);
    cur = writer.cur;
    writer.block = cur;
    writer.metaCur = changetype<usize>(writer) + META_OFF;
    const side = writer.side + <usize>header.blockCount * SIDE_ENTRY;
    header.blockCount++;
    store<u64>(side, prefixOf(termPtr, termLen));
    store<u32>(side, <u32>(cur - writer.section), 8);
    store<u32>(cur, postingsOff);
    writer.postings = postingsOff;
    cur += 8;
  } else {
    const limit = min(termLen, writer.lastLen);
    while (shared < limit && load<u8>(last + shared) == load<u8>(termPtr + shared)) shared++;
    cur = writeVint(cur, shared);
  }
  cur = writeVint(cur, termLen - shared);
  memory.copy(cur, termPtr + shared, termLen - shared);
  writer.cur = cur + (termLen - shared);
  memory.copy(last + shared, termPtr + shared, termLen - shared);
  writer.lastLen = termLen;

  let meta = writeVint(writer.metaCur, docFreq);
  if (header.flags & FIELD_FREQS) meta = writeVlong(meta, totalTermFreq - docFreq);
  if (header.flags & FIELD_DOCS) meta = writeVint(meta, postingsOff - writer.postings);
  writer.metaCur = meta;
  writer.postings = postingsOff;
  header.termCount++;
  header.sumDocFreq += docFreq;
  header.sumTotalTermFreq += totalTermFreq;
  header.termBytes += termLen;
  header.longestTerm = max(header.longestTerm, termLen);
  return 0;
}

/** Appends the metadata to the terms of the block. */
function finishBlock(writer: TermsWriter): void {
  if (changetype<TermsHeader>(writer.section).blockCount == 0) return;
  const meta = changetype<usize>(writer) + META_OFF;
  store<u32>(writer.block, <u32>(writer.cur - writer.block), 4);
  memory.copy(writer.cur, meta, writer.metaCur - meta);
  writer.cur += writer.metaCur - meta;
}

/** Finishes the section: its size in bytes, or 0 if it does not fit. The caller sets docCount and the distances to other sections. */
export function writerFinish(writer: TermsWriter): usize {
  const header = changetype<TermsHeader>(writer.section), blocks = <usize>header.blockCount;
  finishBlock(writer);
  const prefixes = (writer.cur + 7) & ~7, offsets = prefixes + (blocks << 3), end = offsets + (blocks << 2);
  if (end > writer.end) return 0;
  memory.fill(writer.cur, 0, prefixes - writer.cur);
  header.prefixesOff = <u32>(prefixes - writer.section);
  header.blocksOff = <u32>(offsets - writer.section);
  for (let block: usize = 0; block < blocks; block++) {
    store<u64>(prefixes + (block << 3), load<u64>(writer.side + block * SIDE_ENTRY));
    store<u32>(offsets + (block << 2), load<u32>(writer.side + block * SIDE_ENTRY, 8));
  }
  return end - writer.section;
}
