// Hits by score with pruning: of a window only the documents that can still enter the top k are scored.
// A disjunction runs MaxScore: clauses whose bounds in the window cannot reach the least competitive score even together are not essential;
// the others yield the candidates, and these are looked up in the rest, the greatest bound first, while they can still compete.
// A conjunction drops a document as soon as its score so far and the bounds of the clauses left cannot compete.
// Dropping is right to the last bit: f32 rounding is monotone, and sums of a few f32 in f64 are exact but for far smaller terms, for
// which the bound is widened by SLACK.
// Source: Turtle, Flood, "Query evaluation: strategies and optimizations" (1995); Ding, Suel, "Faster top-k document retrieval using
// block-max indexes" (2011); the windows as in Lucene's MaxScoreBulkScorer.

import { allocate, allocateTemp, releaseTemp, tempMark, WINDOW_DOCS } from './context';
import { cursorSeekBlock } from '../postings/cursor';
import { BLOCK_DOCS } from '../postings/format';
import { boolFilter, boolFilterRest } from './boolean';
import { nodeAddScores, nodeBound, nodeFill, nodeScore, nodeWindow } from './evaluate';
import { clearBits, filterByBitset, Node, nodeChild, OP_BOOL, OP_PHRASE, OP_TERM, setBit, testBit, Window, WINDOW_BITS_BYTES, WINDOW_SET_BYTES, windowToList } from './node';
import { phraseWindow } from './phrase';
import { SLACK } from './similarity';
import { nextBlock, termCursor } from './term';
import { termAddBounds, termBlockBound, termGroupBound } from './term-bounds';
import { termAccumulate, termBlockAbove, termKeepAbove } from './term-prune';
import { TopK, topOffer, topOfferList } from './top-k';

/** For scores that are f32 sums of two rounded parts. */
const ROUNDED_SLACK: f64 = 1.00001;

// @ts-ignore: decorator
@inline
function competes(sum: f64, minScore: f32): bool {
  return <f32>(sum * SLACK) > minScore;
}

/** Whether the node has the form of a disjunction of scoring clauses. */
export function isDisjunction(node: Node): bool {
  return node.op == OP_BOOL && node.a == 0 && node.c == 0 && node.e <= 1 && node.b > 1;
}

/** Offers the window's competitive documents that `accept` (0: all) has. `matches`: the node's accepted matches as a list, or null (0). */
export function competeWindow(node: Node, from: u32, to: u32, accept: usize, matches: usize, top: TopK, w: Window, scores: usize): void {
  if (isDisjunction(node)) return disjunctionWindow(node, from, to, accept, top, w);
  if (node.op == OP_TERM && node.normInverse && top.minScore > 0) return termOffer(node, from, to, accept, top, w.docs);
  const clauses = node.op == OP_BOOL && node.d > 0;
  if (!matches) {
    if (!leadsByTerm(node, top.minScore) && nodeBound(node, from, to) <= top.minScore) return;
    if (node.op == OP_PHRASE) phraseWindow(node, from, to, w, top.minScore);
    else if (clauses && node.e == 0) candidates(node, from, to, top.minScore, w);
    else nodeWindow(node, from, to, w);
    windowToList(w, from);
    if (accept) w.count = filterByBitset(accept, w.docs, w.count);
  } else if (nodeBound(node, from, to) <= top.minScore) {
    return;
  } else if (clauses) {
    dropByBlocks(node, from, to, top.minScore, w);
  }
  if (clauses) return conjunctionOffer(node, from, to, top, w);
  nodeScore(node, w.docs, w.count, scores);
  topOfferList(top, w.docs, scores, w.count);
}

