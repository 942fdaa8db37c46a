/** boxplot, string_stats, t_test, top_metrics, rate and normalize over several segments. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { twoTailed } from '../../../src/aggs/metrics/student-t.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;

const DOCS = [
  { at: '2024-01-01T00:00:00Z', name: 'abba', before: 12, after: 15, group: 'a', place: { n: 1 } },
  { at: '2024-01-01T12:00:00Z', name: 'cab', before: 14, after: 15, group: 'a' },
  { at: '2024-01-02T00:00:00Z', name: '', before: 15, after: 18, group: 'b' },
  { at: '2024-02-01T00:00:00Z', name: ['abba', 'a'], before: 11, after: 13, group: 'b' },
  { at: '2024-02-10T00:00:00Z', before: 90, after: 20, group: 'a' },
  { name: 'z', before: 13, group: 'b' },
];

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    at: { type: 'date' },
    name: { type: 'keyword' },
    group: { type: 'keyword' },
    before: { type: 'integer' },
    after: { type: 'double' },
  };
  await node.ok('PUT /tests', { mappings: { properties } });
  for (const [i, doc] of DOCS.entries()) await node.ok(`PUT /tests/_doc/${i}?refresh=true`, doc);
});
afterAll(() => node.close());

async function answer(aggs: object, query?: object): Promise<any> {
  return (await node.ok('POST /tests/_search?size=0', { aggs, ...(query ? { query } : {}) })).aggregations;
}
const refusal = async (aggs: object) => {
  const { status, json } = await node.send('POST /tests/_search?size=0', { aggs });
  return { status, reason: json.error.root_cause[0].reason };
};
const NOTHING = { match_none: {} };

describe('boxplot', () => {
  test('returns quartiles, and whiskers without outliers', async () => {
    const { b } = await answer({ b: { boxplot: { field: 'before' } } });
    expect(b).toEqual({ min: 11, max: 90, q1: 12.25, q2: 13.5, q3: 14.75, lower: 11, upper: 15 });
  });
  test('without values', async () => {
    const { b } = await answer({ b: { boxplot: { field: 'before' } } }, NOTHING);
    expect(b).toEqual({ min: 'Infinity', max: '-Infinity', q1: 'NaN', q2: 'NaN', q3: 'NaN', lower: 'NaN', upper: 'NaN' });
  });
  test('orders buckets and has a format', async () => {
    const { g } = await answer({
      g: { terms: { field: 'group', order: { 'b.q2': 'desc' } }, aggs: { b: { boxplot: { field: 'before', format: '0.0' } } } },
    });
    expect(g.buckets.map((bucket: any) => [bucket.key, bucket.b.q2_as_string])).toEqual([
      ['a', '14.0'],
      ['b', '13.0'],
    ]);
  });
});

describe('string_stats', () => {
  test('returns lengths and entropy', async () => {
    const { s } = await answer({ s: { string_stats: { field: 'name', show_distribution: true } } });
    // abba cab '' abba a z: six a, five b, one c, one z
    const shares = { a: 6 / 13, b: 5 / 13, c: 1 / 13, z: 1 / 13 };
    const entropy = -Object.values(shares).reduce((sum, share) => sum + share * Math.log2(share), 0);
    expect(s).toMatchObject({ count: 6, min_length: 0, max_length: 4, distribution: shares });
    expect(Object.keys(s.distribution)).toEqual(['a', 'b', 'c', 'z']);
    expect(s.avg_length).toBeCloseTo(13 / 6, 12);
    expect(s.entropy).toBeCloseTo(entropy, 12);
  });
  test('accepts a value for documents without one, and no values', async () => {
    expect((await answer({ s: { string_stats: { field: 'name' } } }, NOTHING)).s).toEqual({
      ...{ count: 0, min_length: null, max_length: null, avg_length: null, entropy: 0 },
    });
    expect((await answer({ s: { string_stats: { field: 'name', missing: 'nothing' } } })).s).toMatchObject({ count: 7, max_length: 7 });
  });
  test('refuses numbers', async () => {
    expect(await refusal({ s: { string_stats: { field: 'before' } } })).toEqual({
      status: 400,
      reason: 'Field [before] of type [integer] is not supported for aggregation [string_stats]',
    });
  });
});

/** Two tails of Student's t-distribution by Simpson's rule, with the density scaled to an area of 1. */
function simpson(t: number, freedom: number): number {
  const density = (x: number) => (1 + (x * x) / freedom) ** (-(freedom + 1) / 2);
  const area = (from: number, to: number, steps: number) => {
    const h = (to - from) / steps;
    let sum = density(from) + density(to);
    for (let i = 1; i < steps; i++) sum += density(from + i * h) * (i % 2 === 1 ? 4 : 2);
    return (sum * h) / 3;
  };
  // x = tan(u) maps the infinite tail to a finite interval.
  const whole = (() => {
    const steps = 50_000;
    const h = Math.PI / 2 / steps;
    let sum = 0;
    for (let i = 0; i < steps; i++) {
      const u = (i + 0.5) * h;
      sum += density(Math.tan(u)) / Math.cos(u) ** 2;
    }
    return sum * h;
  })();
  return 1 - area(0, Math.abs(t), 20_000) / whole;
}

