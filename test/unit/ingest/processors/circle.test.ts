/** The circle processor. */
import { expect, test } from 'vitest';
import { geoPolygon } from '../../../../src/ingest/processors/circle.ts';
import { openRestNode } from '../../../support/rest-node.ts';

test('circles become polygons in their original notation', async () => {
  const node = await openRestNode();
  try {
    const simulate = async (processor: object, source: object) => {
      const body = { pipeline: { processors: [{ circle: processor }] }, docs: [{ _source: source }] };
      const [doc] = (await node.ok('POST /_ingest/pipeline/_simulate', body)).docs;
      return doc.error ? doc.error.reason : doc.doc._source;
    };
    // The example of Elasticsearch's reference.
    const geo = { field: 'circle', error_distance: 28, shape_type: 'geo_shape' };
    const { circle } = await simulate(geo, { circle: 'CIRCLE (30 10 40)' });
    const corners = [...circle.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, lon, lat]) => [Number(lon), Number(lat)]);
    const expected = [
      [30.000365257263184, 10],
      [30.000111397193788, 10.00034284530941],
      [29.999706043744222, 10.000213571721195],
      [29.999706043744222, 9.999786428278805],
      [30.000111397193788, 9.99965715469059],
      [30.000365257263184, 10],
    ];
    expect(circle.startsWith('POLYGON ((')).toBe(true);
    expect(corners).toHaveLength(6);
    corners.forEach(([lon, lat], i) => {
      expect(lon).toBeCloseTo(expected[i][0], 9);
      expect(lat).toBeCloseTo(expected[i][1], 9);
    });
    const json = await simulate({ ...geo, target_field: 'shape' }, { circle: { type: 'circle', coordinates: [30, 10], radius: '1km' } });
    expect([json.shape.type, json.shape.coordinates[0].length, json.circle.type]).toEqual(['Polygon', 28, 'circle']);
    const plane = await simulate({ field: 'c', error_distance: 1, shape_type: 'shape' }, { c: 'CIRCLE (1 2 2)' });
    expect(plane.c).toContain('3.0 2.0');
    expect(await simulate({ ...geo, ignore_missing: true }, { other: 1 })).toEqual({ other: 1 });
    expect(await simulate(geo, { other: 1 })).toBe('field [circle] is null, cannot process it.');
    expect(await simulate(geo, { circle: 'POINT (1 2)' })).toBe('invalid circle definition');
    const { status, json: refused } = await node.send('PUT /_ingest/pipeline/p', {
      processors: [{ circle: { field: 'a', error_distance: 1, shape_type: 'x' } }],
    });
    expect([status, refused.error.property_name]).toEqual([400, 'shape_type']);
  } finally {
    await node.close();
  }
});

test('corners are at the distance of the radius, and polygons have at most a thousand', () => {
  for (const [x, y, radius] of [
    [0, 0, 1000],
    [170, -60, 50_000],
    [12.5, 80, 10],
  ]) {
    const ring = geoPolygon({ x, y, radius }, 12);
    expect(ring).toHaveLength(13);
    expect(ring[0]).toEqual(ring[12]);
    for (const [lon, lat] of ring) expect(Math.abs(metres(y, x, lat, lon) - radius)).toBeLessThan(0.11);
  }
  expect(() => geoPolygon({ x: 0, y: 89.9, radius: 100_000 }, 4)).toThrow('reaches beyond the map');
});

/** Spherical law of cosines in its haversine form. */
function metres(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const rad = Math.PI / 180;
  const half = (degrees: number) => Math.sin((degrees * rad) / 2) ** 2;
  return 2 * 6_371_008.7714 * Math.asin(Math.sqrt(half(lat2 - lat1) + Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * half(lon2 - lon1)));
}
