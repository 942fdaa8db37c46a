// Fetches that fail on some of the shards of a search, and what hits show of the parts of a search.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode({ 'compat.flavor': 'elasticsearch', 'compat.version': '8.15.0' });
  const parts = { type: 'nested', properties: { sub: { type: 'nested', properties: { v: { type: 'double' } } } } };
  const properties = {
    tag: { type: 'keyword' },
    text: { type: 'text' },
    doubles: { type: 'double_range' },
    floats: { type: 'float_range' },
    longs: { type: 'long_range' },
    parts,
  };
  await node.ok('PUT /good', { mappings: { properties } });
  await node.ok('PUT /other', { mappings: { properties: { tag: { type: 'date' } } } });
  await node.ok('PUT /good/_doc/1?refresh=true', {
    tag: 'a',
    text: 'storm sea',
    doubles: { gte: 4.5, lt: 10 },
    floats: [{ gt: 0.1 }, { lte: 3 }],
    longs: { gte: 1, lt: 3 },
    parts: [{ sub: [{ v: 1 }, { v: 7 }] }, { sub: { v: 3 } }],
  });
  await node.ok('PUT /good/_doc/2?refresh=true', { tag: ['a', 'b'], text: 'sea', parts: { sub: { v: 5 } } });
  await node.ok('PUT /other/_doc/3?refresh=true', { tag: '2024-01-01' });
});

afterAll(async () => node.close());

const search = async (body: object, index = 'good') => node.send(`POST /${index}/_search`, body);

test('hits of a shard whose fetch fails are left out, and the shard is reported', async () => {
  const body = { sort: ['_index', '_doc'], docvalue_fields: [{ field: 'tag', format: 'yyyy' }], _source: false };
  const { status, json } = await search(body, 'good,other');
  expect(status).toBe(200);
  expect(json.hits.hits.map((hit: any) => [hit._id, hit.fields.tag])).toEqual([['3', ['2024']]]);
  expect(json.hits.total.value).toBe(3);
  expect(json._shards).toMatchObject({ total: 2, successful: 1, failed: 1, failures: [{ index: 'good', shard: 0 }] });
  // A shard without hits on the page succeeds.
  const first = await search({ ...body, size: 2 }, 'good,other');
  expect([first.status, first.json.hits.hits, first.json._shards.failed]).toEqual([200, [], 1]);
  expect((await search({ ...body, size: 2 }, 'good')).status).toBe(400);
  const whole = await node.send('POST /good,other/_search?allow_partial_search_results=false', body);
  expect(whole.status).toBeGreaterThanOrEqual(400);
});

test('collapsing by a field with several values is a failure of shards', async () => {
  const { status, json } = await search({ collapse: { field: 'tag' } });
  expect([status, json.error.type, json.error.root_cause[0].type]).toEqual([
    400,
    'search_phase_execution_exception',
    'illegal_state_exception',
  ]);
});

test('matched_queries names queries of a rescore', async () => {
  const named = (query: object) => ({ query: { rescore_query: query } });
  const rescore = [named({ match: { text: { query: 'storm', _name: 'storms' } } }), named({ match_all: { _name: 'all' } })];
  const { json } = await search({ query: { match: { text: 'sea' } }, rescore, sort: undefined });
  const names = Object.fromEntries(json.hits.hits.map((hit: any) => [hit._id, hit.matched_queries]));
  expect(names).toEqual({ 1: ['all', 'storms'], 2: ['all'] });
});

test('the innermost path of nested sorts counts', async () => {
  const by = (nested: object) => ({ sort: [{ 'parts.sub.v': { order: 'desc', nested } }] });
  const inner = { path: 'parts', nested: { path: 'parts.sub' } };
  const plain = await search(by({ path: 'parts.sub' }));
  expect((await search(by(inner))).json.hits).toEqual(plain.json.hits);
  expect(plain.json.hits.hits.map((hit: any) => hit.sort)).toEqual([[7], [5]]);
  const filtered = await search(by({ ...inner, filter: { match_all: {} } }));
  expect([filtered.status, filtered.text]).toEqual([400, expect.stringContaining('only in the innermost [nested]')]);
});

test('fields shows the ends of ranges of fractions as such', async () => {
  const { text } = await search({ query: { ids: { values: ['1'] } }, _source: false, fields: ['doubles', 'floats', 'longs'] });
  expect(text).toContain('"doubles":[{"gte":4.5,"lt":10.0}]');
  expect(text).toContain('"floats":[{"gt":0.1},{"lte":3.0}]');
  expect(text).toContain('"longs":[{"gte":1,"lt":3}]');
});
