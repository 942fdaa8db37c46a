// Quantiles of a merging digest as T. Dunning's t-digest 3.3 reads them (Apache-2.0), which OpenSearch uses: a centroid of one value is that value
// and nothing around it; only larger centroids are spread over the way to their neighbours.
import { weightedAverage } from './digest.ts';

export interface Centroids {
  /** Ascending. */
  readonly means: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
  readonly count: number;
  readonly total: number;
  readonly min: number;
  readonly max: number;
}

/** @param q  0 to 1 @returns NaN without values */
export function singletonQuantile({ means, weights, count, total, min, max }: Centroids, q: number): number {
  if (count === 0) return Number.NaN;
  if (count === 1) return means[0];
  const last = count - 1;
  const index = q * total;
  if (index < 1) return min;
  // One of the values of an outer centroid is the smallest or the largest of all.
  const first = weights[0] / 2;
  if (weights[0] > 1 && index < first) return min + ((index - 1) / (first - 1)) * (means[0] - min);
  if (index > total - 1) return max;
  const half = weights[last] / 2;
  if (weights[last] > 1 && total - index <= half) return max - ((total - index - 1) / (half - 1)) * (max - means[last]);
  let center = first;
  for (let i = 0; i < last; i++) {
    const distance = (weights[i] + weights[i + 1]) / 2;
    if (center + distance > index) {
      const [fromLeft, toRight] = [index - center, center + distance - index];
      if (weights[i] === 1 && fromLeft < 0.5) return means[i];
      if (weights[i + 1] === 1 && toRight <= 0.5) return means[i + 1];
      const left = fromLeft - (weights[i] === 1 ? 0.5 : 0);
      const right = toRight - (weights[i + 1] === 1 ? 0.5 : 0);
      return weightedAverage(means[i], right, means[i + 1], left);
    }
    center += distance;
  }
  return weightedAverage(means[last], index - total + half, max, half - (index - total + half));
}

/** Share of the values at or below `value`, 0 to 1. @returns NaN without values */
export function singletonShareBelow({ means, weights, count, total, min, max }: Centroids, value: number): number {
  if (count === 0) return Number.NaN;
  if (value < min) return 0;
  if (value > max) return 1;
  if (count === 1) return 0.5;
  const last = count - 1;
  if (value < means[0]) {
    if (value === min) return 0.5 / total;
    return (1 + ((value - min) / (means[0] - min)) * (weights[0] / 2 - 1)) / total;
  }
  if (value > means[last]) {
    if (value === max) return 1 - 0.5 / total;
    return 1 - (1 + ((max - value) / (max - means[last])) * (weights[last] / 2 - 1)) / total;
  }
  let before = 0;
  for (let i = 0; i < last; i++) {
    if (means[i] === value) {
      let equal = 0;
      for (let j = i; j < count && means[j] === value; j++) equal += weights[j];
      return (before + equal / 2) / total;
    }
    if (value < means[i + 1]) {
      const [leftIsOne, rightIsOne] = [weights[i] === 1, weights[i + 1] === 1];
      if (leftIsOne && rightIsOne) return (before + 1) / total;
      const spread = (weights[i] + weights[i + 1]) / 2 - (leftIsOne || rightIsOne ? 0.5 : 0);
      const base = before + weights[i] / 2 + (leftIsOne ? 0.5 : 0);
      return (base + (spread * (value - means[i])) / (means[i + 1] - means[i])) / total;
    }
    before += weights[i];
  }
  return 1 - 0.5 / total;
}
