// Shapes as GeoJSON or WKT, parsed and validated: closed rings, enough points, coordinates in range, no crossing edges. Shapes of geo_shape fields
// are in degrees, those of shape fields on a plane without units.

import { javaDouble } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { MAX_SHAPE_DEPTH, parseWkt } from './wkt.ts';

/** [x, y]; [lon, lat] on the earth. */
export type Position = readonly [number, number];
export type Shape =
  | { readonly type: 'point'; readonly at: Position }
  | { readonly type: 'multipoint'; readonly points: readonly Position[] }
  | { readonly type: 'linestring'; readonly line: readonly Position[] }
  | { readonly type: 'multilinestring'; readonly lines: ReadonlyArray<readonly Position[]> }
  /** The outer ring, then the holes. */
  | { readonly type: 'polygon'; readonly rings: ReadonlyArray<readonly Position[]> }
  | { readonly type: 'multipolygon'; readonly polygons: ReadonlyArray<ReadonlyArray<readonly Position[]>> }
  | { readonly type: 'envelope'; readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }
  | { readonly type: 'geometrycollection'; readonly shapes: readonly Shape[] };

/** The shapes that a field accepts. */
export interface ShapeRules {
  /** Type of the field, for messages. */
  readonly typeName: string;
  /** A position as it is indexed. @throws ApiError illegal_argument_exception: out of range */
  position(x: number, y: number): Position;
  /** An envelope whose left edge is right of its right one crosses the dateline. */
  readonly wraps: boolean;
  /** Rings that are not closed are closed. */
  readonly coerce: boolean;
  /** A third coordinate is ignored rather than refused. */
  readonly ignoresZ: boolean;
}

export const GEO_SHAPE_RULES: ShapeRules = { typeName: 'geo_shape', position: onEarth, wraps: true, coerce: false, ignoresZ: true };

function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}

/** @throws ApiError parse_exception, illegal_argument_exception */
export function parseShape(value: unknown, rules: ShapeRules, depth = 0): Shape {
  if (depth > MAX_SHAPE_DEPTH) throw parseError(`shapes are nested deeper than [${MAX_SHAPE_DEPTH}]`);
  const given = typeof value === 'string' ? parseWkt(value) : value;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw parseError('shape must be an object consisting of type and coordinates');
  const { type, coordinates, geometries, radius } = given as Record<string, unknown>;
  if (typeof type !== 'string') throw parseError('shape type not included');
  const name = type.toLowerCase();
  if (name === 'geometrycollection') {
    if (!Array.isArray(geometries)) throw parseError('geometries not included');
    return { type: name, shapes: geometries.map((shape) => parseShape(shape, rules, depth + 1)) };
  }
  if (name === 'circle')
    throw illegalArgumentError(`CIRCLE geometry is not supported${radius === undefined ? '' : ` by ${rules.typeName} fields`}`);
  if (!SHAPE_NAMES.has(name)) throw illegalArgumentError(`No enum constant org.opensearch.geometry.ShapeType.${type.toUpperCase()}`);
  if (coordinates === undefined || coordinates === null) throw parseError('coordinates not included');
  return new ShapeBuilder(rules).build(name, coordinates);
}

/** @throws ApiError parse_exception, illegal_argument_exception */
export function parseGeoShape(value: unknown): Shape {
  return parseShape(value, GEO_SHAPE_RULES);
}

const SHAPE_NAMES = new Set(['point', 'multipoint', 'linestring', 'multilinestring', 'polygon', 'multipolygon', 'envelope']);

class ShapeBuilder {
  readonly #rules: ShapeRules;
  constructor(rules: ShapeRules) {
    this.#rules = rules;
  }

