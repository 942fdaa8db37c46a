// Sketches of distributions as Elasticsearch's percentiles use them. Results depend on the order in which values are added, so equal
// results need the same algorithm: t-digests as in T. Dunning's library t-digest 3.2 (Apache-2.0) and Elasticsearch's modification of it
// (Apache-2.0).

/** Statistics of a distribution of numbers. */
export interface Quantiles {
  /** Sum of the weights. */
  readonly size: number;
  /** The value at a rank. @param q  0 to 1 @returns NaN without values */
  quantile(q: number): number;
  /** Share of the values at or below `value`, 0 to 1. @returns NaN without values */
  cdf(value: number): number;
  /** Calls `visit` for each value or centroid, ascending. */
  each(visit: (mean: number, weight: number) => void): void;
}

/** A sketch of a distribution, whose size does not depend on the number of values. */
export interface Digest extends Quantiles {
  add(value: number, weight: number): void;
  /** Prepares for values of this total weight. */
  reserve(weight: number): void;
  /** Ends the collection of a shard. */
  compress(): void;
}

/** The mean of a centroid as the other servers pass it on: with the rounding of a sum divided by its weight. */
export function passedMean(mean: number, weight: number): number {
  return (weight * mean) / weight;
}

/** Mean of two values, limited to the interval between them. */
export function weightedAverage(a: number, weightA: number, b: number, weightB: number): number {
  if (a > b) return weightedAverage(b, weightB, a, weightA);
  const mean = (a * weightA + b * weightB) / (weightA + weightB);
  return Math.max(a, Math.min(mean, b));
}

/** Share of [from, to] below `value`. */
export function interpolate(value: number, from: number, to: number): number {
  return (value - from) / (to - from);
}

/**
 * Share of the values at or below `value` if the weight of each centroid is spread over half the way to its neighbours.
 * @param weights  null if each is 1
 */
export function shareBelow(
  value: number,
  means: ArrayLike<number>,
  weights: ArrayLike<number> | null,
  count: number,
  { min, max, total }: { readonly min: number; readonly max: number; readonly total: number },
): number {
  if (count === 0) return Number.NaN;
  if (value < min) return 0;
  if (value > max) return 1;
  if (count === 1) return 0.5;
  const weightOf = (i: number) => (weights === null ? 1 : weights[i]);
  if (value === min || value === max) {
    let equal = 0;
    if (value === min) for (let i = 0; i < count && means[i] === value; i++) equal += weightOf(i);
    else for (let i = count - 1; i >= 0 && means[i] === value; i--) equal += weightOf(i);
    return value === min ? equal / 2 / total : (total - equal / 2) / total;
  }
  let left = (means[1] - means[0]) / 2;
  let before = 0;
  for (let i = 0; i < count - 1; i++) {
    const right = (means[i + 1] - means[i]) / 2;
    if (value < means[i] + right) {
      return Math.max(0, (before + weightOf(i) * interpolate(value, means[i] - left, means[i] + right)) / total);
    }
    before += weightOf(i);
    left = right;
  }
  const last = means[count - 1];
  if (value < last + left) return (before + weightOf(count - 1) * interpolate(value, last - left, last + left)) / total;
  return 1;
}
