// Vectors compared one by one, in doubles: similarities (greater is closer) and the order of the most similar.

export type Measure = 'dot' | 'cosine' | 'l2' | 'bits';

export function similarity(measure: Measure, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, squared, lengthA, lengthB, bits] = [0, 0, 0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    squared += (a[i] - b[i]) ** 2;
    lengthA += a[i] ** 2;
    lengthB += b[i] ** 2;
    for (let bit = 0; bit < 8; bit++) bits += ((a[i] >> bit) ^ (b[i] >> bit)) & 1;
  }
  if (measure === 'dot') return dot;
  if (measure === 'cosine') return dot / Math.sqrt(lengthA) / Math.sqrt(lengthB);
  return measure === 'l2' ? -squared : -bits;
}

/** Positions of the `size` vectors most similar to `query`, the most similar first; ties by position. null entries have no vector. */
export function nearest(
  measure: Measure,
  query: ArrayLike<number>,
  vectors: ReadonlyArray<ArrayLike<number> | null>,
  size: number,
): number[] {
  return vectors
    .flatMap((vector, position) => (vector === null ? [] : [{ position, value: similarity(measure, query, vector) }]))
    .sort((a, b) => b.value - a.value || a.position - b.position)
    .slice(0, size)
    .map(({ position }) => position);
}

/** Score that a similarity stands for in Elasticsearch. `dims`: elements, for bits eight in a byte. */
export function score(kind: string, value: number, dims: number): number {
  if (kind === 'bit') return (dims + value) / dims;
  if (kind === 'l2_norm') return 1 / (1 - value);
  if (kind === 'byte dot_product') return 0.5 + value / (dims * 32_768);
  if (kind === 'max_inner_product') return value < 0 ? 1 / (1 - value) : value + 1;
  return (1 + value) / 2;
}
