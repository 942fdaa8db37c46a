// Hits by score with pruning: only documents of a window that can still enter the top k are scored.
// A disjunction runs MaxScore: clauses are not essential if the sum of their bounds in the window is below the least competitive score. The other
// clauses yield the candidates, which are then looked up in the rest, the greatest bound first, as long as they can still compete.
// A conjunction drops a document as soon as its score so far and the bounds of the remaining clauses cannot compete.
// Pruning never changes a result: f32 rounding is monotone, and sums of a few f32 in f64 are exact except for far smaller terms, for
// which the bound is widened by SLACK.
// Source: Turtle, Flood, "Query evaluation: strategies and optimizations" (1995); Ding, Suel, "Faster top-k document retrieval using
// block-max indexes" (2011); the windows as in Lucene's MaxScoreBulkScorer.

import { allocate, allocateTemp, releaseTemp, tempMark, WINDOW_DOCS } from './context';
import { cursorSeekBlock, cursorSetBlock } from '../postings/cursor';
import { BLOCK_DOCS, GROUP_BLOCKS } from '../postings/format';
import { boolFilter, boolFilterRest } from './boolean';
import { nodeAddScores, nodeBound, nodeFill, nodeScore, nodeWindow } from './evaluate';
import { BoolNode, Node, nodeChild, OP_BOOL, OP_PHRASE, OP_TERM, PhraseNode, termChild, TermNode } from './node';
import { phraseWindow } from './phrase';
import { SLACK } from './similarity';
import { nextBlock, termCursor } from './term';
import { termAddBounds, termBlockBound, termGroupBound, termSkipsGroup } from './term-bounds';
import { termAccumulate, termBlockAbove, termKeepAbove } from './term-prune';
import { TopK, topOffer, topOfferList } from './top-k';
import { clearBits, filterByBitset, setBit, testBit, Window, WINDOW_BITS_BYTES, WINDOW_SET_BYTES, windowToList } from './window';

/** For scores that are f32 sums of two rounded parts. */
const ROUNDED_SLACK: f64 = 1.00001;

// @ts-ignore: decorator
@inline
function competes(sum: f64, minScore: f32): bool {
  return <f32>(sum * SLACK) > minScore;
}

/** Whether the node is a disjunction of scoring clauses. */
export function isDisjunction(node: Node): bool {
  if (node.op != OP_BOOL) return false;
  const bool = changetype<BoolNode>(node);
  return bool.required == 0 && bool.prohibited == 0 && bool.minimumShouldMatch <= 1 && bool.optional > 1;
}

/** A search for the best hits: the state that all functions here share. */
// @ts-ignore: decorator
@unmanaged
export class Contest {
  /** The window of documents. */
  from: u32;
  to: u32;
  /** Bitset of the documents that may be hits, 0 for all. */
  accept: usize;
  top: TopK;
  /** Matches of the window; a buffer if they are not known yet. */
  window: Window;
  /** Buffer f32[], parallel to the window's documents. */
  scores: usize;
}

/** Offers the window's accepted competitive documents. `isMatched`: contest.window holds the node's accepted matches as a list. */
export function competeWindow(contest: Contest, node: Node, isMatched: bool): void {
  const from = contest.from, to = contest.to, top = contest.top, w = contest.window, op = node.op;
  if (isDisjunction(node)) return disjunctionWindow(contest, changetype<BoolNode>(node));
  if (op == OP_TERM && changetype<TermNode>(node).normInverse && top.minScore > 0) return termOffer(contest, changetype<TermNode>(node));
  const bool = changetype<BoolNode>(node);
  const clauses = op == OP_BOOL && bool.scored > 0;
  if (!isMatched) {
    if (!leadsByTerm(node, top.minScore) && nodeBound(node, from, to) <= top.minScore) return;
    if (op == OP_PHRASE) phraseWindow(changetype<PhraseNode>(node), from, to, w, top.minScore);
    else if (clauses && bool.minimumShouldMatch == 0) candidates(contest, bool);
    else nodeWindow(node, from, to, w);
    windowToList(w, from);
    if (contest.accept) w.count = filterByBitset(contest.accept, w.docs, w.count);
  } else if (nodeBound(node, from, to) <= top.minScore) {
    return;
  } else if (clauses) {
    dropByBlocks(contest, bool);
  }
  if (clauses) return conjunctionOffer(contest, bool);
  nodeScore(node, w.docs, w.count, contest.scores);
  topOfferList(top, w.docs, contest.scores, w.count);
}

