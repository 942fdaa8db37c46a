// Fields of type flattened: aggregations, sorts and searches by key, and refused requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const SOURCES = [
  { a: 'x', b: 'apple', c: { d: '10', e: 'z' } },
  { a: 'y', b: ['cherry', 'banana'], c: { d: 9 } },
  { b: 'apple', c: { e: true } },
  { a: 'x', 'b.c': 'other' },
  {},
];

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /flat', { mappings: { properties: { f: { type: 'flattened' }, n: { type: 'integer' } } } });
  // Two segments.
  for (const [n, f] of SOURCES.entries()) await node.ok(`PUT /flat/_doc/${n}${n === 2 ? '?refresh=true' : ''}`, { n, f });
  await node.ok('POST /flat/_refresh');
});
afterAll(() => node.close());

interface Answer {
  hits: { hits: Array<{ _id: string; sort: unknown[]; fields: Record<string, unknown[]> }> };
  aggregations: Record<string, { value: number; doc_count: number; buckets: Array<{ key: unknown; doc_count: number }> }>;
}
const search = async (body: object): Promise<Answer> => (await node.ok('POST /flat/_search', body)) as unknown as Answer;
const aggregate = async (aggs: object): Promise<Answer['aggregations']> => (await search({ size: 0, aggs })).aggregations;
const pairs = ({ buckets }: Answer['aggregations'][string]) => buckets.map(({ key, doc_count }) => [key, doc_count]);

describe('a key', () => {
  test('has its own terms in aggregations', async () => {
    const found = await aggregate({
      terms: { terms: { field: 'f.b' } },
      ordered: { terms: { field: 'f.b', order: { _key: 'desc' }, size: 2 } },
      missing: { terms: { field: 'f.a', missing: 'none' } },
      pattern: { terms: { field: 'f.b', include: '[b-z].*' } },
      listed: { terms: { field: 'f.b', exclude: ['apple'] } },
      inner: { terms: { field: 'f.c.d' } },
      distinct: { cardinality: { field: 'f.b' } },
      count: { value_count: { field: 'f.b' } },
      without: { missing: { field: 'f.a' } },
      rare: { rare_terms: { field: 'f.a' } },
      pages: { composite: { sources: [{ k: { terms: { field: 'f.a' } } }] } },
      nothing: { terms: { field: 'f.none' } },
    });
    expect(pairs(found['terms'])).toEqual([
      ['apple', 2],
      ['banana', 1],
      ['cherry', 1],
    ]);
    expect(pairs(found['ordered'])).toEqual([
      ['cherry', 1],
      ['banana', 1],
    ]);
    expect(pairs(found['missing'])).toEqual([
      ['none', 2],
      ['x', 2],
      ['y', 1],
    ]);
    expect(pairs(found['pattern'])).toEqual([
      ['banana', 1],
      ['cherry', 1],
    ]);
    expect(pairs(found['listed'])).toEqual(pairs(found['pattern']));
    expect(pairs(found['inner'])).toEqual([
      ['10', 1],
      ['9', 1],
    ]);
    expect([found['distinct'].value, found['count'].value, found['without'].doc_count]).toEqual([3, 4, 2]);
    expect(pairs(found['rare'])).toEqual([['y', 1]]);
    expect(pairs(found['pages'])).toEqual([
      [{ k: 'x' }, 2],
      [{ k: 'y' }, 1],
    ]);
    expect(pairs(found['nothing'])).toEqual([]);
  });

  test('has its own terms below other aggregations', async () => {
    const { a } = await aggregate({ a: { terms: { field: 'f.a' }, aggs: { b: { terms: { field: 'f.b' } } } } });
    expect(a).toMatchObject({
      buckets: [
        { key: 'x', b: { buckets: [{ key: 'apple', doc_count: 1 }] } },
        { key: 'y', doc_count: 1 },
      ],
    });
  });

  test.each([
    [
      'asc',
      [
        ['0', 'apple'],
        ['2', 'apple'],
        ['1', 'banana'],
        ['3', null],
        ['4', null],
      ],
    ],
    [
      'desc',
      [
        ['1', 'cherry'],
        ['0', 'apple'],
        ['2', 'apple'],
        ['3', null],
        ['4', null],
      ],
    ],
  ])('is sorted by, %s', async (order, expected) => {
    const sort = [{ 'f.b': order }, 'n'];
    const { hits } = await search({ sort });
    expect(hits.hits.map((hit) => [hit._id, hit.sort[0]])).toEqual(expected);
    const next = await search({ sort, size: 2, search_after: hits.hits[1].sort });
    expect(next.hits.hits.map((hit) => hit._id)).toEqual(expected.slice(2, 4).map(([id]) => id));
  });

  test('is sorted by with a value for documents without one', async () => {
    const { hits } = await search({ sort: [{ 'f.a': { missing: 'xx' } }, 'n'] });
    expect(hits.hits.map((hit) => [hit._id, hit.sort[0]])).toEqual([
      ['0', 'x'],
      ['3', 'x'],
      ['2', 'xx'],
      ['4', 'xx'],
      ['1', 'y'],
    ]);
  });
});

