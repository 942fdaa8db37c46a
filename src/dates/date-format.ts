// The `format` of a mapping or request: one or more formats joined by ||. Any of them parses, the first one prints.
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { DateFields, type DateInstant } from './date-fields.ts';
import { DateView } from './date-view.ts';
import { parseCommonIso, parseIso } from './iso.ts';
import { ISO_FORMATS, namedPattern } from './named-formats.ts';
import { compilePattern } from './pattern.ts';
import { type PatternElement, parseElements, printElements } from './pattern-elements.ts';
import { type TimeZone, UTC } from './zones.ts';

interface SingleFormat {
  /** @returns null if the string does not have this format */
  parse(text: string, zone: TimeZone, roundUp: boolean): DateInstant | null;
  print(ms: number, nanos: number, zone: TimeZone): string;
}

const fields = new DateFields();

class IsoFormat implements SingleFormat {
  readonly #strict: boolean;
  readonly #print: readonly PatternElement[];
  constructor(strict: boolean, print: string) {
    this.#strict = strict;
    this.#print = compilePattern(print);
  }
  parse(text: string, zone: TimeZone, roundUp: boolean): DateInstant | null {
    fields.clear();
    return parseIso(text, fields, this.#strict) ? fields.resolve(zone, roundUp) : null;
  }
  print(ms: number, nanos: number, zone: TimeZone): string {
    return printElements(this.#print, new DateView(ms, nanos, zone));
  }
}

class PatternFormat implements SingleFormat {
  readonly #elements: readonly PatternElement[];
  constructor(elements: readonly PatternElement[]) {
    this.#elements = elements;
  }
  parse(text: string, zone: TimeZone, roundUp: boolean): DateInstant | null {
    fields.clear();
    return parseElements(this.#elements, text, 0, fields) === text.length ? fields.resolve(zone, roundUp) : null;
  }
  print(ms: number, nanos: number, zone: TimeZone): string {
    return printElements(this.#elements, new DateView(ms, nanos, zone));
  }
  outOfRange(text: string): string | null {
    fields.clear();
    return parseElements(this.#elements, text, 0, fields) === text.length ? fields.outOfRange() : null;
  }
}

/** Largest absolute value of epoch milliseconds, which is that of Date. */
const MAX_MS = 8.64e15;

class EpochFormat implements SingleFormat {
  readonly #unitMs: number;
  readonly #pattern: RegExp;
  constructor(unitMs: 1 | 1000) {
    this.#unitMs = unitMs;
    this.#pattern = unitMs === 1 ? /^(-?)(\d+)(?:\.(\d{1,6}))?$/ : /^(-?)(\d+)(?:\.(\d{1,9}))?$/;
  }
  parse(text: string, _zone: TimeZone, roundUp: boolean): DateInstant | null {
    const match = this.#pattern.exec(text);
    if (!match) return null;
    const [, minus, whole, fraction] = match;
    const unitNanos = this.#unitMs * 1e6;
    // When rounding up, absent fields take their maximum.
    let nanos = fraction ? Number(fraction.padEnd(this.#unitMs === 1 ? 6 : 9, '0')) : roundUp ? unitNanos - 1 : 0;
    let ms = Number(whole) * this.#unitMs;
    if (minus && ms !== 0) {
      ms = -ms;
      if (fraction) {
        ms -= nanos > 0 ? this.#unitMs : 0;
        nanos = nanos > 0 ? unitNanos - nanos : 0;
      }
    }
    ms += Math.floor(nanos / 1e6);
    return Math.abs(ms) <= MAX_MS ? { ms, nanos: nanos % 1e6 } : null;
  }
  print(ms: number, nanos: number): string {
    const unit = Math.floor(ms / this.#unitMs);
    const rest = (ms - unit * this.#unitMs) * 1e6 + nanos;
    if (rest === 0) return String(unit);
    return `${unit}.${String(rest)
      .padStart(this.#unitMs === 1 ? 6 : 9, '0')
      .replace(/0+$/, '')}`;
  }
}

/** Formats are compiled wherever a mapping or pipeline is first used, also in threads with a listener. */
const MAX_PATTERN_CHARS = 10_000;

function singleFormat(name: string, whole: string): SingleFormat {
  if (name === 'epoch_millis') return new EpochFormat(1);
  if (name === 'epoch_second') return new EpochFormat(1000);
  const iso = Object.hasOwn(ISO_FORMATS, name) ? ISO_FORMATS[name] : undefined;
  if (iso) return new IsoFormat(iso.strict, iso.print);
  const named = namedPattern(name);
  try {
    return new PatternFormat(named ? compilePattern(named.pattern, named.lenient) : compilePattern(name));
  } catch (error) {
    if (error instanceof ApiError) throw illegalArgumentError(`Invalid format: [${whole}]: ${error.reason}`, error);
    throw error;
  }
}

export class DateFormatter {
  /** As specified: `yyyy-MM-dd||epoch_millis`. */
  readonly pattern: string;
  readonly #formats: readonly SingleFormat[];
  /** True if strings may have the common ISO form, for which the hand-written parser is tried first. */
  readonly #isoFirst: boolean;
  /** True if numbers of five or more digits can only be epoch_millis. */
  readonly #takesMillis: boolean;

  private constructor(pattern: string) {
    if (pattern.length > MAX_PATTERN_CHARS) {
      throw illegalArgumentError(`Invalid format: longer than ${MAX_PATTERN_CHARS} characters: [${pattern.slice(0, 100)}...]`);
    }
    this.pattern = pattern;
    const names = pattern.split('||').map((name) => (name.startsWith('8') ? name.slice(1) : name));
    if (names.some((name) => name === '')) throw illegalArgumentError('No date pattern provided');
    this.#formats = names.map((name) => singleFormat(name, name));
    this.#isoFirst = Object.hasOwn(ISO_FORMATS, names[0]);
    this.#takesMillis = this.#isoFirst && names[0].startsWith('strict_') && names[1] === 'epoch_millis';
  }

  static readonly #cache = new Map<string, DateFormatter>();

  /** @throws ApiError illegal_argument_exception */
  static of(pattern: string): DateFormatter {
    let formatter = DateFormatter.#cache.get(pattern);
    if (!formatter) {
      formatter = new DateFormatter(pattern);
      if (DateFormatter.#cache.size > 1000) DateFormatter.#cache.clear();
      DateFormatter.#cache.set(pattern, formatter);
    }
    return formatter;
  }

  /** Milliseconds of a document's value, floored. @throws ApiError as `parse` */
  parseMs(value: string | number): number {
    if (typeof value === 'number') {
      if (this.#takesMillis && value >= 10_000 && value <= MAX_MS) return Math.floor(value);
      return this.parse(numberText(value)).ms;
    }
    if (this.#isoFirst) {
      const ms = parseCommonIso(value);
      if (!Number.isNaN(ms)) return ms;
    }
    return this.parse(value).ms;
  }

  /**
   * Absent fields become 1 (month, day) or 0, or the end of the day when rounding up.
   * @throws ApiError illegal_argument_exception caused by date_time_parse_exception
   */
  parse(text: string, zone: TimeZone = UTC, roundUp = false): DateInstant {
    const instant = this.tryParse(text, zone, roundUp);
    if (instant) return instant;
    if (text === '') throw illegalArgumentError('cannot parse empty date');
    throw illegalArgumentError(
      `failed to parse date field [${text}] with format [${this.pattern}]`,
      new ApiError(
        'date_time_parse_exception',
        400,
        this.#formats.length === 1 ? `Text '${text}' could not be parsed at index 0` : 'Failed to parse with all enclosed parsers',
      ),
    );
  }

  tryParse(text: string, zone: TimeZone = UTC, roundUp = false): DateInstant | null {
    for (const format of this.#formats) {
      const instant = format.parse(text, zone, roundUp);
      if (instant) return instant;
    }
    return null;
  }

  /**
   * java.time's message for a string of the pattern's form whose month or day does not exist; null if the string does not have the form. Only years
   * of an era (`y`) are resolved so late that it is not a parse error.
   */
  outOfRange(text: string): string | null {
    const [format] = this.#formats;
    const isPlain = this.#formats.length === 1 && format instanceof PatternFormat && namedPattern(this.pattern) === null;
    return isPlain && this.pattern.includes('y') ? format.outOfRange(text) : null;
  }

  print(ms: number, zone: TimeZone = UTC, nanos = 0): string {
    return this.#formats[0].print(ms, nanos, zone);
  }
}

/** A JSON number as a date string, without an exponent. */
export function numberText(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}
