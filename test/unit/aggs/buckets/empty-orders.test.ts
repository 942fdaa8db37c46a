// Orders of buckets by metrics that have no value in some of them, as Elasticsearch 8.15 answers; and sorts with a value for missing ones in
// segments without any.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const properties = { count: { type: 'integer' }, price: { type: 'double' }, ip: { type: 'ip' }, tag: { type: 'keyword' } };
  await node.ok('PUT /shops', { mappings: { properties } });
  await node.ok('PUT /shops/_doc/3?refresh=true', { count: 3, price: 1.5, ip: '10.0.0.3', tag: 'c' });
  await node.ok('PUT /shops/_doc/4?refresh=true', { count: 4, price: 2.5, ip: '10.0.0.1', tag: 'a' });
  await node.ok('PUT /shops/_doc/5?refresh=true', { count: 5 });
});
afterAll(() => node.close());

const BOUNDARIES = {
  terms: { field: 'count' },
  histogram: { field: 'count', interval: 1 },
  multi_terms: { terms: [{ field: 'count' }, { field: '_index' }] },
};

test.each([
  ['max', { x: 'asc' }, [5, 3, 4]],
  ['max', { x: 'desc' }, [4, 3, 5]],
  ['min', { x: 'asc' }, [3, 4, 5]],
  ['min', { x: 'desc' }, [5, 4, 3]],
  ['avg', { x: 'asc' }, [3, 4, 5]],
  ['avg', { x: 'desc' }, [5, 4, 3]],
  ['sum', { x: 'asc' }, [5, 3, 4]],
  ['stats', { 'x.max': 'asc' }, [5, 3, 4]],
  ['stats', { 'x.min': 'desc' }, [5, 4, 3]],
  ['stats', { 'x.avg': 'desc' }, [5, 4, 3]],
  ['extended_stats', { 'x.max': 'asc' }, [5, 3, 4]],
])('orders buckets by %s in the order %j', async (metric, order, expected) => {
  for (const [type, params] of Object.entries(BOUNDARIES)) {
    const aggs = { a: { [type]: { ...params, order }, aggs: { x: { [metric]: { field: 'price' } } } } };
    const { buckets } = (await node.ok('POST /shops/_search?size=0', { aggs })).aggregations.a;
    expect(buckets.map(({ key }: { key: unknown }) => (Array.isArray(key) ? key[0] : key))).toEqual(expected);
  }
});

test.each([
  ['ip', '10.0.0.2', ['4', '5', '3']],
  ['ip', '10.0.0.0', ['5', '4', '3']],
  ['tag', 'b', ['4', '5', '3']],
  ['tag', '', ['5', '4', '3']],
])('sorts hits by %s with %j for missing values', async (field, missing, expected) => {
  const { hits } = await node.ok('POST /shops/_search', { sort: [{ [field]: { missing } }] });
  expect(hits.hits.map(({ _id }: { _id: string }) => _id)).toEqual(expected);
  expect(hits.hits[expected.indexOf('5')].sort).toEqual([missing]);
});
