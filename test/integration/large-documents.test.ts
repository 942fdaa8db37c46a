// A document as large as a request may be can be read by every operation, and after a restart; a larger one is refused.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../support/rest-node.ts';

/** Beyond the 16 MB from which the store reads records in another way. */
const SOURCE_BYTES = (1 << 24) + 1000;
const LIMIT_BYTES = SOURCE_BYTES + 100;

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode({ 'http.max_content_length': `${LIMIT_BYTES}b`, 'memory.limit': '1gb' });
  await node.ok('PUT /big', { mappings: { properties: { blob: { type: 'keyword', index: false, doc_values: false } } } });
});
afterAll(() => node.close());

const source = (bytes: number): string => `{"blob":"${'x'.repeat(bytes - '{"blob":""}'.length)}"}`;
const large = source(SOURCE_BYTES);
const found = async (id: string): Promise<number> => (await node.ok(`GET /big/_doc/${id}`))._source.blob.length;
const blobChars = SOURCE_BYTES - '{"blob":""}'.length;

test('is read after indexing, bulk and update, before and after refresh and restart', async () => {
  await node.ok('PUT /big/_doc/indexed', large);
  await node.ok('POST /_bulk', `{"index":{"_index":"big","_id":"bulk"}}\n${large}\n`);
  await node.ok('PUT /big/_doc/updated', { n: 1 });
  await node.ok('POST /big/_update/updated', `{"doc":${large}}`);
  await node.ok('POST /big/_update/bulk', { doc: { n: 2 } });
  for (const id of ['indexed', 'bulk', 'updated']) expect(await found(id), id).toBe(blobChars);
  await node.ok('POST /big/_refresh');
  const { hits } = (await node.ok('GET /big/_search')).hits;
  expect(hits.map((hit: { _source: { blob: string } }) => hit._source.blob.length)).toEqual([blobChars, blobChars, blobChars]);
  await node.ok('PUT /big/_doc/logged', large);
  await node.restart();
  for (const id of ['indexed', 'bulk', 'updated', 'logged']) expect(await found(id), id).toBe(blobChars);
});

test('a body of exactly http.max_content_length is accepted, one byte more is refused', async () => {
  await node.ok('PUT /big/_doc/limit', source(LIMIT_BYTES));
  const refused = await node.send('PUT /big/_doc/beyond', source(LIMIT_BYTES + 1));
  expect([refused.status, refused.json.error.type]).toEqual([413, 'content_too_large_exception']);
  expect((await node.send('GET /big/_doc/beyond')).status).toBe(404);
});
