/** Point and shape fields, and the shape query. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

const square = (left: number, bottom: number, size: number): object => ({
  type: 'polygon',
  coordinates: [
    [
      [left, bottom],
      [left + size, bottom],
      [left + size, bottom + size],
      [left, bottom + size],
      [left, bottom],
    ],
  ],
});

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /plane', {
    mappings: {
      properties: {
        p: { type: 'point', null_value: 'POINT (7 7)' },
        flat: { type: 'point', ignore_z_value: false },
        bad: { type: 'point', ignore_malformed: true },
        s: { type: 'shape' },
        open: { type: 'shape', coerce: true },
        hidden: { type: 'shape', index: false, doc_values: false },
      },
    },
  });
  const points: Readonly<Record<string, unknown>> = {
    object: { x: 1000.5, y: '2000' },
    text: '1000.5,2000',
    list: [1000.5, 2000, 9],
    wkt: 'POINT (1000.5 2000)',
    geojson: { type: 'Point', coordinates: [1000.5, 2000] },
    two: [[1, 2], { x: 3, y: 4 }],
    replaced: null,
  };
  for (const [id, p] of Object.entries(points)) await node.ok(`PUT /plane/_doc/${id}`, { p });
  const shapes: Readonly<Record<string, unknown>> = {
    small: square(10, 10, 10),
    large: square(0, 0, 5000),
    line: 'LINESTRING (4000 4000, 6000 6000)',
    box: 'BBOX (-300, 200, 300, -200)',
    many: ['POINT (-1 -1)', { type: 'geometrycollection', geometries: [{ type: 'point', coordinates: [9000, 9000] }] }],
  };
  for (const [id, s] of Object.entries(shapes)) await node.ok(`PUT /plane/_doc/${id}`, { s });
  await node.ok('POST /plane/_refresh');
});
afterAll(() => node.close());

async function matching(query: object): Promise<string[]> {
  const { hits } = await node.ok('POST /plane/_search?size=50', { query });
  return hits.hits.map((hit: { _id: string }) => hit._id).sort();
}

const shape = (field: string, given: unknown, relation = 'intersects'): Promise<string[]> =>
  matching({ shape: { [field]: { shape: given, relation } } });

const SAME = ['geojson', 'list', 'object', 'text', 'wkt'];

describe('point', () => {
  test('is read in every form', async () => {
    expect(
      await shape('p', {
        type: 'envelope',
        coordinates: [
          [1000.5, 2000],
          [1000.5, 2000],
        ],
      }),
    ).toEqual(SAME);
    expect(await shape('p', 'BBOX (2, 4, 5, 3)')).toEqual(['two']);
    expect(await shape('p', 'POINT (7 7)')).toEqual(['replaced']);
  });

  test('is compared as floats', async () => {
    await node.ok('PUT /plane/_doc/float?refresh', { p: [0.1, 0.1] });
    expect(await shape('p', `POINT (${Math.fround(0.1)} 0.1)`)).toEqual(['float']);
    await node.ok('DELETE /plane/_doc/float?refresh');
  });

  test('can be found by exists, and by relations', async () => {
    expect(await matching({ exists: { field: 'p' } })).toEqual([...SAME, 'replaced', 'two'].sort());
    expect(await shape('p', square(0, 0, 10), 'within')).toEqual(['replaced', 'two']);
    expect(await shape('p', square(0, 0, 10), 'disjoint')).toEqual(SAME);
  });

  test('is shown as GeoJSON or WKT', async () => {
    const shown = async (format: string) => {
      const { hits } = await node.ok('POST /plane/_search', { query: { ids: { values: ['two'] } }, fields: [{ field: 'p', format }] });
      return hits.hits[0].fields.p;
    };
    expect(await shown('geojson')).toEqual([
      { type: 'Point', coordinates: [1, 2] },
      { type: 'Point', coordinates: [3, 4] },
    ]);
    expect(await shown('wkt')).toEqual(['POINT (1.0 2.0)', 'POINT (3.0 4.0)']);
    const { status } = await node.send('POST /plane/_search', { fields: [{ field: 'p', format: 'kml' }] });
    expect(status).toBe(400);
  });

  test.each<[unknown, string]>([
    [5, 'point expected'],
    [{ x: 1 }, 'Required [y]'],
    [{ y: 1 }, 'Required [x]'],
    [{ lat: 1, lon: 2 }, 'field [lat] not supported - must be one of: x, y, z, type, coordinates'],
    [{ type: 'LineString', coordinates: [1, 2] }, "[type] for point can only be 'Point'"],
    [{ type: 'Point' }, 'Required [coordinates]'],
    [{ coordinates: [1, 2] }, 'Required [type]'],
    [{ x: true, y: 1 }, 'x must be a number'],
    [{}, 'field must be either x/y, or type/coordinates'],
    [[1, 2, 3, 4], '[point] field type does not accept > 3 dimensions'],
    ['1', 'failed to parse [1], expected 2 or 3 coordinates but found: [1]'],
    ['1,b', 'y must be a number'],
    [[1e39, 1], 'invalid value 1.0E39; must be between -3.4028234663852886E38 and 3.4028234663852886E38'],
  ])('refuses %j', async (p, reason) => {
    const { status, json } = await node.send('PUT /plane/_doc/refused', { p });
    expect([status, json.error.reason, json.error.caused_by.reason]).toEqual([
      400,
      expect.stringContaining('failed to parse field [p] of type [point]'),
      reason,
    ]);
  });

  test('refuses a third coordinate on request, and drops malformed values on request', async () => {
    const { json } = await node.send('PUT /plane/_doc/refused', { flat: [1, 2, 3] });
    expect(json.error.caused_by.reason).toBe(
      'Exception parsing coordinates: found Z value [3.0] but [ignore_z_value] parameter is [false]',
    );
    await node.ok('PUT /plane/_doc/ignored?refresh', { bad: 'nowhere' });
    const { hits } = await node.ok('POST /plane/_search', { query: { ids: { values: ['ignored'] } } });
    expect(hits.hits[0]._ignored).toEqual(['bad']);
  });
});

describe('shape', () => {
  test('is searched by relation', async () => {
    expect(await shape('s', 'POINT (15 15)')).toEqual(['box', 'large', 'small']);
    expect(await shape('s', square(-500, -500, 1000), 'within')).toEqual(['box', 'small']);
    expect(await shape('s', square(12, 12, 1), 'contains')).toEqual(['box', 'large', 'small']);
    expect(await shape('s', square(0, 0, 5000), 'disjoint')).toEqual(['many']);
    expect(await shape('s', 'LINESTRING (8000 9000, 10000 9000)')).toEqual(['many']);
  });

  test('can be given by another document', async () => {
    const indexed_shape = { index: 'plane', id: 'small', path: 's' };
    expect(await matching({ shape: { s: { indexed_shape } } })).toEqual(['box', 'large', 'small']);
  });

  test('closes rings with coerce only', async () => {
    const ring = {
      type: 'polygon',
      coordinates: [
        [
          [0, 0],
          [4, 0],
          [4, 4],
        ],
      ],
    };
    await node.ok('PUT /plane/_doc/closed?refresh', { open: ring });
    expect(await shape('open', 'POINT (3 1)')).toEqual(['closed']);
    const { status } = await node.send('PUT /plane/_doc/refused', { s: ring });
    expect(status).toBe(400);
  });

  test('refuses boxes that would wrap around', async () => {
    const { json } = await node.send('PUT /plane/_doc/refused', { s: 'BBOX (2, 1, 2, 1)' });
    expect(json.error.caused_by.reason).toBe('max x cannot be less than min x');
  });

  test.each([
    [{ term: { s: 1 } }, 'Geometry fields do not support exact searching, use dedicated geometry queries instead: [s]'],
    [
      { geo_shape: { s: { shape: 'POINT (1 1)' } } },
      'Field [s] is of unsupported type [shape] for [geo_shape] query. Must be one of [geo_point, geo_shape]',
    ],
    [
      { shape: { _id: { shape: 'POINT (1 1)' } } },
      'Field [_id] is of unsupported type [_id] for [shape] query. Must be one of [point, shape]',
    ],
    [{ shape: { none: { shape: 'POINT (1 1)' } } }, 'failed to find type for field [none]'],
    [{ shape: { hidden: { shape: 'POINT (1 1)' } } }, 'failed to create query: Cannot search on field [hidden] since it is not indexed.'],
  ])('refuses %j', async (query, reason) => {
    const { status, json } = await node.send('POST /plane/_search', { query });
    expect([status, json.error.root_cause[0].reason]).toEqual([400, reason]);
  });

  test('ignores unmapped fields on request', async () => {
    expect(await matching({ shape: { none: { shape: 'POINT (1 1)' }, ignore_unmapped: true } })).toEqual([]);
  });

  test('stays as it was sent in synthetic sources', async () => {
    await node.ok('PUT /made', {
      mappings: { _source: { mode: 'synthetic' }, properties: { s: { type: 'shape' }, p: { type: 'point' } } },
    });
    await node.ok('PUT /made/_doc/1', { s: 'POINT (1 2)', p: [3, 4] });
    expect((await node.ok('GET /made/_doc/1'))._source).toEqual({ s: 'POINT (1 2)', p: [3, 4] });
  });
});

describe('geo_point', () => {
  test.each<unknown>([[[1, 2, 3]], ['1,2,3'], ['POINT (1 2 3)'], [{ type: 'Point', coordinates: [1, 2, 3] }]])(
    'ignores the third coordinate of %j, or refuses it on request',
    async (value) => {
      const p = (ignore_z_value: boolean) => ({ mappings: { properties: { p: { type: 'geo_point', ignore_z_value } } } });
      await node.ok('PUT /high', p(true));
      await node.ok('PUT /flat', p(false));
      await node.ok('PUT /high/_doc/1', { p: value });
      const { status, json } = await node.send('PUT /flat/_doc/1', { p: value });
      await node.ok('DELETE /high,flat');
      expect([status, json.error.caused_by.reason]).toEqual([
        400,
        'Exception parsing coordinates: found Z value [3.0] but [ignore_z_value] parameter is [false]',
      ]);
    },
  );
});
