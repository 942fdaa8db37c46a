// Runs an aggregation tree over blocks of matching documents of one segment. The executor calls aggsCollect per window; where a request
// matches every document of a segment without deletions, aggsCollectRange needs only their numbers.
import { bucketLimit } from './bucket-table';
import { collectBuckets } from './buckets';
import { collectDistinct } from './distinct';
import {
  AggNode,
  AggRoot,
  allocate,
  BLOCK,
  DistinctNode,
  FiltersNode,
  NestedNode,
  nodeAt,
  OP_BUCKETS,
  OP_DISTINCT,
  OP_DOCS,
  OP_FILTERS,
  OP_MISSING,
  OP_NESTED,
  OP_RANGES,
  OP_REVERSE_NESTED,
  RangesNode,
  ReverseNestedNode,
} from './node';
import { collectStats } from './stats';
import { collectDocs, collectFilters, collectMissing, collectNested, collectRanges, collectReverseNested } from './select';

/**
 * Adds matching documents, ascending over all calls. `scores`: f32 parallel to `docs`, or 0.
 * @returns 0, or E_NO_SPACE: the region of the tree is used up (the host runs the segment again with a larger one)
 */
export function aggsCollect(rootPtr: usize, docs: usize, scores: usize, count: u32): i32 {
  const root = changetype<AggRoot>(rootPtr);
  for (let from: u32 = 0; from < count; from += BLOCK) {
    const n = min(BLOCK, count - from);
    const block = docs + (<usize>from << 2);
    root.docs = <u32>block;
    root.scores = scores ? <u32>(scores + (<usize>from << 2)) : 0;
    root.count = n;
    const status = collectEach(<usize>root.children, root.childCount, block, 0, 0, n, 1);
    if (status) return (root.status = status);
  }
  return 0;
}

/** The same for the documents from .. from + count - 1, without scores. */
export function aggsCollectRange(rootPtr: usize, from: u32, count: u32): i32 {
  const root = changetype<AggRoot>(rootPtr);
  root.docs = 0;
  root.scores = 0;
  for (let end = from + count; from < end; from += BLOCK) {
    const n = min(BLOCK, end - from);
    root.base = from;
    root.count = n;
    const status = collectEach(<usize>root.children, root.childCount, 0, from, 0, n, 1);
    if (status) return (root.status = status);
  }
  return 0;
}

/** Passes a block to the children of a bucket node. */
export function collectChildren(node: AggNode, docs: usize, base: u32, buckets: usize, count: u32): i32 {
  return collectEach(<usize>node.children, node.childCount, docs, base, buckets, count, bucketLimit(node));
}

function collectEach(children: usize, childCount: u32, docs: usize, base: u32, buckets: usize, count: u32, limit: u32): i32 {
  for (let c: u32 = 0; c < childCount; c++) {
    const status = collectNode(nodeAt(load<u32>(children + (<usize>c << 2))), docs, base, buckets, count, limit);
    if (status) return status;
  }
  return 0;
}

function collectNode(node: AggNode, docs: usize, base: u32, buckets: usize, count: u32, limit: u32): i32 {
  const op = node.op;
  if (op == OP_BUCKETS) return collectBuckets(node, docs, base, buckets, count);
  if (op == OP_RANGES) return collectRanges(changetype<RangesNode>(node), docs, base, buckets, count);
  if (op == OP_FILTERS) return collectFilters(changetype<FiltersNode>(node), docs, base, buckets, count);
  if (op == OP_MISSING) return collectMissing(node, docs, base, buckets, count);
  if (op == OP_NESTED) return collectNested(changetype<NestedNode>(node), docs, base, buckets, count);
  if (op == OP_REVERSE_NESTED) return collectReverseNested(changetype<ReverseNestedNode>(node), docs, base, buckets, count, limit);
  if (op == OP_DISTINCT) return collectDistinct(changetype<DistinctNode>(node), docs, base, buckets, count, limit);
  if (op == OP_DOCS) return collectDocs(node, docs, base, buckets, count);
  return collectStats(node, docs, base, buckets, count, limit);
}

/** Zeroed memory of the tree's region, for tables of a size that the host knows; 0 if the region is used up. */
export function aggsAllocate(rootPtr: usize, bytes: u32): usize {
  return allocate(rootPtr, bytes);
}
