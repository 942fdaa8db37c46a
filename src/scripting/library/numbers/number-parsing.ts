// Numbers in strings, as the classes of java.lang parse them.
import { raise } from '../../java/faults.ts';

function badNumber(text: string | null, radix = 10): never {
  if (text === null) return raise('java.lang.NumberFormatException', 'Cannot parse null string');
  return raise('java.lang.NumberFormatException', `For input string: "${text}"${radix === 10 ? '' : ` under radix ${radix}`}`);
}

/** An integer in a radix within `bits` bits. @throws ScriptFault NumberFormatException */
export function parseWhole(text: string | null, radix: number, bits: number): bigint {
  if (text !== null && (radix < 2 || radix > 36))
    return raise(
      'java.lang.NumberFormatException',
      `radix ${radix} ${radix < 2 ? 'less than Character.MIN_RADIX' : 'greater than Character.MAX_RADIX'}`,
    );
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

/** An integer that is not negative. @throws ScriptFault NumberFormatException */
export function parseUnsigned(text: string | null, radix: number, bits: number): bigint {
  if (text?.startsWith('-')) return raise('java.lang.NumberFormatException', `Illegal leading minus sign on unsigned string ${text}.`);
  return parseWhole(text, radix, bits + 1);
}

export function decode(text: string, bits: number): bigint {
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
