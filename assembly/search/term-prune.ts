// A term's documents that may still compete, block by block: for disjunctions, conjunctions and phrases that look for the best hits.

import { cursorDocs, cursorFreqAt, cursorFreqs, cursorLoadDocs, cursorLoadFreqs, cursorSeekBlock, PostingsCursor } from '../postings/cursor';
import { countScored } from './context';
import { Node, setBit } from './node';
import { bm25, SLACK } from './similarity';
import { fillWords, findInBits, matchMask, nextBlock, skipTo, termCursor } from './term';
import { boundOfBlock } from './term-bounds';

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
