// Nodes that are evaluated once for the whole segment, into a bitset over [0, maxDoc), when they are first asked.
//   BITSET    data: the bitset
//   ANY_TERM  children TERM nodes, opened one after the other in one cursor
//   NESTED    child: plan over nested documents │ data bitset of the path's documents │ c bitset of their parents
//             e score mode: 0 none, 1 avg, 2 sum, 3 min, 4 max │ scores of the parents in f: f32[maxDoc], where scores are wanted
// Afterwards `b` holds the bitset's address.

import { CURSOR_BYTES } from '../postings/cursor';
import { allocate, allocateTemp, maxDoc, releaseTemp, tempMark, WINDOW_DOCS } from './context';
import { nodeNext, nodeOpen, nodeScore, nodeWindow } from './evaluate';
import { filterByBitset, newWindow, Node, NODE_SCORES, nodeChild, OP_ANY_TERM, OP_BITSET, setBit, windowToList } from './node';
import { termFill, termOpenIn } from './term';
import { NO_MORE_DOCS } from '../postings/format';

export const NESTED_AVG: u32 = 1;
export const NESTED_SUM: u32 = 2;
export const NESTED_MIN: u32 = 3;

export function bitsetOf(node: Node): usize {
  if (node.op == OP_BITSET) return <usize>node.data;
  if (node.b) return <usize>node.b;
  const bytes = (((<usize>maxDoc) + 511) >> 9) << 6;
  const bitset = allocate(bytes + 16);
  memory.fill(bitset, 0, bytes + 16);
  node.b = <u32>bitset;
  if (node.op == OP_ANY_TERM) fillTerms(node, bitset);
  else joinChildren(node, bitset);
  return bitset;
}

function fillTerms(node: Node, bitset: usize): void {
  const mark = tempMark();
  const cursor = allocateTemp(CURSOR_BYTES);
  for (let i: u32 = 0; i < node.childCount; i++) {
    const term = nodeChild(node, i);
    termOpenIn(term, cursor);
    termFill(term, 0, maxDoc, bitset);
  }
  releaseTemp(mark);
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

function joinChildren(node: Node, bitset: usize): void {
  const child = nodeChild(node, 0);
  nodeOpen(child);
  const withScores = (node.flags & NODE_SCORES) != 0 && node.e != 0;
  if (withScores) node.f = <u32>allocate((<usize>maxDoc) << 2);
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
    w.count = filterByBitset(<usize>node.data, w.docs, w.count);
    if (withScores) nodeScore(child, w.docs, w.count, scores);
    for (let i: usize = 0, end = (<usize>w.count) << 2; i < end; i += 4) {
      const doc = load<u32>(w.docs + i);
      if (!known || doc > parent) {
        if (known && withScores) storeScore(node, parent, total, count);
        parent = parentOf(<usize>node.c, doc);
        if (parent == NO_MORE_DOCS) break;
        known = true;
        setBit(bitset, parent);
        count = 0;
        total = 0;
      }
      if (!withScores) continue;
      const score = <f64>load<f32>(scores + i);
      if (count == 0) total = score;
      else if (node.e <= NESTED_SUM) total += score;
      else total = node.e == NESTED_MIN ? min(total, score) : max(total, score);
      count++;
    }
    from = to;
  }
  if (known && withScores && parent != NO_MORE_DOCS) storeScore(node, parent, total, count);
  releaseTemp(mark);
}

function storeScore(node: Node, parent: u32, total: f64, count: u32): void {
  if (node.e == NESTED_AVG) total /= <f64>count;
  store<f32>(<usize>node.f + ((<usize>parent) << 2), <f32>total);
}

export function nestedScore(node: Node, docs: usize, count: u32, scores: usize): void {
  bitsetOf(node);
  for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
    store<f32>(scores + i, node.f ? load<f32>(<usize>node.f + ((<usize>load<u32>(docs + i)) << 2)) : 0);
  }
}
