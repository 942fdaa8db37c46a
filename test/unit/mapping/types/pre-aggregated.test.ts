// Fields of type histogram and aggregate_metric_double: their values were counted before they were indexed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /latency', {
    mappings: {
      properties: {
        times: { type: 'histogram', ignore_malformed: false },
        lenient: { type: 'histogram', ignore_malformed: true },
        host: { type: 'keyword' },
        at: { type: 'date' },
        load: { type: 'aggregate_metric_double', metrics: ['min', 'max', 'sum', 'value_count'], default_metric: 'max' },
        peak: { type: 'aggregate_metric_double', metrics: ['max'], default_metric: 'max', time_series_metric: 'gauge' },
        count: { type: 'aggregate_metric_double', metrics: ['sum', 'value_count'], default_metric: 'value_count' },
      },
    },
  });
  const index = (id: number, source: object) => node.ok(`PUT /latency/_doc/${id}?refresh=true`, source);
  await index(1, {
    host: 'a',
    at: '2024-01-01T00:10:00Z',
    times: { values: [0.1, 0.25, 0.35, 0.75], counts: [8, 17, 8, 0] },
    load: { min: -2.5, max: 10, sum: 30, value_count: 4 },
    peak: { max: 3 },
    count: { sum: 5, value_count: 2 },
  });
  await index(2, {
    host: 'b',
    at: '2024-01-01T01:10:00Z',
    times: { values: [0.1, 4], counts: [2, 5] },
    load: { min: 1, max: 40.5, sum: 60, value_count: 6 },
    count: { sum: 7, value_count: 9 },
  });
  await index(3, { host: 'b', at: '2024-01-01T01:20:00Z', times: null, lenient: { values: [2, 1], counts: [1, 1] } });
});
afterAll(() => node.close());

const aggregate = async (aggs: object) => {
  const { aggregations } = (await node.ok('POST /latency/_search', { size: 0, aggs })) as { aggregations: Record<string, unknown> };
  return aggregations;
};
const found = async (query: object): Promise<string[]> => {
  const { hits } = (await node.ok('POST /latency/_search', { query, sort: ['_doc'] })) as { hits: { hits: Array<{ _id: string }> } };
  return hits.hits.map((hit) => hit._id).sort();
};
const refusal = async (line: string, body: object): Promise<{ type: string; reason: string }> => {
  const { status, json } = await node.send(line, body);
  expect(status).toBe(400);
  const { error } = json as {
    error: { root_cause: Array<{ type: string; reason: string }>; caused_by?: { type: string; reason: string } };
  };
  return error.caused_by ?? error.root_cause[0];
};

