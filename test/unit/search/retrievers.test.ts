// Retrievers and rank: other notations of a search, and searches whose hits are combined.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
const DOCS = 30;

beforeAll(async () => {
  node = await openRestNode();
  const properties = { v: { type: 'dense_vector', dims: 2, similarity: 'l2_norm' }, color: { type: 'keyword' }, text: { type: 'text' } };
  await node.ok('PUT /docs', { settings: { number_of_shards: 2 }, mappings: { properties } });
  const lines = Array.from({ length: DOCS }, (_, i) => [
    { index: { _id: String(i) } },
    { v: [i, 0], color: ['red', 'green', 'blue'][i % 3], text: `fox ${'dog '.repeat(i % 5)}`, n: i },
  ]).flat();
  await node.ok('POST /docs/_bulk?refresh=true', lines);
});
afterAll(() => node.close());

const search = async (body: object): Promise<any> => await node.ok('POST /docs/_search', { _source: false, ...body });
const ids = ({ hits }: any): string[] => hits.hits.map(({ _id }: { _id: string }) => _id);
const knn = (at: number, k = 5) => ({ field: 'v', query_vector: [at, 0.1], k, num_candidates: 20 });
const dogs = { match: { text: 'dog' } };

describe('standard and knn are other notations of a search', () => {
  test.each<[object, object]>([
    [{ standard: { query: dogs } }, { query: dogs }],
    [{ standard: {} }, {}],
    [
      { standard: { query: dogs, filter: { term: { color: 'red' } }, min_score: 0.1 } },
      { query: { bool: { must: dogs, filter: { term: { color: 'red' } } } }, min_score: 0.1 },
    ],
    [{ standard: { query: dogs, sort: [{ n: 'desc' }], search_after: [20] } }, { query: dogs, sort: [{ n: 'desc' }], search_after: [20] }],
    [{ knn: knn(7) }, { knn: knn(7) }],
    [
      { knn: { ...knn(7), filter: { term: { color: 'red' } }, similarity: 4 } },
      { knn: { ...knn(7), filter: { term: { color: 'red' } }, similarity: 4 } },
    ],
  ])('%j', async (retriever, body) => {
    const aggs = { colors: { terms: { field: 'color' } } };
    const [found, plain] = [await search({ retriever, aggs }), await search({ ...body, aggs })];
    expect(found.hits).toEqual(plain.hits);
    expect(found.aggregations).toEqual(plain.aggregations);
  });
});

