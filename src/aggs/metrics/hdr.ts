// Percentiles as an HdrHistogram gives them: `hdr` of percentiles and percentile_ranks. The values are known exactly, so only the widths of the
// histogram's buckets matter. Rules of the Java DoubleHistogram 2.1.9 (CC0): github.com/HdrHistogram/HdrHistogram.
import { type Distribution, valueAt } from './distribution.ts';

/** Widths of the buckets of a histogram that holds values from `min` on. */
class HdrScale {
  /** Integers per unit of the values: the power of two at or below the smallest value lands on half of the first bucket. */
  readonly #ratio: number;
  readonly #subBuckets: number;

  constructor(smallest: number, digits: number) {
    this.#subBuckets = 2 ** Math.ceil(Math.log2(2 * 10 ** digits));
    this.#ratio = this.#subBuckets / 2 / 2 ** exponentOf(smallest);
  }

  /** First and last integer that are counted together with a value. */
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

  /** The first value above all that are counted together with `value`. */
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

/** Whether a histogram can hold the values: it has no negative ones. */
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

/** Share of values at or below `value` or counted together with it, in percent. */
export function hdrRank(d: Distribution, value: number, digits: number): number {
  const end = value < 0 ? 0 : scaleOf(d, digits).next(value);
  const at = d.values.findLastIndex((v) => v < end);
  return at < 0 ? 0 : (d.ranks[at] / d.total) * 100;
}