describe('t_test', () => {
  test('uses a distribution that equals a numeric integral', () => {
    for (const freedom of [1, 2, 3, 7.5, 30, 200]) {
      for (const t of [0, 0.1, 1, 2.5, -4]) expect(twoTailed(t, freedom)).toBeCloseTo(simpson(t, freedom), 6);
    }
  });
  test('compares paired samples, and samples of equal and of different variances', async () => {
    const a = { field: 'before', filter: { term: { group: 'b' } } };
    const b = { field: 'before', filter: { term: { group: 'a' } } };
    const { paired, equal, different, same } = await answer(
      {
        paired: { t_test: { a: { field: 'before' }, b: { field: 'after' }, type: 'paired' } },
        equal: { t_test: { a, b, type: 'homoscedastic' } },
        different: { t_test: { a, b } },
        same: { t_test: { a, b: a } },
      },
      { range: { before: { lt: 50 } } },
    );
    // differences -3 -1 -3 -2: mean -2.25, variance 0.91666
    expect(paired.value).toBeCloseTo(simpson(-2.25 / Math.sqrt(0.9166666666666666 / 4), 3), 6);
    // 15 11 13 and 12 14
    const t = 0;
    expect(equal.value).toBeCloseTo(simpson(t, 3), 6);
    expect(different.value).toBeCloseTo(1, 6);
    expect(same.value).toBe(1);
  });
  test('returns null for too few values, and refuses filters of paired samples', async () => {
    expect((await answer({ t: { t_test: { a: { field: 'before' }, b: { field: 'after' } } } }, NOTHING)).t).toEqual({ value: null });
    const filtered = { field: 'before', filter: { match_all: {} } };
    expect(await refusal({ t: { t_test: { a: filtered, b: { field: 'after' }, type: 'paired' } } })).toMatchObject({
      reason: "Paired t-test doesn't support filters",
    });
  });
});

