// The t-digest that adds each value to its nearest centroid: that of Elasticsearch 7, and of 8 with the hint `high_accuracy`. The centroids are
// arrays instead of a tree: there are a few hundred.
import { type Digest, interpolate, passedMean, shareBelow, weightedAverage } from './digest.ts';

/** Number of centroids per unit of compression above which they are merged. */
const CENTROIDS_PER_COMPRESSION = 20;

export class TreeDigest implements Digest {
  readonly #compression: number;
  readonly #means: number[] = [];
  readonly #weights: number[] = [];
  #total = 0;
  #min = Infinity;
  #max = -Infinity;
  #seed = 1;
  readonly #hasBounds: boolean;

  /** @param hasBounds  ranks take the least and the greatest value into account; false as in version 7 */
  constructor(compression: number, hasBounds = true) {
    this.#compression = compression;
    this.#hasBounds = hasBounds;
  }

  get size(): number {
    return this.#total;
  }

  each(visit: (mean: number, weight: number) => void): void {
    this.#means.forEach((mean, i) => {
      visit(passedMean(mean, this.#weights[i]), this.#weights[i]);
    });
  }

  add(value: number, weight: number): void {
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    const at = this.#total === 0 ? -1 : this.#roomFor(value, weight);
    if (at < 0) this.#insert(value, weight);
    else this.#addTo(at, value, weight);
    this.#total += weight;
    if (this.#means.length > CENTROIDS_PER_COMPRESSION * this.#compression) this.#rebuild();
  }

  /** Index of a centroid nearest to the value that has room for the weight, chosen at random among several; -1 if there is none. */
  #roomFor(value: number, weight: number): number {
    const means = this.#means;
    const weights = this.#weights;
    let first = Math.max(0, this.#firstFrom(value) - 1);
    let nearest = Infinity;
    let end = means.length;
    for (let i = first; i < means.length; i++) {
      const distance = Math.abs(means[i] - value);
      if (distance < nearest) {
        first = i;
        nearest = distance;
      } else if (distance > nearest) {
        end = i;
        break;
      }
    }
    let before = 0;
    for (let i = 0; i < first; i++) before += weights[i];
    const total = this.#total;
    let found = -1;
    let candidates = 0;
    for (let i = first; i < end; i++) {
      const q = total === 1 ? 0.5 : (before + (weights[i] - 1) / 2) / (total - 1);
      const limit = (4 * total * q * (1 - q)) / this.#compression;
      if (weights[i] + weight <= limit && this.#random() < 1 / ++candidates) found = i;
      before += weights[i];
    }
    return found;
  }

  /** Index of the first centroid whose mean is at least `value`. */
  #firstFrom(value: number): number {
    let low = 0;
    let high = this.#means.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#means[middle] >= value) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Inserts a centroid after those with the same mean. */
  #insert(mean: number, weight: number): void {
    let at = this.#firstFrom(mean);
    while (at < this.#means.length && this.#means[at] === mean) at++;
    this.#means.splice(at, 0, mean);
    this.#weights.splice(at, 0, weight);
  }

  #addTo(at: number, value: number, weight: number): void {
    const mean = weightedAverage(this.#means[at], this.#weights[at], value, weight);
    const sum = this.#weights[at] + weight;
    if (mean === this.#means[at]) {
      this.#weights[at] = sum;
      return;
    }
    this.#means.splice(at, 1);
    this.#weights.splice(at, 1);
    this.#insert(mean, sum);
  }

  /** A number from 0 to 1; the sequence is the same in each digest, so that results are reproducible. */
  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1664525) + 1013904223) >>> 0;
    return this.#seed / 2 ** 32;
  }

  reserve(): void {}

  /** Does nothing: version 7 keeps the centroids, and the result of version 8 is random. */
  compress(): void {}

  /** Adds the centroids again in an arbitrary order. */
  #rebuild(): void {
    const means = this.#means.splice(0);
    const weights = this.#weights.splice(0);
    this.#total = 0;
    const order = means.map((_, i) => i);
    for (let i = order.length - 1; i > 0; i--) {
      const other = Math.floor(this.#random() * (i + 1));
      [order[i], order[other]] = [order[other], order[i]];
    }
    for (const i of order) this.add(means[i], weights[i]);
  }

  quantile(q: number): number {
    const means = this.#means;
    const weights = this.#weights;
    const last = means.length - 1;
    if (last < 0) return Number.NaN;
    if (last === 0) return means[0];
    const index = q * this.#total;
    if (index <= 0) return this.#min;
    if (index >= this.#total) return this.#max;
    let center = weights[0] / 2;
    if (index <= center && center > 1) return weightedAverage(this.#min, center - index, means[0], index);
    for (let i = 0; i < last; i++) {
      const distance = (weights[i] + weights[i + 1]) / 2;
      if (index < center + distance) return weightedAverage(means[i], center + distance - index, means[i + 1], index - center);
      center += distance;
    }
    return weightedAverage(means[last], weights[last] / 2 - (index - center), this.#max, index - center);
  }

  cdf(value: number): number {
    const means = this.#means;
    const weights = this.#weights;
    const count = means.length;
    const [min, max, total] = [this.#min, this.#max, this.#total];
    if (count === 1 && !this.#hasBounds) return value < means[0] ? 0 : 1;
    if (count < 2 || (this.#hasBounds && (value <= min || value >= max)))
      return shareBelow(value, means, weights, count, { min, max, total });
    // Unlike in the other digests, everything above the last centroid but one counts towards its weight.
    let left = (means[1] - means[0]) / 2;
    let right = left;
    let before = 0;
    for (let i = 0; i < count - 1; i++) {
      right = (means[i + 1] - means[i]) / 2;
      if (this.#hasBounds && i === count - 2) left = right;
      if (value < means[i] + right) {
        return Math.max(0, (before + weights[i] * interpolate(value, means[i] - left, means[i] + right)) / total);
      }
      before += weights[i];
      left = right;
    }
    return 1;
  }
}
