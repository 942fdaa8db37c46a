// Aggregations that select by score in searches without hits or with another sort; and which scores and inner hits are returned.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

/** Document i contains the word `i` times in a text of 10 words, so the last one scores best. */
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', {
    mappings: {
      properties: {
        text: { type: 'text' },
        n: { type: 'integer' },
        group: { type: 'keyword' },
        span: { type: 'date_range', format: 'strict_date_optional_time' },
        parts: { type: 'nested', properties: { k: { type: 'keyword' } } },
      },
    },
  });
  const lines = Array.from({ length: 9 }, (_, i) => [
    { index: { _id: String(i + 1) } },
    {
      text: [...Array(i + 1).fill('gannet'), ...Array(9 - i).fill('sea')].join(' '),
      n: i + 1,
      group: i % 2 === 0 ? 'even' : 'odd',
      span: { gte: '2024-01-01', lt: '2024-02-01' },
      parts: [{ k: `k${i}` }, { k: 'all' }],
    },
  ]).flat();
  await node.ok('POST /docs/_bulk?refresh=true', lines);
});

afterAll(() => node.close());

const search = (body: unknown, params = '') => node.ok(`POST /docs/_search${params}`, body);
const query = { match: { text: 'gannet' } };
const ids = (hits: { hits: Array<{ _id: string }> }) => hits.hits.map(({ _id }) => _id);

test.each([
  ['no hits', { size: 0 }],
  ['hits sorted otherwise', { size: 2, sort: ['n'] }],
])('top_hits and sampler choose by score: %s', async (_, page) => {
  const { aggregations } = await search({
    ...page,
    query,
    aggs: {
      best: { top_hits: { size: 2 } },
      groups: { terms: { field: 'group', order: { _key: 'asc' } }, aggs: { best: { top_hits: { size: 1 } } } },
      sample: { sampler: { shard_size: 3 }, aggs: { sum: { sum: { field: 'n' } }, best: { top_hits: { size: 1 } } } },
    },
  });
  expect(ids(aggregations.best.hits)).toEqual(['9', '8']);
  expect(aggregations.best.hits.max_score).toBeGreaterThan(0);
  expect(aggregations.groups.buckets.map((bucket: any) => ids(bucket.best.hits))).toEqual([['9'], ['8']]);
  expect(aggregations.sample.sum.value).toBe(9 + 8 + 7);
  expect(aggregations.sample.best.hits.max_score).toBe(aggregations.best.hits.max_score);
});

test('scripts below a sampler read only documents of the sample', async () => {
  const { aggregations } = await search({
    size: 0,
    query,
    aggs: {
      sample: {
        sampler: { shard_size: 3 },
        aggs: {
          twice: { sum: { script: { source: "doc['n'].value * 2" } } },
          all: { filters: { filters: { a: { match_all: {} } } }, aggs: { most: { max: { script: { source: "doc['n'].value + 1" } } } } },
          names: { terms: { script: { source: "doc['group'].value + '!'" }, order: { _key: 'asc' } } },
        },
      },
    },
  });
  expect(aggregations.sample.twice.value).toBe(2 * (9 + 8 + 7));
  expect(aggregations.sample.all.buckets.a.most.value).toBe(10);
  expect(aggregations.sample.names.buckets).toEqual([
    { key: 'even!', doc_count: 2 },
    { key: 'odd!', doc_count: 1 },
  ]);
});

test('does not return scores that only min_score or an aggregation needs', async () => {
  const sorted = { query, size: 1, sort: ['n'] };
  expect((await search({ ...sorted, min_score: 0.01 })).hits.hits[0]._score).toBeNull();
  expect((await search({ ...sorted, aggs: { best: { top_hits: {} } } })).hits.hits[0]._score).toBeNull();
  expect((await search({ ...sorted, min_score: 0.01, track_scores: true })).hits.hits[0]._score).toBeGreaterThan(0);
  expect((await search({ ...sorted, sort: ['n', '_score'] })).hits.hits[0]._score).toBeGreaterThan(0);
});

test('returns inner hits of the query and the post filter, but none of must_not', async () => {
  const parts = (name: string, k: string) => ({ nested: { path: 'parts', query: { term: { 'parts.k': k } }, inner_hits: { name } } });
  const { hits } = await search({
    query: { bool: { must: [parts('a', 'k8')], must_not: [parts('b', 'k0')] } },
    post_filter: { script_score: { query: parts('c', 'all'), script: { source: '1' } } },
  });
  expect(Object.keys(hits.hits[0].inner_hits).sort()).toEqual(['a', 'c']);
  const twice = await node.send('POST /docs/_search', { query: parts('a', 'k8'), post_filter: parts('a', 'all') });
  expect([twice.status, twice.json.error.root_cause[0].type]).toEqual([400, 'illegal_argument_exception']);
});

test('rest_total_hits_as_int also applies to inner hits and top_hits', async () => {
  const body = {
    size: 1,
    query: { nested: { path: 'parts', query: { match_all: {} }, inner_hits: {} } },
    aggs: { g: { terms: { field: 'group' }, aggs: { best: { top_hits: { size: 1 } } } } },
  };
  const { hits, aggregations } = await search(body, '?rest_total_hits_as_int=true');
  expect([hits.total, hits.hits[0].inner_hits.parts.hits.total]).toEqual([9, 2]);
  expect(aggregations.g.buckets.map((bucket: any) => bucket.best.hits.total)).toEqual([5, 4]);
  expect((await search(body)).hits.hits[0].inner_hits.parts.hits.total).toEqual({ value: 2, relation: 'eq' });
});

test('rejects meaningless bodies and parameters, and returns no score without shards', async () => {
  const status = async (body: unknown, params = '') => (await node.send(`POST /docs/_search${params}`, body)).status;
  expect(await status('null')).toBe(400);
  expect(await status({ rescore: { window_size: -1, query: { rescore_query: query } } })).toBe(400);
  expect(await status({}, '?max_concurrent_shard_requests=0')).toBe(400);
  expect((await node.ok('POST /nothing*/_search', {})).hits.max_score).toBe(0);
});

test('formats date ranges in fields and rejects them in docvalue_fields', async () => {
  const shown = async (format?: string) => (await search({ size: 1, fields: [{ field: 'span', format }] })).hits.hits[0].fields.span;
  expect(await shown()).toEqual([{ gte: '2024-01-01T00:00:00.000Z', lt: '2024-02-01T00:00:00.000Z' }]);
  expect(await shown('MM/yyyy')).toEqual([{ gte: '01/2024', lt: '02/2024' }]);
  expect((await node.send('POST /docs/_search', { docvalue_fields: ['span'] })).status).toBe(400);
});
