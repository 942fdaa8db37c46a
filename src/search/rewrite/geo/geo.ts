// Rewriting of queries on geo_point fields.

import { decodeGeoPoint, encodeLatitude, encodeLongitude } from '../../../common/encoding/geo-encoding.ts';
import { maxOf, minOf } from '../../../common/large-lists.ts';
import { javaDouble } from '../../../common/text/java-text.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { queryShardError } from '../../../errors/search-errors.ts';
import type { SegmentReader } from '../../../plan/segment-reader.ts';
import type { GeoPoint } from '../../../query/geo/geo-point.ts';
import type { GeoBoxQuery, GeoDistanceQuery, GeoPolygonQuery } from '../../../query/leaf-query.ts';
import { runtimeRaw } from '../../evaluate/runtime-field.ts';
import { SegmentDocument } from '../../evaluate/script-doc.ts';
import { bool, constant, type IndexQuery, none } from '../../index-query/index-query.ts';
import { fieldOf, type RewriteContext, rewriteError } from '../../shard/rewrite-context.ts';

export function rewriteGeo(query: GeoDistanceQuery | GeoBoxQuery | GeoPolygonQuery, context: RewriteContext): IndexQuery {
  const field = fieldOf(context, query.field);
  if (!field) {
    if (query.ignoreUnmapped) return none('unmapped field');
    throw rewriteError(context, `failed to find geo field [${query.field}]`);
  }
  if (field.family !== 'geo_point') {
    throw rewriteError(
      context,
      `type [${field.typeName}] for field [${query.field}] is not supported for [${query.kind}] queries. Must be one of [geo_point] or [geo_shape]`,
    );
  }
  const name = field.spec.name;
  if (query.kind === 'geo_distance') {
    const { lat, lon } = query.point;
    if (!(Math.abs(lat) <= 90)) throw badCenterError(context, `latitude is invalid: ${javaDouble(lat)}`);
    if (!(Math.abs(lon) <= 180)) throw badCenterError(context, `longitude is invalid: ${javaDouble(lon)}`);
    return constant({ op: 'geoDistance', field: name, lat, lon, meters: query.meters });
  }
  if (query.kind === 'geo_bounding_box') {
    const { top, left, bottom, right } = query;
    const topLeft = onGrid({ lat: top, lon: left }, context);
    const bottomRight = onGrid({ lat: bottom, lon: right }, context);
    return constant({
      op: 'geoBox',
      field: name,
      top: topLeft.lat,
      left: topLeft.lon,
      bottom: bottomRight.lat,
      right: bottomRight.lon,
    });
  }
  const polygon = query.points;
  const lats = polygon.map((point) => point.lat);
  const lons = polygon.map((point) => point.lon);
  const box: IndexQuery = {
    op: 'geoBox',
    field: name,
    top: maxOf(lats),
    left: minOf(lons),
    bottom: minOf(lats),
    right: maxOf(lons),
  };
  const isWithin = (raw: bigint): boolean => isInside(polygon, decodeGeoPoint(raw));
  if (field.runtime) {
    const matches = (segment: SegmentReader, docId: number): boolean =>
      runtimeRaw(field, new SegmentDocument(context, segment, docId)).some((raw) => isWithin(raw as bigint));
    return constant(
      bool({ filter: [box, { op: 'scriptFilter', label: `${query.field}:polygon`, nestedPath: context.nestedPath, matches }] }),
    );
  }
  const inside: IndexQuery = {
    op: 'hostFilter',
    field: name,
    label: `${query.field}:polygon`,
    matches: (segment, docId) => segment.values(name, docId).some((raw) => isWithin(BigInt(raw))),
  };
  return constant(bool({ filter: [box, inside] }));
}

/** The point as a column would store it, if the server rounds the corners of shapes in the same way. */
export function onGrid<P extends GeoPoint>(point: P, { dialect }: Pick<RewriteContext, 'dialect'>): P {
  if (!dialect.quantizesShapes) return point;
  const { lat, lon } = decodeGeoPoint((BigInt(encodeLatitude(point.lat)) << 32n) + BigInt(encodeLongitude(point.lon) + 2 ** 31));
  return { ...point, lat, lon };
}

function badCenterError(context: RewriteContext, problem: string): ApiError {
  const cause = new ApiError('query_validation_exception', 400, `Validation Failed: 1: [geo_distance] center point ${problem};`);
  return queryShardError(context.index, "couldn't validate latitude/ longitude values", cause);
}

/** Even-odd rule on a closed ring. A point on an edge may be inside or outside, since the values of the column are quantized. */
function isInside(ring: readonly GeoPoint[], { lat, lon }: GeoPoint): boolean {
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1], ring[i]];
    if (a.lat > lat !== b.lat > lat && lon < ((b.lon - a.lon) * (lat - a.lat)) / (b.lat - a.lat) + a.lon) inside = !inside;
  }
  return inside;
}
