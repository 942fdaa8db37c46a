// Construction of a graph: nodes are inserted one by one, each linked to those of its nearest that are in different directions.
// Source of the rules: HNSW (Malkov and Yashunin, 2016), and Lucene's HnswGraphBuilder for the pruning of full lists (Apache-2.0).
import { heapSort, numberOf, similarityOf } from './key-heap';
import { dotI8 } from './measures';
import { MAX_LEVEL, NO_NODE, VectorGraph, codeOf, docOf, levelOf, linksOf } from './graph';
import { GraphSearch, scoreNode, searchClear, searchDescend, searchLevel, searchStart } from './graph-search';
import { VectorSpace, similarity } from './space';

// @ts-ignore: decorator
@unmanaged
export class GraphBuild {
  /** Address of a GraphSearch. */
  search: usize;
  /** Similarities of links: f32 for each word of the links, at the same distance from `scoresStart` as the word from the first link. */
  scoresStart: usize;
  /** u32[2m + 1] and f32[2m + 1]: a list that is being pruned. */
  list: usize;
  listScores: usize;
  /** Bitset: nodes that have their links already. */
  done: usize;
  /** Bitset: nodes that have lost links with documents that were deleted. */
  damaged: usize;
  /** Best nodes of a level, where the walk on the next one starts: u64[efConstruction]. */
  starts: usize;
}

// @ts-ignore: decorator
@inline
function scoresOf(build: GraphBuild, graph: VectorGraph, links: usize): usize {
  return build.scoresStart + (links - changetype<usize>(graph) - graph.linksOff);
}

/** Similarity of two nodes. */
function pairScore(build: GraphBuild, graph: VectorGraph, a: u32, b: u32): f32 {
  if (graph.codesOff) {
    const x = codeOf(graph, a), y = codeOf(graph, b), dims = graph.codeDims;
    const product = <f32>dotI8(x, y, dims) * load<f32>(x + dims) * load<f32>(y + dims);
    return graph.constant + load<f32>(x + dims, 4) + load<f32>(y + dims, 4) + graph.factor * product;
  }
  const space = changetype<VectorSpace>(changetype<GraphSearch>(build.search).space);
  const query = space.query, magnitude = space.queryMagnitude;
  useNode(space, graph, a);
  const score = similarity(space, space.values + <usize>b * graph.stride);
  space.query = query;
  space.queryMagnitude = magnitude;
  return score;
}

function useNode(space: VectorSpace, graph: VectorGraph, node: u32): void {
  space.query = space.values + <usize>node * graph.stride;
  space.queryMagnitude = load<f32>(space.query + graph.stride - 4);
}

/** Makes a node the query. */
function searchFor(search: GraphSearch, graph: VectorGraph, node: u32): void {
  useNode(changetype<VectorSpace>(search.space), graph, node);
  if (!graph.codesOff) return;
  const code = codeOf(graph, node), dims = graph.codeDims;
  search.code = code;
  search.isNode = 1;
  search.constant = graph.constant + load<f32>(code + dims, 4);
  search.scale = graph.factor * load<f32>(code + dims);
}

// @ts-ignore: decorator
@inline
function bit(bits: usize, node: u32): bool {
  return (load<u8>(bits + (node >> 3)) & ((<u32>1) << (node & 7))) != 0;
}

// @ts-ignore: decorator
@inline
function setBit(bits: usize, node: u32): void {
  const at = bits + (node >> 3);
  store<u8>(at, load<u8>(at) | <u8>(<u32>1 << (node & 7)));
}

function levelOfNode(build: GraphBuild, graph: VectorGraph, node: u32): u32 {
  const space = changetype<VectorSpace>(changetype<GraphSearch>(build.search).space);
  return levelOf(space.values + <usize>node * graph.stride, graph.stride, graph.m);
}

/** Inserts the nodes [from, to) that have no links yet. */
export function graphInsert(ptr: usize, from: u32, to: u32): void {
  const build = changetype<GraphBuild>(ptr), graph = changetype<VectorGraph>(changetype<GraphSearch>(build.search).graph);
  for (let node = from; node < to; node++) {
    if (bit(build.done, node)) continue;
    setBit(build.done, node);
    connect(build, graph, node, levelOfNode(build, graph, node));
  }
}

