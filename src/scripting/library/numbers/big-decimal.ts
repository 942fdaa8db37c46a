// java.math.BigDecimal and MathContext: an unscaled integer and the number of its digits after the point.
import { javaDouble } from '../../../common/text/java-text.ts';
import { checkLength } from '../../java/budget.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { illegalArgument, raise } from '../../java/faults.ts';
import { hashOf } from '../../java/objects.ts';
import { JavaArray, type Value } from '../../java/values.ts';
import { BigInteger, commonDivisor, exact } from './big-integer.ts';
import { bounded, checkPower, dividedRounded, powerOfTen, type Rounding, roundingNamed, sizeOf, typeOf } from './rounding.ts';

const arithmetic = (message: string): never => raise('java.lang.ArithmeticException', message);
const HALF_UP = roundingNamed('HALF_UP');
const UNNECESSARY = roundingNamed('UNNECESSARY');

class MathContext {
  readonly precision: number;
  readonly rounding: Rounding;
  constructor(precision: number, rounding: Rounding = HALF_UP) {
    if (precision < 0) illegalArgument('Digits < 0');
    this.precision = precision;
    this.rounding = rounding;
  }
  toString(): string {
    return `precision=${this.precision} roundingMode=${this.rounding}`;
  }
  equalTo(other: Value): boolean {
    return other instanceof MathContext && other.toString() === this.toString();
  }
}

const digitsOf = (value: bigint): number => sizeOf(value).toString().length;

class BigDecimal {
  readonly unscaled: bigint;
  readonly scale: number;

  constructor(unscaled: bigint, scale: number) {
    this.unscaled = bounded(unscaled);
    this.scale = scale;
  }

  static parse(text: string): BigDecimal {
    const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
    if (!found || ((found[2] ?? '') === '' && (found[3] ?? '') === '')) {
      const wrong = /[^-+0-9.eE]/.exec(text)?.[0];
      const reason = `Character ${wrong} is neither a decimal digit number, decimal point, nor "e" notation exponential mark.`;
      return raise('java.lang.NumberFormatException', wrong === undefined ? null : reason);
    }
    const [, sign, whole, fraction = '', exponent = '0'] = found;
    if (whole.length + fraction.length > 20_000) return arithmetic('Too many digits');
    return new BigDecimal(BigInt(`${sign === '-' ? '-' : ''}${BigInt(whole + fraction)}`), fraction.length - Number(exponent));
  }

  get precision(): number {
    return digitsOf(this.unscaled);
  }

  /** The same value with another scale. */
  rescaled(scale: number, rounding: Rounding): BigDecimal {
    if (scale >= this.scale) return new BigDecimal(this.unscaled === 0n ? 0n : this.unscaled * powerOfTen(scale - this.scale), scale);
    const dropped = this.scale - scale;
    // Of the digits far beyond the last one kept, only whether any is nonzero matters.
    const shift = Math.min(dropped, this.precision + 2);
    return new BigDecimal(dividedRounded(this.unscaled, powerOfTen(shift), rounding), scale);
  }

  rounded({ precision, rounding }: MathContext): BigDecimal {
    let value: BigDecimal = this;
    while (precision > 0 && value.precision > precision) value = value.rescaled(value.scale - (value.precision - precision), rounding);
    return value;
  }

  /** Without trailing zeros, as long as the scale stays above `least`. */
  stripped(least: number): BigDecimal {
    let { unscaled, scale } = this;
    while (scale > least && unscaled !== 0n && unscaled % 10n === 0n) {
      unscaled /= 10n;
      scale--;
    }
    return unscaled === 0n && scale > least ? new BigDecimal(0n, Math.max(least, -1_000_000)) : new BigDecimal(unscaled, scale);
  }

  plus(other: BigDecimal, sign: 1n | -1n): BigDecimal {
    const scale = Math.max(this.scale, other.scale);
    return new BigDecimal(this.rescaled(scale, UNNECESSARY).unscaled + sign * other.rescaled(scale, UNNECESSARY).unscaled, scale);
  }

