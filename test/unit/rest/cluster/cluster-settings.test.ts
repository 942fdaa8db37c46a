/** Numbers of `_cluster/settings` keep the text that Java gives them. */
import { expect, test } from 'vitest';
import { openRestNode } from '../../../support/rest-node.ts';

test('floating-point numbers keep their fraction', async () => {
  const node = await openRestNode();
  try {
    const put = (text: string) =>
      node.send('PUT /_cluster/settings?flat_settings', `{"persistent":{"cluster.routing.allocation.balance.shard":${text}}}`);
    for (const [text, shown] of [
      ['3.0', '3.0'],
      ['1e3', '1000.0'],
      ['2.50', '2.5'],
      ['"4"', '4'],
      ['5', '5'],
    ])
      expect((await put(text)).json.persistent).toEqual({ 'cluster.routing.allocation.balance.shard': shown });
    expect((await put('{')).status).toBe(400);
    const { status, json } = await node.send('PUT /_cluster/settings', '[]');
    expect([status, json.error.type]).toEqual([400, 'action_request_validation_exception']);
  } finally {
    await node.close();
  }
});
