// Boosting queries within boosting queries: scores, and plans that do not double with each level.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

type Query = Record<string, unknown>;

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', {
    mappings: { properties: { n: { type: 'integer' }, parts: { type: 'nested', properties: { n: { type: 'integer' } } } } },
  });
  const lines = [1, 2, 3, 4].flatMap((n) => [{ index: { _id: String(n) } }, { n, parts: [{ n }, { n: n + 10 }] }]);
  await node.ok('POST /docs/_bulk?refresh=true', lines);
});

afterAll(() => node.close());

/** Level i halves the scores of documents with n <= i. */
function levels(depth: number, field = 'n', bottom: Query = { constant_score: { filter: { match_all: {} } } }): Query {
  let query = bottom;
  for (let i = 1; i <= depth; i++)
    query = { boosting: { positive: query, negative: { range: { [field]: { lte: i } } }, negative_boost: 0.5 } };
  return query;
}

async function scoresOf(query: Query): Promise<Record<string, number>> {
  const { hits } = await node.ok('POST /docs/_search', { query });
  return Object.fromEntries(hits.hits.map((hit: { _id: string; _score: number }) => [hit._id, Math.fround(hit._score)]));
}

test.each([1, 2, 3, 4, 5, 6, 28])('%i levels of boosting halve a score at each level whose negative query matches', async (depth) => {
  const expected = [1, 2, 3, 4].map((n) => [String(n), 0.5 ** Math.max(0, depth - n + 1)]);
  expect(await scoresOf(levels(depth))).toEqual(Object.fromEntries(expected));
});

test('levels between other compound queries count, too', async () => {
  let query = levels(1);
  for (let i = 0; i < 8; i++) {
    const negative = { match_all: {} };
    query = { bool: { must: [{ dis_max: { queries: [{ boosting: { positive: query, negative, negative_boost: 0.5 } }] } }] } };
  }
  const lowered = 0.5 ** 8;
  expect(await scoresOf(query)).toEqual({ 1: lowered / 2, 2: lowered, 3: lowered, 4: lowered });
});

test('levels over nested documents score those documents', async () => {
  const query = { nested: { path: 'parts', query: levels(8, 'parts.n'), score_mode: 'sum' } };
  const expected = [1, 2, 3, 4].map((n) => [String(n), 1 + 0.5 ** (8 - n + 1)]);
  expect(await scoresOf(query)).toEqual(Object.fromEntries(expected));
});
