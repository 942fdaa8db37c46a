// Shapes as `fields` shows them: GeoJSON, or WKT on request.

import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { Position, Shape } from './geo-shape-value.ts';

/** @param format  `geojson`, `wkt` or null for GeoJSON @throws ApiError illegal_argument_exception: another format */
export function shapeFormat(format: string | null, field: string): (shape: Shape) => unknown {
  if (format === null || format === 'geojson') return toGeoJson;
  if (format === 'wkt') return toWkt;
  throw illegalArgumentError(`error fetching [${field}]: Unrecognized geometry format [${format}].`);
}

const NAMES: Readonly<Record<Shape['type'], string>> = {
  point: 'Point',
  multipoint: 'MultiPoint',
  linestring: 'LineString',
  multilinestring: 'MultiLineString',
  polygon: 'Polygon',
  multipolygon: 'MultiPolygon',
  envelope: 'Envelope',
  geometrycollection: 'GeometryCollection',
};

function toGeoJson(shape: Shape): MutableJsonObject {
  const type = NAMES[shape.type];
  return shape.type === 'geometrycollection'
    ? { geometries: shape.shapes.map(toGeoJson), type }
    : { coordinates: doubles(coordinatesOf(shape)), type };
}

type Coordinates = number | readonly Coordinates[];

function doubles(value: Coordinates): unknown {
  return typeof value === 'number' ? jsonDouble(value) : value.map(doubles);
}

function coordinatesOf(shape: Exclude<Shape, { type: 'geometrycollection' }>): Coordinates {
  switch (shape.type) {
    case 'point':
      return shape.at;
    case 'multipoint':
      return shape.points;
    case 'linestring':
      return shape.line;
    case 'multilinestring':
      return shape.lines;
    case 'polygon':
      return shape.rings;
    case 'multipolygon':
      return shape.polygons;
    case 'envelope':
      return [
        [shape.left, shape.top],
        [shape.right, shape.bottom],
      ];
  }
}

function toWkt(shape: Shape): string {
  const name = shape.type === 'envelope' ? 'BBOX' : shape.type.toUpperCase();
  if (shape.type === 'envelope') return `${name} (${[shape.left, shape.right, shape.top, shape.bottom].map(javaDouble).join(', ')})`;
  if (shape.type === 'point') return `${name} (${positionText(shape.at)})`;
  const parts =
    shape.type === 'geometrycollection' ? shape.shapes.map(toWkt) : (coordinatesOf(shape) as readonly Coordinates[]).map(partText);
  return parts.length === 0 ? `${name} EMPTY` : `${name} (${parts.join(', ')})`;
}

/** A position, or a list of them in parentheses. */
function partText(part: Coordinates): string {
  if (typeof part === 'number') return javaDouble(part);
  return typeof part[0] === 'number' ? positionText(part as Position) : `(${part.map(partText).join(', ')})`;
}

function positionText([x, y]: Position): string {
  return `${javaDouble(x)} ${javaDouble(y)}`;
}
