// BOOL and DIS_MAX nodes.
// BOOL adds scores as Lucene's scorers do: must clauses as f64 rounded to f32, matching should clauses likewise, then the two in f32.
// Source: Lucene, BooleanScorerSupplier, ConjunctionScorer, ReqOptSumScorer, DisjunctionMaxScorer.

import { NO_MORE_DOCS } from '../postings/format';
import { allocateTemp, maxDoc, releaseTemp, tempMark, WINDOW_DOCS } from './context';
import { addFiltered, NO_BOUND, nodeAddScores, nodeBound, nodeFill, nodeFilter, nodeNext, nodeScore, nodeWindow } from './evaluate';
import { BoolNode, DisMaxNode, Node, nodeChild, OP_PHRASE, OP_TERM, TermNode } from './node';
import { SLACK } from './similarity';
import { termNextBlock } from './term';
import {
  andBits,
  andNotBits,
  clearBits,
  newWindow,
  setBit,
  Window,
  WINDOW_BITS_BYTES,
  WINDOW_DOCS_BYTES,
  WINDOW_SET_BYTES,
  windowToList,
} from './window';

export function unionNext(node: Node, first: u32, count: u32, target: u32): u32 {
  let next = NO_MORE_DOCS;
  for (let i = first; i < first + count && next > target; i++) next = min(next, nodeNext(nodeChild(node, i), target));
  return next;
}

/** Exact for the first required clause only: of the others only the blocks that may hold the document are looked up, and none is decoded. */
export function boolNext(node: BoolNode, target: u32): u32 {
  if (node.required == 0) return node.optional > 0 ? unionNext(node, 0, node.optional, target) : target;
  for (let i: u32 = 0; i < node.required; ) {
    const child = nodeChild(node, i);
    const next = i > 0 && child.op == OP_TERM ? termNextBlock(changetype<TermNode>(child), target) : nodeNext(child, target);
    if (next == NO_MORE_DOCS) return next;
    i = next > target && i > 0 ? 0 : i + 1;
    target = next;
  }
  if (node.minimumShouldMatch > 0 && node.optional > 0) return unionNext(node, node.required, node.optional, target);
  return target;
}

export function unionWindow(node: Node, first: u32, count: u32, from: u32, to: u32, w: Window): void {
  if (count == 1) return nodeWindow(nodeChild(node, first), from, to, w);
  w.isList = 0;
  clearBits(w.bits);
  for (let i = first; i < first + count; i++) nodeFill(nodeChild(node, i), from, to, w.bits);
}

/** Whether it is cheaper to compute the clause's bits than to test the documents one by one. */
function prefersBits(child: Node, count: u32): bool {
  if (child.op == OP_PHRASE) return false;
  // Its documents in a window on average, against the documents to be tested.
  return <u64>child.cost * <u64>WINDOW_DOCS < <u64>count * 4 * <u64>maxDoc && count > 64;
}

export function boolWindow(node: BoolNode, from: u32, to: u32, w: Window): void {
  const mark = tempMark();
  const required = node.required;
  const optional = node.optional;
  let first: u32 = 0;
  if (required > 0) {
    nodeWindow(nodeChild(node, 0), from, to, w);
    first = 1;
  } else if (optional > 0) {
    if (node.minimumShouldMatch <= 1) unionWindow(node, 0, optional, from, to, w);
    else atLeast(node, 0, optional, node.minimumShouldMatch, from, to, w);
  } else {
    w.isList = 0;
    clearBits(w.bits);
    for (let doc: u32 = 0; doc < to - from; doc++) setBit(w.bits, doc);
  }
  let bits: usize = 0;
  for (let i = first; i < required; i++) {
    const child = nodeChild(node, i);
    if (!w.isList && i + 1 <= required) {
      const count = countOf(w);
      if (count == 0) break;
      if (prefersBits(child, count)) {
        if (!bits) bits = allocateTemp(WINDOW_BITS_BYTES);
        clearBits(bits);
        nodeFill(child, from, to, bits);
        andBits(w.bits, bits);
        continue;
      }
      windowToList(w, from);
    }
    w.count = nodeFilter(child, w.docs, w.count);
    if (w.count == 0) break;
  }
  if (required > 0 && optional > 0 && node.minimumShouldMatch > 0) {
    windowToList(w, from);
    w.count = unionFilter(node, required, optional, node.minimumShouldMatch, w.docs, w.count);
  }
  for (let i: u32 = 0; i < node.prohibited; i++) {
    const child = nodeChild(node, required + optional + i);
    if (!w.isList) {
      if (!bits) bits = allocateTemp(WINDOW_BITS_BYTES);
      clearBits(bits);
      nodeFill(child, from, to, bits);
      andNotBits(w.bits, bits);
    } else if (w.count > 0) {
      w.count = exclude(child, w.docs, w.count);
    }
  }
  releaseTemp(mark);
}

