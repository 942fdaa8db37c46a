// Values of different types in a new field are reported only if nothing else is wrong with the document. As Elasticsearch 8.15 answers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

const MIXED = 'illegal_argument_exception';
const PARSING = 'document_parsing_exception';

test.each([
  [{ o: '12', 'o.x': 1 }, MIXED, "can't merge a non object mapping [o] with an object mapping"],
  [{ a: [1, 'x'] }, MIXED, 'mapper [a] cannot be changed from type [long] to [text]'],
  [{ 'o.x': [1, 'x'], p: { q: [1, 'x'] } }, MIXED, 'mapper [o.x] cannot be changed from type [long] to [text]'],
  [{ o: '12', 'o.x': 1, known: 'word' }, PARSING, 'failed to parse field [known] of type [long]'],
  [{ known: 'word', o: '12', 'o.x': 1 }, PARSING, 'failed to parse field [known] of type [long]'],
  [{ a: [1, 'x'], object: 5 }, PARSING, 'object mapping for [object] tried to parse field [object] as object, but found a concrete value'],
])('%j', async (document, type, reason) => {
  await node.ok('PUT /docs', { mappings: { properties: { known: { type: 'long' }, object: { properties: { k: { type: 'long' } } } } } });
  const { status, json } = await node.send('PUT /docs/_doc/1', document);
  expect([status, json.error.type]).toEqual([400, type]);
  expect(json.error.reason).toContain(reason);
  expect(Object.keys((await node.ok('GET /docs/_mapping')).docs.mappings.properties)).toEqual(['known', 'object']);
  await node.ok('DELETE /docs');
});
