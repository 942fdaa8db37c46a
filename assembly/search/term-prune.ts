// A term's documents that may still compete, block by block: for disjunctions, conjunctions and phrases that look for the best hits.

import { cursorDocs, cursorFreqAt, cursorFreqs, cursorLoadDocs, cursorLoadFreqs, cursorSeekBlock, PostingsCursor } from '../postings/cursor';
import { BLOCK_DOCS } from '../postings/format';
import { allocateTemp, countScored, releaseTemp, tempMark } from './context';
import { TermNode } from './node';
import { bm25, SLACK } from './similarity';
import { findInBits, matchMask, nextBlock, skipTo, termCursor } from './term';
import { boundOfBlock } from './term-bounds';
import { setBit, testBit } from './window';

/**
 * Documents of the current block in [from, to) that score more than `limit`, and their scores as f64; all of them without scores. Returns how
 * many. Writes up to 128 of each.
 */
export function termBlockAbove(node: TermNode, from: u32, to: u32, limit: f64, docs: usize, sums: usize): u32 {
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
  const least = leastPart(limit, weight);
  const first = docs;
  let kept = sums;
  for (; at < end; at += 4) {
    const doc = load<u32>(at);
    const part = <f32>load<u32>(at + freqs) * load<f32>(inverse + ((norms ? <usize>load<u8>(norms + doc) : 1) << 2));
    store<u32>(docs, doc);
    store<f32>(kept, part);
    const above = <usize>(part >= least);
    docs += above << 2;
    kept += above << 3;
  }
  // Most documents are dropped by now: only the others need a division.
  for (; sums < kept; sums += 8) store<f64>(sums, <f64>(weight - weight / (<f32>1 + load<f32>(sums))));
  const count = <u32>((docs - first) >> 2);
  countScored(count);
  return count;
}

/** Keeps the matches of an ascending list whose sum plus their score is more than `limit`; sums f64[count] are kept in parallel. Returns how many. */
export function termKeepAbove(node: TermNode, docs: usize, count: u32, sums: usize, limit: f64): u32 {
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
export function termBlockOften(node: TermNode, from: u32, to: u32, inverse: usize, least: f32, docs: usize): u32 {
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

/** Keeps the matches of an ascending list with freq * normInverse >= least; returns how many. */
export function termKeepOften(node: TermNode, docs: usize, count: u32, inverse: usize, least: f32): u32 {
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

/** Decodes the current block's documents, and its freqs if several documents from `at` on are in it: single freqs are extracted from the packed form. */
// @ts-ignore: decorator
@inline
function loadForMany(c: PostingsCursor, at: usize, end: usize): void {
  if (!c.bitsPtr) cursorLoadDocs(c);
  if (at + 16 < end && load<u32>(at, 16) <= c.lastDoc) cursorLoadFreqs(c);
}

/** Index of `doc` <= lastDoc in the current block, or -1; in a decoded block it is at or after j, which `skipTo` has found. */
// @ts-ignore: decorator
@inline
function indexInBlock(c: PostingsCursor, j: usize, doc: u32): i32 {
  if (c.bitsPtr) return findInBits(c, doc);
  const mask = matchMask(cursorDocs(c), j, doc);
  return mask ? <i32>j + <i32>ctz<u32>(mask) : -1;
}

/**
 * Adds the scores of matches in [from, to) to sums f64[WINDOW_DOCS] by docId - from, and sets their bits. Skips documents whose bits are not set
 * yet and which cannot score more than `minScore` with `others`, the bound of the clauses still to come: these cannot compete.
 */
export function termAccumulate(node: TermNode, from: u32, to: u32, bits: usize, sums: usize, others: f64, minScore: f32): void {
  const c = termCursor(node);
  const weight = node.weight;
  const norms = <usize>node.norms;
  const inverse = <usize>node.normInverse;
  const least = leastPart(<f64>minScore / SLACK - others * SLACK, weight);
  const mark = tempMark();
  const some = allocateTemp(BLOCK_DOCS * 8);
  for (let more = cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    const hopeless = c.impactOffsPtr && <f32>((<f64>boundOfBlock(node, c, c.block, weight, inverse) + others) * SLACK) <= minScore;
    if (hopeless && !anyBit(bits, max<u32>(c.base, from) - from, min<u32>(c.lastDoc, to - 1) - from)) {
      if (c.lastDoc >= to) break;
      continue;
    }
    cursorLoadDocs(c);
    cursorLoadFreqs(c);
    let at = cursorDocs(c);
    let end = at + ((<usize>c.count) << 2);
    const freqsOff = cursorFreqs(c) - at;
    if (c.base < from) while (load<u32>(at) < from) at += 4;
    if (c.lastDoc >= to) while (end > at && load<u32>(end - 4) >= to) end -= 4;
    countScored(<u32>((end - at) >> 2));
    // Most documents of a block are ruled out by freq and norm: only the scores of the others are computed.
    let kept = some;
    for (; at < end; at += 4) {
      const doc = load<u32>(at);
      const part = <f32>load<u32>(at + freqsOff) * load<f32>(inverse + ((norms ? <usize>load<u8>(norms + doc) : 1) << 2));
      store<u32>(kept, doc - from);
      store<f32>(kept, part, BLOCK_DOCS * 4);
      kept += (<usize>(<u32>(part >= least) | <u32>testBit(bits, doc - from))) << 2;
    }
    for (let p = some; p < kept; p += 4) {
      const bit = load<u32>(p);
      const sum = sums + ((<usize>bit) << 3);
      store<f64>(sum, load<f64>(sum) + <f64>(weight - weight / (<f32>1 + load<f32>(p, BLOCK_DOCS * 4))));
      setBit(bits, bit);
    }
    if (c.lastDoc >= to) break;
  }
  releaseTemp(mark);
}

/** Whether a bit in [from, to] is set; other bits in the first and the last word may count, too. */
function anyBit(bits: usize, from: u32, to: u32): bool {
  const end = bits + ((<usize>(to >> 6)) << 3);
  for (let at = bits + ((<usize>(from >> 6)) << 3); at <= end; at += 8) if (load<u64>(at)) return true;
  return false;
}

/** Least freq * normInverse of a document that scores more than `limit`; a little less, for rounding. */
// @ts-ignore: decorator
@inline
function leastPart(limit: f64, weight: f32): f32 {
  if (!(limit > 0)) return -1;
  return limit >= <f64>weight ? f32.MAX_VALUE : <f32>((limit / (<f64>weight - limit)) * 0.99999);
}
