// The documents of a segment whose vectors are most similar to a given one.

import {
  elementBytes,
  MAGNITUDE_BYTES,
  squaredMagnitude,
  type Vector,
  type VectorElement,
  type VectorSimilarity,
} from '../common/encoding/vector-format.ts';
import { checkTurn } from '../common/turns/turn.ts';
import { bitsetBytes, bitsetCount } from '../wasm/codec.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { graphNodes, searchGraph } from '../wasm/vector-graph.ts';
import { metricOf, type Nearest, scanVectors, vectorSpace } from '../wasm/vectors.ts';
import { guarded, planToBitset } from './execute.ts';
import type { PlanNode, SegmentScope } from './query-plan.ts';

export type { Nearest } from '../wasm/vectors.ts';

export interface NearestRequest {
  /** Name of the binary column. */
  readonly field: string;
  readonly element: VectorElement;
  readonly dims: number;
  readonly similarity: VectorSimilarity;
  /** Of `dims` elements. */
  readonly vector: Vector;
  /** Documents to find. */
  readonly size: number;
  /** Candidates that a graph compares, at least `size`. */
  readonly candidates: number;
  /** Root documents that may be found, or that contain the nested documents that may; null for all. */
  readonly filter: PlanNode | null;
  /** Of the nested documents of one root only the most similar is found. */
  readonly isNested: boolean;
  /** Bitset over [0, maxDoc), a multiple of 64 bytes: other documents are not found. Absent: all are visible. */
  readonly visible?: Uint8Array;
}

/** Where the vectors of a segment are: addresses of the binary section and of the graph, 0 if there is none. */
export interface VectorPlace {
  readonly binary: number;
  readonly graph: number;
}

/** Bytes of vectors between two checks: about a millisecond. */
const STEP_BYTES = 8 << 20;
/** A search for nested documents that finds too few roots is repeated with so many more. */
const GROWTH = 4;

/** A filter leaves a walk little to find: then it visits about this many nodes per result. */
const VISITS_PER_RESULT = 8;

/** @throws ApiError circuit_breaking_exception: the scratch is too small */
export function nearestVectors(k: Kernels, segment: SegmentScope, place: VectorPlace, request: NearestRequest): Nearest {
  return guarded(k, () => {
    const accept = acceptedDocs(k, segment, request);
    if (!request.isNested) return search(k, segment, place, request, accept, request.size);
    for (let size = request.size; ; size *= GROWTH) {
      const found = search(k, segment, place, request, accept, size);
      const best = bestOfRoots(k, segment, found, request.size);
      if (best.docs.length === request.size || found.docs.length < size) return best;
    }
  });
}

function search(k: Kernels, { maxDoc }: SegmentScope, place: VectorPlace, request: NearestRequest, accept: number, size: number): Nearest {
  const { element, dims, vector, similarity } = request;
  const stride = elementBytes(element, dims) + MAGNITUDE_BYTES;
  const space = vectorSpace(k, {
    metric: metricOf(element, similarity),
    dims: element === 'bit' ? dims / 8 : dims,
    values: place.binary + (maxDoc + 1) * 4,
    stride,
    query: k.copyIn(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)),
    queryMagnitude: Math.sqrt(squaredMagnitude(vector)),
  });
  const ef = Math.max(size, request.candidates);
  if (place.graph !== 0 && isWalkShort(k, place.graph, accept, maxDoc, ef)) {
    // The codes are close to the vectors, so that few of the candidates can be among the best.
    return searchGraph(k, space, { graph: place.graph, accept, ef, keep: size, rescore: Math.min(ef, 2 * size + 10) });
  }
  const step = Math.max(64, Math.floor(STEP_BYTES / stride));
  return scanVectors(k, space, { offsets: place.binary, maxDoc, accept, size: Math.min(size, maxDoc), step }, checkTurn);
}

/** Whether a walk compares fewer vectors than a scan of the accepted ones: results become rare as fewer documents are accepted. */
function isWalkShort(k: Kernels, graph: number, accept: number, maxDoc: number, ef: number): boolean {
  const nodes = graphNodes(k, graph);
  const accepted = accept === 0 ? nodes : Math.min(nodes, bitsetCount(k, accept, maxDoc));
  return accepted > ef && accepted * accepted > VISITS_PER_RESULT * ef * nodes;
}

/** Bitset of the documents that may be found; 0: all. */
function acceptedDocs(k: Kernels, segment: SegmentScope, { filter, isNested, visible }: NearestRequest): number {
  const { maxDoc, liveDocsPtr } = segment;
  if (filter === null && visible === undefined) return liveDocsPtr;
  const accept = k.reserve(bitsetBytes(maxDoc) + 16, 64);
  if (filter === null) k.u8.fill(0xff, accept, accept + bitsetBytes(maxDoc));
  else {
    planToBitset(k, segment, filter, accept);
    if (isNested) spreadToChildren(k, segment, accept);
  }
  if (liveDocsPtr !== 0) k.exports.executorAccept(accept, accept, liveDocsPtr, maxDoc);
  if (visible !== undefined) k.exports.executorAccept(accept, accept, k.copyIn(visible), maxDoc);
  return accept;
}

/** Gives each nested document the bit of its root, which follows it. */
function spreadToChildren(k: Kernels, { maxDoc, rootDocsPtr }: SegmentScope, bits: number): void {
  let isSet = false;
  for (let doc = maxDoc - 1; doc >= 0; doc--) {
    const mask = 1 << (doc & 7);
    const at = bits + (doc >>> 3);
    if (rootDocsPtr === 0 || (k.u8[rootDocsPtr + (doc >>> 3)] & mask) !== 0) isSet = (k.u8[at] & mask) !== 0;
    else if (isSet) k.u8[at] |= mask;
    else k.u8[at] &= ~mask;
  }
}

/** Keeps the first nested document of each root. */
function bestOfRoots(k: Kernels, { maxDoc, rootDocsPtr }: SegmentScope, { docs, similarities }: Nearest, size: number): Nearest {
  const roots = new Set<number>();
  const kept: number[] = [];
  for (let i = 0; i < docs.length && kept.length < size; i++) {
    const root = rootDocsPtr === 0 ? docs[i] : k.exports.codecBitsetNext(rootDocsPtr, maxDoc, docs[i]);
    if (roots.has(root)) continue;
    roots.add(root);
    kept.push(i);
  }
  return { docs: Uint32Array.from(kept, (i) => docs[i]), similarities: Float32Array.from(kept, (i) => similarities[i]) };
}
