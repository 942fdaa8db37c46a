// Similarities of vectors, as kernels compute them (greater is closer), and the corresponding scores.
// Source: the Elasticsearch reference, "Dense vector field type", `similarity`.
import {
  decodeVector,
  squaredMagnitude,
  type Vector,
  type VectorElement,
  type VectorSimilarity,
} from '../../common/encoding/vector-format.ts';

/** Properties that decide how vectors are compared. */
export interface ComparedVectors {
  readonly element: VectorElement;
  readonly dims: number;
  readonly similarity: VectorSimilarity;
}

/** The score of a similarity: inner product, cosine, or negative squared distance (for bits: negative number of different bits). */
export function scoreOfSimilarity(value: number, { element, dims, similarity }: ComparedVectors): number {
  const { fround } = Math;
  if (element === 'bit') return fround((dims + value) / dims);
  switch (similarity) {
    case 'l2_norm':
      return fround(1 / fround(1 - value));
    case 'cosine':
      return fround(Math.max(fround((1 + value) / 2), 0));
    case 'dot_product':
      return element === 'byte' ? fround(0.5 + value / (dims * 32_768)) : fround(Math.max(fround((1 + value) / 2), 0));
    case 'max_inner_product':
      return fround(value < 0 ? 1 / (1 - value) : value + 1);
  }
}

/** The least score that the `similarity` of a request allows: for `l2_norm` it is a distance. */
export function scoreOfLimit(limit: number, space: ComparedVectors): number {
  if (space.element === 'bit') return scoreOfSimilarity(-limit, space);
  return scoreOfSimilarity(space.similarity === 'l2_norm' ? -(limit * limit) : limit, space);
}

/** Similarity of a vector and the bytes of a stored one. */
export function exactSimilarity(query: ComparedVectors & { readonly vector: Vector }, bytes: Uint8Array): number {
  const { vector: stored, magnitude } = decodeVector(query.element, bytes);
  const { vector, element, similarity } = query;
  let sum = 0;
  if (element === 'bit') {
    for (let i = 0; i < vector.length; i++) for (let rest = (vector[i] ^ stored[i]) & 0xff; rest !== 0; rest &= rest - 1) sum--;
    return sum;
  }
  if (similarity === 'l2_norm') {
    for (let i = 0; i < vector.length; i++) sum -= (vector[i] - stored[i]) ** 2;
    return sum;
  }
  for (let i = 0; i < vector.length; i++) sum += vector[i] * stored[i];
  return similarity === 'cosine' ? sum / (Math.sqrt(squaredMagnitude(vector)) * magnitude) : sum;
}
