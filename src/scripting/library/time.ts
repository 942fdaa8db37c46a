// java.time: dates, times, instants, durations and periods of the ISO calendar; formatters by pattern with English names. A date and time without
// zone is kept as if it were in UTC.
import { civilFromDays, daysFromCivil, daysInMonth, isLeapYear } from '../../dates/civil.ts';
import { DateFields } from '../../dates/date-fields.ts';
import { DateView } from '../../dates/date-view.ts';
import { parseIso } from '../../dates/iso.ts';
import { compilePattern } from '../../dates/pattern.ts';
import { type PatternElement, parseElements, printElements } from '../../dates/pattern-elements.ts';
import { findZone, formatOffset, type TimeZone, UTC } from '../../dates/zones.ts';
import { ApiError } from '../../errors/api-error.ts';
import { type ClassTable, defineClass, type Implementation } from '../java/class-info.ts';
import { illegalArgument, raise } from '../java/faults.ts';
import { equal, hashOf } from '../java/objects.ts';
import type { Value } from '../java/values.ts';
import { dateText, fractionText, timeText, ZonedTime } from './zoned-time.ts';

const DAY_NANOS = 86_400_000_000_000n;
const badTime = (message: string): never => raise('java.time.DateTimeException', message);
const unsupported = (what: string): never => raise('java.time.temporal.UnsupportedTemporalTypeException', what);
const floorDiv = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b;

