/** Digests answer as those of the Java libraries: t-digest.json holds what the jar elasticsearch-tdigest 8.15.0 computes for the same values. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Digest } from '../../../src/aggs/metrics/t-digest/digest.ts';
import { HybridDigest } from '../../../src/aggs/metrics/t-digest/hybrid-digest.ts';
import { MergingDigest } from '../../../src/aggs/metrics/t-digest/merging-digest.ts';
import { TreeDigest } from '../../../src/aggs/metrics/t-digest/tree-digest.ts';

interface Recorded {
  readonly kind: 'hybrid' | 'tree';
  readonly values: 'integers' | 'skewed';
  readonly seed: number;
  readonly compression: number;
  readonly size: number;
  readonly quantiles: readonly number[];
  readonly shares: readonly number[];
}

const RANKS = [0, 0.01, 0.25, 0.4, 0.5, 0.9, 0.999, 1];
const POINTS = { integers: [0, 3.5, 25, 49], skewed: [0.5, 10, 400, 999] };

const recorded = JSON.parse(readFileSync(path.join(import.meta.dirname, 't-digest.json'), 'utf8')) as readonly Recorded[];

/** Numbers 0 to 1 of a linear congruential generator. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function filled(digest: Digest, { values, seed, size }: Pick<Recorded, 'values' | 'seed' | 'size'>): Digest {
  const next = random(seed);
  for (let i = 0; i < size; i++) {
    const u = next();
    digest.add(values === 'integers' ? Math.floor(u * 50) : u * u * u * 1000, 1);
  }
  digest.compress();
  return digest;
}

describe('digests as recorded', () => {
  for (const row of recorded) {
    test(`${row.kind} digest of ${row.size} ${row.values}, compression ${row.compression}`, () => {
      const digest = filled(row.kind === 'tree' ? new TreeDigest(row.compression) : new HybridDigest(row.compression), row);
      expect(digest.size).toBe(row.size);
      expect(RANKS.map((q) => digest.quantile(q))).toEqual(row.quantiles);
      // The library's tree may give negative shares below its last but one centroid.
      expect(POINTS[row.values].map((value) => digest.cdf(value))).toEqual(row.shares.map((share) => Math.max(0, share)));
    });
  }

  test('an empty digest has no quantiles', () => {
    for (const digest of [new HybridDigest(100), new TreeDigest(100)]) {
      expect(digest.quantile(0.5)).toBeNaN();
      expect(digest.cdf(1)).toBeNaN();
    }
  });

  test('many centroids of a tree are merged', () => {
    const digest = filled(new TreeDigest(5), { values: 'skewed', seed: 3, size: 50_000 });
    let centroids = 0;
    let weight = 0;
    digest.each((_, one) => {
      centroids++;
      weight += one;
    });
    expect(weight).toBe(50_000);
    expect(centroids).toBeLessThanOrEqual(100);
    expect(Math.abs(digest.quantile(0.5) - 125)).toBeLessThan(15);
  });
});

describe('the merging digest of OpenSearch', () => {
  const of = (values: readonly number[], compression = 100): MergingDigest => {
    const digest = new MergingDigest(compression, true);
    for (const value of values) digest.add(value, 1);
    return digest;
  };

  test('few values are kept, and a quantile is one of them', () => {
    const digest = of([4, 1, 3, 2]);
    expect([0, 0.25, 0.4, 0.5, 0.75, 1].map((q) => digest.quantile(q))).toEqual([1, 2, 2, 3, 4, 4]);
    expect([0, 1, 1.5, 2, 4, 5].map((value) => digest.cdf(value))).toEqual([0, 0.125, 0.25, 0.375, 0.875, 1]);
    expect(of([]).quantile(0.5)).toBeNaN();
    expect(of([7]).quantile(0.2)).toBe(7);
    expect(of([7]).cdf(7)).toBe(0.5);
  });

  test.each([1, 2, 3])('many values are near their ranks, and exact at the ends (seed %i)', (seed) => {
    const next = random(seed);
    const values = Array.from({ length: 5000 }, () => Math.round(next() ** 3 * 1e6) / 1e3).sort((a, b) => a - b);
    const digest = of(values.toSorted((a, b) => ((a * 7919) % 13) - ((b * 7919) % 13)));
    expect(digest.quantile(0)).toBe(values[0]);
    expect(digest.quantile(1)).toBe(values[4999]);
    for (const q of [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]) {
      const share = values.filter((value) => value <= digest.quantile(q)).length / values.length;
      expect(Math.abs(share - q)).toBeLessThan(0.02);
      expect(Math.abs(digest.cdf(digest.quantile(q)) - q)).toBeLessThan(0.005);
    }
  });
});

test.each([
  [[0, 12, 108], -1, 13.88888888888889],
  [[0, 12, 108], 12, 37.03703703703704],
  [[0, 12, 108], 50, 60.49382716049383],
  [[0, 12, 108], 75, 100],
  [[1, 2, 2, 3], 2, 50],
  [[5, 9], 5, 25],
  [[5], 5, 100],
  [[5], 4, 0],
])('ranks of version 7 equal those of its server: %j at %d', (values, at, percent) => {
  const digest = new TreeDigest(100, false);
  for (const value of values) digest.add(value, 1);
  expect(digest.cdf(at) * 100).toBeCloseTo(percent, 10);
});
