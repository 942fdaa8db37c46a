// Values and class names as Java prints them, for Elasticsearch's messages.
import { hashSetOrder } from './hash-set-order.ts';

/** `{a=1, b=[x, y]}`. */
export function javaText(value: unknown): string {
  return textOf(value, Object.keys);
}

/** As `javaText`, with the entries of objects in the order in which a HashMap has them. */
export function javaHashText(value: unknown): string {
  return textOf(value, (object) => hashSetOrder(Object.keys(object)));
}

function textOf(value: unknown, keysOf: (object: object) => readonly string[]): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, keysOf)).join(', ')}]`;
  if (typeof value === 'object') {
    // Values with a class, such as numbers that keep their type, print themselves.
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return String(value);
    const members = value as Readonly<Record<string, unknown>>;
    return `{${keysOf(value)
      .map((key) => `${key}=${textOf(members[key], keysOf)}`)
      .join(', ')}}`;
  }
  return typeof value === 'number' ? numberText(value) : String(value);
}

/** Integers are printed in digits up to 2^53; a larger number was written with a fraction or an exponent. */
function numberText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : javaDouble(value);
}

/** String.trim of Java: removes only characters up to U+0020. */
export function javaTrim(text: string): string {
  return text.replace(/^[\0- ]+|[\0- ]+$/g, '');
}

/** Name of the Java class that a JSON value becomes. */
export function javaClass(value: unknown): string {
  if (typeof value === 'string') return 'java.lang.String';
  if (typeof value === 'boolean') return 'java.lang.Boolean';
  if (typeof value === 'bigint') return 'java.math.BigInteger';
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'java.lang.Double';
    return Math.abs(value) < 2 ** 31 ? 'java.lang.Integer' : 'java.lang.Long';
  }
  return Array.isArray(value) ? 'java.util.ArrayList' : 'java.util.LinkedHashMap';
}

/** Double.toString of Java: always with a fraction. */
export function javaDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  const abs = Math.abs(value);
  if (Object.is(value, -0)) return '-0.0';
  if (value === 0 || (abs >= 1e-3 && abs < 1e7)) return Number.isInteger(value) ? value.toFixed(1) : String(value);
  const [mantissa, exponent] = value.toExponential().split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}

/** Deep equality of JSON values, including bigints. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
}
