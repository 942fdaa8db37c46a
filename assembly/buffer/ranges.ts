// Ranges of a large field's postings and positions (section kind 11): the records of consecutive terms, which a reader loads and verifies without
// the others. A term never spans two ranges.
//   section: PostingsRange x count; the first starts at the first term, each ends where the next one starts, the last at the end of its section
// A range starts with a term that follows RANGE_BYTES of the range before, or with one whose own record or positions are large, so that
// the terms before it can be read without it.
import { crc32c } from '../codec/crc32c';
import { BLOCK_DOCS } from '../postings/format';
import { PostingsEncoder } from '../postings/encoder';

/**
 * A smaller range loads faster and keeps less that nobody asked for in memory; each range is a row of a table that eviction walks
 * (src/arena/section-table.ts).
 */
export const RANGE_BYTES: u32 = 1 << 20;
const LARGE_BYTES: u32 = RANGE_BYTES >> 2;
export const RANGE_ENTRY_BYTES: usize = 20;

/** Offsets count from the start of the postings and the positions section; that of postings is a multiple of 4. */
// @ts-ignore: decorator
@unmanaged
export class PostingsRange {
  firstOrd: u32;
  postingsOff: u32;
  positionsOff: u32;
  /** CRC-32C of the range's bytes in either section. */
  postingsChecksum: u32;
  positionsChecksum: u32;
}

/** The ranges of the field that is being written. */
// @ts-ignore: decorator
@unmanaged
export class RangeList {
  /** PostingsRange[capacity]; when it is full, the last range takes the remaining terms. */
  entries: usize;
  capacity: u32;
  count: u32;
}

/** Ranges that `bytes` bytes of postings and positions can have. */
export function rangeCapacity(bytes: usize): u32 {
  return 16 + <u32>(bytes / (LARGE_BYTES >> 1));
}

export function rangesOpen(list: RangeList): void {
  list.count = 0;
  if (list.capacity) addRange(list, 0, 0, 0);
}

function addRange(list: RangeList, ord: u32, postingsOff: u32, positionsOff: u32): void {
  if (list.count == list.capacity) return;
  const range = entryAt(list, list.count++);
  range.firstOrd = ord;
  range.postingsOff = postingsOff;
  range.positionsOff = positionsOff;
}

// @ts-ignore: decorator
@inline
function entryAt(list: RangeList, i: u32): PostingsRange {
  return changetype<PostingsRange>(list.entries + <usize>i * RANGE_ENTRY_BYTES);
}

/** Before the term `ord`: starts a range if the last one is full, at an address where any record may start. */
// @ts-ignore: decorator
@inline
export function rangesBegin(list: RangeList, encoder: PostingsEncoder, ord: u32): void {
  const last = entryAt(list, list.count - 1);
  const postingsOff = <u32>(encoder.cur - encoder.outPtr), positionsOff = <u32>(encoder.positionsCur - encoder.positionsPtr);
  if (postingsOff - last.postingsOff >= RANGE_BYTES || positionsOff - last.positionsOff >= RANGE_BYTES) beginAligned(list, encoder, ord, positionsOff);
}

function beginAligned(list: RangeList, encoder: PostingsEncoder, ord: u32, positionsOff: u32): void {
  const start = (encoder.cur + 3) & ~3;
  if (start > encoder.outEnd) return;
  memory.fill(encoder.cur, 0, start - encoder.cur);
  encoder.cur = start;
  addRange(list, ord, <u32>(start - encoder.outPtr), positionsOff);
}

/** After the term `ord` is encoded: lets it start a range if it is large. */
// @ts-ignore: decorator
@inline
export function rangesEnd(list: RangeList, encoder: PostingsEncoder, ord: u32): void {
  if (encoder.docFreq < BLOCK_DOCS) return;
  const postingsBytes = <u32>(encoder.cur - encoder.outPtr) - encoder.termOff, positionsBytes = <u32>(encoder.positionsCur - encoder.termPositionsPtr);
  if (postingsBytes < LARGE_BYTES && positionsBytes < LARGE_BYTES) return;
  if (entryAt(list, list.count - 1).firstOrd == ord) return;
  addRange(list, ord, encoder.termOff, <u32>(encoder.termPositionsPtr - encoder.positionsPtr));
}

/** Writes the section at `at` from the field's complete sections, `positionsBytes` 0 without positions. Returns its size. */
export function rangesWrite(list: RangeList, at: usize, postings: usize, postingsBytes: usize, positions: usize, positionsBytes: usize): usize {
  for (let i: u32 = 0; i < list.count; i++) {
    const range = entryAt(list, i), isLast = i + 1 == list.count;
    const postingsEnd = isLast ? <u32>postingsBytes : entryAt(list, i + 1).postingsOff;
    const positionsEnd = isLast ? <u32>positionsBytes : entryAt(list, i + 1).positionsOff;
    range.postingsChecksum = crc32c(postings + range.postingsOff, postingsEnd - range.postingsOff, 0);
    range.positionsChecksum = crc32c(positions + range.positionsOff, positionsEnd - range.positionsOff, 0);
  }
  const bytes = <usize>list.count * RANGE_ENTRY_BYTES;
  memory.copy(at, list.entries, bytes);
  return bytes;
}
