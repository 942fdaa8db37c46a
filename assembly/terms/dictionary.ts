// Term dictionary of one field: sorted terms, front-coded in blocks of 32; exact look-up, seek, ordinal to term, walk.
// The layout is specified in docs/internals/segment-format.md, "Term dictionary". Terms compare as unsigned bytes.
import { FIELD_DOCS, FIELD_FREQS } from '../codec/field-flags';
import { readVint, readVlong, vintBytes, vlongBytes } from '../codec/vint';

export const BLOCK_LOG2: u32 = 5;
export const BLOCK_TERMS: u32 = 32;
/** Longest term in bytes: Lucene's IndexWriter.MAX_TERM_LENGTH. */
export const MAX_TERM_BYTES: u32 = 32766;

// @ts-ignore: decorator
@unmanaged
export class TermsHeader {
  flags: u32;
  termCount: u32;
  blockCount: u32;
  /** Offset from the header: u32[blockCount], offset of each block from the header. */
  blocksOff: u32;
  /** Offset from the header: u64[blockCount], see `prefixOf`. */
  prefixesOff: u32;
  /** Distance from the header to the postings and positions sections, modulo 2^32. */
  postingsBase: u32;
  positionsBase: u32;
  docCount: u32;
  sumDocFreq: u64;
  sumTotalTermFreq: u64;
  longestTerm: u32;
  /** Distance from the header to the norms, modulo 2^32; 0: the field has none. */
  normsBase: u32;
  /** Bytes of all terms, not front-coded. */
  termBytes: u64;
}

export const TERMS_HEADER_BYTES: usize = 64;

/** Result of a look-up. */
// @ts-ignore: decorator
@unmanaged
export class TermState {
  ord: u32;
  docFreq: u32;
  totalTermFreq: f64;
  /** Address of the term's postings, 0 without postings. */
  ptr: u32;
  /** Bytes of the term; set by walks. */
  length: u32;
}

export const TERM_STATE_BYTES: usize = 24;

/** First eight bytes of a term as a big-endian number, zero padded: orders terms up to ties. Reads no byte outside the term. */
// @ts-ignore: decorator
@inline
export function prefixOf(ptr: usize, length: u32): u64 {
  if (length >= 8) return bswap<u64>(load<u64>(ptr));
  let prefix: u64 = 0;
  for (let i: u32 = 0; i < length; i++) prefix |= <u64>load<u8>(ptr + i) << (56 - (<u64>i << 3));
  return prefix;
}

/** < 0, 0, > 0 if a is before, equal to or after b. */
export function compareBytes(aPtr: usize, aLen: u32, bPtr: usize, bLen: u32): i32 {
  const common = min(aLen, bLen);
  let i: u32 = 0;
  for (; i + 8 <= common; i += 8) {
    const a = load<u64>(aPtr + i), b = load<u64>(bPtr + i);
    if (a != b) return bswap<u64>(a) < bswap<u64>(b) ? -1 : 1;
  }
  for (; i < common; i++) {
    const difference = <i32>load<u8>(aPtr + i) - <i32>load<u8>(bPtr + i);
    if (difference) return difference;
  }
  return aLen < bLen ? -1 : aLen > bLen ? 1 : 0;
}

// @ts-ignore: decorator
@inline
function blockPtr(header: TermsHeader, block: u32): usize {
  const base = changetype<usize>(header);
  return base + load<u32>(base + header.blocksOff + ((<usize>block) << 2));
}

/** Last block in [low, high) whose first term is <= the term; low - 1 if there is none. */
function findBlock(header: TermsHeader, termPtr: usize, termLen: u32, low: i32, high: i32): i32 {
  const prefixes = changetype<usize>(header) + header.prefixesOff;
  const prefix = prefixOf(termPtr, termLen);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = load<u64>(prefixes + ((<usize>middle) << 3));
    let after: bool;
    if (other != prefix) after = other > prefix;
    else {
      const first = blockPtr(header, middle) + 8, length = readVint(first);
      after = compareBytes(first + vintBytes(length), length, termPtr, termLen) > 0;
    }
    if (after) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/**
 * Index in `block` of the first term >= the term (the block's number of terms if there is none), shifted left by one; bit 0 is set if it is
 * equal. Works on the front-coded bytes: an entry that shares more bytes with its predecessor than the predecessor shares with the sought
 * term is still before it; one that shares fewer is after it.
 */
function findInBlock(header: TermsHeader, block: u32, termPtr: usize, termLen: u32): u32 {
  let cur = blockPtr(header, block) + 8;
  const count = blockTerms(header, block);
  let matched: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    let shared: u32 = 0;
    if (i) {
      shared = readVint(cur);
      cur += vintBytes(shared);
    }
    const length = readVint(cur);
    cur += vintBytes(length);
    const suffix = cur;
    cur += length;
    if (shared > matched) continue;
    if (shared < matched) return i << 1;
    const end = min(length, termLen - matched);
    let k: u32 = 0;
    while (k < end && load<u8>(suffix + k) == load<u8>(termPtr + matched + k)) k++;
    if (k == termLen - matched) return (i << 1) | (k == length ? 1 : 0);
    if (k < length && load<u8>(suffix + k) > load<u8>(termPtr + matched + k)) return i << 1;
    matched += k;
  }
  return count << 1;
}

