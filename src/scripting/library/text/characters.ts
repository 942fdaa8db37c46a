// java.lang.Character.
import { category, isDigit, isLetter } from '../../../regex/characters.ts';
import { defineClass } from '../../java/class-info.ts';
import { raise } from '../../java/faults.ts';
import { compareNatural, textOf } from '../../java/objects.ts';
import { Char, type Value } from '../../java/values.ts';

const outOfText = (index: number): never => raise('java.lang.StringIndexOutOfBoundsException', `String index out of range: ${index}`);
const UPPERCASE = /^\p{Uppercase}$/u;
const LOWERCASE = /^\p{Lowercase}$/u;
/** The character of a code point; empty if there is none. */
const text = (code: number): string => (code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '');
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
    'static boolean isLowSurrogate(char)': (code: number) => code >= 0xdc00 && code <= 0xdfff,
    'static boolean isSurrogatePair(char,char)': (high: number, low: number) =>
      high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff,
    'static boolean isBmpCodePoint(int)': (code: number) => code >= 0 && code <= 0xffff,
    'static boolean isSupplementaryCodePoint(int)': (code: number) => code >= 0x10000 && code <= 0x10ffff,
    'static boolean isMirrored(int)': (code: number) => /^\p{Bidi_Mirrored}$/u.test(text(code)),
    'static int toCodePoint(char,char)': (high: number, low: number) => (high << 10) + low - 0x35fdc00,
    'static char highSurrogate(int)': (code: number) => ((code >>> 10) + 0xd7c0) & 0xffff,
    'static char lowSurrogate(int)': (code: number) => (code & 0x3ff) + 0xdc00,
    'static char reverseBytes(char)': (code: number) => ((code & 0xff) << 8) | (code >> 8),
    'static int codePointAt(CharSequence,int)': (value: Value, index: number) => textOf(value).codePointAt(index) ?? outOfText(index),
    'static int codePointBefore(CharSequence,int)': (value: Value, index: number) => {
      const before = textOf(value).slice(Math.max(0, index - 2), index);
      return index < 1 || index > textOf(value).length
        ? outOfText(index - 1)
        : ([...before].at(-1)?.codePointAt(0) ?? outOfText(index - 1));
    },
    'static int codePointCount(CharSequence,int,int)': (value: Value, from: number, to: number) => {
      const whole = textOf(value);
      return from < 0 || to > whole.length || from > to
        ? raise('java.lang.IndexOutOfBoundsException', null)
        : [...whole.slice(from, to)].length;
    },
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
