// Caches of searches belong to their engine: two engines of one program share nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let first: RestNode;
let second: RestNode;

beforeAll(async () => {
  first = await openRestNode();
  second = await openRestNode();
  for (const node of [first, second]) await node.ok('PUT /i', { mappings: { properties: { tag: { type: 'keyword' } } } });
  await first.ok('PUT /i/_doc/1?refresh=true', { tag: 'a' });
});

afterAll(async () => {
  await first.close();
  await second.close();
});

const search = async (node: RestNode, body: unknown) => (await node.ok('POST /i/_search', body)).hits.total.value;

test('a body that one engine has seen and parsed is new to another', async () => {
  const body = { query: { term: { tag: 'a' } } };
  for (let i = 0; i < 3; i++) expect(await search(first, body)).toBe(1);
  expect(first.engine.searchCaches.bodies.size).toBe(1);
  expect(second.engine.searchCaches.bodies.size).toBe(0);
  expect(await search(second, body)).toBe(0);
  expect(second.engine.searchCaches.bodies.size).toBe(0);
  expect(await search(second, body)).toBe(0);
  expect(second.engine.searchCaches.bodies.size).toBe(1);
  expect(await search(first, body)).toBe(1);
});

test('each engine counts buckets against its own limit', async () => {
  for (let i = 2; i < 6; i++) await first.ok(`PUT /i/_doc/${i}?refresh=true`, { tag: `t${i}` });
  for (let i = 0; i < 6; i++) await second.ok(`PUT /i/_doc/${i}?refresh=true`, { tag: `t${i}` });
  const body = { size: 0, aggs: { tags: { terms: { field: 'tag' } } } };
  await second.ok('PUT /_cluster/settings', { transient: { 'search.max_buckets': 2 } });
  for (let i = 0; i < 2; i++) {
    expect((await first.ok('POST /i/_search', body)).aggregations.tags.buckets).toHaveLength(5);
    expect((await second.send('POST /i/_search', body)).status).toBe(400);
  }
});

test('a body that refers to the current time is not cached', async () => {
  const { bodies } = first.engine.searchCaches;
  const before = bodies.size;
  for (const value of ['now', 'now-1d']) {
    const body = { query: { query_string: { query: `at:<${value}` } } };
    for (let i = 0; i < 3; i++) await first.ok('POST /i/_search', body);
  }
  expect(bodies.size).toBe(before);
});
