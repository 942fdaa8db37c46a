// Version 7: types in paths, mappings and answers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode({ 'compat.flavor': 'elasticsearch', 'compat.version': '7.17.5' });
  await node.ok('PUT /old?include_type_name=true', { mappings: { kind: { properties: { a: { type: 'keyword' } } } } });
  await node.ok('PUT /old/kind/1?refresh=true', { a: 'x', inner: { _index: 'i', _id: 'j' } });
});
afterAll(() => node.close());

test('responses about documents have a type, and sources are unchanged', async () => {
  expect(await node.ok('GET /old/_doc/1')).toMatchObject({ _index: 'old', _type: '_doc', _id: '1' });
  expect(await node.ok('GET /old/kind/1')).toMatchObject({ _type: 'kind', _source: { a: 'x', inner: { _index: 'i', _id: 'j' } } });
  expect((await node.ok('GET /old/kind/1'))._source.inner).not.toHaveProperty('_type');
  const found = await node.ok('POST /old/kind/_search', { query: { match_all: {} }, docvalue_fields: ['a'] });
  expect(found.hits.hits[0]).toMatchObject({ _index: 'old', _type: 'kind', _id: '1', fields: { a: ['x'] } });
  const bulk = await node.ok('POST /_bulk', [{ index: { _index: 'old', _type: 'kind', _id: '2' } }, { a: 'y' }]);
  expect(bulk.items[0].index).toMatchObject({ _type: '_doc', _id: '2', status: 201 });
  expect(await node.ok('POST /old/_mget', { ids: ['1'] })).toMatchObject({ docs: [{ _type: '_doc', found: true }] });
});

test.each([
  ['POST /old/kind/1/_update', { doc: { b: 1 } }, { _type: 'kind', result: 'updated' }],
  ['POST /old/kind/1/_explain', { query: { match_all: {} } }, { matched: true }],
  ['GET /old/kind/_count', undefined, { _shards: { failed: 0 } }],
  ['GET /old/kind/1/_source', undefined, { a: 'x' }],
  ['GET /old/_mapping/_all', undefined, { old: { mappings: { properties: { a: { type: 'keyword' } } } } }],
  ['GET /old/_mapping/*', undefined, { old: { mappings: { properties: { a: { type: 'keyword' } } } } }],
  ['GET /_mapping/_all', undefined, { old: { mappings: { properties: { a: { type: 'keyword' } } } } }],
  ['POST /old/_flush/synced', undefined, { _shards: { failed: 0 } }],
  ['PUT /old/_mapping/_doc?include_type_name=true', { _doc: { properties: { c: { type: 'long' } } } }, { acknowledged: true }],
  ['PUT /old/kind/_mapping?include_type_name=true', { properties: { d: { type: 'long' } } }, { acknowledged: true }],
])('%s', async (line, body, expected) => {
  expect(await node.ok(line, body)).toMatchObject(expected);
});

test('mappings are shown below their type on request', async () => {
  const plain = await node.ok('GET /old/_mapping');
  expect(plain.old.mappings.properties).toHaveProperty('a');
  const typed = await node.ok('GET /old/_mapping?include_type_name=true');
  expect(typed.old.mappings._doc.properties).toHaveProperty('a');
  expect((await node.send('HEAD /old/_mapping/_doc')).status).toBe(200);
  expect((await node.send('HEAD /nothing/_mapping/_doc')).status).toBe(404);
});

test('a type in the path of a mapping needs include_type_name', async () => {
  const { status, json } = await node.send('GET /old/_mapping/kind');
  expect(status).toBe(400);
  expect(json.error.reason).toBe('Types cannot be provided in get mapping requests, unless include_type_name is set to true.');
});

test('the character set of JSON is named', async () => {
  const answer = await node.exchange('GET /old/_count', {});
  expect(answer.headers['content-type']).toBe('application/json; charset=UTF-8');
});
