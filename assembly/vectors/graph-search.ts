// Search of a graph: walks from node to more similar node, keeping the best that were seen.
import { heapPop, heapPush, heapReplace, heapSort, keyOf, numberOf, similarityOf } from './key-heap';
import { dotI16I8, dotI16I8x4, dotI8 } from './measures';
import { NO_NODE, VectorGraph, codeOf, docOf, linksOf } from './graph';
import { VectorSpace, similarity } from './space';

/** The state of a search, and of insertions, which search for the neighbours of a node. */
// @ts-ignore: decorator
@unmanaged
export class GraphSearch {
  /** Address of a VectorGraph and of a VectorSpace with the values that the graph connects. */
  graph: usize;
  space: usize;
  /** Bitset of documents that may be found; 0: all. */
  accept: usize;
  /** Bitset of nodes. */
  visited: usize;
  visitedBytes: u32;
  /** u64[count]: heap of nodes to visit, by the complement of their keys. */
  candidates: usize;
  candidateCount: u32;
  /** u64[ef]: heap of the best. */
  results: usize;
  resultCount: u32;
  ef: u32;
  /** u32[2m + 4] and f32[2m + 4]: nodes being compared, and their similarities. */
  batch: usize;
  scores: usize;
  /** The query in codes: i16 of a vector, i8 of a node. */
  code: usize;
  isNode: u32;
  constant: f32;
  scale: f32;
  /** Nodes compared. */
  compared: u32;
}

/** Similarity of the query and a node. */
export function scoreNode(search: GraphSearch, node: u32): f32 {
  const graph = changetype<VectorGraph>(search.graph), space = changetype<VectorSpace>(search.space);
  if (!graph.codesOff) return similarity(space, space.values + <usize>node * graph.stride);
  const code = codeOf(graph, node), dims = graph.codeDims;
  const product = search.isNode ? dotI8(search.code, code, dims) : dotI16I8(search.code, code, dims);
  return search.constant + load<f32>(code + dims, 4) + search.scale * load<f32>(code + dims) * <f32>product;
}

/** Similarities of the `count` nodes of the batch. */
function scoreBatch(search: GraphSearch, count: u32): void {
  const graph = changetype<VectorGraph>(search.graph), batch = search.batch, scores = search.scores;
  let i: usize = 0;
  const end = (<usize>count) << 2;
  if (graph.codesOff && !search.isNode) {
    const dims = graph.codeDims, constant = search.constant, scale = search.scale;
    for (; i + 16 <= end; i += 16) {
      const a = codeOf(graph, load<u32>(batch + i)), b = codeOf(graph, load<u32>(batch + i, 4));
      const c = codeOf(graph, load<u32>(batch + i, 8)), d = codeOf(graph, load<u32>(batch + i, 12));
      dotI16I8x4(search.code, a, b, c, d, dims, scores + i);
      store<f32>(scores + i, constant + load<f32>(a + dims, 4) + scale * load<f32>(a + dims) * <f32>load<i32>(scores + i));
      store<f32>(scores + i, constant + load<f32>(b + dims, 4) + scale * load<f32>(b + dims) * <f32>load<i32>(scores + i, 4), 4);
      store<f32>(scores + i, constant + load<f32>(c + dims, 4) + scale * load<f32>(c + dims) * <f32>load<i32>(scores + i, 8), 8);
      store<f32>(scores + i, constant + load<f32>(d + dims, 4) + scale * load<f32>(d + dims) * <f32>load<i32>(scores + i, 12), 12);
    }
  }
  for (; i < end; i += 4) store<f32>(scores + i, scoreNode(search, load<u32>(batch + i)));
  search.compared += count;
}

// @ts-ignore: decorator
@inline
function visit(search: GraphSearch, node: u32): bool {
  const at = search.visited + (node >> 3), bit: u8 = <u8>(<u32>1 << (node & 7)), seen = load<u8>(at);
  if (seen & bit) return false;
  store<u8>(at, seen | bit);
  return true;
}

// @ts-ignore: decorator
@inline
function isAccepted(search: GraphSearch, graph: VectorGraph, node: u32): bool {
  if (!search.accept) return true;
  const doc = docOf(graph, node);
  return (load<u8>(search.accept + (doc >> 3)) & ((<u32>1) << (doc & 7))) != 0;
}

