/** moving_fn with any script, models of moving_avg, moving_percentiles and bucket_correlation. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;

/** Sums of the buckets 0, 1, 2... */
const SUMS = [4, 7, 5, 9, 6, 11, 8, 13];

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /steps', { mappings: { properties: { at: { type: 'integer' }, n: { type: 'double' }, tag: { type: 'keyword' } } } });
  const lines = SUMS.flatMap((sum, at) => [
    [{ index: {} }, { at, n: sum - 1, tag: at < 4 ? 'low' : 'high' }],
    [{ index: {} }, { at, n: 1, tag: 'both' }],
  ]).flat();
  await node.ok('POST /steps/_bulk?refresh=true', lines);
});
afterAll(() => node.close());

async function histogram(pipeline: object): Promise<any[]> {
  const inner = { sum: { sum: { field: 'n' } }, p: pipeline, parts: { percentiles: { field: 'n', percents: [0, 100] } } };
  const aggs = { h: { histogram: { field: 'at', interval: 1 }, aggs: inner } };
  return (await node.ok('POST /steps/_search?size=0', { aggs })).aggregations.h.buckets;
}
const valuesOf = async (pipeline: object) => (await histogram(pipeline)).map(({ p }) => p?.value);
async function refusal(pipeline: object) {
  const inner = { sum: { sum: { field: 'n' } }, p: pipeline };
  const { json } = await node.send('POST /steps/_search', { aggs: { h: { histogram: { field: 'at', interval: 1 }, aggs: inner } } });
  return json.error;
}

const moving = (script: unknown, window = 4) => ({ moving_fn: { buckets_path: 'sum', window, script } });

describe('moving_fn', () => {
  test('runs scripts with statements, parameters and methods', async () => {
    const source = 'if (values.length == 0) { return -1 } double s = 0; for (v in values) { s += v } return s * params.f';
    expect(await valuesOf(moving({ source, params: { f: 2 } }, 2))).toEqual([-1, 8, 22, 24, 28, 30, 34, 38]);
    expect(await valuesOf(moving('values.length'))).toEqual([0, 1, 2, 3, 4, 4, 4, 4]);
    expect((await valuesOf(moving('MovingFunctions.max(values)', 3))).slice(0, 4)).toEqual([null, 4, 7, 7]);
  });
  test('supports Holt-Winters with an additive and a multiplicative season', async () => {
    const call = (isMultiplicative: boolean) =>
      moving(`values.length < 4 ? 0.0 : MovingFunctions.holtWinters(values, 0.5, 0.0, 0.0, 2, ${isMultiplicative})`, 4);
    // Two seasons of [4 7 5 9]: level 5.5, seasonal 4/5.5 and 7/5.5.
    const [low, high] = [4 / 5.5, 7 / 5.5];
    const level = (before: number, value: number) => 0.5 * value + 0.5 * before;
    const added = level(level(5.5, 5 - low), 9 - high) + low;
    const multiplied = level(level(5.5, 5 / low), 9 / high) * low;
    expect((await valuesOf(call(false)))[4]).toBeCloseTo(added, 9);
    expect((await valuesOf(call(true)))[4]).toBeCloseTo(multiplied, 6);
  });
  test('reports errors of scripts and parameters', async () => {
    expect((await refusal(moving('MovingFunctions.nothing(values)'))).caused_by.type).toBe('script_exception');
    expect((await refusal(moving('0.0', 0))).caused_by.reason).toBe('[window] must be a positive, non-zero integer.');
  });
});

describe('moving_avg', () => {
  const average = (params: object) => ({ moving_avg: { buckets_path: 'sum', ...params } });
  test('holt_winters begins with two seasons', async () => {
    const values = await valuesOf(average({ model: 'holt_winters', window: 4, settings: { period: 2 } }));
    expect(values.map((value) => value === undefined)).toEqual([true, true, true, true, false, false, false, false]);
  });
  test('checks its settings', async () => {
    const { reason, caused_by } = await refusal(average({ model: 'ewma', settings: { alpha: 2 } }));
    expect([reason, caused_by.reason]).toEqual([
      'Could not parse settings for model [ewma].',
      'Parameter [alpha] must be between 0-1 inclusive.  Providedvalue was [2.0]',
    ]);
    const unknown = await refusal(average({ model: 'simple', settings: { period: 2 } }));
    expect(unknown.caused_by.reason).toBe('Unrecognized parameter(s): [[period]]');
  });
});

describe('moving_percentiles', () => {
  test('returns percentiles of all values in the window', async () => {
    const buckets = await histogram({ moving_percentiles: { buckets_path: 'parts', window: 3 } });
    expect(buckets[0].p).toBeUndefined();
    expect(buckets.slice(1, 5).map(({ p }) => p.values['100.0'])).toEqual([3, 6, 6, 8]);
    expect(buckets[4].p.values['0.0']).toBe(1);
    const shifted = await histogram({ moving_percentiles: { buckets_path: 'parts', window: 1, shift: 1 } });
    expect(shifted.map(({ p }) => p.values)).toEqual(shifted.map(({ parts }) => parts.values));
  });
  test('refuses other aggregations', async () => {
    const { caused_by } = await refusal({ moving_percentiles: { buckets_path: 'sum', window: 3 } });
    expect(caused_by.reason).toContain('must reference a percentiles aggregation');
  });
});

describe('bucket_correlation', () => {
  const ranges = { range: { field: 'at', ranges: [{ to: 2 }, { from: 2, to: 4 }, { from: 4, to: 6 }, { from: 6 }] } };
  async function correlation(indicator: object, path = 'r>_count') {
    const inner = { r: ranges, c: { bucket_correlation: { buckets_path: path, function: { count_correlation: { indicator } } } } };
    return node.send('POST /steps/_search?size=0', { aggs: { t: { terms: { field: 'tag' }, aggs: inner } } });
  }
  test('correlates having a term with the expected values of the buckets', async () => {
    const { json } = await correlation({ expectations: [0.5, 2.5, 4.5, 6.5], doc_count: 16 });
    const byTag = Object.fromEntries(json.aggregations.t.buckets.map(({ key, c }: any) => [key, c.value]));
    // 16 documents, 4 in each bucket; those of `low` are 2 of 4 in the two lower ones.
    const xs = [0.5, 2.5, 4.5, 6.5].flatMap((x) => [x, x, x, x]);
    const ys = [1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    expect(byTag.low).toBeCloseTo(pearson(xs, ys), 12);
    expect(byTag.high).toBeCloseTo(-pearson(xs, ys), 12);
    expect(byTag.both).toBeCloseTo(0, 12);
  });
  test('refuses other numbers of buckets and other paths', async () => {
    const { json } = await correlation({ expectations: [1, 2], doc_count: 16 });
    expect(json.error.caused_by.reason).toContain('value lengths do not match; indicator.expectations [2] and number of buckets [4]');
    expect((await correlation({ expectations: [1, 2], doc_count: 16 }, 'r>m')).status).toBe(400);
  });
});

function pearson(xs: readonly number[], ys: readonly number[]): number {
  const mean = (list: readonly number[]) => list.reduce((a, b) => a + b, 0) / list.length;
  const [mx, my] = [mean(xs), mean(ys)];
  const product = (a: readonly number[], ma: number, b: readonly number[], mb: number) =>
    a.reduce((sum, value, i) => sum + (value - ma) * (b[i] - mb), 0);
  return product(xs, mx, ys, my) / Math.sqrt(product(xs, mx, xs, mx) * product(ys, my, ys, my));
}
