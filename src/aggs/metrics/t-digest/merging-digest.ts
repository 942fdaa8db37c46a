// The merging t-digest: values are collected in a buffer, which is sorted and merged into the centroids when it is full.
import { type Digest, passedMean, shareBelow, weightedAverage } from './digest.ts';
import { type Centroids, singletonQuantile, singletonShareBelow } from './singleton-quantiles.ts';

const SMALLEST_COMPRESSION = 10;
/** Room for centroids that the limit of weights keeps apart. */
const SPARE_CENTROIDS = 10;
/** More room for few centroids, in the original alone. */
const SPARE_OF_SMALL = 20;
const SMALL_COMPRESSION = 30;
/** Buffered values per centroid. */
const BUFFER_FACTOR = 5;

export class MergingDigest implements Digest {
  readonly #hasSingletons: boolean;
  readonly #shownCompression: number;
  /** While values are being collected, more centroids are kept than in the end. */
  readonly #workCompression: number;
  readonly #means: Float64Array;
  readonly #weights: Float64Array;
  #count = 0;
  #total = 0;
  readonly #bufferMeans: Float64Array;
  readonly #bufferWeights: Float64Array;
  readonly #order: Uint32Array;
  #buffered = 0;
  #bufferedWeight = 0;
  #merges = 0;
  #min = Infinity;
  #max = -Infinity;

  /** @param hasSingletons  as in T. Dunning's original; in Elasticsearch 8, centroids of one value are spread like all others */
  constructor(compression: number, hasSingletons = false) {
    this.#hasSingletons = hasSingletons;
    const shown = Math.max(compression, SMALLEST_COMPRESSION);
    const spare = SPARE_CENTROIDS + (hasSingletons && shown < SMALL_COMPRESSION ? SPARE_OF_SMALL : 0);
    const size = Math.floor(shown + spare);
    const buffer = BUFFER_FACTOR * size;
    this.#shownCompression = shown;
    this.#workCompression = Math.sqrt(BUFFER_FACTOR - 1) * shown;
    const room = Math.max(size, Math.ceil(this.#workCompression + spare));
    this.#means = new Float64Array(room);
    this.#weights = new Float64Array(room);
    this.#bufferMeans = new Float64Array(Math.max(buffer, 2 * room));
    this.#bufferWeights = new Float64Array(this.#bufferMeans.length);
    this.#order = new Uint32Array(this.#bufferMeans.length);
  }

  get size(): number {
    return this.#total + this.#bufferedWeight;
  }

  add(value: number, weight: number): void {
    if (this.#buffered >= this.#bufferMeans.length - this.#count - 1) this.#merge(this.#workCompression);
    this.#bufferMeans[this.#buffered] = value;
    this.#bufferWeights[this.#buffered++] = weight;
    this.#bufferedWeight += weight;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  reserve(): void {}

  compress(): void {
    this.#merge(this.#shownCompression);
  }

  each(visit: (mean: number, weight: number) => void): void {
    this.#merge(this.#workCompression);
    for (let i = 0; i < this.#count; i++) visit(passedMean(this.#means[i], this.#weights[i]), this.#weights[i]);
  }

  /** Merges the buffer and the centroids, in turn from below and from above. The first and the last centroid stay single values. */
  #merge(compression: number): void {
    if (this.#bufferedWeight === 0) return;
    const backwards = this.#merges % 2 === 1;
    this.#merges++;
    const from = this.#bufferMeans;
    const fromWeights = this.#bufferWeights;
    from.set(this.#means.subarray(0, this.#count), this.#buffered);
    fromWeights.set(this.#weights.subarray(0, this.#count), this.#buffered);
    const incoming = this.#buffered + this.#count;
    const order = this.#order.subarray(0, incoming);
    for (let i = 0; i < incoming; i++) order[i] = i;
    order.sort((a, b) => from[a] - from[b] || a - b);
    if (backwards) order.reverse();
    this.#total += this.#bufferedWeight;
    this.#buffered = 0;
    this.#bufferedWeight = 0;

    const total = this.#total;
    const means = this.#means;
    const weights = this.#weights;
    const normalizer = normalizerOf(compression, total);
    let last = 0;
    let before = 0;
    means[0] = from[order[0]];
    weights[0] = fromWeights[order[0]];
    for (let i = 1; i < incoming; i++) {
      const at = order[i];
      const weight = weights[last] + fromWeights[at];
      const limit = total * Math.min(largestShare(before / total, normalizer), largestShare((before + weight) / total, normalizer));
      if (weight <= limit && i !== 1 && i !== incoming - 1) {
        weights[last] = weight;
        means[last] += ((from[at] - means[last]) * fromWeights[at]) / weight;
      } else {
        before += weights[last++];
        means[last] = from[at];
        weights[last] = fromWeights[at];
      }
    }
    this.#count = last + 1;
    if (backwards) {
      means.subarray(0, this.#count).reverse();
      weights.subarray(0, this.#count).reverse();
    }
    this.#min = Math.min(this.#min, means[0]);
    this.#max = Math.max(this.#max, means[last]);
  }

  quantile(q: number): number {
    this.#merge(this.#workCompression);
    if (this.#hasSingletons) return singletonQuantile(this.#centroids, q);
    const means = this.#means;
    const weights = this.#weights;
    const last = this.#count - 1;
    if (last < 0) return Number.NaN;
    if (last === 0) return means[0];
    const total = this.#total;
    const index = q * total;
    if (index >= total) return this.#max;
    let center = weights[0] / 2;
    // One of the values of an outer centroid is the smallest or the largest of all.
    if (weights[0] > 1 && index < center) return weightedAverage(this.#min, center - index, means[0], index);
    const half = weights[last] / 2;
    if (weights[last] > 1 && total - index <= half) return this.#max - ((total - index - 1) / (half - 1)) * (this.#max - means[last]);
    for (let i = 0; i < last; i++) {
      const distance = (weights[i] + weights[i + 1]) / 2;
      if (center + distance > index) return weightedAverage(means[i], center + distance - index, means[i + 1], index - center);
      center += distance;
    }
    return weightedAverage(means[last], index - center, this.#max, half - (index - center));
  }

  get #centroids(): Centroids {
    return { means: this.#means, weights: this.#weights, count: this.#count, total: this.#total, min: this.#min, max: this.#max };
  }

  cdf(value: number): number {
    this.#merge(this.#workCompression);
    if (this.#hasSingletons) return singletonShareBelow(this.#centroids, value);
    const totals = { min: this.#min, max: this.#max, total: this.#total };
    return shareBelow(value, this.#means, this.#weights, this.#count, totals);
  }
}

/** Largest weight of a centroid as a share of the total, at the quantile `q`: the scale function k2 of the t-digest. */
function largestShare(q: number, normalizer: number): number {
  return (q * (1 - q)) / normalizer;
}

function normalizerOf(compression: number, total: number): number {
  return compression / (4 * Math.log(total / compression) + 24);
}
