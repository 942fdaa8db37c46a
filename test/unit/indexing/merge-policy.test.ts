import { expect, test } from 'vitest';
import { findForcedMerge, findMerge, type MergeCandidate } from '../../../src/indexing/merge-policy.ts';
import { forSeeds } from '../../support/rng.ts';

const MB = 1 << 20;
const segment = (bytes: number, deleted = 0): MergeCandidate => ({ bytes, maxDoc: 1000, deleted, merging: false });

test('a few segments are left alone, many of one size are merged', () => {
  expect(findMerge([])).toBeNull();
  expect(findMerge(Array.from({ length: 10 }, () => segment(4 * MB)))).toBeNull();
  expect(findMerge(Array.from({ length: 12 }, () => segment(4 * MB)))).toHaveLength(10);
});

test('small segments are merged with their neighbours, whatever their sizes', () =>
  forSeeds(30, (rng) => {
    const chosen = findMerge(Array.from({ length: rng.int(12, 30) }, () => segment(rng.int(1, 2 * MB))))!;
    expect(chosen).toEqual(Array.from({ length: 10 }, (_, i) => chosen[0] + i));
  }));

test('segments that are being merged and too large ones are not chosen', () => {
  const segments = Array.from({ length: 30 }, (_, i) => ({ ...segment(4 * MB), merging: i < 15 }));
  expect(findMerge(segments)?.every((index) => index >= 15)).toBe(true);
  expect(findMerge(Array.from({ length: 30 }, () => segment(2 ** 31)))).toBeNull();
});

test('a segment with many deletions is rewritten by itself', () => {
  expect(findMerge([segment(100 * MB), segment(100 * MB, 300)])).toEqual([1]);
});

test('the policy converges to at most logarithmically many segments', () =>
  forSeeds(50, (rng) => {
    let segments: MergeCandidate[] = [];
    for (let step = 0; step < 400; step++) {
      segments.push(segment(rng.int(MB, 8 * MB)));
      for (let merges = 0; ; merges++) {
        expect(merges).toBeLessThan(50);
        const chosen = findMerge(segments);
        if (chosen === null) break;
        const bytes = chosen.reduce((sum, index) => sum + segments[index].bytes, 0);
        segments = [...segments.filter((_, index) => !chosen.includes(index)), segment(bytes)];
      }
    }
    expect(segments.length).toBeLessThan(40);
  }));

test('force merge reaches the requested number of segments', () => {
  let segments = Array.from({ length: 7 }, (_, i) => segment((i + 1) * MB));
  const chosen = findForcedMerge(segments, 3, false)!;
  expect(chosen).toEqual([0, 1, 2, 3, 4]);
  segments = [...segments.filter((_, index) => !chosen.includes(index)), segment(20 * MB)];
  expect(findForcedMerge(segments, 3, false)).toBeNull();
  expect(findForcedMerge([segment(MB, 5)], 1, false)).toEqual([0]);
  expect(findForcedMerge([segment(MB, 5), segment(MB, 500)], 1, true)).toEqual([1]);
});
