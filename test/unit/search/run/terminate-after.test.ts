// `terminate_after`: which documents it counts, when it reports an early end, and totals that are known without visiting documents.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

type Body = Record<string, unknown>;

const DOCS = 200;
const MARKED = [4, 9, 10, 15, 150];
const COUNT = { values: { value_count: { field: 'n' } } };
const BY_NUMBER = { function_score: { query: { match_all: {} }, field_value_factor: { field: 'n' } } };
const ODD = { prefix: { parity: 'od' } };

let node: RestNode;
let opensearch: RestNode;
let seven: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  opensearch = await openRestNode({ 'compat.flavor': 'opensearch' });
  seven = await openRestNode({ 'compat.version': '7.17.0' });
  const properties = { tag: { type: 'keyword' }, parity: { type: 'keyword' }, text: { type: 'text' } };
  const lines = Array.from({ length: DOCS }, (_, n) => [
    { index: { _id: String(n) } },
    { n, tag: MARKED.includes(n) ? 'b' : 'a', parity: n % 2 === 1 ? 'odd' : 'even', text: 'dog' },
  ]).flat();
  for (const one of [node, opensearch, seven]) {
    await one.ok('PUT /docs', { mappings: { properties } });
    await one.ok('POST /docs/_bulk?refresh=true', lines);
  }
});

afterAll(async () => {
  for (const one of [node, opensearch, seven]) await one?.close();
});

/** Total, whether the search ended early, and the number of documents that the aggregation has (undefined without one). */
async function outcome(body: Body, on: RestNode = node): Promise<[total: number, early: boolean, aggregated?: number]> {
  const { hits, terminated_early, aggregations } = await on.ok('POST /docs/_search', body);
  return [hits.total.value, terminated_early, ...(aggregations ? [aggregations.values.value] : [])] as [number, boolean];
}

describe('the limit', () => {
  test('is reached by the first hit beyond it, not by the last one within', async () => {
    expect(await outcome({ terminate_after: 99, query: ODD, size: 1 })).toEqual([99, true]);
    expect(await outcome({ terminate_after: 100, query: ODD, size: 1 })).toEqual([100, false]);
    expect(await outcome({ terminate_after: 101, query: ODD, size: 1 })).toEqual([100, false]);
    expect(await outcome({ terminate_after: 3, query: ODD, aggs: COUNT })).toEqual([3, true, 3]);
  });

  test('counts hits that post_filter keeps; aggregations have every document before the first hit beyond it', async () => {
    const filtered = { post_filter: { term: { tag: 'b' } }, aggs: COUNT };
    expect(await outcome({ ...filtered, terminate_after: 1 })).toEqual([1, true, 9]);
    expect(await outcome({ ...filtered, terminate_after: 2, size: 0 })).toEqual([2, true, 10]);
    expect(await outcome({ ...filtered, terminate_after: 4 })).toEqual([4, true, 150]);
    expect(await outcome({ ...filtered, terminate_after: 5 })).toEqual([5, false, DOCS]);
  });

  test('counts hits that reach min_score, alone and with post_filter', async () => {
    const scored = { query: BY_NUMBER, min_score: 6, aggs: COUNT };
    expect(await outcome({ ...scored, terminate_after: 2 })).toEqual([2, true, 2]);
    expect(await outcome({ ...scored, terminate_after: 2, post_filter: { term: { tag: 'b' } } })).toEqual([2, true, 9]);
    expect(await outcome({ ...scored, terminate_after: 4, post_filter: { term: { tag: 'b' } } })).toEqual([4, false, DOCS - 6]);
  });

  test('returns the first hits with their scores', async () => {
    const body = { terminate_after: 2, query: BY_NUMBER, post_filter: { term: { tag: 'b' } } };
    const { hits } = await node.ok('POST /docs/_search', body);
    expect(hits.hits.map((hit: Body) => [hit['_id'], hit['_score']])).toEqual([
      ['9', 9],
      ['4', 4],
    ]);
  });
});

describe('totals that are known without visiting documents', () => {
  const KNOWN: Array<[Body, number]> = [
    [{ match_all: {} }, DOCS],
    [{ term: { tag: 'b' } }, 5],
    [{ match: { text: 'dog' } }, DOCS],
    [{ exists: { field: 'text' } }, DOCS],
    [{ bool: { filter: { term: { tag: 'b' } } } }, 5],
    [{ bool: { must: { match_all: {} }, filter: { term: { tag: 'b' } } } }, 5],
  ];
  const POINTS: Array<[Body, number]> = [
    [{ range: { n: { gte: 150 } } }, 50],
    [{ term: { n: 7 } }, 1],
    [{ bool: { must_not: { term: { tag: 'b' } } } }, DOCS - 5],
    [{ bool: { must: [{ term: { tag: 'b' } }, { match_all: {} }] } }, 5],
  ];
  const VISITED: Body[] = [
    ODD,
    { terms: { tag: ['a', 'b'] } },
    { bool: { must: [{ term: { tag: 'a' } }, { term: { parity: 'odd' } }] } },
    { bool: { should: [{ term: { tag: 'a' } }, { term: { parity: 'odd' } }] } },
  ];

  test('are reported in full since version 8, for pages with hits only if one clause selects', async () => {
    for (const [query, total] of KNOWN) {
      expect((await outcome({ query, terminate_after: 1 }))[0], JSON.stringify(query)).toBe(total);
    }
    for (const [query] of POINTS) expect((await outcome({ query, terminate_after: 1 }))[0], JSON.stringify(query)).toBe(1);
    for (const [query, total] of [...KNOWN, ...POINTS]) {
      expect(await outcome({ query, terminate_after: 1, size: 0, aggs: COUNT }), JSON.stringify(query)).toEqual([total, false, total]);
    }
    for (const query of VISITED) expect(await outcome({ query, terminate_after: 1, size: 0 }), JSON.stringify(query)).toEqual([1, true]);
  });

  test('are reported by OpenSearch for empty pages, by version 7 never', async () => {
    for (const [query, total] of [...KNOWN, ...POINTS]) {
      const empty = { query, terminate_after: 1, size: 0, aggs: COUNT };
      expect(await outcome(empty, opensearch), JSON.stringify(query)).toEqual([total, total > 1, 1]);
      expect(await outcome({ ...empty, size: 1 }, opensearch), JSON.stringify(query)).toEqual([1, total > 1, 1]);
      expect(await outcome(empty, seven), JSON.stringify(query)).toEqual([1, total > 1, 1]);
    }
  });
});

test('terms of root fields are counted next to nested documents, all documents are not', async () => {
  await node.ok('PUT /family', { mappings: { properties: { tag: { type: 'keyword' }, parts: { type: 'nested' } } } });
  const lines = Array.from({ length: 9 }, () => [{ index: {} }, { tag: 'a', parts: [{ n: 1 }, { n: 2 }] }]).flat();
  await node.ok('POST /family/_bulk?refresh=true', lines);
  const totalOf = async (query: object) => (await node.ok('POST /family/_search', { query, size: 1, terminate_after: 4 })).hits.total.value;
  expect(await totalOf({ term: { tag: 'a' } })).toBe(9);
  expect(await totalOf({ match_all: {} })).toBe(4);
});
