// geo_shape queries on geo_shape and geo_point fields, shape queries on shape and point fields. The host compares shapes, document by document.

import { decodeGeoPoint } from '../../../common/encoding/geo-encoding.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import type { FieldType } from '../../../mapping/core/field-type.ts';
import { readShapes, ShapeFieldType } from '../../../mapping/types/shapes.ts';
import { mapPositions, type Position } from '../../../mapping/values/geo-shape-value.ts';
import { inFloats } from '../../../mapping/values/plane-point.ts';
import type { SegmentReader } from '../../../plan/segment-reader.ts';
import type { GeoShapeQuery } from '../../../query/leaf-query.ts';
import { runtimeRaw, runtimeShapes } from '../../evaluate/runtime-field.ts';
import { SegmentDocument } from '../../evaluate/script-doc.ts';
import { type Geometry, geometryOf, relates } from '../../evaluate/shape-relation.ts';
import { constant, type IndexQuery, none } from '../../index-query/index-query.ts';
import { fieldOf, type RewriteContext, requireExpensive, rewriteError } from '../../shard/rewrite-context.ts';
import { onGrid } from './geo.ts';

/** Types that a query can search. */
const TYPES = { geo_shape: ['geo_point', 'geo_shape'], shape: ['point', 'shape'] } as const;

/** @throws ApiError query_shard_exception: the field does not hold shapes */
export function rewriteGeoShape(query: GeoShapeQuery, context: RewriteContext): IndexQuery {
  const { space } = query;
  const field = fieldOf(context, query.field);
  if (!field) {
    if (query.ignoreUnmapped) return none('unmapped field');
    throw rewriteError(
      context,
      space === 'shape' ? `failed to find type for field [${query.field}]` : `failed to find geo field [${query.field}]`,
    );
  }
  const types: readonly string[] = TYPES[space];
  if (!types.includes(field.typeName))
    throw rewriteError(
      context,
      `Field [${query.field}] is of unsupported type [${field.typeName}] for [${space}] query. Must be one of [${types.join(', ')}]`,
    );
  if (query.shape === null) throw illegalArgumentError('the indexed shape is not resolved');
  if (!field.isSearchable) throw illegalArgumentError(`Cannot search on field [${query.field}] since it is not indexed.`);
  const isPoint = field.typeName === 'geo_point';
  if (field.typeName === 'geo_shape') requireExpensive(context, '[geo-shape] queries on [PrefixTree geo shapes]');
  const wanted = geometryOf([
    isPoint ? mapPositions(query.shape, ontoGrid(context)) : space === 'shape' ? inFloats(query.shape) : query.shape,
  ]);
  const name = field.spec.name;
  const read = field.runtime ? runtimeGeometry(field, context) : isPoint ? pointsOf(name) : shapesOf(name);
  const matches = (segment: SegmentReader, docId: number): boolean => {
    const geometry = read(segment, docId);
    return geometry !== null && relates(geometry, wanted, query.relation);
  };
  const label = `${query.field}:${query.relation}(${query.shape.type})`;
  if (field.runtime) return constant({ op: 'scriptFilter', label, nestedPath: context.nestedPath, matches });
  return constant({ op: 'hostFilter', field: name, label, matches });
}

/** Rounds the corners of a shape as the points of a column are. */
function ontoGrid(context: RewriteContext): (position: Position) => Position {
  return ([lon, lat]) => {
    const point = onGrid({ lat, lon }, context);
    return [point.lon, point.lat];
  };
}

type ReadGeometry = (segment: SegmentReader, docId: number) => Geometry | null;

function shapesOf(name: string): ReadGeometry {
  return (segment, docId) => {
    const value = segment.binary(name, docId);
    return value === null ? null : geometryOf(readShapes(value));
  };
}

/** Reads the values that a runtime field has for a document. */
function runtimeGeometry(field: FieldType, context: RewriteContext): ReadGeometry {
  requireExpensive(context, `queries on [runtime] field [${field.name}]`);
  return (segment, docId) => {
    const document = new SegmentDocument(context, segment, docId);
    if (field instanceof ShapeFieldType) {
      const shapes = runtimeShapes(field, document);
      return shapes.length === 0 ? null : geometryOf(shapes);
    }
    return geometryOfPoints(runtimeRaw(field, document).map((raw) => BigInt(raw as bigint)));
  };
}

function geometryOfPoints(raw: readonly bigint[]): Geometry | null {
  const points = raw.map((code): Position => {
    const { lat, lon } = decodeGeoPoint(code);
    return [lon, lat];
  });
  return points.length === 0 ? null : { points, lines: [], polygons: [] };
}

function pointsOf(name: string): ReadGeometry {
  return (segment, docId) => geometryOfPoints(segment.values(name, docId).map(BigInt));
}
