// Blocks of an index: status and text of the errors that clients see, and whether they retry.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs');
});
afterAll(() => node.close());

test.each([
  ['read_only', 403, 'FORBIDDEN/5/index read-only (api)'],
  ['write', 403, 'FORBIDDEN/8/index write (api)'],
  ['read_only_allow_delete', 429, 'TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block'],
])('index.blocks.%s refuses writes with %i', async (block, status, text) => {
  await node.ok('PUT /docs/_settings', { [`index.blocks.${block}`]: true });
  const error = { type: 'cluster_block_exception', reason: `index [docs] blocked by: [${text}];` };
  expect((await node.send('PUT /docs/_doc/1', {})).json).toEqual({ error: { root_cause: [error], ...error }, status });
  const [{ index: item }] = (await node.ok('POST /docs/_bulk', [{ index: { _id: '1' } }, {}])).items;
  expect(item).toEqual({ _index: 'docs', _id: '1', status, error });
  const blocks = Object.values<any>((await node.ok('GET /_cluster/state/blocks')).blocks.indices.docs);
  expect(blocks.map(({ description }) => description)).toEqual([text.replace(/^\w+\/\d+\//, '')]);
  await node.ok('PUT /docs/_settings', { [`index.blocks.${block}`]: null });
});

test('index.blocks.read refuses searches with 403', async () => {
  await node.ok('PUT /docs/_settings', { 'index.blocks.read': true });
  const { status, json } = await node.send('GET /docs/_search');
  expect([status, json.error.reason]).toEqual([403, 'index [docs] blocked by: [FORBIDDEN/7/index read (api)];']);
  await node.ok('PUT /docs/_settings', { 'index.blocks.read': null });
});