/** Offers a term's documents block by block; groups of blocks and blocks that cannot compete are not decoded. */
export function termOffer(contest: Contest, node: TermNode): void {
  const from = contest.from, to = contest.to, top = contest.top, docs = contest.window.docs;
  const mark = tempMark();
  const scores = allocateTemp(BLOCK_DOCS * 8 + 16);
  const c = termCursor(node);
  for (let more = cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    if (termSkipsGroup(node, top.minScore)) continue;
    if (termBlockBound(node) <= top.minScore) continue;
    const count = termBlockAbove(node, max<u32>(c.base, from), min<u32>(c.lastDoc + 1, to), <f64>top.minScore, docs, scores);
    offerSums(contest, docs, scores, count);
  }
  releaseTemp(mark);
}

/** Matches of a BOOL with must clauses that may compete, found through the rarest clause that a competitive document must match. */
function candidates(contest: Contest, node: BoolNode): void {
  if (node.optional > 0 && optionalCandidates(contest, node)) return;
  if (leadsByTerm(node, contest.top.minScore)) leadCandidates(contest, node);
  else nodeWindow(node, contest.from, contest.to, contest.window);
}

/** Whether `leadCandidates` finds and prunes the node's candidates. */
// @ts-ignore: decorator
@inline
function leadsByTerm(node: Node, minScore: f32): bool {
  if (!(minScore > 0) || node.op != OP_BOOL) return false;
  const bool = changetype<BoolNode>(node);
  return bool.scored > 0 && bool.minimumShouldMatch == 0 && nodeChild(node, 0).op == OP_TERM;
}

/**
 * Goes through the rarest required term block by block: blocks whose bound and those of the other clauses around them cannot compete are not
 * decoded. Of the others it keeps the documents that may compete by their score in the lead and, term by term, in the other required terms; then the
 * clauses that are not terms filter the rest.
 */
function leadCandidates(contest: Contest, node: BoolNode): void {
  const from = contest.from, to = contest.to, w = contest.window, required = node.required;
  w.isList = 1;
  w.count = 0;
  const mark = tempMark();
  const lead = termChild(node, 0);
  const c = termCursor(lead);
  const limit = <f64>contest.top.minScore / ROUNDED_SLACK;
  const sums = allocateTemp(WINDOW_DOCS * 8 + 16);
  const bounds = allocateTemp(((<usize>required) << 3) + 16);
  // Bounds of the clauses that are not looked up one by one below, and those of the terms that are, by groups of blocks.
  const rest = boundOfOthers(node, from, to);
  let loose: f64 = 0;
  for (let i: u32 = 1; i < required; i++) if (nodeChild(node, i).op == OP_TERM) loose += <f64>termGroupBound(termChild(node, i), from, to);
  let out = w.docs;
  const hopeless = <f64>termGroupBound(lead, from, to) + loose + rest <= limit;
  for (let more = !hopeless && cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    const bound = <f64>termBlockBound(lead);
    if (bound + loose + rest <= limit) continue;
    const first = max<u32>(c.base, from);
    const end = min<u32>(c.lastDoc + 1, to);
    let others: f64 = 0;
    for (let i: u32 = 1; i < required; i++) {
      const child = nodeChild(node, i);
      const own: f64 = child.op == OP_TERM ? <f64>nodeBound(child, first, end) : 0;
      store<f64>(bounds + ((<usize>i) << 3), own);
      others += own;
    }
    if (bound + others + rest <= limit) continue;
    let count = termBlockAbove(lead, first, end, limit - others - rest, out, sums);
    for (let i: u32 = 1; i < required && count > 0; i++) {
      const child = termChild(node, i);
      if (child.op != OP_TERM) continue;
      others = i + 1 == required ? 0 : others - load<f64>(bounds + ((<usize>i) << 3));
      count = termKeepAbove(child, out, count, sums, limit - max<f64>(others, 0) - rest);
    }
    out += (<usize>count) << 2;
  }
  releaseTemp(mark);
  w.count = boolFilterRest(node, w.docs, <u32>((out - w.docs) >> 2));
}

