// Cursor over one term's postings (format.ts): steps through documents, freqs and positions, or works on whole blocks.
//
//   cursorOpen(c, recordPtr, docFreq, flags, positionsPtr)         c: CURSOR_BYTES at a multiple of 16
//   while ((doc = cursorNext(c)) != NO_MORE_DOCS) {
//     freq = cursorFreq(c)
//     positions: cursor-positions.ts
//   }
//   cursorAdvance(c, target): first document >= target, never backwards. Documents whose positions are not read cost nothing.
//
// c is the address of the struct (changetype<PostingsCursor>(c) reads its fields); kernels below use the struct itself.
// Blocks: a cursor has a block b of c.blocks (a short record and a tail are one block each); `cursorSeekBlock` finds the block that contains the first
// document >= target by the table alone, `cursorLoadDocs` and `cursorLoadFreqs` decode it once into c's buffers.
// Pre:  bytes written by encoder.ts (sections are checksummed when they are opened). recordPtr = address of the section + offset in the dictionary.

import { FIELD_FREQS, FIELD_POSITIONS } from '../codec/field-flags';
import { unpack128, unpackSums128 } from '../codec/bit-packing';
import { readVint, vintBytes } from '../codec/vint';
import { BITSET_KIND, BLOCK_DOCS, GROUP_BLOCKS, NO_MORE_DOCS, hasImpacts } from './format';

// @ts-ignore: decorator
@unmanaged
export class PostingsCursor {
  recordPtr: usize;
  docFreq: u32;
  flags: u32;
  /** Address of the term's positions. */
  positionsPtr: usize;
  /** Number of blocks. */
  blocks: u32;
  /** Columns of the table; for a short record lastDocsPtr points to `shortLast` and the others are 0. */
  lastDocsPtr: usize;
  blockOffsPtr: usize;
  positionOffsPtr: usize;
  impactOffsPtr: usize;
  shortLast: u32;

  /** Current block; `blocks` = after the last. */
  block: u32;
  /** Documents in it. */
  count: u32;
  /** Last document of it. */
  lastDoc: u32;
  /** First docId that may be in it. */
  base: u32;
  /** Words of the block's bitset, 0 if it is none; bit 0 is `base`. */
  bitsPtr: usize;
  bitWords: u32;
  freqsPtr: usize;
  docsReady: bool;
  freqsReady: bool;

  /** Index in the block of the current document, and the document. */
  index: u32;
  doc: u32;

  /** Positions: index in the block of a document, address of its first position, next byte to read. */
  positionsIndex: u32;
  positionsCur: usize;
  readCur: usize;
  position: u32;
  startOffset: u32;
  endOffset: u32;
}

const CURSOR_DOCS_OFF: usize = 128;
/** docs u32[128] and 16 words of padding: the last document of a short block is followed by 16 times NO_MORE_DOCS. */
const CURSOR_FREQS_OFF: usize = CURSOR_DOCS_OFF + 512 + 64;
export const CURSOR_BYTES: usize = CURSOR_FREQS_OFF + 512;

/** Blocks decoded by this instance since the counter was last cleared; for profiles. */
export let blocksDecoded: u32 = 0;

export function clearBlocksDecoded(): void {
  blocksDecoded = 0;
}

// @ts-ignore: decorator
@inline
export function cursorDocs(c: PostingsCursor): usize {
  return changetype<usize>(c) + CURSOR_DOCS_OFF;
}

// @ts-ignore: decorator
@inline
export function cursorFreqs(c: PostingsCursor): usize {
  return changetype<usize>(c) + CURSOR_FREQS_OFF;
}

/** Opens before the first document. `positionsPtr`: address of the field's positions section (any value without positions). */
export function cursorOpen(ptr: usize, recordPtr: usize, docFreq: u32, flags: u32, positionsPtr: usize): void {
  const c = changetype<PostingsCursor>(ptr);
  assert(docFreq > 0);
  c.recordPtr = recordPtr;
  c.docFreq = docFreq;
  c.flags = flags;
  padDocs(ptr + CURSOR_DOCS_OFF + 512);
  if (docFreq < BLOCK_DOCS) openShort(c);
  else openLong(c, positionsPtr);
  c.index = <u32>-1;
  c.doc = <u32>-1;
}