/** Links the nodes [from, to) that have lost links again. */
export function graphRepair(ptr: usize, from: u32, to: u32): void {
  const build = changetype<GraphBuild>(ptr), graph = changetype<VectorGraph>(changetype<GraphSearch>(build.search).graph);
  for (let node = from; node < to; node++) if (bit(build.damaged, node)) connect(build, graph, node, levelOfNode(build, graph, node));
}

function connect(build: GraphBuild, graph: VectorGraph, node: u32, level: u32): void {
  if (graph.entry == NO_NODE) {
    graph.entry = node;
    graph.topLevel = level;
    return;
  }
  const search = changetype<GraphSearch>(build.search), starts = build.starts;
  searchFor(search, graph, node);
  search.ef = graph.efConstruction;
  let at = min(level, graph.topLevel), startCount: u32 = 1;
  const first = searchDescend(search, at);
  store<u64>(starts, <u64>first);
  for (;;) {
    searchClear(search);
    for (let i: u32 = 0; i < startCount; i++) {
      const start = <u32>load<u64>(starts + ((<usize>i) << 3));
      searchStart(search, start, scoreNode(search, start));
    }
    searchLevel(search, at);
    const count = search.resultCount;
    heapSort(search.results, count);
    for (let i: u32 = 0; i < count; i++) store<u64>(starts + ((<usize>i) << 3), <u64>numberOf(load<u64>(search.results + ((<usize>i) << 3))));
    startCount = count;
    linkNearest(build, graph, node, at, count);
    if (at == 0) break;
    at--;
  }
  if (level > graph.topLevel) {
    graph.topLevel = level;
    graph.entry = node;
  }
}

/** Links a node with those of its `count` nearest, best first, that are closer to it than to any that are linked already. */
function linkNearest(build: GraphBuild, graph: VectorGraph, node: u32, level: u32, count: u32): void {
  const search = changetype<GraphSearch>(build.search), links = linksOf(graph, node, level);
  if (!links) return;
  const limit = level ? graph.m : 2 * graph.m;
  for (let i: u32 = 0; i < count; i++) {
    const linked = load<u32>(links);
    if (linked >= limit) break;
    const key = load<u64>(search.results + ((<usize>i) << 3)), other = numberOf(key), score = similarityOf(key);
    if (other == node || has(links, linked, other) || !isDiverse(build, graph, links, linked, other, score)) continue;
    insertLink(build, graph, links, other, score, limit);
    addLink(build, graph, other, node, level, score, limit);
  }
}

function has(links: usize, linked: u32, node: u32): bool {
  for (let i: u32 = 1; i <= linked; i++) if (load<u32>(links + ((<usize>i) << 2)) == node) return true;
  return false;
}

/** Whether no linked node is closer to `other` than the owner of the links is (`score`). */
function isDiverse(build: GraphBuild, graph: VectorGraph, links: usize, linked: u32, other: u32, score: f32): bool {
  for (let i: u32 = 1; i <= linked; i++) if (pairScore(build, graph, other, load<u32>(links + ((<usize>i) << 2))) >= score) return false;
  return true;
}

/** Inserts a link into a list with room for it, in order of similarity. */
function insertLink(build: GraphBuild, graph: VectorGraph, links: usize, node: u32, score: f32, limit: u32): void {
  const scores = scoresOf(build, graph, links), linked = load<u32>(links);
  assert(linked < limit);
  let at = linked + 1;
  for (; at > 1 && load<f32>(scores + ((<usize>(at - 1)) << 2)) < score; at--) {
    store<u32>(links + ((<usize>at) << 2), load<u32>(links + ((<usize>(at - 1)) << 2)));
    store<f32>(scores + ((<usize>at) << 2), load<f32>(scores + ((<usize>(at - 1)) << 2)));
  }
  store<u32>(links + ((<usize>at) << 2), node);
  store<f32>(scores + ((<usize>at) << 2), score);
  store<u32>(links, linked + 1);
}

