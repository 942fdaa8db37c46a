// Aliases: names that exclude others, and an alias that takes the name of an index which the same request removes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', { aliases: { a1: {}, a2: {}, b1: {}, b2: {} } });
});
afterAll(() => node.close());

// As Elasticsearch 8.15 and OpenSearch 3 answer.
test.each([
  ['a1,b1,-a*', 200, ['b1']],
  ['a1,b2,-a*,-b2', 200, []],
  ['a*,-a1', 200, ['a2']],
  ['*,-a*', 200, ['b1', 'b2']],
  ['a1,-a1', 404, 'aliases [-a1,a1] missing'],
  ['a1,-none', 404, 'alias [-none] missing'],
  ['a1,none', 404, 'alias [none] missing'],
])('GET /_alias/%s', async (names, status, expected) => {
  const answer = await node.send(`GET /_alias/${names}`);
  expect(answer.status).toBe(status);
  if (Array.isArray(expected)) expect(Object.keys(answer.json.docs?.aliases ?? {})).toEqual(expected);
  else expect(answer.json.error).toBe(expected);
});

test('an alias takes the name of a removed index, whatever the order of the actions', async () => {
  for (const isFirst of [true, false]) {
    await node.ok('PUT /old/_doc/1', {});
    const remove = { remove_index: { index: 'old' } };
    const add = { add: { index: 'docs', alias: 'old' } };
    await node.ok('POST /_aliases', { actions: isFirst ? [remove, add] : [add, remove] });
    expect(Object.keys(await node.ok('GET /old'))).toEqual(['docs']);
    await node.ok('DELETE /docs/_alias/old');
  }
});

test('an index that a request removes cannot get an alias by it', async () => {
  await node.ok('PUT /gone');
  const actions = [{ add: { index: 'gone', alias: 'x' } }, { remove_index: { index: 'gone' } }];
  expect((await node.send('POST /_aliases', { actions })).status).toBe(404);
  expect((await node.send('HEAD /gone')).status).toBe(200);
});
