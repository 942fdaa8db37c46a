// Slices of a scroll over indices of several shards: every document is in one of them, and whole shards are if there are more shards than slices.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const DOCUMENTS = Array.from({ length: 60 }, (_, i) => String(i + 1));

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  for (const shards of [1, 5]) {
    const settings = { number_of_shards: shards, number_of_routing_shards: shards };
    await node.ok(`PUT /of-${shards}`, { settings });
    const lines = DOCUMENTS.map((id) => `{"index":{"_id":"${id}"}}\n{"n":${id}}\n`);
    await node.ok(`POST /of-${shards}/_bulk?refresh=true`, lines.join(''));
  }
});
afterAll(() => node.close());

async function idsOf(index: string, slice: object): Promise<string[]> {
  const { _scroll_id, hits } = await node.ok(`POST /${index}/_search?scroll=1m`, { slice, size: 100 });
  await node.ok('DELETE /_search/scroll', { scroll_id: _scroll_id });
  return hits.hits.map(({ _id }: { _id: string }) => _id);
}

test.each([
  ['of-1', 2],
  ['of-1', 7],
  ['of-5', 2],
  ['of-5', 4],
  ['of-5', 5],
  ['of-5', 7],
  ['of-5', 12],
])('%s in %i slices', async (index, max) => {
  for (const field of [undefined, '_id', 'n']) {
    const slices = await Promise.all(Array.from({ length: max }, (_, id) => idsOf(index, { id, max, ...(field ? { field } : {}) })));
    expect(slices.flat().sort(), field).toEqual([...DOCUMENTS].sort());
  }
});

test('with fewer slices than shards a slice has whole shards', async () => {
  // As Elasticsearch 7.10 and 8.15 divide them.
  expect((await idsOf('of-5', { id: 0, max: 2 })).filter((id) => Number(id) <= 4).sort()).toEqual(['2', '3', '4']);
  expect((await idsOf('of-5', { id: 1, max: 2 })).filter((id) => Number(id) <= 4)).toEqual(['1']);
});
