// java.lang: Object, Comparable, Enum, Number, Double, Float, Boolean, Math and System.

import { javaDouble } from '../../common/text/java-text.ts';
import { defineClass } from '../java/class-info.ts';
import { compareDoubles, compareNatural, doubleHash, equal, floatHash, hashOf, textOf } from '../java/objects.ts';
import { Double, Float, floatText, numeric, type Value } from '../java/values.ts';
import { doubleToInt, doubleToLong, longToFloat } from '../runtime/numbers.ts';
import { parseDouble } from './numbers/number-parsing.ts';
import { power } from './numbers/powers.ts';

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
    'static double pow(double,double)': power,
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
