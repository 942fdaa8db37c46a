import { describe, expect, test, vi } from 'vitest';
import { rangeType } from '../../../src/aggs/buckets/ranges.ts';
import type { PlanNode } from '../../../src/plan/query-plan.ts';
import type { SegmentColumn } from '../../../src/plan/segment.ts';
import type { Kernels } from '../../../src/wasm/kernels.ts';
import { AggIndex, type Row } from '../../support/agg-index.ts';
import { createKernels } from '../../support/kernels.ts';

// the executor is another unit: a bitset of listed documents is all that filters need here
vi.mock('../../../src/plan/execute.ts', () => ({
  planToBitset(k: Kernels, segment: { maxDoc: number }, plan: PlanNode, ptr: number) {
    k.u8.fill(plan.op === 'matchAll' ? 255 : 0, ptr, ptr + Math.ceil(segment.maxDoc / 512) * 64);
    if (plan.op === 'docs') for (const doc of plan.docs) k.u8[ptr + (doc >> 3)] |= 1 << (doc & 7);
  },
}));

const KINDS = { color: 'keyword', tags: 'keyword', price: 'long', weight: 'double', sold: 'date', note: 'text' } as const;
const ROWS: Row[] = [
  { color: 'red', tags: ['a', 'b'], price: 10, weight: 1.5, sold: '2024-01-05T10:00:00Z' },
  { color: 'blue', tags: ['b'], price: 20, weight: 2.25, sold: '2024-01-20T00:00:00Z' },
  { color: 'red', tags: [], price: 30, sold: '2024-03-01T12:00:00Z' },
  { color: 'green', tags: ['c', 'a'], price: 5, weight: 0.5, sold: '2024-03-31T23:59:59Z' },
  { tags: ['b'], price: 20, sold: '2024-05-01T00:00:00Z' },
];

const k = createKernels('debug', 512);

/** The same rows in one segment and in three must return the same results. */
function answers(aggs: Record<string, unknown>, match?: (row: Row) => boolean): Record<string, never> {
  const one = k.scoped(() => new AggIndex(k, KINDS, [ROWS]).search(aggs, match));
  const three = k.scoped(() => new AggIndex(k, KINDS, [ROWS.slice(0, 2), ROWS.slice(2, 3), ROWS.slice(3)]).search(aggs, match));
  expect(three).toEqual(one);
  return one as Record<string, never>;
}

const keys = (agg: { buckets: Array<{ key: unknown; doc_count: number }> }) => agg.buckets.map((bucket) => [bucket.key, bucket.doc_count]);

describe('terms', () => {
  test('orders by count, then key', () => {
    const { a } = answers({ a: { terms: { field: 'tags' } } });
    expect(keys(a)).toEqual([
      ['b', 3],
      ['a', 2],
      ['c', 1],
    ]); // prettier-ignore
    expect(a).toMatchObject({ doc_count_error_upper_bound: 0, sum_other_doc_count: 0 });
  });
  test('size limits buckets and counts the rest in sum_other_doc_count', () => {
    expect(answers({ a: { terms: { field: 'tags', size: 1 } } }).a).toMatchObject({ sum_other_doc_count: 3 });
  });
  test('orders by a sub-aggregation, those without a value last', () => {
    const { a } = answers({ a: { terms: { field: 'color', order: { w: 'desc' } }, aggs: { w: { avg: { field: 'weight' } } } } });
    expect(keys(a).map(([key]) => key)).toEqual(['blue', 'red', 'green']);
  });
  test('support missing, include, exclude and partitions', () => {
    expect(keys(answers({ a: { terms: { field: 'color', missing: 'none' } } }).a)).toContainEqual(['none', 1]);
    expect(keys(answers({ a: { terms: { field: 'color', include: '.*e.*', exclude: ['blue'] } } }).a)).toEqual([
      ['red', 2],
      ['green', 1],
    ]); // prettier-ignore
    const parts = [0, 1, 2].flatMap((partition) =>
      keys(answers({ a: { terms: { field: 'color', include: { partition, num_partitions: 3 } } } }).a),
    );
    expect(parts.map(([key]) => key).sort()).toEqual(['blue', 'green', 'red']);
  });
  test('min_doc_count 0 shows terms of other documents', () => {
    const { a } = answers({ a: { terms: { field: 'color', min_doc_count: 0 } } }, (row) => row.color === 'red');
    expect(keys(a)).toEqual([
      ['red', 2],
      ['blue', 0],
      ['green', 0],
    ]); // prettier-ignore
  });
  test('have keys of numbers and dates', () => {
    expect(keys(answers({ a: { terms: { field: 'price', exclude: [5] } } }).a)).toEqual([
      [20, 2],
      [10, 1],
      [30, 1],
    ]); // prettier-ignore
    const dates: { buckets: unknown[] } = answers({ a: { terms: { field: 'sold', size: 1 } } }).a;
    expect(dates.buckets[0]).toMatchObject({ key: Date.UTC(2024, 0, 5, 10), key_as_string: '2024-01-05T10:00:00.000Z' });
  });
});

