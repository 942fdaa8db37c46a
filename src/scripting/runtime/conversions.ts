// Conversions from def, and between objects and primitives.
import { unboxedName } from '../java/boxes.ts';
import type { ClassInfo, Type } from '../java/class-info.ts';
import { arrayElement, canonicalNameOf, classNameOf, classOf } from '../java/class-of.ts';
import { classCast, nullPointer } from '../java/faults.ts';
import { Byte, Char, charOf, Double, Float, JavaArray, numeric, Short, type Value } from '../java/values.ts';
import { doubleToInt, doubleToLong, longToFloat } from './numbers.ts';

/** `int` for an Integer, else the name of the class. */
export function defName(value: Value): string {
  const name = canonicalNameOf(value);
  return unboxedName(name) ?? name;
}

function refuse(value: Value, target: string, explicit: boolean): never {
  if (value === null || value === undefined) nullPointer('Cannot invoke "Object.getClass()" because "value" is null');
  return classCast(`cannot ${explicit ? 'explicitly' : 'implicitly'} cast def [${defName(value)}] to ${target}`);
}

export function defToBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null || value === undefined) nullPointer('Cannot invoke "Object.getClass()" because "value" is null');
  return classCast(`cannot cast def [${defName(value)}] to boolean`);
}

export function defToInt(value: Value, explicit: boolean): number {
  if (typeof value === 'number') return value;
  if (value instanceof Short || value instanceof Byte) return value.value;
  if (value instanceof Char) return value.code;
  if (explicit) {
    if (value instanceof Double || value instanceof Float) return doubleToInt(value.value);
    if (typeof value === 'bigint') return Number(BigInt.asIntN(32, value));
  }
  return refuse(value, 'int', explicit);
}

export function defToLong(value: Value, explicit: boolean): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(value);
  if (value instanceof Short || value instanceof Byte) return BigInt(value.value);
  if (value instanceof Char) return BigInt(value.code);
  if (explicit && (value instanceof Double || value instanceof Float)) return doubleToLong(value.value);
  return refuse(value, 'long', explicit);
}

export function defToDouble(value: Value, explicit: boolean): number {
  if (value instanceof Double) return value.value;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Float || value instanceof Short || value instanceof Byte) return value.value;
  if (value instanceof Char) return value.code;
  return refuse(value, 'double', explicit);
}

export function defToFloat(value: Value, explicit: boolean): number {
  if (value instanceof Float) return value.value;
  if (typeof value === 'number') return Math.fround(value);
  if (typeof value === 'bigint') return longToFloat(value);
  if (value instanceof Short || value instanceof Byte) return value.value;
  if (value instanceof Char) return value.code;
  if (explicit && value instanceof Double) return Math.fround(value.value);
  return refuse(value, 'float', explicit);
}

export function defToShort(value: Value, explicit: boolean): number {
  if (value instanceof Short || value instanceof Byte) return value.value;
  return explicit ? (defToInt(value, true) << 16) >> 16 : refuse(value, 'short', false);
}

export function defToByte(value: Value, explicit: boolean): number {
  if (value instanceof Byte) return value.value;
  return explicit ? (defToInt(value, true) << 24) >> 24 : refuse(value, 'byte', false);
}

export function defToChar(value: Value, explicit: boolean): number {
  if (value instanceof Char) return value.code;
  if (!explicit) return refuse(value, 'char', false);
  return typeof value === 'string' ? textToChar(value) : defToInt(value, true) & 0xffff;
}

/** (char) of a string. */
export function textToChar(value: Value): number {
  if (typeof value !== 'string') return nullPointer(null);
  if (value.length !== 1) classCast('cannot cast java.lang.String with length not equal to one to char');
  return value.charCodeAt(0);
}

export function defToText(value: Value, explicit: boolean): Value {
  if (value === null || typeof value === 'string') return value;
  if (explicit && value instanceof Char) return value.toString();
  return refuse(value, 'java.lang.String', explicit);
}

export const boxShort = (value: number): Short => new Short(value);
export const boxByte = (value: number): Byte => new Byte(value);

