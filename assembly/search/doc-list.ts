// DOCS node: ascending docIds that the host has found.

import { NO_MORE_DOCS } from '../postings/format';
import { DocsNode } from './node';
import { setBit } from './window';

/** Index of the first listed document >= target. */
function lowerBound(node: DocsNode, target: u32): u32 {
  let low: u32 = 0;
  let high = node.docCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(<usize>node.docs + ((<usize>middle) << 2)) < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function docsNext(node: DocsNode, target: u32): u32 {
  const i = lowerBound(node, target);
  return i < node.docCount ? load<u32>(<usize>node.docs + ((<usize>i) << 2)) : NO_MORE_DOCS;
}

export function docsFill(node: DocsNode, from: u32, to: u32, bits: usize): void {
  for (let i = lowerBound(node, from); i < node.docCount; i++) {
    const doc = load<u32>(<usize>node.docs + ((<usize>i) << 2));
    if (doc >= to) return;
    setBit(bits, doc - from);
  }
}

export function docsFilter(node: DocsNode, docs: usize, count: u32): u32 {
  let i = lowerBound(node, load<u32>(docs));
  let kept = docs;
  for (let at = docs, end = docs + ((<usize>count) << 2); at < end && i < node.docCount; at += 4) {
    const doc = load<u32>(at);
    while (i < node.docCount && load<u32>(<usize>node.docs + ((<usize>i) << 2)) < doc) i++;
    if (i == node.docCount || load<u32>(<usize>node.docs + ((<usize>i) << 2)) != doc) continue;
    store<u32>(kept, doc);
    kept += 4;
  }
  return <u32>((kept - docs) >> 2);
}

export function docsScore(node: DocsNode, docs: usize, count: u32, scores: usize): void {
  let i = count ? lowerBound(node, load<u32>(docs)) : 0;
  for (let j: usize = 0, end = (<usize>count) << 2; j < end; j += 4) {
    const doc = load<u32>(docs + j);
    while (load<u32>(<usize>node.docs + ((<usize>i) << 2)) < doc) i++;
    store<f32>(scores + j, node.scores ? load<f32>(<usize>node.scores + ((<usize>i) << 2)) : 0);
  }
}
