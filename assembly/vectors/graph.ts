// Graph over the vectors of a segment (HNSW: Malkov and Yashunin, 2016), a section of the image. Offsets are relative to the section.
//   ├ VectorGraph, 128 bytes ┬ centroid f32[] ┬ docs u32[count] ┬ upper index u32[count] ┬ codes ┬ links ┬ upper links ┤
//   links of a node on level 0:    ├ n u32 │ node u32 x 2m ┤     the most similar first
//   links of a node above:         ├ n u32 │ node u32 x m ┤      per level, from level 1; the upper index has the offset of level 1 in words
//   code of a vector (floats only): ├ i8[codeDims] │ scale f32 │ term f32 ┤    vector - centroid = scale * i8; padded to 16 bytes
// Nodes are the documents with a vector, in order. The level of a node follows from the bytes of its vector, so merges keep it.
import { hashBytes } from '../codec/hash';

export const GRAPH_HEADER_BYTES: u32 = 128;
export const MAX_LEVEL: u32 = 7;
/** No node; no links above level 0. */
export const NO_NODE: u32 = 0xffffffff;
const LEVEL_SEED: u64 = 0x5bd1e995;

// @ts-ignore: decorator
@unmanaged
export class VectorGraph {
  count: u32;
  /** Links above level 0; twice as many on it. */
  m: u32;
  efConstruction: u32;
  /** As in VectorSpace. */
  metric: u32;
  dims: u32;
  /** Bytes of a value of the binary column. */
  stride: u32;
  topLevel: u32;
  /** Node at which searches start. */
  entry: u32;
  centroidOff: u32;
  docsOff: u32;
  upperIndexOff: u32;
  /** 0: the graph compares the values themselves. */
  codesOff: u32;
  codeDims: u32;
  codeStride: u32;
  linksOff: u32;
  upperOff: u32;
  upperWords: u32;
  /** similarity = constant + term a + term b + factor * scale a * scale b * product of the codes */
  constant: f32;
  factor: f32;
}

/** The level of a vector: each is m times as rare as the one below. */
export function levelOf(value: usize, stride: u32, m: u32): u32 {
  let hash = hashBytes(value, stride - 4, LEVEL_SEED);
  const base = m < 2 ? 2 : m;
  let level: u32 = 0;
  while (level < MAX_LEVEL && hash % base == 0) {
    hash = (hash / base) ^ (hash * 0x9e3779b1);
    level++;
  }
  return level;
}

/** Words of the links above level 0 of `count` values. */
export function upperWords(values: usize, stride: u32, count: u32, m: u32): u32 {
  let words: u32 = 0;
  for (let node: u32 = 0; node < count; node++) words += levelOf(values + <usize>node * stride, stride, m) * (1 + m);
  return words;
}

/** Address of the links of a node on a level that it has; 0 for another. */
// @ts-ignore: decorator
@inline
export function linksOf(graph: VectorGraph, node: u32, level: u32): usize {
  const start = changetype<usize>(graph);
  if (level == 0) return start + graph.linksOff + (<usize>node * (1 + 2 * graph.m) << 2);
  const first = load<u32>(start + graph.upperIndexOff + ((<usize>node) << 2));
  if (first == NO_NODE) return 0;
  return start + graph.upperOff + ((<usize>first + <usize>(level - 1) * (1 + graph.m)) << 2);
}

// @ts-ignore: decorator
@inline
export function docOf(graph: VectorGraph, node: u32): u32 {
  return load<u32>(changetype<usize>(graph) + graph.docsOff + ((<usize>node) << 2));
}

// @ts-ignore: decorator
@inline
export function codeOf(graph: VectorGraph, node: u32): usize {
  return changetype<usize>(graph) + graph.codesOff + <usize>node * graph.codeStride;
}

/**
 * Fills documents and upper index, and empties all links. The header is complete but for `entry` and `topLevel`.
 * @param offsets  u32[maxDoc + 1] of the binary column
 */
export function graphInit(ptr: usize, offsets: usize, maxDoc: u32): void {
  const graph = changetype<VectorGraph>(ptr);
  const values = offsets + ((<usize>maxDoc + 1) << 2), stride = graph.stride, m = graph.m;
  let node: u32 = 0, words: u32 = 0;
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    const at = offsets + ((<usize>doc) << 2);
    if (load<u32>(at) == load<u32>(at, 4)) continue;
    store<u32>(ptr + graph.docsOff + ((<usize>node) << 2), doc);
    const level = levelOf(values + load<u32>(at), stride, m);
    store<u32>(ptr + graph.upperIndexOff + ((<usize>node) << 2), level ? words : NO_NODE);
    words += level * (1 + m);
    node++;
  }
  memory.fill(ptr + graph.linksOff, 0, <usize>graph.count * (1 + 2 * m) << 2);
  memory.fill(ptr + graph.upperOff, 0, (<usize>graph.upperWords) << 2);
  graph.entry = NO_NODE;
  graph.topLevel = 0;
}
