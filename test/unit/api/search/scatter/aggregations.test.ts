// Aggregations over indices of several nodes equal those of one node that has all of them, byte for byte.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApartNodes, apartNodes } from '../../../../support/apart-nodes.ts';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';
import { fillApart, PLACEMENT } from './documents.ts';

let whole: RestNode;
let nodes: ApartNodes;
beforeAll(async () => {
  whole = await openRestNode();
  await fillApart(whole);
  nodes = apartNodes(whole, { ...PLACEMENT });
});
afterAll(() => whole.close());

const unTimed = (text: string) => text.replaceAll(/"took":\d+/g, '"took":0').replaceAll(/"node":"[^"]*"/g, '"node":"x"');

async function expectSame(line: string, body?: unknown): Promise<string> {
  const expected = await whole.send(line, body);
  for (const node of ['A', 'B']) {
    const answer = await nodes.send(node, line, body);
    expect([answer.status, unTimed(answer.text)]).toEqual([expected.status, unTimed(expected.text)]);
  }
  return expected.text;
}

const AGGREGATIONS: Record<string, unknown> = {
  avg: { field: 'n' },
  sum: { field: 'price' },
  min: { field: 'when' },
  max: { field: 'big' },
  value_count: { field: 'tag' },
  stats: { field: 'price', missing: 3 },
  extended_stats: { field: 'price' },
  cardinality: { field: 'tag' },
  percentiles: { field: 'price' },
  percentile_ranks: { field: 'n', values: [10, 20] },
  median_absolute_deviation: { field: 'n' },
  boxplot: { field: 'n' },
  string_stats: { field: 'tag', show_distribution: true },
  weighted_avg: { value: { field: 'n' }, weight: { field: 'small' } },
  matrix_stats: { fields: ['small', 'price'] },
  geo_bounds: { field: 'at' },
  geo_centroid: { field: 'at' },
  top_metrics: { metrics: [{ field: 'price' }, { field: 'big' }], sort: { n: 'desc' }, size: 3 },
  t_test: { a: { field: 'n' }, b: { field: 'small' }, type: 'heteroscedastic' },
  top_hits: { size: 2, from: 1, sort: ['_score', { n: 'desc' }], _source: ['title', 'n'], highlight: { fields: { title: {} } } },
  scripted_metric: {
    init_script: 'state.sum = 0',
    map_script: "state.sum += doc['small'].value",
    combine_script: 'return state.sum',
    reduce_script: 'long all = 0; for (s in states) all += s; return all',
  },
  terms: { field: 'tag' },
  rare_terms: { field: 'only_a', max_doc_count: 30 },
  multi_terms: { terms: [{ field: 'tag' }, { field: 'small' }], size: 30 },
  significant_terms: { field: 'tag', min_doc_count: 1 },
  histogram: { field: 'n', interval: 7 },
  date_histogram: { field: 'when', calendar_interval: 'month' },
  auto_date_histogram: { field: 'when', buckets: 5 },
  variable_width_histogram: { field: 'n', buckets: 4 },
  range: { field: 'n', ranges: [{ to: 10 }, { from: 10, to: 30 }, { from: 30 }] },
  date_range: { field: 'when', ranges: [{ to: '2024-02-01' }, { from: '2024-02-01' }] },
  ip_range: { field: 'ip', ranges: [{ to: '10.0.1.0' }, { from: '10.0.1.0' }] },
  ip_prefix: { field: 'ip', prefix_length: 24 },
  geo_distance: { field: 'at', origin: { lat: 50, lon: 5 }, ranges: [{ to: 500_000 }, { from: 500_000 }] },
  geohash_grid: { field: 'at', precision: 3 },
  geotile_grid: { field: 'at', precision: 5 },
  geohex_grid: { field: 'at', precision: 2 },
  filter: { term: { tag: 'red' } },
  filters: { other_bucket: true, filters: { red: { term: { tag: 'red' } }, blue: { term: { tag: 'blue' } } } },
  adjacency_matrix: { filters: { red: { term: { tag: 'red' } }, even: { term: { flag: true } } } },
  missing: { field: 'opt' },
  global: {},
  nested: { path: 'parts' },
  sampler: { shard_size: 4 },
  diversified_sampler: { shard_size: 5, field: 'tag' },
  composite: { size: 5, sources: [{ tag: { terms: { field: 'tag' } } }, { n: { histogram: { field: 'n', interval: 10 } } }] },
  frequent_item_sets: { minimum_support: 0.1, fields: [{ field: 'tag' }, { field: 'kept' }] },
  children: { type: 'answer' },
  parent: { type: 'answer' },
};
const METRICS = new Set(
  'avg sum min max value_count stats extended_stats cardinality percentiles percentile_ranks median_absolute_deviation boxplot string_stats weighted_avg matrix_stats geo_bounds geo_centroid top_metrics top_hits t_test scripted_metric frequent_item_sets'.split(
    ' ',
  ),
);
const BELOW = {
  price: { sum: { field: 'price' } },
  tags: { terms: { field: 'tag', size: 2 }, aggs: { mean: { weighted_avg: { value: { field: 'n' }, weight: { field: 'small' } } } } },
};

