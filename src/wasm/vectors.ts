// Host side of assembly/vectors: similarities of vectors in a segment.
import type { VectorElement, VectorSimilarity } from '../common/encoding/vector-format.ts';
import { Metric, VectorScan, VectorSpace } from './generated/vectors.ts';
import type { Kernels } from './kernels.ts';
import { getU32, setF32, setU32 } from './records.ts';

/** Vectors of a field in a segment, and the one to compare them with. Addresses in kernel memory. */
export interface SpaceOptions {
  /** One of `Metric`. */
  readonly metric: number;
  /** Elements; for bits, bytes. */
  readonly dims: number;
  readonly values: number;
  /** Bytes of a value. */
  readonly stride: number;
  readonly query: number;
  readonly queryMagnitude: number;
}

const METRICS: Readonly<Record<'float' | 'byte', Readonly<Record<VectorSimilarity, number>>>> = {
  float: { dot_product: Metric.F32_DOT, max_inner_product: Metric.F32_DOT, cosine: Metric.F32_COSINE, l2_norm: Metric.F32_L2 },
  byte: { dot_product: Metric.I8_DOT, max_inner_product: Metric.I8_DOT, cosine: Metric.I8_COSINE, l2_norm: Metric.I8_L2 },
};

/** The kernel's name of a similarity. */
export function metricOf(element: VectorElement, similarity: VectorSimilarity): number {
  return element === 'bit' ? Metric.BITS : METRICS[element][similarity];
}

/** Documents and their similarities to a vector, parallel, the most similar first. */
export interface Nearest {
  readonly docs: Uint32Array;
  readonly similarities: Float32Array;
}

/** Writes a VectorSpace to scratch. @returns its address */
export function vectorSpace(k: Kernels, options: SpaceOptions): number {
  const ptr = k.reserve(VectorSpace.sizeof);
  setU32(k, ptr, VectorSpace.metric, options.metric);
  setU32(k, ptr, VectorSpace.dims, options.dims);
  setU32(k, ptr, VectorSpace.values, options.values);
  setU32(k, ptr, VectorSpace.stride, options.stride);
  setU32(k, ptr, VectorSpace.query, options.query);
  setF32(k, ptr, VectorSpace.queryMagnitude, options.queryMagnitude);
  return ptr;
}

export interface ScanOptions {
  /** Address of u32[maxDoc + 1]. */
  readonly offsets: number;
  readonly maxDoc: number;
  /** Address of a bitset of the documents that may be found, 0 for all. */
  readonly accept: number;
  /** At most so many are found. */
  readonly size: number;
  /** Documents between two calls of `check`. */
  readonly step: number;
}

/** Compares a vector with those of all accepted documents. @param check  called in between; may throw */
export function scanVectors(k: Kernels, space: number, options: ScanOptions, check: () => void): Nearest {
  return k.scoped(() => {
    const heap = k.reserve(options.size * 8, 8);
    const scan = k.reserve(VectorScan.sizeof);
    setU32(k, scan, VectorScan.space, space);
    setU32(k, scan, VectorScan.offsets, options.offsets);
    setU32(k, scan, VectorScan.accept, options.accept);
    setU32(k, scan, VectorScan.heap, heap);
    setU32(k, scan, VectorScan.size, options.size);
    setU32(k, scan, VectorScan.count, 0);
    for (let from = 0; from < options.maxDoc; from += options.step) {
      k.exports.vectorsScanRange(scan, from, Math.min(options.maxDoc, from + options.step));
      check();
    }
    k.exports.vectorsScanFinish(scan);
    return readNearest(k, heap, getU32(k, scan, VectorScan.count));
  });
}

/** Reads `count` keys of assembly/vectors/key-heap.ts: similarities as ordered bits above complements of numbers. */
export function readNearest(k: Kernels, keys: number, count: number): Nearest {
  const docs = new Uint32Array(count);
  const similarities = new Float32Array(count);
  const bits = new Uint32Array(similarities.buffer);
  for (let i = 0; i < count; i++) {
    docs[i] = ~k.u32[(keys >>> 2) + 2 * i];
    const ordered = k.u32[(keys >>> 2) + 2 * i + 1];
    bits[i] = ordered >= 0x80000000 ? ordered & 0x7fffffff : ~ordered;
  }
  return { docs, similarities };
}
