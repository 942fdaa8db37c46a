// Parses all forms of a geo_point: { lat, lon }, "lat,lon", [lon, lat], geohash, WKT "POINT (lon lat)", GeoJSON, { geohash }.

import { javaDouble } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

export interface LatLon {
  readonly lat: number;
  readonly lon: number;
  /** A third coordinate, which fields ignore or refuse; absent in most points. */
  readonly z?: number;
}

function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}

function degrees(value: unknown, what: 'latitude' | 'longitude' | 'lat' | 'lon'): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') {
    const number = value.trim() === '' ? Number.NaN : Number(value);
    if (!Number.isNaN(number)) return number;
    throw parseError(
      what === 'lat' || what === 'lon'
        ? `[${what === 'lat' ? 'latitude' : 'longitude'}] must be a valid double value`
        : `${what} must be a number`,
    );
  }
  if (typeof value === 'bigint') return Number(value);
  throw parseError(`${what === 'lat' || what === 'lon' ? what : what} must be a number`);
}

const GEOHASH_DIGITS = '0123456789bcdefghjkmnpqrstuvwxyz';

/** Bounds of a geohash cell. @throws ApiError illegal_argument_exception */
function geohashBounds(hash: string): { top: number; bottom: number; left: number; right: number } {
  let bottom = -90;
  let top = 90;
  let left = -180;
  let right = 180;
  let even = true;
  for (const char of hash) {
    const digit = GEOHASH_DIGITS.indexOf(char);
    if (digit < 0) throw illegalArgumentError(`unsupported symbol [${char}] in geohash [${hash}]`);
    for (let bit = 16; bit > 0; bit >>= 1) {
      if (even) {
        const mid = (left + right) / 2;
        if (digit & bit) left = mid;
        else right = mid;
      } else {
        const mid = (bottom + top) / 2;
        if (digit & bit) bottom = mid;
        else top = mid;
      }
      even = !even;
    }
  }
  return { top, bottom, left, right };
}

/** South-west corner of a geohash's cell, which is the point that a document gets. */
function geohashPoint(hash: string): LatLon {
  if (hash === '') throw parseError('unsupported symbol in empty geohash');
  const { bottom, left } = geohashBounds(hash.slice(0, 12));
  return { lat: bottom, lon: left };
}

const WKT_POINT = /^\s*POINT\s*\(\s*([^\s()]+)\s+([^\s()]+)(?:\s+([^\s()]+))?\s*\)\s*$/i;

function parseText(text: string): LatLon {
  if (text.toLowerCase().includes('point')) {
    const match = WKT_POINT.exec(text);
    const lon = match ? Number(match[1]) : Number.NaN;
    const lat = match ? Number(match[2]) : Number.NaN;
    if (Number.isNaN(lon) || Number.isNaN(lat)) throw parseError(`Invalid WKT format, [${text}]`);
    return match?.[3] === undefined ? { lat, lon } : { lat, lon, z: Number(match[3]) };
  }
  if (!text.includes(',')) return geohashPoint(text);
  const parts = text.split(',');
  if (parts.length > 3) throw parseError(`failed to parse [${text}], expected 2 or 3 coordinates but found: [${parts.length}]`);
  const [lat, lon, z] = parts.map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (Number.isNaN(lat)) throw parseError(`latitude must be a number`);
  if (Number.isNaN(lon)) throw parseError(`longitude must be a number`);
  return z === undefined ? { lat, lon } : { lat, lon, z };
}

function parseList(list: readonly unknown[]): LatLon {
  if (list.length < 2)
    throw new ApiError('input_coercion_exception', 400, 'Current token (END_ARRAY) not numeric, cannot use numeric value accessors');
  if (list.length > 3) throw parseError('[geo_point] field type does not accept more than 3 values');
  const point = { lon: degrees(list[0], 'lon'), lat: degrees(list[1], 'lat') };
  return list.length === 2 ? point : { ...point, z: Number(list[2]) };
}

function parseObject(value: Record<string, unknown>): LatLon {
  const keys = Object.keys(value);
  for (const key of keys) {
    if (!['lat', 'lon', 'geohash', 'type', 'coordinates'].includes(key)) {
      throw parseError('field must be either [lon|lat], [type|coordinates], or [geohash]');
    }
  }
  if (value.geohash !== undefined) {
    if (keys.length > 1) throw parseError('field must be either lat/lon or geohash');
    if (typeof value.geohash !== 'string') throw parseError('geohash must be a string');
    return geohashPoint(value.geohash);
  }
  if (value.type !== undefined || value.coordinates !== undefined) {
    if (typeof value.type !== 'string' || value.type.toLowerCase() !== 'point')
      throw parseError('[type] for geo_point can only be [Point]');
    if (!Array.isArray(value.coordinates)) throw parseError('field [coordinates] missing');
    return parseList(value.coordinates);
  }
  if (value.lat === undefined || value.lat === null) throw parseError('field [lat] missing');
  if (value.lon === undefined || value.lon === null) throw parseError('field [lon] missing');
  return { lat: degrees(value.lat, 'lat'), lon: degrees(value.lon, 'lon') };
}

/** @throws ApiError parse_exception; illegal_argument_exception: not a point, or outside of -90..90, -180..180 */
export function parseGeoPoint(value: unknown): LatLon {
  let point: LatLon;
  if (typeof value === 'string') point = parseText(value);
  else if (Array.isArray(value)) point = parseList(value);
  else if (typeof value === 'object' && value !== null) point = parseObject(value as Record<string, unknown>);
  else throw parseError('geo_point expected');
  if (!(point.lat >= -90 && point.lat <= 90)) throw illegalArgumentError(`illegal latitude value [${javaDouble(point.lat)}] for geo_point`);
  if (!(point.lon >= -180 && point.lon <= 180))
    throw illegalArgumentError(`illegal longitude value [${javaDouble(point.lon)}] for geo_point`);
  return point;
}

/** A list is a single point if it starts with a number, otherwise a list of points. */
export function isPointList(value: readonly unknown[]): boolean {
  return typeof value[0] === 'number';
}