describe('histograms', () => {
  test('fill empty months and run pipelines', () => {
    const { m, best } = answers({
      m: {
        date_histogram: { field: 'sold', calendar_interval: 'month' },
        aggs: { p: { sum: { field: 'price' } }, d: { derivative: { buckets_path: 'p' } } },
      },
      best: { max_bucket: { buckets_path: 'm>p' } },
    });
    const buckets = (m as { buckets: Array<Record<string, unknown>> }).buckets;
    expect(buckets.map((b) => b.doc_count)).toEqual([2, 0, 2, 0, 1]);
    expect(buckets[1].d).toEqual({ value: null });
    expect(best).toEqual({ value: 35, keys: ['2024-03-01T00:00:00.000Z'] });
  });
  test('begin days of a time zone at its midnights', () => {
    const { a } = answers({
      a: { date_histogram: { field: 'sold', calendar_interval: 'day', time_zone: 'Europe/Berlin', min_doc_count: 1 } },
    });
    expect(keys(a).map(([key]) => new Date(key as number).toISOString())).toContain('2024-03-31T22:00:00.000Z');
  });
  test('support interval, offset, keyed and bounds', () => {
    expect(keys(answers({ a: { histogram: { field: 'price', interval: 10, offset: 5, min_doc_count: 1 } } }).a)).toEqual([
      [5, 2],
      [15, 2],
      [25, 1],
    ]); // prettier-ignore
    const bounded = answers({
      a: { histogram: { field: 'price', interval: 10, hard_bounds: { min: 10, max: 20 }, extended_bounds: { min: 10, max: 20 } } },
    });
    expect(keys(bounded.a)).toEqual([
      [10, 1],
      [20, 2],
    ]); // prettier-ignore
    expect(answers({ a: { histogram: { field: 'price', interval: 20, keyed: true } } }).a).toMatchObject({
      buckets: { '20.0': { key: 20, doc_count: 3 } },
    });
  });
});

describe('metrics', () => {
  test('stats handle missing values and no documents', () => {
    const { s, none } = answers({ s: { stats: { field: 'weight' } }, none: { avg: { field: 'nothing' } } });
    expect(s).toEqual({ count: 3, min: 0.5, max: 2.25, avg: 4.25 / 3, sum: 4.25 });
    expect(none).toEqual({ value: null });
    expect(answers({ s: { sum: { field: 'weight', missing: 1 } } }).s).toEqual({ value: 6.25 });
    expect(answers({ s: { extended_stats: { field: 'weight' } } }, () => false).s).toMatchObject({ count: 0, avg: null, variance: null });
  });
  test('distinct values, percentiles and deviations are computed', () => {
    expect(answers({ a: { cardinality: { field: 'tags' } } }).a).toEqual({ value: 3 });
    expect(answers({ a: { percentiles: { field: 'price', percents: [0, 50, 75] } } }).a).toEqual({
      values: { '0.0': 5, '50.0': 20, '75.0': 20 },
    });
    expect(answers({ a: { percentile_ranks: { field: 'price', values: [10] } } }).a).toEqual({ values: { '10.0': 80 / 3 } });
    expect(answers({ a: { percentile_ranks: { field: 'price', values: [10], exact: true } } }).a).toEqual({ values: { '10.0': 40 } });
    expect(answers({ a: { median_absolute_deviation: { field: 'price' } } }).a).toEqual({ value: 10 });
  });
  test('typed keys are shown', () => {
    const index = new AggIndex(k, KINDS, [ROWS]);
    const aggs = { a: { terms: { field: 'color' }, aggs: { b: { max: { field: 'price' } } } } };
    expect(index.search(aggs, undefined, { typedKeys: true })).toMatchObject({
      'sterms#a': { buckets: [{ 'max#b': { value: 30 } }, {}, {}] },
    });
  });
});

