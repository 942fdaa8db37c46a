// The digest of Elasticsearch 8: stores all values while they are few, then uses a merging digest.
import type { Digest } from './digest.ts';
import { MergingDigest } from './merging-digest.ts';
import { SortedValues } from './sorted-values.ts';

/** Number of values per unit of compression from which they are merged. */
const VALUES_PER_COMPRESSION = 20;
/** Maximum number of values that are sorted, whatever the compression: the count of one value in a histogram has no limit. */
const MOST_SORTED = 1_000_000;

export class HybridDigest implements Digest {
  readonly #compression: number;
  readonly #mostSorted: number;
  readonly #sorted = new SortedValues();
  #digest: Digest = this.#sorted;

  constructor(compression: number) {
    this.#compression = compression;
    this.#mostSorted = Math.min(Math.round(compression) * VALUES_PER_COMPRESSION, MOST_SORTED);
  }

  get size(): number {
    return this.#digest.size;
  }

  /** Prepares for values of this total weight: they decide at once whether values are merged. */
  reserve(weight: number): void {
    if (this.#digest !== this.#sorted || this.size + weight < this.#mostSorted) return;
    this.#digest = new MergingDigest(this.#compression);
    for (const value of this.#sorted.values) this.#digest.add(value, 1);
    this.#sorted.values.length = 0;
  }

  add(value: number, weight: number): void {
    this.reserve(weight);
    this.#digest.add(value, weight);
  }

  compress(): void {
    this.#digest.compress();
  }

  quantile(q: number): number {
    return this.#digest.quantile(q);
  }

  cdf(value: number): number {
    return this.#digest.cdf(value);
  }

  each(visit: (mean: number, weight: number) => void): void {
    this.#digest.each(visit);
  }
}
