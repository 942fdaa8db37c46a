// Host side of assembly/vectors/graph*.ts and codes.ts: searches and builds graphs over vectors.
import { elementBytes, MAGNITUDE_BYTES, type VectorGraphSpec } from '../common/encoding/vector-format.ts';
import { GRAPH_HEADER_BYTES, GraphBuild, GraphSearch, VectorGraph, VectorSpace } from './generated/vectors.ts';
import type { Kernels } from './kernels.ts';
import { getF32, getU32, setF32, setU32 } from './records.ts';
import { metricOf, type Nearest, readNearest } from './vectors.ts';

const ALIGN = 64;
/** Code bytes are a multiple of this: lanes of the kernels. */
const LANES = 16;
/** Scale and term of a code. */
const CODE_EXTRA = 8;
/** Nodes inserted between two yields: about ten milliseconds. */
const INSERT_STEP = 64;
const ENCODE_STEP = 8192;

/** Nodes of a graph: vectors, including those of deleted documents. */
export function graphNodes(k: Kernels, graph: number): number {
  return getU32(k, graph, VectorGraph.count);
}

/** True if merges may take over the links of a graph. */
export function isGraphLike(k: Kernels, graph: number, spec: VectorGraphSpec): boolean {
  return getU32(k, graph, VectorGraph.m) === spec.m && getU32(k, graph, VectorGraph.metric) === metricOf(spec.element, spec.similarity);
}

export interface GraphSearchOptions {
  readonly graph: number;
  /** Address of a bitset of the documents that may be found, 0 for all. */
  readonly accept: number;
  /** Candidates that the walk keeps. */
  readonly ef: number;
  /** Candidates that are compared by their values. */
  readonly rescore: number;
  /** Documents to return. */
  readonly keep: number;
}

/** The documents of a graph that are most similar to the vector of a VectorSpace. @throws RangeError the scratch is too small */
export function searchGraph(k: Kernels, space: number, { graph, accept, ef, rescore, keep }: GraphSearchOptions): Nearest {
  return k.scoped(() => {
    const search = k.reserve(GraphSearch.sizeof);
    k.u8.fill(0, search, search + GraphSearch.sizeof);
    setSearch(k, search, { graph, space, ef, reserve: (bytes) => k.reserve(bytes) });
    setU32(k, search, GraphSearch.accept, accept);
    if (getU32(k, graph, VectorGraph.codesOff) !== 0) {
      const terms = k.reserve(16);
      const code = k.reserve(getU32(k, graph, VectorGraph.codeDims) * 2);
      k.exports.vectorsEncodeQuery(graph, getU32(k, space, VectorSpace.query), getF32(k, space, VectorSpace.queryMagnitude), code, terms);
      setU32(k, search, GraphSearch.code, code);
      setF32(k, search, GraphSearch.constant, k.f32[terms >>> 2]);
      setF32(k, search, GraphSearch.scale, k.f32[(terms >>> 2) + 1]);
    }
    k.exports.vectorsGraphSearch(search);
    const count = k.exports.vectorsGraphFinish(search, rescore) >>> 0;
    return readNearest(k, getU32(k, search, GraphSearch.results), Math.min(count, keep));
  });
}

interface SearchParts {
  readonly graph: number;
  readonly space: number;
  readonly ef: number;
  reserve(bytes: number): number;
}

function setSearch(k: Kernels, search: number, { graph, space, ef, reserve }: SearchParts): void {
  const nodes = graphNodes(k, graph);
  const links = 2 * getU32(k, graph, VectorGraph.m) + 4;
  setU32(k, search, GraphSearch.graph, graph);
  setU32(k, search, GraphSearch.space, space);
  setU32(k, search, GraphSearch.ef, ef);
  setU32(k, search, GraphSearch.visited, reserve(visitedBytes(nodes)));
  setU32(k, search, GraphSearch.visitedBytes, visitedBytes(nodes));
  setU32(k, search, GraphSearch.candidates, reserve((nodes + 1) * 8));
  setU32(k, search, GraphSearch.results, reserve((ef + 1) * 8));
  setU32(k, search, GraphSearch.batch, reserve(links * 4));
  setU32(k, search, GraphSearch.scores, reserve(links * 4));
}