describe('each aggregation', () => {
  for (const [kind, body] of Object.entries(AGGREGATIONS)) {
    test(kind, async () => {
      const query = { match: { title: 'fox' } };
      await expectSame('POST /a,b,c/_search', { query, size: 2, aggs: { one: { [kind]: body } } });
      if (!METRICS.has(kind) && kind !== 'composite')
        await expectSame('POST /a,b,c/_search', { size: 0, aggs: { one: { [kind]: body, aggs: BELOW } } });
      if (kind === 'nested') return;
      await expectSame('POST /a,b,c/_search?typed_keys=true', {
        size: 0,
        aggs: { small: { terms: { field: 'small', size: 3 }, ...(kind === 'global' ? {} : { aggs: { one: { [kind]: body } } }) } },
      });
    });
  }
});

const TREES: Record<string, unknown> = {
  'terms by a metric below': { t: { terms: { field: 'tag', size: 2, order: { p: 'desc' } }, aggs: { p: { avg: { field: 'price' } } } } },
  'terms without documents': { t: { terms: { field: 'tag', min_doc_count: 0 } } },
  'terms that are included': { t: { terms: { field: 'tag', include: 'r.*|b.*' } } },
  'terms of a text': { t: { terms: { field: 'title', size: 4 } } },
  'terms with missing ones': { t: { terms: { field: 'only_b', missing: 'none' } } },
  'terms of numbers, dates and flags': {
    n: { terms: { field: 'n', size: 4 } },
    d: { terms: { field: 'when', size: 3 } },
    f: { terms: { field: 'flag' } },
  },
  'a reverse of nested': {
    parts: {
      nested: { path: 'parts' },
      aggs: {
        size: { terms: { field: 'parts.size' }, aggs: { back: { reverse_nested: {}, aggs: { tag: { terms: { field: 'tag' } } } } } },
      },
    },
  },
  'a histogram of ranges': { h: { histogram: { field: 'span', interval: 5 }, aggs: { p: { sum: { field: 'price' } } } } },
  pipelines: {
    months: {
      date_histogram: { field: 'when', calendar_interval: 'month' },
      aggs: {
        p: { sum: { field: 'price' } },
        c: { cumulative_sum: { buckets_path: 'p' } },
        d: { derivative: { buckets_path: 'p' } },
        s: { bucket_script: { buckets_path: { p: 'p' }, script: 'params.p * 2' } },
      },
    },
    best: { max_bucket: { buckets_path: 'months>p' } },
  },
  'top hits': {
    t: {
      terms: { field: 'tag', size: 2 },
      aggs: {
        all: { top_hits: { size: 3, docvalue_fields: ['big', 'when'], version: true, explain: false } },
        last: { top_hits: { size: 1, sort: ['_doc'] } },
        one: { top_metrics: { metrics: [{ field: 'n' }], sort: { small: 'asc' } } },
      },
    },
    parts: { nested: { path: 'parts' }, aggs: { best: { top_hits: { size: 3, sort: [{ 'parts.size': 'desc' }] } } } },
  },
  'a composite page': {
    c: {
      composite: {
        size: 4,
        after: { tag: 'blue', small: 2 },
        sources: [{ tag: { terms: { field: 'tag' } } }, { small: { terms: { field: 'small', order: 'desc' } } }],
      },
      aggs: { p: { avg: { field: 'price' } } },
    },
  },
  'a deep tree': {
    a: {
      terms: { field: 'tag' },
      aggs: {
        b: {
          histogram: { field: 'n', interval: 20 },
          aggs: {
            c: { terms: { field: 'kept' }, aggs: { d: { percentiles: { field: 'price' } }, e: { cardinality: { field: 'small' } } } },
          },
        },
      },
    },
  },
};

describe('each tree', () => {
  for (const [name, aggs] of Object.entries(TREES))
    test(name, () => expectSame('POST /a,b,c/_search', { size: 1, aggs }).then(() => undefined));
});

test('aliases with filters, routing and runtime fields', async () => {
  await expectSame('POST /named/_search?size=0', { aggs: AGGS_OF_ALIAS });
  await expectSame('POST /a,b,c/_search?size=0&preference=_shards:0', { aggs: AGGS_OF_ALIAS });
  await expectSame('POST /a,b,c/_search', { query: { match: { title: 'nothing' } }, aggs: AGGS_OF_ALIAS });
});
const AGGS_OF_ALIAS = { t: { terms: { field: 'tag' }, aggs: BELOW }, m: { min: { field: 'n' } } };

test('errors are those of one node', async () => {
  await expectSame('POST /a,b,c/_search', { aggs: { a: { avg: { field: 'tag' } } } });
  await expectSame('POST /a,b,c/_search', { aggs: { a: { nonsense: {} } } });
  await expectSame('POST /a,b,c/_search', { aggs: { a: { terms: { field: 'body' } } } });
});

test('segments are kept only while a search reads them', async () => {
  await nodes.send('A', 'POST /a,b,c/_search', { aggs: AGGS_OF_ALIAS });
  expect(nodes.asked.at(-1)?.part.kind).toBe('close');
  expect(await whole.engine.contexts.list('part')).toEqual([]);
});

test('what reads more than results is refused', async () => {
  const refused = {
    script: { sum: { script: { source: "doc['small'].value" } } },
    _source: { significant_text: { field: 'title', min_doc_count: 1 } },
  };
  for (const [name, one] of Object.entries(refused)) {
    const { status, text } = await nodes.send('A', 'POST /a,b,c/_search', { aggs: { one } });
    expect([name, status, text]).toEqual([name, 400, expect.stringContaining('not supported over indices of several nodes')]);
  }
});