/** A def as an Integer, Double ...; null stays null. @param name  of the boxed class */
export function defToBoxed(value: Value, name: string, explicit: boolean): Value {
  if (value === null || value === undefined) return null;
  if (classOf(value).name === name) return value;
  switch (name) {
    case 'java.lang.Integer':
      return isNumber(value) ? defToInt(value, explicit) : refuse(value, name, explicit);
    case 'java.lang.Long':
      return isNumber(value) ? defToLong(value, explicit) : refuse(value, name, explicit);
    case 'java.lang.Double':
      return isNumber(value) ? new Double(defToDouble(value, explicit)) : refuse(value, name, explicit);
    case 'java.lang.Float':
      return isNumber(value) ? new Float(defToFloat(value, explicit)) : refuse(value, name, explicit);
    case 'java.lang.Short':
      return isNumber(value) ? new Short(defToShort(value, explicit)) : refuse(value, name, explicit);
    case 'java.lang.Byte':
      return isNumber(value) ? new Byte(defToByte(value, explicit)) : refuse(value, name, explicit);
    case 'java.lang.Character':
      return isNumber(value) || explicit ? charOf(defToChar(value, explicit)) : refuse(value, name, explicit);
    default:
      return refuse(value, name, explicit);
  }
}

const isNumber = (value: Value): boolean => numeric(value) !== null;

/** The plain form of a boxed primitive. @throws ScriptFault NullPointerException */
export function unbox(value: Value): number | bigint | boolean {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return value;
  if (value instanceof Double || value instanceof Float || value instanceof Short || value instanceof Byte) return value.value;
  if (value instanceof Char) return value.code;
  return nullPointer(null);
}

/** True if the value is an instance of the class. */
export function isInstance(value: Value, info: ClassInfo): boolean {
  if (value === null || value === undefined) return false;
  if (info.name === 'java.lang.Object') return true;
  return arrayElement(value) === null && classOf(value).isA(info);
}

export function isArray(value: Value, element: string): boolean {
  return arrayElement(value) === element || (element === 'java.lang.Object' && arrayElement(value) === 'def');
}

const moduleOf = (a: string, b: string): string =>
  a.startsWith('java.') && (b.startsWith('java.') || b.startsWith('['))
    ? ` (${a} and ${b} are in module java.base of loader 'bootstrap')`
    : '';

/** A cast to a class. @throws ScriptFault ClassCastException */
export function castTo(value: Value, info: ClassInfo): Value {
  if (value === null || value === undefined || isInstance(value, info)) return value ?? null;
  const name = classNameOf(value);
  return classCast(`class ${name} cannot be cast to class ${info.javaName}${moduleOf(name, info.javaName)}`);
}

const ARRAY_NAMES: Readonly<Record<string, Value>> = {
  int: new Int32Array(),
  long: new BigInt64Array(),
  double: new Float64Array(),
  float: new Float32Array(),
  byte: new Int8Array(),
  short: new Int16Array(),
  char: new Uint16Array(),
};

export function castToArray(value: Value, element: string): Value {
  if (value === null || isArray(value, element)) return value;
  if (arrayElement(value) !== null && (element === 'def' || element === 'java.lang.Object') && value instanceof JavaArray) return value;
  const name = classNameOf(value);
  const target = element in ARRAY_NAMES ? classNameOf(ARRAY_NAMES[element]) : `[L${element === 'def' ? 'java.lang.Object' : element};`;
  return classCast(`class ${name} cannot be cast to class ${target}${moduleOf(name, target)}`);
}

/** The plain form of a def for a parameter of a primitive type, else the value itself: how methods are called on def. */
export function toPlain(value: Value, type: Type): unknown {
  switch (type.primitive) {
    case null:
      return value;
    case 'boolean':
      return defToBoolean(value);
    case 'int':
      return defToInt(value, false);
    case 'long':
      return defToLong(value, false);
    case 'double':
      return defToDouble(value, false);
    case 'float':
      return defToFloat(value, false);
    case 'char':
      return defToChar(value, false);
    case 'short':
      return defToShort(value, false);
    default:
      return defToByte(value, false);
  }
}

/** The value that a def holds for the plain form of a type. */
export function fromPlain(value: unknown, type: Type): Value {
  switch (type.primitive) {
    case 'double':
      return new Double(value as number);
    case 'float':
      return new Float(value as number);
    case 'char':
      return charOf(value as number);
    case 'short':
      return new Short(value as number);
    case 'byte':
      return new Byte(value as number);
    case 'void':
      return null;
    default:
      return value === undefined ? null : value;
  }
}
