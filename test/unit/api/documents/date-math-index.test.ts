// Date math in the names of indices that requests on documents name.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

// An anchor makes the name the same on every day.
const NAME = '<day-{2024.05.06||/d{uuuu.MM.dd}}>';
const PATH = encodeURIComponent(NAME);
const INDEX = 'day-2024.05.06';

test('documents are written, read, changed and deleted', async () => {
  expect((await node.ok(`PUT /${PATH}/_doc/1?refresh=true`, { a: 1 }))._index).toBe(INDEX);
  expect((await node.ok(`GET /${PATH}/_doc/1`))._index).toBe(INDEX);
  expect(await node.ok(`GET /${PATH}/_source/1`)).toEqual({ a: 1 });
  expect((await node.ok(`POST /${PATH}/_update/1`, { doc: { b: 2 } })).result).toBe('updated');
  const { docs } = await node.ok('POST /_mget', { docs: [{ _index: NAME, _id: '1' }] });
  expect(docs[0]).toMatchObject({ _index: INDEX, _source: { a: 1, b: 2 } });
  expect((await node.ok(`GET /${PATH}/_termvectors/1`))._index).toBe(INDEX);
  expect((await node.ok(`DELETE /${PATH}/_doc/1`)).result).toBe('deleted');
});

test('bulk items name indices by date math', async () => {
  const { errors, items } = await node.ok('POST /_bulk', [
    { index: { _index: NAME, _id: '2' } },
    { a: 1 },
    { delete: { _index: NAME, _id: '2' } },
  ]);
  expect(errors).toBe(false);
  expect(items.map((item: any) => Object.values<any>(item)[0]._index)).toEqual([INDEX, INDEX]);
});

test('a broken expression is refused', async () => {
  const reason = 'invalid dynamic name expression [x-{]. date math placeholder is open ended';
  expect((await node.send(`PUT /${encodeURIComponent('<x-{>')}/_doc/1`, {})).json.error.reason).toBe(reason);
  expect((await node.send('POST /_bulk', [{ index: { _index: '<x-{>' } }, {}])).json.error.reason).toBe(reason);
});

test('an alias by date math routes its documents', async () => {
  await node.ok('PUT /routed', { aliases: { 'day-2024.05.07': { routing: 'r' } } });
  const path = encodeURIComponent('<day-{2024.05.07||/d{uuuu.MM.dd}}>');
  await node.ok(`PUT /${path}/_doc/1`, { a: 1 });
  expect((await node.ok('GET /routed/_doc/1?routing=r'))._routing).toBe('r');
});
