// Term node: documents of one term and their BM25 scores. Bounds: term-bounds.ts; pruning: term-prune.ts.
// The cursor moves freely, forwards and backwards by blocks, so that a window may be visited several times.

import {
  CURSOR_BYTES,
  cursorDocs,
  cursorFindBlock,
  cursorFreqs,
  cursorLoadDocs,
  cursorLoadFreqs,
  cursorOpen,
  cursorSeekBlock,
  cursorSetBlock,
  PostingsCursor,
} from '../postings/cursor';
import { NO_MORE_DOCS } from '../postings/format';
import { allocate, countScored, maxDoc } from './context';
import { TermNode } from './node';
import { bm25 } from './similarity';
import { clearBits, setBit, Window } from './window';

export function termOpen(node: TermNode): void {
  termOpenIn(node, allocate(CURSOR_BYTES));
}

/** Opens the term in a cursor of the caller: CURSOR_BYTES. */
export function termOpenIn(node: TermNode, cursor: usize): void {
  node.cursor = <u32>cursor;
  cursorOpen(cursor, <usize>node.record, node.docFreq, node.postingsFlags, <usize>node.positions);
  node.bound = -1;
  node.boundBlock = 0;
}

// @ts-ignore: decorator
@inline
export function termCursor(node: TermNode): PostingsCursor {
  return changetype<PostingsCursor>(<usize>node.cursor);
}

/** First document >= target, or a lower bound of it within its block; NO_MORE_DOCS if there is none. */
export function termNext(node: TermNode, target: u32): u32 {
  const c = termCursor(node);
  if (!cursorSeekBlock(c, target)) return NO_MORE_DOCS;
  if (c.bitsPtr) return max<u32>(target, c.base);
  cursorLoadDocs(c);
  const docs = cursorDocs(c);
  let j: usize = 0;
  while (load<u32>(docs + (j << 2), 60) < target) j += 16;
  while (load<u32>(docs + (j << 2)) < target) j++;
  return load<u32>(docs + (j << 2));
}

/** A lower bound of the first document >= target by the table of blocks alone; NO_MORE_DOCS if there is none. */
export function termNextBlock(node: TermNode, target: u32): u32 {
  const c = termCursor(node);
  if (c.block < c.blocks && target <= c.lastDoc && target >= c.base) return target;
  const b = cursorFindBlock(c, target, c.block);
  if (b >= c.blocks) return NO_MORE_DOCS;
  return b == 0 ? target : max<u32>(target, load<u32>(c.lastDocsPtr + ((<usize>b - 1) << 2)) + 1);
}

/** Matches in [from, to), as a list if the term is sparse. */
export function termWindow(node: TermNode, from: u32, to: u32, w: Window): void {
  if (node.docFreq > maxDoc >> 6) {
    w.isList = 0;
    clearBits(w.bits);
    termFill(node, from, to, w.bits);
    return;
  }
  w.isList = 1;
  w.count = 0;
  const c = termCursor(node);
  let out = w.docs;
  for (let more = cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    cursorLoadDocs(c);
    let at = cursorDocs(c);
    const end = at + ((<usize>c.count) << 2);
    while (at < end && load<u32>(at) < from) at += 4;
    for (; at < end; at += 4, out += 4) {
      const doc = load<u32>(at);
      if (doc >= to) break;
      store<u32>(out, doc);
    }
    if (c.lastDoc >= to) break;
  }
  w.count = <u32>((out - w.docs) >> 2);
}

// @ts-ignore: decorator
@inline
export function nextBlock(c: PostingsCursor): bool {
  cursorSetBlock(c, c.block + 1);
  return c.block < c.blocks;
}

