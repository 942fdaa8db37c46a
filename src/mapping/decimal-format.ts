// Number patterns of java.text.DecimalFormat, as `format` takes them for numbers: `#,##0.00`, `0.0E0`, `000`, `#%`, `$#;($#)`. English symbols.
// Rounds half to even, as Java does. Source: the API page of DecimalFormat.
import { ApiError } from '../errors/api-error.ts';
import { illegalArgument } from '../errors/catalog.ts';

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
    if (parts.number.includes('E') && !/^0+$/.test(exponent)) throw malformed(pattern);
    this.#exponentDigits = exponent.length;
    const [integer, fraction = ''] = mantissa.split('.');
    if (!/^[#,]*[0,]*$/.test(integer) || !/^0*#*$/.test(fraction) || integer.endsWith(',')) throw malformed(pattern);
    const comma = integer.lastIndexOf(',');
    this.#grouping = comma < 0 ? 0 : integer.length - comma - 1;
    const digits = integer.replaceAll(',', '');
    this.#minInteger = digits.replaceAll('#', '').length;
    this.#maxInteger = digits.length;
    this.#minFraction = fraction.replaceAll('#', '').length;
    this.#maxFraction = fraction.length;
    // "#.##" without any zero still shows at least something.
    if (this.#minInteger === 0 && this.#maxFraction === 0 && !mantissa.includes('.') && digits.length === 0) this.#maxInteger = 309;
  }

  format(value: number): string {
    if (Number.isNaN(value)) return 'NaN';
    const negative = value < 0 || Object.is(value, -0);
    const { prefix, suffix } = negative ? this.#negative : this.#positive;
    const abs = Math.abs(value) * this.#multiplier;
    if (!Number.isFinite(abs)) return `${prefix}∞${suffix}`;
    const text = this.#exponentDigits > 0 ? this.#scientific(abs) : this.#plain(abs);
    // Zero after rounding has no sign.
    if (negative && !/[1-9]/.test(text)) return `${Object.is(value, -0) || value < 0 ? '-' : ''}${this.#positive.prefix}${text}${suffix}`;
    return `${prefix}${text}${suffix}`;
  }

  #plain(abs: number): string {
    const [whole, fraction] = roundHalfEven(abs, this.#maxFraction);
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
    // With optional integer digits the exponent is a multiple of their count (engineering notation).
    exponent =
      this.#maxInteger > this.#minInteger && this.#maxInteger > 1
        ? Math.floor(exponent / this.#maxInteger) * this.#maxInteger
        : exponent - integerDigits + 1;
    const mantissa = this.#plain(Number(`${abs}e${-exponent}`) || abs / 10 ** exponent);
    return `${mantissa}E${exponent < 0 ? '-' : ''}${String(Math.abs(exponent)).padStart(this.#exponentDigits, '0')}`;
  }

  #group(integer: string): string {
    return this.#grouping === 0 ? integer : integer.replace(new RegExp(`\\B(?=(\\d{${this.#grouping}})+$)`, 'g'), ',');
  }

  /** Reads a number in this format. @throws ApiError parse_exception */
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

function malformed(pattern: string): ApiError {
  return illegalArgument(`Malformed pattern "${pattern}"`);
}

/** Parts for positive and negative numbers, split at a semicolon outside quotes. */
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
    if (isNumber) throw malformed(pattern);
    if (place === 'number') place = 'suffix';
    let literal = char;
    if (char === "'") {
      const end = part.indexOf("'", i + 1);
      if (end < 0) throw malformed(pattern);
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

/** Decimal digits of a double's shortest text, rounded half to even: whole part and `places` digits. */
function roundHalfEven(abs: number, places: number): [string, string] {
  const [mantissa, exponentText = '0'] = String(abs).split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  const exponent = Number(exponentText);
  let digits = whole + fraction;
  let point = whole.length + exponent;
  if (point <= 0) {
    digits = '0'.repeat(1 - point) + digits;
    point = 1;
  }
  digits = digits.padEnd(point, '0');
  const keep = point + places;
  if (digits.length <= keep) {
    digits = digits.padEnd(keep, '0');
  } else {
    const rest = digits.slice(keep);
    let kept = BigInt(digits.slice(0, keep) || '0');
    const half = `5${'0'.repeat(rest.length - 1)}`;
    if (rest > half || (rest === half && kept % 2n === 1n)) kept++;
    digits = kept.toString().padStart(keep, '0');
    if (digits.length > keep) point++;
  }
  return [digits.slice(0, point).replace(/^0+(?=\d)/, ''), digits.slice(point)];
}
