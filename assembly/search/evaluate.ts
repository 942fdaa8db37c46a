// The operations of every plan node, by op. Windows start at multiples of WINDOW_DOCS and may be visited in any order and more than once.
//   nodeOpen       lays out the node's state and its children's
//   nodeNext       a lower bound of the first match >= target; NO_MORE_DOCS: none
//   nodeWindow     the matches in [from, to), as bits or as a list
//   nodeFill       sets their bits
//   nodeFilter     keeps the matches of an ascending list (within one window) in place, returns how many
//   nodeScore      f32 scores of a list of matches
//   nodeAddScores  adds the scores of those documents of a list that match to f64 sums
//   nodeBound      upper bound of the scores in [from, to)
// Deleted documents match like others: the executor drops them.

import { NO_MORE_DOCS } from '../postings/format';
import {
  boolAddScores,
  boolBound,
  boolFilter,
  boolNext,
  boolScore,
  boolWindow,
  disMaxBound,
  disMaxScore,
  unionFilter,
  unionNext,
  unionWindow,
} from './boolean';
import { columnFill, columnFilter, columnNext } from './column-match';
import { allocateTemp, maxDoc, releaseTemp, tempMark, WINDOW_DOCS } from './context';
import { docsFill, docsFilter, docsNext, docsScore } from './doc-list';
import { bitsetOf, nestedScore, nextInBitset } from './materialize';
import {
  BoolNode,
  BoostNode,
  ConstantNode,
  DisMaxNode,
  DocsNode,
  MaterializedNode,
  NestedNode,
  Node,
  nodeChild,
  OP_ALL,
  OP_ANY_TERM,
  OP_BITSET,
  OP_BOOL,
  OP_BOOST,
  OP_CONSTANT,
  OP_DIS_MAX,
  OP_DOCS,
  OP_NESTED,
  OP_NONE,
  OP_PHRASE,
  OP_SYNONYM,
  OP_TERM,
  OP_TERM_RANGE,
  PhraseNode,
  SimilarityNode,
  TermNode,
} from './node';
import { phraseBound, phraseFilter, phraseNext, phraseOpen, phraseScore, phraseWindow } from './phrase';
import { synonymBound, synonymScore } from './synonym';
import { termAddScores, termFill, termFilter, termNext, termOpen, termScore, termWindow } from './term';
import { termBound } from './term-bounds';
import { clearBits, copyBits, filterByBitset, newWindow, orBits, orList, setBit, Window } from './window';

/** No bound is known. */
export const NO_BOUND: f32 = f32.MAX_VALUE;

// @ts-ignore: decorator
@inline
function isWrapper(op: u32): bool {
  return op == OP_CONSTANT || op == OP_BOOST;
}

/** Evaluated for many windows at once (materialize.ts). */
// @ts-ignore: decorator
@inline
function isMaterialized(op: u32): bool {
  return op == OP_BITSET || op == OP_ANY_TERM || op == OP_TERM_RANGE || op == OP_NESTED;
}

/** Whether all matches have the same score, so that the first ones are the best. */
export function hasOneScore(node: Node): bool {
  const op = node.op;
  if (op == OP_BOOST) return hasOneScore(nodeChild(node, 0));
  if (op == OP_BOOL) return changetype<BoolNode>(node).scored == 0 && changetype<BoolNode>(node).optional == 0;
  return op == OP_CONSTANT || (isMaterialized(op) && op != OP_NESTED);
}

export function nodeOpen(node: Node): void {
  const op = node.op;
  if (op == OP_TERM) return termOpen(changetype<TermNode>(node));
  if (op == OP_PHRASE) return phraseOpen(changetype<PhraseNode>(node));
  // Their children are opened one by one when the bitset is computed.
  if (isMaterialized(op)) return;
  // The scored clauses of a BOOL are among its required ones, too.
  const count = op == OP_BOOL ? node.childCount - changetype<BoolNode>(node).scored : node.childCount;
  for (let i: u32 = 0; i < count; i++) nodeOpen(nodeChild(node, i));
}