describe('histogram', () => {
  test('metrics weight each value by its count', async () => {
    const metrics = await aggregate({
      min: { min: { field: 'times' } },
      max: { max: { field: 'times' } },
      sum: { sum: { field: 'times' } },
      avg: { avg: { field: 'times' } },
      count: { value_count: { field: 'times' } },
    });
    expect(metrics).toMatchObject({ min: { value: 0.1 }, max: { value: 4 }, count: { value: 40 } });
    const sum = 0.1 * 10 + 0.25 * 17 + 0.35 * 8 + 4 * 5;
    expect((metrics.sum as { value: number }).value).toBeCloseTo(sum, 10);
    expect((metrics.avg as { value: number }).value).toBeCloseTo(sum / 40, 10);
  });

  test('percentiles, ranks and box plots read the distribution, with each method', async () => {
    const figures = await aggregate({
      digest: { percentiles: { field: 'times', percents: [10, 50, 99] } },
      hdr: { percentiles: { field: 'times', percents: [10, 50, 99], hdr: {} } },
      exact: { percentiles: { field: 'times', percents: [10, 50, 99], exact: true } },
      ranks: { percentile_ranks: { field: 'times', values: [0.3], exact: true } },
      box: { boxplot: { field: 'times' } },
    });
    expect(figures.digest).toMatchObject({ values: { '10.0': 0.1, '50.0': 0.25, '99.0': 4 } });
    expect(figures.exact).toMatchObject({ values: { '10.0': 0.1, '50.0': 0.25, '99.0': 4 } });
    const { values } = figures.hdr as { values: Record<string, number> };
    expect(values['50.0']).toBeCloseTo(0.25, 3);
    expect(figures.ranks).toMatchObject({ values: { '0.3': (100 * 27) / 40 } });
    expect(figures.box).toMatchObject({ min: 0.1, max: 4, q2: 0.25 });
  });

  test('histogram and range put the counts into buckets', async () => {
    const buckets = await aggregate({
      histogram: { histogram: { field: 'times', interval: 0.2, min_doc_count: 1 } },
      bounded: { histogram: { field: 'times', interval: 1, hard_bounds: { min: 0, max: 2 } } },
      range: { range: { field: 'times', ranges: [{ to: 0.25 }, { from: 0.25, to: 1 }, { from: 1 }, { from: 0 }] } },
    });
    const counts = (name: string) => (buckets[name] as { buckets: Array<{ key: unknown; doc_count: number }> }).buckets;
    expect(counts('histogram').map(({ key, doc_count }) => [key, doc_count])).toEqual([
      [0, 10],
      [0.2, 25],
      [4, 5],
    ]);
    expect(counts('bounded').map(({ doc_count }) => doc_count)).toEqual([35]);
    expect(Object.fromEntries(counts('range').map(({ key, doc_count }) => [key, doc_count]))).toEqual({
      '*-0.25': 10,
      '0.25-1.0': 25,
      '1.0-*': 5,
      '0.0-*': 40,
    });
  });

  test('aggregations below buckets see the documents of their bucket', async () => {
    const { hosts, hours } = (await aggregate({
      hosts: {
        terms: { field: 'host' },
        aggs: { n: { value_count: { field: 'times' } }, h: { histogram: { field: 'times', interval: 4 } } },
      },
      hours: {
        date_histogram: { field: 'at', fixed_interval: '1h' },
        aggs: { sum: { rate: { field: 'times', unit: 'minute' } }, n: { rate: { field: 'times', unit: 'minute', mode: 'value_count' } } },
      },
    })) as Record<string, { buckets: Array<Record<string, never>> }>;
    expect(hosts.buckets).toMatchObject([
      { key: 'b', doc_count: 2, n: { value: 7 }, h: { buckets: [{ doc_count: 2 }, { doc_count: 5 }] } },
      { key: 'a', doc_count: 1, n: { value: 33 }, h: { buckets: [{ doc_count: 33 }] } },
    ]);
    expect(hours.buckets).toMatchObject([{ n: { value: 33 / 60 } }, { n: { value: 7 / 60 } }]);
  });

  test('exists finds documents with a histogram', async () => {
    expect(await found({ exists: { field: 'times' } })).toEqual(['1', '2']);
  });

  test('a malformed histogram is dropped with ignore_malformed, and named in _ignored', async () => {
    expect(await found({ exists: { field: 'lenient' } })).toEqual([]);
    expect(await found({ term: { _ignored: 'lenient' } })).toEqual(['3']);
  });

  test('searches, sorts and other aggregations are refused', async () => {
    const search = (body: object) => refusal('POST /latency/_search', body);
    expect((await search({ query: { term: { times: 1 } } })).reason).toContain('[histogram] field do not support searching');
    expect((await search({ query: { range: { times: { gt: 1 } } } })).reason).toContain('does not support range queries');
    expect((await search({ sort: 'times' })).reason).toBe("can't sort on the [histogram] field");
    for (const type of ['stats', 'terms', 'cardinality', 'missing', 'date_histogram']) {
      const body = type === 'date_histogram' ? { field: 'times', fixed_interval: '1d' } : { field: 'times' };
      expect((await search({ aggs: { a: { [type]: body } } })).reason).toBe(
        `Field [times] of type [histogram] is not supported for aggregation [${type}]`,
      );
    }
    const nested = { a: { histogram: { field: 'times', interval: 1 }, aggs: { b: { max: { field: 'times' } } } } };
    expect((await search({ aggs: nested })).reason).toBe('Histogram aggregation on histogram fields does not support sub-aggregations');
    expect((await search({ aggs: { a: { min: { field: 'times', missing: 1 } } } })).reason).toContain('[missing] is not supported');
  });

  test.each([
    [7, 'expected an object but got 7'],
    [{ values: [1] }, 'expected field called [counts]'],
    [{ counts: [1] }, 'expected field called [values]'],
    [{ values: [1], counts: [1], sum: 1 }, 'with unknown parameter [sum]'],
    [{ values: [1, 2], counts: [1] }, 'expected same length from [values] and [counts] but got [2 != 1]'],
    [{ values: [2, 1], counts: [1, 1] }, '[values] values must be in increasing order, got [1.0] but previous value was [2.0]'],
    [{ values: [1], counts: [-3] }, '[counts] elements must be >= 0 but got -3'],
    [{ values: [1], counts: [1.5] }, '[counts] elements must be integers below 2^53 but got 1.5'],
    [{ values: ['x'], counts: [1] }, 'expected numbers in [values] but got x'],
    [{ values: 1, counts: [1] }, 'expected an array in [values] but got 1'],
  ])('refuses %j', async (times, reason) => {
    expect((await refusal('PUT /latency/_doc/9', { times })).reason).toBe(`[1:10] error parsing field [times], ${reason}`);
  });

  test('a document has one histogram at most', async () => {
    const one = { values: [1], counts: [1] };
    expect((await refusal('PUT /latency/_doc/9', { times: [one, one] })).reason).toContain("doesn't support indexing multiple values");
  });

  test('synthetic sources have the values that occurred', async () => {
    await node.ok('PUT /synthetic', { mappings: { _source: { mode: 'synthetic' }, properties: { times: { type: 'histogram' } } } });
    await node.ok('PUT /synthetic/_doc/1', { times: { counts: [3, 0, 1], values: [1, 2, 3.5] } });
    const { _source } = (await node.ok('GET /synthetic/_doc/1')) as { _source: object };
    expect(_source).toEqual({ times: { values: [1, 3.5], counts: [3, 1] } });
  });
});

