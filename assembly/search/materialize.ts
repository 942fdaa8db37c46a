// Nodes that are evaluated into a bitset over [0, maxDoc) at their first use: for the whole segment at once, or, if a search probably needs only the
// first documents (context.ts, expectFewDocs), for these and later for all others.

import { FIELD_FREQS } from '../codec/field-flags';
import { readVint, vintBytes } from '../codec/vint';
import { CURSOR_BYTES } from '../postings/cursor';
import { BLOCK_DOCS, NO_MORE_DOCS } from '../postings/format';
import { cursorNext as nextTerm, cursorOpen as openTerms, TERMS_CURSOR_BYTES, TermsCursor } from '../terms/cursor';
import { TermsHeader } from '../terms/dictionary';
import { allocate, allocateTemp, docsAtFirst, maxDoc, releaseTemp, tempMark, WINDOW_DOCS } from './context';
import { nodeNext, nodeOpen, nodeScore, nodeWindow } from './evaluate';
import {
  AnyTermNode,
  MaterializedNode,
  NESTED_AVG,
  NESTED_MIN,
  NESTED_NONE,
  NESTED_SUM,
  NestedNode,
  NODE_SCORES,
  nodeChild,
  OP_ANY_TERM,
  OP_BITSET,
  OP_NESTED,
  OP_TERM_RANGE,
  TermNode,
  TermRangeNode,
} from './node';
import { termFill, termOpenIn } from './term';
import { filterByBitset, newWindow, setBit, windowToList } from './window';

/** The node's bitset, in which all documents below `to` are decided. */
export function bitsetOf(node: MaterializedNode, to: u32): usize {
  if (node.op == OP_BITSET || (node.bitset && node.decided >= to)) return <usize>node.bitset;
  if (!node.bitset) {
    const bytes = (((<usize>maxDoc) + 511) >> 9) << 6;
    const bitset = allocate(bytes + 16);
    memory.fill(bitset, 0, bytes + 16);
    node.bitset = <u32>bitset;
  }
  const from = node.decided;
  const isFirst = from == 0 && to <= docsAtFirst && docsAtFirst < maxDoc && node.op != OP_NESTED;
  node.decided = isFirst ? docsAtFirst : u32.MAX_VALUE;
  const end = isFirst ? docsAtFirst : maxDoc;
  if (node.op == OP_ANY_TERM) fillTerms(changetype<AnyTermNode>(node), from, end);
  else if (node.op == OP_TERM_RANGE) fillTermRange(changetype<TermRangeNode>(node), from, end);
  else joinChildren(changetype<NestedNode>(node), <usize>node.bitset);
  return <usize>node.bitset;
}

/** A lower bound of the first match >= target; NO_MORE_DOCS if there is none. */
export function nextInBitset(node: MaterializedNode, target: u32): u32 {
  // Whoever needs more than the documents at first asks for a window.
  if (node.bitset && node.op != OP_BITSET && node.decided <= target) return target;
  const bitset = bitsetOf(node, target + 1);
  const limit = node.op == OP_BITSET ? maxDoc : min(node.decided, maxDoc);
  const end = bitset + ((<usize>((limit + 63) >> 6)) << 3);
  let at = bitset + ((<usize>(target >> 6)) << 3);
  let word = load<u64>(at) & (~(<u64>0) << target);
  while (word == 0) {
    at += 8;
    if (at >= end) return limit < maxDoc ? limit : NO_MORE_DOCS;
    word = load<u64>(at);
  }
  return (<u32>(at - bitset) << 3) + <u32>ctz<u64>(word);
}

/** Scratch to set the bits of the documents [from, to) of many terms; `from` is a multiple of 64. */
// @ts-ignore: decorator
@unmanaged
class TermFill {
  flags: u32;
  from: u32;
  to: u32;
  bitset: usize;
  term: TermNode;
  cursor: usize;
}

function newTermFill(node: MaterializedNode, flags: u32, from: u32, to: u32): TermFill {
  const fill = changetype<TermFill>(allocateTemp(offsetof<TermFill>()));
  fill.flags = flags;
  fill.from = from;
  fill.to = to;
  fill.bitset = <usize>node.bitset;
  fill.term = changetype<TermNode>(allocateTemp(offsetof<TermNode>()));
  fill.cursor = allocateTemp(CURSOR_BYTES);
  return fill;
}

function fillTerms(node: AnyTermNode, from: u32, to: u32): void {
  const mark = tempMark();
  const fill = newTermFill(node, node.postingsFlags, from, to);
  for (let at = <usize>node.terms, end = at + ((<usize>node.termCount) << 3); at < end; at += 8) fillTerm(fill, load<u32>(at), load<u32>(at, 4));
  releaseTemp(mark);
}

