// index.sort: the order of documents in segments, early termination, and what is rejected.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

const RANKS = [4, 1, 3, 2, 8, 6, 5, 7];
const ids = (answer: { hits: { hits: Array<{ _id: string }> } }) => answer.hits.hits.map((hit) => hit._id);

async function fill(index: string, settings: object): Promise<void> {
  const mappings = { properties: { rank: { type: 'integer' }, tag: { type: 'keyword' }, text: { type: 'text' } } };
  await node.ok(`PUT /${index}`, { settings: { refresh_interval: -1, ...settings }, mappings });
  for (const half of [RANKS.slice(0, 4), RANKS.slice(4)]) {
    const lines = half.flatMap((rank) => [
      { index: { _id: `r${rank}` } },
      { rank, text: `number ${rank}`, ...(rank % 3 === 0 ? {} : { tag: rank % 2 ? 'odd' : 'even' }) },
    ]);
    await node.ok(`POST /${index}/_bulk?refresh=true`, lines);
  }
}

test('new and merged segments store documents in the order of the index sort', async () => {
  await fill('sorted', { 'index.sort.field': 'rank' });
  const inSegments = await node.ok('POST /sorted/_search', { sort: ['_doc'] });
  expect(ids(inSegments)).toEqual(['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8']);
  await node.ok('DELETE /sorted/_doc/r2?refresh=true');
  await node.ok('PUT /sorted/_doc/r3?refresh=true', { rank: 9, text: 'number three' });
  await node.ok('POST /sorted/_forcemerge?max_num_segments=1');
  expect(ids(await node.ok('POST /sorted/_search', { sort: ['_doc'] }))).toEqual(['r1', 'r4', 'r5', 'r6', 'r7', 'r8', 'r3']);
  expect((await node.ok('GET /sorted/_doc/r3'))._source.rank).toBe(9);
  const three = await node.ok('POST /sorted/_search', { query: { match_phrase: { text: 'number three' } } });
  expect(ids(three)).toEqual(['r3']);
});

test('supports several keys, descending order and missing values first', async () => {
  await fill('tagged', { 'index.sort': { field: ['tag', 'rank'], order: ['desc', 'asc'], missing: ['_first', '_last'] } });
  await node.ok('POST /tagged/_forcemerge?max_num_segments=1');
  expect(ids(await node.ok('POST /tagged/_search', { sort: ['_doc'] }))).toEqual(['r3', 'r6', 'r1', 'r5', 'r7', 'r2', 'r4', 'r8']);
});

test('ends early with the same hits if the index sort matches the sort', async () => {
  await fill('early', { 'index.sort.field': 'rank' });
  await node.ok('POST /early/_forcemerge?max_num_segments=1');
  const search = (body: object) => node.ok('POST /early/_search', { query: { match: { text: 'number' } }, size: 2, ...body });
  const ended = await search({ sort: ['rank'], track_total_hits: 3 });
  expect(ids(ended)).toEqual(['r1', 'r2']);
  expect(ended.hits.total).toEqual({ value: 3, relation: 'gte' });
  expect(ended).not.toHaveProperty('terminated_early');
  const collected = async (body: object) => {
    const { profile } = await search({ profile: true, ...body });
    return profile.shards[0].searches[0].query[0].breakdown.next_doc_count;
  };
  expect(await collected({ sort: ['rank'], track_total_hits: false })).toBe(2);
  expect(await collected({ sort: [{ rank: 'desc' }], track_total_hits: false })).toBe(8);
  expect((await search({ sort: ['rank'] })).hits.total).toEqual({ value: 8, relation: 'eq' });
  const next = await search({ sort: ['rank'], track_total_hits: false, search_after: [4] });
  expect(ids(next)).toEqual(['r5', 'r6']);
});

test.each([
  [{ field: 'nothing' }, 'unknown index sort field:[nothing]'],
  [{ field: 'text' }, 'docvalues not found for index sort field:[text]'],
  [{ field: 'half' }, 'invalid index sort field:[half]'],
  [{ field: ['rank'], order: ['asc', 'desc'] }, 'index.sort.field:[rank] index.sort.order:[asc, desc], size mismatch'],
  [{ field: 'rank', order: 'up' }, 'Illegal sort order:up'],
])('%j is refused', async (sort, reason) => {
  const mappings = { properties: { rank: { type: 'integer' }, text: { type: 'text' }, half: { type: 'half_float' } } };
  const { status, json } = await node.send('PUT /refused', { settings: { index: { sort } }, mappings });
  expect([status, json.error.type, json.error.reason]).toEqual([400, 'illegal_argument_exception', reason]);
});

test('rejects nested fields in sorted indices', async () => {
  const mappings = { properties: { rank: { type: 'integer' }, parts: { type: 'nested' } } };
  const { json } = await node.send('PUT /nested', { settings: { 'index.sort.field': 'rank' }, mappings });
  expect(json.error.reason).toContain('cannot have nested fields when index sort is activated');
});

test('shards that are refreshed at the same time do not get segments of each other', async () => {
  const sort = { 'sort.field': 'n', 'sort.order': 'desc' };
  await node.ok('PUT /parallel', {
    settings: { number_of_shards: 6, refresh_interval: -1, index: sort },
    mappings: { properties: { n: { type: 'integer' } } },
  });
  const numbers = Array.from({ length: 300 }, (_, n) => n);
  await node.ok(
    'POST /parallel/_bulk?refresh=true',
    numbers.flatMap((n) => [{ index: { _id: `id-${n}` } }, { n }]),
  );
  const { hits } = await node.ok('POST /parallel/_search', { size: 300, sort: [{ n: 'asc' }], docvalue_fields: ['n'] });
  expect(hits.hits.map(({ _id, fields }: any) => [_id, fields.n[0]])).toEqual(numbers.map((n) => [`id-${n}`, n]));
  expect((await node.ok('POST /parallel/_forcemerge?max_num_segments=1'))._shards.failed).toBe(0);
  expect((await node.ok('POST /parallel/_count', { query: { range: { n: { gte: 150 } } } })).count).toBe(150);
});
