// Percentiles as an HdrHistogram reports them: `hdr` of percentiles and percentile_ranks. The values are known exactly, so only the widths of the
// histogram's buckets matter. Source: rules of the Java DoubleHistogram 2.1.9 (CC0), github.com/HdrHistogram/HdrHistogram. A library would have to
// record every value; this computes the buckets of the distinct ones.
import { type Distribution, valueAt } from './distribution.ts';

/** Bucket widths of a histogram whose lowest value is `min`. */
class HdrScale {
  /** Integers per unit of the values; maps the power of two at or below the smallest value to half of the first bucket. */
  readonly #ratio: number;
  readonly #subBuckets: number;

  constructor(smallest: number, digits: number) {
    this.#subBuckets = 2 ** Math.ceil(Math.log2(2 * 10 ** digits));
    this.#ratio = this.#subBuckets / 2 / 2 ** exponentOf(smallest);
  }

  /** First and last integer in the bucket of a value. */
  #ends(value: number): { first: number; last: number } {
    const integer = Math.floor(value * this.#ratio);
    const width = integer < this.#subBuckets ? 1 : 2 ** (exponentOf(integer) + 1) / this.#subBuckets;
    const first = Math.floor(integer / width) * width;
    return { first, last: first + width - 1 };
  }

  lowest(value: number): number {
    return this.#ends(value).first / this.#ratio;
  }

  highest(value: number): number {
    return this.#ends(value).last / this.#ratio;
  }

  /** The lowest value above the bucket of `value`. */
  next(value: number): number {
    return (this.#ends(value).last + 1) / this.#ratio;
  }
}

/** Exponent of the power of two at or below a positive number. */
function exponentOf(value: number): number {
  const exponent = Math.floor(Math.log2(value));
  if (2 ** exponent > value) return exponent - 1;
  return 2 ** (exponent + 1) <= value ? exponent + 1 : exponent;
}

function scaleOf(d: Distribution, digits: number): HdrScale {
  return new HdrScale(d.values.find((value) => value > 0) ?? 1, digits);
}

/** True if a histogram can hold the values: none is negative. */
export function fitsHdr(d: Distribution): boolean {
  return d.total > 0 && d.values[0] >= 0 && Number.isFinite(d.values[d.values.length - 1]);
}

/** @param percent  0-100 */
export function hdrPercentile(d: Distribution, percent: number, digits: number): number {
  const place = Math.max(1, Math.floor((percent / 100) * d.total + 0.5)) - 1;
  const value = valueAt(d, place);
  const scale = scaleOf(d, digits);
  return percent === 0 ? scale.lowest(value) : scale.highest(value);
}

/** Percentage of the values at or below `value` or in its bucket. */
export function hdrRank(d: Distribution, value: number, digits: number): number {
  const end = value < 0 ? 0 : scaleOf(d, digits).next(value);
  const at = d.values.findLastIndex((v) => v < end);
  return at < 0 ? 0 : (100 * d.ranks[at]) / d.total;
}
