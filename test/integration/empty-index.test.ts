// Aggregations over an index that has a mapping and no document yet: its shards have no segment, so they return nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
  const properties = {
    tag: { type: 'keyword' },
    n: { type: 'long' },
    x: { type: 'double' },
    at: { type: 'date' },
    ip: { type: 'ip' },
    where: { type: 'geo_point' },
    text: { type: 'text', fielddata: true },
    items: { type: 'nested', properties: { k: { type: 'keyword' } } },
  };
  expect((await service.request('PUT', '/empty', { mappings: { properties } })).status).toBe(200);
});

afterAll(() => service.stop());

const AGGREGATIONS: Record<string, unknown> = {
  terms: { field: 'tag' },
  multi_terms: { terms: [{ field: 'tag' }, { field: 'n' }] },
  rare_terms: { field: 'tag' },
  significant_terms: { field: 'tag' },
  composite: { sources: [{ t: { terms: { field: 'tag' } } }] },
  histogram: { field: 'n', interval: 5 },
  date_histogram: { field: 'at', calendar_interval: 'day' },
  auto_date_histogram: { field: 'at', buckets: 3 },
  range: { field: 'n', ranges: [{ from: 1 }] },
  date_range: { field: 'at', ranges: [{ from: '2024-01-01' }] },
  ip_range: { field: 'ip', ranges: [{ mask: '10.0.0.0/8' }] },
  filter: { match_all: {} },
  filters: { filters: { a: { match_all: {} } } },
  adjacency_matrix: { filters: { a: { match_all: {} } } },
  missing: { field: 'tag' },
  nested: { path: 'items' },
  global: {},
  sampler: {},
  geo_distance: { field: 'where', origin: '0,0', ranges: [{ to: 10 }] },
  geohash_grid: { field: 'where' },
  geotile_grid: { field: 'where' },
  avg: { field: 'n' },
  sum: { field: 'n' },
  min: { field: 'n' },
  max: { field: 'n' },
  stats: { field: 'n' },
  extended_stats: { field: 'n' },
  value_count: { field: 'n' },
  cardinality: { field: 'tag' },
  percentiles: { field: 'n' },
  percentile_ranks: { field: 'n', values: [1] },
  median_absolute_deviation: { field: 'n' },
  weighted_avg: { value: { field: 'n' }, weight: { field: 'x' } },
  geo_bounds: { field: 'where' },
  geo_centroid: { field: 'where' },
  matrix_stats: { fields: ['n', 'x'] },
  top_hits: {},
};

test.each(Object.entries(AGGREGATIONS))('%s answers without documents, plain and with typed keys', async (type, body) => {
  for (const query of ['', '?typed_keys=true']) {
    // global is only allowed at the top
    const inner = type === 'global' ? {} : { aggs: { below: { sum: { field: 'n' } } } };
    const isBucket =
      !/^(avg|sum|min|max|.*stats|value_count|cardinality|percentile.*|median.*|weighted_avg|geo_bounds|geo_centroid|top_hits)$/.test(type);
    const { status, body: answer } = await service.request('POST', `/empty/_search${query}`, {
      size: 0,
      aggs: { a: { [type]: body, ...(isBucket ? inner : {}) } },
    });
    expect(answer.error).toBeUndefined();
    expect(status).toBe(200);
    expect(Object.keys(answer.aggregations)).toHaveLength(1);
  }
});
