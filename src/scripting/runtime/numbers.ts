// Arithmetic of Java on plain numbers: int wraps at 32 bits, long at 64.
import { raise } from '../java/faults.ts';

const MIN_LONG = -(2n ** 63n);
const MAX_LONG = 2n ** 63n - 1n;

export function divideByZero(): never {
  return raise('java.lang.ArithmeticException', '/ by zero');
}

export function divInt(a: number, b: number): number {
  if (b === 0) divideByZero();
  return (a / b) | 0;
}

export function remInt(a: number, b: number): number {
  if (b === 0) divideByZero();
  return (a % b) | 0;
}

export function divLong(a: bigint, b: bigint): bigint {
  if (b === 0n) divideByZero();
  return BigInt.asIntN(64, a / b);
}

export function remLong(a: bigint, b: bigint): bigint {
  if (b === 0n) divideByZero();
  return BigInt.asIntN(64, a % b);
}

/** `a >>> b` of a long. */
export function ushLong(a: bigint, b: number): bigint {
  return BigInt.asIntN(64, BigInt.asUintN(64, a) >> BigInt(b & 63));
}

/** (int) of a double: rounds towards zero, saturates, NaN is 0. */
export function doubleToInt(value: number): number {
  if (value >= 2147483647) return 2147483647;
  return value <= -2147483648 ? -2147483648 : value | 0;
}

/** (long) of a double: as `doubleToInt`. */
export function doubleToLong(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** 63) return MAX_LONG;
  return value <= -(2 ** 63) ? MIN_LONG : BigInt(Math.trunc(value));
}

/** (float) of a long, rounded once. */
export function longToFloat(value: bigint): number {
  const size = value < 0n ? -value : value;
  if (size < 1n << 53n) return Math.fround(Number(value));
  // Bits that do not reach the mantissa count only as "not zero", so that rounding to a double first does no harm.
  const shift = BigInt(size.toString(2).length - 40);
  const head = size >> shift;
  const rest = head << shift === size ? 0n : 1n;
  return Math.fround(Number(((head << 1n) | rest) << (shift - 1n)) * (value < 0n ? -1 : 1));
}

type Plain = number | bigint | boolean | string;

export function toInt(value: Plain): number {
  return typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : doubleToInt(Number(value));
}

export function toLong(value: Plain): bigint {
  return typeof value === 'bigint' ? value : doubleToLong(Number(value));
}

export function toDouble(value: Plain): number {
  return Number(value);
}

const DOUBLES: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};
const INTS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => (a + b) | 0,
  '-': (a, b) => (a - b) | 0,
  '*': Math.imul,
  '/': divInt,
  '%': remInt,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<<': (a, b) => a << b,
  '>>': (a, b) => a >> b,
  '>>>': (a, b) => (a >>> b) | 0,
};
const LONGS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => BigInt.asIntN(64, a + b),
  '-': (a, b) => BigInt.asIntN(64, a - b),
  '*': (a, b) => BigInt.asIntN(64, a * b),
  '/': divLong,
  '%': remLong,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<<': (a, b) => BigInt.asIntN(64, a << (b & 63n)),
  '>>': (a, b) => a >> (b & 63n),
  '>>>': (a, b) => ushLong(a, Number(b & 63n)),
};

/** An operator on constants. @param type  name of the primitive that it computes with @returns null if it is not for constants */
export function arithmetic(op: string, type: string, a: Plain | undefined, b: Plain | undefined): Plain | null {
  if (a === undefined || b === undefined || typeof a === 'string' || typeof b === 'string') return null;
  switch (type) {
    case 'int':
      return INTS[op](toInt(a), toInt(b));
    case 'long':
      return LONGS[op](toLong(a), toLong(b));
    case 'double':
      return DOUBLES[op](Number(a), Number(b));
    case 'float':
      return Math.fround(DOUBLES[op](Math.fround(Number(a)), Math.fround(Number(b))));
    case 'boolean':
      return op === '^' ? a !== b : null;
    default:
      return null;
  }
}

/** A comparison of two numbers or booleans of any type. */
export function compareNumbers(op: string, a: Plain, b: Plain): boolean {
  switch (op) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    case '==':
      // biome-ignore lint/suspicious/noDoubleEquals: long and int compare by value
      return a == b;
    default:
      // biome-ignore lint/suspicious/noDoubleEquals: long and int compare by value
      return a != b;
  }
}
