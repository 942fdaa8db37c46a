/** geo_line: order, size and what is left out. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /walks', {
    mappings: { properties: { at: { type: 'date' }, place: { type: 'geo_point' }, who: { type: 'keyword' } } },
  });
  const docs = [
    { at: '2024-01-03', place: '52.3760,4.894', who: 'a' },
    { at: '2024-01-01', place: '52.374081,4.91235', who: 'a' },
    { at: '2024-01-02', place: '-52.3814,-4.905', who: 'a' },
    { at: '2024-01-02', place: '10,20', who: 'b' },
    { at: '2024-01-05', who: 'a' },
    { place: '1,1', who: 'a' },
  ];
  for (const [i, doc] of docs.entries()) await node.ok(`PUT /walks/_doc/${i}?refresh=true`, doc);
});
afterAll(() => node.close());

const LINE = { point: { field: 'place' }, sort: { field: 'at' } };
const lineOf = async (params: object) =>
  (await node.ok('POST /walks/_search?size=0', { query: { term: { who: 'a' } }, aggs: { l: { geo_line: { ...LINE, ...params } } } }))
    .aggregations.l;

test('orders points by the sort, without those that lack a value', async () => {
  expect(await lineOf({ include_sort: true })).toEqual({
    type: 'Feature',
    geometry: {
      type: 'LineString',
      coordinates: [
        [4.91235, 52.374081],
        [-4.905, -52.3814],
        [4.894, 52.376],
      ],
    },
    properties: { complete: true, sort_values: [1704067200000, 1704153600000, 1704240000000] },
  });
});

test('returns the last points up to the requested number', async () => {
  const { geometry, properties } = await lineOf({ sort_order: 'DESC', size: 2 });
  expect(geometry.coordinates).toEqual([
    [4.894, 52.376],
    [-4.905, -52.3814],
  ]);
  expect(properties).toEqual({ complete: false });
});

test('works below terms, and refuses invalid parameters', async () => {
  const aggs = { w: { terms: { field: 'who' }, aggs: { l: { geo_line: LINE } } } };
  const { buckets } = (await node.ok('POST /walks/_search?size=0', { aggs })).aggregations.w;
  expect(buckets.map(({ key, l }: any) => [key, l.geometry.coordinates.length])).toEqual([
    ['a', 3],
    ['b', 1],
  ]);
  for (const params of [{ ...LINE, size: 0 }, { point: LINE.point }, { ...LINE, sort: { field: 'who' } }])
    expect((await node.send('POST /walks/_search', { aggs: { l: { geo_line: params } } })).status).toBe(400);
});