/** Links `owner` to `node`. A full list loses its least similar link that is closer to a better one, or else its last. */
function addLink(build: GraphBuild, graph: VectorGraph, owner: u32, node: u32, level: u32, score: f32, limit: u32): void {
  const links = linksOf(graph, owner, level);
  if (!links || has(links, load<u32>(links), node)) return;
  if (load<u32>(links) < limit) {
    insertLink(build, graph, links, node, score, limit);
    return;
  }
  const scores = scoresOf(build, graph, links), list = build.list, listScores = build.listScores;
  let at: u32 = 1, to: u32 = 0, isIn = false;
  while (at <= limit || !isIn) {
    const next: f32 = at <= limit ? load<f32>(scores + ((<usize>at) << 2)) : 0;
    const isNew = !isIn && (at > limit || next < score);
    store<u32>(list + ((<usize>to) << 2), isNew ? node : load<u32>(links + ((<usize>at) << 2)));
    store<f32>(listScores + ((<usize>to) << 2), isNew ? score : next);
    to++;
    if (isNew) isIn = true;
    else at++;
  }
  const worst = leastDiverse(build, graph, limit + 1);
  to = 1;
  for (let i: u32 = 0; i <= limit; i++) {
    if (i == worst) continue;
    store<u32>(links + ((<usize>to) << 2), load<u32>(list + ((<usize>i) << 2)));
    store<f32>(scores + ((<usize>to) << 2), load<f32>(listScores + ((<usize>i) << 2)));
    to++;
  }
}

function leastDiverse(build: GraphBuild, graph: VectorGraph, count: u32): u32 {
  const list = build.list, scores = build.listScores;
  for (let i = count - 1; i > 0; i--) {
    const node = load<u32>(list + ((<usize>i) << 2)), score = load<f32>(scores + ((<usize>i) << 2));
    for (let j: u32 = 0; j < i; j++) if (pairScore(build, graph, node, load<u32>(list + ((<usize>j) << 2))) >= score) return i;
  }
  return count - 1;
}

/**
 * Takes over the links of another graph with the same m. Nodes that lose a link are marked as damaged.
 * @param from     address of the other VectorGraph
 * @param docMap   u32[maxDoc of the other]: new document of each, 2^32 - 1 if it was dropped
 * @param offsets  u32[maxDoc + 1] of the new binary column
 */
export function graphAdopt(ptr: usize, from: usize, docMap: usize, offsets: usize): void {
  const build = changetype<GraphBuild>(ptr), graph = changetype<VectorGraph>(changetype<GraphSearch>(build.search).graph);
  const other = changetype<VectorGraph>(from);
  for (let old: u32 = 0; old < other.count; old++) {
    const node = nodeOf(graph, other, old, docMap, offsets);
    if (node == NO_NODE) continue;
    setBit(build.done, node);
    const level = levelOfNode(build, graph, node);
    for (let at: u32 = 0; at <= min(level, MAX_LEVEL); at++) {
      if (!adoptLinks(build, graph, other, old, node, at, docMap, offsets)) setBit(build.damaged, node);
    }
    if (graph.entry == NO_NODE || level > graph.topLevel) {
      graph.entry = node;
      graph.topLevel = level;
    }
  }
}

function nodeOf(graph: VectorGraph, other: VectorGraph, old: u32, docMap: usize, offsets: usize): u32 {
  const doc = load<u32>(docMap + ((<usize>docOf(other, old)) << 2));
  return doc == NO_NODE ? NO_NODE : load<u32>(offsets + ((<usize>doc) << 2)) / graph.stride;
}

/** Copies the links of a node on one level. False if some of the linked nodes no longer exist. */
function adoptLinks(build: GraphBuild, graph: VectorGraph, other: VectorGraph, old: u32, node: u32, level: u32, docMap: usize, offsets: usize): bool {
  const source = linksOf(other, old, level), links = linksOf(graph, node, level);
  if (!source || !links) return true;
  const limit = level ? graph.m : 2 * graph.m, linked = min(load<u32>(source), limit);
  let isWhole = true;
  for (let i: u32 = 1; i <= linked; i++) {
    const next = load<u32>(source + ((<usize>i) << 2));
    const target = next < other.count ? nodeOf(graph, other, next, docMap, offsets) : NO_NODE;
    if (target == NO_NODE) isWhole = false;
    else insertLink(build, graph, links, target, pairScore(build, graph, node, target), limit);
  }
  return isWhole;
}
