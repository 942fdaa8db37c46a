import { describe, expect, test } from 'vitest';
import { parseGeoShape } from '../../../../src/mapping/values/geo-shape-value.ts';
import { geometryOf, relates, type ShapeRelation } from '../../../../src/search/evaluate/shape-relation.ts';

const SHAPES = {
  square: 'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))',
  inner: 'POLYGON ((2 2, 4 2, 4 4, 2 4, 2 2))',
  beside: 'POLYGON ((10 0, 20 0, 20 10, 10 10, 10 0))',
  away: 'POLYGON ((50 50, 60 50, 60 60, 50 60, 50 50))',
  ring: 'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0), (1 1, 1 9, 9 9, 9 1, 1 1))',
  notch: 'POLYGON ((0 0, 10 0, 10 10, 5 1, 0 10, 0 0))',
  holed: 'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0), (2 2, 4 2, 4 3, 2 3, 2 2))',
  sameHole: 'POLYGON ((1 1, 5 1, 5 5, 1 5, 1 1), (2 2, 4 2, 4 3, 2 3, 2 2))',
  point: 'POINT (3 3)',
  corner: 'POINT (10 10)',
  across: 'LINESTRING (-5 5, 15 5)',
  inside: 'LINESTRING (0.2 9, 9.8 9)',
  points: 'MULTIPOINT (3 3, 55 55)',
  dateline: 'BBOX (170, -170, 10, -10)',
} as const;

type Name = keyof typeof SHAPES;

const all = (a: Name, b: Name) => {
  const geometry = (name: Name) => geometryOf([parseGeoShape(SHAPES[name])]);
  return (['intersects', 'within', 'contains'] as const).filter((relation: ShapeRelation) => relates(geometry(a), geometry(b), relation));
};

describe('relation of the first shape to the second', () => {
  test.each<[Name, Name, string[]]>([
    ['square', 'square', ['intersects', 'within', 'contains']],
    ['inner', 'square', ['intersects', 'within']],
    ['square', 'inner', ['intersects', 'contains']],
    ['beside', 'square', ['intersects']],
    ['away', 'square', []],
    ['inner', 'ring', []],
    ['point', 'ring', []],
    ['ring', 'square', ['intersects', 'within']],
    ['square', 'ring', ['intersects', 'contains']],
    ['point', 'inner', ['intersects', 'within']],
    ['corner', 'square', ['intersects', 'within']],
    // The other shape fills a part of the hole and touches only its edges.
    ['inner', 'holed', ['intersects']],
    ['sameHole', 'holed', ['intersects', 'within']],
    ['point', 'point', ['intersects', 'within', 'contains']],
    ['across', 'square', ['intersects']],
    ['inside', 'square', ['intersects', 'within']],
    ['inside', 'notch', ['intersects']],
    ['points', 'square', ['intersects']],
    ['points', 'point', ['intersects', 'contains']],
    ['dateline', 'square', []],
  ])('%s, %s', (a, b, expected) => expect(all(a, b)).toEqual(expected));

  test('disjoint is the opposite of intersects, and a box may cross the dateline', () => {
    const box = geometryOf([parseGeoShape(SHAPES.dateline)]);
    const at = (lon: number) => geometryOf([{ type: 'point', at: [lon, 0] }]);
    expect([175, -175, 0].map((lon) => relates(at(lon), box, 'disjoint'))).toEqual([false, false, true]);
  });
});
