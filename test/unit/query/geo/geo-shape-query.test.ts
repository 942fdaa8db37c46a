// The boost of geo_shape queries, which is 0 unless the request gives one.
import { expect, test } from 'vitest';
import { parseGeoShapeQuery } from '../../../../src/query/geo/geo-shape-query.ts';

const shape = { type: 'point', coordinates: [1, 2] };

test('matches score 0 unless the query has a boost', () => {
  expect(parseGeoShapeQuery({ g: { shape } }).boost).toBe(0);
  expect(parseGeoShapeQuery({ g: { shape }, boost: 2 }).boost).toBe(2);
});
