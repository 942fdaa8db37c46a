// The Location header of writes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

const locationOf = async (line: string, body: object): Promise<unknown[]> => {
  const { status, headers } = await node.exchange(line, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  return [status, headers.location];
};

test('a new document has a location, a replaced one has none', async () => {
  expect(await locationOf('PUT /docs/_doc/a%20b?routing=r%2F1', { n: 1 })).toEqual([201, '/docs/_doc/a+b?routing=r%2F1']);
  expect(await locationOf('PUT /docs/_doc/a%20b?routing=r%2F1', { n: 2 })).toEqual([200, undefined]);
});

test('an update that creates the document has its location, others have none', async () => {
  expect(await locationOf('POST /docs/_update/u', { doc: { n: 1 }, doc_as_upsert: true })).toEqual([201, '/docs/_doc/u']);
  expect(await locationOf('POST /docs/_update/u', { doc: { n: 2 } })).toEqual([200, undefined]);
});
