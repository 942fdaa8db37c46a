// `_cluster/health` waits for conditions that come true later, and reports those that do not.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

test('the shards of an index are waited for before the index exists', async () => {
  const waiting = node.send('GET /_cluster/health/late?wait_for_active_shards=1&timeout=30s');
  await node.ok('PUT /late', { settings: { number_of_replicas: 0 } });
  const { status, json } = await waiting;
  expect([status, json.timed_out, json.active_shards]).toEqual([200, false, 1]);
});

test('a condition that never holds ends with the timeout', async () => {
  const { status, json } = await node.send('GET /_cluster/health?wait_for_nodes=7&timeout=1ms');
  expect([status, json.timed_out]).toEqual([408, true]);
});