/** Offers a term's documents block by block; blocks that cannot compete stay unread. */
function termOffer(node: Node, from: u32, to: u32, accept: usize, top: TopK, docs: usize): void {
  const mark = tempMark();
  const scores = allocateTemp(BLOCK_DOCS * 8 + 16);
  const c = termCursor(node);
  for (let more = cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    if (termBlockBound(node) <= top.minScore) continue;
    const count = termBlockAbove(node, max<u32>(c.base, from), min<u32>(c.lastDoc + 1, to), <f64>top.minScore, docs, scores);
    for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
      const doc = load<u32>(docs + i);
      if (!accept || testBit(accept, doc)) topOffer(top, doc, <f32>load<f64>(scores + (i << 1)));
    }
  }
  releaseTemp(mark);
}

/** Matches of a BOOL with must clauses that may compete, found through what is rarest of all that a competitive document must have. */
function candidates(node: Node, from: u32, to: u32, minScore: f32, w: Window): void {
  if (node.b > 0 && optionalCandidates(node, from, to, minScore, w)) return;
  if (leadsByTerm(node, minScore)) leadCandidates(node, from, to, minScore, w);
  else nodeWindow(node, from, to, w);
}

/** Whether `leadCandidates` finds and prunes the node's candidates. */
// @ts-ignore: decorator
@inline
function leadsByTerm(node: Node, minScore: f32): bool {
  return minScore > 0 && node.op == OP_BOOL && node.d > 0 && node.a > 1 && node.e == 0 && nodeChild(node, 0).op == OP_TERM;
}

/**
 * Goes through the rarest required term block by block: blocks whose bound and those of the other clauses around them cannot compete are left
 * unread. Of the others, documents are kept that may compete by their score in the lead and, term by term, in the other required terms; then the
 * clauses that are no terms sort out.
 */
function leadCandidates(node: Node, from: u32, to: u32, minScore: f32, w: Window): void {
  w.isList = 1;
  w.count = 0;
  const mark = tempMark();
  const lead = nodeChild(node, 0);
  const c = termCursor(lead);
  const limit = <f64>minScore / ROUNDED_SLACK;
  const mustFirst = node.a + node.b + node.c;
  const sums = allocateTemp(WINDOW_DOCS * 8 + 16);
  const bounds = allocateTemp(((<usize>node.a) << 3) + 16);
  // What the clauses can add that are not asked one by one below, and the bounds of those that are, by groups of blocks.
  let rest: f64 = 0;
  for (let i: u32 = 0; i < node.d; i++) {
    const child = nodeChild(node, mustFirst + i);
    if (child.op != OP_TERM) rest += <f64>nodeBound(child, from, to);
  }
  for (let i: u32 = 0; i < node.b; i++) rest += <f64>nodeBound(nodeChild(node, node.a + i), from, to);
  let loose: f64 = 0;
  for (let i: u32 = 1; i < node.a; i++) if (nodeChild(node, i).op == OP_TERM) loose += <f64>termGroupBound(nodeChild(node, i), from, to);
  let out = w.docs;
  const hopeless = <f64>termGroupBound(lead, from, to) + loose + rest <= limit;
  for (let more = !hopeless && cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    const bound = <f64>termBlockBound(lead);
    if (bound + loose + rest <= limit) continue;
    const first = max<u32>(c.base, from);
    const end = min<u32>(c.lastDoc + 1, to);
    let others: f64 = 0;
    for (let i: u32 = 1; i < node.a; i++) {
      const child = nodeChild(node, i);
      const own: f64 = child.op == OP_TERM ? <f64>nodeBound(child, first, end) : 0;
      store<f64>(bounds + ((<usize>i) << 3), own);
      others += own;
    }
    if (bound + others + rest <= limit) continue;
    let count = termBlockAbove(lead, first, end, limit - others - rest, out, sums);
    for (let i: u32 = 1; i < node.a && count > 0; i++) {
      const child = nodeChild(node, i);
      if (child.op != OP_TERM) continue;
      others = i + 1 == node.a ? 0 : others - load<f64>(bounds + ((<usize>i) << 3));
      count = termKeepAbove(child, out, count, sums, limit - max<f64>(others, 0) - rest);
    }
    out += (<usize>count) << 2;
  }
  releaseTemp(mark);
  w.count = boolFilterRest(node, w.docs, <u32>((out - w.docs) >> 2));
}

