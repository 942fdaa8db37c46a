// Values of a field in a document, as `doc` and `field()` show them.
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { ImmutableList } from '../../java/collections.ts';
import { raise } from '../../java/faults.ts';
import type { Value } from '../../java/values.ts';

const MISSING = "A document doesn't have a value for a field! Use doc[<field>].size()==0 to check if a document is missing a field!";

const MISSING_VECTOR = "A document doesn't have a value for a vector field!";
const NOT_SINGLE = "accessing a vector field's value through 'get' or 'value' is not supported, use 'vectorValue' or 'magnitude' instead.";

/** The values of a field, in ascending order. */
export class DocValues extends ImmutableList {
  /** Shows the values of another document, as Elasticsearch's do. */
  show(values: ReadonlyArray<bigint | number>, read: (raw: bigint | number) => Value): this {
    if (this.length !== values.length) this.length = values.length;
    for (let i = 0; i < values.length; i++) this[i] = read(values[i]);
    return this;
  }

  first(): Value {
    return this.length > 0 ? this[0] : raise('java.lang.IllegalStateException', MISSING);
  }
}

/** The vector of a document: scripts read it as a whole. */
export class VectorValues extends DocValues {
  vector: Float32Array | Int8Array | null = null;
  magnitude = 0;
  /** Eight elements in a byte. */
  isBits = false;

  present(): Float32Array | Int8Array {
    return this.vector ?? raise('java.lang.IllegalArgumentException', MISSING_VECTOR);
  }
}

class Longs extends DocValues {}
class Doubles extends DocValues {}
class Strings extends DocValues {}
class Booleans extends DocValues {}
class Dates extends DocValues {}
class Ips extends DocValues {}

/** A point on Earth. */
export class GeoPoint {
  readonly lat: number;
  readonly lon: number;
  constructor(lat: number, lon: number) {
    this.lat = lat;
    this.lon = lon;
  }
  toString(): string {
    return `${this.lat}, ${this.lon}`;
  }
  equalTo(other: Value): boolean {
    return other instanceof GeoPoint && other.lat === this.lat && other.lon === this.lon;
  }
}

/** Distance in metres of two points. */
export type Distance = (a: GeoPoint, b: { readonly lat: number; readonly lon: number }) => number;

class GeoPoints extends DocValues {
  distance: Distance = () => Number.NaN;
  away(lat: number, lon: number): number {
    return this.distance(this.first() as GeoPoint, { lat, lon });
  }
}

const CLASSES = { longs: Longs, doubles: Doubles, strings: Strings, booleans: Booleans, dates: Dates, ips: Ips } as const;

/** Values of a kind of field. */
export function docValues(kind: keyof typeof CLASSES, values: readonly Value[]): DocValues {
  const made = new CLASSES[kind]();
  for (const value of values) made.push(value);
  return made;
}

export function geoPoints(points: readonly GeoPoint[], distance: Distance): GeoPoints {
  const made = new GeoPoints();
  for (const point of points) made.push(point);
  made.distance = distance;
  return made;
}

const get = (self: DocValues, index: number): Value => {
  if (index === 0 || self.length === 0) return self.first();
  return index > 0 && index < self.length
    ? self[index]
    : raise('java.lang.IndexOutOfBoundsException', `Index ${index} out of bounds for length ${self.length}`);
};

function define(name: string, type: string, of: { prototype: object }, members: Readonly<Record<string, Implementation>> = {}): void {
  defineClass(`org.elasticsearch.index.fielddata.ScriptDocValues.${name}`, ['java.util.List'], {
    of,
    javaName: `org.elasticsearch.index.fielddata.ScriptDocValues$${name}`,
    members: {
      [`${type} getValue()`]: (self: DocValues) => self.first(),
      [`def get(int)`]: get,
      [`List getValues()`]: (self: DocValues) => [...self],
      ...members,
    },
  });
}

defineClass('org.elasticsearch.common.geo.GeoPoint', ['java.lang.Object'], {
  of: GeoPoint,
  members: {
    'double getLat()': (self: GeoPoint) => self.lat,
    'double getLon()': (self: GeoPoint) => self.lon,
    'String toString()': String,
  },
});
define('Longs', 'Long', Longs);
define('Doubles', 'Double', Doubles);
define('Strings', 'String', Strings);
define('Booleans', 'Boolean', Booleans);
define('Dates', 'ZonedDateTime', Dates);
define('IpScriptDocValues', 'String', Ips);
const notSingle = (): never => raise('java.lang.UnsupportedOperationException', NOT_SINGLE);
defineClass('org.elasticsearch.script.field.vectors.DenseVectorScriptDocValues', ['java.util.List'], {
  of: VectorValues,
  members: {
    'def getValue()': notSingle,
    'def get(int)': notSingle,
    'float[] getVectorValue()': (self: VectorValues) => Float32Array.from(self.present()),
    'float getMagnitude()': (self: VectorValues) => {
      self.present();
      return self.magnitude;
    },
  },
});
define('GeoPoints', 'GeoPoint', GeoPoints, {
  'double getLat()': (self: GeoPoints) => (self.first() as GeoPoint).lat,
  'double getLon()': (self: GeoPoints) => (self.first() as GeoPoint).lon,
  'double[] getLats()': (self: GeoPoints) => Float64Array.from<unknown>(self, (point) => (point as GeoPoint).lat),
  'double[] getLons()': (self: GeoPoints) => Float64Array.from<unknown>(self, (point) => (point as GeoPoint).lon),
  'double arcDistance(double,double)': (self: GeoPoints, lat: number, lon: number) => self.away(lat, lon),
  'double arcDistanceWithDefault(double,double,double)': (self: GeoPoints, lat: number, lon: number, other: number) =>
    self.length ? self.away(lat, lon) : other,
  'double planeDistance(double,double)': (self: GeoPoints, lat: number, lon: number) => self.away(lat, lon),
  'double planeDistanceWithDefault(double,double,double)': (self: GeoPoints, lat: number, lon: number, other: number) =>
    self.length ? self.away(lat, lon) : other,
});