function visitedBytes(nodes: number): number {
  return Math.ceil(nodes / 8);
}

/** The sizes of a graph that is going to be built. */
export interface GraphPlan {
  readonly spec: VectorGraphSpec;
  readonly nodes: number;
  readonly upperWords: number;
  /** Of the section. */
  readonly bytes: number;
}

/** @param offsets  address of the binary column */
export function planGraph(k: Kernels, spec: VectorGraphSpec, nodes: number, offsets: number, maxDoc: number): GraphPlan {
  const upperWords = k.exports.vectorsUpperWords(offsets + (maxDoc + 1) * 4, strideOf(spec), nodes, spec.m) >>> 0;
  return { spec, nodes, upperWords, bytes: layoutOf(spec, nodes, upperWords).bytes };
}

/** Scratch that `buildGraph` needs for at most so many nodes. */
export function graphScratchBytes(spec: VectorGraphSpec, nodes: number): number {
  // On average one node in m has links above level 0; four times as many leave room for chance.
  const links = nodes * (1 + 2 * spec.m) * 4 + Math.ceil((4 * nodes) / Math.max(2, spec.m) + 64) * (1 + spec.m) * 4;
  return links + 3 * (visitedBytes(nodes) + ALIGN) + (nodes + 1) * 8 + 16 * spec.efConstruction + 64 * spec.m + 8192;
}

function strideOf({ element, dims }: VectorGraphSpec): number {
  return elementBytes(element, dims) + MAGNITUDE_BYTES;
}

/** Offsets of the parts of a section. */
function layoutOf(spec: VectorGraphSpec, nodes: number, upperWords: number) {
  let at = GRAPH_HEADER_BYTES;
  const part = (bytes: number): number => {
    const off = at;
    at = Math.ceil((at + bytes) / ALIGN) * ALIGN;
    return off;
  };
  const codeDims = Math.ceil(spec.dims / LANES) * LANES;
  const codeStride = Math.ceil((codeDims + CODE_EXTRA) / LANES) * LANES;
  const centroidOff = part(spec.isQuantized ? spec.dims * 4 : 0);
  const docsOff = part(nodes * 4);
  const upperIndexOff = part(nodes * 4);
  const codesOff = spec.isQuantized ? part(nodes * codeStride) : 0;
  const linksOff = part(nodes * (1 + 2 * spec.m) * 4);
  const upperOff = part(upperWords * 4);
  return { codeDims, codeStride, centroidOff, docsOff, upperIndexOff, codesOff, linksOff, upperOff, bytes: at };
}

/** A graph whose links are taken over. */
export interface AdoptedGraph {
  readonly graph: number;
  /** Address of u32[maxDoc]: new document of each old one, 2^32 - 1 if it was dropped. */
  readonly docMap: number;
}

export interface GraphTarget {
  /** Where the section is written; room for `plan.bytes`. */
  readonly at: number;
  /** Address of the binary column that the graph is about. */
  readonly offsets: number;
  readonly maxDoc: number;
  readonly adopted: AdoptedGraph | null;
  /** Reserves scratch of the merge, zeroed on request. */
  allocate(bytes: number, zero?: boolean): number;
}

