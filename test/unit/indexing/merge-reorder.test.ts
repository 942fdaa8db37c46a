// index.merge.reorder: merges put similar documents next to each other, and searches find the same documents with the same scores.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const DOCS = 1200;

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

interface Hits {
  readonly hits: { readonly total: { readonly value: number }; readonly hits: ReadonlyArray<{ _id: string; _score: number }> };
}

/** Two segments of documents whose topics take turns. */
async function fill(index: string): Promise<void> {
  const body = (i: number): string =>
    `${i % 2 ? 'odd' : 'even'} ${Array.from({ length: 8 }, (_, word) => `${i % 2}x${(i + word) % 30}`).join(' ')}`;
  await node.ok(`PUT /${index}`, { settings: { refresh_interval: -1 }, mappings: { properties: { body: { type: 'text' } } } });
  for (const from of [0, DOCS / 2]) {
    const lines = Array.from({ length: DOCS / 2 }, (_, i) => [{ index: { _id: `d${from + i}` } }, { body: body(from + i), n: from + i }]);
    await node.ok(`POST /${index}/_bulk?refresh=true`, lines.flat());
  }
  await node.ok(`DELETE /${index}/_doc/d17?refresh=true`);
}

const inOrder = async (index: string): Promise<number[]> => {
  const found: Hits = await node.ok(`POST /${index}/_search`, { sort: ['_doc'], size: DOCS });
  return found.hits.hits.map(({ _id }) => Number(_id.slice(1)));
};

/** Score of each hit. */
const scores = async (index: string, query: object): Promise<Record<string, number>> => {
  const found: Hits = await node.ok(`POST /${index}/_search`, { query, size: DOCS });
  return Object.fromEntries(found.hits.hits.map(({ _id, _score }) => [_id, _score]));
};

test('a merge of an index with the setting separates topics and changes no result', async () => {
  for (const index of ['plain', 'reordered']) await fill(index);
  await node.ok('PUT /reordered/_settings', { 'index.merge.reorder': true });
  for (const index of ['plain', 'reordered']) await node.ok(`POST /${index}/_forcemerge?max_num_segments=1`);
  const plain = await inOrder('plain');
  expect(plain).toEqual(Array.from({ length: DOCS }, (_, i) => i).filter((i) => i !== 17));
  const reordered = await inOrder('reordered');
  expect([...reordered].sort((a, b) => a - b)).toEqual(plain);
  // Where one topic follows the other.
  const changes = (ids: readonly number[]): number => ids.filter((id, i) => i > 0 && id % 2 !== ids[i - 1] % 2).length;
  expect(changes(plain)).toBeGreaterThan(DOCS - 10);
  expect(changes(reordered)).toBeLessThan(4);
  for (const query of [{ match: { body: '1x3 0x5' } }, { match_phrase: { body: '0x4 0x5' } }, { range: { n: { lt: 100 } } }]) {
    const expected = await scores('plain', query);
    expect(Object.keys(expected).length).toBeGreaterThan(0);
    expect(await scores('reordered', query)).toEqual(expected);
  }
  expect((await node.ok('GET /reordered/_doc/d900'))._source.n).toBe(900);
});

test('the setting must be a boolean', async () => {
  const { status, json } = await node.send('PUT /wrong', { settings: { 'index.merge.reorder': 'similar' } });
  expect([status, json.error.type]).toEqual([400, 'illegal_argument_exception']);
});