function fillTermRange(node: TermRangeNode, from: u32, to: u32): void {
  const mark = tempMark();
  const fill = newTermFill(node, node.postingsFlags, from, to);
  const dictionary = <usize>node.dictionary;
  const walk = changetype<TermsCursor>(allocateTemp(TERMS_CURSOR_BYTES));
  openTerms(walk, dictionary, node.fromOrd, allocateTemp(<usize>changetype<TermsHeader>(dictionary).longestTerm + 16));
  for (let at = <usize>node.pieces; walk.next < node.toOrd; at += 8) {
    const end = load<u32>(at), shift = load<u32>(at, 4);
    while (walk.next < end && nextTerm(walk)) fillTerm(fill, <u32>walk.postingsPtr + shift, walk.docFreq);
  }
  releaseTemp(mark);
}

/** Sets the bits of a term's documents. Short records are decoded directly, others through a term node. */
function fillTerm(fill: TermFill, record: u32, docFreq: u32): void {
  const flags = fill.flags, from = fill.from, to = fill.to, bitset = fill.bitset;
  if (docFreq >= BLOCK_DOCS) {
    const term = fill.term;
    term.postingsFlags = flags;
    term.docFreq = docFreq;
    term.record = record;
    term.positions = 0;
    termOpenIn(term, fill.cursor);
    termFill(term, from, to, bitset + (from >> 3));
    return;
  }
  let cur = <usize>record;
  let doc: u32 = 0;
  for (; docFreq > 0; docFreq--) {
    const entry = readVint(cur);
    cur += vintBytes(entry);
    if (flags & FIELD_FREQS) {
      doc += entry >> 1;
      if (!(entry & 1)) cur += vintBytes(readVint(cur));
    } else {
      doc += entry;
    }
    if (doc >= to) return;
    if (doc >= from) setBit(bitset, doc);
  }
}

/** First parent >= doc. */
function parentOf(parents: usize, doc: u32): u32 {
  let at = parents + ((<usize>(doc >> 6)) << 3);
  const end = parents + ((<usize>((maxDoc + 63) >> 6)) << 3);
  let word = load<u64>(at) & (~(<u64>0) << doc);
  while (word == 0) {
    at += 8;
    if (at >= end) return NO_MORE_DOCS;
    word = load<u64>(at);
  }
  return (<u32>(at - parents) << 3) + <u32>ctz<u64>(word);
}

function joinChildren(node: NestedNode, bitset: usize): void {
  const child = nodeChild(node, 0);
  nodeOpen(child);
  const withScores = (node.flags & NODE_SCORES) != 0 && node.scoreMode != NESTED_NONE;
  if (withScores) node.parentScores = <u32>allocate((<usize>maxDoc) << 2);
  const mark = tempMark();
  const w = newWindow();
  const scores = withScores ? allocateTemp(WINDOW_DOCS * 4) : 0;
  let parent: u32 = 0;
  let known = false;
  let count: u32 = 0;
  let total: f64 = 0;
  for (let from = nodeNext(child, 0); from < maxDoc; from = nodeNext(child, from)) {
    from &= ~(WINDOW_DOCS - 1);
    const to = min(from + WINDOW_DOCS, maxDoc);
    nodeWindow(child, from, to, w);
    windowToList(w, from);
    w.count = filterByBitset(<usize>node.childDocs, w.docs, w.count);
    if (withScores) nodeScore(child, w.docs, w.count, scores);
    for (let i: usize = 0, end = (<usize>w.count) << 2; i < end; i += 4) {
      const doc = load<u32>(w.docs + i);
      if (!known || doc > parent) {
        if (known && withScores) storeScore(node, parent, total, count);
        parent = parentOf(<usize>node.parentDocs, doc);
        if (parent == NO_MORE_DOCS) break;
        known = true;
        setBit(bitset, parent);
        count = 0;
        total = 0;
      }
      if (!withScores) continue;
      const score = <f64>load<f32>(scores + i);
      if (count == 0) total = score;
      else if (node.scoreMode <= NESTED_SUM) total += score;
      else total = node.scoreMode == NESTED_MIN ? min(total, score) : max(total, score);
      count++;
    }
    from = to;
  }
  if (known && withScores && parent != NO_MORE_DOCS) storeScore(node, parent, total, count);
  releaseTemp(mark);
}

function storeScore(node: NestedNode, parent: u32, total: f64, count: u32): void {
  if (node.scoreMode == NESTED_AVG) total /= <f64>count;
  store<f32>(<usize>node.parentScores + ((<usize>parent) << 2), <f32>total);
}

export function nestedScore(node: NestedNode, docs: usize, count: u32, scores: usize): void {
  bitsetOf(node, maxDoc);
  for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
    store<f32>(scores + i, node.parentScores ? load<f32>(<usize>node.parentScores + ((<usize>load<u32>(docs + i)) << 2)) : 0);
  }
}
