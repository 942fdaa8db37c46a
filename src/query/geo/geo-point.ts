// The forms of a point in requests: { lat, lon }, [lon, lat], "lat,lon", geohash, WKT, GeoJSON.

import { isObject } from '../../common/json/json-value.ts';
import { metresOf } from '../../common/text/distance.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { parseFailureError } from '../../errors/search-errors.ts';
import { readNumber } from '../read-json.ts';

export interface GeoPoint {
  readonly lat: number;
  readonly lon: number;
}

/** The corner of a geohash cell that a string represents. */
export type CellCorner = 'bottom_left' | 'top_left' | 'top_right' | 'bottom_right';

const BASE32 = '0123456789bcdefghjkmnpqrstuvwxyz';

/** @throws ApiError parse_exception */
export function parseGeoPoint(value: unknown, corner: CellCorner = 'bottom_left'): GeoPoint {
  if (typeof value === 'string') return parseText(value, corner);
  if (Array.isArray(value)) {
    if (value.some((part) => typeof part !== 'number' && typeof part !== 'bigint')) throw parseFailureError('numeric value expected');
    if (value.length < 2 || value.length > 3) throw parseFailureError('[geo_point] field type does not accept > 3 dimensions');
    return { lon: Number(value[0]), lat: Number(value[1]) };
  }
  if (isObject(value)) {
    if (typeof value['geohash'] === 'string') return parseText(value['geohash'], corner);
    if (Array.isArray(value['coordinates'])) return parseGeoPoint(value['coordinates'], corner);
    for (const key of Object.keys(value)) {
      if (key !== 'lat' && key !== 'lon') throw parseFailureError(`field must be either [lat], [lon], [geohash], [type] or [coordinates]`);
    }
    if (value['lat'] === undefined) throw parseFailureError('field [lat] missing');
    if (value['lon'] === undefined) throw parseFailureError('field [lon] missing');
    return { lat: readDegrees(value['lat'], 'latitude'), lon: readDegrees(value['lon'], 'longitude') };
  }
  throw parseFailureError('geo_point expected');
}

function readDegrees(value: unknown, name: 'latitude' | 'longitude'): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') throw parseFailureError(`${name} must be a number`);
  const degrees = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(degrees)) throw parseFailureError(`[${name}] must be a valid double value`);
  return degrees;
}

function parseText(text: string, corner: CellCorner): GeoPoint {
  const wkt = /^\s*POINT\s*\(\s*(\S+)\s+(\S+?)(?:\s+\S+)?\s*\)\s*$/i.exec(text);
  if (wkt) return { lon: readNumber(wkt[1], 'lon'), lat: readNumber(wkt[2], 'lat') };
  if (text.includes(',')) {
    const parts = text.split(',');
    if (parts.length > 3) throw parseFailureError(`failed to parse [${text}], expected 2 or 3 coordinates but found: [${parts.length}]`);
    const [lat, lon] = parts.map((part, i) => {
      const number = Number(part.trim());
      if (part.trim() === '' || Number.isNaN(number)) throw parseFailureError(`${i === 0 ? 'latitude' : 'longitude'} must be a number`);
      return number;
    });
    return { lat, lon };
  }
  return geohashCorner(text, corner);
}

/** A corner of the cell of a geohash. @throws ApiError parse_exception */
export function geohashCorner(hash: string, corner: CellCorner): GeoPoint {
  const cell = geohashCell(hash);
  return {
    lat: corner.startsWith('top') ? cell.top : cell.bottom,
    lon: corner.endsWith('right') ? cell.right : cell.left,
  };
}

function geohashCell(hash: string): { top: number; left: number; bottom: number; right: number } {
  let [bottom, top, left, right] = [-90, 90, -180, 180];
  let isLon = true;
  if (hash === '' || hash.length > 12) throw parseFailureError(`unsupported symbol in geohash [${hash}]`);
  for (const char of hash) {
    const bits = BASE32.indexOf(char.toLowerCase());
    if (bits < 0) throw parseFailureError(`unsupported symbol [${char}] in geohash [${hash}]`);
    for (let mask = 16; mask > 0; mask >>= 1) {
      if (isLon) {
        const middle = (left + right) / 2;
        if (bits & mask) left = middle;
        else right = middle;
      } else {
        const middle = (bottom + top) / 2;
        if (bits & mask) bottom = middle;
        else top = middle;
      }
      isLon = !isLon;
    }
  }
  return { top, left, bottom, right };
}

/** A distance such as `15km`, `9mi` or `15000`, in metres. @throws ApiError number_format_exception */
export function parseDistance(value: unknown, defaultUnit: number): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) * defaultUnit;
  const text = String(value).trim();
  const match = /^(.*?\d)\s*([a-zA-Z]+)$/.exec(text);
  const unit = match ? metresOf(match[2]) : null;
  if (match && unit !== null) return readNumber(match[1], 'distance') * unit;
  return readNumber(text, 'distance') * defaultUnit;
}

/** Whether a `distance_type` is `plane` rather than `arc`. @throws ApiError illegal_argument_exception: it is neither */
export function isPlaneDistance(type: string): boolean {
  const name = type.toLowerCase();
  if (name !== 'arc' && name !== 'plane') throw illegalArgumentError(`No geo distance for [${type}]`);
  return name === 'plane';
}
