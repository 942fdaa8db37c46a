// DateTimeFormatter: the formats of ISO 8601 and patterns with English names.
import { DateFields } from '../../../dates/date-fields.ts';
import { parseIso } from '../../../dates/iso.ts';
import { compilePattern } from '../../../dates/pattern.ts';
import { type PatternElement, parseElements, printElements } from '../../../dates/pattern-elements.ts';
import { formatOffset, type TimeZone, UTC } from '../../../dates/zones.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { defineClass } from '../../java/class-info.ts';
import { illegalArgument, raise } from '../../java/faults.ts';
import type { Value } from '../../java/values.ts';
import { type FieldValue, fieldNamed, fieldOf } from './field-value.ts';
import { OBJECT } from './interfaces.ts';
import { Instant, instantNanos, inZone, LocalDate, LocalDateTime, LocalTime, type Temporal, zonedAt, zonedNanos } from './temporal.ts';
import { dateText, ZonedTime } from './zoned-time.ts';
import { type Zone, zoneNamed } from './zones.ts';

/** java.time.format.DateTimeFormatter. */
export class Formatter {
  readonly elements: readonly PatternElement[] | null;
  readonly print: ((time: Temporal) => string) | null;
  readonly zone: TimeZone | null;
  /** Fields that a temporal must have. */
  readonly needs: readonly FieldValue[];
  readonly #shown: string;
  constructor(
    shown: string,
    elements: readonly PatternElement[] | null,
    print: ((time: Temporal) => string) | null = null,
    zone: TimeZone | null = null,
    needs: readonly FieldValue[] = [],
  ) {
    this.needs = needs;
    this.#shown = shown;
    this.elements = elements;
    this.print = print;
    this.zone = zone;
  }
  static ofPattern(pattern: string): Formatter {
    try {
      return new Formatter(pattern, compilePattern(pattern), null, null, fieldsOfPattern(pattern));
    } catch (error) {
      return illegalArgument(error instanceof ApiError ? error.message : String(error));
    }
  }
  format(time: Temporal): string {
    const shown =
      this.zone && !(time instanceof LocalDateTime || time instanceof LocalDate || time instanceof LocalTime)
        ? zonedAt(instantNanos(time), this.zone)
        : time;
    for (const field of this.needs) fieldOf(shown, field);
    return this.elements ? printElements(this.elements, shown.view) : (this.print?.(shown) ?? '');
  }
  withZone(zone: TimeZone): Formatter {
    return new Formatter(this.#shown, this.elements, this.print, zone, this.needs);
  }
  /** @throws ScriptFault DateTimeParseException */
  parse(text: string): DateFields {
    const fields = new DateFields();
    const isParsed = this.elements ? parseElements(this.elements, text, 0, fields) === text.length : parseIso(text, fields, true);
    if (!isParsed) return raise('java.time.format.DateTimeParseException', `Text '${text}' could not be parsed at index 0`);
    if (this.zone && !fields.zone) fields.zone = this.zone;
    return fields;
  }
  toString(): string {
    return this.#shown;
  }
}

const LETTERS: Readonly<Record<string, string>> = {
  G: 'ERA',
  y: 'YEAR_OF_ERA',
  u: 'YEAR',
  M: 'MONTH_OF_YEAR',
  L: 'MONTH_OF_YEAR',
  d: 'DAY_OF_MONTH',
  D: 'DAY_OF_YEAR',
  E: 'DAY_OF_WEEK',
  a: 'AMPM_OF_DAY',
  h: 'CLOCK_HOUR_OF_AMPM',
  K: 'HOUR_OF_AMPM',
  k: 'CLOCK_HOUR_OF_DAY',
  H: 'HOUR_OF_DAY',
  m: 'MINUTE_OF_HOUR',
  s: 'SECOND_OF_MINUTE',
  S: 'NANO_OF_SECOND',
  n: 'NANO_OF_SECOND',
  A: 'MILLI_OF_DAY',
  N: 'NANO_OF_DAY',
  X: 'OFFSET_SECONDS',
  x: 'OFFSET_SECONDS',
  Z: 'OFFSET_SECONDS',
};

/** The fields that the letters of a pattern print, without quoted text and optional sections. */
function fieldsOfPattern(pattern: string): FieldValue[] {
  let plain = pattern.replaceAll(/'(?:[^']|'')*'/g, '');
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replaceAll(/\[[^[\]]*(?:\]|$)/g, '');
  }
  return [...new Set(plain)].flatMap((letter) => (LETTERS[letter] ? [fieldNamed(LETTERS[letter])] : []));
}