/** Sets the bits of the matches in [from, to); bit 0 is `from`, a multiple of 64. */
export function termFill(node: TermNode, from: u32, to: u32, bits: usize): void {
  const c = termCursor(node);
  for (let more = cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    if (c.bitsPtr) {
      fillWords(c, from, to, bits);
    } else {
      cursorLoadDocs(c);
      let at = cursorDocs(c);
      const end = at + ((<usize>c.count) << 2);
      if (c.base < from) while (load<u32>(at) < from) at += 4;
      if (c.lastDoc < to) {
        for (; at < end; at += 4) setBit(bits, load<u32>(at) - from);
      } else {
        for (; load<u32>(at) < to; at += 4) setBit(bits, load<u32>(at) - from);
      }
    }
    if (c.lastDoc >= to) return;
  }
}

/** Merges the words of a bitset block, shifted, into the window's bits; cuts bits outside at word borders (the rest of the last word is unused). */
function fillWords(c: PostingsCursor, from: u32, to: u32, bits: usize): void {
  let at = c.bitsPtr;
  const end = at + ((<usize>c.bitWords) << 3);
  // The bit that bit 0 of the next word falls on; negative when the block begins before the window.
  let bit = <i32>(c.base - from);
  const endBit = <i32>(((to - from) + 63) & ~63);
  const shift = <u64>(bit & 63);
  while (bit <= -64) {
    at += 8;
    bit += 64;
  }
  let into = bits + (((<isize>bit) >> 6) << 3);
  if (bit < 0) {
    if (at >= end) return;
    store<u64>(bits, load<u64>(bits) | (load<u64>(at) >> (64 - shift)));
    at += 8;
    bit += 64;
    into += 8;
  }
  if (shift == 0) {
    for (; at < end && bit < endBit; at += 8, bit += 64, into += 8) store<u64>(into, load<u64>(into) | load<u64>(at));
    return;
  }
  for (; at < end && bit < endBit; at += 8, bit += 64, into += 8) {
    const word = load<u64>(at);
    store<u64>(into, load<u64>(into) | (word << shift));
    // The word after the window is padding.
    store<u64>(into, load<u64>(into, 8) | (word >> (64 - shift)), 8);
  }
}

/** Index of `doc` <= lastDoc in the current block, or -1. Bitset blocks only. */
// @ts-ignore: decorator
@inline
export function findInBits(c: PostingsCursor, doc: u32): i32 {
  const bit = doc - c.base;
  if (bit >= c.bitWords << 6) return -1;
  const wordPtr = c.bitsPtr + ((<usize>(bit >> 6)) << 3);
  const word = load<u64>(wordPtr);
  if (!((word >> bit) & 1)) return -1;
  let rank = popcnt<u64>(word & (((<u64>1) << bit) - 1));
  for (let at = c.bitsPtr; at < wordPtr; at += 8) rank += popcnt<u64>(load<u64>(at));
  return <i32>rank;
}

/** First multiple of 16 from j on whose 16 documents reach `doc` <= lastDoc; decoded blocks only. */
// @ts-ignore: decorator
@inline
export function skipTo(docs: usize, j: usize, doc: u32): usize {
  while (load<u32>(docs + (j << 2), 60) < doc) j += 16;
  return j;
}

/** Bit i set where docs[j + i] == doc, i < 16. */
// @ts-ignore: decorator
@inline
export function matchMask(docs: usize, j: usize, doc: u32): u32 {
  const at = docs + (j << 2);
  const same = i32x4.splat(<i32>doc);
  const low = i16x8.narrow_i32x4_s(i32x4.eq(v128.load(at), same), i32x4.eq(v128.load(at, 16), same));
  const high = i16x8.narrow_i32x4_s(i32x4.eq(v128.load(at, 32), same), i32x4.eq(v128.load(at, 48), same));
  return <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(low, high));
}