describe('top_metrics', () => {
  test('returns fields of the first documents by a sort, with the sort values', async () => {
    const { t } = await answer({
      t: { top_metrics: { metrics: [{ field: 'before' }, { field: 'name' }, { field: 'after' }], sort: { at: 'desc' }, size: 2 } },
    });
    expect(t.top).toEqual([
      { sort: ['2024-02-10T00:00:00.000Z'], metrics: { before: 90, name: null, after: 20 } },
      { sort: ['2024-02-01T00:00:00.000Z'], metrics: { before: 11, name: 'a', after: 13 } },
    ]);
  });
  test('documents without a value to sort by are left out; buckets are ordered by the metric', async () => {
    const { g } = await answer({
      g: {
        terms: { field: 'group', order: { 't.before': 'desc' } },
        aggs: { t: { top_metrics: { metrics: { field: 'before' }, sort: { at: 'asc' } } } },
      },
    });
    expect(g.buckets.map((bucket: any) => bucket.t.top[0].metrics.before)).toEqual([15, 12]);
  });
  test('refuses sizes beyond its limit', async () => {
    expect(await refusal({ t: { top_metrics: { metrics: { field: 'before' }, sort: { at: 'asc' }, size: 11 } } })).toEqual({
      status: 400,
      reason:
        '[top_metrics.size] must not be more than [10] but was [11]. This limit can be set by changing the [index.top_metrics_max_size] index level setting.',
    });
  });
});

describe('rate', () => {
  test('divides documents, sums and counts by a unit, also below other buckets', async () => {
    const { h } = await answer({
      h: {
        date_histogram: { field: 'at', calendar_interval: 'month' },
        aggs: {
          documents: { rate: { unit: 'day' } },
          sum: { rate: { field: 'before', unit: 'year' } },
          values: { rate: { field: 'before', unit: 'month', mode: 'value_count' } },
          total: { rate: { field: 'before' } },
          g: { terms: { field: 'group' }, aggs: { sum: { rate: { field: 'before', unit: 'year' } } } },
        },
      },
    });
    const [january, february] = h.buckets;
    expect(january).toMatchObject({ documents: { value: 3 / 31 }, sum: { value: 41 * 12 }, values: { value: 3 }, total: { value: 41 } });
    expect(february.documents.value).toBeCloseTo(2 / 29, 12);
    expect(january.g.buckets.map((bucket: any) => bucket.sum.value)).toEqual([26 * 12, 15 * 12]);
  });
  test('needs a date histogram whose unit fits', async () => {
    expect((await refusal({ r: { rate: { unit: 'day' } } })).reason).toMatch(
      /^The rate aggregation can only be used inside a date histogram/,
    );
    const histogram = { date_histogram: { field: 'at', fixed_interval: '1d' }, aggs: { r: { rate: { unit: 'month' } } } };
    expect((await refusal({ histogram })).reason).toMatch(/^Cannot use month-based rate unit \[month\] with fixed interval/);
  });
});

test('normalize supports each method', async () => {
  const methods = ['rescale_0_1', 'rescale_0_100', 'percent_of_sum', 'mean', 'z-score', 'softmax'];
  const pipelines = Object.fromEntries(methods.map((method) => [method, { normalize: { buckets_path: 'm', method } }]));
  const { h } = await answer(
    { h: { histogram: { field: 'before', interval: 1 }, aggs: { m: { max: { field: 'after' } }, ...pipelines } } },
    { terms: { before: [11, 12, 15] } },
  );
  // 13 15 _ _ 18
  const row = (name: string) => h.buckets.map((bucket: any) => bucket[name]?.value ?? null);
  expect(row('rescale_0_1')).toEqual([0, 0.4, null, null, 1]);
  expect(row('rescale_0_100')).toEqual([0, 40, null, null, 100]);
  expect(row('percent_of_sum')).toEqual([13 / 46, 15 / 46, null, null, 18 / 46]);
  expect(row('mean')[4]).toBeCloseTo((18 - 46 / 3) / 5, 12);
  expect(row('z-score')[0]).toBeCloseTo((13 - 46 / 3) / Math.sqrt(38 / 9), 12);
  expect(row('softmax').reduce((sum: number, value: number | null) => sum + (value ?? 0), 0)).toBeCloseTo(1, 12);
  expect(
    await refusal({
      h: { histogram: { field: 'before', interval: 1 }, aggs: { n: { normalize: { buckets_path: '_count', method: 'x' } } } },
    }),
  ).toEqual({
    status: 400,
    reason: 'invalid method [x]',
  });
});