/** Builds a graph, in slices of some ten milliseconds. @throws RangeError the memory is too small */
export function* buildGraph(k: Kernels, plan: GraphPlan, target: GraphTarget): Generator<void> {
  const { spec, nodes } = plan;
  const { at, offsets, maxDoc, adopted, allocate } = target;
  const values = offsets + (maxDoc + 1) * 4;
  writeHeader(k, plan, at);
  k.exports.vectorsGraphInit(at, offsets, maxDoc);
  if (spec.isQuantized) {
    k.exports.vectorsCentroid(at, values);
    const scratch = allocate(16);
    for (let from = 0; from < nodes; from += ENCODE_STEP) {
      k.exports.vectorsEncode(at, values, from, Math.min(nodes, from + ENCODE_STEP), scratch);
      yield;
    }
  }
  const build = openBuild(k, plan, target, values);
  if (adopted !== null) {
    k.exports.vectorsGraphAdopt(build, adopted.graph, adopted.docMap, offsets);
    yield;
    yield* inSteps(nodes, (from, to) => k.exports.vectorsGraphRepair(build, from, to));
  }
  yield* inSteps(nodes, (from, to) => k.exports.vectorsGraphInsert(build, from, to));
}

function* inSteps(nodes: number, work: (from: number, to: number) => void): Generator<void> {
  for (let from = 0; from < nodes; from += INSERT_STEP) {
    work(from, Math.min(nodes, from + INSERT_STEP));
    yield;
  }
}

function writeHeader(k: Kernels, { spec, nodes, upperWords }: GraphPlan, at: number): void {
  const layout = layoutOf(spec, nodes, upperWords);
  k.u8.fill(0, at, at + layout.bytes);
  setU32(k, at, VectorGraph.count, nodes);
  setU32(k, at, VectorGraph.m, spec.m);
  setU32(k, at, VectorGraph.efConstruction, spec.efConstruction);
  setU32(k, at, VectorGraph.metric, metricOf(spec.element, spec.similarity));
  setU32(k, at, VectorGraph.dims, spec.element === 'bit' ? spec.dims / 8 : spec.dims);
  setU32(k, at, VectorGraph.stride, strideOf(spec));
  setU32(k, at, VectorGraph.centroidOff, layout.centroidOff);
  setU32(k, at, VectorGraph.docsOff, layout.docsOff);
  setU32(k, at, VectorGraph.upperIndexOff, layout.upperIndexOff);
  setU32(k, at, VectorGraph.codesOff, layout.codesOff);
  setU32(k, at, VectorGraph.codeDims, layout.codeDims);
  setU32(k, at, VectorGraph.codeStride, layout.codeStride);
  setU32(k, at, VectorGraph.linksOff, layout.linksOff);
  setU32(k, at, VectorGraph.upperOff, layout.upperOff);
  setU32(k, at, VectorGraph.upperWords, upperWords);
}

/** @returns the address of a GraphBuild */
function openBuild(k: Kernels, { spec, nodes, upperWords }: GraphPlan, { at, allocate }: GraphTarget, values: number): number {
  const layout = layoutOf(spec, nodes, upperWords);
  const space = allocate(VectorSpace.sizeof, true);
  setU32(k, space, VectorSpace.metric, metricOf(spec.element, spec.similarity));
  setU32(k, space, VectorSpace.dims, spec.element === 'bit' ? spec.dims / 8 : spec.dims);
  setU32(k, space, VectorSpace.values, values);
  setU32(k, space, VectorSpace.stride, strideOf(spec));
  const search = allocate(GraphSearch.sizeof, true);
  setSearch(k, search, { graph: at, space, ef: spec.efConstruction, reserve: (bytes) => allocate(bytes) });
  const build = allocate(GraphBuild.sizeof, true);
  const list = (2 * spec.m + 4) * 4;
  setU32(k, build, GraphBuild.search, search);
  setU32(k, build, GraphBuild.scoresStart, allocate(layout.bytes - layout.linksOff));
  setU32(k, build, GraphBuild.list, allocate(list));
  setU32(k, build, GraphBuild.listScores, allocate(list));
  setU32(k, build, GraphBuild.done, allocate(visitedBytes(nodes), true));
  setU32(k, build, GraphBuild.damaged, allocate(visitedBytes(nodes), true));
  setU32(k, build, GraphBuild.starts, allocate((spec.efConstruction + 1) * 8));
  return build;
}
