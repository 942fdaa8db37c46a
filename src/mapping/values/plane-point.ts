// Points and shapes on a plane: the values of point and shape fields. They are indexed as floats.
// Source: the pages "Point field type" and "Shape field type" of Elasticsearch's reference; messages follow those of geo_point in version 8.

import { isObject } from '../../common/json/json-value.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { mapPositions, type Position, refusedZError, type Shape, type ShapeRules } from './geo-shape-value.ts';
import { parseWkt } from './wkt.ts';

const LARGEST = 3.4028234663852886e38;

/** @throws ApiError illegal_argument_exception: beyond the range of a float */
function onPlane(x: number, y: number): Position {
  return [checked(x), checked(y)];
}

/** The shape with the coordinates that are indexed and searched. */
export function inFloats(shape: Shape): Shape {
  return mapPositions(shape, ([x, y]) => [Math.fround(x), Math.fround(y)]);
}

export const PLANE_RULES: ShapeRules = { typeName: 'shape', position: onPlane, wraps: false, coerce: false, ignoresZ: true };

function checked(value: number): number {
  if (!Number.isFinite(Math.fround(value)))
    throw illegalArgumentError(`invalid value ${javaDouble(value)}; must be between ${javaDouble(-LARGEST)} and ${javaDouble(LARGEST)}`);
  return value;
}

function parseError(reason: string, cause?: ApiError): ApiError {
  return new ApiError('parse_exception', 400, reason, cause && { causedBy: cause });
}

/** `{ x, y }`, GeoJSON, WKT, `"x,y"` or `[x, y]`. @throws ApiError parse_exception, illegal_argument_exception */
export function parsePlanePoint(value: unknown, ignoresZ: boolean): Position {
  if (typeof value === 'string') return ofText(value, ignoresZ);
  if (Array.isArray(value)) return ofList(value, ignoresZ);
  if (isObject(value)) return ofObject(value, ignoresZ);
  throw parseError('point expected');
}

/** A list is a single point if it starts with a number, otherwise a list of points. */
export function isPlanePointList(value: readonly unknown[]): boolean {
  return typeof value[0] === 'number';
}

const KEYS = ['x', 'y', 'z', 'type', 'coordinates'];

function ofObject(value: Readonly<Record<string, unknown>>, ignoresZ: boolean): Position {
  for (const key of Object.keys(value))
    if (!KEYS.includes(key)) throw parseError(`field [${key}] not supported - must be one of: ${KEYS.join(', ')}`);
  const { x, y, z, type, coordinates } = value;
  if (x !== undefined || y !== undefined) {
    if (x === undefined) throw parseError('Required [x]');
    if (y === undefined) throw parseError('Required [y]');
    return planePoint([numberOf(x, 'x'), numberOf(y, 'y'), ...(z === undefined ? [] : [numberOf(z, 'z')])], ignoresZ);
  }
  if (type === undefined && coordinates === undefined) throw parseError('field must be either x/y, or type/coordinates');
  if (type === undefined) throw parseError('Required [type]');
  if (typeof type !== 'string') throw parseError('[type] must be a string');
  if (coordinates === undefined) throw parseError('Required [coordinates]');
  if (type.toLowerCase() !== 'point') throw parseError("[type] for point can only be 'Point'");
  if (!Array.isArray(coordinates)) throw parseError('[coordinates] must be an array');
  if (coordinates.length < 2) throw parseError('[coordinates] must contain at least two values');
  return ofList(coordinates, ignoresZ);
}

function ofList(list: readonly unknown[], ignoresZ: boolean): Position {
  if (list.length < 2) throw parseError('point expected');
  if (list.length > 3) throw parseError('[point] field type does not accept > 3 dimensions');
  return planePoint(
    list.map((item) => numberOf(item, 'coordinates')),
    ignoresZ,
  );
}

function ofText(text: string, ignoresZ: boolean): Position {
  if (text.toLowerCase().includes('point')) {
    const shape = parseWkt(text);
    if (shape.type !== 'point' || !('coordinates' in shape) || !Array.isArray(shape.coordinates))
      throw parseError('Invalid WKT format', illegalArgumentError(`[point] supports only POINT, found [${shape.type}]`));
    return planePoint(shape.coordinates as number[], ignoresZ);
  }
  const parts = text.split(',');
  if (parts.length < 2 || parts.length > 3)
    throw parseError(`failed to parse [${text}], expected 2 or 3 coordinates but found: [${parts.length}]`);
  return planePoint(
    parts.map((part, i) => {
      const number = part.trim() === '' ? Number.NaN : Number(part);
      if (Number.isNaN(number)) throw parseError(`${'xyz'[i]} must be a number`);
      return number;
    }),
    ignoresZ,
  );
}

function planePoint([x, y, z]: readonly number[], ignoresZ: boolean): Position {
  if (z !== undefined && !ignoresZ) throw refusedZError(z);
  return onPlane(x, y);
}

function numberOf(value: unknown, name: string): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') throw parseError(`${name} must be a number`);
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(number))
    throw parseError(
      `[${name}] must be a valid double value`,
      new ApiError('number_format_exception', 400, `For input string: "${value}"`),
    );
  return number;
}
