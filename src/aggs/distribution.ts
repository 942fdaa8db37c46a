// Exact distributions of values and their quantiles.

/** Distinct values of a bucket, ascending, with the number of times that each occurs. */
export interface Distribution {
  readonly values: Float64Array;
  /** Occurrences up to and with each value. */
  readonly ranks: Float64Array;
  readonly total: number;
}

/** Value at a place of the sorted values, counted from 0. */
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

/** Linear between neighbours, as exact percentiles of Elasticsearch (SortingDigest) and quantile_cont of SQL. */
export function quantile(d: Distribution, q: number): number | null {
  if (d.total === 0) return null;
  const place = q * (d.total - 1);
  const below = Math.floor(place);
  const low = valueAt(d, below);
  const high = valueAt(d, Math.min(below + 1, d.total - 1));
  return low + (place - below) * (high - low);
}
