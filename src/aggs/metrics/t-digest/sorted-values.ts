// A distribution of few values: all of them, sorted. Quantiles are interpolated linearly between neighbours.
import { type Digest, shareBelow } from './digest.ts';

export class SortedValues implements Digest {
  /** In the order of their addition until they are needed sorted. */
  readonly values: number[] = [];
  #isSorted = true;

  get size(): number {
    return this.values.length;
  }

  add(value: number, weight: number): void {
    for (let n = 0; n < weight; n++) this.values.push(value);
    this.#isSorted = false;
  }

  reserve(): void {}

  compress(): void {
    if (this.#isSorted) return;
    this.values.sort((a, b) => a - b);
    this.#isSorted = true;
  }

  quantile(q: number): number {
    this.compress();
    const { values } = this;
    const last = values.length - 1;
    if (last < 0) return Number.NaN;
    const index = q * last;
    if (index <= 0) return values[0];
    if (index >= last) return values[last];
    const low = Math.floor(index);
    return values[low] + (index - low) * (values[low + 1] - values[low]);
  }

  cdf(value: number): number {
    this.compress();
    const { values } = this;
    const total = values.length;
    return shareBelow(value, values, null, total, { min: values[0], max: values[total - 1], total });
  }

  each(visit: (mean: number, weight: number) => void): void {
    this.compress();
    for (const value of this.values) visit(value, 1);
  }
}
