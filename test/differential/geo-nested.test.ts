import { expect, test } from 'vitest';
import { executePlan } from '../../src/plan/execute.ts';
import type { CollectPlan, PlanNode } from '../../src/plan/query-plan.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds } from '../support/rng.ts';
import { columnField, createOpenBuffer, openImage } from '../support/segments.ts';

const ALL: CollectPlan = {
  size: 1000,
  sort: [{ by: 'doc', descending: false }],
  trackScores: true,
  after: null,
  trackTotalHitsUpTo: Number.POSITIVE_INFINITY,
  minScore: null,
  terminateAfter: 0,
  postFilter: null,
};
const FIELDS = [columnField('at', 'geo'), columnField('rank', 'i64')];

/** Haversine with the mean earth radius. */
function meters(a: readonly number[], b: readonly number[]): number {
  const [lat1, lon1, lat2, lon2] = [...a, ...b].map((degrees) => (degrees * Math.PI) / 180);
  const h = Math.sin((lat2 - lat1) / 2) ** 2 + Math.cos(lat1) * Math.cos(lat2) * Math.sin((lon2 - lon1) / 2) ** 2;
  return 2 * 6371008.7714 * Math.asin(Math.sqrt(Math.min(1, h)));
}

eachKernelBuild((k, build) => {
  test(`${build}: boxes, circles and sorts by distance equal plain arithmetic`, () =>
    forSeeds(12, (rng) =>
      k.scoped(() => {
        const buffer = createOpenBuffer(build, FIELDS);
        // Half degrees, boxes and circles in between: no point is on an edge.
        const points = Array.from({ length: rng.int(1, 300) }, () => [rng.int(-180, 180) / 2, rng.int(-359, 359) / 2] as const);
        for (const [seqNo, [lat, lon]] of points.entries()) {
          buffer.encoder.begin(null);
          buffer.encoder.geo(0, lat, lon);
          buffer.encoder.end();
          buffer.add({ id: String(seqNo), seqNo, version: 1, primaryTerm: 1 });
        }
        const segment = openImage(k, buffer.flush());
        const column = segment.column('at')!;
        const ids = (test: (point: readonly number[]) => boolean) => [...points.keys()].filter((doc) => test(points[doc]));
        const [bottom, left, right] = [rng.int(-90, 80) + 0.2, rng.int(-180, 179) + 0.2, rng.int(-180, 179) + 0.2];
        const top = bottom + rng.int(1, 9);
        const box: PlanNode = { op: 'geoBox', column, top, left, bottom, right };
        const inside = ([lat, lon]: readonly number[]) =>
          lat >= bottom && lat <= top && (left <= right ? lon >= left && lon <= right : lon >= left || lon <= right);
        expect([...executePlan(k, segment, box, ALL).docs]).toEqual(ids(inside));
        const center = [rng.int(-89, 89) + 0.1, rng.int(-179, 179) + 0.1] as const;
        const radius = rng.pick([200, 3000, 9000, 19000]) * 1000;
        const circle: PlanNode = { op: 'geoDistance', column, lat: center[0], lon: center[1], meters: radius };
        expect([...executePlan(k, segment, circle, ALL).docs]).toEqual(ids((point) => meters(center, point) <= radius));
        const sort = [
          { by: 'geoDistance', column, points: [{ lat: center[0], lon: center[1] }], isPlane: false, descending: false, mode: 'min' },
        ] as const;
        const hits = executePlan(k, segment, { op: 'matchAll' }, { ...ALL, sort });
        const distances = points.map((point) => meters(center, point)).sort((a, b) => a - b);
        expect(hits.sortValues.length).toBe(points.length);
        for (const [i, [value]] of hits.sortValues.entries()) expect(Math.abs(Number(value) - distances[i])).toBeLessThan(0.01);
      }),
    ));

  test(`${build}: finds the parents of matching children, with their scores`, () =>
    forSeeds(12, (rng) =>
      k.scoped(() => {
        const buffer = createOpenBuffer(build, FIELDS);
        const families = Array.from({ length: rng.int(1, 200) }, () => Array.from({ length: rng.int(0, 4) }, () => rng.int(0, 5)));
        const roots: number[] = [];
        const children: Array<{ doc: number; rank: number; root: number }> = [];
        let doc = 0;
        for (const [seqNo, ranks] of families.entries()) {
          buffer.encoder.begin(null);
          for (const rank of ranks) {
            buffer.encoder.begin('items');
            buffer.encoder.i64(1, rank);
            buffer.encoder.end();
          }
          buffer.encoder.end();
          buffer.add({ id: String(seqNo), seqNo, version: 1, primaryTerm: 1 });
          const root = doc + ranks.length;
          for (const rank of ranks) children.push({ doc: doc++, rank, root });
          roots.push(doc++);
        }
        const segment = openImage(k, buffer.flush());
        const childDocsPtr = segment.nestedDocsPtr('items');
        const column = segment.column('rank');
        expect([...executePlan(k, segment, { op: 'matchAll' }, ALL).docs]).toEqual(roots);
        if (!childDocsPtr || !column) return;
        const least = rng.int(0, 5);
        const found = children.filter(({ rank }) => rank >= least);
        const scores = Float32Array.from(found, () => Math.fround(rng.float()));
        for (const scoreMode of ['none', 'avg', 'sum', 'min', 'max'] as const) {
          const must: PlanNode[] = [
            { op: 'docs', docs: Uint32Array.from(found, ({ doc }) => doc), scores },
            { op: 'rangeI64', column, min: BigInt(least), max: 9n },
          ];
          const child: PlanNode = { op: 'bool', must: [must[0]], filter: [must[1]], should: [], mustNot: [], minimumShouldMatch: 0 };
          const hits = executePlan(k, segment, { op: 'nested', child, childDocsPtr, parentDocsPtr: 0, scoreMode }, ALL);
          const parents = [...new Set(found.map(({ root }) => root))];
          expect([...hits.docs]).toEqual(parents);
          const expected = parents.map((root) => {
            const own = found.flatMap((entry, i) => (entry.root === root ? [scores[i]] : []));
            const sum = own.reduce((a, b) => a + b, 0);
            if (scoreMode === 'none') return 0;
            if (scoreMode === 'min' || scoreMode === 'max') return Math[scoreMode](...own);
            return Math.fround(scoreMode === 'avg' ? sum / own.length : sum);
          });
          expect([...hits.scores]).toEqual(expected);
        }
      }),
    ));
});
