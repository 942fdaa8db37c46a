// Operators on def. Numbers are promoted as Java does: to double, float, long or int, whichever of them occurs first.

import { spendText } from '../java/budget.ts';
import { classNameOf } from '../java/class-of.ts';
import { classCast, nullPointer } from '../java/faults.ts';
import { equal, textOf } from '../java/objects.ts';
import { Byte, Char, Double, Float, numeric, Short, type Value } from '../java/values.ts';
import { defName, defToByte, defToChar, defToDouble, defToFloat, defToInt, defToLong, defToShort } from './conversions.ts';
import { divInt, divLong, remInt, remLong, ushLong } from './numbers.ts';

function missing(side: 'left' | 'right' | 'args[0]'): never {
  return nullPointer(`Cannot invoke "Object.getClass()" because "${side}" is null`);
}

function refuse(op: string, left: Value, right: Value): never {
  if (left === null || left === undefined) missing('left');
  if (right === null || right === undefined) missing('right');
  // An operator between a number and a boolean converts the boolean.
  if (op !== '&' && op !== '|' && op !== '^') {
    if (typeof left === 'boolean' && numeric(right) !== null) classCast(`Cannot cast java.lang.Boolean to ${classNameOf(right)}`);
    if (typeof right === 'boolean' && numeric(left) !== null) classCast(`Cannot cast java.lang.Boolean to ${classNameOf(left)}`);
  }
  return classCast(`Cannot apply [${op}] operation to types [${classNameOf(left)}] and [${classNameOf(right)}].`);
}

const isDecimal = (value: Value): boolean => value instanceof Double || value instanceof Float;

interface Rules {
  readonly int: (a: number, b: number) => number;
  readonly long: (a: bigint, b: bigint) => bigint;
  readonly floating: ((a: number, b: number) => number) | null;
}

function general(op: string, rules: Rules, left: Value, right: Value): Value {
  const a = numeric(left);
  const b = numeric(right);
  if (a === null || b === null) return refuse(op, left, right);
  if (isDecimal(left) || isDecimal(right)) {
    if (rules.floating === null) return refuse(op, left, right);
    if (left instanceof Double || right instanceof Double) return new Double(rules.floating(Number(a), Number(b)));
    return new Float(Math.fround(rules.floating(Math.fround(Number(a)), Math.fround(Number(b)))));
  }
  if (typeof a === 'bigint' || typeof b === 'bigint') return rules.long(BigInt(a), BigInt(b));
  return rules.int(a, b);
}

const ADD: Rules = { int: (a, b) => (a + b) | 0, long: (a, b) => BigInt.asIntN(64, a + b), floating: (a, b) => a + b };
const SUB: Rules = { int: (a, b) => (a - b) | 0, long: (a, b) => BigInt.asIntN(64, a - b), floating: (a, b) => a - b };
const MUL: Rules = { int: Math.imul, long: (a, b) => BigInt.asIntN(64, a * b), floating: (a, b) => a * b };
const DIV: Rules = { int: divInt, long: divLong, floating: (a, b) => a / b };
const REM: Rules = { int: remInt, long: remLong, floating: (a, b) => a % b };
const AND: Rules = { int: (a, b) => a & b, long: (a, b) => a & b, floating: null };
const OR: Rules = { int: (a, b) => a | b, long: (a, b) => a | b, floating: null };
const XOR: Rules = { int: (a, b) => a ^ b, long: (a, b) => a ^ b, floating: null };

export function add(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return (left + right) | 0;
  if (left instanceof Double && right instanceof Double) return new Double(left.value + right.value);
  if (typeof left === 'string' || typeof right === 'string') return concat(textOf(left), textOf(right));
  return general('+', ADD, left, right);
}

export function concat(left: string, right: string): string {
  const text = left + right;
  spendText(text.length);
  return text;
}

export function sub(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return (left - right) | 0;
  if (left instanceof Double && right instanceof Double) return new Double(left.value - right.value);
  return general('-', SUB, left, right);
}

export function mul(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return Math.imul(left, right);
  if (left instanceof Double && right instanceof Double) return new Double(left.value * right.value);
  return general('*', MUL, left, right);
}

export function div(left: Value, right: Value): Value {
  if (left instanceof Double && right instanceof Double) return new Double(left.value / right.value);
  return general('/', DIV, left, right);
}

export const rem = (left: Value, right: Value): Value => general('%', REM, left, right);

function bits(op: string, rules: Rules, left: Value, right: Value, decide: (a: boolean, b: boolean) => boolean): Value {
  if (typeof left === 'boolean' && typeof right === 'boolean') return decide(left, right);
  return general(op, rules, left, right);
}

export const and = (left: Value, right: Value): Value => bits('&', AND, left, right, (a, b) => a && b);
export const or = (left: Value, right: Value): Value => bits('|', OR, left, right, (a, b) => a || b);
export const xor = (left: Value, right: Value): Value => bits('^', XOR, left, right, (a, b) => a !== b);

function shift(
  op: string,
  left: Value,
  right: Value,
  int: (a: number, b: number) => number,
  long: (a: bigint, b: number) => bigint,
): Value {
  if (left === null) missing('left');
  if (right === null) missing('right');
  const a = numeric(left);
  const b = numeric(right);
  if (a === null || isDecimal(left)) return classCast(`Cannot apply [${op}] operation to type [${defName(left)}]`);
  if (b === null || isDecimal(right)) return classCast(`Cannot apply [${op}] operation to type [${defName(right)}]`);
  const count = typeof b === 'bigint' ? Number(BigInt.asIntN(32, b)) : b;
  return typeof a === 'bigint' ? long(a, count) : int(a, count);
}

