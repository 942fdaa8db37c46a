// Parsers of geo_distance, geo_bounding_box and geo_polygon. The field is the only key that is not an option.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { metresOf } from '../../common/text/distance.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { parseFailureError } from '../../errors/search-errors.ts';
import { multipleFieldsError, readBase } from '../field-body.ts';
import type { Query } from '../query.ts';
import type { QueryParser } from '../query-parser.ts';
import { readBoolean, readNumber, readText } from '../read-json.ts';
import { type CellCorner, type GeoPoint, geohashCorner, isPlaneDistance, parseDistance, parseGeoPoint } from './geo-point.ts';
import { parseGeoShapeQuery, parseShapeQuery } from './geo-shape-query.ts';

export const GEO_PARSERS: Readonly<Record<string, QueryParser>> = {
  geo_distance: parseGeoDistance,
  geo_bounding_box: parseGeoBox,
  geo_polygon: parseGeoPolygon,
  geo_shape: parseGeoShapeQuery,
  shape: parseShapeQuery,
};

type Validation = 'strict' | 'coerce' | 'ignore';

interface GeoOptions {
  validation: Validation;
  ignoreUnmapped: boolean;
}

/** Reads an option that all three queries have. @returns false if `key` is not one */
function readGeoOption(query: string, key: string, value: unknown, options: GeoOptions): boolean {
  switch (key) {
    case 'ignore_unmapped':
      options.ignoreUnmapped = readBoolean(value, query);
      return true;
    case 'validation_method': {
      const method = readText(value, query).toUpperCase();
      if (method !== 'STRICT' && method !== 'COERCE' && method !== 'IGNORE_MALFORMED') {
        throw illegalArgumentError(`operator needs to be either COERCE, IGNORE_MALFORMED or STRICT, but not [${method}]`);
      }
      options.validation = method === 'STRICT' ? 'strict' : method === 'COERCE' ? 'coerce' : 'ignore';
      return true;
    }
    case 'boost':
    case '_name':
      return true;
    default:
      return false;
  }
}

/** Wraps the longitude into -180..180 and reflects the latitude at the poles. */
function normalizePoint({ lat, lon }: GeoPoint): GeoPoint {
  let y = ((((lat + 180) % 360) + 360) % 360) - 180;
  let x = lon;
  if (y > 90 || y < -90) {
    y = y > 0 ? 180 - y : -180 - y;
    x += 180;
  }
  x = x >= -180 && x <= 180 ? x : ((((x + 180) % 360) + 360) % 360) - 180;
  return { lat: y, lon: x };
}

function parseGeoDistance(body: JsonObject): Query {
  const options: GeoOptions = { validation: 'strict', ignoreUnmapped: false };
  let field: string | null = null;
  let point: GeoPoint | null = null;
  let distance: unknown;
  let unit = 1;
  const part = { lat: Number.NaN, lon: Number.NaN };
  for (const [key, value] of Object.entries(body)) {
    const isPoint = typeof value === 'object' && value !== null;
    if (!isPoint && readGeoOption('geo_distance', key, value, options)) continue;
    if (isPoint) {
      if (field !== null) throw multipleFieldsError('geo_distance', field, key);
      field = key;
      point = isObject(value) ? readCentre(key, value) : parseGeoPoint(value);
    } else if (key === 'distance') {
      distance = value;
    } else if (key === 'unit') {
      const meters = metresOf(readText(value, key));
      if (meters === null) throw illegalArgumentError(`No distance unit match [${String(value)}]`);
      unit = meters;
    } else if (key === 'distance_type') {
      // Elasticsearch accepts both types and always measures along the arc.
      isPlaneDistance(readText(value, key));
    } else if (key.endsWith('.lat') || key.endsWith('.lon')) {
      field = key.slice(0, -4);
      part[key.endsWith('.lat') ? 'lat' : 'lon'] = readNumber(value, key);
    } else {
      if (field !== null) throw parsingError(`[geo_distance] field name already set to [${field}] but found [${key}]`);
      field = key;
      point = parseGeoPoint(value);
    }
  }
  if (distance === undefined || distance === null) throw parsingError("geo_distance requires 'distance' to be specified");
  if (field === null) throw parsingError('geo_distance requires a field');
  const meters = parseDistance(distance, unit);
  if (!(meters > 0)) throw illegalArgumentError('distance must be greater than zero');
  let center = point ?? part;
  if (options.validation === 'coerce') center = normalizePoint(center);
  return { kind: 'geo_distance', field, point: center, meters, ignoreUnmapped: options.ignoreUnmapped, ...readBase('geo_distance', body) };
}