describe('rrf', () => {
  /** Ids by the sum of 1 / (constant + rank), ties in the order of the first list. */
  function fused(lists: string[][], constant: number): Map<string, number> {
    const scores = new Map<string, number>();
    for (const list of lists) list.forEach((id, i) => scores.set(id, (scores.get(id) ?? 0) + 1 / (constant + i + 1)));
    return new Map([...scores].sort((a, b) => b[1] - a[1]));
  }

  test.each([undefined, 1, 20])('combines ranks with the constant %j', async (constant) => {
    const window = 10;
    const lists = [
      await search({ query: dogs, size: window }),
      await search({ knn: knn(12), size: window }),
      await search({ knn: knn(3), size: window }),
    ].map(ids);
    const expected = fused(lists, constant ?? 60);
    const retrievers = [{ standard: { query: dogs } }, { knn: knn(12) }, { knn: knn(3) }];
    const options = { rank_window_size: window, ...(constant === undefined ? {} : { rank_constant: constant }) };
    const found = await search({ retriever: { rrf: { retrievers, ...options } }, size: 8 });
    const byRank = await search({ query: dogs, knn: [knn(12), knn(3)], rank: { rrf: options }, size: 8 });
    for (const answer of [found, byRank]) {
      expect(answer.hits.hits.map(({ _score }: any) => _score.toFixed(5))).toEqual(
        [...expected.values()].slice(0, 8).map((score) => score.toFixed(5)),
      );
      for (const { _id, _score } of answer.hits.hits) expect(_score).toBeCloseTo(expected.get(_id) ?? 0, 5);
      expect(answer.hits.hits.map(({ _rank }: any) => _rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(answer.hits.max_score).toBe(answer.hits.hits[0]._score);
      // 24 documents have the word; vectors add those without it.
      const matching = new Set(
        [...Array(DOCS).keys()]
          .filter((i) => i % 5 > 0)
          .map(String)
          .concat(lists[1], lists[2]),
      );
      expect(answer.hits.total.value).toBe(matching.size);
    }
    const second = await search({ retriever: { rrf: { retrievers, ...options } }, size: 3, from: 3 });
    expect(ids(second)).toEqual(ids(found).slice(3, 6));
    expect(second.hits.hits.map(({ _rank }: any) => _rank)).toEqual([4, 5, 6]);
  });

  test('aggregations are over all matches, filters apply to every search', async () => {
    const retrievers = [{ standard: { query: dogs } }, { knn: knn(12) }];
    const filter = { term: { color: 'green' } };
    const { hits, aggregations } = await search({
      retriever: { rrf: { retrievers, filter } },
      aggs: { colors: { terms: { field: 'color' } } },
    });
    expect(hits.hits.every(({ _id }: { _id: string }) => Number(_id) % 3 === 1)).toBe(true);
    expect(aggregations.colors.buckets).toEqual([{ key: 'green', doc_count: hits.total.value }]);
  });

  test('combinations may be nested', async () => {
    const inner = { rrf: { retrievers: [{ knn: knn(2) }, { knn: knn(4) }] } };
    const found = await search({ retriever: { rrf: { retrievers: [{ standard: { query: dogs } }, inner] } } });
    expect(found.hits.hits.length).toBe(10);
  });
});

test('linear adds weighted scores', async () => {
  const [text, vectors] = [await search({ query: dogs, size: 10 }), await search({ knn: knn(12, 10), size: 10 })];
  const scores = new Map<string, number>();
  const [max, min] = [Math.max, Math.min].map((of) => of(...text.hits.hits.map(({ _score }: any) => _score)));
  for (const { _id, _score } of text.hits.hits) scores.set(_id, (2 * (_score - min)) / (max - min));
  for (const { _id, _score } of vectors.hits.hits) scores.set(_id, (scores.get(_id) ?? 0) + 3 * _score);
  const retrievers = [
    { retriever: { standard: { query: dogs } }, weight: 2, normalizer: 'minmax' },
    { retriever: { knn: knn(12, 10) }, weight: 3 },
  ];
  const found = await search({ retriever: { linear: { retrievers, rank_window_size: 10 } } });
  const best = [...scores.values()].sort((a, b) => b - a).slice(0, 10);
  expect(found.hits.hits.map(({ _score }: any) => _score.toFixed(4))).toEqual(best.map((score) => score.toFixed(4)));
  expect(found.hits.hits[0]._rank).toBeUndefined();
});

describe('refused', () => {
  const standard = { standard: { query: dogs } };
  test.each<[object, string]>([
    [{ retriever: standard, query: dogs }, 'cannot specify [retriever] and [query]'],
    [{ retriever: standard, sort: ['n'], min_score: 1 }, 'cannot specify [retriever] and [sort, min_score]'],
    [{ retriever: {} }, 'retriever malformed, empty clause found'],
    [{ retriever: { foo: {} } }, 'unknown retriever [foo]'],
    [{ retriever: { ...standard, knn: {} } }, '[standard] malformed retriever, expected [END_OBJECT] but found [FIELD_NAME]'],
    [{ retriever: { standard: { foo: 1 } } }, '[standard] unknown field [foo]'],
    [{ retriever: { knn: { k: 3 } } }, 'Required [field, num_candidates]'],
    [{ retriever: { rrf: {} } }, 'Required [retrievers]'],
    [
      { retriever: { rrf: { retrievers: [standard, standard], rank_constant: 0 } } },
      '[rank_constant] must be greater or equal to [1] for [rrf]',
    ],
    [
      { retriever: { rrf: { retrievers: [standard, standard], rank_window_size: 5 } } },
      '[rrf] requires [rank_window_size: 5] be greater than or equal to [size: 10]',
    ],
    [{ retriever: { rrf: { retrievers: Array(65).fill(standard) } } }, '[retriever] combines more than [64] searches'],
    [{ retriever: { linear: { retrievers: [{ retriever: standard, weight: -1 }] } } }, '[weight] must be non-negative, got [-1]'],
    [{ rank: { rrf: {} }, query: dogs }, '[rank] requires a minimum of [2] result sets'],
    [{ rank: { foo: {} }, query: dogs, knn: knn(1) }, '[rank] supports [rrf], found [foo]'],
    [{ sub_searches: [{ query: dogs }] }, '[sub_searches] requires [rank]'],
  ])('%j', async (body, reason) => {
    const { status, json } = await node.send('POST /docs/_search', body);
    expect(status).toBe(400);
    expect(json.error.root_cause[0].reason).toContain(reason);
  });
});