export function nodeNext(node: Node, target: u32): u32 {
  if (target >= maxDoc) return NO_MORE_DOCS;
  const op = node.op;
  if (op == OP_TERM) return termNext(changetype<TermNode>(node), target);
  if (op == OP_PHRASE) return phraseNext(changetype<PhraseNode>(node), target);
  if (op == OP_BOOL) return boolNext(changetype<BoolNode>(node), target);
  if (op == OP_DIS_MAX || op == OP_SYNONYM) return unionNext(node, 0, node.childCount, target);
  if (isWrapper(op)) return nodeNext(nodeChild(node, 0), target);
  if (op == OP_NONE) return NO_MORE_DOCS;
  if (op == OP_ALL) return target;
  if (op == OP_DOCS) return docsNext(changetype<DocsNode>(node), target);
  if (isMaterialized(op)) return nextInBitset(changetype<MaterializedNode>(node), target);
  return columnNext(node, target);
}

export function nodeWindow(node: Node, from: u32, to: u32, w: Window): void {
  const op = node.op;
  if (op == OP_TERM) return termWindow(changetype<TermNode>(node), from, to, w);
  if (op == OP_PHRASE) return phraseWindow(changetype<PhraseNode>(node), from, to, w, -1);
  if (op == OP_BOOL) return boolWindow(changetype<BoolNode>(node), from, to, w);
  if (op == OP_DIS_MAX || op == OP_SYNONYM) return unionWindow(node, 0, node.childCount, from, to, w);
  if (isWrapper(op)) return nodeWindow(nodeChild(node, 0), from, to, w);
  w.isList = 0;
  if (isMaterialized(op)) {
    copyBits(w.bits, bitsetOf(changetype<MaterializedNode>(node), to), from, to);
    return;
  }
  clearBits(w.bits);
  nodeFill(node, from, to, w.bits);
}

export function nodeFill(node: Node, from: u32, to: u32, bits: usize): void {
  const op = node.op;
  if (op == OP_TERM) return termFill(changetype<TermNode>(node), from, to, bits);
  if (isWrapper(op)) return nodeFill(nodeChild(node, 0), from, to, bits);
  if (op == OP_NONE) return;
  if (op == OP_ALL) {
    const whole = (to - from) >> 3;
    memory.fill(bits, 0xff, whole);
    for (let doc = from + (whole << 3); doc < to; doc++) setBit(bits, doc - from);
    return;
  }
  if (op == OP_DOCS) return docsFill(changetype<DocsNode>(node), from, to, bits);
  if (isMaterialized(op) || op == OP_PHRASE || op == OP_BOOL || op == OP_DIS_MAX || op == OP_SYNONYM) {
    const mark = tempMark();
    const w = newWindow();
    nodeWindow(node, from, to, w);
    if (w.isList) orList(bits, w.docs, w.count, from);
    else orBits(bits, w.bits);
    releaseTemp(mark);
    return;
  }
  columnFill(node, from, to, bits);
}

export function nodeFilter(node: Node, docs: usize, count: u32): u32 {
  if (count == 0) return 0;
  const op = node.op;
  if (op == OP_TERM) return termFilter(changetype<TermNode>(node), docs, count);
  if (op == OP_PHRASE) return phraseFilter(changetype<PhraseNode>(node), docs, count);
  if (op == OP_BOOL) return boolFilter(changetype<BoolNode>(node), docs, count);
  if (op == OP_DIS_MAX || op == OP_SYNONYM) return unionFilter(node, 0, node.childCount, 1, docs, count);
  if (isWrapper(op)) return nodeFilter(nodeChild(node, 0), docs, count);
  if (op == OP_NONE) return 0;
  if (op == OP_ALL) return count;
  if (op == OP_DOCS) return docsFilter(changetype<DocsNode>(node), docs, count);
  if (isMaterialized(op)) return filterByBitset(bitsetOf(changetype<MaterializedNode>(node), load<u32>(docs + ((<usize>count - 1) << 2)) + 1), docs, count);
  return columnFilter(node, docs, count);
}