test('fields shows the object, and the values of a key', async () => {
  const { hits } = await search({ fields: ['f', 'f.c.d'], _source: false, sort: ['n'], size: 2 });
  expect(hits.hits.map((hit) => hit.fields)).toEqual([
    { f: [SOURCES[0]], 'f.c.d': ['10'] },
    { f: [SOURCES[1]], 'f.c.d': ['9'] },
  ]);
});

const reasonOf = async (line: string, body: object): Promise<string> => {
  const { status, text } = await node.send(line, body);
  expect(status).toBe(400);
  return text;
};

test.each([
  [{ sort: [{ f: { numeric_type: 'long' } }] }, '[numeric_type] option cannot be set on a non-numeric field, got flattened'],
  [{ collapse: { field: 'f.a' } }, 'collapse is not supported for the field [f._keyed] of the type [flattened]'],
  [{ aggs: { a: { min: { field: 'f.a' } } } }, 'Field [f._keyed] of type [flattened] is not supported for aggregation [min]'],
  [{ query: { wildcard: { 'f.a': '*x' } } }, '[wildcard] queries are not currently supported on keyed [flattened] fields.'],
  [{ query: { regexp: { 'f.a': 'x.*' } } }, '[regexp] queries are not currently supported on keyed [flattened] fields.'],
  [{ query: { fuzzy: { 'f.a': 'xx' } } }, '[fuzzy] queries are not currently supported on keyed [flattened] fields.'],
  [{ query: { range: { 'f.a': { gt: 'a' } } } }, 'must include both an upper and a lower bound'],
])('the search %j is refused', async (body, reason) => {
  expect(await reasonOf('POST /flat/_search', body)).toContain(reason);
});

test.each([
  ['str', 'expecting token of type [START_OBJECT] but found [VALUE_STRING]'],
  [[{ a: 1 }, 5], 'expecting token of type [START_OBJECT] but found [VALUE_NUMBER]'],
  [{ 'a\0': 1 }, 'cannot contain the reserved character'],
])('the value %j is refused', async (f, reason) => {
  expect(await reasonOf('PUT /flat/_doc/x', { f })).toContain(reason);
});

test.each([
  [{ store: true }, 'unknown parameter [store]'],
  [{ copy_to: 'z' }, 'flattened field [f] does not support [copy_to]'],
  [{ fields: { k: { type: 'keyword' } } }, 'flattened field [f] does not support [fields]'],
  [{ index_options: 'positions' }, 'Unknown value [positions] for field [index_options] - accepted values are [docs, freqs]'],
])('the parameter %j is refused', async (params, reason) => {
  expect(await reasonOf('PUT /wrong', { mappings: { properties: { f: { type: 'flattened', ...params } } } })).toContain(reason);
});

test('without an index nothing is searched, but keys are aggregated', async () => {
  await node.ok('PUT /plain', { mappings: { properties: { f: { type: 'flattened', index: false } } } });
  await node.ok('PUT /plain/_doc/1?refresh=true', { f: { a: 'x' } });
  expect(await reasonOf('POST /plain/_search', { query: { term: { 'f.a': 'x' } } })).toContain('Cannot search on field [f._keyed]');
  const { aggregations } = (await node.ok('POST /plain/_search', { aggs: { a: { terms: { field: 'f.a' } } } })) as unknown as Answer;
  expect(pairs(aggregations['a'])).toEqual([['x', 1]]);
});