function countOf(w: Window): u32 {
  let count: u64 = 0;
  for (let off: usize = 0; off < WINDOW_SET_BYTES; off += 8) count += popcnt<u64>(load<u64>(w.bits + off));
  return <u32>count;
}

/** Drops the documents that the child matches. */
function exclude(child: Node, docs: usize, count: u32): u32 {
  const mark = tempMark();
  const some = allocateTemp(WINDOW_DOCS_BYTES);
  memory.copy(some, docs, (<usize>count) << 2);
  const matched = nodeFilter(child, some, count);
  let kept = docs;
  let j: usize = 0;
  const matchedEnd = (<usize>matched) << 2;
  for (let at = docs, end = docs + ((<usize>count) << 2); at < end; at += 4) {
    const doc = load<u32>(at);
    if (j < matchedEnd && load<u32>(some + j) == doc) {
      j += 4;
      continue;
    }
    store<u32>(kept, doc);
    kept += 4;
  }
  releaseTemp(mark);
  return <u32>((kept - docs) >> 2);
}

/** Documents of the window that at least `least` of the children match. */
function atLeast(node: Node, first: u32, count: u32, least: u32, from: u32, to: u32, w: Window): void {
  w.isList = 0;
  clearBits(w.bits);
  if (least > count) return;
  const mark = tempMark();
  const seen = allocateTemp(WINDOW_DOCS * 2);
  const child = newWindow();
  memory.fill(seen, 0, WINDOW_DOCS * 2);
  for (let i = first; i < first + count; i++) {
    nodeWindow(nodeChild(node, i), from, to, child);
    windowToList(child, from);
    for (let at = child.docs, end = at + ((<usize>child.count) << 2); at < end; at += 4) {
      const bit = load<u32>(at) - from;
      const counter = seen + ((<usize>bit) << 1);
      const times = <u32>load<u16>(counter) + 1;
      store<u16>(counter, <u16>times);
      if (times == least) setBit(w.bits, bit);
    }
  }
  releaseTemp(mark);
}

/** Keeps the documents of the list that at least `least` of the children match. */
export function unionFilter(node: Node, first: u32, count: u32, least: u32, docs: usize, docCount: u32): u32 {
  if (count == 1 && least <= 1) return nodeFilter(nodeChild(node, first), docs, docCount);
  if (least > count || docCount == 0) return 0;
  const mark = tempMark();
  const from = load<u32>(docs) & ~(WINDOW_DOCS - 1);
  const seen = allocateTemp(WINDOW_DOCS * 2);
  const some = allocateTemp(WINDOW_DOCS_BYTES);
  memory.fill(seen, 0, WINDOW_DOCS * 2);
  for (let i = first; i < first + count; i++) {
    memory.copy(some, docs, (<usize>docCount) << 2);
    const matched = nodeFilter(nodeChild(node, i), some, docCount);
    for (let at = some, end = at + ((<usize>matched) << 2); at < end; at += 4) {
      const counter = seen + ((<usize>(load<u32>(at) - from)) << 1);
      store<u16>(counter, <u16>(<u32>load<u16>(counter) + 1));
    }
  }
  let kept = docs;
  for (let at = docs, end = docs + ((<usize>docCount) << 2); at < end; at += 4) {
    const doc = load<u32>(at);
    store<u32>(kept, doc);
    kept += (<usize>(<u32>load<u16>(seen + ((<usize>(doc - from)) << 1)) >= least)) << 2;
  }
  releaseTemp(mark);
  return <u32>((kept - docs) >> 2);
}

export function boolFilter(node: BoolNode, docs: usize, count: u32): u32 {
  for (let i: u32 = 0; i < node.required && count; i++) if (nodeChild(node, i).op == OP_TERM) count = nodeFilter(nodeChild(node, i), docs, count);
  return boolFilterRest(node, docs, count);
}

/** `boolFilter` of documents that have all required terms. */
export function boolFilterRest(node: BoolNode, docs: usize, count: u32): u32 {
  for (let i: u32 = 0; i < node.required && count; i++) if (nodeChild(node, i).op != OP_TERM) count = nodeFilter(nodeChild(node, i), docs, count);
  if (node.optional > 0 && (node.minimumShouldMatch > 0 || node.required == 0) && count) count = unionFilter(node, node.required, node.optional, max<u32>(node.minimumShouldMatch, 1), docs, count);
  for (let i: u32 = 0; i < node.prohibited && count; i++) count = exclude(nodeChild(node, node.required + node.optional + i), docs, count);
  return count;
}