export const lsh = (left: Value, right: Value): Value =>
  shift(
    '<<',
    left,
    right,
    (a, b) => a << b,
    (a, b) => BigInt.asIntN(64, a << BigInt(b & 63)),
  );
export const rsh = (left: Value, right: Value): Value =>
  shift(
    '>>',
    left,
    right,
    (a, b) => a >> b,
    (a, b) => a >> BigInt(b & 63),
  );
export const ush = (left: Value, right: Value): Value => shift('>>>', left, right, (a, b) => (a >>> b) | 0, ushLong);

function comparison(op: string, left: Value, right: Value, compare: (a: number | bigint, b: number | bigint) => boolean): boolean {
  const a = numeric(left);
  const b = numeric(right);
  if (a === null || b === null) return refuse(op, left, right);
  if (typeof a === typeof b) return compare(a, b);
  return promoted(left, right, a, b, compare);
}

/** Compares a long with another number: decimals decide the type. */
function promoted<T>(
  left: Value,
  right: Value,
  a: number | bigint,
  b: number | bigint,
  compare: (a: number | bigint, b: number | bigint) => T,
): T {
  return isDecimal(left) || isDecimal(right) ? compare(Number(a), Number(b)) : compare(a, b);
}

export function lt(left: Value, right: Value): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  return comparison('<', left, right, (a, b) => a < b);
}

export function lte(left: Value, right: Value): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left <= right;
  return comparison('<=', left, right, (a, b) => a <= b);
}

export function gt(left: Value, right: Value): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left > right;
  return comparison('>', left, right, (a, b) => a > b);
}

export function gte(left: Value, right: Value): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left >= right;
  return comparison('>=', left, right, (a, b) => a >= b);
}

/** `==` of def: numbers and chars are equal by value, everything else by equals. */
export function eq(left: Value, right: Value): boolean {
  if (left === right) return !(typeof left === 'number' && Number.isNaN(left));
  if (typeof left === 'string' || left === null || right === null) return false;
  const a = numeric(left);
  const b = numeric(right);
  if (a !== null && b !== null) {
    // biome-ignore lint/suspicious/noDoubleEquals: long and int compare by value
    return promoted(left, right, a, b, (x, y) => x == y);
  }
  if (typeof left === 'boolean' && b !== null) return classCast(`Cannot cast java.lang.Boolean to ${classNameOf(right)}`);
  if (typeof right === 'boolean' && a !== null) return classCast(`Cannot cast java.lang.Boolean to ${classNameOf(left)}`);
  return equal(left, right);
}

/** An operator with an operand whose type is boolean, not def. @throws ScriptFault ClassCastException: it does not apply to the other one */
export function withBoolean<T>(op: string, operator: (left: Value, right: Value) => T, left: Value, right: Value): T {
  const isNumber = numeric(left) !== null || numeric(right) !== null;
  if (isNumber && /[<>=]/.test(op)) classCast('Cannot cast from: boolean to boolean');
  if (isNumber) classCast(`Cannot cast from: ${defName(typeof left === 'boolean' ? right : left)} to class java.lang.Object`);
  if (typeof left === 'boolean' && typeof right === 'boolean' && /[-+*/%<>]/.test(op))
    classCast(`Cannot apply [${op}] operation to type [boolean]`);
  return operator(left, right);
}

export const ne = (left: Value, right: Value): boolean => !eq(left, right);

function unary(
  op: string,
  value: Value,
  int: (a: number) => number,
  long: (a: bigint) => bigint,
  floating: ((a: number) => number) | null,
): Value {
  const number = numeric(value);
  if (value === null || value === undefined) missing('args[0]');
  if (number === null || (floating === null && isDecimal(value)))
    return classCast(`Cannot apply [${op}] operation to type [${defName(value)}]${typeof value === 'boolean' ? '' : '.'}`);
  if (typeof number === 'bigint') return long(number);
  if (floating !== null && value instanceof Double) return new Double(floating(number));
  if (floating !== null && value instanceof Float) return new Float(floating(number));
  return int(number);
}

export const negate = (value: Value): Value =>
  unary(
    '-',
    value,
    (a) => -a | 0,
    (a) => BigInt.asIntN(64, -a),
    (a) => -a,
  );
export const invert = (value: Value): Value =>
  unary(
    '~',
    value,
    (a) => ~a,
    (a) => ~a,
    null,
  );
export const plus = (value: Value): Value =>
  unary(
    '+',
    value,
    (a) => a,
    (a) => a,
    (a) => a,
  );

/** The result of `x += y` on def, which keeps the class that x had before. */
export function likeBefore(before: Value, after: Value): Value {
  if (typeof before === 'number') return typeof after === 'number' ? after : defToInt(after, true);
  if (before instanceof Double) return after instanceof Double ? after : new Double(defToDouble(after, true));
  if (typeof before === 'bigint') return defToLong(after, true);
  if (before instanceof Float) return new Float(defToFloat(after, true));
  if (before instanceof Short) return new Short(defToShort(after, true));
  if (before instanceof Byte) return new Byte(defToByte(after, true));
  if (before instanceof Char) return new Char(defToChar(after, true));
  return after;
}