function openShort(c: PostingsCursor): void {
  c.blocks = 1;
  c.lastDocsPtr = changetype<usize>(c) + offsetof<PostingsCursor>('shortLast');
  c.blockOffsPtr = 0;
  c.positionOffsPtr = 0;
  c.impactOffsPtr = 0;
  c.block = 0;
  c.count = c.docFreq;
  c.base = 0;
  c.bitsPtr = 0;
  c.positionsPtr = readEntries(c, c.recordPtr, 0, c.docFreq);
  c.positionsCur = c.positionsPtr;
  c.positionsIndex = 0;
  c.shortLast = load<u32>(cursorDocs(c) + ((<usize>c.docFreq - 1) << 2));
  c.lastDoc = c.shortLast;
}

function openLong(c: PostingsCursor, positionsPtr: usize): void {
  const n = (c.docFreq + BLOCK_DOCS - 1) / BLOCK_DOCS;
  const bytes = (<usize>n) << 2;
  let table = c.recordPtr + load<u32>(c.recordPtr);
  c.blocks = n;
  c.lastDocsPtr = table;
  table += bytes;
  c.blockOffsPtr = table;
  table += bytes;
  c.positionsPtr = positionsPtr + load<u32>(c.recordPtr, 4);
  c.positionOffsPtr = 0;
  if (c.flags & FIELD_POSITIONS) {
    c.positionOffsPtr = table;
    table += bytes;
  }
  c.impactOffsPtr = hasImpacts(c.flags) ? table : 0;
  cursorSetBlock(c, 0);
}

/** Makes block `b` current without decoding it. b = c.blocks ends the cursor. */
export function cursorSetBlock(c: PostingsCursor, b: u32): void {
  c.block = b;
  c.index = <u32>-1;
  c.positionsIndex = 0;
  if (b >= c.blocks) {
    c.count = 0;
    c.lastDoc = NO_MORE_DOCS;
    c.doc = NO_MORE_DOCS;
    return;
  }
  if (!c.blockOffsPtr) {
    c.count = c.docFreq;
    c.lastDoc = c.shortLast;
    c.positionsCur = c.positionsPtr;
    return;
  }
  const at = (<usize>b) << 2;
  c.lastDoc = load<u32>(c.lastDocsPtr + at);
  c.base = b == 0 ? 0 : load<u32>(c.lastDocsPtr + at - 4) + 1;
  c.count = min<u32>(BLOCK_DOCS, c.docFreq - b * BLOCK_DOCS);
  c.docsReady = false;
  c.freqsReady = false;
  c.bitsPtr = 0;
  const blockPtr = c.recordPtr + load<u32>(c.blockOffsPtr + at);
  if (c.count == BLOCK_DOCS) {
    const kind = <u32>load<u8>(blockPtr);
    if (kind >= BITSET_KIND) {
      c.bitsPtr = blockPtr + 1;
      c.bitWords = kind - BITSET_KIND;
      c.freqsPtr = c.bitsPtr + ((<usize>c.bitWords) << 3);
    } else {
      c.freqsPtr = blockPtr + 1 + ((<usize>kind) << 4);
    }
  }
  if (c.positionOffsPtr) c.positionsCur = c.positionsPtr + load<u32>(c.positionOffsPtr + at);
}

/** Makes the block current that contains the first document >= target, forwards or backwards; returns false (and ends the cursor) if there is none. */
export function cursorSeekBlock(c: PostingsCursor, target: u32): bool {
  if (c.block < c.blocks && target <= c.lastDoc && (target >= c.base || c.block == 0)) return true;
  const b = cursorFindBlock(c, target, c.block);
  if (b != c.block) cursorSetBlock(c, b);
  return b < c.blocks;
}