  times(other: BigDecimal): BigDecimal {
    return new BigDecimal(this.unscaled * other.unscaled, this.scale + other.scale);
  }

  /** The quotient, rounded to the precision; exact if that is 0. */
  dividedBy(other: BigDecimal, { precision, rounding }: MathContext): BigDecimal {
    const scale = this.scale - other.scale;
    if (other.unscaled === 0n) arithmetic(this.unscaled === 0n ? 'Division undefined' : 'Division by zero');
    if (this.unscaled === 0n) return new BigDecimal(0n, scale);
    if (precision === 0) return this.#dividedExactly(other, scale);
    const dividend = sizeOf(this.unscaled);
    const divisor = sizeOf(other.unscaled);
    let shift = precision - (digitsOf(dividend) - digitsOf(divisor));
    const parts = (): [bigint, bigint] => [dividend * powerOfTen(Math.max(0, shift)), divisor * powerOfTen(Math.max(0, -shift))];
    const [a, b] = parts();
    if (digitsOf(a / b) > precision) shift--;
    const [top, bottom] = parts();
    const isNegative = this.unscaled < 0n !== other.unscaled < 0n;
    const quotient = dividedRounded(isNegative ? -top : top, bottom, rounding);
    const result = new BigDecimal(quotient, scale + shift).rounded(new MathContext(precision, rounding));
    return sizeOf(quotient) * bottom === top ? result.stripped(scale) : result;
  }

  #dividedExactly(other: BigDecimal, scale: number): BigDecimal {
    const common = commonDivisor(this.unscaled, other.unscaled);
    let rest = sizeOf(other.unscaled / common);
    let [twos, fives] = [0, 0];
    for (; rest % 2n === 0n; rest /= 2n) twos++;
    for (; rest % 5n === 0n; rest /= 5n) fives++;
    if (rest !== 1n) arithmetic('Non-terminating decimal expansion; no exact representable decimal result.');
    const shift = Math.max(twos, fives);
    return new BigDecimal((this.unscaled * powerOfTen(shift)) / other.unscaled, scale + shift);
  }

  /** The whole part of the quotient. */
  wholeQuotient(other: BigDecimal): BigDecimal {
    const scale = this.scale - other.scale;
    if (other.unscaled === 0n) arithmetic(this.unscaled === 0n ? 'Division undefined' : 'Division by zero');
    const top = this.unscaled * powerOfTen(Math.max(0, -scale));
    const whole = new BigDecimal(top / (other.unscaled * powerOfTen(Math.max(0, scale))), 0);
    return scale > 0 ? whole.rescaled(scale, UNNECESSARY) : whole.stripped(scale);
  }

  toString(): string {
    const digits = String(sizeOf(this.unscaled));
    const exponent = digits.length - 1 - this.scale;
    if (this.scale >= 0 && exponent >= -6) return this.plainText();
    const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
    return `${this.unscaled < 0n ? '-' : ''}${mantissa}E${exponent < 0 ? '' : '+'}${exponent}`;
  }

  plainText(): string {
    checkLength(Math.abs(this.scale));
    const sign = this.unscaled < 0n ? '-' : '';
    const digits = String(sizeOf(this.unscaled));
    if (this.scale <= 0) return sign + (this.unscaled === 0n ? '0' : digits + '0'.repeat(-this.scale));
    const padded = digits.padStart(this.scale + 1, '0');
    return `${sign}${padded.slice(0, -this.scale)}.${padded.slice(-this.scale)}`;
  }

  /** The whole part. */
  get whole(): bigint {
    if (this.scale <= 0) return this.unscaled * powerOfTen(-this.scale);
    return this.scale > this.precision ? 0n : this.unscaled / powerOfTen(this.scale);
  }

  equalTo(other: Value): boolean {
    return other instanceof BigDecimal && other.unscaled === this.unscaled && other.scale === this.scale;
  }

  hash(): number {
    return (Math.imul(31, new BigInteger(this.unscaled).hash()) + this.scale) | 0;
  }

  compareTo(other: Value): number {
    const difference = this.plus(other as BigDecimal, -1n).unscaled;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
}

