// Fields as `field(name)` returns them: get(default), get(index, default), isEmpty, size, iteration. Unlike with `doc`, a missing value or field needs
// no check. Source: the scripting fields API in the documentation of Elasticsearch 8.
import { isIP } from 'node:net';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { ImmutableList } from '../../java/collections.ts';
import { illegalArgument, raise } from '../../java/faults.ts';
import { Byte, Double, Float, Short, type Value } from '../../java/values.ts';
import { doubleOf } from '../../numeric-value.ts';
import { type DocValues, VectorValues } from './doc-values.ts';

/** Kind of the values of a field; each has its own class in Elasticsearch. */
export type FieldKind = 'longs' | 'doubles' | 'strings' | 'booleans' | 'dates' | 'ips' | 'points' | 'vector' | 'none';

/** The values of a field in one document. */
export class ScriptField extends ImmutableList {
  name = '';
  /** Makes a default of the type of the field's values. */
  typed(value: Value): Value {
    return value;
  }
  valueAt(index: number, other: Value): Value {
    return index >= 0 && index < this.length ? this[index] : this.typed(other);
  }
}

class LongField extends ScriptField {
  override typed(value: Value): Value {
    if (typeof value === 'number') return BigInt(value);
    return value instanceof Short || value instanceof Byte ? BigInt(value.value) : value;
  }
}
class DoubleField extends ScriptField {
  override typed(value: Value): Value {
    if (value instanceof Double) return value;
    const number = typeof value === 'number' || typeof value === 'bigint' || value instanceof Float ? doubleOf(value) : null;
    return number === null ? value : new Double(number);
  }
}
class StringField extends ScriptField {}
class BooleanField extends ScriptField {}
class DateField extends ScriptField {}
class IpField extends ScriptField {}
class PointField extends ScriptField {}
class EmptyField extends ScriptField {}
class VectorField extends ScriptField {
  shown: VectorValues | null = null;
}

/** An IP address. */
class IpAddress {
  readonly #text: string;
  constructor(text: string) {
    if (isIP(text) === 0) illegalArgument(`'${text}' is not an IP string literal.`);
    this.#text = text.toLowerCase();
  }
  get isV6(): boolean {
    return this.#text.includes(':');
  }
  toString(): string {
    return this.#text;
  }
  equalTo(other: Value): boolean {
    return other instanceof IpAddress && other.#text === this.#text;
  }
}

const CLASSES = {
  longs: LongField,
  doubles: DoubleField,
  strings: StringField,
  booleans: BooleanField,
  dates: DateField,
  ips: IpField,
  points: PointField,
  none: EmptyField,
} as const;

/** @param values  those of `doc` */
export function scriptField(name: string, kind: FieldKind, values: DocValues): ScriptField {
  if (kind === 'vector') {
    const field = new VectorField();
    field.name = name;
    field.shown = values instanceof VectorValues ? values : null;
    for (const value of values) field.push(value);
    return field;
  }
  const field = new CLASSES[kind]();
  field.name = name;
  for (const value of values) field.push(kind === 'ips' ? new IpAddress(String(value)) : value);
  return field;
}

const SHARED: Readonly<Record<string, Implementation>> = {
  'String getName()': (self: ScriptField) => self.name,
  'boolean isEmpty()': (self: ScriptField) => self.length === 0,
  'int size()': (self: ScriptField) => self.length,
  'def get(def)': (self: ScriptField, other: Value) => self.valueAt(0, other),
  'def get(int,def)': (self: ScriptField, index: number, other: Value) => self.valueAt(index, other),
};
const AS_STRING: Readonly<Record<string, Implementation>> = {
  'String asString(String)': (self: ScriptField, other: Value) => (self.length ? String(self[0]) : other),
  'String asString(int,String)': (self: ScriptField, index: number, other: Value) =>
    index >= 0 && index < self.length ? String(self[index]) : other,
  'List asStrings()': (self: ScriptField) => Array.from(self, String),
};

function define(name: string, of: { readonly prototype: object }, members: Readonly<Record<string, Implementation>> = {}): void {
  defineClass(`org.elasticsearch.script.field.${name}`, ['java.lang.Iterable'], { of, members: { ...SHARED, ...members } });
}

define('LongDocValuesField', LongField);
define('DoubleDocValuesField', DoubleField);
define('KeywordDocValuesField', StringField, AS_STRING);
define('BooleanDocValuesField', BooleanField);
define('DateMillisDocValuesField', DateField);
define('IpDocValuesField', IpField, AS_STRING);
define('GeoPointDocValuesField', PointField);
define('EmptyField', EmptyField);

const noVector = (self: VectorField): VectorValues => self.shown ?? raise('java.lang.IllegalArgumentException', 'no vector value');
define('vectors.DenseVectorDocValuesField', VectorField, {
  'def get()': (self: VectorField) => noVector(self),
  'def get(def)': (self: VectorField, other: Value) => (self.length ? noVector(self) : other),
  'float[] getVector()': (self: VectorField) => Float32Array.from(noVector(self).present()),
  'float getMagnitude()': (self: VectorField) => noVector(self).magnitude,
});

defineClass('org.elasticsearch.script.field.IPAddress', ['java.lang.Object'], {
  of: IpAddress,
  members: {
    'new(String)': (text: string) => new IpAddress(text),
    'boolean isV4()': (self: IpAddress) => !self.isV6,
    'boolean isV6()': (self: IpAddress) => self.isV6,
    'String toString()': String,
  },
});
