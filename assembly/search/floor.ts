// A score that at least k documents of the segment reach, known before any postings are decoded: a search for the best k hits starts with it
// as its least competitive score.
// A pair of a block's impacts is the freq and norm of a document in it, so that a term's k best blocks (or groups of blocks) have k documents with
// the scores of their bounds. A disjunction scores each of them at least as high. Pre: no document of the segment is deleted or filtered out.

import { cursorGroups } from '../postings/cursor';
import { allocateTemp, releaseTemp, tempMark } from './context';
import { BoolNode, Node, nodeChild, OP_BOOL, OP_DIS_MAX, OP_TERM, TermNode } from './node';
import { termCursor } from './term';
import { boundOfBlock } from './term-bounds';
import { TopK, topOffer } from './top-k';

/** Impacts of at most this many blocks for each hit are read. */
const BLOCKS_PER_HIT: u32 = 16;

/** A score that is less than those of at least k matches; -Infinity if none is known. */
export function floorOf(node: Node, k: u32): f32 {
  const op = node.op;
  if (op == OP_TERM) return floorOfTerm(changetype<TermNode>(node), k);
  if (op == OP_DIS_MAX) return bestFloor(node, 0, node.childCount, k);
  if (op != OP_BOOL) return -f32.MAX_VALUE;
  const bool = changetype<BoolNode>(node);
  if (bool.prohibited > 0) return -f32.MAX_VALUE;
  if (bool.required == 0 && bool.minimumShouldMatch <= 1) return bestFloor(node, 0, bool.optional, k);
  // The only required clause is scored, and optional ones add to its score.
  const only = bool.required == 1 && bool.scored == 1 && bool.minimumShouldMatch == 0;
  return only ? floorOf(nodeChild(node, 0), k) : -f32.MAX_VALUE;
}

function bestFloor(node: Node, first: u32, count: u32, k: u32): f32 {
  let best: f32 = -f32.MAX_VALUE;
  for (let i = first; i < first + count; i++) best = max<f32>(best, floorOf(nodeChild(node, i), k));
  return best;
}

function floorOfTerm(node: TermNode, k: u32): f32 {
  if (!node.normInverse || !(node.weight > 0)) return -f32.MAX_VALUE;
  const c = termCursor(node);
  if (!c.impactOffsPtr) return -f32.MAX_VALUE;
  const groups = cursorGroups(c);
  let first: u32 = 0;
  let end = c.blocks;
  if (groups >= 2 * k || (groups >= k && c.blocks > BLOCKS_PER_HIT * k)) {
    first = c.blocks;
    end = c.blocks + groups;
  } else if (c.blocks < k || c.blocks > BLOCKS_PER_HIT * k) {
    return -f32.MAX_VALUE;
  }
  const mark = tempMark();
  const best = changetype<TopK>(allocateTemp(32));
  best.keys = allocateTemp((<usize>k) << 3);
  best.k = k;
  best.count = 0;
  best.minScore = -f32.MAX_VALUE;
  for (let entry = first; entry < end; entry++) topOffer(best, entry, boundOfBlock(node, c, entry, node.weight, <usize>node.normInverse));
  const least = best.minScore;
  const known = best.count == k && least > 0;
  releaseTemp(mark);
  // The greatest f32 below: documents that reach the score itself must be hits.
  return known ? reinterpret<f32>(reinterpret<u32>(least) - 1) : -f32.MAX_VALUE;
}
