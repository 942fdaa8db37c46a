// `_size`: the size of the source in bytes, if the mapping enables it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
const SOURCES = ['{"a":1}', '{ "a" : 2, "text": "äöü" }', '{"a":3,"parts":[{"n":1},{"n":2}]}'];

beforeAll(async () => {
  node = await openRestNode();
  const properties = { a: { type: 'long' }, parts: { type: 'nested', properties: { n: { type: 'long' } } } };
  await node.ok('PUT /s', { mappings: { _size: { enabled: true }, properties } });
  for (const [i, source] of SOURCES.entries()) await node.ok(`PUT /s/_doc/${i}?refresh=true`, source);
});

afterAll(() => node.close());

const sizes = SOURCES.map((source) => Buffer.byteLength(source));

test('can be searched, sorted, aggregated and shown', async () => {
  const { hits, aggregations } = await node.ok('POST /s/_search', {
    sort: [{ _size: 'asc' }],
    docvalue_fields: ['_size'],
    aggs: { most: { max: { field: '_size' } } },
  });
  expect(hits.hits.map((hit: any) => hit.sort[0])).toEqual(sizes);
  expect(hits.hits[0].fields._size).toEqual([sizes[0]]);
  expect(aggregations.most.value).toBe(sizes[2]);
  const range = await node.ok('POST /s/_search', { query: { range: { _size: { gt: sizes[0] } } }, fields: ['_size'] });
  expect(range.hits.hits.map((hit: any) => hit.fields._size[0])).toEqual(sizes.slice(1));
  const stored = await node.ok('POST /s/_search', { query: { ids: { values: ['1'] } }, stored_fields: ['_size'] });
  expect(stored.hits.hits[0]._size).toBe(sizes[1]);
});

test('counts the source of the newest version, also after a restart', async () => {
  await node.ok('POST /s/_update/0?refresh=true', { doc: { b: 'more' } });
  await node.restart();
  const { hits } = await node.ok('POST /s/_search', { query: { ids: { values: ['0'] } }, fields: ['_size'] });
  expect(hits.hits[0].fields._size).toEqual([Buffer.byteLength(JSON.stringify(hits.hits[0]._source))]);
});

test('is not a field of mappings without it', async () => {
  await node.ok('PUT /plain/_doc/1?refresh=true', { a: 1 });
  expect((await node.ok('POST /plain/_search', { query: { exists: { field: '_size' } } })).hits.total.value).toBe(0);
  expect((await node.send('PUT /plain/_doc/2', { _size: 1 })).status).toBe(400);
});
