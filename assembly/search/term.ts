// Term node: documents of one term, their BM25 scores, upper bounds from impacts.
//   a flags of the postings │ b docFreq │ c address of the record │ d address of the positions section │ norms, normInverse, weight
//   state: PostingsCursor. It moves freely, forwards and backwards by blocks, so that a window may be asked several times.

import {
  CURSOR_BYTES,
  cursorDocs,
  cursorFindBlock,
  cursorFreqAt,
  cursorFreqs,
  cursorGroups,
  cursorImpacts,
  cursorLoadDocs,
  cursorLoadFreqs,
  cursorOpen,
  cursorSeekBlock,
  cursorSetBlock,
  PostingsCursor,
} from '../postings/cursor';
import { GROUP_BLOCKS, NO_MORE_DOCS } from '../postings/format';
import { allocate, countScored, maxDoc } from './context';
import { clearBits, Node, setBit, Window } from './node';
import { bm25, boundOfImpacts, SLACK } from './similarity';

export function termOpen(node: Node): void {
  termOpenIn(node, allocate(CURSOR_BYTES));
}

/** Opens the term in a cursor of the caller's: CURSOR_BYTES. */
export function termOpenIn(node: Node, cursor: usize): void {
  node.state = <u32>cursor;
  cursorOpen(<usize>node.state, <usize>node.c, node.b, node.a, <usize>node.d);
  node.bound = -1;
  node.boundBlock = 0;
}

// @ts-ignore: decorator
@inline
export function termCursor(node: Node): PostingsCursor {
  return changetype<PostingsCursor>(<usize>node.state);
}