const EXACT = new MathContext(0, UNNECESSARY);

function wholeOnly(self: BigDecimal): bigint {
  if (self.stripped(0).scale > 0) arithmetic('Rounding necessary');
  return self.whole;
}

/** An operation with and without a context. */
function withContext(name: string, run: (self: BigDecimal, other: BigDecimal) => BigDecimal): Record<string, Implementation> {
  return {
    [`BigDecimal ${name}(BigDecimal)`]: run,
    [`BigDecimal ${name}(BigDecimal,MathContext)`]: (self: BigDecimal, other: BigDecimal, context: MathContext) =>
      run(self, other).rounded(context),
  };
}

const negated = (self: BigDecimal): BigDecimal => new BigDecimal(-self.unscaled, self.scale);
const moved = (self: BigDecimal, scale: number): BigDecimal => {
  const result = new BigDecimal(self.unscaled, scale);
  return scale < 0 ? result.rescaled(0, UNNECESSARY) : result;
};
const remainder = (self: BigDecimal, other: BigDecimal): BigDecimal => self.plus(self.wholeQuotient(other).times(other), -1n);

defineClass('java.math.MathContext', ['java.lang.Object'], {
  of: MathContext,
  constants: {
    'MathContext DECIMAL32': new MathContext(7, roundingNamed('HALF_EVEN')),
    'MathContext DECIMAL64': new MathContext(16, roundingNamed('HALF_EVEN')),
    'MathContext DECIMAL128': new MathContext(34, roundingNamed('HALF_EVEN')),
    'MathContext UNLIMITED': new MathContext(0),
  },
  members: {
    'new(int)': (precision: number) => new MathContext(precision),
    'new(int,RoundingMode)': (precision: number, rounding: Rounding) => new MathContext(precision, rounding),
    'int getPrecision()': (self: MathContext) => self.precision,
    'RoundingMode getRoundingMode()': (self: MathContext) => self.rounding,
    'String toString()': String,
  },
});

