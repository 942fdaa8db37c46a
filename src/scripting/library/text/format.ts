// String.format: the conversions of java.util.Formatter for text, chars, booleans, integers and decimals. Source: the API page of Formatter.
import { spendText } from '../../java/budget.ts';
import { classNameOf } from '../../java/class-of.ts';
import { raise } from '../../java/faults.ts';
import { hashOf, textOf } from '../../java/objects.ts';
import { Byte, Char, Double, Float, numeric, Short, type Value } from '../../java/values.ts';

const SPECIFIER = /%(?:(\d+)\$|(<))?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g;
const MAX_WIDTH = 10_000;

/** @throws ScriptFault: an unknown conversion, a missing or unsuitable argument */
export function formatText(pattern: string, args: readonly Value[]): string {
  let next = 0;
  let last = -1;
  let from = 0;
  let out = '';
  for (const found of pattern.matchAll(SPECIFIER)) {
    const [whole, explicit, relative, flags, widthText, precisionText, letter] = found;
    out += checked(pattern.slice(from, found.index));
    from = found.index + whole.length;
    const width = Math.min(Number(widthText ?? 0), MAX_WIDTH);
    if (letter === 'n') out += '\n';
    else if (letter === '%') out += padded('%', width, flags);
    else {
      const at = explicit ? Number(explicit) - 1 : relative ? last : next++;
      last = at;
      if (at < 0 || at >= args.length) raise('java.util.MissingFormatArgumentException', `Format specifier '${whole}'`);
      const precision = precisionText === undefined ? null : Math.min(Number(precisionText), MAX_WIDTH);
      const text = converted(args[at], letter.toLowerCase(), flags, precision, width);
      out += padded(/[A-Z]/.test(letter) ? text.toUpperCase() : text, width, flags);
    }
    spendText(out.length);
  }
  return out + checked(pattern.slice(from));
}

/** Literal text. A percent sign in it starts no valid specifier. */
function checked(text: string): string {
  const at = text.indexOf('%');
  if (at < 0) return text;
  const letter = /^%[-#+ 0,(\d.$<]*(.?)/.exec(text.slice(at))?.[1] ?? '';
  return raise('java.util.UnknownFormatConversionException', `Conversion = '${letter || '%'}'`);
}

function padded(text: string, width: number, flags: string): string {
  return flags.includes('-') ? text.padEnd(width) : text.padStart(width);
}

function converted(value: Value, letter: string, flags: string, precision: number | null, width: number): string {
  switch (letter) {
    case 's':
      return precision === null ? textOf(value) : textOf(value).slice(0, precision);
    case 'b':
      return String(typeof value === 'boolean' ? value : value !== null);
    case 'h':
      return value === null ? 'null' : (hashOf(value) >>> 0).toString(16);
    case 'c':
      if (value === null) return 'null';
      if (value instanceof Char) return value.toString();
      if (typeof value === 'number') return String.fromCodePoint(value);
      return unsuitable(letter, value);
    case 'd':
    case 'x':
    case 'o':
      return integer(value, letter, flags, width);
    case 'f':
    case 'e':
    case 'g':
      return decimal(value, letter, flags, precision ?? 6, width);
    default:
      return raise('java.util.UnknownFormatConversionException', `Conversion = '${letter}'`);
  }
}

function unsuitable(letter: string, value: Value): never {
  return raise('java.util.IllegalFormatConversionException', `${letter} != ${classNameOf(value)}`);
}

function integer(value: Value, letter: string, flags: string, width: number): string {
  if (value === null) return 'null';
  const number = numeric(value);
  if (number === null || value instanceof Double || value instanceof Float || value instanceof Char) return unsuitable(letter, value);
  const whole = BigInt(number);
  if (letter !== 'd') {
    const bits = typeof number === 'bigint' ? 64 : value instanceof Short ? 16 : value instanceof Byte ? 8 : 32;
    const digits = BigInt.asUintN(bits, whole).toString(letter === 'x' ? 16 : 8);
    const prefix = flags.includes('#') ? (letter === 'x' ? '0x' : '0') : '';
    return flags.includes('0') ? prefix + digits.padStart(width - prefix.length, '0') : prefix + digits;
  }
  return signed(String(whole < 0n ? -whole : whole), whole < 0n, flags, width);
}

/** Adds the sign, groups of thousands and leading zeros to the digits of a number. */
function signed(digits: string, isNegative: boolean, flags: string, width: number): string {
  const [whole, fraction] = digits.split('.');
  let text = flags.includes(',') ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  if (fraction !== undefined) text += `.${fraction}`;
  const [open, close] = isNegative
    ? flags.includes('(')
      ? ['(', ')']
      : ['-', '']
    : [flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '', ''];
  if (flags.includes('0')) text = text.padStart(width - open.length - close.length, '0');
  return open + text + close;
}

function decimal(value: Value, letter: string, flags: string, precision: number, width: number): string {
  if (value === null) return 'null';
  if (!(value instanceof Double || value instanceof Float)) return unsuitable(letter, value);
  const number = value.value;
  const isNegative = number < 0 || Object.is(number, -0);
  const size = Math.abs(number);
  if (!Number.isFinite(number))
    return signed(Number.isNaN(number) ? 'NaN' : 'Infinity', isNegative && !Number.isNaN(number), flags.replace('0', ''), width);
  if (letter === 'e') return signed(scientific(size, precision), isNegative, flags, width);
  if (letter === 'g') {
    const digits = precision === 0 ? 1 : precision;
    const isPlain = size === 0 || (size >= 1e-4 && size < 10 ** digits);
    const fraction = size === 0 ? digits - 1 : digits - 1 - Math.floor(Math.log10(size));
    return signed(isPlain ? fixed(size, Math.max(0, fraction)) : scientific(size, digits - 1), isNegative, flags, width);
  }
  return signed(fixed(size, precision), isNegative, flags, width);
}

function scientific(size: number, precision: number): string {
  const [mantissa, exponent] = size.toExponential(Math.min(precision, 100)).split('e');
  const power = Number(exponent);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Rounds halves of the shortest decimal up, as Java does, not halves of the binary value. */
function fixed(size: number, precision: number): string {
  if (size >= 1e21) return `${BigInt(size)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`;
  const [mantissa, exponentText] = size.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const scale = digits.length - 1 - Number(exponentText);
  let whole = BigInt(digits);
  if (scale > precision) {
    const unit = 10n ** BigInt(scale - precision);
    whole = (whole + unit / 2n) / unit;
  } else whole *= 10n ** BigInt(precision - scale);
  const text = whole.toString().padStart(precision + 1, '0');
  return precision === 0 ? text : `${text.slice(0, -precision)}.${text.slice(-precision)}`;
}