/** First document >= target, or a lower bound of it within its block; NO_MORE_DOCS if there is none. */
export function termNext(node: Node, target: u32): u32 {
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
export function termNextBlock(node: Node, target: u32): u32 {
  const c = termCursor(node);
  if (c.block < c.blocks && target <= c.lastDoc && target >= c.base) return target;
  const b = cursorFindBlock(c, target, c.block);
  if (b >= c.blocks) return NO_MORE_DOCS;
  return b == 0 ? target : max<u32>(target, load<u32>(c.lastDocsPtr + ((<usize>b - 1) << 2)) + 1);
}

/** Matches in [from, to). Sparse terms give a list. */
export function termWindow(node: Node, from: u32, to: u32, w: Window): void {
  if (node.b > maxDoc >> 6) {
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
export function termFill(node: Node, from: u32, to: u32, bits: usize): void {
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

/** Ors the words of a bitset block, shifted, into the window's; what lies outside is cut at word borders (the rest of the last word is free). */
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
    // The word behind the window is padding.
    store<u64>(into, load<u64>(into, 8) | (word >> (64 - shift)), 8);
  }
}

/** Index in the current block of `doc` <= lastDoc, or -1. Bitset blocks only. */
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
export function termFilter(node: Node, docs: usize, count: u32): u32 {
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
function scoreAt(node: Node, c: PostingsCursor, index: u32, doc: u32): f32 {
  const freq = <f32>load<u32>(cursorFreqs(c) + ((<usize>index) << 2));
  const norm = node.norms ? <usize>load<u8>(<usize>node.norms + doc) : 1;
  return bm25(node.weight, freq, load<f32>(<usize>node.normInverse + (norm << 2)));
}

/** Scores of documents that all match. */
export function termScore(node: Node, docs: usize, count: u32, scores: usize): void {
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
export function termAddScores(node: Node, docs: usize, count: u32, sums: usize): void {
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

/**
 * Documents of the current block in [from, to) that score more than `limit`, and their scores as f64; without scores all of them. Returns how
 * many. Writes up to 128 of each.
 */
export function termBlockAbove(node: Node, from: u32, to: u32, limit: f64, docs: usize, sums: usize): u32 {
  const c = termCursor(node);
  cursorLoadDocs(c);
  let at = cursorDocs(c);
  let end = at + ((<usize>c.count) << 2);
  while (load<u32>(at) < from) at += 4;
  while (end > at && load<u32>(end - 4) >= to) end -= 4;
  const weight = node.weight;
  if (!node.normInverse) {
    const count = <u32>((end - at) >> 2);
    memory.copy(docs, at, (<usize>count) << 2);
    memory.fill(sums, 0, (<usize>count) << 3);
    return limit < 0 ? count : 0;
  }
  if (limit >= <f64>weight) return 0;
  cursorLoadFreqs(c);
  const freqs = cursorFreqs(c) - cursorDocs(c);
  const norms = <usize>node.norms;
  const inverse = <usize>node.normInverse;
  // score > limit where freq * normInverse > limit / (weight - limit); a little less asked, for rounding.
  const least: f32 = limit > 0 ? <f32>((limit / (<f64>weight - limit)) * 0.99999) : -1;
  const first = docs;
  for (; at < end; at += 4) {
    const doc = load<u32>(at);
    const part = <f32>load<u32>(at + freqs) * load<f32>(inverse + ((norms ? <usize>load<u8>(norms + doc) : 1) << 2));
    store<u32>(docs, doc);
    store<f64>(sums, <f64>(weight - weight / (<f32>1 + part)));
    const above = <usize>(part >= least);
    docs += above << 2;
    sums += above << 3;
  }
  const count = <u32>((docs - first) >> 2);
  countScored(count);
  return count;
}

/** Keeps of an ascending list the matches whose sum with their score is more than `limit`; sums f64[count] go with them. Returns how many. */
export function termKeepAbove(node: Node, docs: usize, count: u32, sums: usize, limit: f64): u32 {
  const c = termCursor(node);
  const scored = node.normInverse != 0;
  const first = docs;
  let outSums = sums;
  let at = docs;
  const end = docs + ((<usize>count) << 2);
  while (at < end) {
    if (!cursorSeekBlock(c, load<u32>(at))) break;
    loadForMany(c, at, scored ? end : at);
    let j: usize = 0;
    for (; at < end; at += 4, sums += 8) {
      const doc = load<u32>(at);
      if (doc > c.lastDoc) break;
      if (!c.bitsPtr) j = skipTo(cursorDocs(c), j, doc);
      const index = indexInBlock(c, j, doc);
      if (index < 0) continue;
      let sum = load<f64>(sums);
      if (scored) {
        const norm = node.norms ? <usize>load<u8>(<usize>node.norms + doc) : 1;
        sum += <f64>bm25(node.weight, <f32>cursorFreqAt(c, <u32>index), load<f32>(<usize>node.normInverse + (norm << 2)));
      }
      if (sum <= limit) continue;
      store<u32>(docs, doc);
      store<f64>(outSums, sum);
      docs += 4;
      outSums += 8;
    }
  }
  return <u32>((docs - first) >> 2);
}

/** Documents of the current block in [from, to) with freq * normInverse >= least. Returns how many; writes up to 128. */
export function termBlockOften(node: Node, from: u32, to: u32, inverse: usize, least: f32, docs: usize): u32 {
  const c = termCursor(node);
  cursorLoadDocs(c);
  cursorLoadFreqs(c);
  let at = cursorDocs(c);
  let end = at + ((<usize>c.count) << 2);
  while (load<u32>(at) < from) at += 4;
  while (end > at && load<u32>(end - 4) >= to) end -= 4;
  const freqs = cursorFreqs(c) - cursorDocs(c);
  const norms = <usize>node.norms;
  const first = docs;
  for (; at < end; at += 4) {
    const doc = load<u32>(at);
    store<u32>(docs, doc);
    docs += (<usize>(<f32>load<u32>(at + freqs) * load<f32>(inverse + ((norms ? <usize>load<u8>(norms + doc) : 1) << 2)) >= least)) << 2;
  }
  return <u32>((docs - first) >> 2);
}

/** Keeps of an ascending list the matches with freq * normInverse >= least; returns how many. */
export function termKeepOften(node: Node, docs: usize, count: u32, inverse: usize, least: f32): u32 {
  const c = termCursor(node);
  const norms = <usize>node.norms;
  const first = docs;
  let at = docs;
  const end = docs + ((<usize>count) << 2);
  while (at < end) {
    if (!cursorSeekBlock(c, load<u32>(at))) break;
    loadForMany(c, at, end);
    let j: usize = 0;
    for (; at < end; at += 4) {
      const doc = load<u32>(at);
      if (doc > c.lastDoc) break;
      if (!c.bitsPtr) j = skipTo(cursorDocs(c), j, doc);
      const index = indexInBlock(c, j, doc);
      if (index < 0) continue;
      store<u32>(docs, doc);
      docs += (<usize>(<f32>cursorFreqAt(c, <u32>index) * load<f32>(inverse + ((norms ? <usize>load<u8>(norms + doc) : 1) << 2)) >= least)) << 2;
    }
  }
  return <u32>((docs - first) >> 2);
}

/** Decodes the current block's documents, and its freqs if several documents from `at` on are in it: single freqs are picked out packed. */
// @ts-ignore: decorator
@inline
function loadForMany(c: PostingsCursor, at: usize, end: usize): void {
  if (!c.bitsPtr) cursorLoadDocs(c);
  if (at + 16 < end && load<u32>(at, 16) <= c.lastDoc) cursorLoadFreqs(c);
}

/** Index of `doc` <= lastDoc in the current block, or -1; in a decoded one it is not before j, which `skipTo` has found. */
// @ts-ignore: decorator
@inline
function indexInBlock(c: PostingsCursor, j: usize, doc: u32): i32 {
  if (c.bitsPtr) return findInBits(c, doc);
  const mask = matchMask(cursorDocs(c), j, doc);
  return mask ? <i32>j + <i32>ctz<u32>(mask) : -1;
}

/**
 * Adds the scores of all matches in [from, to) to sums f64[WINDOW_DOCS] by docId - from, and sets their bits. Blocks whose documents cannot score
 * more than `minScore` even with `others` from all other clauses are left out: no document loses but such as cannot compete.
 */
export function termAccumulate(node: Node, from: u32, to: u32, bits: usize, sums: usize, others: f64, minScore: f32): void {
  const c = termCursor(node);
  const weight = node.weight;
  const norms = <usize>node.norms;
  const inverse = <usize>node.normInverse;
  for (let more = cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    if (c.impactOffsPtr && <f32>((<f64>boundOfBlock(node, c, c.block, weight, inverse) + others) * SLACK) <= minScore) {
      if (c.lastDoc >= to) return;
      continue;
    }
    if (c.bitsPtr) fillWords(c, from, to, bits);
    cursorLoadDocs(c);
    cursorLoadFreqs(c);
    const setsBits = !c.bitsPtr;
    let at = cursorDocs(c);
    const end = at + ((<usize>c.count) << 2);
    const freqsOff = cursorFreqs(c) - at;
    if (c.base < from) while (load<u32>(at) < from) at += 4;
    for (; at < end; at += 4) {
      const doc = load<u32>(at);
      if (doc >= to) break;
      const norm = norms ? <usize>load<u8>(norms + doc) : 1;
      const score = bm25(weight, <f32>load<u32>(at + freqsOff), load<f32>(inverse + (norm << 2)));
      const bit = doc - from;
      const sum = sums + ((<usize>bit) << 3);
      store<f64>(sum, load<f64>(sum) + <f64>score);
      if (setsBits) setBit(bits, bit);
    }
    countScored(c.count);
    if (c.lastDoc >= to) return;
  }
}

/** Upper bound of the scores that the impacts in [from, to) allow under this node's weight, or under another's (phrases). */
export function termBound(node: Node, from: u32, to: u32, weight: f32, normInverse: usize): f32 {
  const c = termCursor(node);
  if (!c.impactOffsPtr) return boundOfAll(node, c, weight, normInverse);
  let b = cursorFindBlock(c, from, node.boundBlock);
  node.boundBlock = b;
  if (b >= c.blocks) return 0;
  const last = min<u32>(cursorFindBlock(c, to - 1, b), c.blocks - 1);
  let bound: f32 = 0;
  if (last - b >= MANY_BLOCKS) {
    for (let g = b / GROUP_BLOCKS; g <= last / GROUP_BLOCKS; g++) bound = max<f32>(bound, boundOfBlock(node, c, c.blocks + g, weight, normInverse));
  } else {
    for (; b <= last; b++) bound = max<f32>(bound, boundOfBlock(node, c, b, weight, normInverse));
  }
  return bound;
}

/** `termBound` by groups of blocks: looser, and after the first few calls without a look at impacts. */
export function termGroupBound(node: Node, from: u32, to: u32): f32 {
  if (!node.normInverse) return 0;
  const c = termCursor(node);
  const inverse = <usize>node.normInverse;
  if (!c.impactOffsPtr) return boundOfAll(node, c, node.weight, inverse);
  const first = cursorFindBlock(c, from, node.boundBlock);
  node.boundBlock = first;
  if (first >= c.blocks) return 0;
  const last = min<u32>(cursorFindBlock(c, to - 1, first), c.blocks - 1);
  let bound: f32 = 0;
  for (let g = first / GROUP_BLOCKS; g <= last / GROUP_BLOCKS; g++) bound = max<f32>(bound, boundOfBlock(node, c, c.blocks + g, node.weight, inverse));
  return bound;
}

/** Upper bound of the scores in the current block. */
export function termBlockBound(node: Node): f32 {
  if (!node.normInverse) return 0;
  const c = termCursor(node);
  return c.impactOffsPtr ? boundOfBlock(node, c, c.block, node.weight, <usize>node.normInverse) : boundOfAll(node, c, node.weight, <usize>node.normInverse);
}

/** From so many blocks on a window's bound is that of their groups. */
const MANY_BLOCKS: u32 = 8;

/** Bound of a block, or of group g as entry blocks + g; computed once per query. */
function boundOfBlock(node: Node, c: PostingsCursor, entry: u32, weight: f32, normInverse: usize): f32 {
  if (!node.f) {
    const bytes = (<usize>c.blocks + cursorGroups(c)) << 2;
    node.f = <u32>allocate(bytes);
    memory.fill(<usize>node.f, 0xff, bytes);
  }
  const at = <usize>node.f + ((<usize>entry) << 2);
  let bound = load<f32>(at);
  if (bound == bound) return bound;
  bound = boundOfImpacts(cursorImpacts(c, entry), weight, normInverse);
  store<f32>(at, bound);
  return bound;
}

/** Bound of a record without impacts: of a short one the best score, else that of freq 1 and the only norm. */
function boundOfAll(node: Node, c: PostingsCursor, weight: f32, normInverse: usize): f32 {
  if (node.bound >= 0) return node.bound;
  if (c.blocks > 1 || !c.docsReady) {
    node.bound = bm25(weight, 1, load<f32>(normInverse, 4));
    return node.bound;
  }
  let most: f32 = 0;
  const docs = cursorDocs(c);
  const freqs = cursorFreqs(c);
  // Not c.count, which is 0 when the cursor is at its end.
  for (let i: usize = 0, end = (<usize>c.docFreq) << 2; i < end; i += 4) {
    const norm = node.norms ? <usize>load<u8>(<usize>node.norms + load<u32>(docs + i)) : 1;
    most = max<f32>(most, <f32>load<u32>(freqs + i) * load<f32>(normInverse + (norm << 2)));
  }
  node.bound = weight - weight / (<f32>1 + most);
  return node.bound;
}

/** Adds to sums f64[count] for each document of an ascending list the bound of the block that it is or would be in. */
export function termAddBounds(node: Node, docs: usize, count: u32, sums: usize): void {
  const c = termCursor(node);
  const inverse = <usize>node.normInverse;
  if (!inverse) return;
  if (!c.impactOffsPtr) {
    const bound = <f64>boundOfAll(node, c, node.weight, inverse);
    for (const end = sums + ((<usize>count) << 3); sums < end; sums += 8) store<f64>(sums, load<f64>(sums) + bound);
    return;
  }
  let b = node.boundBlock;
  let last: u32 = 0;
  let bound: f64 = 0;
  let known = false;
  for (let at = docs, end = docs + ((<usize>count) << 2); at < end; at += 4, sums += 8) {
    const doc = load<u32>(at);
    if (!known || doc > last) {
      b = cursorFindBlock(c, doc, b);
      if (b >= c.blocks) return;
      known = true;
      last = load<u32>(c.lastDocsPtr + ((<usize>b) << 2));
      bound = <f64>boundOfBlock(node, c, b, node.weight, inverse);
    }
    store<f64>(sums, load<f64>(sums) + bound);
  }
  node.boundBlock = b;
}
