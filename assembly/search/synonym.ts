// SYNONYM node: terms that count as one, whose freq is the sum of theirs.

import { cursorDocs, cursorFreqs, cursorLoadDocs, cursorLoadFreqs, cursorSeekBlock } from '../postings/cursor';
import { allocateTemp, countScored, releaseTemp, tempMark } from './context';
import { SimilarityNode, termChild, TermNode } from './node';
import { bm25 } from './similarity';
import { termCursor } from './term';

export function synonymScore(node: SimilarityNode, docs: usize, count: u32, scores: usize): void {
  const bytes = (<usize>count) << 2;
  if (!node.normInverse) {
    memory.fill(scores, 0, bytes);
    return;
  }
  countScored(count);
  const mark = tempMark();
  const freqs = allocateTemp(bytes + 16);
  memory.fill(freqs, 0, bytes);
  for (let i: u32 = 0; i < node.childCount; i++) addFreqs(termChild(node, i), docs, count, freqs);
  for (let j: usize = 0; j < bytes; j += 4) {
    const norm = node.norms ? <usize>load<u8>(<usize>node.norms + load<u32>(docs + j)) : 1;
    store<f32>(scores + j, bm25(node.weight, <f32>load<u32>(freqs + j), load<f32>(<usize>node.normInverse + (norm << 2))));
  }
  releaseTemp(mark);
}

function addFreqs(term: TermNode, docs: usize, count: u32, freqs: usize): void {
  const c = termCursor(term);
  let at = docs;
  const end = docs + ((<usize>count) << 2);
  while (at < end) {
    if (!cursorSeekBlock(c, load<u32>(at))) return;
    cursorLoadDocs(c);
    cursorLoadFreqs(c);
    const block = cursorDocs(c);
    for (let j: usize = 0; at < end; at += 4) {
      const doc = load<u32>(at);
      if (doc > c.lastDoc) break;
      while (load<u32>(block + (j << 2)) < doc) j++;
      if (load<u32>(block + (j << 2)) != doc) continue;
      const into = freqs + (at - docs);
      store<u32>(into, load<u32>(into) + load<u32>(cursorFreqs(c) + (j << 2)));
    }
  }
}

export function synonymBound(node: SimilarityNode): f32 {
  return node.normInverse ? node.weight : 0;
}