// @ts-ignore: decorator
@inline
export function blockTerms(header: TermsHeader, block: u32): u32 {
  return min(BLOCK_TERMS, header.termCount - (block << BLOCK_LOG2));
}

/** Fills a state from the metadata of the term at `index` of `block`. */
function readState(header: TermsHeader, block: u32, index: u32, state: TermState): void {
  const start = blockPtr(header, block), flags = header.flags;
  let cur = start + load<u32>(start, 4);
  let postings = changetype<usize>(header) + header.postingsBase + load<u32>(start);
  for (let i: u32 = 0; ; i++) {
    const docFreq = readVint(cur);
    cur += vintBytes(docFreq);
    let extra: u64 = 0;
    if (flags & FIELD_FREQS) {
      extra = readVlong(cur);
      cur += vlongBytes(extra);
    }
    if (flags & FIELD_DOCS) {
      const gap = readVint(cur);
      cur += vintBytes(gap);
      postings += gap;
    }
    if (i == index) {
      state.ord = (block << BLOCK_LOG2) + index;
      state.docFreq = docFreq;
      state.totalTermFreq = <f64>(<u64>docFreq + extra);
      state.ptr = flags & FIELD_DOCS ? <u32>postings : 0;
      return;
    }
  }
}

/** 1 and the state if the dictionary contains the term, else 0. */
export function termsLookup(ptr: usize, termPtr: usize, termLen: u32, statePtr: usize): u32 {
  const header = changetype<TermsHeader>(ptr);
  const block = findBlock(header, termPtr, termLen, 0, header.blockCount);
  if (block < 0) return 0;
  const found = findInBlock(header, block, termPtr, termLen);
  if (!(found & 1)) return 0;
  readState(header, block, found >> 1, changetype<TermState>(statePtr));
  return 1;
}

/** Ordinal of the term if it is in one of the blocks [low, high), else -1. */
export function ordIn(header: TermsHeader, low: u32, high: u32, termPtr: usize, termLen: u32): i32 {
  const block = findBlock(header, termPtr, termLen, low, high);
  if (block < <i32>low) return -1;
  const found = findInBlock(header, block, termPtr, termLen);
  return found & 1 ? (block << BLOCK_LOG2) + <i32>(found >> 1) : -1;
}

/** Ordinal of the first term >= the term; termCount if there is none. */
export function termsSeek(ptr: usize, termPtr: usize, termLen: u32): u32 {
  const header = changetype<TermsHeader>(ptr);
  const block = findBlock(header, termPtr, termLen, 0, header.blockCount);
  return block < 0 ? 0 : (<u32>block << BLOCK_LOG2) + (findInBlock(header, block, termPtr, termLen) >> 1);
}

/** Copies the term with this ordinal to `outPtr` (room for longestTerm bytes). Returns its length. Pre: ord < termCount. */
export function termsTerm(ptr: usize, ord: u32, outPtr: usize): u32 {
  const header = changetype<TermsHeader>(ptr);
  assert(ord < header.termCount);
  let cur = blockPtr(header, ord >> BLOCK_LOG2) + 8;
  let total: u32 = 0;
  for (let i: u32 = 0; i <= (ord & (BLOCK_TERMS - 1)); i++) {
    let shared: u32 = 0;
    if (i) {
      shared = readVint(cur);
      cur += vintBytes(shared);
    }
    const length = readVint(cur);
    cur += vintBytes(length);
    memory.copy(outPtr + shared, cur, length);
    cur += length;
    total = shared + length;
  }
  return total;
}

/** State of the term with this ordinal. Pre: ord < termCount. */
export function termsState(ptr: usize, ord: u32, statePtr: usize): void {
  const header = changetype<TermsHeader>(ptr);
  assert(ord < header.termCount);
  readState(header, ord >> BLOCK_LOG2, ord & (BLOCK_TERMS - 1), changetype<TermState>(statePtr));
}
