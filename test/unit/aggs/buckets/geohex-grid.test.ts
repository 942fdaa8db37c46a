/** geohex_grid: cells, their order, bounds and sub-aggregations. */
import { latLngToCell } from 'h3-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';
import { Rng } from '../../../support/rng.ts';

let node: RestNode;
const rng = new Rng(11);
const points = Array.from({ length: 400 }, (_, i) => ({ lat: rng.int(-89, 89) + 0.5, lon: rng.int(-179, 179) + 0.25, n: i }));

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /places', { mappings: { properties: { place: { type: 'geo_point' }, n: { type: 'long' } } } });
  for (const half of [points.slice(0, 200), points.slice(200)])
    await node.ok(
      'POST /places/_bulk?refresh=true',
      half.flatMap(({ lat, lon, n }) => [{ index: { _id: String(n) } }, { place: { lat, lon }, n }]),
    );
  await node.ok('PUT /places/_doc/two?refresh=true', { place: [points[0], points[0], points[1]].map(({ lat, lon }) => ({ lat, lon })) });
  await node.ok('PUT /places/_doc/none?refresh=true', { n: 7 });
});
afterAll(() => node.close());

const cellsOf = async (params: object, aggs: object = {}): Promise<any[]> =>
  (await node.ok('POST /places/_search?size=0', { aggs: { g: { geohex_grid: { field: 'place', ...params }, aggs } } })).aggregations.g
    .buckets;

/** Documents and sums of `n` by cell. */
function expected(precision: number): Map<string, { count: number; sum: number }> {
  const cells = new Map<string, { count: number; sum: number }>();
  const add = (cell: string, n: number): void => {
    const { count, sum } = cells.get(cell) ?? { count: 0, sum: 0 };
    cells.set(cell, { count: count + 1, sum: sum + n });
  };
  for (const { lat, lon, n } of points) add(latLngToCell(lat, lon, precision), n);
  for (const cell of new Set(points.slice(0, 2).map(({ lat, lon }) => latLngToCell(lat, lon, precision)))) add(cell, 0);
  return cells;
}

test('every cell with a point has a bucket, the fullest first', async () => {
  for (const precision of [0, 1, 3, 15]) {
    const buckets = await cellsOf({ precision }, { s: { sum: { field: 'n' } } });
    const cells = expected(precision);
    expect(buckets).toHaveLength(cells.size);
    for (const { key, doc_count, s } of buckets) expect({ count: doc_count, sum: s.value }).toEqual(cells.get(key));
    const counts = buckets.map(({ doc_count }) => doc_count);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  }
  expect(await cellsOf({ precision: 0, size: 3 })).toEqual((await cellsOf({ precision: 0 })).slice(0, 3));
});

test('bounds leave out cells that do not overlap them', async () => {
  const bounds = { top_left: { lat: 60, lon: 170 }, bottom_right: { lat: 10, lon: -150 } };
  const inside = new Set(
    points.filter(({ lat, lon }) => lat < 60 && lat > 10 && (lon > 170 || lon < -150)).map(({ lat, lon }) => latLngToCell(lat, lon, 2)),
  );
  const found = (await cellsOf({ precision: 2, bounds })).map(({ key }) => key as string);
  for (const cell of inside) expect(found).toContain(cell);
  expect(found.length).toBeLessThan(expected(2).size / 2);
});

test('other precisions are refused', async () => {
  for (const [precision, reason] of [
    [16, 'Invalid geohex aggregation precision of 16. Must be between 0 and 15.'],
    [-1, 'Invalid geohex aggregation precision of -1. Must be between 0 and 15.'],
  ]) {
    const { status, text } = await node.send('POST /places/_search', { aggs: { g: { geohex_grid: { field: 'place', precision } } } });
    expect([status, text.includes(String(reason))]).toEqual([400, true]);
  }
});

test('the geo_grid processor replaces cells by shapes and adds their relatives', async () => {
  const simulate = async (params: object, cell: string): Promise<any> => {
    const body = { pipeline: { processors: [{ geo_grid: { field: 'cell', ...params } }] }, docs: [{ _source: { cell } }] };
    const [doc] = (await node.ok('POST /_ingest/pipeline/_simulate', body)).docs;
    return doc.error?.reason ?? doc.doc._source;
  };
  // Examples of Elasticsearch's reference.
  expect((await simulate({ tile_type: 'geotile' }, '4/8/5')).cell).toEqual({
    type: 'Envelope',
    coordinates: [
      [0, expect.closeTo(55.77657301866769, 10)],
      [22.5, expect.closeTo(40.97989806962013, 10)],
    ],
  });
  expect((await simulate({ tile_type: 'geohash', target_format: 'wkt' }, 'u0')).cell).toBe('BBOX (0.0, 11.25, 50.625, 45.0)');
  const relatives = { parent_field: 'up', children_field: 'down', non_children_field: 'across', precision_field: 'p', target_field: 's' };
  const hex = await simulate({ tile_type: 'geohex', target_format: 'wkt', ...relatives }, '811fbffffffffff');
  expect(hex.s).toMatch(/^POLYGON \(\(1\.18850/);
  expect([hex.up, hex.p, hex.down.length, hex.cell]).toEqual(['801ffffffffffff', 1, 7, '811fbffffffffff']);
  expect(hex.across).toHaveLength(6);
  expect((await simulate({ tile_type: 'geotile', ...relatives }, '1/0/1')).down).toEqual(['2/0/2', '2/1/2', '2/0/3', '2/1/3']);
  expect(await simulate({ tile_type: 'geohex' }, 'nothing')).toBe('Invalid h3 address [nothing].');
  expect(await simulate({ tile_type: 'geotile' }, '1/2/0')).toContain('Invalid geotile_grid hash string');
});
