// java.math.RoundingMode, and division of integers that rounds by it.

import { present } from '../../../common/present.ts';
import { spendBytes } from '../../java/budget.ts';
import type { Type } from '../../java/class-info.ts';
import { defineClass, typeNamed } from '../../java/class-info.ts';
import { EnumValue } from '../../java/enum-value.ts';
import { illegalArgument, raise, ScriptFault } from '../../java/faults.ts';
import { JavaArray } from '../../java/values.ts';

/** A constant of RoundingMode. */
export class Rounding extends EnumValue {}

const MODES = 'UP DOWN CEILING FLOOR HALF_UP HALF_DOWN HALF_EVEN UNNECESSARY'.split(' ').map((name, i) => new Rounding(name, i));

export function roundingNamed(name: string): Rounding {
  return MODES.find((mode) => mode.name === name) ?? illegalArgument(`No enum constant java.math.RoundingMode.${name}`);
}

defineClass('java.math.RoundingMode', ['java.lang.Enum'], {
  of: Rounding,
  constants: Object.fromEntries(MODES.map((mode) => [`RoundingMode ${mode.name}`, mode])),
  members: {
    'static RoundingMode valueOf(String)': roundingNamed,
    'static RoundingMode[] values()': () => new JavaArray([...MODES], typeOf('java.math.RoundingMode')),
  },
});

export const typeOf = (name: string): Type => present(typeNamed(name));

export const sizeOf = (value: bigint): bigint => (value < 0n ? -value : value);

/** Largest integers: operations on larger ones would take long. */
const MAX_BITS = 1 << 16;

/** @throws ScriptFault: the number is too large for scripts */
export function bounded(value: bigint): bigint {
  const digits = value.toString(16).length;
  spendBytes(digits);
  if (digits * 4 > MAX_BITS) tooLarge();
  return value;
}

function tooLarge(): never {
  throw new ScriptFault('circuit_breaking_exception', `numbers may have at most ${MAX_BITS} bits`);
}

/** 10 to the power of a whole number that is not negative. @throws ScriptFault: the result is too large */
export function powerOfTen(exponent: number): bigint {
  if (exponent > MAX_BITS / 4) tooLarge();
  return 10n ** BigInt(exponent);
}

/** Checks the size of a power before it is computed. */
export function checkPower(base: bigint, exponent: number): void {
  if (sizeOf(base).toString(2).length * exponent > MAX_BITS) tooLarge();
}

/** A quotient of integers. @throws ScriptFault ArithmeticException: it is not whole, and the mode is UNNECESSARY */
export function dividedRounded(dividend: bigint, divisor: bigint, { name }: Rounding): bigint {
  const quotient = dividend / divisor;
  const rest = sizeOf(dividend % divisor);
  if (rest === 0n) return quotient;
  const isNegative = dividend < 0n !== divisor < 0n;
  const away = quotient + (isNegative ? -1n : 1n);
  const half = rest * 2n - sizeOf(divisor);
  switch (name) {
    case 'UP':
      return away;
    case 'DOWN':
      return quotient;
    case 'CEILING':
      return isNegative ? quotient : away;
    case 'FLOOR':
      return isNegative ? away : quotient;
    case 'UNNECESSARY':
      return raise('java.lang.ArithmeticException', 'Rounding necessary');
    default:
      if (half !== 0n) return half > 0n ? away : quotient;
      if (name === 'HALF_EVEN') return quotient % 2n === 0n ? quotient : away;
      return name === 'HALF_UP' ? away : quotient;
  }
}