describe('several ways to choose documents', () => {
  test('filter, filters with other_bucket, adjacency, global, ranges and missing select documents', () => {
    const red = { term: { color: 'red' } };
    const b = { term: { tags: 'b' } };
    expect(answers({ f: { filter: red, aggs: { p: { sum: { field: 'price' } } } } }).f).toEqual({ doc_count: 2, p: { value: 40 } });
    expect(answers({ f: { filters: { filters: { red, b }, other_bucket: true } } }).f).toEqual({
      buckets: { b: { doc_count: 3 }, red: { doc_count: 2 }, _other_: { doc_count: 1 } },
    });
    expect(keys(answers({ f: { adjacency_matrix: { filters: { red, b } } } }).f)).toEqual([
      ['b', 3],
      ['b&red', 1],
      ['red', 2],
    ]); // prettier-ignore
    expect(keys(answers({ f: { adjacency_matrix: { filters: { red, b }, show_only_intersecting: true } } }).f)).toEqual([['b&red', 1]]);
    expect(answers({ g: { global: {}, aggs: { n: { value_count: { field: 'price' } } } } }, () => false).g).toEqual({
      doc_count: 5,
      n: { value: 5 },
    });
    expect(keys(answers({ r: { range: { field: 'price', ranges: [{ to: 10 }, { from: 10, to: 25 }, { from: 20 }] } } }).r)).toEqual([
      ['*-10.0', 1],
      ['10.0-25.0', 3],
      ['20.0-*', 3],
    ]); // prettier-ignore
    expect(answers({ m: { missing: { field: 'color' } } }).m).toEqual({ doc_count: 1 });
  });
  test('composite pages through all combinations', () => {
    const sources = [
      { t: { terms: { field: 'tags', missing_bucket: true } } },
      { p: { histogram: { field: 'price', interval: 10, order: 'desc' } } },
    ];
    const seen: unknown[] = [];
    for (let after: unknown; ; ) {
      const page = answers({ c: { composite: { sources, size: 2, ...(after ? { after } : {}) } } }).c as {
        buckets: Array<{ key: unknown; doc_count: number }>;
        after_key?: unknown;
      };
      seen.push(...page.buckets.map((bucket) => [...Object.values(bucket.key as object), bucket.doc_count]));
      after = page.after_key;
      if (!after) break;
    }
    expect(seen).toEqual([
      [null, 30, 1],
      ['a', 10, 1],
      ['a', 0, 1],
      ['b', 20, 2],
      ['b', 10, 1],
      ['c', 0, 1],
    ]); // prettier-ignore
  });
  test('multi_terms counts combinations', () => {
    const { a } = answers({ a: { multi_terms: { terms: [{ field: 'color' }, { field: 'price' }] } } });
    expect((a as { buckets: unknown[] }).buckets[0]).toEqual({ key: ['blue', 20], key_as_string: 'blue|20', doc_count: 1 });
  });
  test('multi_terms with min_doc_count 0 shows combinations of other documents, in each parent', () => {
    const a = { multi_terms: { terms: [{ field: 'color' }, { field: 'tags' }], min_doc_count: 0 } };
    const rest = (counts: Record<string, number>) =>
      Object.entries(counts).map(([key, doc_count]) => ({ key: key.split('|'), key_as_string: key, doc_count }));
    const alone = answers({ a }, (row) => row.color === 'red').a as { buckets: unknown[] };
    expect(alone.buckets).toEqual(rest({ 'red|a': 1, 'red|b': 1, 'blue|b': 0, 'green|a': 0, 'green|c': 0 }));
    const { by } = answers({ by: { terms: { field: 'color', order: { _key: 'asc' } }, aggs: { a } } });
    expect((by as { buckets: Array<{ a: { buckets: unknown[] } }> }).buckets.map((bucket) => bucket.a.buckets)).toEqual([
      rest({ 'blue|b': 1, 'green|a': 0, 'green|c': 0, 'red|a': 0, 'red|b': 0 }),
      rest({ 'green|a': 1, 'green|c': 1, 'blue|b': 0, 'red|a': 0, 'red|b': 0 }),
      rest({ 'red|a': 1, 'red|b': 1, 'blue|b': 0, 'green|a': 0, 'green|c': 0 }),
    ]);
  });
  test('multi_terms keeps booleans and long integers as they are', () => {
    const big = 2 ** 62; // exact as a double, but not shown in full by it
    const rows: Row[] = [
      { on: true, id: big },
      { on: false, id: 0 },
      { on: true, id: big },
      { on: true, id: big - 512 },
    ];
    const search = (segments: Row[][], size: number) =>
      k.scoped(() =>
        new AggIndex(k, { on: 'boolean', id: 'long' }, segments).search({
          a: { multi_terms: { terms: [{ field: 'on' }, { field: 'id' }], size } },
        }),
      );
    for (const segments of [[rows], [rows.slice(0, 2), rows.slice(2)]]) {
      expect((search(segments, 10).a as { buckets: unknown[] }).buckets).toEqual([
        { key: [true, 4611686018427387904n], key_as_string: 'true|4611686018427387904', doc_count: 2 },
        { key: [false, 0], key_as_string: 'false|0', doc_count: 1 },
        { key: [true, 4611686018427387392n], key_as_string: 'true|4611686018427387392', doc_count: 1 },
      ]);
      expect(search(segments, 1).a).toMatchObject({ sum_other_doc_count: 2 });
    }
  });
  test('composite continues exactly after long integers', () => {
    const rows: Row[] = [{ id: 2 ** 62 }, { id: 2 ** 62 + 1024 }, { id: 0 }];
    const { a } = k.scoped(() =>
      new AggIndex(k, { id: 'long' }, [rows]).search({
        a: { composite: { sources: [{ id: { terms: { field: 'id' } } }], after: { id: 2n ** 62n - 1n } } },
      }),
    );
    expect((a as { buckets: Array<{ key: unknown }> }).buckets.map(({ key }) => key)).toEqual([
      { id: 2n ** 62n },
      { id: 2n ** 62n + 1024n },
    ]); // prettier-ignore
  });
  test('percentiles of hdr end where the buckets of its histogram end', () => {
    const rows: Row[] = [1, 51, 101, 151].map((n) => ({ n }));
    const search = (hdr: Record<string, unknown>) =>
      k.scoped(() =>
        new AggIndex(k, { n: 'long' }, [rows]).search({
          p: { percentiles: { field: 'n', percents: [1, 50, 99], hdr } },
          r: { percentile_ranks: { field: 'n', values: [0.5, 50.99, 51, 1000], hdr } },
        }),
      );
    // widths: 2^10 integers per unit, of which 51 is counted in groups of 2^5 and 151 in groups of 2^7
    expect(search({})).toEqual({
      p: { values: { '1.0': 1, '50.0': 51 + 31 / 1024, '99.0': 151 + 127 / 1024 } },
      r: { values: { '0.5': 0, '50.99': 25, '51.0': 50, '1000.0': 100 } },
    });
    // one digit: 32 sub-buckets, 16 integers per unit; 51 and 50.99 are in [50, 52)
    expect(search({ number_of_significant_value_digits: 1 })).toMatchObject({
      p: { values: { '50.0': 52 - 1 / 16 } },
      r: { values: { '50.99': 50 } },
    });
    expect(() => search({ number_of_significant_value_digits: null })).toThrow();
  });
  test('derivatives have their own name under typed_keys', () => {
    const aggs = { p: { sum: { field: 'price' } }, d: { derivative: { buckets_path: 'p' } } };
    const m = { date_histogram: { field: 'sold', calendar_interval: 'month' }, aggs };
    const typed = k.scoped(() => new AggIndex(k, KINDS, [ROWS]).search({ m }, undefined, { typedKeys: true }));
    const [first, second] = (typed['date_histogram#m'] as { buckets: Array<Record<string, unknown>> }).buckets;
    expect(first).not.toHaveProperty('derivative#d');
    expect(second).toHaveProperty('derivative#d');
  });
  test('ranges of unsigned integers are compared as integers', () => {
    const column = { kind: 'i64' } as unknown as SegmentColumn;
    const source = { field: 'u', type: {}, kind: 'i64', scale: 1, unsigned: true, perMillisecond: 1, missing: -(2n ** 63n) + 7n };
    const ranges = [
      { from: -Infinity, to: 50 },
      { from: 49.5, to: 150 },
      { from: 150, to: Infinity },
    ]; // prettier-ignore
    const scope = { segment: { column: () => column } } as never;
    const plan = rangeType.plan({} as never, { source, ranges, shown: [], terms: [] } as never, scope, []) as unknown as {
      filters: unknown[];
    };
    const from = (n: bigint) => n - 2n ** 63n;
    const absent = { op: 'bool', mustNot: [{ op: 'existsColumn', column }] };
    expect(plan).toMatchObject({ op: 'filters', other: false });
    expect(plan.filters).toMatchObject([
      { op: 'bool', should: [{ op: 'rangeI64', min: from(0n), max: from(49n) }, absent], minimumShouldMatch: 1 },
      { op: 'rangeI64', column, min: from(50n), max: from(149n) },
      { op: 'rangeI64', column, min: from(150n), max: 2n ** 63n - 1n },
    ]);
  });
  test('sibling pipelines take dotted paths and lists of every kind', () => {
    const { a, dotted, counts } = answers({
      a: { auto_date_histogram: { field: 'sold', buckets: 5 }, aggs: { p: { sum: { field: 'price' } } } },
      dotted: { avg_bucket: { buckets_path: 'a.p' } },
      counts: { sum_bucket: { buckets_path: 'a>_count' } },
    }) as unknown as { a: { buckets: Array<{ doc_count: number; p: { value: number } }> }; dotted: unknown; counts: unknown };
    const filled = a.buckets.filter((bucket) => bucket.doc_count > 0);
    expect(dotted).toEqual({ value: filled.reduce((sum, { p }) => sum + p.value, 0) / filled.length });
    expect(counts).toEqual({ value: 5 });
    expect(() => answers({ a: { terms: { field: 'tags' } }, s: { avg_bucket: { buckets_path: 'a' } } })).toThrow();
  });
  test('bucket_sort orders and cuts buckets', () => {
    const aggs = { p: { sum: { field: 'price' } }, s: { bucket_sort: { sort: [{ p: 'asc' }], size: 2 } } };
    expect(keys(answers({ a: { terms: { field: 'color' }, aggs } }).a).map(([key]) => key)).toEqual(['green', 'blue']);
  });
});