const isoTime = (time: Temporal): string => {
  const { hour, minute, second, nano } = time.view;
  const two = (value: number): string => String(value).padStart(2, '0');
  const fraction = nano === 0 ? '' : `.${String(nano).padStart(9, '0').replace(/0+$/, '')}`;
  return `${two(hour)}:${two(minute)}:${two(second)}${fraction}`;
};
const offsetOf = (time: Temporal): string => (time instanceof ZonedTime ? formatOffset(time.view.offsetMs / 1000, true) : '');
const isoDateTime = (time: Temporal): string => `${dateText(time.view)}T${isoTime(time)}`;
const zoneSuffix = (time: Temporal): string => (time instanceof ZonedTime && time.zone.id !== offsetOf(time) ? `[${time.zone.id}]` : '');
/** A formatter of ISO 8601 for temporals with the given fields. */
const named = (shown: string, print: (time: Temporal) => string, needs: string): Formatter =>
  new Formatter(shown, null, print, null, needs.split(' ').map(fieldNamed));
const FORMATTERS: Readonly<Record<string, Formatter>> = {
  ISO_DATE: named('ISO_DATE', (time) => dateText(time.view) + offsetOf(time), 'YEAR'),
  ISO_LOCAL_DATE: named('ISO_LOCAL_DATE', (time) => dateText(time.view), 'YEAR'),
  ISO_TIME: named('ISO_TIME', (time) => isoTime(time) + offsetOf(time), 'HOUR_OF_DAY'),
  ISO_LOCAL_TIME: named('ISO_LOCAL_TIME', isoTime, 'HOUR_OF_DAY'),
  ISO_DATE_TIME: named('ISO_DATE_TIME', (time) => isoDateTime(time) + offsetOf(time) + zoneSuffix(time), 'YEAR HOUR_OF_DAY'),
  ISO_LOCAL_DATE_TIME: named('ISO_LOCAL_DATE_TIME', isoDateTime, 'YEAR HOUR_OF_DAY'),
  ISO_OFFSET_DATE_TIME: named('ISO_OFFSET_DATE_TIME', (time) => isoDateTime(time) + offsetOf(time), 'YEAR HOUR_OF_DAY OFFSET_SECONDS'),
  ISO_ZONED_DATE_TIME: named(
    'ISO_ZONED_DATE_TIME',
    (time) => isoDateTime(time) + offsetOf(time) + zoneSuffix(time),
    'YEAR HOUR_OF_DAY OFFSET_SECONDS',
  ),
  ISO_INSTANT: named('ISO_INSTANT', (time) => String(new Instant(instantNanos(time))), 'INSTANT_SECONDS'),
  BASIC_ISO_DATE: new Formatter('BASIC_ISO_DATE', compilePattern('yyyyMMdd'), null, null, fieldsOfPattern('uuuuMMdd')),
};

export function cannotParse(text: string): never {
  return raise('java.time.format.DateTimeParseException', `Text '${text}' could not be parsed at index 0`);
}

/** Parses with a formatter. @returns local nanoseconds and the zone of the text */
export function parsed(text: string, formatter: Formatter): { local: bigint; zone: TimeZone | null } {
  const fields = formatter.parse(text);
  const { zone } = fields;
  fields.zone = null;
  if (fields.outOfRange() !== null)
    return raise('java.time.format.DateTimeParseException', `Text '${text}' could not be parsed: ${fields.outOfRange()}`);
  const instant = fields.resolve(UTC, false);
  return instant ? { local: BigInt(instant.ms) * 1_000_000n + BigInt(instant.nanos), zone } : cannotParse(text);
}

export const ISO = new Formatter('ISO', null);
export const LOCAL_TIME = Formatter.ofPattern('HH:mm[:ss][.SSS]');

export function parseZoned(text: string, formatter: Formatter = ISO): ZonedTime {
  const region = /\[([^\]]+)\]$/.exec(text);
  const { local, zone } = parsed(region && formatter === ISO ? text.slice(0, region.index) : text, formatter);
  const at = zone ?? cannotParse(text);
  const result = inZone(local, at);
  return region && formatter === ISO ? zonedAt(zonedNanos(result), zoneNamed(region[1])) : result;
}

defineClass('java.time.format.DateTimeFormatter', OBJECT, {
  of: Formatter,
  constants: Object.fromEntries(Object.entries(FORMATTERS).map(([name, formatter]) => [`DateTimeFormatter ${name}`, formatter])),
  members: {
    'static DateTimeFormatter ofPattern(String)': Formatter.ofPattern,
    'static DateTimeFormatter ofPattern(String,Locale)': (pattern: string) => Formatter.ofPattern(pattern),
    'String format(TemporalAccessor)': (self: Formatter, time: Temporal) => self.format(time),
    'TemporalAccessor parse(CharSequence)': (self: Formatter, text: Value) => {
      const { local, zone } = parsed(String(text), self);
      return zone ? inZone(local, zone) : new LocalDateTime(local);
    },
    'DateTimeFormatter withZone(ZoneId)': (self: Formatter, { zone }: Zone) => self.withZone(zone),
    'DateTimeFormatter withLocale(Locale)': (self: Formatter) => self,
    'String toString()': String,
  },
});
