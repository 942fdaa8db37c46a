// Vectors of a dense_vector field: their elements, their bytes in the field's binary column, and how two of them compare.
//   bytes of a value: ├ elements │ magnitude f32 ┤   elements: f32[dims], i8[dims] or dims / 8 bytes of bits; little-endian

export type VectorElement = 'float' | 'byte' | 'bit';
export type VectorSimilarity = 'cosine' | 'dot_product' | 'l2_norm' | 'max_inner_product';

/** Search structure of an indexed field. */
export interface VectorIndex {
  readonly type: 'hnsw' | 'int8_hnsw' | 'flat' | 'int8_flat';
  /** Connections of a node of the graph; its lowest level has twice as many. 0 without a graph. */
  readonly m: number;
  /** Candidates that an insertion compares. 0 without a graph. */
  readonly efConstruction: number;
}

export interface VectorFormat {
  readonly element: VectorElement;
  /** null until the first document sets it. */
  readonly dims: number | null;
  /** null: the field is not indexed, only scripts compare its vectors. */
  readonly similarity: VectorSimilarity | null;
  readonly index: VectorIndex | null;
}

export const MAGNITUDE_BYTES = 4;
export const MAX_DIMS = 4096;

/** Bytes of the elements of a vector. */
export function elementBytes(element: VectorElement, dims: number): number {
  if (element === 'float') return dims * 4;
  return element === 'byte' ? dims : dims / 8;
}

/** A vector: floats, bytes, or bits in bytes. */
export type Vector = Float32Array | Int8Array;

/** The square of a vector's length. */
export function squaredMagnitude(vector: Vector): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i] * vector[i];
  return sum;
}

/** The bytes of a vector in the column. */
export function encodeVector(vector: Vector): Uint8Array {
  const bytes = Buffer.allocUnsafe(vector.byteLength + MAGNITUDE_BYTES);
  bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  bytes.writeFloatLE(Math.sqrt(squaredMagnitude(vector)), vector.byteLength);
  return bytes;
}

export interface StoredVector {
  readonly vector: Vector;
  readonly magnitude: number;
}

/** The vector that `encodeVector` wrote. */
export function decodeVector(element: VectorElement, bytes: Uint8Array): StoredVector {
  const size = bytes.length - MAGNITUDE_BYTES;
  // A copy has the alignment that Float32Array needs.
  const { buffer } = bytes.slice();
  const vector = element === 'float' ? new Float32Array(buffer, 0, size / 4) : new Int8Array(buffer, 0, size);
  return { vector, magnitude: new DataView(buffer).getFloat32(size, true) };
}

/** The graph that merges build over the vectors of a field. */
export interface VectorGraphSpec {
  /** Name of the binary column. */
  readonly field: string;
  readonly element: VectorElement;
  readonly dims: number;
  readonly similarity: VectorSimilarity;
  readonly m: number;
  readonly efConstruction: number;
  /** Searches compare codes of one byte per element first. */
  readonly isQuantized: boolean;
}

/** The graph of a field, null if it has none. */
export function graphSpecOf(field: string, { element, dims, similarity, index }: VectorFormat): VectorGraphSpec | null {
  if (dims === null || similarity === null || index === null || index.m === 0) return null;
  const { m, efConstruction, type } = index;
  return { field, element, dims, similarity, m, efConstruction, isQuantized: type === 'int8_hnsw' && element === 'float' };
}

/** Fewer vectors than this have no graph: comparing them all is as fast. */
export const MIN_GRAPH_VECTORS = 1000;
/** A segment with at least this many vectors and no graph is rewritten to get one. */
export const MAX_PLAIN_VECTORS = 10_000;
