// The analyzers that an item of more_like_this names, and values that its parameters refuse.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /texts', { mappings: { properties: { t: { type: 'text' } } } });
  await node.ok('PUT /texts/_doc/1?refresh=true', { t: 'sea salt' });
});
afterAll(() => node.close());

const like = (item: object, options: object = {}) => ({
  query: { more_like_this: { fields: ['t'], like: item, min_term_freq: 1, min_doc_freq: 1, ...options } },
});
const count = async (analyzers: unknown) =>
  (await node.ok('POST /texts/_search', like({ doc: { t: 'sea salt' }, per_field_analyzer: analyzers }))).hits.total.value;

test('a field of an item is analyzed by the analyzer that the item names', async () => {
  expect(await count({ t: 'standard' })).toBe(1);
  expect(await count({ t: 'keyword' })).toBe(0);
  expect(await count({ other: 'keyword' })).toBe(1);
});

test('an item whose analyzer does not exist has no terms', async () => {
  expect(await count({ t: 'nope' })).toBe(0);
});

test('names of analyzers are strings, and numbers are not lists', async () => {
  const wrong = await node.send('POST /texts/_search', like({ doc: { t: 'sea' }, per_field_analyzer: { t: 1 } }));
  expect([wrong.status, wrong.json.error.type]).toEqual([400, 'parse_exception']);
  const list = await node.send('POST /texts/_search', like({ doc: { t: 'sea' } }, { max_query_terms: [] }));
  expect([list.status, list.json.error.reason]).toEqual([400, '[mlt] query does not support [max_query_terms]']);
});

test('an item of an index that does not exist is overlooked', async () => {
  const { hits } = await node.ok('POST /texts/_search', like({ _index: 'nowhere', _id: '1' }));
  expect(hits.total.value).toBe(0);
});
