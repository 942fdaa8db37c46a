/** change_point and bucket_count_ks_test. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChange } from '../../../src/aggs/pipelines/change-points.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';
import { Rng } from '../../support/rng.ts';

/** A series of `n` values with noise of about one. */
function series(seed: number, n: number, signal: (i: number) => number): number[] {
  const rng = new Rng(seed);
  const noise = (): number => (rng.int(0, 1000) + rng.int(0, 1000) + rng.int(0, 1000)) / 500 - 3;
  return Array.from({ length: n }, (_, i) => signal(i) + noise());
}

describe('kinds and places of changes', () => {
  for (const n of [24, 60, 200]) {
    const middle = Math.floor(n / 2);
    const kinds: [string, (i: number) => number, number | null][] = [
      ['stationary', () => 100, null],
      ['non_stationary', (i) => (i * 60) / n, null],
      ['step_change', (i) => (i < middle ? 100 : 115), middle],
      ['trend_change', (i) => (i < middle ? i : 3 * middle - 2 * i) * (60 / n), middle],
      ['spike', (i) => (i === 7 ? 160 : 100), 7],
      ['dip', (i) => (i === n - 2 ? 20 : 100), n - 2],
    ];
    for (const [kind, signal, at] of kinds)
      test(`finds ${kind} in ${n} values`, () => {
        let right = 0;
        for (let seed = 1; seed <= 20; seed++) {
          const change = findChange(series(seed, n, signal));
          if (change.type !== kind) continue;
          right++;
          if (at !== null) expect(Math.abs((change.at ?? -99) - at)).toBeLessThanOrEqual(kind === 'trend_change' ? 5 : 1);
        }
        expect(right).toBeGreaterThanOrEqual(18);
      });
  }
  test('a change of the spread is a change of the distribution', () => {
    const wild = series(3, 200, () => 0).map((value, i) => (i < 100 ? value : value * 8));
    expect(findChange(wild).type).toBe('distribution_change');
  });
  test('equal values are stationary, and exact steps are found', () => {
    expect(findChange(new Array(30).fill(5))).toEqual({ type: 'stationary', figures: {}, at: null });
    expect(findChange(Array.from({ length: 30 }, (_, i) => (i < 15 ? 1 : 2)))).toMatchObject({ type: 'step_change', at: 15 });
    expect(findChange(Array.from({ length: 30 }, (_, i) => i)).figures).toMatchObject({ trend: 'increasing' });
  });
});

describe('in searches', () => {
  let node: RestNode;
  beforeAll(async () => {
    node = await openRestNode();
    await node.ok('PUT /m', { mappings: { properties: { day: { type: 'date' }, v: { type: 'long' }, k: { type: 'keyword' } } } });
    const docs = Array.from({ length: 40 }, (_, i) => ({
      day: new Date(Date.UTC(2024, 0, 1 + i)).toISOString(),
      v: i === 25 ? 900 : 100 + (i % 3),
      k: i % 2 === 0 ? 'a' : 'b',
    }));
    await node.ok(
      'POST /m/_bulk?refresh=true',
      docs.flatMap((doc) => [{ index: {} }, doc]),
    );
  });
  afterAll(() => node.close());
  const days = { date_histogram: { field: 'day', calendar_interval: 'day' }, aggs: { mean: { avg: { field: 'v' } } } };

  test('change_point shows the bucket of the change', async () => {
    const { aggregations } = await node.ok('POST /m/_search?size=0&typed_keys=true', {
      aggs: { days, c: { change_point: { buckets_path: 'days>mean' } } },
    });
    const { bucket, type } = aggregations['change_point#c'];
    expect(bucket).toEqual({ key: '2024-01-26T00:00:00.000Z', doc_count: 1, 'avg#mean': { value: 900 } });
    expect(type.spike.change_point).toBe(25);
  });

  test('change_point needs 22 buckets', async () => {
    const { aggregations } = await node.ok('POST /m/_search?size=0', {
      query: { range: { day: { lt: '2024-01-11' } } },
      aggs: { days, c: { change_point: { buckets_path: 'days>mean' } } },
    });
    const reason = 'not enough buckets to calculate change_point. Requires at least [22]; found [10]';
    expect(aggregations.c).toEqual({ type: { indeterminable: { reason } } });
  });

  test('bucket_count_ks_test distinguishes equal from different distributions', async () => {
    const ranges = { range: { field: 'v', ranges: [{ to: 101 }, { from: 101, to: 102 }, { from: 102 }] } };
    const run = async (params: object): Promise<any> =>
      (
        await node.ok('POST /m/_search?size=0', {
          aggs: {
            all: { terms: { field: 'k' }, aggs: { ranges, t: { bucket_count_ks_test: { buckets_path: 'ranges>_count', ...params } } } },
          },
        })
      ).aggregations.all.buckets[0].t;
    const same = await run({ sampling_method: 'uniform' });
    expect(same.two_sided).toBeGreaterThan(0.5);
    const other = await run({ fractions: [0.01, 0.01, 0.98], sampling_method: 'uniform', alternative: ['two_sided', 'greater', 'less'] });
    expect(other.two_sided).toBeLessThan(1e-4);
    expect(other.greater).toBeLessThan(1e-4);
    expect(other.less).toBe(1);
    expect(Object.keys(await run({ alternative: ['less'] }))).toEqual(['less']);
  });

  test('wrong parameters are refused', async () => {
    for (const [params, reason] of [
      [{ alternative: ['more'] }, 'unknown alternative [more]'],
      [{ sampling_method: 'x' }, 'Unknown sampling_method [x]'],
      [{ fractions: [-1, 2] }, '[fractions] must have at least [2] values'],
    ] as const) {
      const aggs = { d: days, t: { bucket_count_ks_test: { buckets_path: 'd>_count', ...params } } };
      const { status, text } = await node.send('POST /m/_search', { aggs });
      expect([status, text.includes(reason)]).toEqual([400, true]);
    }
  });
});
