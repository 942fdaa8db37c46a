// date_nanos: sorts and ranges at the nanosecond, aggregations by milliseconds, as Elasticsearch 8.15 answers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const FIRST = '2024-01-02T03:04:05.123456788Z';
const SECOND = '2024-01-02T03:04:05.123456789Z';
const VALUES = [SECOND, FIRST, '2024-01-02T03:04:05.123999999Z', '2024-01-02T03:04:05.124Z', '2024-01-02', [SECOND, FIRST, '2024-01-02']];

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /times', { mappings: { properties: { at: { type: 'date_nanos' } } } });
  const lines = VALUES.flatMap((at, i) => [{ index: { _id: String(i) } }, { at }]);
  await node.ok('POST /times/_bulk?refresh=true', [...lines, { index: { _id: 'none' } }, {}]);
});
afterAll(() => node.close());

const search = (body: object) => node.ok('POST /times/_search', body);
const idsOf = async (query: object) => (await search({ query, sort: ['_doc'] })).hits.hits.map(({ _id }: { _id: string }) => _id);
const aggregate = async (body: object) => (await search({ size: 0, aggs: { a: body } })).aggregations.a;

test('terms of one millisecond are one bucket, each document counted once', async () => {
  const { buckets } = await aggregate({ terms: { field: 'at' } });
  expect(buckets.map(({ key, doc_count }: { key: number; doc_count: number }) => [key, doc_count])).toEqual([
    [1704164645123, 4],
    [1704153600000, 2],
    [1704164645124, 1],
  ]);
  expect(buckets[0].key_as_string).toBe('2024-01-02T03:04:05.123Z');
  const years = await aggregate({ date_histogram: { field: 'at', calendar_interval: 'year' } });
  expect(years.buckets.map(({ doc_count }: { doc_count: number }) => doc_count)).toEqual([6]);
});

test('metrics and histograms compute in milliseconds', async () => {
  expect(await aggregate({ cardinality: { field: 'at' } })).toEqual({ value: 3 });
  const { avg_as_string, max } = await aggregate({ stats: { field: 'at' } });
  expect([avg_as_string, max]).toEqual(['2024-01-02T02:18:03.842Z', 1704164645124]);
  const { buckets } = await aggregate({ histogram: { field: 'at', interval: 1000, min_doc_count: 1 } });
  expect(buckets[1]).toEqual({ key_as_string: '2024-01-02T03:04:05.000Z', key: 1704164645000, doc_count: 5 });
  const composite = await aggregate({ composite: { sources: [{ x: { terms: { field: 'at' } } }], size: 2 } });
  expect(composite.after_key).toEqual({ x: 1704164645123 });
});

test('ranges and sorts distinguish nanoseconds', async () => {
  expect(await idsOf({ range: { at: { gt: FIRST, lte: SECOND } } })).toEqual(['0', '5']);
  expect(await idsOf({ range: { at: { lt: SECOND, gte: FIRST } } })).toEqual(['1', '5']);
  const sort = [{ at: { order: 'asc', format: 'strict_date_optional_time_nanos' } }];
  const { hits } = await search({ query: { range: { at: { gte: FIRST } } }, sort, search_after: [FIRST], _source: false });
  expect(hits.hits[0].sort).toEqual([SECOND]);
});

test('as dates, nanoseconds sort by their milliseconds', async () => {
  const { hits } = await search({
    query: { range: { at: { gte: FIRST } } },
    sort: [{ at: { order: 'desc', numeric_type: 'date' } }, '_doc'],
  });
  expect(hits.hits.map(({ _id }: { _id: string }) => _id)).toEqual(['3', '0', '1', '2', '5']);
});

test.each(['1969-12-31', '2300-01-01'])('a query for %s is refused', async (value) => {
  const { status, json } = await node.send('POST /times/_search', { query: { range: { at: { gte: value } } } });
  expect(status).toBe(400);
  expect(JSON.stringify(json)).toContain('cannot be stored in nanosecond resolution');
});

test('the second column survives a restart', async () => {
  await node.restart();
  expect((await aggregate({ terms: { field: 'at' } })).buckets).toHaveLength(3);
});