describe('buckets chosen by their contents', () => {
  test('significant terms are those that are more frequent than in the index', () => {
    const aggs = { f: { filter: { term: { color: 'red' } }, aggs: { s: { significant_terms: { field: 'tags', min_doc_count: 1 } } } } };
    // one of two red documents has `a`, two of all five: (1/2 - 2/5) * (1/2) / (2/5)
    const { f } = answers(aggs) as unknown as { f: { s: { buckets: Array<{ key: string; score: number; bg_count: number }> } } };
    expect(f.s).toMatchObject({ doc_count: 2, bg_count: 5 });
    expect(f.s.buckets).toHaveLength(1);
    expect(f.s.buckets[0]).toMatchObject({ key: 'a', bg_count: 2 });
    expect(f.s.buckets[0].score).toBeCloseTo(0.125, 12);
  });
  test('auto_date_histogram takes the finest interval that fits', () => {
    const auto = (buckets: number) =>
      answers({ a: { auto_date_histogram: { field: 'sold', buckets } } }).a as { interval: string; buckets: unknown[] };
    expect(auto(2)).toMatchObject({ interval: '3M' });
    expect(auto(5)).toMatchObject({ interval: '1M' });
    expect(auto(1).buckets).toHaveLength(1);
    expect(auto(20).interval).toBe('7d');
  });
  test('sampler sees the best documents of the shard', () => {
    expect(answers({ s: { sampler: { shard_size: 2 }, aggs: { p: { sum: { field: 'price' } } } } }).s).toEqual({
      doc_count: 2,
      p: { value: 30 },
    });
    const diversified = { diversified_sampler: { field: 'color', shard_size: 10 }, aggs: { p: { value_count: { field: 'price' } } } };
    expect(answers({ s: diversified }).s).toEqual({ doc_count: 4, p: { value: 4 } });
  });
  test('bucket_script computes in doubles, bucket_selector keeps buckets', () => {
    const script = { bucket_script: { buckets_path: { p: 'p', n: '_count' }, script: 'params.p / params.n' } };
    const keep = { bucket_selector: { buckets_path: { p: 'p' }, script: { source: 'params.p > params.least', params: { least: 5 } } } };
    const { a } = answers({ a: { terms: { field: 'tags' }, aggs: { p: { sum: { field: 'price' } }, each: script, keep } } });
    const buckets = (a as unknown as { buckets: Array<{ key: string; each: { value: number } }> }).buckets;
    expect(buckets.map((b) => [b.key, b.each.value])).toEqual([
      ['b', 50 / 3],
      ['a', 7.5],
    ]); // prettier-ignore
  });
  test('moving_fn, cumulative_sum and serial_diff run over a histogram', () => {
    const aggs = {
      p: { sum: { field: 'price' } },
      avg: { moving_fn: { buckets_path: 'p', window: 2, script: 'MovingFunctions.unweightedAvg(values)' } },
      sum: { cumulative_sum: { buckets_path: '_count' } },
      diff: { serial_diff: { buckets_path: '_count', lag: 2 } },
    };
    const { a } = answers({ a: { histogram: { field: 'price', interval: 10 }, aggs } });
    const buckets = (a as unknown as { buckets: Array<Record<string, { value: number | null }>> }).buckets;
    expect(buckets.map((b) => b.sum.value)).toEqual([1, 2, 4, 5]);
    expect(buckets.map((b) => b.avg.value)).toEqual([null, 5, 7.5, 25]);
    expect(buckets.map((b) => b.diff?.value)).toEqual([undefined, undefined, 1, 0]);
  });
  test('weighted_avg, matrix_stats and top_hits are computed per bucket', () => {
    const { w, t, m } = answers({
      w: { weighted_avg: { value: { field: 'price' }, weight: { field: 'weight' } } },
      t: { terms: { field: 'color', size: 1 }, aggs: { t: { top_hits: { size: 1 } } } },
      m: { matrix_stats: { fields: ['price'] } },
    }) as Record<string, unknown>;
    expect(w).toEqual({ value: (10 * 1.5 + 20 * 2.25 + 5 * 0.5) / 4.25 });
    expect(t).toMatchObject({ buckets: [{ key: 'red', t: { hits: { total: 2 } } }] });
    expect(m).toMatchObject({ doc_count: 5, fields: [{ name: 'price', mean: 17, variance: 95 }] });
  });
});

