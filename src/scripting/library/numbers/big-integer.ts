// java.math.BigInteger.
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { raise } from '../../java/faults.ts';
import { hashOf } from '../../java/objects.ts';
import { JavaArray, type Value } from '../../java/values.ts';
import { bounded, checkPower, sizeOf, typeOf } from './rounding.ts';

export class BigInteger {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = bounded(value);
  }
  toString(): string {
    return String(this.value);
  }
  equalTo(other: Value): boolean {
    return other instanceof BigInteger && other.value === this.value;
  }
  hash(): number {
    let hash = 0;
    const digits = sizeOf(this.value).toString(16);
    const words = digits.padStart(Math.ceil(digits.length / 8) * 8, '0').match(/.{8}/g) ?? [];
    for (const word of words) hash = (Math.imul(hash, 31) + Number.parseInt(word, 16)) | 0;
    return this.value < 0n ? -hash | 0 : hash;
  }
  compareTo(other: Value): number {
    const { value } = other as BigInteger;
    return this.value < value ? -1 : this.value > value ? 1 : 0;
  }
}

const made = (value: bigint): BigInteger => new BigInteger(value);
const arithmetic = (message: string): never => raise('java.lang.ArithmeticException', message);

function parse(text: string, radix = 10): BigInteger {
  const digits = text.replace(/^[+-]/, '').toLowerCase();
  const isValid = digits !== '' && [...digits].every((digit) => Number.parseInt(digit, 36) < radix);
  if (!isValid) raise('java.lang.NumberFormatException', text === '' ? 'Zero length BigInteger' : `For input string: "${text}"`);
  if (digits.length > 20_000) arithmetic('BigInteger would overflow supported range');
  let value = 0n;
  if (radix === 10) value = BigInt(digits);
  else for (const digit of digits) value = value * BigInt(radix) + BigInt(Number.parseInt(digit, 36));
  return made(text.startsWith('-') ? -value : value);
}

const shiftLeft = (value: bigint, count: number): bigint => {
  if (count > 0) checkPower(2n, count);
  return count >= 0 ? value << BigInt(count) : value >> BigInt(-count);
};
/** Two's complement digits of a number, without those that repeat the sign. */
const bitsOf = (value: bigint): string => (value === 0n || value === -1n ? '' : (value < 0n ? ~value : value).toString(2));
const bit = (index: number): bigint => (index < 0 ? arithmetic('Negative bit address') : shiftLeft(1n, index));

function power(value: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let base = ((value % modulus) + modulus) % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return result % modulus;
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [((value % modulus) + modulus) % modulus, modulus, 1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b, x, y] = [b, a % b, y, x - quotient * y];
  }
  return a === 1n ? ((x % modulus) + modulus) % modulus : arithmetic('BigInteger not invertible.');
}

export function commonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [sizeOf(a), sizeOf(b)];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

const binary =
  (run: (a: bigint, b: bigint) => bigint): Implementation =>
  (self: BigInteger, other: BigInteger) =>
    made(run(self.value, other.value));
function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
const nonZero = (b: bigint): bigint => (b === 0n ? arithmetic('BigInteger divide by zero') : b);
const positive = (modulus: bigint): bigint => (modulus > 0n ? modulus : arithmetic('BigInteger: modulus not positive'));

/** The value if it fits into this many bits. */
export function exact(value: bigint, bits: number, type: string, className: string): bigint {
  return BigInt.asIntN(bits, value) === value ? value : arithmetic(`${className} out of ${type} range`);
}

function bytesOf(value: bigint): Int8Array {
  const length = (bitsOf(value).length >> 3) + 1;
  return Int8Array.from({ length }, (_, i) => Number(BigInt.asIntN(8, value >> BigInt((length - 1 - i) * 8))));
}