/**
 * When the must clauses alone cannot compete in the window, a competitive document has one of the optional clauses with the greatest bounds.
 * False if that does not help.
 */
function optionalCandidates(node: Node, from: u32, to: u32, minScore: f32, w: Window): bool {
  const mustFirst = node.a + node.b + node.c;
  let rest: f64 = 0;
  for (let i: u32 = 0; i < node.d; i++) rest += <f64>nodeBound(nodeChild(node, mustFirst + i), from, to);
  if (<f32>(rest * ROUNDED_SLACK) > minScore) return false;
  const mark = tempMark();
  const bounds = allocateTemp(((<usize>node.b) << 3) + 16);
  for (let i: u32 = 0; i < node.b; i++) store<f64>(bounds + ((<usize>i) << 3), <f64>nodeBound(nodeChild(node, node.a + i), from, to));
  // Takes the least bounds out while they and the must clauses cannot compete; -1 marks what is out.
  for (;;) {
    let least: i32 = -1;
    for (let i: u32 = 0; i < node.b; i++) {
      const bound = load<f64>(bounds + ((<usize>i) << 3));
      if (bound >= 0 && (least < 0 || bound < load<f64>(bounds + ((<usize>least) << 3)))) least = <i32>i;
    }
    if (least < 0) break;
    const bound = load<f64>(bounds + ((<usize>least) << 3));
    if (<f32>((rest + bound) * ROUNDED_SLACK) > minScore) break;
    rest += bound;
    store<f64>(bounds + ((<usize>least) << 3), -1);
  }
  w.isList = 0;
  clearBits(w.bits);
  for (let i: u32 = 0; i < node.b; i++) {
    if (load<f64>(bounds + ((<usize>i) << 3)) >= 0) nodeFill(nodeChild(node, node.a + i), from, to, w.bits);
  }
  releaseTemp(mark);
  windowToList(w, from);
  dropByBlocks(node, from, to, minScore, w);
  w.count = boolFilter(node, w.docs, w.count);
  return true;
}

/** Drops documents that the bounds of the blocks they are in rule out. */
function dropByBlocks(node: Node, from: u32, to: u32, minScore: f32, w: Window): void {
  if (!(minScore > 0) || w.count == 0) return;
  const mark = tempMark();
  const sums = allocateTemp(((<usize>w.count) << 3) + 16);
  memory.fill(sums, 0, (<usize>w.count) << 3);
  const mustFirst = node.a + node.b + node.c;
  let rest: f64 = 0;
  for (let i: u32 = 0; i < node.d; i++) rest += addBounds(nodeChild(node, mustFirst + i), from, to, w, sums);
  for (let i: u32 = 0; i < node.b; i++) rest += addBounds(nodeChild(node, node.a + i), from, to, w, sums);
  let kept: usize = 0;
  for (let i: usize = 0, end = (<usize>w.count) << 2; i < end; i += 4) {
    if (<f32>((load<f64>(sums + (i << 1)) + rest) * ROUNDED_SLACK) <= minScore) continue;
    store<u32>(w.docs + kept, load<u32>(w.docs + i));
    kept += 4;
  }
  w.count = <u32>(kept >> 2);
  releaseTemp(mark);
}

/** Adds a term's bounds to the sums; returns the bound of another clause. */
function addBounds(child: Node, from: u32, to: u32, w: Window, sums: usize): f64 {
  if (child.op != OP_TERM) return <f64>nodeBound(child, from, to);
  termAddBounds(child, w.docs, w.count, sums);
  return 0;
}

