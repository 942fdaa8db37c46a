// circle: replaces a circle by a regular polygon, since shapes are indexed without circles.
// Source: the polygon is that of GeoTestUtil.createRegularPolygon of Apache Lucene (Apache License 2.0), written anew; the number of its sides and the
// parameters follow Elasticsearch's reference.
import { JsonFloat } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { isJsonObject } from '../../common/json/source-numbers.ts';
import { metresOf } from '../../common/text/distance.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ProcessorFactory } from './processor.ts';

interface Circle {
  readonly x: number;
  readonly y: number;
  /** Metres of a geo_shape, units of a shape. */
  readonly radius: number;
}

const MIN_SIDES = 4;
const MAX_SIDES = 1000;
/** Largest difference between a corner's distance and the radius. */
const PRECISION_METRES = 0.1;
const EARTH_RADIUS_METRES = 6_371_008.7714;
/** A corner is found in less than a hundred steps; more mean that it is out of reach. */
const MAX_STEPS = 10_000;

/** Sides of a polygon whose middles are at most `error` nearer to the centre than its corners. */
function sidesOf(radius: number, error: number): number {
  return Math.min(MAX_SIDES, Math.max(MIN_SIDES, Math.ceil((2 * Math.PI) / Math.acos(1 - error / radius)) || MIN_SIDES));
}

function haversineMetres(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const rad = Math.PI / 180;
  const h =
    (1 - Math.cos((lat2 - lat1) * rad)) / 2 + Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * ((1 - Math.cos((lon2 - lon1) * rad)) / 2);
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Corners counter-clockwise from the east, the first one again at the end. @throws ApiError illegal_argument_exception: it reaches beyond the map */
export function geoPolygon({ x, y, radius }: Circle, sides: number): number[][] {
  const corners = Array.from({ length: sides }, (_, i) => {
    const angle = ((i * 360) / sides) * (Math.PI / 180);
    return cornerAt(x, y, radius, Math.cos(angle), Math.sin(angle));
  });
  return [...corners, corners[0]];
}

/** Walks along one direction, ever more slowly, until the distance is right. */
function cornerAt(x: number, y: number, radius: number, dx: number, dy: number): number[] {
  let [factor, step, last] = [2, 1, 0];
  for (let n = 0; n < MAX_STEPS; n++) {
    const [lat, lon] = [y + dy * factor, x + dx * factor];
    const distance = haversineMetres(y, x, lat, lon);
    if (Math.abs(distance - radius) < PRECISION_METRES) {
      if (Math.abs(lat) > 90 || Math.abs(lon) > 180) break;
      return [lon, lat];
    }
    const way = distance > radius ? -1 : 1;
    if (last === -way) step /= 2;
    factor += way * step;
    last = way;
  }
  throw illegalArgumentError(`the circle around [${x} ${y}] with the radius [${radius}] reaches beyond the map`);
}

function planePolygon({ x, y, radius }: Circle, sides: number): number[][] {
  const corners = Array.from({ length: sides }, (_, i) => {
    const angle = ((i * 360) / sides) * (Math.PI / 180);
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
  return [...corners, corners[0]];
}

const WKT = /^\s*CIRCLE\s*(?:Z\s*)?\(\s*([^\s()]+)\s+([^\s()]+)\s+([^\s()]+)(?:\s+[^\s()]+)?\s*\)\s*$/i;

function numberOf(value: unknown, what: string): number {
  const number = typeof value === 'number' ? value : value instanceof JsonFloat ? value.value : Number.NaN;
  if (!Number.isFinite(number)) throw illegalArgumentError(`found invalid [${what}] of a circle: [${String(value)}]`);
  return number;
}

/** A radius in metres, or with a unit. */
function radiusOf(value: unknown): number {
  if (typeof value !== 'string') return numberOf(value, 'radius');
  const match = /^\s*([\d.eE+-]+)\s*([A-Za-z]*)\s*$/.exec(value);
  const unit = match === null ? null : match[2] === '' ? 1 : metresOf(match[2]);
  return match === null || unit === null ? numberOf(value, 'radius') : numberOf(Number(match[1]), 'radius') * unit;
}

/** The circle that a value describes, and whether it is WKT; null for other shapes in GeoJSON. @throws ApiError illegal_argument_exception */
function circleOf(value: unknown): { circle: Circle; isText: boolean } {
  if (typeof value === 'string') {
    const match = WKT.exec(value);
    if (match === null) throw illegalArgumentError('invalid circle definition');
    const [x, y, radius] = match.slice(1).map((part) => numberOf(Number(part), 'coordinate'));
    return { circle: checked({ x, y, radius }), isText: true };
  }
  if (!isJsonObject(value)) throw illegalArgumentError('field [field] must be a WKT Circle or a GeoJSON Circle value');
  const { type, coordinates, radius } = value;
  if (String(type).toLowerCase() !== 'circle' || !Array.isArray(coordinates)) throw illegalArgumentError('invalid circle definition');
  const circle = { x: numberOf(coordinates[0], 'coordinate'), y: numberOf(coordinates[1], 'coordinate'), radius: radiusOf(radius) };
  return { circle: checked(circle), isText: false };
}

function checked(circle: Circle): Circle {
  if (circle.radius <= 0) throw illegalArgumentError(`found invalid [radius] of a circle: [${circle.radius}]`);
  return circle;
}

const javaNumber = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));

export const circleProcessor: ProcessorFactory = (config) => {
  const field = config.text('field');
  const target = config.text('target_field', field);
  const ignoreMissing = config.boolean('ignore_missing', false);
  const error = Math.abs(Number(config.required('error_distance')));
  const kind = config.text('shape_type');
  if (!Number.isFinite(error)) throw config.error('error_distance', 'property cannot be converted to a double');
  if (kind !== 'geo_shape' && kind !== 'shape')
    throw config.error('shape_type', `illegal [shape_type] value [${kind}]. valid values are [SHAPE, GEO_SHAPE]`);
  return (document) => {
    const value = document.has(field) ? document.get(field) : null;
    if (value === null) {
      if (ignoreMissing) return;
      throw illegalArgumentError(`field [${field}] is null, cannot process it.`);
    }
    try {
      const { circle, isText } = circleOf(value);
      const sides = sidesOf(circle.radius, error);
      const ring = kind === 'geo_shape' ? geoPolygon(circle, sides) : planePolygon(circle, sides);
      const text = (): string => `POLYGON ((${ring.map((corner) => corner.map(javaNumber).join(' ')).join(', ')}))`;
      const json = (): MutableJsonObject => ({ type: 'Polygon', coordinates: [ring] });
      document.set(target, isText ? text() : json());
    } catch (failure) {
      if (failure instanceof ApiError && failure.reason === 'invalid circle definition')
        throw new ApiError('illegal_argument_exception', 400, 'invalid circle definition', { causedBy: failure });
      throw failure;
    }
  };
};