describe('aggregate_metric_double', () => {
  test('each metric aggregation reads its own figure', async () => {
    const metrics = await aggregate({
      min: { min: { field: 'load' } },
      max: { max: { field: 'load' } },
      sum: { sum: { field: 'load' } },
      avg: { avg: { field: 'load' } },
      count: { value_count: { field: 'load' } },
      hosts: { terms: { field: 'host', order: { _key: 'asc' } }, aggs: { avg: { avg: { field: 'load' } } } },
    });
    expect(metrics).toMatchObject({
      min: { value: -2.5 },
      max: { value: 40.5 },
      sum: { value: 90 },
      avg: { value: 9 },
      count: { value: 10 },
      hosts: { buckets: [{ avg: { value: 7.5 } }, { avg: { value: 10 } }] },
    });
  });

  test('queries, sorts and doc values use the default metric', async () => {
    expect(await found({ term: { load: 40.5 } })).toEqual(['2']);
    expect(await found({ terms: { load: [10, 11] } })).toEqual(['1']);
    expect(await found({ range: { load: { gt: 5 } } })).toEqual(['1', '2']);
    expect(await found({ range: { count: { gte: 3, lt: 9.5 } } })).toEqual(['2']);
    expect(await found({ term: { count: 2 } })).toEqual(['1']);
    expect(await found({ exists: { field: 'load' } })).toEqual(['1', '2']);
    const { hits } = (await node.ok('POST /latency/_search', {
      sort: [{ load: 'desc' }],
      docvalue_fields: ['load', 'count'],
      fields: ['load'],
      _source: false,
    })) as { hits: { hits: object[] } };
    expect(hits.hits).toMatchObject([
      { _id: '2', sort: [40.5], fields: { load: [{ min: 1, max: 40.5, sum: 60, value_count: 6 }], count: [9] } },
      { _id: '1', sort: [10] },
      { _id: '3', sort: ['-Infinity'] },
    ]);
  });

  test('refuses aggregations that need other figures', async () => {
    const search = (aggs: object) => refusal('POST /latency/_search', { aggs });
    expect((await search({ a: { stats: { field: 'load' } } })).reason).toBe(
      'Field [load] of type [aggregate_metric_double] is not supported for aggregation [stats]',
    );
    expect((await search({ a: { avg: { field: 'peak' } } })).reason).toContain('has no metric [sum]');
  });

  test.each([
    [{ min: 1, max: 2, sum: 3 }, 'must contain all metrics, but misses [value_count]'],
    [{ min: 1, max: 2, sum: 3, value_count: 1, avg: 2 }, 'Aggregate metric [avg] does not exist'],
    [{ min: 1, max: 2, sum: 3, value_count: -1 }, 'cannot be a negative number'],
    [5, 'expected an object of metrics but got 5'],
  ])('refuses %j', async (load, reason) => {
    expect((await refusal('PUT /latency/_doc/9', { load })).reason).toContain(reason);
  });

  test.each([
    [{}, 'Property [metrics] is required for field [f].'],
    [{ metrics: ['min'] }, 'Property [default_metric] is required for field [f].'],
    [{ metrics: ['min'], default_metric: 'max' }, 'Default metric [max] is not defined in the metrics of field [f].'],
    [{ metrics: ['avg'], default_metric: 'avg' }, 'Metric [avg] is not supported.'],
  ])('refuses the mapping %j', async (body, reason) => {
    const { json } = await node.send('PUT /wrong', { mappings: { properties: { f: { type: 'aggregate_metric_double', ...body } } } });
    expect(JSON.stringify(json)).toContain(reason);
  });

  test('mappings, figures and histograms survive a restart', async () => {
    const mapping = await node.ok('GET /latency/_mapping');
    await node.restart();
    expect(await node.ok('GET /latency/_mapping')).toEqual(mapping);
    expect(await aggregate({ sum: { sum: { field: 'load' } }, n: { value_count: { field: 'times' } } })).toMatchObject({
      sum: { value: 90 },
      n: { value: 40 },
    });
  });
});
