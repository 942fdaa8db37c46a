// Terms lookups in every place where a request can contain a query.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await send('PUT /lists/_doc/wanted?refresh=true', { ks: ['b', 'd'] });
  const items = { type: 'nested', properties: { k: { type: 'keyword' }, n: { type: 'integer' } } };
  await send('PUT /docs', { mappings: { properties: { k: { type: 'keyword' }, n: { type: 'integer' }, items } } });
  const documents = [
    { k: 'a', n: 1, items: [{ k: 'b', n: 9 }] },
    {
      k: 'b',
      n: 2,
      items: [
        { k: 'a', n: 0 },
        { k: 'd', n: 5 },
      ],
    },
    { k: 'c', n: 3, items: [{ k: 'd', n: 7 }] },
    { k: 'd', n: 4, items: [{ k: 'b', n: 6 }] },
  ];
  const lines = documents.map((source) => `{"index":{"_id":"${source.k}"}}\n${JSON.stringify(source)}\n`);
  expect((await send('POST /docs/_bulk?refresh=true', lines.join(''))).json.errors).toBe(false);
});
afterAll(() => node.close());

const send = (line: string, body?: unknown) => node.send(line, body);
const wanted = (field = 'k') => ({ terms: { [field]: { index: 'lists', id: 'wanted', path: 'ks' } } });

test.each<[string, object, string[]]>([
  ['query', { query: wanted(), sort: ['n'] }, ['b', 'd']],
  ['post filter', { post_filter: wanted(), sort: ['n'] }, ['b', 'd']],
  ['inside others', { query: { bool: { must_not: [{ constant_score: { filter: wanted() } }] } }, sort: ['n'] }, ['a', 'c']],
  [
    'rescore',
    {
      query: { function_score: { field_value_factor: { field: 'n' }, boost_mode: 'replace' } },
      rescore: { query: { rescore_query: wanted(), rescore_query_weight: 10 } },
    },
    ['d', 'b', 'c', 'a'],
  ],
  [
    'filter of a nested sort',
    { sort: [{ 'items.n': { order: 'asc', nested: { path: 'items', filter: wanted('items.k') } } }] },
    ['b', 'd', 'c', 'a'],
  ],
])('%s', async (_name, body, ids) => {
  const { status, json } = await send('POST /docs/_search', body);
  expect(status, JSON.stringify(json)).toBe(200);
  expect(json.hits.hits.map((hit: { _id: string }) => hit._id)).toEqual(ids);
  const [first] = (await send('POST /docs/_msearch', `{}\n${JSON.stringify(body)}\n`)).json.responses;
  expect(first.hits).toEqual(json.hits);
});

test.each<[string, object]>([
  ['all fields', { highlight_query: wanted(), fields: { k: {} } }],
  ['one field', { fields: { k: { highlight_query: wanted() } } }],
])('is resolved in highlight_query of %s', async (_name, highlight) => {
  const body = { query: { terms: { k: ['a', 'b', 'd'] } }, sort: ['n'], highlight };
  const search = async () => (await node.ok('POST /docs/_search', body)).hits.hits.map((hit: any) => hit.highlight?.k ?? null);
  expect(await search()).toEqual([null, ['<em>b</em>'], ['<em>d</em>']]);
  await send('PUT /lists/_doc/wanted?refresh=true', { ks: ['a'] });
  expect(await search()).toEqual([['<em>a</em>'], null, null]);
  await send('PUT /lists/_doc/wanted?refresh=true', { ks: ['b', 'd'] });
});

test('is resolved in inner hits of collapsed groups', async () => {
  const inner_hits = { name: 'group', highlight: { fields: { k: { highlight_query: wanted() } } } };
  const { hits } = await node.ok('POST /docs/_search', { sort: ['n'], collapse: { field: 'k', inner_hits } });
  const shown = hits.hits.map((hit: any) => hit.inner_hits.group.hits.hits[0].highlight?.k ?? null);
  expect(shown).toEqual([null, ['<em>b</em>'], null, ['<em>d</em>']]);
});

test('is resolved in filters of aggregations, counts, explanations and deletions', async () => {
  const { json } = await send('POST /docs/_search', {
    size: 0,
    aggs: { f: { filter: wanted() }, fs: { filters: { filters: { w: wanted() } } } },
  });
  expect(json.aggregations).toMatchObject({ f: { doc_count: 2 }, fs: { buckets: { w: { doc_count: 2 } } } });
  expect((await send('POST /docs/_count', { query: wanted() })).json.count).toBe(2);
  expect((await send('POST /docs/_explain/b', { query: wanted() })).json).toMatchObject({ matched: true });
  expect((await send('POST /docs/_delete_by_query', { query: wanted() })).json.deleted).toBe(2);
});

test('finds nothing in a missing index, document or field', async () => {
  const none = { query: { terms: { k: { index: 'lists', id: 'unknown', path: 'ks' } } } };
  expect((await send('POST /docs/_search', none)).json.hits.hits).toEqual([]);
  const missing = await send('POST /docs/_search', {
    rescore: { query: { rescore_query: { terms: { k: { index: 'nowhere', id: '1', path: 'ks' } } } } },
  });
  expect([missing.status, missing.json.error.type]).toEqual([404, 'index_not_found_exception']);
});