describe('refusals', () => {
  const refused = (aggs: Record<string, unknown>) => {
    try {
      new AggIndex(k, KINDS, [ROWS]).search(aggs);
    } catch (error) {
      return (error as { type: string }).type;
    }
    return 'accepted';
  };
  test.each([
    [{ a: { tems: { field: 'color' } } }, 'parsing_exception'],
    [{ a: { terms: {} } }, 'illegal_argument_exception'],
    [{ a: { terms: { field: 'color', nothing: 1 } } }, 'x_content_parse_exception'],
    [{ a: { terms: { field: 'color', size: 0 } } }, 'x_content_parse_exception'],
    [{ a: { terms: { field: 'color', order: { nothing: 'asc' } } } }, 'invalid_path'],
    [{ a: { terms: { field: 'color', include: '[a' } } }, 'x_content_parse_exception'],
    [{ a: { avg: { field: 'color' } } }, 'illegal_argument_exception'],
    [{ a: { avg: { field: 'note' } } }, 'illegal_argument_exception'],
    [{ a: { avg: { field: 'price' }, aggs: { b: { avg: { field: 'price' } } } } }, 'illegal_argument_exception'],
    [{ a: { histogram: { field: 'price', interval: 0 } } }, 'x_content_parse_exception'],
    [{ a: { histogram: { field: 'price', interval: 0.0001 } } }, 'search_phase_execution_exception'],
    [{ a: { multi_terms: { terms: [{ field: 'color' }, { script: '1' }], min_doc_count: 0 } } }, 'illegal_argument_exception'],
    [{ a: { terms: { field: 'color' }, aggs: { d: { derivative: { buckets_path: '_count' } } } } }, 'action_request_validation_exception'],
    [{ 'a>b': { avg: { field: 'price' } } }, 'parsing_exception'],
    [{ a: { date_histogram: { field: 'sold', calendar_interval: 'day', time_zone: 'Nowhere/City' } } }, 'x_content_parse_exception'],
  ])('%j', (aggs, type) => {
    expect(refused(aggs)).toBe(type);
  });
});