defineClass('java.math.BigInteger', ['java.lang.Number', 'java.lang.Comparable'], {
  of: BigInteger,
  constants: { 'BigInteger ZERO': made(0n), 'BigInteger ONE': made(1n), 'BigInteger TEN': made(10n) },
  members: {
    'new(String)': (text: string) => parse(text),
    'new(String,int)': parse,
    'static BigInteger valueOf(long)': made,
    'BigInteger abs()': (self: BigInteger) => made(sizeOf(self.value)),
    'BigInteger negate()': (self: BigInteger) => made(-self.value),
    'BigInteger not()': (self: BigInteger) => made(~self.value),
    'BigInteger add(BigInteger)': binary((a, b) => a + b),
    'BigInteger subtract(BigInteger)': binary((a, b) => a - b),
    'BigInteger multiply(BigInteger)': binary((a, b) => a * b),
    'BigInteger divide(BigInteger)': binary((a, b) => a / nonZero(b)),
    'BigInteger remainder(BigInteger)': binary((a, b) => a % nonZero(b)),
    'BigInteger[] divideAndRemainder(BigInteger)': ({ value }: BigInteger, other: BigInteger) =>
      new JavaArray([made(value / nonZero(other.value)), made(value % other.value)], typeOf('java.math.BigInteger')),
    'BigInteger mod(BigInteger)': binary((a, b) => ((a % positive(b)) + b) % b),
    'BigInteger modPow(BigInteger,BigInteger)': ({ value }: BigInteger, exponent: BigInteger, { value: modulus }: BigInteger) => {
      positive(modulus);
      const base = exponent.value < 0n ? inverse(value, modulus) : value;
      return made(power(base, sizeOf(exponent.value), modulus));
    },
    'BigInteger modInverse(BigInteger)': binary((a, b) => inverse(a, positive(b))),
    'BigInteger gcd(BigInteger)': binary(commonDivisor),
    'BigInteger and(BigInteger)': binary((a, b) => a & b),
    'BigInteger andNot(BigInteger)': binary((a, b) => a & ~b),
    'BigInteger or(BigInteger)': binary((a, b) => a | b),
    'BigInteger xor(BigInteger)': binary((a, b) => a ^ b),
    'BigInteger max(BigInteger)': binary(larger),
    'BigInteger min(BigInteger)': binary((a, b) => a + b - larger(a, b)),
    'BigInteger pow(int)': ({ value }: BigInteger, exponent: number) => {
      if (exponent < 0) arithmetic('Negative exponent');
      checkPower(value, exponent);
      return made(value ** BigInt(exponent));
    },
    'BigInteger shiftLeft(int)': ({ value }: BigInteger, count: number) => made(shiftLeft(value, count)),
    'BigInteger shiftRight(int)': ({ value }: BigInteger, count: number) => made(shiftLeft(value, -count)),
    'BigInteger setBit(int)': ({ value }: BigInteger, index: number) => made(value | bit(index)),
    'BigInteger clearBit(int)': ({ value }: BigInteger, index: number) => made(value & ~bit(index)),
    'BigInteger flipBit(int)': ({ value }: BigInteger, index: number) => made(value ^ bit(index)),
    'boolean testBit(int)': ({ value }: BigInteger, index: number) => (value & bit(index)) !== 0n,
    'int bitCount()': ({ value }: BigInteger) => bitsOf(value).replaceAll('0', '').length,
    'int bitLength()': ({ value }: BigInteger) => bitsOf(value).length,
    'int getLowestSetBit()': ({ value }: BigInteger) => (value === 0n ? -1 : (/0*$/.exec(sizeOf(value).toString(2))?.[0].length ?? 0)),
    'int signum()': ({ value }: BigInteger) => (value > 0n ? 1 : value < 0n ? -1 : 0),
    'byte[] toByteArray()': ({ value }: BigInteger) => bytesOf(value),
    'byte byteValue()': ({ value }: BigInteger) => Number(BigInt.asIntN(8, value)),
    'short shortValue()': ({ value }: BigInteger) => Number(BigInt.asIntN(16, value)),
    'int intValue()': ({ value }: BigInteger) => Number(BigInt.asIntN(32, value)),
    'long longValue()': ({ value }: BigInteger) => BigInt.asIntN(64, value),
    'byte byteValueExact()': ({ value }: BigInteger) => Number(exact(value, 8, 'byte', 'BigInteger')),
    'short shortValueExact()': ({ value }: BigInteger) => Number(exact(value, 16, 'short', 'BigInteger')),
    'int intValueExact()': ({ value }: BigInteger) => Number(exact(value, 32, 'int', 'BigInteger')),
    'long longValueExact()': ({ value }: BigInteger) => exact(value, 64, 'long', 'BigInteger'),
    'double doubleValue()': ({ value }: BigInteger) => Number(value),
    'float floatValue()': ({ value }: BigInteger) => Math.fround(Number(value)),
    'int compareTo(BigInteger)': (self: BigInteger, other: Value) => self.compareTo(other),
    'boolean equals(Object)': (self: BigInteger, other: Value) => self.equalTo(other),
    'int hashCode()': hashOf,
    'String toString()': String,
    'String toString(int)': ({ value }: BigInteger, radix: number) => value.toString(radix >= 2 && radix <= 36 ? radix : 10),
  },
});
