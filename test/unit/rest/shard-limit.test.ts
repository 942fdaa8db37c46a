// `cluster.max_shards_per_node`: whatever would open more shards is refused as a whole and leaves no trace.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
beforeEach(async () => {
  node = await openRestNode();
  await setLimit(5);
  await node.ok('PUT /pair', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
});
afterEach(() => node.close());

async function setLimit(limit: number | null): Promise<void> {
  await node.ok('PUT /_cluster/settings', { persistent: { 'cluster.max_shards_per_node': limit } });
}

const refusal = (added: number, present: number) => ({
  type: 'validation_exception',
  reason: `Validation Failed: 1: this action would add [${added}] shards, but this cluster currently has [${present}]/[5] maximum normal shards open;`,
});

/** Names of all indices, in order. */
async function names(): Promise<string[]> {
  return ((await node.ok('GET /_cat/indices?format=json&h=index')) as Array<{ index: string }>).map(({ index }) => index).sort();
}

test('creations count replicas', async () => {
  const { status, json } = await node.send('PUT /more');
  expect([status, json.error]).toMatchObject([400, refusal(2, 4)]);
  await node.ok('PUT /more', { settings: { number_of_replicas: 0 } });
  expect((await node.send('PUT /none', { settings: { number_of_replicas: 0 } })).json.error).toMatchObject(refusal(1, 5));
  expect(await names()).toEqual(['more', 'pair']);
});

test('items of a bulk whose index has no room fail, the others are written', async () => {
  const lines = ['pair', 'new-1', 'pair', 'new-2'].flatMap((index) => [{ index: { _index: index } }, { a: 1 }]);
  const { items } = await node.ok('POST /_bulk', `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  expect(items.map((item: { index: { status: number } }) => item.index.status)).toEqual([201, 400, 201, 400]);
  expect(items[1].index.error).toEqual(refusal(2, 4));
  expect(await names()).toEqual(['pair']);
});

test('closed indices do not count until they are opened', async () => {
  await node.ok('POST /pair/_close');
  await node.ok('PUT /two', { settings: { number_of_shards: 2 } });
  expect((await node.send('POST /pair/_open')).json.error).toMatchObject(refusal(4, 4));
  await setLimit(null);
  await node.ok('POST /pair/_open');
});

test('more replicas, data streams and rollovers count', async () => {
  expect((await node.send('PUT /pair/_settings', { number_of_replicas: 2 })).json.error).toMatchObject(refusal(2, 4));
  await node.ok('PUT /_index_template/logs', { index_patterns: ['logs'], data_stream: {} });
  expect((await node.send('PUT /_data_stream/logs')).json.error).toMatchObject(refusal(2, 4));
  await setLimit(7);
  await node.ok('PUT /_data_stream/logs');
  expect((await node.send('POST /logs/_rollover')).json.error.reason).toContain('would add [2] shards');
  expect((await node.ok('GET /_data_stream/logs')).data_streams[0].indices).toHaveLength(1);
});

test('a limit below the present number refuses nothing but more', async () => {
  await setLimit(1);
  await node.ok('PUT /pair/_settings', { number_of_replicas: 0, refresh_interval: '5s' });
  await node.ok('PUT /pair/_doc/1', { a: 1 });
});

test('the health report warns before the limit is reached', async () => {
  const capacity = async (): Promise<unknown> => {
    const { shards_capacity } = (await node.ok('GET /_health_report/shards_capacity')).indicators;
    return [shards_capacity.status, shards_capacity.details.data];
  };
  const found: unknown[] = [];
  for (const limit of [13, 14, 23, 24]) {
    await setLimit(limit);
    found.push(await capacity());
  }
  expect(found).toEqual([
    ['red', { max_shards_in_cluster: 13, current_used_shards: 4 }],
    ['yellow', { max_shards_in_cluster: 14, current_used_shards: 4 }],
    ['yellow', { max_shards_in_cluster: 23, current_used_shards: 4 }],
    ['green', { max_shards_in_cluster: 24 }],
  ]);
});
