// geo_shape queries on geo_shape and geo_point fields. The host compares shapes, document by document.

import { decodeGeoPoint } from '../../../common/encoding/geo-encoding.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import { readShapes } from '../../../mapping/types/geo.ts';
import type { Position, Shape } from '../../../mapping/values/geo-shape-value.ts';
import type { SegmentReader } from '../../../plan/segment-reader.ts';
import type { GeoShapeQuery } from '../../../query/leaf-query.ts';
import { type Geometry, geometryOf, relates } from '../../evaluate/shape-relation.ts';
import { constant, type IndexQuery, none } from '../../index-query/index-query.ts';
import { fieldOf, type RewriteContext, refuse, requireExpensive } from '../../shard/rewrite-context.ts';
import { onGrid } from './geo.ts';

/** Matches score 0, as in Elasticsearch. @throws ApiError query_shard_exception: the field does not hold shapes */
export function rewriteGeoShape(query: GeoShapeQuery, context: RewriteContext): IndexQuery {
  const field = fieldOf(context, query.field);
  if (!field) {
    if (query.ignoreUnmapped) return none('unmapped field');
    throw refuse(context, `failed to find geo field [${query.field}]`);
  }
  const isShape = field.typeName === 'geo_shape';
  if (!isShape && field.family !== 'geo_point')
    throw refuse(
      context,
      `Field [${query.field}] is of unsupported type [${field.typeName}] for [geo_shape] query. Must be one of [geo_point, geo_shape]`,
    );
  if (query.shape === null) throw illegalArgumentError('the indexed shape is not resolved');
  if (isShape) requireExpensive(context, '[geo-shape] queries on [PrefixTree geo shapes]');
  const wanted = geometryOf([isShape ? query.shape : shapeOnGrid(query.shape, context)]);
  const name = field.spec.name;
  const read = isShape ? shapesOf(name) : pointsOf(name);
  const matches = (segment: SegmentReader, docId: number): boolean => {
    const geometry = read(segment, docId);
    return geometry !== null && relates(geometry, wanted, query.relation);
  };
  const label = `${query.field}:${query.relation}(${query.shape.type})`;
  return { op: 'boost', query: constant({ op: 'hostFilter', field: name, label, matches }), boost: 0 };
}

/** The shape with its corners rounded as the points of a column are. */
function shapeOnGrid(shape: Shape, context: RewriteContext): Shape {
  const at = ([lon, lat]: Position): Position => {
    const point = onGrid({ lat, lon }, context);
    return [point.lon, point.lat];
  };
  const line = (positions: readonly Position[]): Position[] => positions.map(at);
  switch (shape.type) {
    case 'point':
      return { ...shape, at: at(shape.at) };
    case 'multipoint':
      return { ...shape, points: line(shape.points) };
    case 'linestring':
      return { ...shape, line: line(shape.line) };
    case 'multilinestring':
      return { ...shape, lines: shape.lines.map(line) };
    case 'polygon':
      return { ...shape, rings: shape.rings.map(line) };
    case 'multipolygon':
      return { ...shape, polygons: shape.polygons.map((rings) => rings.map(line)) };
    case 'envelope': {
      const [left, top] = at([shape.left, shape.top]);
      const [right, bottom] = at([shape.right, shape.bottom]);
      return { ...shape, left, top, right, bottom };
    }
    case 'geometrycollection':
      return { ...shape, shapes: shape.shapes.map((part) => shapeOnGrid(part, context)) };
  }
}

type ReadGeometry = (segment: SegmentReader, docId: number) => Geometry | null;

function shapesOf(name: string): ReadGeometry {
  return (segment, docId) => {
    const value = segment.binary(name, docId);
    return value === null ? null : geometryOf(readShapes(value));
  };
}

function pointsOf(name: string): ReadGeometry {
  return (segment, docId) => {
    const points = segment.values(name, docId).map((raw) => {
      const { lat, lon } = decodeGeoPoint(BigInt(raw));
      return [lon, lat] as const;
    });
    return points.length === 0 ? null : { points, lines: [], polygons: [] };
  };
}