/** Keeps the documents of an ascending list that match; returns how many. */
export function termFilter(node: TermNode, docs: usize, count: u32): u32 {
  const c = termCursor(node);
  let out = docs;
  let at = docs;
  const end = docs + ((<usize>count) << 2);
  while (at < end) {
    if (!cursorSeekBlock(c, load<u32>(at))) break;
    const last = c.lastDoc;
    if (c.bitsPtr) {
      const base = c.base;
      const limit = c.bitWords << 6;
      for (; at < end; at += 4) {
        const doc = load<u32>(at);
        if (doc > last) break;
        const bit = doc - base;
        if (bit >= limit) continue;
        store<u32>(out, doc);
        out += <usize>((load<u64>(c.bitsPtr + ((<usize>(bit >> 6)) << 3)) >> bit) & 1) << 2;
      }
    } else {
      cursorLoadDocs(c);
      const block = cursorDocs(c);
      let j: usize = 0;
      for (; at < end; at += 4) {
        const doc = load<u32>(at);
        if (doc > last) break;
        j = skipTo(block, j, doc);
        store<u32>(out, doc);
        out += (<usize>(matchMask(block, j, doc) != 0)) << 2;
      }
    }
  }
  return <u32>((out - docs) >> 2);
}

// @ts-ignore: decorator
@inline
function scoreAt(node: TermNode, c: PostingsCursor, index: u32, doc: u32): f32 {
  const freq = <f32>load<u32>(cursorFreqs(c) + ((<usize>index) << 2));
  const norm = node.norms ? <usize>load<u8>(<usize>node.norms + doc) : 1;
  return bm25(node.weight, freq, load<f32>(<usize>node.normInverse + (norm << 2)));
}

/** Scores of documents that all match. */
export function termScore(node: TermNode, docs: usize, count: u32, scores: usize): void {
  if (!node.normInverse) {
    memory.fill(scores, 0, (<usize>count) << 2);
    return;
  }
  countScored(count);
  const c = termCursor(node);
  let at = docs;
  const end = docs + ((<usize>count) << 2);
  while (at < end) {
    if (!cursorSeekBlock(c, load<u32>(at))) break;
    const last = c.lastDoc;
    cursorLoadFreqs(c);
    if (c.bitsPtr) {
      for (; at < end; at += 4, scores += 4) {
        const doc = load<u32>(at);
        if (doc > last) break;
        store<f32>(scores, scoreAt(node, c, <u32>findInBits(c, doc), doc));
      }
    } else {
      cursorLoadDocs(c);
      const block = cursorDocs(c);
      let j: usize = 0;
      for (; at < end; at += 4, scores += 4) {
        const doc = load<u32>(at);
        if (doc > last) break;
        j = skipTo(block, j, doc);
        store<f32>(scores, scoreAt(node, c, <u32>j + ctz<u32>(matchMask(block, j, doc)), doc));
      }
    }
  }
}

/** Adds the scores of those documents of the list that match to sums f64[count]. */
export function termAddScores(node: TermNode, docs: usize, count: u32, sums: usize): void {
  if (!node.normInverse) return;
  const c = termCursor(node);
  let at = docs;
  const end = docs + ((<usize>count) << 2);
  let scored: u32 = 0;
  while (at < end) {
    if (!cursorSeekBlock(c, load<u32>(at))) break;
    const last = c.lastDoc;
    const bits = c.bitsPtr != 0;
    if (!bits) cursorLoadDocs(c);
    const block = cursorDocs(c);
    let j: usize = 0;
    for (; at < end; at += 4) {
      const doc = load<u32>(at);
      if (doc > last) break;
      let index: i32;
      if (bits) {
        index = findInBits(c, doc);
      } else {
        j = skipTo(block, j, doc);
        const mask = matchMask(block, j, doc);
        index = mask ? <i32>j + <i32>ctz<u32>(mask) : -1;
      }
      if (index < 0) continue;
      cursorLoadFreqs(c);
      scored++;
      const sum = sums + ((at - docs) << 1);
      store<f64>(sum, load<f64>(sum) + <f64>scoreAt(node, c, <u32>index, doc));
    }
  }
  countScored(scored);
}