/** First block whose last document is >= target (c.blocks if there is none), found by galloping from block `near`. */
export function cursorFindBlock(c: PostingsCursor, target: u32, near: u32): u32 {
  const n = c.blocks;
  const table = c.lastDocsPtr;
  let low: u32 = 0;
  let high: u32 = n;
  let step: u32 = 1;
  if (near < n && load<u32>(table + ((<usize>near) << 2)) < target) {
    low = near + 1;
    high = low;
    while (high < n && load<u32>(table + ((<usize>high) << 2)) < target) {
      low = high + 1;
      high += step;
      step <<= 1;
    }
    if (high > n) high = n;
  } else {
    high = min<u32>(near, n);
    while (high > 0 && load<u32>(table + ((<usize>high - 1) << 2)) >= target) {
      high--;
      if (high < step) {
        high = load<u32>(table) >= target ? 0 : high;
        break;
      }
      const lower = high - step;
      if (load<u32>(table + ((<usize>lower) << 2)) < target) {
        low = lower + 1;
        break;
      }
      high = lower;
      step <<= 1;
    }
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(table + ((<usize>middle) << 2)) < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Decodes the block's documents into the cursor's buffer. */
export function cursorLoadDocs(c: PostingsCursor): void {
  if (c.docsReady) return;
  c.docsReady = true;
  blocksDecoded++;
  const docs = cursorDocs(c);
  if (c.bitsPtr) {
    expandBits(c.bitsPtr, c.bitWords, c.base, docs);
  } else {
    const blockPtr = c.recordPtr + load<u32>(c.blockOffsPtr + ((<usize>c.block) << 2));
    const last = c.base == 0 ? 0 : c.base - 1;
    if (c.count == BLOCK_DOCS) unpackSums128(blockPtr + 1, docs, load<u8>(blockPtr), last);
    else readEntries(c, blockPtr, last, c.count);
  }
}

/** Decodes the block's freqs into the cursor's buffer: all 1 if the field has none. */
export function cursorLoadFreqs(c: PostingsCursor): void {
  if (c.freqsReady) return;
  if (c.count < BLOCK_DOCS) return cursorLoadDocs(c);
  c.freqsReady = true;
  let out = cursorFreqs(c);
  if (!(c.flags & FIELD_FREQS)) {
    const one = i32x4.splat(1);
    for (const end = out + 512; out < end; out += 16) v128.store(out, one);
    return;
  }
  const width = <u32>load<u8>(c.freqsPtr);
  let exceptions = <u32>load<u8>(c.freqsPtr, 1);
  let cur = unpack128(c.freqsPtr + 2, out, width, 1);
  for (; exceptions > 0; exceptions--) {
    const at = out + ((<usize>load<u8>(cur)) << 2);
    const high = readVint(cur + 1);
    store<u32>(at, load<u32>(at) + (high << width));
    cur += 1 + vintBytes(high);
  }
}

/** Freq of the document at `index` of the current block, without decoding the block's. */
export function cursorFreqAt(c: PostingsCursor, index: u32): u32 {
  const at = (<usize>index) << 2;
  if (c.count < BLOCK_DOCS) cursorLoadDocs(c);
  if (c.freqsReady) return load<u32>(cursorFreqs(c) + at);
  if (!(c.flags & FIELD_FREQS)) return 1;
  const width = <u32>load<u8>(c.freqsPtr);
  const packed = c.freqsPtr + 2;
  let freq: u32 = 0;
  if (width > 0) {
    // Lane index & 3, step index >> 2 of the 4 x 32 bit columns (codec/bit-packing.ts).
    const bit = (index >> 2) * width;
    const word = packed + ((<usize>(bit >> 5)) << 4) + ((<usize>(index & 3)) << 2);
    const pair = <u64>load<u32>(word) | ((<u64>load<u32>(word, 16)) << 32);
    freq = <u32>(pair >> (bit & 31)) & <u32>((<u64>1 << width) - 1);
  }
  let cur = packed + ((<usize>width) << 4);
  for (let exceptions = <u32>load<u8>(c.freqsPtr, 1); exceptions > 0; exceptions--) {
    const high = readVint(cur + 1);
    if (load<u8>(cur) == <u8>index) freq |= high << width;
    cur += 1 + vintBytes(high);
  }
  return freq + 1;
}

// @ts-ignore: decorator
@inline
function padDocs(at: usize): void {
  const none = i32x4.splat(<i32>NO_MORE_DOCS);
  v128.store(at, none);
  v128.store(at, none, 16);
  v128.store(at, none, 32);
  v128.store(at, none, 48);
}

/** Decodes `count` entries after `last` into both buffers; returns one past them. */
function readEntries(c: PostingsCursor, cur: usize, last: u32, count: u32): usize {
  let docs = cursorDocs(c);
  let freqs = cursorFreqs(c);
  const end = docs + ((<usize>count) << 2);
  const withFreqs = (c.flags & FIELD_FREQS) != 0;
  for (; docs < end; docs += 4, freqs += 4) {
    const entry = readVint(cur);
    cur += vintBytes(entry);
    let freq: u32 = 1;
    if (withFreqs) {
      last += entry >> 1;
      if (!(entry & 1)) {
        freq = readVint(cur);
        cur += vintBytes(freq);
      }
    } else {
      last += entry;
    }
    store<u32>(docs, last);
    store<u32>(freqs, freq);
  }
  padDocs(docs);
  c.docsReady = true;
  c.freqsReady = true;
  return cur;
}

/** Writes base + i for each set bit i of `words` u64 words; returns one past the last. */
function expandBits(bitsPtr: usize, words: u32, base: u32, out: usize): usize {
  for (const end = bitsPtr + ((<usize>words) << 3); bitsPtr < end; bitsPtr += 8, base += 64) {
    for (let word = load<u64>(bitsPtr); word != 0; word &= word - 1, out += 4) store<u32>(out, base + <u32>ctz<u64>(word));
  }
  return out;
}

/** Next document, or NO_MORE_DOCS. */
export function cursorNext(ptr: usize): u32 {
  const c = changetype<PostingsCursor>(ptr);
  if (c.block >= c.blocks) return NO_MORE_DOCS;
  let index = c.index + 1;
  if (index >= c.count) {
    cursorSetBlock(c, c.block + 1);
    if (c.block >= c.blocks) return NO_MORE_DOCS;
    index = 0;
  }
  cursorLoadDocs(c);
  c.index = index;
  c.doc = load<u32>(cursorDocs(c) + ((<usize>index) << 2));
  return c.doc;
}

/** First document >= target, or NO_MORE_DOCS; does not move if the current document qualifies. */
export function cursorAdvance(ptr: usize, target: u32): u32 {
  const c = changetype<PostingsCursor>(ptr);
  if (c.index != <u32>-1 && c.doc >= target) return c.doc;
  if (!cursorSeekBlock(c, target)) return NO_MORE_DOCS;
  cursorLoadDocs(c);
  c.index = indexOf(c, target);
  c.doc = load<u32>(cursorDocs(c) + ((<usize>c.index) << 2));
  return c.doc;
}

/** Index of the first document >= target in the decoded block, from the current index on; target <= c.lastDoc. */
function indexOf(c: PostingsCursor, target: u32): u32 {
  const docs = cursorDocs(c);
  let low: u32 = c.index == <u32>-1 ? 0 : c.index;
  let high: u32 = c.count - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(docs + ((<usize>middle) << 2)) < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Freq of the current document. */
export function cursorFreq(ptr: usize): u32 {
  const c = changetype<PostingsCursor>(ptr);
  cursorLoadFreqs(c);
  return load<u32>(cursorFreqs(c) + ((<usize>c.index) << 2));
}

/** Address of the impacts of block `b`, of group `blocks + g`, of the term `blocks + groups`; 0 if the record has none. */
export function cursorImpacts(c: PostingsCursor, entry: u32): usize {
  if (!c.impactOffsPtr) return 0;
  return c.recordPtr + load<u32>(c.impactOffsPtr + ((<usize>entry) << 2));
}

export function cursorGroups(c: PostingsCursor): u32 {
  return (c.blocks + GROUP_BLOCKS - 1) / GROUP_BLOCKS;
}