/** The centre of a distance as an object. A coordinate that is null is NaN, which no index accepts; the last item of a list counts. */
function readCentre(field: string, body: JsonObject): GeoPoint {
  if (Object.keys(body).some((part) => part !== 'lat' && part !== 'lon' && part !== 'geohash'))
    throw parsingError(`[geo_distance] query does not support [${field}]`);
  if (body['geohash'] !== undefined) return parseGeoPoint(body);
  const coordinate = (part: 'lat' | 'lon'): number => {
    const value = [body[part]].flat().at(-1);
    if (isObject(value)) throw parsingError(`[geo_distance] query does not support an object as [${part}]`);
    return value === null || value === undefined ? Number.NaN : readNumber(value, part);
  };
  return { lat: coordinate('lat'), lon: coordinate('lon') };
}

/** Edges in degrees. A box whose left edge is east of its right one crosses the date line. */
export interface GeoBox {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

function parseGeoBox(body: JsonObject): Query {
  const options: GeoOptions = { validation: 'strict', ignoreUnmapped: false };
  let field: string | null = null;
  let box: GeoBox = { top: Number.NaN, left: Number.NaN, bottom: Number.NaN, right: Number.NaN };
  for (const [key, value] of Object.entries(body)) {
    if (readGeoOption('geo_bounding_box', key, value, options)) continue;
    if (key === 'type') {
      const type = readText(value, key).toLowerCase();
      if (type !== 'indexed' && type !== 'memory') throw illegalArgumentError(`cannot parse type from string [${String(value)}]`);
      continue;
    }
    if (Array.isArray(value) && value.length === 0) throw boxError('bounding box not provided');
    if (!isObject(value)) throw parsingError(`failed to parse [geo_bounding_box] query. unexpected field [${key}]`);
    field = key;
    box = readQueriedBox(value);
  }
  if (field === null) throw parsingError('failed to parse bounding box. no field given');
  checkBox(box, options.validation === 'strict');
  if (options.validation === 'coerce') {
    const topLeft = normalizePoint({ lat: box.top, lon: box.left });
    const bottomRight = normalizePoint({ lat: box.bottom, lon: box.right });
    const whole = box.right - box.left === 360;
    box = { top: topLeft.lat, left: whole ? -180 : topLeft.lon, bottom: bottomRight.lat, right: whole ? 180 : bottomRight.lon };
  }
  return { kind: 'geo_bounding_box', field, ...box, ignoreUnmapped: options.ignoreUnmapped, ...readBase('geo_bounding_box', body) };
}

function boxError(reason: string): ApiError {
  return parseFailureError(`failed to parse [geo_bounding_box] query. ${reason}`);
}

function readQueriedBox(body: JsonObject): GeoBox {
  try {
    return readBox(body);
  } catch (error) {
    throw error instanceof ApiError ? boxError(`[${error.reason}]`) : error;
  }
}

/** @throws ApiError illegal_argument_exception */
function checkBox({ top, left, bottom, right }: GeoBox, isStrict: boolean): void {
  for (const [name, edge, limit] of [
    ['top latitude', top, 90],
    ['left longitude', left, 180],
    ['bottom latitude', bottom, 90],
    ['right longitude', right, 180],
  ] as const) {
    if (!(Math.abs(edge) <= (isStrict ? limit : Number.MAX_VALUE))) throw illegalArgumentError(`${name} is invalid: ${javaDouble(edge)}`);
  }
  if (top < bottom) throw illegalArgumentError(`top is below bottom corner: ${javaDouble(top)} vs. ${javaDouble(bottom)}`);
  if (top === bottom) throw illegalArgumentError(`top cannot be the same as bottom: ${javaDouble(top)} == ${javaDouble(bottom)}`);
  if (left === right) throw illegalArgumentError(`left cannot be the same as right: ${javaDouble(left)} == ${javaDouble(right)}`);
}

/** A box by its corners, edges, WKT or a geohash. @throws ApiError parse_exception */
export function readBox(body: JsonObject): GeoBox {
  const box: GeoBox = { top: Number.NaN, left: Number.NaN, bottom: Number.NaN, right: Number.NaN };
  const corner = (value: unknown, name: CellCorner) => parseGeoPoint(value, name);
  for (const [key, value] of Object.entries(body)) {
    switch (key) {
      case 'wkt': {
        const match = /^\s*(?:BBOX|ENVELOPE)\s*\(\s*([^,]+),([^,]+),([^,]+),([^,)]+)\)\s*$/i.exec(readText(value, key));
        if (!match) {
          const kind = /^\s*(\w*)/.exec(String(value))?.[1].toUpperCase();
          throw parseFailureError(`failed to parse WKT bounding box. [${kind}] found. expected [ENVELOPE]`);
        }
        const [left, right, top, bottom] = match.slice(1).map((text) => readNumber(text.trim(), 'wkt'));
        return { top, left, bottom, right };
      }
      case 'top':
      case 'left':
      case 'bottom':
      case 'right':
        box[key] = readNumber(value, key);
        break;
      case 'top_left':
      case 'topLeft': {
        const point = corner(value, 'top_left');
        [box.top, box.left] = [point.lat, point.lon];
        break;
      }
      case 'bottom_right':
      case 'bottomRight': {
        const point = corner(value, 'bottom_right');
        [box.bottom, box.right] = [point.lat, point.lon];
        break;
      }
      case 'top_right':
      case 'topRight': {
        const point = corner(value, 'top_right');
        [box.top, box.right] = [point.lat, point.lon];
        break;
      }
      case 'bottom_left':
      case 'bottomLeft': {
        const point = corner(value, 'bottom_left');
        [box.bottom, box.left] = [point.lat, point.lon];
        break;
      }
      case 'geohash': {
        const low = geohashCorner(readText(value, key), 'bottom_left');
        const high = geohashCorner(readText(value, key), 'top_right');
        return { top: high.lat, left: low.lon, bottom: low.lat, right: high.lon };
      }
      default:
        throw parseFailureError(`failed to parse bounding box. unexpected field [${key}]`);
    }
  }
  return box;
}