/** An instant on the time line, or a local date and time as if it were in UTC: nanoseconds since the epoch. */
abstract class NanoTime {
  readonly nanos: bigint;
  #view: DateView | null = null;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
  get ms(): number {
    return Number(floorDiv(this.nanos, 1_000_000n));
  }
  get view(): DateView {
    this.#view ??= new DateView(this.ms, Number(this.nanos - BigInt(this.ms) * 1_000_000n), UTC);
    return this.#view;
  }
  equalTo(other: Value): boolean {
    return other instanceof NanoTime && other.constructor === this.constructor && other.nanos === this.nanos;
  }
  hash(): number {
    return hashOf(BigInt.asIntN(64, this.nanos));
  }
  compareTo(other: Value): number {
    const difference = this.nanos - (other as NanoTime).nanos;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
}
class Instant extends NanoTime {
  override toString(): string {
    const { view } = this;
    const two = (value: number): string => String(value).padStart(2, '0');
    return `${dateText(view)}T${two(view.hour)}:${two(view.minute)}:${two(view.second)}${fractionText(view.nano)}Z`;
  }
}
class LocalDateTime extends NanoTime {
  override toString(): string {
    return `${dateText(this.view)}T${timeText(this.view)}`;
  }
}
class LocalDate extends NanoTime {
  override toString(): string {
    return dateText(this.view);
  }
}
class LocalTime extends NanoTime {
  override toString(): string {
    return timeText(this.view);
  }
}

type Temporal = NanoTime | ZonedTime;

const zonedNanos = ({ ms, extraNanos }: ZonedTime): bigint => BigInt(ms) * 1_000_000n + BigInt(extraNanos);
const zonedAt = (nanos: bigint, zone: TimeZone): ZonedTime => {
  const ms = floorDiv(nanos, 1_000_000n);
  return new ZonedTime(Number(ms), Number(nanos - ms * 1_000_000n), zone);
};
/** Local time of a temporal, as if it were in UTC. */
const localNanos = (time: Temporal): bigint =>
  time instanceof ZonedTime ? zonedNanos(time) + BigInt(time.view.offsetMs) * 1_000_000n : time.nanos;
const instantNanos = (time: Temporal): bigint => (time instanceof ZonedTime ? zonedNanos(time) : time.nanos);
/** A local time in a zone. */
const inZone = (local: bigint, zone: TimeZone): ZonedTime => {
  const ms = floorDiv(local, 1_000_000n);
  return new ZonedTime(zone.toUtc(Number(ms)), Number(local - ms * 1_000_000n), zone);
};
/** A temporal of the same class with another local time. */
function withLocal<T extends Temporal>(time: T, local: bigint): T {
  if (time instanceof ZonedTime) return inZone(local, time.zone) as T;
  if (time instanceof LocalTime) return new LocalTime(((local % DAY_NANOS) + DAY_NANOS) % DAY_NANOS) as Temporal as T;
  return new (time.constructor as new (nanos: bigint) => T)(local);
}

function dateNanos(year: number, month: number, day: number): bigint {
  if (month < 1 || month > 12) badTime(`Invalid value for MonthOfYear (valid values 1 - 12): ${month}`);
  if (day < 1 || day > 31) badTime(`Invalid value for DayOfMonth (valid values 1 - 28/31): ${day}`);
  if (day > daysInMonth(year, month))
    badTime(day === 29 ? `Invalid date 'February 29' as '${year}' is not a leap year` : `Invalid date '${MONTHS[month - 1].name} ${day}'`);
  return BigInt(daysFromCivil(year, month, day)) * DAY_NANOS;
}

function timeNanos(hour: number, minute: number, second = 0, nano = 0): bigint {
  if (hour < 0 || hour > 23) badTime(`Invalid value for HourOfDay (valid values 0 - 23): ${hour}`);
  if (minute < 0 || minute > 59) badTime(`Invalid value for MinuteOfHour (valid values 0 - 59): ${minute}`);
  if (second < 0 || second > 59) badTime(`Invalid value for SecondOfMinute (valid values 0 - 59): ${second}`);
  return BigInt((hour * 60 + minute) * 60 + second) * 1_000_000_000n + BigInt(nano);
}

/** A constant of an enum. */
class EnumValue {
  readonly name: string;
  readonly ordinal: number;
  constructor(name: string, ordinal: number) {
    this.name = name;
    this.ordinal = ordinal;
  }
  toString(): string {
    return this.name;
  }
  compareTo(other: Value): number {
    return this.ordinal - (other as EnumValue).ordinal;
  }
  equalTo(other: Value): boolean {
    return this === other;
  }
}
class MonthValue extends EnumValue {}
class DayValue extends EnumValue {}
class StyleValue extends EnumValue {}

/** ChronoUnit: nanoseconds or months of one. */
class UnitValue extends EnumValue {
  readonly nanos: bigint | null;
  readonly months: number;
  constructor(name: string, ordinal: number, nanos: bigint | null, months: number) {
    super(name, ordinal);
    this.nanos = nanos;
    this.months = months;
  }
  override toString(): string {
    return this.name === 'HALF_DAYS' ? 'HalfDays' : this.name[0] + this.name.slice(1).toLowerCase();
  }
}
class FieldValue extends EnumValue {}

const MONTHS = 'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'
  .split(' ')
  .map((name, i) => new MonthValue(name, i));
const DAYS = 'MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY'.split(' ').map((name, i) => new DayValue(name, i));
const STYLES = 'FULL FULL_STANDALONE SHORT SHORT_STANDALONE NARROW NARROW_STANDALONE'.split(' ').map((name, i) => new StyleValue(name, i));
const UNIT_SIZES: ReadonlyArray<readonly [name: string, nanos: bigint | null, months: number]> = [
  ['NANOS', 1n, 0],
  ['MICROS', 1000n, 0],
  ['MILLIS', 1_000_000n, 0],
  ['SECONDS', 1_000_000_000n, 0],
  ['MINUTES', 60_000_000_000n, 0],
  ['HOURS', 3_600_000_000_000n, 0],
  ['HALF_DAYS', DAY_NANOS / 2n, 0],
  ['DAYS', DAY_NANOS, 0],
  ['WEEKS', 7n * DAY_NANOS, 0],
  ['MONTHS', null, 1],
  ['YEARS', null, 12],
  ['DECADES', null, 120],
  ['CENTURIES', null, 1200],
  ['MILLENNIA', null, 12_000],
];
const UNITS = new Map(UNIT_SIZES.map(([name, nanos, months], i) => [name, new UnitValue(name, i, nanos, months)]));
const unitNamed = (name: string): UnitValue => UNITS.get(name) ?? unsupported(`Unsupported unit: ${name}`);

const FIELD_GETTERS: Readonly<Record<string, (view: DateView, nanos: bigint) => bigint>> = {
  NANO_OF_SECOND: (view) => BigInt(view.nano),
  MILLI_OF_SECOND: (view) => BigInt(Math.floor(view.nano / 1e6)),
  SECOND_OF_MINUTE: (view) => BigInt(view.second),
  SECOND_OF_DAY: (view) => BigInt((view.hour * 60 + view.minute) * 60 + view.second),
  MINUTE_OF_HOUR: (view) => BigInt(view.minute),
  MINUTE_OF_DAY: (view) => BigInt(view.hour * 60 + view.minute),
  HOUR_OF_AMPM: (view) => BigInt(view.hour % 12),
  HOUR_OF_DAY: (view) => BigInt(view.hour),
  AMPM_OF_DAY: (view) => BigInt(view.hour < 12 ? 0 : 1),
  DAY_OF_WEEK: (view) => BigInt(view.weekday),
  DAY_OF_MONTH: (view) => BigInt(view.day),
  DAY_OF_YEAR: (view) => BigInt(view.dayOfYear),
  EPOCH_DAY: (_view, nanos) => floorDiv(nanos, DAY_NANOS),
  MONTH_OF_YEAR: (view) => BigInt(view.month),
  PROLEPTIC_MONTH: (view) => BigInt(view.year * 12 + view.month - 1),
  YEAR_OF_ERA: (view) => BigInt(Math.max(view.year, 1 - view.year)),
  YEAR: (view) => BigInt(view.year),
  INSTANT_SECONDS: (_view, nanos) => floorDiv(nanos, 1_000_000_000n),
};
const FIELDS = Object.keys(FIELD_GETTERS).map((name, i) => new FieldValue(name, i));

const fieldOf = (time: Temporal, { name }: FieldValue): bigint =>
  name === 'INSTANT_SECONDS' ? floorDiv(instantNanos(time), 1_000_000_000n) : FIELD_GETTERS[name](time.view, localNanos(time));

/** Adds months to a local time; the day is at most the last of the month. */
function plusMonths(local: bigint, count: number): bigint {
  const days = floorDiv(local, DAY_NANOS);
  const { year, month, day } = civilFromDays(Number(days));
  const total = year * 12 + month - 1 + count;
  const [toYear, toMonth] = [Math.floor(total / 12), (((total % 12) + 12) % 12) + 1];
  return dateNanos(toYear, toMonth, Math.min(day, daysInMonth(toYear, toMonth))) + local - days * DAY_NANOS;
}

function plusUnit<T extends Temporal>(time: T, count: bigint, unit: UnitValue): T {
  if (unit.nanos === null) {
    if (time instanceof Instant) return unsupported(`Unsupported unit: ${unit}`);
    return withLocal(time, plusMonths(localNanos(time), Number(count) * unit.months));
  }
  // Hours and less are added on the time line, days and weeks on the calendar.
  if (time instanceof ZonedTime && unit.nanos < DAY_NANOS) return zonedAt(zonedNanos(time) + count * unit.nanos, time.zone) as T;
  if (time instanceof LocalDate && unit.nanos < DAY_NANOS) return unsupported(`Unsupported unit: ${unit}`);
  return withLocal(time, localNanos(time) + count * unit.nanos);
}

/** Whole units from one temporal to another. */
function between(unit: UnitValue, from: Temporal, to: Temporal): bigint {
  const isOnLine = from instanceof ZonedTime && unit.nanos !== null && unit.nanos < DAY_NANOS;
  const other = from instanceof ZonedTime && to instanceof ZonedTime ? zonedAt(zonedNanos(to), from.zone) : to;
  const [a, b] = isOnLine ? [instantNanos(from), instantNanos(to)] : [localNanos(from), localNanos(other)];
  if (unit.nanos !== null) return (b - a) / unit.nanos;
  const [start, end] = [from.view, other.view];
  let months = (end.year - start.year) * 12 + end.month - start.month;
  const isShort = (full: bigint): boolean => (months > 0 ? full > b : full < b);
  if (months !== 0 && isShort(plusMonths(a, months))) months -= Math.sign(months);
  return BigInt(Math.trunc(months / unit.months));
}

/** java.time.Duration: nanoseconds. */
class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
  equalTo(other: Value): boolean {
    return other instanceof Duration && other.nanos === this.nanos;
  }
  hash(): number {
    return hashOf(BigInt.asIntN(64, this.nanos));
  }
  compareTo(other: Value): number {
    const difference = this.nanos - (other as Duration).nanos;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  toString(): string {
    if (this.nanos === 0n) return 'PT0S';
    const seconds = this.nanos / 1_000_000_000n;
    const rest = this.nanos % 1_000_000_000n;
    const [hours, minutes, left] = [seconds / 3600n, (seconds % 3600n) / 60n, seconds % 60n];
    let text = 'PT';
    if (hours !== 0n) text += `${hours}H`;
    if (minutes !== 0n) text += `${minutes}M`;
    if (left === 0n && rest === 0n) return text;
    const digits = String(rest < 0n ? -rest : rest)
      .padStart(9, '0')
      .replace(/0+$/, '');
    return `${text}${left === 0n && rest < 0n ? '-0' : left}${digits === '' ? '' : `.${digits}`}S`;
  }
  static parse(text: string): Duration {
    const found = /^([-+]?)P(?:([-+]?\d+)D)?(?:T(?:([-+]?\d+)H)?(?:([-+]?\d+)M)?(?:([-+]?\d+)(?:\.(\d{0,9}))?S)?)?$/i.exec(text);
    if (!found) return raise('java.time.format.DateTimeParseException', 'Text cannot be parsed to a Duration');
    const [, sign, days, hours, minutes, seconds, fraction] = found;
    const whole =
      (BigInt(days ?? 0) * 86_400n + BigInt(hours ?? 0) * 3600n + BigInt(minutes ?? 0) * 60n + BigInt(seconds ?? 0)) * 1_000_000_000n;
    const part = BigInt((fraction ?? '').padEnd(9, '0')) * (seconds?.startsWith('-') ? -1n : 1n);
    return new Duration((whole + part) * (sign === '-' ? -1n : 1n));
  }
}

/** java.time.Period. */
class Period {
  readonly years: number;
  readonly months: number;
  readonly days: number;
  constructor(years: number, months: number, days: number) {
    this.years = years;
    this.months = months;
    this.days = days;
  }
  equalTo(other: Value): boolean {
    return other instanceof Period && other.toString() === this.toString();
  }
  toString(): string {
    if (this.years === 0 && this.months === 0 && this.days === 0) return 'P0D';
    const part = (value: number, letter: string): string => (value === 0 ? '' : `${value}${letter}`);
    return `P${part(this.years, 'Y')}${part(this.months, 'M')}${part(this.days, 'D')}`;
  }
  static between(from: LocalDate, to: LocalDate): Period {
    const months = Number(between(unitNamed('MONTHS'), from, to));
    const rest = (to.nanos - plusMonths(from.nanos, months)) / DAY_NANOS;
    return new Period(Math.trunc(months / 12), months % 12, Number(rest));
  }
}

function addAmount<T extends Temporal>(time: T, amount: Value, sign: 1 | -1): T {
  if (amount instanceof Duration) {
    if (time instanceof ZonedTime) return zonedAt(zonedNanos(time) + amount.nanos * BigInt(sign), time.zone) as T;
    if (time instanceof LocalDate) return unsupported('Unsupported unit: Seconds');
    return withLocal(time, time.nanos + amount.nanos * BigInt(sign));
  }
  const { years, months, days } = amount as Period;
  return withLocal(time, plusMonths(localNanos(time), sign * (years * 12 + months)) + BigInt(sign * days) * DAY_NANOS);
}

/** java.time.format.DateTimeFormatter. */
class Formatter {
  readonly elements: readonly PatternElement[] | null;
  readonly print: ((time: Temporal) => string) | null;
  readonly zone: TimeZone | null;
  readonly #shown: string;
  constructor(
    shown: string,
    elements: readonly PatternElement[] | null,
    print: ((time: Temporal) => string) | null = null,
    zone: TimeZone | null = null,
  ) {
    this.#shown = shown;
    this.elements = elements;
    this.print = print;
    this.zone = zone;
  }
  static ofPattern(pattern: string): Formatter {
    try {
      return new Formatter(pattern, compilePattern(pattern));
    } catch (error) {
      return illegalArgument(error instanceof ApiError ? error.message : String(error));
    }
  }
  format(time: Temporal): string {
    const shown =
      this.zone && !(time instanceof LocalDateTime || time instanceof LocalDate || time instanceof LocalTime)
        ? zonedAt(instantNanos(time), this.zone)
        : time;
    return this.elements ? printElements(this.elements, shown.view) : (this.print?.(shown) ?? '');
  }
  withZone(zone: TimeZone): Formatter {
    return new Formatter(this.#shown, this.elements, this.print, zone);
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

const ISO_DATE = new Formatter('ISO_LOCAL_DATE', null, (time) => dateText(time.view));
const isoTime = (time: Temporal): string => {
  const { hour, minute, second, nano } = time.view;
  const two = (value: number): string => String(value).padStart(2, '0');
  const fraction = nano === 0 ? '' : `.${String(nano).padStart(9, '0').replace(/0+$/, '')}`;
  return `${two(hour)}:${two(minute)}:${two(second)}${fraction}`;
};
const offsetOf = (time: Temporal): string => (time instanceof ZonedTime ? formatOffset(time.view.offsetMs / 1000, true) : '');
const isoDateTime = (time: Temporal): string => `${dateText(time.view)}T${isoTime(time)}`;
const zoneSuffix = (time: Temporal): string => (time instanceof ZonedTime && time.zone.id !== offsetOf(time) ? `[${time.zone.id}]` : '');
const FORMATTERS: Readonly<Record<string, Formatter>> = {
  ISO_DATE: new Formatter('ISO_DATE', null, (time) => dateText(time.view) + offsetOf(time)),
  ISO_LOCAL_DATE: ISO_DATE,
  ISO_TIME: new Formatter('ISO_TIME', null, (time) => isoTime(time) + offsetOf(time)),
  ISO_LOCAL_TIME: new Formatter('ISO_LOCAL_TIME', null, isoTime),
  ISO_DATE_TIME: new Formatter('ISO_DATE_TIME', null, (time) => isoDateTime(time) + offsetOf(time) + zoneSuffix(time)),
  ISO_LOCAL_DATE_TIME: new Formatter('ISO_LOCAL_DATE_TIME', null, isoDateTime),
  ISO_OFFSET_DATE_TIME: new Formatter('ISO_OFFSET_DATE_TIME', null, (time) => isoDateTime(time) + offsetOf(time)),
  ISO_ZONED_DATE_TIME: new Formatter('ISO_ZONED_DATE_TIME', null, (time) => isoDateTime(time) + offsetOf(time) + zoneSuffix(time)),
  ISO_INSTANT: new Formatter('ISO_INSTANT', null, (time) => String(new Instant(instantNanos(time)))),
  BASIC_ISO_DATE: new Formatter('BASIC_ISO_DATE', compilePattern('yyyyMMdd')),
};

function cannotParse(text: string): never {
  return raise('java.time.format.DateTimeParseException', `Text '${text}' could not be parsed at index 0`);
}

/** Parses with a formatter. @returns local nanoseconds and the zone of the text */
function parsed(text: string, formatter: Formatter): { local: bigint; zone: TimeZone | null } {
  const fields = formatter.parse(text);
  const { zone } = fields;
  fields.zone = null;
  if (fields.outOfRange() !== null)
    return raise('java.time.format.DateTimeParseException', `Text '${text}' could not be parsed: ${fields.outOfRange()}`);
  const instant = fields.resolve(UTC, false);
  return instant ? { local: BigInt(instant.ms) * 1_000_000n + BigInt(instant.nanos), zone } : cannotParse(text);
}

const ISO = new Formatter('ISO', null);
const LOCAL_TIME = Formatter.ofPattern('HH:mm[:ss][.SSS]');

function parseZoned(text: string, formatter: Formatter = ISO): ZonedTime {
  const region = /\[([^\]]+)\]$/.exec(text);
  const { local, zone } = parsed(region && formatter === ISO ? text.slice(0, region.index) : text, formatter);
  const at = zone ?? cannotParse(text);
  const result = inZone(local, at);
  return region && formatter === ISO ? zonedAt(zonedNanos(result), zoneNamed(region[1])) : result;
}

const zoneNamed = (id: string): TimeZone => {
  const zone = findZone(id);
  if (zone) return zone;
  if (!/^[A-Za-z][A-Za-z0-9~/._+-]+$/.test(id)) return badTime(`Invalid ID for region-based ZoneId, invalid format: ${id}`);
  return raise('java.time.zone.ZoneRulesException', `Unknown time-zone ID: ${id}`);
};
/** A zone as a value of scripts. */
class Zone {
  readonly zone: TimeZone;
  constructor(zone: TimeZone) {
    this.zone = zone;
  }
  equalTo(other: Value): boolean {
    return other instanceof Zone && other.zone.id === this.zone.id;
  }
  hash(): number {
    return hashOf(this.zone.id);
  }
  toString(): string {
    return this.zone.id;
  }
}
class Offset extends Zone {
  get seconds(): number {
    return (this.zone.fixedOffsetMs ?? 0) / 1000;
  }
}
const zoneValue = (zone: TimeZone): Zone =>
  zone.fixedOffsetMs !== null && /^(?:Z|[+-])/.test(zone.id) ? new Offset(zone) : new Zone(zone);
const offsetValue = (seconds: number): Offset => new Offset(zoneNamed(formatOffset(seconds, true)));

const VALUE_OF = {
  compare: (a: Temporal, b: Temporal): number => (instantNanos(a) < instantNanos(b) ? -1 : instantNanos(a) > instantNanos(b) ? 1 : 0),
};

/** Members of all classes with a date. */
function dateMembers(name: string): Record<string, Implementation> {
  const members: Record<string, Implementation> = {
    'int getYear()': (self: Temporal) => self.view.year,
    'int getMonthValue()': (self: Temporal) => self.view.month,
    'Month getMonth()': (self: Temporal) => MONTHS[self.view.month - 1],
    'int getDayOfMonth()': (self: Temporal) => self.view.day,
    'int getDayOfYear()': (self: Temporal) => self.view.dayOfYear,
    'DayOfWeek getDayOfWeek()': (self: Temporal) => DAYS[self.view.weekday - 1],
  };
  for (const [unit, sizes] of [
    ['Years', 'YEARS'],
    ['Months', 'MONTHS'],
    ['Weeks', 'WEEKS'],
    ['Days', 'DAYS'],
  ] as const)
    addSteps(members, name, unit, sizes);
  const set =
    (change: (view: DateView, value: number) => readonly [number, number, number]): Implementation =>
    (self: Temporal, value: number) => {
      const local = localNanos(self);
      return withLocal(self, dateNanos(...change(self.view, value)) + local - floorDiv(local, DAY_NANOS) * DAY_NANOS);
    };
  members[`${name} withYear(int)`] = set(({ month, day }, value) => [value, month, Math.min(day, daysInMonth(value, month))]);
  members[`${name} withMonth(int)`] = set(({ year, day }, value) => [
    year,
    value,
    Math.min(day, value >= 1 && value <= 12 ? daysInMonth(year, value) : day),
  ]);
  members[`${name} withDayOfMonth(int)`] = set(({ year, month }, value) => [year, month, value]);
  members[`${name} withDayOfYear(int)`] = (self: Temporal, value: number) => {
    const local = localNanos(self);
    return withLocal(
      self,
      dateNanos(self.view.year, 1, 1) + BigInt(value - 1) * DAY_NANOS + local - floorDiv(local, DAY_NANOS) * DAY_NANOS,
    );
  };
  return members;
}

function addSteps(members: Record<string, Implementation>, name: string, unit: string, size: string): void {
  members[`${name} plus${unit}(long)`] = (self: Temporal, count: bigint) => plusUnit(self, count, unitNamed(size));
  members[`${name} minus${unit}(long)`] = (self: Temporal, count: bigint) => plusUnit(self, -count, unitNamed(size));
}

/** Members of all classes with a time of day. */
function timeMembers(name: string): Record<string, Implementation> {
  const members: Record<string, Implementation> = {
    'int getHour()': (self: Temporal) => self.view.hour,
    'int getMinute()': (self: Temporal) => self.view.minute,
    'int getSecond()': (self: Temporal) => self.view.second,
    'int getNano()': (self: Temporal) => self.view.nano,
  };
  for (const [unit, sizes] of [
    ['Hours', 'HOURS'],
    ['Minutes', 'MINUTES'],
    ['Seconds', 'SECONDS'],
    ['Nanos', 'NANOS'],
  ] as const)
    addSteps(members, name, unit, sizes);
  const set =
    (change: (view: DateView, value: number) => readonly [number, number, number, number]): Implementation =>
    (self: Temporal, value: number) =>
      withLocal(self, floorDiv(localNanos(self), DAY_NANOS) * DAY_NANOS + timeNanos(...change(self.view, value)));
  members[`${name} withHour(int)`] = set(({ minute, second, nano }, value) => [value, minute, second, nano]);
  members[`${name} withMinute(int)`] = set(({ hour, second, nano }, value) => [hour, value, second, nano]);
  members[`${name} withSecond(int)`] = set(({ hour, minute, nano }, value) => [hour, minute, value, nano]);
  members[`${name} withNano(int)`] = set(({ hour, minute, second }, value) => [hour, minute, second, value]);
  return members;
}

/** Members of everything that can be shifted by units and amounts. */
function temporalMembers(name: string): Record<string, Implementation> {
  return {
    [`${name} plus(long,TemporalUnit)`]: (self: Temporal, count: bigint, unit: UnitValue) => plusUnit(self, count, unit),
    [`${name} minus(long,TemporalUnit)`]: (self: Temporal, count: bigint, unit: UnitValue) => plusUnit(self, -count, unit),
    [`${name} plus(TemporalAmount)`]: (self: Temporal, amount: Value) => addAmount(self, amount, 1),
    [`${name} minus(TemporalAmount)`]: (self: Temporal, amount: Value) => addAmount(self, amount, -1),
    [`${name} truncatedTo(TemporalUnit)`]: truncated,
    [`${name} with(TemporalAdjuster)`]: (self: Temporal, adjust: (time: Temporal) => Temporal) => adjust(self),
    'int get(TemporalField)': (self: Temporal, field: FieldValue) => Number(fieldOf(self, field)),
    'long getLong(TemporalField)': fieldOf,
    'long until(Temporal,TemporalUnit)': (self: Temporal, other: Temporal, unit: UnitValue) => between(unit, self, other),
    'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
    'int hashCode()': (self: Value) => hashOf(self),
    'String toString()': String,
  };
}

function truncated(self: Temporal, unit: UnitValue): Temporal {
  if (unit.nanos === null || unit.nanos > DAY_NANOS) return unsupported('Unit is too large to be used for truncation');
  const local = localNanos(self);
  return withLocal(self, floorDiv(local, unit.nanos) * unit.nanos);
}

const comparisons = (name: string): Record<string, Implementation> => ({
  [`boolean isAfter(${name})`]: (self: Temporal, other: Temporal) => VALUE_OF.compare(self, other) > 0,
  [`boolean isBefore(${name})`]: (self: Temporal, other: Temporal) => VALUE_OF.compare(self, other) < 0,
  [`boolean isEqual(${name})`]: (self: Temporal, other: Temporal) => VALUE_OF.compare(self, other) === 0,
  [`int compareTo(${name})`]: VALUE_OF.compare,
  'String format(DateTimeFormatter)': (self: Temporal, formatter: Formatter) => formatter.format(self),
});

function define(name: string, parents: readonly string[], table: ClassTable): void {
  defineClass(name, parents, table);
}

const OBJECT = ['java.lang.Object'];
define('java.time.temporal.TemporalAccessor', OBJECT, {});
define('java.time.temporal.Temporal', ['java.time.temporal.TemporalAccessor'], {});
define('java.time.temporal.TemporalAmount', OBJECT, {});
define('java.time.temporal.TemporalUnit', OBJECT, {});
define('java.time.temporal.TemporalField', OBJECT, {});
define('java.time.temporal.TemporalAdjuster', OBJECT, { functional: 'Temporal adjustInto(Temporal)' });
define('java.time.chrono.ChronoLocalDate', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {});
define('java.time.chrono.ChronoLocalDateTime', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {});
define('java.time.chrono.ChronoZonedDateTime', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {});

define('java.time.ZonedDateTime', ['java.time.chrono.ChronoZonedDateTime'], {
  of: ZonedTime,
  members: {
    ...dateMembers('ZonedDateTime'),
    ...timeMembers('ZonedDateTime'),
    ...temporalMembers('ZonedDateTime'),
    ...comparisons('ChronoZonedDateTime'),
    'static ZonedDateTime now()': () => new ZonedTime(Date.now(), 0, UTC),
    'static ZonedDateTime of(LocalDate,LocalTime,ZoneId)': (date: LocalDate, time: LocalTime, { zone }: Zone) =>
      inZone(date.nanos + time.nanos, zone),
    'static ZonedDateTime of(LocalDateTime,ZoneId)': (local: LocalDateTime, { zone }: Zone) => inZone(local.nanos, zone),
    'static ZonedDateTime of(int,int,int,int,int,int,int,ZoneId)': (
      year: number,
      month: number,
      day: number,
      hour: number,
      minute: number,
      second: number,
      nano: number,
      { zone }: Zone,
    ) => inZone(dateNanos(year, month, day) + timeNanos(hour, minute, second, nano), zone),
    'static ZonedDateTime ofInstant(Instant,ZoneId)': (instant: Instant, { zone }: Zone) => zonedAt(instant.nanos, zone),
    'static ZonedDateTime parse(CharSequence)': (text: Value) => parseZoned(String(text)),
    'static ZonedDateTime parse(CharSequence,DateTimeFormatter)': (text: Value, formatter: Formatter) =>
      parseZoned(String(text), formatter),
    'ZoneId getZone()': (self: ZonedTime) => zoneValue(self.zone),
    'ZoneOffset getOffset()': (self: ZonedTime) => offsetValue(self.view.offsetMs / 1000),
    'long toEpochSecond()': (self: ZonedTime) => BigInt(Math.floor(self.ms / 1000)),
    'long getMillis()': (self: ZonedTime) => BigInt(self.ms),
    'DayOfWeek getDayOfWeekEnum()': (self: ZonedTime) => DAYS[self.view.weekday - 1],
    'int getCenturyOfEra()': (self: ZonedTime) => Math.floor(self.view.year / 100),
    'int getEra()': (self: ZonedTime) => (self.view.year > 0 ? 1 : 0),
    'int getHourOfDay()': (self: ZonedTime) => self.view.hour,
    'int getMillisOfDay()': (self: ZonedTime) => Math.floor(self.view.nanoOfDay / 1e6),
    'int getMillisOfSecond()': (self: ZonedTime) => Math.floor(self.view.nano / 1e6),
    'int getMinuteOfDay()': (self: ZonedTime) => self.view.hour * 60 + self.view.minute,
    'int getMinuteOfHour()': (self: ZonedTime) => self.view.minute,
    'int getMonthOfYear()': (self: ZonedTime) => self.view.month,
    'int getSecondOfDay()': (self: ZonedTime) => (self.view.hour * 60 + self.view.minute) * 60 + self.view.second,
    'int getSecondOfMinute()': (self: ZonedTime) => self.view.second,
    'int getWeekOfWeekyear()': (self: ZonedTime) => self.view.week,
    'int getWeekyear()': (self: ZonedTime) => self.view.weekYear,
    'String toString(String)': (self: ZonedTime, pattern: string) => Formatter.ofPattern(pattern).format(self),
    'Instant toInstant()': (self: ZonedTime) => new Instant(zonedNanos(self)),
    'LocalDate toLocalDate()': (self: ZonedTime) => new LocalDate(floorDiv(localNanos(self), DAY_NANOS) * DAY_NANOS),
    'LocalDateTime toLocalDateTime()': (self: ZonedTime) => new LocalDateTime(localNanos(self)),
    'LocalTime toLocalTime()': (self: ZonedTime) => new LocalTime(localNanos(self) - floorDiv(localNanos(self), DAY_NANOS) * DAY_NANOS),
    'OffsetDateTime toOffsetDateTime()': (self: ZonedTime) => zonedAt(zonedNanos(self), offsetValue(self.view.offsetMs / 1000).zone),
    'ZonedDateTime withZoneSameInstant(ZoneId)': (self: ZonedTime, { zone }: Zone) => zonedAt(zonedNanos(self), zone),
    'ZonedDateTime withZoneSameLocal(ZoneId)': (self: ZonedTime, { zone }: Zone) => inZone(localNanos(self), zone),
  },
});
define('java.time.OffsetDateTime', ['java.time.ZonedDateTime'], {});

define('java.time.Instant', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {
  of: Instant,
  constants: { 'Instant EPOCH': new Instant(0n) },
  members: {
    ...temporalMembers('Instant'),
    ...comparisons('Instant'),
    'static Instant now()': () => new Instant(BigInt(Date.now()) * 1_000_000n),
    'static Instant ofEpochMilli(long)': (ms: bigint) => new Instant(ms * 1_000_000n),
    'static Instant ofEpochSecond(long)': (seconds: bigint) => new Instant(seconds * 1_000_000_000n),
    'static Instant ofEpochSecond(long,long)': (seconds: bigint, nanos: bigint) => new Instant(seconds * 1_000_000_000n + nanos),
    'static Instant parse(CharSequence)': (text: Value) => new Instant(zonedNanos(parseZoned(String(text)))),
    'ZonedDateTime atZone(ZoneId)': (self: Instant, { zone }: Zone) => zonedAt(self.nanos, zone),
    'OffsetDateTime atOffset(ZoneOffset)': (self: Instant, { zone }: Zone) => zonedAt(self.nanos, zone),
    'long getEpochSecond()': (self: Instant) => floorDiv(self.nanos, 1_000_000_000n),
    'int getNano()': (self: Instant) => self.view.nano,
    'long toEpochMilli()': (self: Instant) => floorDiv(self.nanos, 1_000_000n),
    'Instant plusMillis(long)': (self: Instant, count: bigint) => new Instant(self.nanos + count * 1_000_000n),
    'Instant plusSeconds(long)': (self: Instant, count: bigint) => new Instant(self.nanos + count * 1_000_000_000n),
    'Instant plusNanos(long)': (self: Instant, count: bigint) => new Instant(self.nanos + count),
    'Instant minusMillis(long)': (self: Instant, count: bigint) => new Instant(self.nanos - count * 1_000_000n),
    'Instant minusSeconds(long)': (self: Instant, count: bigint) => new Instant(self.nanos - count * 1_000_000_000n),
  },
});

define('java.time.LocalDate', ['java.time.chrono.ChronoLocalDate'], {
  of: LocalDate,
  members: {
    ...dateMembers('LocalDate'),
    ...temporalMembers('LocalDate'),
    ...comparisons('ChronoLocalDate'),
    'static LocalDate of(int,int,int)': (year: number, month: number, day: number) => new LocalDate(dateNanos(year, month, day)),
    'static LocalDate ofEpochDay(long)': (day: bigint) => new LocalDate(day * DAY_NANOS),
    'static LocalDate ofYearDay(int,int)': (year: number, day: number) =>
      new LocalDate(dateNanos(year, 1, 1) + BigInt(day - 1) * DAY_NANOS),
    'static LocalDate parse(CharSequence)': (text: Value) =>
      /^\d{4}-\d\d-\d\d$/.test(String(text)) ? new LocalDate(parsed(String(text), ISO).local) : cannotParse(String(text)),
    'static LocalDate parse(CharSequence,DateTimeFormatter)': (text: Value, formatter: Formatter) =>
      new LocalDate(floorDiv(parsed(String(text), formatter).local, DAY_NANOS) * DAY_NANOS),
    'LocalDateTime atStartOfDay()': (self: LocalDate) => new LocalDateTime(self.nanos),
    'ZonedDateTime atStartOfDay(ZoneId)': (self: LocalDate, { zone }: Zone) => inZone(self.nanos, zone),
    'LocalDateTime atTime(LocalTime)': (self: LocalDate, time: LocalTime) => new LocalDateTime(self.nanos + time.nanos),
    'LocalDateTime atTime(int,int)': (self: LocalDate, hour: number, minute: number) =>
      new LocalDateTime(self.nanos + timeNanos(hour, minute)),
    'boolean isLeapYear()': (self: LocalDate) => isLeapYear(self.view.year),
    'int lengthOfMonth()': (self: LocalDate) => daysInMonth(self.view.year, self.view.month),
    'int lengthOfYear()': (self: LocalDate) => (isLeapYear(self.view.year) ? 366 : 365),
    'long toEpochDay()': (self: LocalDate) => floorDiv(self.nanos, DAY_NANOS),
    'Period until(ChronoLocalDate)': Period.between,
  },
});

define('java.time.LocalTime', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {
  of: LocalTime,
  constants: {
    'LocalTime MIDNIGHT': new LocalTime(0n),
    'LocalTime NOON': new LocalTime(DAY_NANOS / 2n),
    'LocalTime MIN': new LocalTime(0n),
    'LocalTime MAX': new LocalTime(DAY_NANOS - 1n),
  },
  members: {
    ...timeMembers('LocalTime'),
    ...temporalMembers('LocalTime'),
    ...comparisons('LocalTime'),
    'static LocalTime of(int,int)': (hour: number, minute: number) => new LocalTime(timeNanos(hour, minute)),
    'static LocalTime of(int,int,int)': (hour: number, minute: number, second: number) => new LocalTime(timeNanos(hour, minute, second)),
    'static LocalTime of(int,int,int,int)': (hour: number, minute: number, second: number, nano: number) =>
      new LocalTime(timeNanos(hour, minute, second, nano)),
    'static LocalTime ofSecondOfDay(long)': (second: bigint) => new LocalTime(second * 1_000_000_000n),
    'static LocalTime parse(CharSequence)': (text: Value) => new LocalTime(parsed(String(text), LOCAL_TIME).local),
    'static LocalTime parse(CharSequence,DateTimeFormatter)': (text: Value, formatter: Formatter) =>
      new LocalTime(parsed(String(text), formatter).local),
    'LocalDateTime atDate(LocalDate)': (self: LocalTime, date: LocalDate) => new LocalDateTime(self.nanos + date.nanos),
    'int toSecondOfDay()': (self: LocalTime) => Number(self.nanos / 1_000_000_000n),
    'long toNanoOfDay()': (self: LocalTime) => self.nanos,
  },
});

define('java.time.LocalDateTime', ['java.time.chrono.ChronoLocalDateTime'], {
  of: LocalDateTime,
  members: {
    ...dateMembers('LocalDateTime'),
    ...timeMembers('LocalDateTime'),
    ...temporalMembers('LocalDateTime'),
    ...comparisons('ChronoLocalDateTime'),
    'static LocalDateTime of(LocalDate,LocalTime)': (date: LocalDate, time: LocalTime) => new LocalDateTime(date.nanos + time.nanos),
    'static LocalDateTime of(int,int,int,int,int)': (year: number, month: number, day: number, hour: number, minute: number) =>
      new LocalDateTime(dateNanos(year, month, day) + timeNanos(hour, minute)),
    'static LocalDateTime of(int,int,int,int,int,int)': (
      year: number,
      month: number,
      day: number,
      hour: number,
      minute: number,
      second: number,
    ) => new LocalDateTime(dateNanos(year, month, day) + timeNanos(hour, minute, second)),
    'static LocalDateTime ofInstant(Instant,ZoneId)': (instant: Instant, { zone }: Zone) =>
      new LocalDateTime(localNanos(zonedAt(instant.nanos, zone))),
    'static LocalDateTime parse(CharSequence)': (text: Value) => new LocalDateTime(parsed(String(text), ISO).local),
    'static LocalDateTime parse(CharSequence,DateTimeFormatter)': (text: Value, formatter: Formatter) =>
      new LocalDateTime(parsed(String(text), formatter).local),
    'ZonedDateTime atZone(ZoneId)': (self: LocalDateTime, { zone }: Zone) => inZone(self.nanos, zone),
    'OffsetDateTime atOffset(ZoneOffset)': (self: LocalDateTime, { zone }: Zone) => inZone(self.nanos, zone),
    'Instant toInstant(ZoneOffset)': (self: LocalDateTime, { zone }: Zone) => new Instant(zonedNanos(inZone(self.nanos, zone))),
    'long toEpochSecond(ZoneOffset)': (self: LocalDateTime, { zone }: Zone) => BigInt(Math.floor(inZone(self.nanos, zone).ms / 1000)),
    'LocalDate toLocalDate()': (self: LocalDateTime) => new LocalDate(floorDiv(self.nanos, DAY_NANOS) * DAY_NANOS),
    'LocalTime toLocalTime()': (self: LocalDateTime) => new LocalTime(self.nanos - floorDiv(self.nanos, DAY_NANOS) * DAY_NANOS),
  },
});

define('java.time.ZoneId', OBJECT, {
  of: Zone,
  members: {
    'static ZoneId of(String)': (id: string) => zoneValue(zoneNamed(id)),
    'static ZoneId systemDefault()': () => zoneValue(UTC),
    'String getId()': (self: Zone) => self.zone.id,
    'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
    'String toString()': String,
  },
});
define('java.time.ZoneOffset', ['java.time.ZoneId', 'java.lang.Comparable'], {
  of: Offset,
  constants: { 'ZoneOffset UTC': new Offset(UTC), 'ZoneOffset MIN': offsetValue(-18 * 3600), 'ZoneOffset MAX': offsetValue(18 * 3600) },
  members: {
    'static ZoneOffset of(String)': (id: string) => new Offset(zoneNamed(id)),
    'static ZoneOffset ofHours(int)': (hours: number) => offsetValue(hours * 3600),
    'static ZoneOffset ofHoursMinutes(int,int)': (hours: number, minutes: number) => offsetValue(hours * 3600 + minutes * 60),
    'static ZoneOffset ofTotalSeconds(int)': offsetValue,
    'int getTotalSeconds()': (self: Offset) => self.seconds,
  },
});

const durationOf = (unit: string) => (count: bigint) => new Duration(count * (unitNamed(unit).nanos ?? 0n));
const durationParts = (unit: bigint) => (self: Duration) => self.nanos / unit;
define('java.time.Duration', ['java.time.temporal.TemporalAmount', 'java.lang.Comparable'], {
  of: Duration,
  constants: { 'Duration ZERO': new Duration(0n) },
  members: {
    'static Duration between(Temporal,Temporal)': (from: Temporal, to: Temporal) => new Duration(instantNanos(to) - instantNanos(from)),
    'static Duration of(long,TemporalUnit)': (count: bigint, unit: UnitValue) =>
      new Duration(count * (unit.nanos ?? unsupported('Unit must not have an estimated duration'))),
    'static Duration ofDays(long)': durationOf('DAYS'),
    'static Duration ofHours(long)': durationOf('HOURS'),
    'static Duration ofMinutes(long)': durationOf('MINUTES'),
    'static Duration ofSeconds(long)': durationOf('SECONDS'),
    'static Duration ofMillis(long)': durationOf('MILLIS'),
    'static Duration ofNanos(long)': durationOf('NANOS'),
    'static Duration parse(CharSequence)': (text: Value) => Duration.parse(String(text)),
    'long toDays()': durationParts(DAY_NANOS),
    'long toHours()': durationParts(3_600_000_000_000n),
    'long toMinutes()': durationParts(60_000_000_000n),
    'long toMillis()': (self: Duration) => floorDiv(self.nanos, 1_000_000n),
    'long toNanos()': durationParts(1n),
    'long getSeconds()': (self: Duration) => floorDiv(self.nanos, 1_000_000_000n),
    'int getNano()': (self: Duration) => Number(self.nanos - floorDiv(self.nanos, 1_000_000_000n) * 1_000_000_000n),
    'Duration plus(Duration)': (self: Duration, other: Duration) => new Duration(self.nanos + other.nanos),
    'Duration minus(Duration)': (self: Duration, other: Duration) => new Duration(self.nanos - other.nanos),
    'Duration multipliedBy(long)': (self: Duration, by: bigint) => new Duration(self.nanos * by),
    'Duration dividedBy(long)': (self: Duration, by: bigint) =>
      by === 0n ? raise('java.lang.ArithmeticException', 'Cannot divide by zero') : new Duration(self.nanos / by),
    'Duration negated()': (self: Duration) => new Duration(-self.nanos),
    'Duration abs()': (self: Duration) => new Duration(self.nanos < 0n ? -self.nanos : self.nanos),
    'boolean isNegative()': (self: Duration) => self.nanos < 0n,
    'boolean isZero()': (self: Duration) => self.nanos === 0n,
    'int compareTo(Duration)': (self: Duration, other: Duration) => self.compareTo(other),
    'String toString()': String,
  },
});
define('java.time.Period', ['java.time.temporal.TemporalAmount'], {
  of: Period,
  constants: { 'Period ZERO': new Period(0, 0, 0) },
  members: {
    'static Period between(LocalDate,LocalDate)': Period.between,
    'static Period of(int,int,int)': (years: number, months: number, days: number) => new Period(years, months, days),
    'static Period ofDays(int)': (days: number) => new Period(0, 0, days),
    'static Period ofMonths(int)': (months: number) => new Period(0, months, 0),
    'static Period ofWeeks(int)': (weeks: number) => new Period(0, 0, weeks * 7),
    'static Period ofYears(int)': (years: number) => new Period(years, 0, 0),
    'int getDays()': (self: Period) => self.days,
    'int getMonths()': (self: Period) => self.months,
    'int getYears()': (self: Period) => self.years,
    'long toTotalMonths()': (self: Period) => BigInt(self.years * 12 + self.months),
    'String toString()': String,
  },
});

function constantsOf(type: string, values: Iterable<EnumValue>): Record<string, unknown> {
  return Object.fromEntries(Array.from(values, (value) => [`${type} ${value.name}`, value]));
}
const valueOf =
  (type: string, values: readonly EnumValue[]): Implementation =>
  (name: string) =>
    values.find((value) => value.name === name) ?? illegalArgument(`No enum constant java.time.${type}.${name}`);
const displayName = (self: EnumValue, style: StyleValue): string => {
  const full = self.name[0] + self.name.slice(1).toLowerCase();
  return style.name.startsWith('FULL') ? full : style.name.startsWith('SHORT') ? full.slice(0, 3) : full[0];
};
const shifted = (values: readonly EnumValue[], sign: number) => (self: EnumValue, count: bigint) =>
  values[(((self.ordinal + sign * Number(count % BigInt(values.length))) % values.length) + values.length) % values.length];
for (const [name, values, Kind] of [
  ['Month', MONTHS, MonthValue],
  ['DayOfWeek', DAYS, DayValue],
] as const)
  define(`java.time.${name}`, ['java.lang.Enum', 'java.time.temporal.TemporalAccessor'], {
    of: Kind,
    constants: constantsOf(name, values),
    members: {
      [`static ${name} of(int)`]: (value: number) =>
        values[value - 1] ?? badTime(`Invalid value for ${name === 'Month' ? 'MonthOfYear' : 'DayOfWeek'}: ${value}`),
      [`static ${name} valueOf(String)`]: valueOf(name, values),
      'int getValue()': (self: EnumValue) => self.ordinal + 1,
      'String getDisplayName(TextStyle,Locale)': displayName,
      [`${name} plus(long)`]: shifted(values, 1),
      [`${name} minus(long)`]: shifted(values, -1),
      ...(name === 'Month'
        ? {
            'int maxLength()': (self: EnumValue) => daysInMonth(2000, self.ordinal + 1),
            'int minLength()': (self: EnumValue) => daysInMonth(2001, self.ordinal + 1),
          }
        : {}),
    },
  });
define('java.time.format.TextStyle', ['java.lang.Enum'], { of: StyleValue, constants: constantsOf('TextStyle', STYLES) });
define('java.time.temporal.ChronoUnit', ['java.lang.Enum', 'java.time.temporal.TemporalUnit'], {
  of: UnitValue,
  constants: constantsOf('ChronoUnit', UNITS.values()),
  members: {
    'static ChronoUnit valueOf(String)': valueOf('temporal.ChronoUnit', [...UNITS.values()]),
    'long between(Temporal,Temporal)': between,
    'Temporal addTo(Temporal,long)': (self: UnitValue, time: Temporal, count: bigint) => plusUnit(time, count, self),
  },
});
define('java.time.temporal.ChronoField', ['java.lang.Enum', 'java.time.temporal.TemporalField'], {
  of: FieldValue,
  constants: constantsOf('ChronoField', FIELDS),
});

/** The given weekday after a date, or before it. */
const nextDay = (time: Temporal, { ordinal }: DayValue, sign: 1 | -1, orSame: boolean): Temporal => {
  const away = ((((ordinal - (time.view.weekday - 1)) * sign) % 7) + 7) % 7;
  return plusUnit(time, BigInt(sign * (away === 0 && !orSame ? 7 : away)), unitNamed('DAYS'));
};
const atDay = (change: (view: DateView) => readonly [number, number, number]) => () => (time: Temporal) => {
  const local = localNanos(time);
  return withLocal(time, dateNanos(...change(time.view)) + local - floorDiv(local, DAY_NANOS) * DAY_NANOS);
};
define('java.time.temporal.TemporalAdjusters', OBJECT, {
  members: {
    'static TemporalAdjuster firstDayOfMonth()': atDay(({ year, month }) => [year, month, 1]),
    'static TemporalAdjuster lastDayOfMonth()': atDay(({ year, month }) => [year, month, daysInMonth(year, month)]),
    'static TemporalAdjuster firstDayOfNextMonth()': atDay(({ year, month }) => (month === 12 ? [year + 1, 1, 1] : [year, month + 1, 1])),
    'static TemporalAdjuster firstDayOfYear()': atDay(({ year }) => [year, 1, 1]),
    'static TemporalAdjuster lastDayOfYear()': atDay(({ year }) => [year, 12, 31]),
    'static TemporalAdjuster firstDayOfNextYear()': atDay(({ year }) => [year + 1, 1, 1]),
    'static TemporalAdjuster next(DayOfWeek)': (day: DayValue) => (time: Temporal) => nextDay(time, day, 1, false),
    'static TemporalAdjuster nextOrSame(DayOfWeek)': (day: DayValue) => (time: Temporal) => nextDay(time, day, 1, true),
    'static TemporalAdjuster previous(DayOfWeek)': (day: DayValue) => (time: Temporal) => nextDay(time, day, -1, false),
    'static TemporalAdjuster previousOrSame(DayOfWeek)': (day: DayValue) => (time: Temporal) => nextDay(time, day, -1, true),
  },
});

define('java.time.format.DateTimeFormatter', OBJECT, {
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
