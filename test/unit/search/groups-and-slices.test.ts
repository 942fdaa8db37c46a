// Collapse with rescoring and search_after, slices, and histograms of ranges. The expected values are those of Elasticsearch 8.15.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    k: { type: 'keyword' },
    u: { type: 'keyword' },
    n: { type: 'long' },
    t: { type: 'text' },
    r: { type: 'integer_range' },
    dr: { type: 'date_range' },
    d: { type: 'double' },
    f: { type: 'float' },
  };
  await node.ok('PUT /docs', { mappings: { properties } });
  for (let i = 1; i <= 9; i++)
    await node.ok(`PUT /docs/_doc/${i}?refresh=true`, {
      k: `k${i % 3}`,
      u: `u${i % 2}`,
      n: i,
      d: i + 0.5,
      f: i,
      t: `fox number ${i}`,
      r: { gte: i, lte: i + 3 },
      dr: { gte: `2024-01-0${i}`, lt: `2024-01-1${i}` },
    });
});
afterAll(() => node.close());

const search = (body: object) => node.ok('POST /docs/_search', body);
const ids = ({ hits }: any): string[] => hits.hits.map(({ _id }: { _id: string }) => _id);
const cause = async (body: object) => {
  const { json } = await node.send('POST /docs/_search', body);
  return json.error.root_cause[0].reason;
};

describe('collapse', () => {
  test('rescores the best hits of the groups, not all hits', async () => {
    const rescore = {
      window_size: 10,
      query: { rescore_query: { function_score: { functions: [{ field_value_factor: { field: 'n' } }] } } },
    };
    expect(ids(await search({ collapse: { field: 'k' }, query: { match: { t: 'fox' } }, rescore }))).toEqual(['3', '2', '1']);
  });

  test('collapses inner hits again', async () => {
    const inner = { name: 'x', size: 3, collapse: { field: 'u' }, sort: [{ n: 'asc' }] };
    const { hits } = await search({ collapse: { field: 'k', inner_hits: inner }, sort: [{ n: 'desc' }] });
    expect(hits.hits.map((hit: any) => ids(hit.inner_hits.x))).toEqual([
      ['3', '6'],
      ['2', '5'],
      ['1', '4'],
    ]);
  });

  test('pages through groups by their field only', async () => {
    expect(ids(await search({ collapse: { field: 'k' }, sort: [{ k: 'asc' }], search_after: ['k0'] }))).toEqual(['1', '2']);
    const only = /^Cannot use \[collapse\] in conjunction with \[search_after\] unless/;
    expect(await cause({ collapse: { field: 'k' }, sort: [{ n: 'asc' }], search_after: [1] })).toMatch(only);
    expect(await cause({ collapse: { field: 'k' }, sort: [{ k: 'asc' }, { n: 'asc' }], search_after: ['k0', 1] })).toMatch(only);
  });

  test('refuses fields and inner hits that do not fit', async () => {
    expect(await cause({ collapse: { field: 't' } })).toBe('collapse is not supported for the field [t] of the type [text]');
    const { json } = await node.send('POST /docs/_search', { collapse: { field: 'k', inner_hits: {} } });
    expect(json.error.caused_by.reason).toBe('inner_hits must have a [name]; set the [name] field in the inner_hits definition');
    const nested = { name: 'a', collapse: { field: 'u', inner_hits: { name: 'b' } } };
    expect(await cause({ collapse: { field: 'k', inner_hits: nested } })).toBe('Invalid token in the inner collapse');
  });
});

describe('slices', () => {
  const slice = async (body: object) => ids(await node.ok('POST /docs/_search?scroll=1m', { slice: body, sort: ['n'] }));

  test('of ids', async () => {
    const all = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    expect(await slice({ id: 0, max: 3 })).toEqual(['2', '3', '4', '6', '7']);
    expect(await slice({ field: '_id', id: 1, max: 3 })).toEqual(['1', '5', '8']);
    expect(await slice({ id: 2, max: 3 })).toEqual(['9']);
    const found = await Promise.all([0, 1, 2, 3, 4].map((id) => slice({ id, max: 5 })));
    expect(found.flat().sort()).toEqual(all);
  });

  test('of numbers', async () => {
    expect(await slice({ field: 'n', id: 0, max: 2 })).toEqual(['3', '4', '5', '6', '7', '9']);
    expect(await slice({ field: 'd', id: 1, max: 3 })).toEqual(['2', '4', '5', '6', '8', '9']);
    expect(await slice({ field: 'f', id: 1, max: 3 })).toEqual(['2', '4', '7']);
  });
});

describe('histograms of ranges', () => {
  const histogram = async (body: object, type = 'histogram') => {
    const { aggregations } = await search({ size: 0, aggs: { a: { [type]: body } } });
    return aggregations.a.buckets.map(({ key, doc_count }: any) => [key, doc_count]);
  };

  test('count a document in each bucket that a range overlaps', async () => {
    expect(await histogram({ field: 'r', interval: 5 })).toEqual([
      [0, 4],
      [5, 8],
      [10, 3],
    ]);
    expect(await histogram({ field: 'r', interval: 5, offset: 2, min_doc_count: 0, extended_bounds: { min: -5, max: 20 } })).toEqual([
      [-8, 0],
      [-3, 1],
      [2, 6],
      [7, 6],
      [12, 1],
      [17, 0],
    ]);
  });

  test('are cut at hard bounds', async () => {
    expect(await histogram({ field: 'r', interval: 5, hard_bounds: { min: 0, max: 9 } })).toEqual([
      [0, 4],
      [5, 8],
    ]);
    expect(await histogram({ field: 'r', interval: 5, hard_bounds: { min: 5 } })).toEqual([
      [5, 8],
      [10, 3],
    ]);
    const dates = { field: 'dr', fixed_interval: '5d', hard_bounds: { min: '2024-01-05', max: '2024-01-10' } };
    expect(await histogram(dates, 'date_histogram')).toEqual([
      [Date.UTC(2024, 0, 3), 7],
      [Date.UTC(2024, 0, 8), 9],
    ]);
  });
});