  build(name: string, coordinates: unknown): Shape {
    switch (name) {
      case 'point':
        return { type: 'point', at: this.#position(coordinates) };
      case 'multipoint':
        return { type: 'multipoint', points: this.#positions(coordinates) };
      case 'linestring':
        return { type: 'linestring', line: this.#line(coordinates) };
      case 'multilinestring':
        return { type: 'multilinestring', lines: list(coordinates).map((line) => this.#line(line)) };
      case 'polygon':
        return { type: 'polygon', rings: this.#polygon(coordinates) };
      case 'multipolygon':
        return { type: 'multipolygon', polygons: list(coordinates).map((polygon) => this.#polygon(polygon)) };
      default:
        return this.#envelope(coordinates);
    }
  }

  #envelope(coordinates: unknown): Shape {
    const [first, second, ...more] = this.#positions(coordinates);
    if (!second || more.length > 0)
      throw parseError(`invalid number of points provided for ${this.#rules.typeName} [envelope] when expecting an array of 2 coordinates`);
    const [[left, top], [right, bottom]] = [first, second];
    if (top < bottom) throw illegalArgumentError('max y cannot be less than min y');
    if (left > right && !this.#rules.wraps) throw illegalArgumentError('max x cannot be less than min x');
    return { type: 'envelope', left, right, top, bottom };
  }

  #positions(value: unknown): readonly Position[] {
    return list(value).map((item) => this.#position(item));
  }

  #position(value: unknown): Position {
    const [x, y, z, ...more] = list(value);
    if (typeof x !== 'number' || typeof y !== 'number' || more.length > 0)
      throw parseError('coordinate must contain numbers: longitude and latitude');
    if (z !== undefined && !this.#rules.ignoresZ) throw refusedZError(z);
    return this.#rules.position(x, y);
  }

  #line(value: unknown): readonly Position[] {
    const points = this.#positions(value);
    if (points.length < 2) throw illegalArgumentError('at least two points in the line is required');
    return points;
  }

  #polygon(value: unknown): ReadonlyArray<readonly Position[]> {
    const rings = list(value).map((ring) => checkRing(this.#closed(this.#positions(ring))));
    if (rings.length === 0) throw parseError('polygon without rings');
    return rings;
  }

  #closed(ring: readonly Position[]): readonly Position[] {
    if (!this.#rules.coerce || ring.length < 3) return ring;
    const [first, last] = [ring[0], ring[ring.length - 1]];
    return first[0] === last[0] && first[1] === last[1] ? ring : [...ring, first];
  }
}

/** The shape with its corners moved. */
export function mapPositions(shape: Shape, at: (position: Position) => Position): Shape {
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
      return { ...shape, shapes: shape.shapes.map((part) => mapPositions(part, at)) };
  }
}

/** The error for a third coordinate that a field does not ignore. */
export function refusedZError(z: unknown): ApiError {
  const shown = typeof z === 'number' ? javaDouble(z) : String(z);
  return parseError(`Exception parsing coordinates: found Z value [${shown}] but [ignore_z_value] parameter is [false]`);
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw parseError('coordinates must be a list');
  return value;
}

function onEarth(lon: number, lat: number): Position {
  if (!(lat >= -90 && lat <= 90)) throw illegalArgumentError(`invalid latitude ${javaDouble(lat)}; must be between -90.0 and 90.0`);
  // Longitudes beyond the dateline wrap around, as in the reference.
  if (!Number.isFinite(lon) || Math.abs(lon) > 540)
    throw illegalArgumentError(`invalid longitude ${javaDouble(lon)}; must be between -180.0 and 180.0`);
  return [lon, lat];
}

function checkRing(ring: readonly Position[]): readonly Position[] {
  const first = ring[0];
  const last = ring[ring.length - 1];
  if (!first || first[0] !== last[0] || first[1] !== last[1]) {
    const end = ring.length - 1;
    throw illegalArgumentError(
      first
        ? `first and last points of the linear ring must be the same (it must close itself): x[0]=${javaDouble(first[0])} x[${end}]=${javaDouble(last[0])} y[0]=${javaDouble(first[1])} y[${end}]=${javaDouble(last[1])}`
        : 'linear ring without points',
    );
  }
  if (ring.length < 4) throw illegalArgumentError(`at least 4 polygon points required (got ${ring.length})`);
  if (crossesItself(ring)) throw illegalArgumentError('Unable to Tessellate shape. Possible malformed shape detected.');
  return ring;
}

/** Longer rings are not checked for crossings: the check is quadratic. */
const MAX_CHECKED_POINTS = 2000;

function crossesItself(ring: readonly Position[]): boolean {
  const edges = ring.length - 1;
  if (edges > MAX_CHECKED_POINTS) return false;
  for (let i = 0; i < edges; i++) {
    for (let j = i + 2; j < edges; j++) {
      if (i === 0 && j === edges - 1) continue;
      if (cross(ring[i], ring[i + 1], ring[j], ring[j + 1])) return true;
    }
  }
  return false;
}

function side(a: Position, b: Position, p: Position): number {
  return Math.sign((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]));
}

function cross(a: Position, b: Position, c: Position, d: Position): boolean {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}
