// Number patterns of java.text.DecimalFormat for `format` of numbers: `#,##0.00`, `0.0E0`, `000`, `#%`, `$#;($#)`. English symbols.
// Rounds half to even, as Java does. Source: the API page of DecimalFormat.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

interface Affixes {
  readonly prefix: string;
  readonly suffix: string;
}

const cache = new Map<string, DecimalFormat>();

export class DecimalFormat {
  readonly pattern: string;
  readonly #positive: Affixes;
  readonly #negative: Affixes;
  readonly #minInteger: number;
  readonly #maxInteger: number;
  readonly #minFraction: number;
  readonly #maxFraction: number;
  readonly #grouping: number;
  readonly #exponentDigits: number;
  readonly #multiplier: number;

  static of(pattern: string): DecimalFormat {
    let format = cache.get(pattern);
    if (!format) {
      format = new DecimalFormat(pattern);
      if (cache.size > 500) cache.clear();
      cache.set(pattern, format);
    }
    return format;
  }

  /** @throws ApiError illegal_argument_exception: malformed pattern */
  private constructor(pattern: string) {
    this.pattern = pattern;
    const [positive, negative] = splitParts(pattern);
    const parts = readPart(positive, pattern);
    this.#positive = parts;
    const other = negative === undefined ? null : readPart(negative, pattern);
    this.#negative = other ?? { prefix: `-${parts.prefix}`, suffix: parts.suffix };
    this.#multiplier = parts.multiplier;
    const [mantissa, exponent = ''] = parts.number.split('E');
    if (parts.number.includes('E') && !/^0+$/.test(exponent)) throw malformedPatternError(pattern);
    this.#exponentDigits = exponent.length;
    const [integer, fraction = ''] = mantissa.split('.');
    if (mantissa.split('.').length > 2 || !/^[#,]*[0,]*$/.test(integer) || !/^0*#*$/.test(fraction) || integer.endsWith(','))
      throw malformedPatternError(pattern);
    // An empty pattern limits no digits, and groups them.
    const comma = integer.lastIndexOf(',');
    this.#grouping = pattern === '' ? 3 : comma < 0 ? 0 : integer.length - comma - 1;
    const digits = integer.replaceAll(',', '');
    this.#minInteger = digits.replaceAll('#', '').length;
    this.#maxInteger = pattern === '' ? 309 : digits.length;
    this.#minFraction = fraction.replaceAll('#', '').length;
    this.#maxFraction = pattern === '' ? 340 : fraction.length;
    // "#.##" has no mandatory digit but must print at least one.
    if (this.#minInteger === 0 && this.#maxFraction === 0 && !mantissa.includes('.') && digits.length === 0) this.#maxInteger = 309;
  }

  format(value: number): string {
    if (Number.isNaN(value)) return 'NaN';
    const negative = value < 0 || Object.is(value, -0);
    const { prefix, suffix } = negative ? this.#negative : this.#positive;
    const abs = Math.abs(value) * this.#multiplier;
    if (!Number.isFinite(abs)) return `${prefix}∞${suffix}`;
    const text = this.#exponentDigits > 0 ? this.#scientific(abs) : this.#plain(abs);
    // A value that rounds to zero has no sign.
    if (negative && !/[1-9]/.test(text)) return `${Object.is(value, -0) || value < 0 ? '-' : ''}${this.#positive.prefix}${text}${suffix}`;
    return `${prefix}${text}${suffix}`;
  }

  #plain(abs: number, places = this.#maxFraction): string {
    const [whole, fraction] = roundHalfEven(abs, places);
    let integer = whole === '0' ? '' : whole;
    integer = integer.padStart(this.#minInteger, '0');
    let end = fraction.length;
    while (end > this.#minFraction && fraction[end - 1] === '0') end--;
    const shown = fraction.slice(0, end);
    if (integer === '' && shown === '') integer = '0';
    return shown === '' ? this.#group(integer) : `${this.#group(integer)}.${shown}`;
  }

  #scientific(abs: number): string {
    let exponent = abs === 0 ? 0 : Number(abs.toExponential().split('e')[1]);
    const integerDigits = Math.max(1, this.#minInteger);
    // With optional integer digits, the exponent is a multiple of their number and the number of significant digits is fixed (engineering notation).
    const engineering = this.#maxInteger > this.#minInteger && this.#maxInteger > 1;
    const leading = exponent;
    exponent = engineering ? Math.floor(exponent / this.#maxInteger) * this.#maxInteger : exponent - integerDigits + 1;
    const significant = this.#minInteger + this.#maxFraction;
    const places = engineering ? Math.max(0, significant - (leading - exponent + 1)) : this.#maxFraction;
    const mantissa = this.#plain(Number(`${abs}e${-exponent}`) || abs / 10 ** exponent, places);
    return `${mantissa}E${exponent < 0 ? '-' : ''}${String(Math.abs(exponent)).padStart(this.#exponentDigits, '0')}`;
  }

  #group(integer: string): string {
    return this.#grouping === 0 ? integer : integer.replace(new RegExp(`\\B(?=(\\d{${this.#grouping}})+$)`, 'g'), ',');
  }

  /** Parses a number in this format. @throws ApiError parse_exception */
  parse(text: string): number {
    const negative =
      this.#negative.prefix !== this.#positive.prefix && text.startsWith(this.#negative.prefix) && this.#negative.prefix !== '';
    const { prefix, suffix } = negative ? this.#negative : this.#positive;
    let body = text.startsWith(prefix) ? text.slice(prefix.length) : text;
    if (suffix !== '' && body.endsWith(suffix)) body = body.slice(0, -suffix.length);
    const match = /^[\d,]*\.?\d*(?:E-?\d+)?/.exec(body);
    const number = match && /\d/.test(match[0]) ? Number(match[0].replaceAll(',', '')) : Number.NaN;
    if (Number.isNaN(number))
      throw new ApiError('runtime_exception', 400, `Cannot parse the value [${text}] using the pattern [${this.pattern}]`);
    return (negative ? -number : number) / this.#multiplier;
  }
}

function malformedPatternError(pattern: string): ApiError {
  return illegalArgumentError(`Malformed pattern "${pattern}"`);
}

/** The subpatterns for positive and negative numbers, split at a semicolon outside quotes. */
function splitParts(pattern: string): [string, string | undefined] {
  let quoted = false;
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === "'") quoted = !quoted;
    else if (pattern[i] === ';' && !quoted) return [pattern.slice(0, i), pattern.slice(i + 1)];
  }
  return [pattern, undefined];
}

function readPart(part: string, pattern: string): Affixes & { number: string; multiplier: number } {
  let prefix = '';
  let number = '';
  let suffix = '';
  let multiplier = 1;
  let place: 'prefix' | 'number' | 'suffix' = 'prefix';
  for (let i = 0; i < part.length; i++) {
    const char = part[i];
    const isNumber = '#0,.'.includes(char) || (char === 'E' && place === 'number' && part[i + 1] === '0');
    if (isNumber && place !== 'suffix') {
      place = 'number';
      number += char;
      continue;
    }
    if (isNumber) throw malformedPatternError(pattern);
    if (place === 'number') place = 'suffix';
    let literal = char;
    if (char === "'") {
      const end = part.indexOf("'", i + 1);
      if (end < 0) throw malformedPatternError(pattern);
      literal = end === i + 1 ? "'" : part.slice(i + 1, end);
      i = end;
    } else if (char === '%') multiplier = 100;
    else if (char === '\u2030') multiplier = 1000;
    else if (char === '\u00a4') literal = '$';
    if (place === 'prefix') prefix += literal;
    else suffix += literal;
  }
  return { prefix, suffix, number, multiplier };
}

const f64 = new Float64Array(1);
const u64 = new BigUint64Array(f64.buffer);

/** From here on doubles are integers, of which Java prints the digits that tell them apart, followed by zeros. */
const FIRST_INTEGER_ONLY = 2 ** 53;

/** Digits of an integer in the shortest form that reads back as the same double. */
function shortestDigits(integer: number): string {
  const [mantissa, exponent = '0'] = String(integer).split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  return whole + fraction.padEnd(Number(exponent), '0');
}

/** Rounds a finite double >= 0 half to even by its exact binary value, as Java does: integer part and `places` digits. */
function roundHalfEven(abs: number, places: number): [string, string] {
  if (abs >= FIRST_INTEGER_ONLY) return [shortestDigits(abs), '0'.repeat(places)];
  f64[0] = abs;
  const exponentBits = Number(u64[0] >> 52n);
  const fraction = u64[0] & ((1n << 52n) - 1n);
  // abs = mantissa * 2^-shift
  const mantissa = exponentBits === 0 ? fraction : fraction | (1n << 52n);
  const shift = BigInt(1075 - Math.max(1, exponentBits));
  const scaled = mantissa * 10n ** BigInt(places);
  let rounded: bigint;
  if (shift <= 0n) rounded = scaled << -shift;
  else {
    rounded = scaled >> shift;
    const rest = scaled - (rounded << shift);
    const half = 1n << (shift - 1n);
    if (rest > half || (rest === half && (rounded & 1n) === 1n)) rounded++;
  }
  const digits = rounded.toString().padStart(places + 1, '0');
  return [digits.slice(0, digits.length - places), digits.slice(digits.length - places)];
}
