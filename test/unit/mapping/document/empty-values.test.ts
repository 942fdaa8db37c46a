// Values without content in documents, templates without conditions, and the types of new runtime fields.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

beforeEach(async () => {
  await node.send('DELETE /docs?ignore_unavailable=true');
});

afterAll(() => node.close());

async function mappingAfter(mappings: object, document: object) {
  await node.ok('PUT /docs', { mappings });
  await node.ok('PUT /docs/_doc/1', document);
  return (await node.ok('GET /docs/_mapping')).docs.mappings;
}

const INNER = { p: { properties: { k: { type: 'keyword' } } } };

test.each([
  { d: null },
  { d: [] },
  { d: [null] },
  { d: [[]] },
  { 'o.x': null },
  { 'o.x': [] },
  { p: { d: null } },
  { p: { d: [] } },
  { 'p.d': [] },
])('strict mappings refuse %j', async (document) => {
  await node.ok('PUT /docs', { mappings: { dynamic: 'strict', properties: INNER } });
  const { status, json } = await node.send('PUT /docs/_doc/1', document);
  expect([status, json.error?.type]).toEqual([400, 'strict_dynamic_mapping_exception']);
});

test.each([{ p: null }, { p: [] }, { p: { k: null } }, { 'p.k': [] }])('strict mappings accept %j', async (document) => {
  expect(await mappingAfter({ dynamic: 'strict', properties: INNER }, document)).toEqual({ dynamic: 'strict', properties: INNER });
});

test.each<[object, object | undefined]>([
  [{ 'o.x': null }, { o: { type: 'object' } }],
  [{ 'o.x': [] }, { o: { type: 'object' } }],
  [{ 'o.x.y': [null] }, { o: { properties: { x: { type: 'object' } } } }],
  [{ o: null }, undefined],
  [{ o: [] }, undefined],
])('%j maps the objects of its names', async (document, properties) => {
  expect((await mappingAfter({}, document)).properties).toEqual(properties);
});

test('dotted names without a value map nothing where fields are not mapped', async () => {
  expect((await mappingAfter({ dynamic: 'runtime' }, { 'o.x': [] })).properties).toBeUndefined();
});

test.each([{}, { unmatch: 'x*' }, { path_unmatch: 'x*' }])('a template with the conditions %j matches nothing', async (conditions) => {
  const template = { ...conditions, mapping: { type: 'keyword' } };
  const { properties } = await mappingAfter({ dynamic_templates: [{ all: template }] }, { n: 1, b: true });
  expect(properties).toEqual({ n: { type: 'long' }, b: { type: 'boolean' } });
});

test.each<[unknown[], string]>([
  [[1, 'x'], 'keyword'],
  [['x', 1], 'long'],
  [[1, 1.5], 'double'],
  [['x', '2024-01-02'], 'date'],
  [[1, true], 'boolean'],
])('the last of %j is the type of a runtime field', async (a, type) => {
  expect((await mappingAfter({ dynamic: 'runtime' }, { a })).runtime).toEqual({ a: { type } });
});