/** Whether `leadOffer` may run the node: terms alone, of which at least one is required. */
export function isTermConjunction(node: Node): bool {
  if (node.op != OP_BOOL) return false;
  const bool = changetype<BoolNode>(node);
  if (bool.scored == 0 || bool.optional > 0 || bool.minimumShouldMatch > 0) return false;
  for (let i: u32 = 0, n = bool.required + bool.prohibited; i < n; i++) if (nodeChild(node, i).op != OP_TERM) return false;
  return true;
}

/**
 * Offers the documents of a conjunction of terms in [contest.from, contest.to), which may be of any length: the rarest term's blocks one by one, so
 * that the least competitive score is known as early as possible. Groups of blocks and blocks are skipped as in `leadCandidates`.
 */
export function leadOffer(contest: Contest, node: BoolNode): void {
  const from = contest.from, to = contest.to, top = contest.top, w = contest.window, required = node.required;
  const mark = tempMark();
  const lead = termChild(node, 0);
  const c = termCursor(lead);
  const sums = allocateTemp(BLOCK_DOCS * 8 + 16);
  const bounds = allocateTemp(((<usize>required) << 3) + 16);
  // Two scores have one sum, in whichever order they are added.
  const isSum = required <= 2 && node.prohibited == 0;
  let group = u32.MAX_VALUE;
  let loose: f64 = 0;
  for (let more = cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    const limit = <f64>top.minScore / ROUNDED_SLACK;
    const g = c.block / GROUP_BLOCKS;
    if (g != group) {
      group = g;
      const lastBlock = min<u32>((g + 1) * GROUP_BLOCKS, c.blocks) - 1;
      const groupEnd = load<u32>(c.lastDocsPtr + ((<usize>lastBlock) << 2)) + 1;
      loose = 0;
      for (let i: u32 = 1; i < required; i++) loose += <f64>termGroupBound(termChild(node, i), c.base, groupEnd);
      if (<f64>termGroupBound(lead, c.base, groupEnd) + loose <= limit) {
        cursorSetBlock(c, lastBlock);
        continue;
      }
    }
    const bound = <f64>termBlockBound(lead);
    if (bound + loose <= limit) continue;
    const first = max<u32>(c.base, from);
    const end = min<u32>(c.lastDoc + 1, to);
    let others: f64 = 0;
    for (let i: u32 = 1; i < required; i++) {
      const own = <f64>nodeBound(termChild(node, i), first, end);
      store<f64>(bounds + ((<usize>i) << 3), own);
      others += own;
    }
    if (bound + others <= limit) continue;
    let count = termBlockAbove(lead, first, end, limit - others, w.docs, sums);
    for (let i: u32 = 1; i < required && count > 0; i++) {
      others = i + 1 == required ? 0 : others - load<f64>(bounds + ((<usize>i) << 3));
      count = termKeepAbove(termChild(node, i), w.docs, count, sums, limit - max<f64>(others, 0));
    }
    if (count == 0) continue;
    if (isSum) {
      offerSums(contest, w.docs, sums, count);
      continue;
    }
    w.isList = 1;
    w.count = boolFilterRest(node, w.docs, count);
    if (contest.accept) w.count = filterByBitset(contest.accept, w.docs, w.count);
    contest.from = first;
    contest.to = end;
    conjunctionOffer(contest, node);
  }
  releaseTemp(mark);
}

/** Offers accepted documents with their scores: sums f64[count]. */
function offerSums(contest: Contest, docs: usize, sums: usize, count: u32): void {
  const accept = contest.accept, top = contest.top;
  for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
    const doc = load<u32>(docs + i);
    if (!accept || testBit(accept, doc)) topOffer(top, doc, <f32>load<f64>(sums + (i << 1)));
  }
}