function disjunctionWindow(node: Node, from: u32, to: u32, accept: usize, top: TopK, w: Window): void {
  const mark = tempMark();
  const n = node.b;
  // Clauses by ascending bound.
  const bounds = allocateTemp((<usize>n) << 3);
  const order = allocateTemp((<usize>n) << 2);
  let total: f64 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const bound = <f64>nodeBound(nodeChild(node, i), from, to);
    total += bound;
    let at = <usize>i;
    for (; at > 0 && load<f64>(bounds + ((at - 1) << 3)) > bound; at--) {
      store<f64>(bounds + (at << 3), load<f64>(bounds + ((at - 1) << 3)));
      store<u32>(order + (at << 2), load<u32>(order + ((at - 1) << 2)));
    }
    store<f64>(bounds + (at << 3), bound);
    store<u32>(order + (at << 2), i);
  }
  if (!competes(total, top.minScore)) return releaseTemp(mark);
  // The longest prefix that cannot compete by itself is not essential.
  let essential: u32 = 0;
  let rest: f64 = 0;
  while (essential < n && !competes(rest + load<f64>(bounds + ((<usize>essential) << 3)), top.minScore)) {
    rest += load<f64>(bounds + ((<usize>essential) << 3));
    essential++;
  }
  const bits = allocateTemp(WINDOW_BITS_BYTES);
  clearBits(bits);
  // Kept all zero between windows.
  if (!node.data) {
    node.data = <u32>allocate(WINDOW_DOCS * 8);
    memory.fill(<usize>node.data, 0, WINDOW_DOCS * 8);
  }
  const sums = <usize>node.data;
  const list = allocateTemp(WINDOW_DOCS * 8);
  // The greatest bounds first: a document that none of them has found competes by a clause's score and the lesser bounds alone.
  let lesser = total;
  for (let i = <i32>n - 1; i >= <i32>essential; i--) {
    lesser = max<f64>(lesser - load<f64>(bounds + ((<usize>i) << 3)), 0) * SLACK;
    accumulate(nodeChild(node, load<u32>(order + ((<usize>i) << 2))), from, to, bits, sums, w, list, lesser, top.minScore);
  }
  // What is not above `limit` cannot round to more than minScore. The sums of the others go into a list beside their documents.
  const limit = <f64>top.minScore / SLACK - rest * SLACK;
  let kept: usize = 0;
  for (let word: usize = 0; word < WINDOW_SET_BYTES; word += 8) {
    for (let set = load<u64>(bits + word); set != 0; set &= set - 1) {
      const bit = (word << 3) + <usize>ctz<u64>(set);
      const at = sums + (bit << 3);
      const sum = load<f64>(at);
      store<f64>(at, 0);
      store<u32>(w.docs + kept, from + <u32>bit);
      store<f64>(list + (kept << 1), sum);
      kept += (<usize>(sum > limit)) << 2;
    }
  }
  if (accept) kept = acceptPairs(accept, w.docs, list, kept);
  for (let i = <i32>essential - 1; i >= 0 && kept > 0; i--) {
    const bound = load<f64>(bounds + ((<usize>i) << 3));
    nodeAddScores(nodeChild(node, load<u32>(order + ((<usize>i) << 2))), w.docs, <u32>(kept >> 2), list);
    rest -= bound;
    if (rest < 0) rest = 0;
    kept = dropHopeless(w.docs, list, kept, i == 0 ? 0 : rest, top.minScore);
  }
  for (let i: usize = 0; i < kept; i += 4) topOffer(top, load<u32>(w.docs + i), <f32>load<f64>(list + (i << 1)));
  releaseTemp(mark);
}

/** Keeps (doc, sum) pairs whose document is in the bitset. Returns the bytes of docs kept. */
function acceptPairs(accept: usize, docs: usize, sums: usize, bytes: usize): usize {
  let kept: usize = 0;
  for (let i: usize = 0; i < bytes; i += 4) {
    const doc = load<u32>(docs + i);
    store<u32>(docs + kept, doc);
    store<f64>(sums + (kept << 1), load<f64>(sums + (i << 1)));
    kept += (<usize>testBit(accept, doc)) << 2;
  }
  return kept;
}

