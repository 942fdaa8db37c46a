// Upper bounds of a term's scores from its impacts: of a block, of a group of blocks, of a range of documents.

import { cursorDocs, cursorFindBlock, cursorFreqs, cursorGroups, cursorImpacts, cursorSetBlock, PostingsCursor } from '../postings/cursor';
import { GROUP_BLOCKS } from '../postings/format';
import { allocate } from './context';
import { TermNode } from './node';
import { bm25, boundOfImpacts } from './similarity';
import { termCursor } from './term';

/** Upper bound of the scores that the impacts in [from, to) allow under this node's weight, or under another's (phrases). */
export function termBound(node: TermNode, from: u32, to: u32, weight: f32, normInverse: usize): f32 {
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

/** `termBound` by groups of blocks: looser, and after the first few calls without reading impacts. */
export function termGroupBound(node: TermNode, from: u32, to: u32): f32 {
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
export function termBlockBound(node: TermNode): f32 {
  if (!node.normInverse) return 0;
  const c = termCursor(node);
  return c.impactOffsPtr ? boundOfBlock(node, c, c.block, node.weight, <usize>node.normInverse) : boundOfAll(node, c, node.weight, <usize>node.normInverse);
}

/** At the first block of a group that cannot score more than `minScore`: makes the group's last block current. */
export function termSkipsGroup(node: TermNode, minScore: f32): bool {
  const c = termCursor(node);
  if (c.block % GROUP_BLOCKS != 0 || !c.impactOffsPtr) return false;
  if (boundOfBlock(node, c, c.blocks + c.block / GROUP_BLOCKS, node.weight, <usize>node.normInverse) > minScore) return false;
  cursorSetBlock(c, min<u32>(c.block + GROUP_BLOCKS, c.blocks) - 1);
  return true;
}

/** Ranges of at least this many blocks are bounded by groups. */
const MANY_BLOCKS: u32 = 8;

/** Bound of a block, or of group g as entry blocks + g; computed once per query. */
export function boundOfBlock(node: TermNode, c: PostingsCursor, entry: u32, weight: f32, normInverse: usize): f32 {
  if (!node.blockBounds) {
    const bytes = (<usize>c.blocks + cursorGroups(c)) << 2;
    node.blockBounds = <u32>allocate(bytes);
    memory.fill(<usize>node.blockBounds, 0xff, bytes);
  }
  const at = <usize>node.blockBounds + ((<usize>entry) << 2);
  let bound = load<f32>(at);
  if (bound == bound) return bound;
  bound = boundOfImpacts(cursorImpacts(c, entry), weight, normInverse);
  store<f32>(at, bound);
  return bound;
}

/** Bound of a record without impacts: the best score of a short record, otherwise that of freq 1 and the only norm. */
function boundOfAll(node: TermNode, c: PostingsCursor, weight: f32, normInverse: usize): f32 {
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

/** Adds to sums f64[count] for each document of an ascending list the bound of the block that contains it or would contain it. */
export function termAddBounds(node: TermNode, docs: usize, count: u32, sums: usize): void {
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
