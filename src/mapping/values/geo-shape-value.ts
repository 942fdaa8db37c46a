// Shapes of geo_shape fields as GeoJSON or WKT, parsed and validated: closed rings, enough points, coordinates in range, no crossing edges.
// WKT is read by our own code, because the package wellknown has no BBOX, EMPTY, limit of nesting or error messages.

import { javaDouble } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

/** [lon, lat]. */
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

const MAX_DEPTH = 20;

function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}

/** @throws ApiError parse_exception, illegal_argument_exception */
export function parseGeoShape(value: unknown, depth = 0): Shape {
  if (depth > MAX_DEPTH) throw parseError(`shapes are nested deeper than [${MAX_DEPTH}]`);
  if (typeof value === 'string') return parseWkt(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw parseError('shape must be an object consisting of type and coordinates');
  const { type, coordinates, geometries, radius } = value as Record<string, unknown>;
  if (typeof type !== 'string') throw parseError('shape type not included');
  const name = type.toLowerCase();
  if (name === 'geometrycollection') {
    if (!Array.isArray(geometries)) throw parseError('geometries not included');
    return { type: name, shapes: geometries.map((shape) => parseGeoShape(shape, depth + 1)) };
  }
  if (name === 'circle')
    throw illegalArgumentError(`CIRCLE geometry is not supported${radius === undefined ? '' : ' by geo_shape fields'}`);
  if (!SHAPE_NAMES.has(name)) throw illegalArgumentError(`No enum constant org.opensearch.geometry.ShapeType.${type.toUpperCase()}`);
  if (coordinates === undefined || coordinates === null) throw parseError('coordinates not included');
  return build(name, coordinates);
}

const SHAPE_NAMES = new Set(['point', 'multipoint', 'linestring', 'multilinestring', 'polygon', 'multipolygon', 'envelope']);

function build(name: string, coordinates: unknown): Shape {
  switch (name) {
    case 'point':
      return { type: 'point', at: position(coordinates) };
    case 'multipoint':
      return { type: 'multipoint', points: list(coordinates).map(position) };
    case 'linestring':
      return { type: 'linestring', line: line(coordinates) };
    case 'multilinestring':
      return { type: 'multilinestring', lines: list(coordinates).map(line) };
    case 'polygon':
      return { type: 'polygon', rings: polygon(coordinates) };
    case 'multipolygon':
      return { type: 'multipolygon', polygons: list(coordinates).map(polygon) };
    default: {
      const [first, second, ...more] = list(coordinates).map(position);
      if (!second || more.length > 0)
        throw parseError('invalid number of points provided for geo_shape [envelope] when expecting an array of 2 coordinates');
      return envelope(first[0], second[0], first[1], second[1]);
    }
  }
}

function envelope(left: number, right: number, top: number, bottom: number): Shape {
  if (top < bottom) throw illegalArgumentError(`max y cannot be less than min y`);
  return { type: 'envelope', left, right, top, bottom };
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw parseError('coordinates must be a list');
  return value;
}

function position(value: unknown): Position {
  const [lon, lat, ...more] = list(value);
  if (typeof lon !== 'number' || typeof lat !== 'number' || more.length > 1)
    throw parseError('coordinate must contain numbers: longitude and latitude');
  return checked(lon, lat);
}

function checked(lon: number, lat: number): Position {
  if (!(lat >= -90 && lat <= 90)) throw illegalArgumentError(`invalid latitude ${javaDouble(lat)}; must be between -90.0 and 90.0`);
  // Longitudes beyond the dateline wrap around, as in the reference.
  if (!Number.isFinite(lon) || Math.abs(lon) > 540)
    throw illegalArgumentError(`invalid longitude ${javaDouble(lon)}; must be between -180.0 and 180.0`);
  return [lon, lat];
}

function line(value: unknown): readonly Position[] {
  const points = list(value).map(position);
  if (points.length < 2) throw illegalArgumentError('at least two points in the line is required');
  return points;
}

function polygon(value: unknown): ReadonlyArray<readonly Position[]> {
  const rings = list(value).map((ring) => checkRing(list(ring).map(position)));
  if (rings.length === 0) throw parseError('polygon without rings');
  return rings;
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

// --------------------------------------------------------------------------------------------------------------- WKT

type WktValue = number[] | WktValue[];

/** @throws ApiError parse_exception */
function parseWkt(text: string): Shape {
  const reader = new WktReader(text);
  const shape = reader.shape(0);
  reader.end();
  return shape;
}

class WktReader {
  readonly #tokens: string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/[(),]|[^\s(),]+/g) ?? [];
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? 'END-OF-STREAM';
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw parseError(`expected end of WKT string but found additional text: ${this.#tokens[this.#at]}`);
  }

  shape(depth: number): Shape {
    if (depth > MAX_DEPTH) throw parseError(`shapes are nested deeper than [${MAX_DEPTH}]`);
    const name = this.#next().toLowerCase();
    if (name === 'bbox') {
      const [left, right, top, bottom] = this.#list(() => this.#number());
      if (bottom === undefined) throw parseError('expected 4 numbers in BBOX');
      checked(left, top);
      checked(right, bottom);
      return envelope(left, right, top, bottom);
    }
    if (name === 'geometrycollection') return { type: name, shapes: this.#list(() => this.shape(depth + 1)) };
    if (name === 'circle') throw illegalArgumentError('CIRCLE geometry is not supported');
    if (!SHAPE_NAMES.has(name) || name === 'envelope') throw parseError(`Unknown geometry type: ${name}`);
    const levels = name === 'point' || name === 'multipoint' || name === 'linestring' ? 1 : name === 'multipolygon' ? 3 : 2;
    const value = this.#values(levels);
    return build(name, name === 'point' ? value[0] : value);
  }

  #values(levels: number): WktValue[] {
    return this.#list(() => (levels > 1 ? this.#values(levels - 1) : this.#position()));
  }

  #list<T>(item: () => T): T[] {
    const open = this.#next();
    if (open.toLowerCase() === 'empty') return [];
    if (open !== '(') throw parseError(`expected ( but found: ${open}`);
    const items: T[] = [];
    for (;;) {
      items.push(item());
      const token = this.#next();
      if (token === ')') return items;
      if (token !== ',') throw parseError(`expected , or ) but found: ${token}`);
    }
  }

  /** `x y [z]`, optionally in parentheses (MULTIPOINT ((1 2), (3 4))). */
  #position(): number[] {
    const inner = this.#tokens[this.#at] === '(';
    if (inner) this.#at++;
    const numbers: number[] = [];
    while (this.#at < this.#tokens.length && !'(),'.includes(this.#tokens[this.#at])) numbers.push(this.#number());
    if (numbers.length < 2) throw parseError(`expected number but found: ${this.#tokens[this.#at] ?? 'END-OF-STREAM'}`);
    if (inner && this.#next() !== ')') throw parseError('expected )');
    return numbers;
  }

  #number(): number {
    const token = this.#next();
    const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(token) ? Number(token) : Number.NaN;
    if (Number.isNaN(number)) throw parseError(`expected number but found: ${token}`);
    return number;
  }
}
