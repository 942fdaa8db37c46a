// Walks a term dictionary in order, term by term, in about 10 ns each; and in batches for the host.
import { FIELD_DOCS, FIELD_FREQS } from '../codec/field-flags';
import { readVint, readVlong, vintBytes, vlongBytes } from '../codec/vint';
import { BLOCK_LOG2, BLOCK_TERMS, TERM_STATE_BYTES, TermsHeader, TermState, blockTerms } from './dictionary';

/** State of a walk. The caller owns it and the buffer for the current term. */
// @ts-ignore: decorator
@unmanaged
export class TermsCursor {
  header: usize;
  /** Ordinal of the current term; termCount at the end. */
  ord: u32;
  docFreq: u32;
  totalTermFreq: u64;
  /** Address of the current term's postings, 0 without postings. */
  postingsPtr: usize;
  /** Buffer of at least longestTerm bytes that holds the current term. */
  termPtr: usize;
  termLen: u32;
  /** Next entry and next metadata in the block. */
  entry: usize;
  meta: usize;
  /** Ordinal of the next term. */
  next: u32;
}

export const TERMS_CURSOR_BYTES: usize = 64;

/** Places the cursor before the term `ord`; `cursorNext` moves onto it. `termPtr`: buffer of header.longestTerm bytes. */
export function cursorOpen(cursor: TermsCursor, headerPtr: usize, ord: u32, termPtr: usize): void {
  const header = changetype<TermsHeader>(headerPtr);
  cursor.header = headerPtr;
  cursor.termPtr = termPtr;
  cursor.termLen = 0;
  cursor.next = min(ord, header.termCount) & ~(BLOCK_TERMS - 1);
  while (cursor.next < min(ord, header.termCount)) cursorNext(cursor);
}

/** Moves to the next term. False at the end. */
export function cursorNext(cursor: TermsCursor): bool {
  const header = changetype<TermsHeader>(cursor.header);
  const ord = cursor.next;
  cursor.ord = ord;
  if (ord >= header.termCount) return false;
  const flags = header.flags;
  let cur = cursor.entry, meta = cursor.meta, shared: u32 = 0;
  if ((ord & (BLOCK_TERMS - 1)) == 0) {
    const start = cursor.header + load<u32>(cursor.header + header.blocksOff + ((<usize>(ord >> BLOCK_LOG2)) << 2));
    cur = start + 8;
    meta = start + load<u32>(start, 4);
    cursor.postingsPtr = flags & FIELD_DOCS ? cursor.header + header.postingsBase + load<u32>(start) : 0;
  } else {
    shared = readVint(cur);
    cur += vintBytes(shared);
  }
  const length = readVint(cur);
  cur += vintBytes(length);
  memory.copy(cursor.termPtr + shared, cur, length);
  cursor.termLen = shared + length;
  cursor.entry = cur + length;
  const docFreq = readVint(meta);
  meta += vintBytes(docFreq);
  let extra: u64 = 0;
  if (flags & FIELD_FREQS) {
    extra = readVlong(meta);
    meta += vlongBytes(extra);
  }
  if (flags & FIELD_DOCS) {
    const gap = readVint(meta);
    meta += vintBytes(gap);
    cursor.postingsPtr += gap;
  }
  cursor.docFreq = docFreq;
  cursor.totalTermFreq = <u64>docFreq + extra;
  cursor.meta = meta;
  cursor.next = ord + 1;
  return true;
}

/**
 * Writes the terms of ordinals [fromOrd, toOrd) to the output until it is full:
 *   ├ TermState with `length` │ bytes, padded to a multiple of 8 ┤ ···
 * Returns how many. Pre: the output has room for one record with the longest term, followed by TERMS_CURSOR_BYTES + longestTerm.
 */
export function termsWalk(ptr: usize, fromOrd: u32, toOrd: u32, outPtr: usize, outEnd: usize): u32 {
  const longest = <usize>changetype<TermsHeader>(ptr).longestTerm;
  const buffer = outEnd - ((longest + 7) & ~7);
  const cursor = changetype<TermsCursor>((buffer - TERMS_CURSOR_BYTES) & ~7);
  const limit = changetype<usize>(cursor);
  cursorOpen(cursor, ptr, fromOrd, buffer);
  let count: u32 = 0;
  while (cursor.next < toOrd && cursorNext(cursor)) {
    const bytes = TERM_STATE_BYTES + ((<usize>cursor.termLen + 7) & ~7);
    if (outPtr + bytes > limit) break;
    const state = changetype<TermState>(outPtr);
    state.ord = cursor.ord;
    state.docFreq = cursor.docFreq;
    state.totalTermFreq = <f64>cursor.totalTermFreq;
    state.ptr = <u32>cursor.postingsPtr;
    state.length = cursor.termLen;
    memory.copy(outPtr + TERM_STATE_BYTES, buffer, cursor.termLen);
    outPtr += bytes;
    count++;
  }
  return count;
}