/** Forgets results, candidates and visited nodes. */
export function searchClear(search: GraphSearch): void {
  memory.fill(search.visited, 0, search.visitedBytes);
  search.candidateCount = 0;
  search.resultCount = 0;
}

/** Adds a node at which a walk starts. */
export function searchStart(search: GraphSearch, node: u32, score: f32): void {
  if (!visit(search, node)) return;
  const key = keyOf(score, node);
  heapPush(search.candidates, search.candidateCount++, ~key);
  if (isAccepted(search, changetype<VectorGraph>(search.graph), node) && search.resultCount < search.ef)
    heapPush(search.results, search.resultCount++, key);
}

/** Walks on one level until no candidate is better than the worst of `ef` results. */
export function searchLevel(search: GraphSearch, level: u32): void {
  const graph = changetype<VectorGraph>(search.graph), results = search.results, candidates = search.candidates;
  const ef = search.ef, batch = search.batch, scores = search.scores, nodes = graph.count;
  while (search.candidateCount) {
    const best = ~load<u64>(candidates);
    if (search.resultCount == ef && best >> 32 < load<u64>(results) >> 32) break;
    heapPop(candidates, search.candidateCount--);
    const links = linksOf(graph, numberOf(best), level);
    if (!links) continue;
    const limit = level ? graph.m : 2 * graph.m, linked = min(load<u32>(links), limit);
    let count: u32 = 0;
    for (let i: u32 = 1; i <= linked; i++) {
      const node = load<u32>(links + ((<usize>i) << 2));
      if (node >= nodes || !visit(search, node)) continue;
      store<u32>(batch + ((<usize>count) << 2), node);
      count++;
    }
    scoreBatch(search, count);
    for (let i: u32 = 0; i < count; i++) {
      const node = load<u32>(batch + ((<usize>i) << 2));
      const key = keyOf(load<f32>(scores + ((<usize>i) << 2)), node);
      const isFull = search.resultCount == ef;
      if (isFull && key <= load<u64>(results)) continue;
      heapPush(candidates, search.candidateCount++, ~key);
      if (!isAccepted(search, graph, node)) continue;
      if (isFull) heapReplace(results, ef, key);
      else heapPush(results, search.resultCount++, key);
    }
  }
}

/** The most similar node that greedy steps reach from `node`, down to the level above `level`. */
export function searchDescend(search: GraphSearch, level: u32): u32 {
  const graph = changetype<VectorGraph>(search.graph);
  let node = graph.entry, best = scoreNode(search, node);
  for (let at = graph.topLevel; at > level; at--) {
    for (let isBetter = true; isBetter; ) {
      isBetter = false;
      const links = linksOf(graph, node, at), linked = links ? min(load<u32>(links), graph.m) : 0;
      for (let i: u32 = 1; i <= linked; i++) {
        const next = load<u32>(links + ((<usize>i) << 2));
        if (next >= graph.count) continue;
        const score = scoreNode(search, next);
        if (score > best) {
          best = score;
          node = next;
          isBetter = true;
        }
      }
    }
  }
  return node;
}

/** Searches the whole graph. Returns the number of results, in no order, with keys of nodes. @param ptr  of a GraphSearch */
export function graphSearch(ptr: usize): u32 {
  const search = changetype<GraphSearch>(ptr), graph = changetype<VectorGraph>(search.graph);
  if (graph.entry == NO_NODE || graph.entry >= graph.count) return 0;
  searchClear(search);
  const start = searchDescend(search, 0);
  searchStart(search, start, scoreNode(search, start));
  searchLevel(search, 0);
  return search.resultCount;
}

/** Compares the `keep` best results by their values and sorts them; their keys then hold documents. Returns how many there are. */
export function graphFinish(ptr: usize, keep: u32): u32 {
  const search = changetype<GraphSearch>(ptr), graph = changetype<VectorGraph>(search.graph), space = changetype<VectorSpace>(search.space);
  const results = search.results;
  heapSort(results, search.resultCount);
  const count = min(search.resultCount, keep);
  // The greatest come first; a heap of keys has the least at its top, so they are pushed again one by one.
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(results + ((<usize>i) << 3)), node = numberOf(key);
    const score = graph.codesOff ? similarity(space, space.values + <usize>node * graph.stride) : similarityOf(key);
    heapPush(results, i, keyOf(score, docOf(graph, node)));
  }
  heapSort(results, count);
  return count;
}
