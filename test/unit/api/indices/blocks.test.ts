// Requests that blocks of an index refuse besides documents: reads and changes of its metadata, as in Elasticsearch 8.15.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

beforeEach(async () => {
  const blocks = Object.fromEntries(
    ['read_only', 'metadata', 'read', 'read_only_allow_delete'].map((name) => [`index.blocks.${name}`, null]),
  );
  await node.send('PUT /docs/_settings', blocks);
  await node.send('DELETE /docs');
  await node.ok('PUT /docs', { aliases: { old: {} } });
});

const LOOKS = ['_mapping', '_settings', '_alias', '_stats', '_segments', ''].map((api) => `GET /docs/${api}`);
const CHANGES: ReadonlyArray<readonly [string, object?]> = [
  ['PUT /docs/_mapping', { properties: { a: { type: 'long' } } }],
  ['PUT /docs/_settings', { 'index.refresh_interval': '7s' }],
  ['PUT /docs/_alias/new'],
  ['DELETE /docs/_alias/old'],
  ['POST /docs/_forcemerge'],
  ['POST /docs/_cache/clear'],
  ['POST /docs/_open'],
  ['POST /docs/_close'],
  ['PUT /docs/_block/write'],
  ['PUT /docs'],
  ['DELETE /docs'],
];

const block = (name: string) => node.ok('PUT /docs/_settings', { [`index.blocks.${name}`]: true });

test.each([
  ['read_only', '5/index read-only (api)'],
  ['metadata', '9/index metadata (api)'],
])('the block %s refuses changes', async (name, text) => {
  await block(name);
  for (const [line, body] of CHANGES) {
    const { status, json } = await node.send(line, body);
    expect(status, line).toBe(403);
    expect(json.error.reason, line).toBe(`index [docs] blocked by: [FORBIDDEN/${text}];`);
  }
});

test('both blocks are named; those of metadata can be added to each other', async () => {
  await node.ok('PUT /docs/_block/read_only');
  expect((await node.ok('PUT /docs/_block/metadata')).indices).toEqual([{ name: 'docs', blocked: true }]);
  expect((await node.send('PUT /docs/_block/read')).json.error.reason).toBe(
    'index [docs] blocked by: [FORBIDDEN/9/index metadata (api), FORBIDDEN/5/index read-only (api)];',
  );
});

test('a block that all indices have is not added again', async () => {
  await node.ok('PUT /other');
  await node.ok('PUT /docs/_block/write');
  const both = await node.ok('PUT /docs,other/_block/write');
  expect(both).toEqual({ acknowledged: true, shards_acknowledged: true, indices: [{ name: 'other', blocked: true }] });
  expect(await node.ok('PUT /docs,other/_block/write')).toEqual({ acknowledged: true, shards_acknowledged: false, indices: [] });
  for (const name of ['docs', 'other']) await node.ok(`PUT /${name}/_settings`, { 'index.blocks.write': null });
});

test('only the block metadata hides metadata', async () => {
  for (const name of ['read_only', 'read', 'read_only_allow_delete']) {
    await block(name);
    for (const line of LOOKS) expect((await node.send(line)).status, `${name} ${line}`).toBe(200);
  }
  await block('metadata');
  for (const line of LOOKS) expect((await node.send(line)).status, line).toBe(403);
  expect((await node.send('HEAD /docs')).status).toBe(403);
});

test('the block read hides the fields of an index, the block of a full disk hides no metadata', async () => {
  await block('read');
  expect((await node.send('GET /docs/_field_caps?fields=*')).status).toBe(403);
  await node.ok('PUT /docs/_settings', { 'index.blocks.read': null });
  await block('read_only_allow_delete');
  for (const [line, body] of CHANGES.filter(([line]) => line !== 'PUT /docs')) expect((await node.send(line, body)).status, line).toBe(200);
});