export function nodeScore(node: Node, docs: usize, count: u32, scores: usize): void {
  const op = node.op;
  if (op == OP_TERM) return termScore(changetype<TermNode>(node), docs, count, scores);
  if (op == OP_PHRASE) return phraseScore(changetype<PhraseNode>(node), docs, count, scores);
  if (op == OP_SYNONYM) return synonymScore(changetype<SimilarityNode>(node), docs, count, scores);
  if (op == OP_BOOL) return boolScore(changetype<BoolNode>(node), docs, count, scores);
  if (op == OP_DIS_MAX) return disMaxScore(changetype<DisMaxNode>(node), docs, count, scores);
  if (op == OP_DOCS) return docsScore(changetype<DocsNode>(node), docs, count, scores);
  if (op == OP_NESTED) return nestedScore(changetype<NestedNode>(node), docs, count, scores);
  const end = scores + ((<usize>count) << 2);
  if (op == OP_BOOST) {
    const factor = changetype<BoostNode>(node).factor;
    nodeScore(nodeChild(node, 0), docs, count, scores);
    for (; scores < end; scores += 4) store<f32>(scores, load<f32>(scores) * factor);
    return;
  }
  // Lucene's MatchAllDocsQuery is a constant score of its boost; filters score 0 unless stated otherwise.
  const constant: f32 = op == OP_CONSTANT || op == OP_ALL ? changetype<ConstantNode>(node).score : 0;
  for (; scores < end; scores += 4) store<f32>(scores, constant);
}

export function nodeAddScores(node: Node, docs: usize, count: u32, sums: usize): void {
  if (count == 0) return;
  const op = node.op;
  if (op == OP_TERM) return termAddScores(changetype<TermNode>(node), docs, count, sums);
  if (op == OP_BOOL) return boolAddScores(changetype<BoolNode>(node), docs, count, sums);
  addFiltered(node, docs, count, sums);
}

/** Filters a copy, scores the rest, and adds by merging the lists. */
export function addFiltered(node: Node, docs: usize, count: u32, sums: usize): void {
  const mark = tempMark();
  const some = allocateTemp(WINDOW_DOCS * 4 + 64);
  memory.copy(some, docs, (<usize>count) << 2);
  const matched = nodeFilter(node, some, count);
  const scores = allocateTemp((<usize>matched) * 4 + 16);
  nodeScore(node, some, matched, scores);
  for (let i: usize = 0, j: usize = 0, end = (<usize>matched) << 2; i < end; i += 4, j += 4) {
    const doc = load<u32>(some + i);
    while (load<u32>(docs + j) != doc) j += 4;
    store<f64>(sums + (j << 1), load<f64>(sums + (j << 1)) + <f64>load<f32>(scores + i));
  }
  releaseTemp(mark);
}

export function nodeBound(node: Node, from: u32, to: u32): f32 {
  const op = node.op;
  if (op == OP_TERM) {
    const term = changetype<TermNode>(node);
    return term.normInverse ? termBound(term, from, to, term.weight, <usize>term.normInverse) : 0;
  }
  if (op == OP_PHRASE) {
    const phrase = changetype<PhraseNode>(node);
    return phrase.normInverse ? phraseBound(phrase, from, to) : 0;
  }
  if (op == OP_SYNONYM) return synonymBound(changetype<SimilarityNode>(node));
  if (op == OP_BOOL) return boolBound(changetype<BoolNode>(node), from, to);
  if (op == OP_DIS_MAX) return disMaxBound(changetype<DisMaxNode>(node), from, to);
  if (op == OP_CONSTANT || op == OP_ALL) return changetype<ConstantNode>(node).score;
  if (op == OP_BOOST) return nodeBound(nodeChild(node, 0), from, to) * changetype<BoostNode>(node).factor;
  if (op == OP_DOCS || op == OP_NESTED) return NO_BOUND;
  return 0;
}
