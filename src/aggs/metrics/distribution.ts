// Exact distributions of values and their quantiles.

/** Distinct values of a bucket, ascending, with the number of occurrences of each. */
export interface Distribution {
  readonly values: Float64Array;
  /** Cumulative number of occurrences. */
  readonly ranks: Float64Array;
  readonly total: number;
}

/** Value at a rank, counted from 0. */
export function valueAt(d: Distribution, place: number): number {
  let low = 0;
  let high = d.values.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (d.ranks[middle] > place) high = middle;
    else low = middle + 1;
  }
  return d.values[low];
}

/** The value nearest to a rank. @param q  0 to 1; the distribution has values */
export function nearestRank(d: Distribution, q: number): number {
  return valueAt(d, Math.min(Math.floor(q * d.total), d.total - 1));
}