/** Keeps (doc, sum) pairs whose sum plus `rest` can compete. Returns the bytes of docs kept. */
function dropHopeless(docs: usize, sums: usize, bytes: usize, rest: f64, minScore: f32): usize {
  let kept: usize = 0;
  for (let i: usize = 0; i < bytes; i += 4) {
    const sum = load<f64>(sums + (i << 1));
    if (!competes(sum + rest, minScore)) continue;
    store<u32>(docs + kept, load<u32>(docs + i));
    store<f64>(sums + (kept << 1), sum);
    kept += 4;
  }
  return kept;
}

function accumulate(child: Node, from: u32, to: u32, bits: usize, sums: usize, w: Window, scores: usize, lesser: f64, minScore: f32): void {
  if (child.op == OP_TERM && child.normInverse) return termAccumulate(child, from, to, bits, sums, lesser, minScore);
  nodeWindow(child, from, to, w);
  windowToList(w, from);
  nodeScore(child, w.docs, w.count, scores);
  for (let i: usize = 0, end = (<usize>w.count) << 2; i < end; i += 4) {
    const bit = load<u32>(w.docs + i) - from;
    const sum = sums + ((<usize>bit) << 3);
    store<f64>(sum, load<f64>(sum) + <f64>load<f32>(scores + i));
    setBit(bits, bit);
  }
}

/** Scores the window's matches clause by clause. */
function conjunctionOffer(node: Node, from: u32, to: u32, top: TopK, w: Window): void {
  const mark = tempMark();
  const mustFirst = node.a + node.b + node.c;
  const bounds = allocateTemp(((<usize>node.d) << 3) + 16);
  let rest: f64 = 0;
  for (let i: u32 = 0; i < node.d; i++) {
    const bound = <f64>nodeBound(nodeChild(node, mustFirst + i), from, to);
    store<f64>(bounds + ((<usize>i) << 3), bound);
    rest += bound;
  }
  let optional: f64 = 0;
  for (let i: u32 = 0; i < node.b; i++) optional += <f64>nodeBound(nodeChild(node, node.a + i), from, to);
  const sums = allocateTemp(((<usize>w.count) << 3) + 16);
  const extra = allocateTemp(((<usize>w.count) << 3) + 16);
  memory.fill(sums, 0, (<usize>w.count) << 3);
  let bytes = (<usize>w.count) << 2;
  for (let i: u32 = 0; i < node.d && bytes > 0; i++) {
    addScoresOfMatches(nodeChild(node, mustFirst + i), w.docs, <u32>(bytes >> 2), sums, extra);
    rest -= load<f64>(bounds + ((<usize>i) << 3));
    if (i + 1 == node.d) rest = 0;
    // f32 rounding of the two parts may lift the total by one unit: a hundred-thousandth more is ample.
    const slack = node.b > 0 ? 1.00001 : 1;
    if (top.minScore > 0) bytes = dropHopeless(w.docs, sums, bytes, (max<f64>(rest, 0) + optional) * slack, top.minScore / <f32>slack);
  }
  if (node.b > 0) {
    memory.fill(extra, 0, bytes << 1);
    for (let i: u32 = 0; i < node.b && bytes > 0; i++) nodeAddScores(nodeChild(node, node.a + i), w.docs, <u32>(bytes >> 2), extra);
    for (let i: usize = 0; i < bytes; i += 4) topOffer(top, load<u32>(w.docs + i), <f32>load<f64>(sums + (i << 1)) + <f32>load<f64>(extra + (i << 1)));
  } else {
    for (let i: usize = 0; i < bytes; i += 4) topOffer(top, load<u32>(w.docs + i), <f32>load<f64>(sums + (i << 1)));
  }
  releaseTemp(mark);
}

function addScoresOfMatches(child: Node, docs: usize, count: u32, sums: usize, scratch: usize): void {
  if (child.op == OP_TERM) return nodeAddScores(child, docs, count, sums);
  nodeScore(child, docs, count, scratch);
  for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
    store<f64>(sums + (i << 1), load<f64>(sums + (i << 1)) + <f64>load<f32>(scratch + i));
  }
}