/** Sums of the children's scores: f64[count] zeroed by this function. */
function sumAll(node: Node, first: u32, children: u32, docs: usize, count: u32, sums: usize, scores: usize): void {
  memory.fill(sums, 0, (<usize>count) << 3);
  for (let i = first; i < first + children; i++) {
    nodeScore(nodeChild(node, i), docs, count, scores);
    for (let j: usize = 0, end = (<usize>count) << 2; j < end; j += 4) {
      store<f64>(sums + (j << 1), load<f64>(sums + (j << 1)) + <f64>load<f32>(scores + j));
    }
  }
}

export function boolScore(node: BoolNode, docs: usize, count: u32, scores: usize): void {
  const firstScored = node.required + node.optional + node.prohibited;
  if (node.scored == 1 && node.optional == 0) return nodeScore(nodeChild(node, firstScored), docs, count, scores);
  const mark = tempMark();
  const sums = allocateTemp(((<usize>count) << 3) + 16);
  const bytes = (<usize>count) << 2;
  if (node.scored > 0) {
    sumAll(node, firstScored, node.scored, docs, count, sums, scores);
    for (let j: usize = 0; j < bytes; j += 4) store<f32>(scores + j, <f32>load<f64>(sums + (j << 1)));
  } else {
    memory.fill(scores, 0, bytes);
  }
  if (node.optional > 0) {
    memory.fill(sums, 0, (<usize>count) << 3);
    for (let i: u32 = 0; i < node.optional; i++) nodeAddScores(nodeChild(node, node.required + i), docs, count, sums);
    for (let j: usize = 0; j < bytes; j += 4) store<f32>(scores + j, load<f32>(scores + j) + <f32>load<f64>(sums + (j << 1)));
  }
  releaseTemp(mark);
}

export function boolAddScores(node: BoolNode, docs: usize, count: u32, sums: usize): void {
  addFiltered(node, docs, count, sums);
}

export function boolBound(node: BoolNode, from: u32, to: u32): f32 {
  const firstScored = node.required + node.optional + node.prohibited;
  let must: f64 = 0;
  for (let i: u32 = 0; i < node.scored; i++) must += <f64>nodeBound(nodeChild(node, firstScored + i), from, to);
  let should: f64 = 0;
  for (let i: u32 = 0; i < node.optional; i++) should += <f64>nodeBound(nodeChild(node, node.required + i), from, to);
  if (must >= <f64>NO_BOUND || should >= <f64>NO_BOUND) return NO_BOUND;
  return <f32>(must * SLACK) + <f32>(should * SLACK);
}

export function disMaxScore(node: DisMaxNode, docs: usize, count: u32, scores: usize): void {
  const mark = tempMark();
  const others = allocateTemp(((<usize>count) << 3) + 16);
  const one = allocateTemp(((<usize>count) << 3) + 16);
  const bytes = (<usize>count) << 2;
  memory.fill(scores, 0, bytes);
  memory.fill(others, 0, bytes << 1);
  for (let i: u32 = 0; i < node.childCount; i++) {
    memory.fill(one, 0, bytes << 1);
    nodeAddScores(nodeChild(node, i), docs, count, one);
    for (let j: usize = 0; j < bytes; j += 4) {
      const score = <f32>load<f64>(one + (j << 1));
      const best = load<f32>(scores + j);
      const other = others + (j << 1);
      if (score >= best) {
        store<f64>(other, load<f64>(other) + <f64>best);
        store<f32>(scores + j, score);
      } else {
        store<f64>(other, load<f64>(other) + <f64>score);
      }
    }
  }
  for (let j: usize = 0; j < bytes; j += 4) {
    store<f32>(scores + j, <f32>(<f64>load<f32>(scores + j) + load<f64>(others + (j << 1)) * <f64>node.tieBreaker));
  }
  releaseTemp(mark);
}

export function disMaxBound(node: DisMaxNode, from: u32, to: u32): f32 {
  let best: f64 = 0;
  let sum: f64 = 0;
  for (let i: u32 = 0; i < node.childCount; i++) {
    const bound = <f64>nodeBound(nodeChild(node, i), from, to);
    best = max(best, bound);
    sum += bound;
  }
  if (sum >= <f64>NO_BOUND) return NO_BOUND;
  // A little more than the sum, whose order of additions may differ from the scorer's.
  return <f32>((best + (sum - best) * <f64>node.tieBreaker) * 1.000001);
}
