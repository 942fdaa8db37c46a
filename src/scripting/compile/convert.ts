// JavaScript of conversions between types.
import { BOOLEAN, CHAR, type ClassInfo, DEF, DOUBLE, FLOAT, LONG, type Type } from '../java/class-info.ts';
import { charOf, Double, Float } from '../java/values.ts';
import { toInt, toLong } from '../runtime/numbers.ts';
import { unplacedError } from '../syntax/script-error.ts';
import { isAssignable, isLegal, STRING, unboxed } from './casts.ts';
import { type Checked, literal, type Unit, type Use } from './unit.ts';

/**
 * Converts a checked expression.
 * @throws ApiError script_exception: the types do not allow it
 */
export function converted(unit: Unit, at: number, value: Checked, target: Type, use: Use = {}): string {
  const { explicit = false, internal = false } = use;
  if (value.type === target) return value.js;
  if (!isLegal(value.type, target, explicit, internal))
    throw unit.castError(at, `Cannot cast from [${value.type.name}] to [${target.name}].`);
  if (typeof value.constant === 'string' && target === CHAR && value.constant.length !== 1)
    throw unplacedError(unit.source, 'cannot cast java.lang.String with length not equal to one to char', 'class_cast_exception');
  if (value.constant !== undefined && typeof value.constant !== 'boolean') {
    const constant = convertedConstant(value.constant, value.type, target);
    if (constant !== null) return constant;
  }
  const js = conversion(unit, value.js, value.type, target, explicit, at);
  return value.type.primitive && !target.primitive ? `(p=${at},${js})` : js;
}

function convertedConstant(value: number | bigint | string, from: Type, to: Type): string | null {
  if (typeof value === 'string' || !to.primitive || !from.primitive) return null;
  switch (to) {
    case DOUBLE:
      return literal(Number(value));
    case FLOAT:
      return literal(Math.fround(Number(value)));
    case LONG:
      return literal(typeof value === 'bigint' ? value : toLong(value));
    default:
      return null;
  }
}

/** The conversion of a value, which `isLegal` allows. */
export function conversion(unit: Unit, js: string, from: Type, to: Type, explicit: boolean, at: number): string {
  if (from === to) return js;
  if (from.isDef) return ofDef(unit, js, to, explicit, at);
  if (from.primitive) {
    if (to.primitive) return betweenPrimitives(unit, js, from, to);
    if (to.name === STRING) return `String.fromCharCode(${js})`;
    const target = unboxed(to) ?? from;
    return boxed(unit, betweenPrimitives(unit, js, from, target), target);
  }
  if (to.primitive) {
    if (from.name === STRING) return `(p=${at},${unit.call('textToChar', js)})`;
    const source = unboxed(from);
    if (!source) return ofDef(unit, js, to, true, at);
    return betweenPrimitives(unit, `(p=${at},${unit.call('unbox', js)})`, source, to);
  }
  if (to.isDef || isAssignable(to, from)) return js;
  return checkedCast(unit, js, to, at);
}

/** A reference in the form that def holds. */
function boxed(unit: Unit, js: string, type: Type): string {
  switch (type.primitive) {
    case 'double':
      return `new ${unit.constant(Double)}(${js})`;
    case 'float':
      return `new ${unit.constant(Float)}(${js})`;
    case 'char':
      return `${unit.constant(charOf)}(${js})`;
    case 'short':
    case 'byte':
      return unit.call(type.primitive === 'short' ? 'boxShort' : 'boxByte', js);
    default:
      return js;
  }
}

function betweenPrimitives(unit: Unit, js: string, from: Type, to: Type): string {
  if (from === to) return js;
  if (to === DOUBLE) return from === LONG ? `Number(${js})` : js;
  if (to === FLOAT) return from === LONG ? unit.call('longToFloat', js) : `Math.fround(${js})`;
  if (to === LONG) return from === DOUBLE || from === FLOAT ? unit.call('doubleToLong', js) : `BigInt(${js})`;
  const isFloating = from === DOUBLE || from === FLOAT;
  const int = from === LONG ? `Number(BigInt.asIntN(32,${js}))` : isFloating ? unit.call('doubleToInt', js) : js;
  switch (to.primitive) {
    case 'int':
      return int;
    case 'short':
      return `(${int}<<16>>16)`;
    case 'byte':
      return `(${int}<<24>>24)`;
    default:
      return `(${int}&65535)`;
  }
}

const OF_DEF: Readonly<Record<string, string>> = {
  byte: 'Byte',
  short: 'Short',
  char: 'Char',
  int: 'Int',
  long: 'Long',
  float: 'Float',
  double: 'Double',
};

function ofDef(unit: Unit, js: string, to: Type, explicit: boolean, at: number): string {
  const how = explicit ? 'true' : 'false';
  if (to.isDef) return js;
  if (to === BOOLEAN) return `(p=${at},${unit.call('defToBoolean', js)})`;
  if (to.primitive) return `(p=${at},${unit.call(`defTo${OF_DEF[to.primitive]}`, js, how)})`;
  const target = unboxed(to);
  if (target) return `(p=${at},${unit.call('defToBoxed', js, JSON.stringify(to.name), how)})`;
  if (to.name === STRING) return `(p=${at},${unit.call('defToText', js, how)})`;
  return checkedCast(unit, js, to, at);
}

function checkedCast(unit: Unit, js: string, to: Type, at: number): string {
  const info: ClassInfo | null = to.info;
  if (info) return `(p=${at},${unit.call('castTo', js, unit.constant(info))})`;
  return `(p=${at},${unit.call('castToArray', js, JSON.stringify(to.element?.name ?? ''))})`;
}

/** A checked expression in the form that def holds; constants are made once. */
export function asDef(unit: Unit, value: Checked, at: number): string {
  const { constant, type } = value;
  if (typeof constant === 'number' && type.primitive === 'double') return unit.constant(new Double(constant));
  if (typeof constant === 'number' && type.primitive === 'float') return unit.constant(new Float(constant));
  return conversion(unit, value.js, type, DEF, false, at);
}

/** The value of a constant after a conversion between numbers; null if it is not one. */
export function foldedCast(value: Checked['constant'], from: Type, to: Type): number | bigint | null {
  if (value === undefined || typeof value === 'string' || typeof value === 'boolean' || !from.primitive || !to.primitive) return null;
  switch (to.primitive) {
    case 'double':
      return Number(value);
    case 'float':
      return Math.fround(Number(value));
    case 'long':
      return toLong(value);
    case 'int':
      return toInt(value);
    case 'short':
      return (toInt(value) << 16) >> 16;
    case 'byte':
      return (toInt(value) << 24) >> 24;
    default:
      return to.primitive === 'char' ? toInt(value) & 0xffff : null;
  }
}

/** The default of a variable without a value. */
export function defaultOf(type: Type): string {
  if (!type.primitive) return 'null';
  return type === BOOLEAN ? 'false' : type === LONG ? '0n' : '0';
}

/** The type and value of a constant after an operation on constants. */
export function constantOf(type: Type, value: number | bigint | boolean | string): Checked {
  return { type, js: literal(value), constant: value };
}
