// Counters of searches and reads in shared memory, and how `_stats` shows them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { READ_COUNTERS_BYTES, ReadCounters } from '../../../../src/api/core/read-counters.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

test('counters carry into their high words, and two views of one memory share them', () => {
  const memory = new SharedArrayBuffer(READ_COUNTERS_BYTES);
  const [a, b] = [new ReadCounters(memory), new ReadCounters(memory)];
  a.add({ queries: 1, queryMicros: 4_000_000_000 });
  b.add({ queries: 2, queryMicros: 4_000_000_000.4 });
  expect(a.totals()).toMatchObject({ queries: 3, queryMicros: 8_000_000_000, fetches: 0 });
});

test('groups are counted separately, as many as there is room for', () => {
  const counters = new ReadCounters(new SharedArrayBuffer(READ_COUNTERS_BYTES));
  counters.add({ queries: 1 }, ['a', 'ä'.repeat(32), 'x'.repeat(65), '']);
  counters.add({ queries: 1 }, ['a']);
  expect([...counters.groups()].map(([name, { queries }]) => [name, queries])).toEqual([
    ['a', 2],
    ['ä'.repeat(32), 1],
  ]);
  for (let i = 0; i < 20; i++) counters.add({ queries: 1 }, [`group ${i}`]);
  expect(counters.groups().size).toBe(8);
  expect(counters.totals().queries).toBe(22);
});

const statsOf = async (index: string, metric: string, query = ''): Promise<any> =>
  (await node.ok(`GET /${index}/_stats/${metric}${query}`))._all.total;

test('searches, fetches, scrolls and suggestions of each shard are counted, by groups as well', async () => {
  await node.ok('PUT /two', { settings: { number_of_shards: 2 } });
  for (let i = 0; i < 8; i++) await node.ok(`PUT /two/_doc/${i}`, { n: i });
  // Nothing is visible yet: the shards are searched, nothing is fetched.
  await node.ok('POST /two/_search', { stats: ['first'] });
  expect((await statsOf('two', 'search')).search).toMatchObject({ query_total: 2, fetch_total: 0 });
  await node.ok('POST /two/_refresh');
  await node.ok('POST /two/_search', { stats: ['first', 'second'] });
  await node.ok('POST /two/_search?size=0');
  await node.ok('POST /two/_search?scroll=1m');
  await node.ok('POST /two/_search?size=0', { suggest: { s: { text: 'x', term: { field: 'n' } } } }).catch(() => undefined);
  const { search } = await statsOf('two', 'search', '?groups=fi*');
  expect(search).toMatchObject({ fetch_total: 4, scroll_total: 2, groups: { first: { query_total: 4, fetch_total: 2 } } });
  expect(Object.keys(search.groups)).toEqual(['first']);
  expect((await statsOf('two', 'search')).search.groups).toBeUndefined();
});

test('gets are counted by whether they found a document', async () => {
  await node.ok('PUT /gets/_doc/1', {});
  await node.send('GET /gets/_doc/1');
  await node.send('GET /gets/_doc/2');
  expect((await statsOf('gets', 'get')).get).toMatchObject({ total: 2, exists_total: 1, missing_total: 1 });
});

test('cached responses without hits count as hits of the request cache', async () => {
  await node.ok('PUT /cached/_doc/1?refresh=true', { n: 1 });
  const body = { size: 0, aggs: { n: { max: { field: 'n' } } } };
  await node.ok('POST /cached/_search', body);
  await node.ok('POST /cached/_search', body);
  await node.ok('POST /cached/_search?request_cache=false', body);
  const { request_cache, search } = await statsOf('cached', 'request_cache,search');
  expect(request_cache).toMatchObject({ hit_count: 1, miss_count: 1 });
  expect(search.query_total).toBe(3);
});
