// Vectors in sources: left out on request, and packed in base64 as clients of version 9 send them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
/** 1.0 and 2.0, the most significant byte first. */
const PACKED = 'P4AAAEAAAAA=';

beforeAll(async () => {
  node = await openRestNode({ 'compat.version': '9.1.0' });
  const vector = { type: 'dense_vector', dims: 2, similarity: 'l2_norm' };
  await node.ok('PUT /v', { mappings: { properties: { a: vector, o: { properties: { b: vector } }, s: { type: 'sparse_vector' } } } });
  await node.ok('PUT /v/_doc/1?refresh=true', { a: PACKED, o: { b: [1, 2], c: 'x' }, s: { t: 1 }, word: 'w' });
});
afterAll(() => node.close());

const sourceOf = async (_source: unknown): Promise<unknown> => (await node.ok('POST /v/_search', { _source })).hits.hits[0]._source;

test('exclude_vectors leaves out the fields of vectors at any depth, besides other excludes', async () => {
  expect(await sourceOf({ exclude_vectors: true })).toEqual({ o: { c: 'x' }, word: 'w' });
  expect(await sourceOf({ exclude_vectors: true, excludes: ['word'] })).toEqual({ o: { c: 'x' } });
  expect(await sourceOf({ exclude_vectors: false, includes: ['a', 'word'] })).toEqual({ a: PACKED, word: 'w' });
  expect(await node.send('POST /v/_search', { _source: { exclude_vectors: 'x' } })).toMatchObject({ status: 400 });
});

test('_source_exclude_vectors does the same for searches and gets', async () => {
  expect((await node.ok('GET /v/_search?_source_exclude_vectors=true')).hits.hits[0]._source).toEqual({ o: { c: 'x' }, word: 'w' });
  expect((await node.ok('GET /v/_doc/1?_source_exclude_vectors=true'))._source).toEqual({ o: { c: 'x' }, word: 'w' });
  expect((await node.ok('GET /v/_doc/1?_source_exclude_vectors=false'))._source).toMatchObject({ a: PACKED });
});

test('a vector in base64 is found like the same vector in a list, and its dimensions are counted', async () => {
  const knn = { field: 'a', query_vector: [1, 2], k: 1, num_candidates: 1 };
  expect((await node.ok('POST /v/_search', { knn })).hits.hits[0]).toMatchObject({ _id: '1', _score: 1 });
  await node.ok('PUT /w', { mappings: { properties: { a: { type: 'dense_vector' } } } });
  await node.ok('PUT /w/_doc/1', { a: PACKED });
  expect((await node.ok('GET /w/_mapping')).w.mappings.properties.a.dims).toBe(2);
  for (const wrong of ['P4AAAEAAAA==', 'no base64!', ''])
    expect((await node.send('PUT /v/_doc/2', { a: wrong })).json.error.type).toBe('document_parsing_exception');
});
