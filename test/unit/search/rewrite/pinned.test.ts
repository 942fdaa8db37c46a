// pinned: chosen documents first, in the order of the request.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  for (const index of ['one', 'two'])
    await node.ok(
      `POST /${index}/_bulk?refresh=true`,
      [0, 1, 2, 3, 4].flatMap((i) => [{ index: { _id: String(i) } }, { text: `${'word '.repeat(i)}end`, index, n: i }]),
    );
});

afterAll(() => node.close());

const idsOf = async (path: string, pinned: object, more: object = {}) =>
  (await node.ok(`POST ${path}/_search`, { query: { pinned }, ...more })).hits.hits.map((hit: any) => `${hit._index}/${hit._id}`);

test('pinned documents come first, matches of the organic query follow', async () => {
  const organic = { match: { text: 'word' } };
  expect(await idsOf('/one', { ids: ['1', '0'], organic })).toEqual(['one/1', 'one/0', 'one/4', 'one/3', 'one/2']);
  expect(await idsOf('/one', { ids: ['1', '0'], organic }, { from: 1, size: 2 })).toEqual(['one/0', 'one/4']);
  expect(await idsOf('/one', { ids: ['nowhere'], organic: { match_none: {} } })).toEqual([]);
});

test('a document may name its index', async () => {
  const docs = [{ _index: 'two', _id: '3' }, { _id: '0' }];
  expect(await idsOf('/one,two', { docs, organic: { match_none: {} } })).toEqual(['two/3', 'one/0', 'two/0']);
});

test('scores stay finite under a boost, which applies to the organic query', async () => {
  const query = { pinned: { ids: ['1'], organic: { constant_score: { filter: { term: { n: 2 } } } }, boost: 3 } };
  const { hits } = await node.ok('POST /one/_search', { query });
  expect(hits.hits.map((hit: any) => hit._score)).toEqual([hits.max_score, 3]);
  expect(Number.isFinite(hits.max_score)).toBe(true);
});

test('lookups inside the organic query are resolved', async () => {
  const organic = { terms: { n: { index: 'two', id: '4', path: 'n' } } };
  expect(await idsOf('/one', { ids: ['0'], organic })).toEqual(['one/0', 'one/4']);
});

test.each([
  [{ ids: ['1'] }, 'Required [organic]'],
  [{ organic: { match_all: {} } }, 'Required one of fields [ids, docs]'],
  [{ ids: ['1'], docs: [{ _id: '1' }], organic: { match_all: {} } }, 'cannot be used together'],
  [{ ids: Array.from({ length: 101 }, String), organic: { match_all: {} } }, 'Max of 100 ids exceeded: 101 provided.'],
  [{ docs: [{ _index: 'one' }], organic: { match_all: {} } }, 'Required [_id]'],
])('refuses %j', async (pinned, reason) => {
  const { status, text } = await node.send('POST /one/_search', { query: { pinned } });
  expect(status).toBe(400);
  expect(text).toContain(reason);
});
