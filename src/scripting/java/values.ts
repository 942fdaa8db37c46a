// Values of scripts where their type is not known in advance: what `def` holds.
//   Integer      number             Boolean  boolean          ArrayList      array
//   Long         bigint             String   string           LinkedHashMap  Map; HashMap and TreeMap are subclasses of it
//   Double       Double             null     null             int[], double[] ... typed arrays; others JavaArray
//   Float, Short, Byte, Char: classes of their own            functions      JavaScript functions with their interface
// Where a type is known, numbers are plain: int, short, byte, char, float and double are numbers, long is a bigint.
import { shortestFloat } from '../../common/text/float32.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { type ClassInfo, JAVA_CLASS, type Type } from './class-info.ts';

/** A boxed double. */
export class Double {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  toString(): string {
    return javaDouble(this.value);
  }
}

/** A boxed float; the value is rounded to one. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  toString(): string {
    return floatText(this.value);
  }
}

export function floatText(value: number): string {
  return javaDouble(shortestFloat(value));
}

/** A boxed short. */
export class Short {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  toString(): string {
    return String(this.value);
  }
}

/** A boxed byte. */
export class Byte {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  toString(): string {
    return String(this.value);
  }
}

/** A char: in Java neither a string nor a number. */
export class Char {
  readonly code: number;
  constructor(code: number) {
    this.code = code;
  }
  toString(): string {
    return String.fromCharCode(this.code);
  }
}

const CHARS = Array.from({ length: 256 }, (_, code) => new Char(code));

export function charOf(code: number): Char {
  return code < 256 ? CHARS[code] : new Char(code);
}

/** An array of objects or booleans; those of numbers are typed arrays. */
export class JavaArray {
  readonly items: Value[];
  readonly element: Type;
  constructor(items: Value[], element: Type) {
    this.items = items;
    this.element = element;
  }
}

/** A Java Map: an object of a document or of parameters. */
export type ScriptMap = Map<Value, Value>;

/** A function value. */
export type ScriptFunction = (...args: Value[]) => Value;

/** Any value of a script, represented by the classes above. */
export type Value = unknown;

/** Values of classes that tables define for objects of the host. */
export interface Classified {
  readonly [JAVA_CLASS]: ClassInfo;
}

export function isClassified(value: Value): value is Classified {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && JAVA_CLASS in value;
}

export type NumericArray = Int8Array | Int16Array | Uint16Array | Int32Array | BigInt64Array | Float32Array | Float64Array;

export function isNumericArray(value: Value): value is NumericArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/** The number of a numeric value or char; null for other values. */
export function numeric(value: Value): number | bigint | null {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (value instanceof Double || value instanceof Float || value instanceof Short || value instanceof Byte) return value.value;
  return value instanceof Char ? value.code : null;
}
