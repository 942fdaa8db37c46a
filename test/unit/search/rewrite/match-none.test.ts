// A bool query that requires a clause without matches: errors of its other clauses do not show.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', { mappings: { properties: { n: { type: 'integer' }, tag: { type: 'keyword' } } } });
  await node.ok('PUT /docs/_doc/1?refresh=true', { n: 1, tag: 'red' });
});

afterAll(() => node.close());

const WRONG = { match: { n: 'x' } };
const statusOf = async (query: object) => (await node.send('POST /docs/_search', { query })).status;

test.each([
  { match_none: {} },
  { ids: { values: [] } },
  { terms: { tag: [] } },
  { terms: { missing: ['a'] } },
  { term: { missing: 1 } },
  { range: { missing: { gt: 1 } } },
  { exists: { field: 'missing' } },
  { prefix: { missing: 'a' } },
  { wildcard: { missing: 'a' } },
  { fuzzy: { missing: 'a' } },
  { constant_score: { filter: { match_none: {} } } },
  { function_score: { query: { match_none: {} } } },
  { boosting: { positive: { match_none: {} }, negative: { match_all: {} }, negative_boost: 0.5 } },
  { bool: { must: [{ match_none: {} }] } },
  { bool: { should: [{ match_none: {} }, { term: { missing: 1 } }] } },
  { bool: { must_not: [{ match_all: {} }] } },
])('%j hides the error of its neighbour', async (none) => {
  expect(await statusOf({ bool: { filter: [none, WRONG] } })).toBe(200);
  expect(await statusOf({ bool: { must: [WRONG, none] } })).toBe(200);
});

test.each([
  { match: { missing: 1 } },
  { range: { n: { gt: 1000 } } },
  { exists: { field: 'n' } },
  { term: { tag: 'blue' } },
  { dis_max: { queries: [{ match_none: {} }] } },
])('%j does not', async (some) => {
  expect(await statusOf({ bool: { filter: [some, WRONG] } })).toBe(400);
});

test('an optional clause without matches hides nothing', async () => {
  expect(await statusOf({ bool: { should: [{ match_none: {} }, WRONG] } })).toBe(400);
  expect(await statusOf({ dis_max: { queries: [{ match_none: {} }, WRONG] } })).toBe(400);
});
