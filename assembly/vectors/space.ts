// How vectors of a field compare. Values of the field's binary column: ├ elements │ magnitude f32 ┤, all of `stride` bytes.
import { differentBits, dotF32, dotI8, squaredL2F32, squaredL2I8 } from './measures';

/** Similarities of vectors: greater is closer. */
export namespace Metric {
  /** Inner products of floats. */
  export const F32_DOT: u32 = 0;
  export const F32_COSINE: u32 = 1;
  /** Negative squared distance. */
  export const F32_L2: u32 = 2;
  export const I8_DOT: u32 = 3;
  export const I8_COSINE: u32 = 4;
  export const I8_L2: u32 = 5;
  /** Negative number of different bits. */
  export const BITS: u32 = 6;
}

// @ts-ignore: decorator
@unmanaged
export class VectorSpace {
  metric: u32;
  /** Elements; bytes of eight for bits. */
  dims: u32;
  /** Address of the values; `stride` bytes each. */
  values: usize;
  stride: u32;
  /** Address of the vector to compare with, and its magnitude. */
  query: usize;
  queryMagnitude: f32;
}

/** Similarity of the query and the stored value at `at`. */
export function similarity(space: VectorSpace, at: usize): f32 {
  const query = space.query, dims = space.dims;
  switch (space.metric) {
    case Metric.F32_DOT:
      return dotF32(query, at, dims);
    case Metric.F32_COSINE:
      return dotF32(query, at, dims) / (space.queryMagnitude * load<f32>(at + ((<usize>dims) << 2)));
    case Metric.F32_L2:
      return -squaredL2F32(query, at, dims);
    case Metric.I8_DOT:
      return <f32>dotI8(query, at, dims);
    case Metric.I8_COSINE:
      return <f32>dotI8(query, at, dims) / (space.queryMagnitude * load<f32>(at + dims));
    case Metric.I8_L2:
      return -(<f32>squaredL2I8(query, at, dims));
    default:
      return -(<f32>differentBits(query, at, dims));
  }
}