defineClass('java.math.BigDecimal', ['java.lang.Number', 'java.lang.Comparable'], {
  of: BigDecimal,
  constants: {
    'BigDecimal ZERO': new BigDecimal(0n, 0),
    'BigDecimal ONE': new BigDecimal(1n, 0),
    'BigDecimal TEN': new BigDecimal(10n, 0),
  },
  members: {
    'new(String)': BigDecimal.parse,
    'new(String,MathContext)': (text: string, context: MathContext) => BigDecimal.parse(text).rounded(context),
    'static BigDecimal valueOf(double)': (value: number) => BigDecimal.parse(javaDouble(value)),
    'BigDecimal abs()': (self: BigDecimal) => (self.unscaled < 0n ? negated(self) : self),
    'BigDecimal abs(MathContext)': (self: BigDecimal, context: MathContext) => (self.unscaled < 0n ? negated(self) : self).rounded(context),
    'BigDecimal negate()': negated,
    'BigDecimal negate(MathContext)': (self: BigDecimal, context: MathContext) => negated(self).rounded(context),
    'BigDecimal plus()': (self: BigDecimal) => self,
    'BigDecimal plus(MathContext)': (self: BigDecimal, context: MathContext) => self.rounded(context),
    'BigDecimal round(MathContext)': (self: BigDecimal, context: MathContext) => self.rounded(context),
    ...withContext('add', (self, other) => self.plus(other, 1n)),
    ...withContext('subtract', (self, other) => self.plus(other, -1n)),
    ...withContext('multiply', (self, other) => self.times(other)),
    ...withContext('remainder', remainder),
    ...withContext('divideToIntegralValue', (self, other) => self.wholeQuotient(other)),
    'BigDecimal divide(BigDecimal)': (self: BigDecimal, other: BigDecimal) => self.dividedBy(other, EXACT),
    'BigDecimal divide(BigDecimal,MathContext)': (self: BigDecimal, other: BigDecimal, context: MathContext) =>
      self.dividedBy(other, context),
    'BigDecimal[] divideAndRemainder(BigDecimal)': (self: BigDecimal, other: BigDecimal) =>
      new JavaArray([self.wholeQuotient(other), remainder(self, other)], typeOf('java.math.BigDecimal')),
    'BigDecimal max(BigDecimal)': (self: BigDecimal, other: BigDecimal) => (self.compareTo(other) >= 0 ? self : other),
    'BigDecimal min(BigDecimal)': (self: BigDecimal, other: BigDecimal) => (self.compareTo(other) <= 0 ? self : other),
    'BigDecimal movePointLeft(int)': (self: BigDecimal, count: number) => moved(self, self.scale + count),
    'BigDecimal movePointRight(int)': (self: BigDecimal, count: number) => moved(self, self.scale - count),
    'BigDecimal scaleByPowerOfTen(int)': (self: BigDecimal, count: number) => new BigDecimal(self.unscaled, self.scale - count),
    'BigDecimal pow(int)': (self: BigDecimal, exponent: number) => {
      if (exponent < 0) arithmetic('Invalid operation');
      checkPower(self.unscaled, exponent);
      return new BigDecimal(self.unscaled ** BigInt(exponent), self.scale * exponent);
    },
    'BigDecimal setScale(int)': (self: BigDecimal, scale: number) => self.rescaled(scale, UNNECESSARY),
    'BigDecimal setScale(int,RoundingMode)': (self: BigDecimal, scale: number, rounding: Rounding) => self.rescaled(scale, rounding),
    'BigDecimal stripTrailingZeros()': (self: BigDecimal) =>
      self.unscaled === 0n ? new BigDecimal(0n, 0) : self.stripped(Number.NEGATIVE_INFINITY),
    'BigDecimal ulp()': (self: BigDecimal) => new BigDecimal(1n, self.scale),
    'int precision()': (self: BigDecimal) => self.precision,
    'int scale()': (self: BigDecimal) => self.scale,
    'int signum()': (self: BigDecimal) => (self.unscaled > 0n ? 1 : self.unscaled < 0n ? -1 : 0),
    'BigInteger toBigInteger()': (self: BigDecimal) => new BigInteger(self.whole),
    'BigInteger toBigIntegerExact()': (self: BigDecimal) => new BigInteger(wholeOnly(self)),
    'byte byteValue()': (self: BigDecimal) => Number(BigInt.asIntN(8, self.whole)),
    'short shortValue()': (self: BigDecimal) => Number(BigInt.asIntN(16, self.whole)),
    'int intValue()': (self: BigDecimal) => Number(BigInt.asIntN(32, self.whole)),
    'long longValue()': (self: BigDecimal) => BigInt.asIntN(64, self.whole),
    'int intValueExact()': (self: BigDecimal) => Number(overflow(wholeOnly(self), 32)),
    'long longValueExact()': (self: BigDecimal) => overflow(wholeOnly(self), 64),
    'double doubleValue()': (self: BigDecimal) => Number(self.toString()),
    'float floatValue()': (self: BigDecimal) => Math.fround(Number(self.toString())),
    'int compareTo(BigDecimal)': (self: BigDecimal, other: Value) => self.compareTo(other),
    'boolean equals(Object)': (self: BigDecimal, other: Value) => self.equalTo(other),
    'int hashCode()': hashOf,
    'String toString()': String,
    'String toPlainString()': (self: BigDecimal) => self.plainText(),
  },
});

function overflow(value: bigint, bits: number): bigint {
  return BigInt.asIntN(bits, value) === value ? exact(value, bits, '', '') : arithmetic('Overflow');
}