const MIN_POLYGON_POINTS = 3;

function parseGeoPolygon(body: JsonObject): Query {
  const options: GeoOptions = { validation: 'strict', ignoreUnmapped: false };
  let field: string | null = null;
  let points: GeoPoint[] = [];
  for (const [key, value] of Object.entries(body)) {
    if (readGeoOption('geo_polygon', key, value, options)) continue;
    if (!isObject(value)) throw parsingError(`[geo_polygon] query does not support token type [${tokenOf(value)}] under [${key}]`);
    field = key;
    for (const [inner, list] of Object.entries(value)) {
      if (inner !== 'points' || !Array.isArray(list)) throw parsingError(`[geo_polygon] query does not support [${inner}]`);
      points = list.map((point) => parseGeoPoint(point));
    }
  }
  if (field === null) throw parsingError('[geo_polygon] requires a field');
  if (points.length === 0) throw illegalArgumentError('no points defined for geo_polygon query');
  const [first, last] = [points[0], points[points.length - 1]];
  const isClosed = points.length > 1 && first.lat === last.lat && first.lon === last.lon;
  if (points.length - (isClosed ? 1 : 0) < MIN_POLYGON_POINTS) throw illegalArgumentError('too few points defined for geo_polygon query');
  if (!isClosed) points.push(points[0]);
  if (options.validation === 'coerce') points = points.map(normalizePoint);
  return { kind: 'geo_polygon', field, points, ignoreUnmapped: options.ignoreUnmapped, ...readBase('geo_polygon', body) };
}
