// java.lang without strings: Object, numbers, Boolean, Character, Math, System.

import { javaDouble } from '../../common/java-text.ts';
import { category, isDigit, isLetter } from '../../regex/characters.ts';
import { defineClass } from '../java/class-info.ts';
import { raise } from '../java/faults.ts';
import { compareDoubles, compareNatural, doubleHash, equal, floatHash, hashOf, longHash, textOf } from '../java/objects.ts';
import { Byte, Char, Double, Float, floatText, numeric, Short, type Value } from '../java/values.ts';
import { doubleToInt, doubleToLong, longToFloat } from '../runtime/numbers.ts';

defineClass('java.lang.Object', [], {
  members: {
    'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
    'int hashCode()': (self: Value) => hashOf(self),
    'String toString()': textOf,
  },
});
defineClass('java.lang.Comparable', ['java.lang.Object'], {
  members: { 'int compareTo(def)': compareNatural },
});
defineClass('java.lang.Void', ['java.lang.Object']);
defineClass('java.lang.Enum', ['java.lang.Comparable'], {
  members: {
    'String name()': (self: { name: string }) => self.name,
    'int ordinal()': (self: { ordinal: number }) => self.ordinal,
  },
});

type Plain = number | bigint;
const plain = (self: Value): Plain => numeric(self) ?? 0;
const toInt = (self: Value): number => {
  const value = plain(self);
  return typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : doubleToInt(value);
};

defineClass('java.lang.Number', ['java.lang.Object'], {
  members: {
    'int intValue()': toInt,
    'long longValue()': (self: Value) => {
      const value = plain(self);
      return typeof value === 'bigint' ? value : doubleToLong(value);
    },
    'double doubleValue()': (self: Value) => Number(plain(self)),
    'float floatValue()': (self: Value) => {
      const value = plain(self);
      return typeof value === 'bigint' ? longToFloat(value) : Math.fround(value);
    },
    'short shortValue()': (self: Value) => (toInt(self) << 16) >> 16,
    'byte byteValue()': (self: Value) => (toInt(self) << 24) >> 24,
  },
});

function badNumber(text: string | null, radix = 10): never {
  if (text === null) return raise('java.lang.NumberFormatException', 'Cannot parse null string');
  return raise('java.lang.NumberFormatException', `For input string: "${text}"${radix === 10 ? '' : ` under radix ${radix}`}`);
}

/** An integer in a radix within `bits` bits. @throws ScriptFault NumberFormatException */
function parseWhole(text: string | null, radix: number, bits: number): bigint {
  const digits = text === null ? null : /^[+-]?([0-9a-z]+)$/i.exec(text);
  if (text === null || !digits) return badNumber(text, radix);
  let value = 0n;
  for (const digit of digits[1]) {
    const number = Number.parseInt(digit, 36);
    if (!(number < radix)) return badNumber(text, radix);
    value = value * BigInt(radix) + BigInt(number);
    if (value > 1n << 65n) return badNumber(text, radix);
  }
  if (text[0] === '-') value = -value;
  return BigInt.asIntN(bits, value) === value ? value : badNumber(text, radix);
}

