// java.lang: Integer, Long, Short and Byte.
import { defineClass } from '../../java/class-info.ts';
import { raise } from '../../java/faults.ts';
import { compareNatural, longHash } from '../../java/objects.ts';
import { Byte, Short } from '../../java/values.ts';
import { decode, parseUnsigned, parseWhole } from './number-parsing.ts';

/** Java treats an invalid radix as 10. */
const validRadix = (radix: number): number => (radix >= 2 && radix <= 36 ? radix : 10);
const sign = (value: number): number => (value > 0 ? 1 : value < 0 ? -1 : 0);
const compareInts = (a: number, b: number): number => sign(a - b);
const unsigned = (value: number): number => value >>> 0;
const bitCount = (value: number): number => {
  let count = 0;
  for (let rest = value >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
};
const unsignedInt = (text: string, radix: number): number => {
  const value = parseUnsigned(text, radix, 64);
  return value < 1n << 32n
    ? Number(BigInt.asIntN(32, value))
    : raise('java.lang.NumberFormatException', `String value ${text} exceeds range of unsigned int.`);
};
const reverseBytes = (value: number): number => (value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24);
const reverseBits = (value: number): number => {
  let out = 0;
  for (let i = 0; i < 32; i++) out = (out << 1) | ((value >>> i) & 1);
  return out | 0;
};

const nonZeroInt = (value: number): number => (value === 0 ? raise('java.lang.ArithmeticException', '/ by zero') : unsigned(value));

defineClass('java.lang.Integer', ['java.lang.Number', 'java.lang.Comparable'], {
  constants: { 'int MAX_VALUE': 2147483647, 'int MIN_VALUE': -2147483648, 'int SIZE': 32, 'int BYTES': 4 },
  members: {
    'static int bitCount(int)': bitCount,
    'static int compare(int,int)': compareInts,
    'static int compareUnsigned(int,int)': (a: number, b: number) => compareInts(unsigned(a), unsigned(b)),
    'static Integer decode(String)': (text: string) => Number(decode(text, 32)),
    'static int divideUnsigned(int,int)': (a: number, b: number) => (unsigned(a) / nonZeroInt(b)) | 0,
    'static int remainderUnsigned(int,int)': (a: number, b: number) => (unsigned(a) % nonZeroInt(b)) | 0,
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
    'static int parseUnsignedInt(String)': (text: string) => unsignedInt(text, 10),
    'static int reverse(int)': reverseBits,
    'static int reverseBytes(int)': reverseBytes,
    'static int rotateLeft(int,int)': (value: number, by: number) => (value << by) | (value >>> -by),
    'static int rotateRight(int,int)': (value: number, by: number) => (value >>> by) | (value << -by),
    'static int signum(int)': sign,
    'static String toBinaryString(int)': (value: number) => unsigned(value).toString(2),
    'static String toHexString(int)': (value: number) => unsigned(value).toString(16),
    'static String toOctalString(int)': (value: number) => unsigned(value).toString(8),
    'static String toString(int)': String,
    'static String toString(int,int)': (value: number, radix: number) => value.toString(radix >= 2 && radix <= 36 ? radix : 10),
    'static long toUnsignedLong(int)': (value: number) => BigInt(unsigned(value)),
    'static int parseUnsignedInt(String,int)': unsignedInt,
    'static String toUnsignedString(int,int)': (value: number, radix: number) => unsigned(value).toString(validRadix(radix)),
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
const nonZero = (value: bigint): bigint => (value === 0n ? raise('java.lang.ArithmeticException', '/ by zero') : u64(value));
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
    'static long divideUnsigned(long,long)': (a: bigint, b: bigint) => i64(u64(a) / nonZero(b)),
    'static long remainderUnsigned(long,long)': (a: bigint, b: bigint) => i64(u64(a) % nonZero(b)),
    'static long parseUnsignedLong(String)': (text: string) => i64(parseUnsigned(text, 10, 64)),
    'static long parseUnsignedLong(String,int)': (text: string, radix: number) => i64(parseUnsigned(text, radix, 64)),
    'static long reverse(long)': (value: bigint) => i64(BigInt(`0b${[...bits64(value).padStart(64, '0')].reverse().join('')}`)),
    'static long reverseBytes(long)': (value: bigint) => {
      const view = new DataView(new ArrayBuffer(8));
      view.setBigInt64(0, value);
      return view.getBigInt64(0, true);
    },
    'static String toUnsignedString(long,int)': (value: bigint, radix: number) => u64(value).toString(validRadix(radix)),
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

defineClass('java.lang.Short', ['java.lang.Number', 'java.lang.Comparable'], {
  of: Short,
  constants: { 'short MAX_VALUE': 32767, 'short MIN_VALUE': -32768, 'int SIZE': 16, 'int BYTES': 2 },
  members: {
    'static int compare(short,short)': (a: number, b: number) => a - b,
    'static short parseShort(String)': (text: string) => Number(parseWhole(text, 10, 16)),
    'static short parseShort(String,int)': (text: string, radix: number) => Number(parseWhole(text, radix, 16)),
    'static String toString(short)': String,
    'static int toUnsignedInt(short)': (value: number) => value & 0xffff,
    'static Short decode(String)': (text: string) => new Short(Number(decode(text, 16))),
    'static int hashCode(short)': (value: number) => value,
    'static short reverseBytes(short)': (value: number) => (((value & 0xff) << 24) >> 16) | ((value >> 8) & 0xff),
    'static long toUnsignedLong(short)': (value: number) => BigInt(value & 0xffff),
    'static Short valueOf(String,int)': (text: string, radix: number) => new Short(Number(parseWhole(text, radix, 16))),
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
    'static Byte decode(String)': (text: string) => new Byte(Number(decode(text, 8))),
    'static int hashCode(byte)': (value: number) => value,
    'static Byte valueOf(String,int)': (text: string, radix: number) => new Byte(Number(parseWhole(text, radix, 8))),
    'static Byte valueOf(byte)': (value: number) => new Byte(value),
    'int compareTo(Byte)': compareNatural,
  },
});