/** Bounds of the optional clauses and of the scored ones that are not terms. */
function boundOfOthers(node: BoolNode, from: u32, to: u32): f64 {
  const firstScored = node.required + node.optional + node.prohibited;
  let bound: f64 = 0;
  for (let i: u32 = 0; i < node.scored; i++) {
    const child = nodeChild(node, firstScored + i);
    if (child.op != OP_TERM) bound += <f64>nodeBound(child, from, to);
  }
  for (let i: u32 = 0; i < node.optional; i++) bound += <f64>nodeBound(nodeChild(node, node.required + i), from, to);
  return bound;
}

/**
 * If the must clauses alone cannot compete in the window, a competitive document matches one of the optional clauses with the greatest bounds.
 * Returns false if that does not help.
 */
function optionalCandidates(contest: Contest, node: BoolNode): bool {
  const from = contest.from, to = contest.to, w = contest.window, minScore = contest.top.minScore;
  const firstScored = node.required + node.optional + node.prohibited;
  let rest: f64 = 0;
  for (let i: u32 = 0; i < node.scored; i++) rest += <f64>nodeBound(nodeChild(node, firstScored + i), from, to);
  if (<f32>(rest * ROUNDED_SLACK) > minScore) return false;
  const mark = tempMark();
  const bounds = allocateTemp(((<usize>node.optional) << 3) + 16);
  for (let i: u32 = 0; i < node.optional; i++) store<f64>(bounds + ((<usize>i) << 3), <f64>nodeBound(nodeChild(node, node.required + i), from, to));
  // Drops the least bounds while they and the must clauses cannot compete; -1 marks those dropped.
  for (;;) {
    let least: i32 = -1;
    for (let i: u32 = 0; i < node.optional; i++) {
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
  for (let i: u32 = 0; i < node.optional; i++) {
    if (load<f64>(bounds + ((<usize>i) << 3)) >= 0) nodeFill(nodeChild(node, node.required + i), from, to, w.bits);
  }
  releaseTemp(mark);
  windowToList(w, from);
  dropByBlocks(contest, node);
  w.count = boolFilter(node, w.docs, w.count);
  return true;
}

/** Drops documents that are ruled out by the bounds of their blocks. */
function dropByBlocks(contest: Contest, node: BoolNode): void {
  const from = contest.from, to = contest.to, w = contest.window, minScore = contest.top.minScore;
  if (!(minScore > 0) || w.count == 0) return;
  const mark = tempMark();
  const sums = allocateTemp(((<usize>w.count) << 3) + 16);
  memory.fill(sums, 0, (<usize>w.count) << 3);
  const firstScored = node.required + node.optional + node.prohibited;
  let rest: f64 = 0;
  for (let i: u32 = 0; i < node.scored; i++) rest += addBounds(nodeChild(node, firstScored + i), from, to, w, sums);
  for (let i: u32 = 0; i < node.optional; i++) rest += addBounds(nodeChild(node, node.required + i), from, to, w, sums);
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
  termAddBounds(changetype<TermNode>(child), w.docs, w.count, sums);
  return 0;
}

function disjunctionWindow(contest: Contest, node: BoolNode): void {
  const mark = tempMark();
  const top = contest.top, w = contest.window, n = node.optional;
  const bounds = allocateTemp((<usize>n) << 3);
  const order = allocateTemp((<usize>n) << 2);
  const total = orderByBound(node, contest.from, contest.to, bounds, order);
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
  if (!node.sums) {
    node.sums = <u32>allocate(WINDOW_DOCS * 8);
    memory.fill(<usize>node.sums, 0, WINDOW_DOCS * 8);
  }
  const sums = <usize>node.sums;
  const list = allocateTemp(WINDOW_DOCS * 8);
  // The greatest bounds first: a document that none of them has found competes by a clause's score and the lesser bounds alone.
  let lesser = total;
  for (let i = <i32>n - 1; i >= <i32>essential; i--) {
    lesser = max<f64>(lesser - load<f64>(bounds + ((<usize>i) << 3)), 0) * SLACK;
    const child = nodeChild(node, load<u32>(order + ((<usize>i) << 2)));
    if (child.op == OP_TERM && changetype<TermNode>(child).normInverse) {
      termAccumulate(changetype<TermNode>(child), contest.from, contest.to, bits, sums, lesser, top.minScore);
    } else accumulate(contest, child, bits, sums, list);
  }
  // A sum that is not above the limit cannot round to more than minScore.
  let kept = takeSums(bits, contest.from, sums, <f64>top.minScore / SLACK - rest * SLACK, w.docs, list);
  if (contest.accept) kept = acceptPairs(contest.accept, w.docs, list, kept);
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

/** Sorts the optional clauses by ascending bound: bounds f64[], and their numbers as order u32[]. Returns the sum of the bounds. */
function orderByBound(node: BoolNode, from: u32, to: u32, bounds: usize, order: usize): f64 {
  let total: f64 = 0;
  for (let i: u32 = 0; i < node.optional; i++) {
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
  return total;
}

/** Moves the sums of the documents in `bits` that are above `limit` to a list f64[] parallel to `docs`, and clears all. Returns the bytes of docs. */
function takeSums(bits: usize, from: u32, sums: usize, limit: f64, docs: usize, list: usize): usize {
  let kept: usize = 0;
  for (let word: usize = 0; word < WINDOW_SET_BYTES; word += 8) {
    for (let set = load<u64>(bits + word); set != 0; set &= set - 1) {
      const bit = (word << 3) + <usize>ctz<u64>(set);
      const at = sums + (bit << 3);
      const sum = load<f64>(at);
      store<f64>(at, 0);
      store<u32>(docs + kept, from + <u32>bit);
      store<f64>(list + (kept << 1), sum);
      kept += (<usize>(sum > limit)) << 2;
    }
  }
  return kept;
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

/** Adds the scores of a clause's matches to `sums` and sets their bits; `scores`: a buffer. */
function accumulate(contest: Contest, child: Node, bits: usize, sums: usize, scores: usize): void {
  const from = contest.from, to = contest.to, w = contest.window;
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
function conjunctionOffer(contest: Contest, node: BoolNode): void {
  const from = contest.from, to = contest.to, top = contest.top, w = contest.window;
  const mark = tempMark();
  const firstScored = node.required + node.optional + node.prohibited;
  const bounds = allocateTemp(((<usize>node.scored) << 3) + 16);
  let rest: f64 = 0;
  for (let i: u32 = 0; i < node.scored; i++) {
    const bound = <f64>nodeBound(nodeChild(node, firstScored + i), from, to);
    store<f64>(bounds + ((<usize>i) << 3), bound);
    rest += bound;
  }
  let optional: f64 = 0;
  for (let i: u32 = 0; i < node.optional; i++) optional += <f64>nodeBound(nodeChild(node, node.required + i), from, to);
  const sums = allocateTemp(((<usize>w.count) << 3) + 16);
  const extra = allocateTemp(((<usize>w.count) << 3) + 16);
  memory.fill(sums, 0, (<usize>w.count) << 3);
  let bytes = (<usize>w.count) << 2;
  for (let i: u32 = 0; i < node.scored && bytes > 0; i++) {
    addScoresOfMatches(nodeChild(node, firstScored + i), w.docs, <u32>(bytes >> 2), sums, extra);
    rest -= load<f64>(bounds + ((<usize>i) << 3));
    if (i + 1 == node.scored) rest = 0;
    // f32 rounding of the two parts may raise the total by one unit: a hundred-thousandth more is ample.
    const slack = node.optional > 0 ? 1.00001 : 1;
    if (top.minScore > 0) bytes = dropHopeless(w.docs, sums, bytes, (max<f64>(rest, 0) + optional) * slack, top.minScore / <f32>slack);
  }
  if (node.optional > 0) {
    memory.fill(extra, 0, bytes << 1);
    for (let i: u32 = 0; i < node.optional && bytes > 0; i++) nodeAddScores(nodeChild(node, node.required + i), w.docs, <u32>(bytes >> 2), extra);
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
