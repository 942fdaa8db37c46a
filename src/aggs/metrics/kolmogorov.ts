// The distribution of Kolmogorov's statistic. Source: W. Press et al., Numerical Recipes, 14.3, with Stephens' correction for small samples.

/** Probability that two distributions of one source are at least `distance` apart. @param size  (effective) number of values */
export function kolmogorovTail(distance: number, size: number): number {
  const root = Math.sqrt(size);
  const lambda = (root + 0.12 + 0.11 / root) * distance;
  if (lambda < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= 100; k++) {
    const term = Math.exp(-2 * k * k * lambda * lambda);
    sum += k % 2 === 1 ? term : -term;
    if (term < 1e-16) break;
  }
  return Math.min(1, Math.max(0, 2 * sum));
}

/** The one-sided probability. */
export function oneSidedTail(distance: number, size: number): number {
  return Math.min(1, Math.exp(-2 * size * distance * distance));
}