function decode(text: string, bits: number): bigint {
  const [, sign, prefix, digits] = /^([+-]?)(0[xX]|#|0(?=[0-7]))?(.*)$/.exec(text) ?? [];
  return parseWhole(sign + digits, prefix === undefined ? 10 : prefix === '0' ? 8 : 16, bits);
}

const JAVA_DOUBLE = /^[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/;

export function parseDouble(text: string): number {
  if (text === null) raise('java.lang.NullPointerException', null);
  const trimmed = text.trim();
  if (trimmed === '') return raise('java.lang.NumberFormatException', 'empty String');
  if (!JAVA_DOUBLE.test(trimmed)) return badNumber(text);
  return Number(trimmed.replace(/[fFdD]$/, ''));
}

const sign = (value: number): number => (value > 0 ? 1 : value < 0 ? -1 : 0);
const compareInts = (a: number, b: number): number => sign(a - b);
const unsigned = (value: number): number => value >>> 0;
const bitCount = (value: number): number => {
  let count = 0;
  for (let rest = value >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
};
const reverseBits = (value: number): number => {
  let out = 0;
  for (let i = 0; i < 32; i++) out = (out << 1) | ((value >>> i) & 1);
  return out | 0;
};

defineClass('java.lang.Integer', ['java.lang.Number', 'java.lang.Comparable'], {
  constants: { 'int MAX_VALUE': 2147483647, 'int MIN_VALUE': -2147483648, 'int SIZE': 32, 'int BYTES': 4 },
  members: {
    'static int bitCount(int)': bitCount,
    'static int compare(int,int)': compareInts,
    'static int compareUnsigned(int,int)': (a: number, b: number) => compareInts(unsigned(a), unsigned(b)),
    'static Integer decode(String)': (text: string) => Number(decode(text, 32)),
    'static int divideUnsigned(int,int)': (a: number, b: number) => (unsigned(a) / unsigned(b)) | 0,
    'static int remainderUnsigned(int,int)': (a: number, b: number) => (unsigned(a) % unsigned(b)) | 0,
    'static int hashCode(int)': (value: number) => value,
    'static int highestOneBit(int)': (value: number) => (value === 0 ? 0 : (1 << (31 - Math.clz32(value))) | 0),
    'static int lowestOneBit(int)': (value: number) => value & -value,
    'static int max(int,int)': (a: number, b: number) => Math.max(a, b),
    'static int min(int,int)': (a: number, b: number) => Math.min(a, b),
    'static int sum(int,int)': (a: number, b: number) => (a + b) | 0,
    'static int numberOfLeadingZeros(int)': Math.clz32,
    'static int numberOfTrailingZeros(int)': (value: number) => (value === 0 ? 32 : 31 - Math.clz32(value & -value)),
    'static int parseInt(String)': (text: string) => Number(parseWhole(text, 10, 32)),
    'static int parseInt(String,int)': (text: string, radix: number) => Number(parseWhole(text, radix, 32)),
    'static int parseUnsignedInt(String)': (text: string) => Number(BigInt.asIntN(32, parseWhole(text, 10, 33))),
    'static int reverse(int)': reverseBits,
    'static int rotateLeft(int,int)': (value: number, by: number) => (value << by) | (value >>> -by),
    'static int rotateRight(int,int)': (value: number, by: number) => (value >>> by) | (value << -by),
    'static int signum(int)': sign,
    'static String toBinaryString(int)': (value: number) => unsigned(value).toString(2),
    'static String toHexString(int)': (value: number) => unsigned(value).toString(16),
    'static String toOctalString(int)': (value: number) => unsigned(value).toString(8),
    'static String toString(int)': String,
    'static String toString(int,int)': (value: number, radix: number) => value.toString(radix >= 2 && radix <= 36 ? radix : 10),
    'static long toUnsignedLong(int)': (value: number) => BigInt(unsigned(value)),
    'static String toUnsignedString(int)': (value: number) => String(unsigned(value)),
    'static Integer valueOf(int)': (value: number) => value,
    'static Integer valueOf(String,int)': (text: string, radix: number) => Number(parseWhole(text, radix, 32)),
    'int compareTo(Integer)': compareNatural,
  },
});

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const i64 = (value: bigint): bigint => BigInt.asIntN(64, value);
const bits64 = (value: bigint): string => u64(value).toString(2);
const compareLongs = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const rotate = (value: bigint, by: number): bigint => i64((u64(value) << BigInt(by & 63)) | (u64(value) >> BigInt((64 - (by & 63)) & 63)));

defineClass('java.lang.Long', ['java.lang.Number', 'java.lang.Comparable'], {
  constants: { 'long MAX_VALUE': 2n ** 63n - 1n, 'long MIN_VALUE': -(2n ** 63n), 'int SIZE': 64, 'int BYTES': 8 },
  members: {
    'static int bitCount(long)': (value: bigint) => bits64(value).replaceAll('0', '').length,
    'static int compare(long,long)': compareLongs,
    'static int compareUnsigned(long,long)': (a: bigint, b: bigint) => compareLongs(u64(a), u64(b)),
    'static Long decode(String)': (text: string) => decode(text, 64),
    'static int hashCode(long)': longHash,
    'static long highestOneBit(long)': (value: bigint) => (value === 0n ? 0n : i64(1n << BigInt(bits64(value).length - 1))),
    'static long lowestOneBit(long)': (value: bigint) => i64(value & -value),
    'static long max(long,long)': (a: bigint, b: bigint) => (a > b ? a : b),
    'static long min(long,long)': (a: bigint, b: bigint) => (a < b ? a : b),
    'static long sum(long,long)': (a: bigint, b: bigint) => i64(a + b),
    'static int numberOfLeadingZeros(long)': (value: bigint) => (value === 0n ? 64 : 64 - bits64(value).length),
    'static int numberOfTrailingZeros(long)': (value: bigint) => (value === 0n ? 64 : bits64(value & -value).length - 1),
    'static long parseLong(String)': (text: string) => parseWhole(text, 10, 64),
    'static long parseLong(String,int)': (text: string, radix: number) => parseWhole(text, radix, 64),
    'static long rotateLeft(long,int)': rotate,
    'static long rotateRight(long,int)': (value: bigint, by: number) => rotate(value, -by),
    'static int signum(long)': (value: bigint) => compareLongs(value, 0n),
    'static String toBinaryString(long)': bits64,
    'static String toHexString(long)': (value: bigint) => u64(value).toString(16),
    'static String toOctalString(long)': (value: bigint) => u64(value).toString(8),
    'static String toString(long)': String,
    'static String toString(long,int)': (value: bigint, radix: number) => value.toString(radix >= 2 && radix <= 36 ? radix : 10),
    'static String toUnsignedString(long)': (value: bigint) => u64(value).toString(),
    'static Long valueOf(long)': (value: bigint) => value,
    'static Long valueOf(String,int)': (text: string, radix: number) => parseWhole(text, radix, 64),
    'int compareTo(Long)': compareNatural,
  },
});

const scratch = new DataView(new ArrayBuffer(8));

defineClass('java.lang.Double', ['java.lang.Number', 'java.lang.Comparable'], {
  of: Double,
  constants: {
    'double MAX_VALUE': Number.MAX_VALUE,
    'double MIN_VALUE': Number.MIN_VALUE,
    'double MIN_NORMAL': 2 ** -1022,
    'double POSITIVE_INFINITY': Number.POSITIVE_INFINITY,
    'double NEGATIVE_INFINITY': Number.NEGATIVE_INFINITY,
    'double NaN': Number.NaN,
    'int SIZE': 64,
    'int BYTES': 8,
    'int MAX_EXPONENT': 1023,
    'int MIN_EXPONENT': -1022,
  },
  members: {
    'static int compare(double,double)': compareDoubles,
    'static long doubleToLongBits(double)': (value: number) => {
      scratch.setFloat64(0, value);
      return scratch.getBigInt64(0);
    },
    'static long doubleToRawLongBits(double)': (value: number) => {
      scratch.setFloat64(0, value);
      return scratch.getBigInt64(0);
    },
    'static double longBitsToDouble(long)': (value: bigint) => {
      scratch.setBigInt64(0, value);
      return scratch.getFloat64(0);
    },
    'static int hashCode(double)': doubleHash,
    'static boolean isFinite(double)': Number.isFinite,
    'static boolean isInfinite(double)': (value: number) => Math.abs(value) === Number.POSITIVE_INFINITY,
    'static boolean isNaN(double)': Number.isNaN,
    'static double max(double,double)': (a: number, b: number) => Math.max(a, b),
    'static double min(double,double)': (a: number, b: number) => Math.min(a, b),
    'static double sum(double,double)': (a: number, b: number) => a + b,
    'static double parseDouble(String)': parseDouble,
    'static String toString(double)': javaDouble,
    'static Double valueOf(double)': (value: number) => new Double(value),
    'int compareTo(Double)': compareNatural,
    'boolean isNaN()': (self: Double) => Number.isNaN(self.value),
    'boolean isInfinite()': (self: Double) => Math.abs(self.value) === Number.POSITIVE_INFINITY,
  },
});

defineClass('java.lang.Float', ['java.lang.Number', 'java.lang.Comparable'], {
  of: Float,
  constants: {
    'float MAX_VALUE': 3.4028234663852886e38,
    'float MIN_VALUE': 1.401298464324817e-45,
    'float POSITIVE_INFINITY': Number.POSITIVE_INFINITY,
    'float NEGATIVE_INFINITY': Number.NEGATIVE_INFINITY,
    'float NaN': Number.NaN,
    'int SIZE': 32,
    'int BYTES': 4,
  },
  members: {
    'static int compare(float,float)': compareDoubles,
    'static int floatToIntBits(float)': floatHash,
    'static float intBitsToFloat(int)': (value: number) => {
      scratch.setInt32(0, value);
      return scratch.getFloat32(0);
    },
    'static int hashCode(float)': floatHash,
    'static boolean isFinite(float)': Number.isFinite,
    'static boolean isInfinite(float)': (value: number) => Math.abs(value) === Number.POSITIVE_INFINITY,
    'static boolean isNaN(float)': Number.isNaN,
    'static float max(float,float)': (a: number, b: number) => Math.max(a, b),
    'static float min(float,float)': (a: number, b: number) => Math.min(a, b),
    'static float sum(float,float)': (a: number, b: number) => Math.fround(a + b),
    'static float parseFloat(String)': (text: string) => Math.fround(parseDouble(text)),
    'static String toString(float)': floatText,
    'static Float valueOf(float)': (value: number) => new Float(value),
    'int compareTo(Float)': compareNatural,
    'boolean isNaN()': (self: Float) => Number.isNaN(self.value),
    'boolean isInfinite()': (self: Float) => Math.abs(self.value) === Number.POSITIVE_INFINITY,
  },
});

defineClass('java.lang.Short', ['java.lang.Number', 'java.lang.Comparable'], {
  of: Short,
  constants: { 'short MAX_VALUE': 32767, 'short MIN_VALUE': -32768, 'int SIZE': 16, 'int BYTES': 2 },
  members: {
    'static int compare(short,short)': (a: number, b: number) => a - b,
    'static short parseShort(String)': (text: string) => Number(parseWhole(text, 10, 16)),
    'static short parseShort(String,int)': (text: string, radix: number) => Number(parseWhole(text, radix, 16)),
    'static String toString(short)': String,
    'static int toUnsignedInt(short)': (value: number) => value & 0xffff,
    'static Short valueOf(short)': (value: number) => new Short(value),
    'int compareTo(Short)': compareNatural,
  },
});

defineClass('java.lang.Byte', ['java.lang.Number', 'java.lang.Comparable'], {
  of: Byte,
  constants: { 'byte MAX_VALUE': 127, 'byte MIN_VALUE': -128, 'int SIZE': 8, 'int BYTES': 1 },
  members: {
    'static int compare(byte,byte)': (a: number, b: number) => a - b,
    'static byte parseByte(String)': (text: string) => Number(parseWhole(text, 10, 8)),
    'static byte parseByte(String,int)': (text: string, radix: number) => Number(parseWhole(text, radix, 8)),
    'static String toString(byte)': String,
    'static int toUnsignedInt(byte)': (value: number) => value & 0xff,
    'static long toUnsignedLong(byte)': (value: number) => BigInt(value & 0xff),
    'static Byte valueOf(byte)': (value: number) => new Byte(value),
    'int compareTo(Byte)': compareNatural,
  },
});

defineClass('java.lang.Boolean', ['java.lang.Comparable'], {
  constants: { 'Boolean TRUE': true, 'Boolean FALSE': false },
  members: {
    'static int compare(boolean,boolean)': (a: boolean, b: boolean) => Number(a) - Number(b),
    'static int hashCode(boolean)': hashOf,
    'static boolean logicalAnd(boolean,boolean)': (a: boolean, b: boolean) => a && b,
    'static boolean logicalOr(boolean,boolean)': (a: boolean, b: boolean) => a || b,
    'static boolean logicalXor(boolean,boolean)': (a: boolean, b: boolean) => a !== b,
    'static boolean parseBoolean(String)': (text: string | null) => text?.toLowerCase() === 'true',
    'static String toString(boolean)': String,
    'static Boolean valueOf(boolean)': (value: boolean) => value,
    'boolean booleanValue()': (self: boolean) => self,
    'int compareTo(Boolean)': compareNatural,
  },
});

const UPPERCASE = /^\p{Uppercase}$/u;
const LOWERCASE = /^\p{Lowercase}$/u;
const text = (code: number): string => String.fromCodePoint(code);
/** Control characters, and separators other than non-breaking spaces. */
const isWhitespace = (code: number): boolean =>
  (code >= 9 && code <= 13) ||
  (code >= 0x1c && code <= 0x1f) ||
  (/^[\p{Zs}\p{Zl}\p{Zp}]$/u.test(text(code)) && ![0xa0, 0x2007, 0x202f].includes(code));
const toUpper = (code: number): number => {
  const upper = text(code).toUpperCase();
  return upper.length === 1 ? upper.charCodeAt(0) : code;
};
const toLower = (code: number): number => {
  const lower = text(code).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : code;
};
const digitOf = (code: number, radix: number): number => {
  const value = Number.parseInt(text(code), 36);
  return value < radix ? value : -1;
};

defineClass('java.lang.Character', ['java.lang.Comparable'], {
  of: Char,
  constants: { 'char MAX_VALUE': 0xffff, 'char MIN_VALUE': 0, 'int MAX_RADIX': 36, 'int MIN_RADIX': 2, 'int SIZE': 16, 'int BYTES': 2 },
  members: {
    'static int charCount(int)': (code: number) => (code > 0xffff ? 2 : 1),
    'static int compare(char,char)': (a: number, b: number) => a - b,
    'static int digit(int,int)': digitOf,
    'static char forDigit(int,int)': (digit: number, radix: number) => (digit < radix ? digit.toString(36).charCodeAt(0) : 0),
    'static int getNumericValue(int)': (code: number) => {
      const value = digitOf(code, 36);
      return Number.isNaN(value) ? -1 : value;
    },
    'static int getType(int)': category,
    'static int hashCode(char)': (code: number) => code,
    'static boolean isAlphabetic(int)': (code: number) => /^\p{Alphabetic}$/u.test(text(code)),
    'static boolean isDefined(int)': (code: number) => category(code) !== 0,
    'static boolean isDigit(int)': isDigit,
    'static boolean isISOControl(int)': (code: number) => code <= 0x1f || (code >= 0x7f && code <= 0x9f),
    'static boolean isIdeographic(int)': (code: number) => /^\p{Ideographic}$/u.test(text(code)),
    'static boolean isLetter(int)': isLetter,
    'static boolean isLetterOrDigit(int)': (code: number) => isLetter(code) || isDigit(code),
    'static boolean isLowerCase(int)': (code: number) => LOWERCASE.test(text(code)),
    'static boolean isUpperCase(int)': (code: number) => UPPERCASE.test(text(code)),
    'static boolean isTitleCase(int)': (code: number) => /^\p{Lt}$/u.test(text(code)),
    'static boolean isSpaceChar(int)': (code: number) => /^\p{Z}$/u.test(text(code)),
    'static boolean isWhitespace(int)': isWhitespace,
    'static boolean isSurrogate(char)': (code: number) => code >= 0xd800 && code <= 0xdfff,
    'static boolean isHighSurrogate(char)': (code: number) => code >= 0xd800 && code <= 0xdbff,
    'static boolean isValidCodePoint(int)': (code: number) => code >= 0 && code <= 0x10ffff,
    'static char toLowerCase(char)': toLower,
    'static char toUpperCase(char)': toUpper,
    'static char toTitleCase(char)': toUpper,
    'static String toString(char)': text,
    'static Character valueOf(char)': (code: number) => new Char(code),
    'char charValue()': (self: Char) => self.code,
    'int compareTo(Character)': compareNatural,
  },
});

/** Rounds halves to the even neighbour. */
function rint(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

function nextUp(value: number): number {
  if (Number.isNaN(value) || value === Number.POSITIVE_INFINITY) return value;
  if (value === 0) return Number.MIN_VALUE;
  scratch.setFloat64(0, value);
  scratch.setBigInt64(0, scratch.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return scratch.getFloat64(0);
}

const MATH = {
  constants: { 'double E': Math.E, 'double PI': Math.PI },
  members: {
    'static double IEEEremainder(double,double)': (a: number, b: number) => a - b * rint(a / b),
    'static double abs(double)': Math.abs,
    'static double acos(double)': Math.acos,
    'static double asin(double)': Math.asin,
    'static double atan(double)': Math.atan,
    'static double atan2(double,double)': Math.atan2,
    'static double cbrt(double)': Math.cbrt,
    'static double ceil(double)': Math.ceil,
    'static double copySign(double,double)': (a: number, b: number) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a)),
    'static double cos(double)': Math.cos,
    'static double cosh(double)': Math.cosh,
    'static double exp(double)': Math.exp,
    'static double expm1(double)': Math.expm1,
    'static double floor(double)': Math.floor,
    'static double hypot(double,double)': (a: number, b: number) => {
      const square = a * a + b * b;
      return square > 1e-280 && square < 1e280 ? Math.sqrt(square) : Math.hypot(a, b);
    },
    'static double log(double)': Math.log,
    'static double log10(double)': Math.log10,
    'static double log1p(double)': Math.log1p,
    'static double max(double,double)': (a: number, b: number) => Math.max(a, b),
    'static double min(double,double)': (a: number, b: number) => Math.min(a, b),
    'static double nextDown(double)': (value: number) => -nextUp(-value),
    'static double nextUp(double)': nextUp,
    'static double nextAfter(double,double)': (a: number, b: number) => (a === b ? b : b > a ? nextUp(a) : -nextUp(-a)),
    'static double pow(double,double)': (a: number, b: number) =>
      Math.abs(a) === 1 && Math.abs(b) === Number.POSITIVE_INFINITY ? Number.NaN : a ** b,
    'static double random()': Math.random,
    'static double rint(double)': rint,
    'static long round(double)': (value: number) => doubleToLong(Math.floor(value + (Math.abs(value) < 0.5 - 2 ** -54 ? 0 : 0.5))),
    'static double scalb(double,int)': (value: number, by: number) => value * 2 ** by,
    'static double signum(double)': Math.sign,
    'static double sin(double)': Math.sin,
    'static double sinh(double)': Math.sinh,
    'static double sqrt(double)': Math.sqrt,
    'static double tan(double)': Math.tan,
    'static double tanh(double)': Math.tanh,
    'static double toDegrees(double)': (value: number) => value * 57.29577951308232,
    'static double toRadians(double)': (value: number) => value * 0.017453292519943295,
    'static double ulp(double)': (value: number) => nextUp(Math.abs(value)) - Math.abs(value),
  },
};
defineClass('java.lang.Math', ['java.lang.Object'], MATH);
defineClass('java.lang.StrictMath', ['java.lang.Object'], MATH);

defineClass('java.lang.System', ['java.lang.Object'], {
  members: {
    'static long currentTimeMillis()': () => BigInt(Date.now()),
    'static long nanoTime()': () => BigInt(Math.round(performance.now() * 1e6)),
  },
});
