// equals, hashCode, compareTo and toString of Java for the values of scripts.
import { checkLength, spendSteps } from './budget.ts';
import { classNameOf } from './class-of.ts';
import { classCast, nullPointer, raise } from './faults.ts';
import { Byte, Char, Double, Float, isNumericArray, JavaArray, numeric, Short, type Value } from './values.ts';

/** Most levels of collections in collections; deeper values are treated as containing themselves. */
export const MAX_VALUE_DEPTH = 1000;

/** Methods that classes define if the defaults (identity, name and hash) do not apply to them. */
export interface JavaObject {
  toString(): string;
  equalTo?(other: Value): boolean;
  hash?(): number;
  compareTo?(other: Value): number;
}

/** A value that contains itself, or is nested as if it did. */
function selfReference(): never {
  raise('java.lang.StackOverflowError', null);
}

/** String.valueOf. @throws ScriptFault: too long, or the value contains itself */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) || value instanceof Map || isCollection(value)) {
    const parts: string[] = [];
    writeText(value, 0, parts, { length: 0 });
    return parts.join('');
  }
  if (value === undefined) return 'null';
  if (value instanceof JavaArray || isNumericArray(value)) return `${arrayPrefix(value)}@${(1).toString(16)}`;
  if (typeof value === 'function') return `${classNameOf(value)}$$Lambda`;
  if (typeof value === 'object' && value !== null && value.toString === Object.prototype.toString)
    return `${classNameOf(value)}@${identityHash(value).toString(16)}`;
  return String(value);
}

/** True for sets, views of maps and other collections that are not arrays. */
export function isCollection(value: Value): value is Iterable<Value> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && !(value instanceof Map) && !ArrayBuffer.isView(value);
}

function arrayPrefix(value: Value): string {
  return classNameOf(value).replace(/^(?!\[)/, '');
}

function writeText(value: Value, depth: number, parts: string[], written: { length: number }): void {
  const put = (text: string): void => {
    written.length += text.length;
    checkLength(written.length);
    parts.push(text);
  };
  spendSteps(1);
  if (depth > MAX_VALUE_DEPTH) selfReference();
  if (Array.isArray(value) || isCollection(value)) {
    put('[');
    let i = 0;
    for (const item of value) {
      if (i++ > 0) put(', ');
      if (item === value) put('(this Collection)');
      else writeText(item, depth + 1, parts, written);
    }
    put(']');
  } else if (value instanceof Map) {
    put('{');
    let i = 0;
    for (const [key, item] of value) {
      if (i++ > 0) put(', ');
      writeText(key, depth + 1, parts, written);
      put('=');
      if (item === value) put('(this Map)');
      else writeText(item, depth + 1, parts, written);
    }
    put('}');
  } else put(textOf(value));
}

/** Object.equals: numbers are equal to numbers of the same class only. */
export function equal(left: Value, right: Value, depth = 0): boolean {
  if (left === right) return !(typeof left === 'number' && Number.isNaN(left));
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (left instanceof Double) return right instanceof Double && Object.is(left.value, right.value);
  if (left instanceof Float) return right instanceof Float && Object.is(left.value, right.value);
  if (left instanceof Char) return right instanceof Char && left.code === right.code;
  if (left instanceof Short) return right instanceof Short && left.value === right.value;
  if (left instanceof Byte) return right instanceof Byte && left.value === right.value;
  if (depth > MAX_VALUE_DEPTH) selfReference();
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    spendSteps(left.length);
    return left.every((item, i) => equal(item, right[i], depth + 1));
  }
  if (left instanceof Map) {
    if (!(right instanceof Map) || left.size !== right.size) return false;
    spendSteps(left.size);
    for (const [key, item] of left) if (!(right.has(key) && equal(item, right.get(key), depth + 1))) return false;
    return true;
  }
  const object = left as JavaObject;
  return object.equalTo?.(right) ?? false;
}

const scratch = new DataView(new ArrayBuffer(8));

export function doubleHash(value: number): number {
  if (Number.isNaN(value)) return 0x7ff80000;
  scratch.setFloat64(0, value);
  return scratch.getInt32(0) ^ scratch.getInt32(4);
}

export function floatHash(value: number): number {
  if (Number.isNaN(value)) return 0x7fc00000;
  scratch.setFloat32(0, value);
  return scratch.getInt32(0);
}

export function longHash(value: bigint): number {
  const bits = BigInt.asUintN(64, value);
  return Number(BigInt.asIntN(32, bits ^ (bits >> 32n)));
}

function textHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

const identities = new WeakMap<object, number>();
let nextIdentity = 0x1000;

/** Object.hashCode of an object without its own: in Java it depends on the address. */
function identityHash(value: object): number {
  let hash = identities.get(value);
  if (hash === undefined) identities.set(value, (hash = nextIdentity++));
  return hash;
}

/** Object.hashCode. */
export function hashOf(value: Value, depth = 0): number {
  switch (typeof value) {
    case 'string':
      return textHash(value);
    case 'number':
      return value | 0;
    case 'bigint':
      return longHash(value);
    case 'boolean':
      return value ? 1231 : 1237;
    case 'undefined':
      return 0;
  }
  if (value === null) return 0;
  if (value instanceof Double) return doubleHash(value.value);
  if (value instanceof Float) return floatHash(value.value);
  if (value instanceof Char) return value.code;
  if (value instanceof Short || value instanceof Byte) return value.value;
  if (depth > MAX_VALUE_DEPTH) selfReference();
  spendSteps(1);
  if (Array.isArray(value)) return value.reduce((hash: number, item) => (Math.imul(hash, 31) + hashOf(item, depth + 1)) | 0, 1);
  let sum = 0;
  if (value instanceof Map) {
    for (const [key, item] of value) sum = (sum + (hashOf(key, depth + 1) ^ hashOf(item, depth + 1))) | 0;
    return sum;
  }
  const object = value as JavaObject;
  return object.hash ? object.hash() : identityHash(value as object);
}

function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Double.compare. */
export function compareDoubles(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b && a !== 0) return 0;
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1;
  if (Number.isNaN(b)) return -1;
  return Object.is(a, b) ? 0 : Object.is(a, -0) ? -1 : 1;
}

/** Comparable.compareTo of values of the same class. @throws ScriptFault ClassCastException, NullPointerException */
export function compareNatural(a: Value, b: Value): number {
  if (a === null || b === null || a === undefined || b === undefined) nullPointer(null);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Double && b instanceof Double) return compareDoubles(a.value, b.value);
  if (a instanceof Float && b instanceof Float) return compareDoubles(a.value, b.value);
  const className = classNameOf(a);
  const [left, right] = [numeric(a), numeric(b)];
  if (className === classNameOf(b)) {
    if (left !== null && right !== null) return Number(left) - Number(right);
    const object = a as JavaObject;
    if (object.compareTo) return object.compareTo(b);
    return classCast(`class ${className} cannot be cast to class java.lang.Comparable`);
  }
  return classCast(`class ${classNameOf(b)} cannot be cast to class ${className}`);
}

/** A key under which JavaScript's Map finds values that are equal in Java. @returns null if the value itself is such a key */
export function keyText(value: Value): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (value instanceof Double) return `d${Object.is(value.value, -0) ? '-0' : value.value}`;
  if (value instanceof Float) return `f${Object.is(value.value, -0) ? '-0' : value.value}`;
  if (value instanceof Char) return `c${value.code}`;
  if (value instanceof Short) return `s${value.value}`;
  if (value instanceof Byte) return `b${value.value}`;
  return `h${hashOf(value)}`;
}
