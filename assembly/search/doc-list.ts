// DOCS node: ascending docIds that the host found.  data list u32[c] │ c count │ d scores f32[c] or 0

import { NO_MORE_DOCS } from '../postings/format';
import { Node, setBit } from './node';

/** Index of the first listed document >= target. */
function lowerBound(node: Node, target: u32): u32 {
  let low: u32 = 0;
  let high = node.c;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(<usize>node.data + ((<usize>middle) << 2)) < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function docsNext(node: Node, target: u32): u32 {
  const i = lowerBound(node, target);
  return i < node.c ? load<u32>(<usize>node.data + ((<usize>i) << 2)) : NO_MORE_DOCS;
}

export function docsFill(node: Node, from: u32, to: u32, bits: usize): void {
  for (let i = lowerBound(node, from); i < node.c; i++) {
    const doc = load<u32>(<usize>node.data + ((<usize>i) << 2));
    if (doc >= to) return;
    setBit(bits, doc - from);
  }
}

export function docsFilter(node: Node, docs: usize, count: u32): u32 {
  let i = lowerBound(node, load<u32>(docs));
  let kept = docs;
  for (let at = docs, end = docs + ((<usize>count) << 2); at < end && i < node.c; at += 4) {
    const doc = load<u32>(at);
    while (i < node.c && load<u32>(<usize>node.data + ((<usize>i) << 2)) < doc) i++;
    if (i == node.c || load<u32>(<usize>node.data + ((<usize>i) << 2)) != doc) continue;
    store<u32>(kept, doc);
    kept += 4;
  }
  return <u32>((kept - docs) >> 2);
}

export function docsScore(node: Node, docs: usize, count: u32, scores: usize): void {
  let i = count ? lowerBound(node, load<u32>(docs)) : 0;
  for (let j: usize = 0, end = (<usize>count) << 2; j < end; j += 4) {
    const doc = load<u32>(docs + j);
    while (load<u32>(<usize>node.data + ((<usize>i) << 2)) < doc) i++;
    store<f32>(scores + j, node.d ? load<f32>(<usize>node.d + ((<usize>i) << 2)) : 0);
  }
}
