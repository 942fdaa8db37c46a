// Fields of dates and times (TemporalField): the constants of ChronoField, their ranges, and which temporals have them.
import './interfaces.ts';
import { daysFromCivil, daysInMonth, isLeapYear } from '../../../dates/civil.ts';
import { EnumValue } from '../../java/enum-value.ts';
import type { Value } from '../../java/values.ts';
import { badTime, unsupported } from './faults.ts';
import { DAY_NANOS, floorDiv, instantNanos, localNanos, MAX_YEAR, type Temporal } from './temporal.ts';

/** java.time.temporal.ValueRange. */
export class ValueRange {
  readonly min: bigint;
  readonly largestMin: bigint;
  readonly smallestMax: bigint;
  readonly max: bigint;
  constructor(min: bigint, max: bigint, smallestMax = max, largestMin = min) {
    this.min = min;
    this.largestMin = largestMin;
    this.smallestMax = smallestMax;
    this.max = max;
  }
  contains(value: bigint): boolean {
    return value >= this.min && value <= this.max;
  }
  get isInt(): boolean {
    return this.min >= -2147483648n && this.max <= 2147483647n;
  }
  /** @throws ScriptFault DateTimeException: the value is not in the range */
  check(value: bigint, field: string): bigint {
    return this.contains(value) ? value : badTime(`Invalid value for ${field} (valid values ${this}): ${value}`);
  }
  equalTo(other: Value): boolean {
    return other instanceof ValueRange && `${other.largestMin} ${other}` === `${this.largestMin} ${this}`;
  }
  hash(): number {
    return Number(BigInt.asIntN(32, this.min + (this.largestMin << 16n) + (this.smallestMax << 32n) + this.max));
  }
  toString(): string {
    const least = this.min === this.largestMin ? `${this.min}` : `${this.min}/${this.largestMin}`;
    return `${least} - ${this.smallestMax === this.max ? this.max : `${this.smallestMax}/${this.max}`}`;
  }
}

/** A field: what it reads of a temporal, its units by name, and its range. */
export class FieldValue extends EnumValue {
  readonly shown: string;
  readonly base: string;
  readonly per: string;
  readonly range: ValueRange;
  readonly kind: 'date' | 'time' | 'other';
  readonly read: (time: Temporal) => bigint;
  constructor(
    name: string,
    ordinal: number,
    [shown, base, per]: readonly [string, string, string],
    range: ValueRange,
    kind: FieldValue['kind'],
    read: (time: Temporal) => bigint,
  ) {
    super(name, ordinal);
    this.shown = shown;
    this.base = base;
    this.per = per;
    this.range = range;
    this.kind = kind;
    this.read = read;
  }
  /** The range of the field for a temporal that has it. */
  rangeOf(time: Temporal): ValueRange {
    const { year, month } = time.view;
    if (time.scope === 'monthDay' && this.name === 'DAY_OF_MONTH')
      return new ValueRange(1n, BigInt(daysInMonth(2000, month)), BigInt(daysInMonth(2001, month)));
    if (time.scope === 'time' || time.scope === 'instant') return this.range;
    const upTo = (max: number): ValueRange => new ValueRange(1n, BigInt(max));
    if (this.name === 'DAY_OF_MONTH') return upTo(daysInMonth(year, month));
    if (this.name === 'DAY_OF_YEAR') return upTo(isLeapYear(year) ? 366 : 365);
    if (this.name === 'ALIGNED_WEEK_OF_MONTH') return upTo(month === 2 && !isLeapYear(year) ? 4 : 5);
    if (this.name === 'YEAR_OF_ERA') return upTo(year <= 0 ? MAX_YEAR + 1 : MAX_YEAR);
    return this.range;
  }
  isIn(time: Temporal): boolean {
    return hasField(time, this);
  }
  override toString(): string {
    return this.shown;
  }
}

const OF_INSTANTS = /^(?:INSTANT_SECONDS|NANO_OF_SECOND|MICRO_OF_SECOND|MILLI_OF_SECOND)$/;
const OF_MONTHS = /^(?:YEAR|MONTH_OF_YEAR|PROLEPTIC_MONTH|YEAR_OF_ERA|ERA)$/;

function hasField({ scope }: Temporal, { kind, name }: FieldValue): boolean {
  if (scope === 'instant') return OF_INSTANTS.test(name);
  if (scope === 'months') return OF_MONTHS.test(name);
  if (scope === 'years') return OF_MONTHS.test(name) && !name.includes('MONTH');
  if (scope === 'monthDay') return name === 'MONTH_OF_YEAR' || name === 'DAY_OF_MONTH';
  return scope === 'zoned' || scope === kind || (scope === 'both' && kind !== 'other');
}

const NANOS_OF: Readonly<Record<string, bigint>> = {
  Nanos: 1n,
  Micros: 1000n,
  Millis: 1_000_000n,
  Seconds: 1_000_000_000n,
  Minutes: 60_000_000_000n,
  Hours: 3_600_000_000_000n,
  HalfDays: DAY_NANOS / 2n,
  Days: DAY_NANOS,
};
const nanoOfDay = (time: Temporal): bigint => {
  const local = localNanos(time);
  return local - floorDiv(local, DAY_NANOS) * DAY_NANOS;
};
const upperSnake = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

/** `Hours of HalfDays`: how many of one unit have passed since the last of the other. */
const TIME_FIELDS =
  'NanoOfSecond NanoOfDay MicroOfSecond MicroOfDay MilliOfSecond MilliOfDay SecondOfMinute SecondOfDay MinuteOfHour MinuteOfDay HourOfAmPm ClockHourOfAmPm HourOfDay ClockHourOfDay AmPmOfDay';
const UNIT_OF: Readonly<Record<string, string>> = { AmPm: 'HalfDays', Clock: 'Hours' };

function timeField(shown: string, ordinal: number): FieldValue {
  const isClock = shown.startsWith('Clock');
  const [count, per] = shown.replace('Clock', '').split('Of');
  const [base, range] = [UNIT_OF[count] ?? `${count}s`, UNIT_OF[per] ?? `${per}s`];
  const size = NANOS_OF[range] / NANOS_OF[base];
  const read = (time: Temporal): bigint => (nanoOfDay(time) / NANOS_OF[base]) % size;
  return new FieldValue(
    upperSnake(shown.replace('AmPm', 'Ampm')),
    ordinal,
    [shown, base, range],
    isClock ? new ValueRange(1n, size) : new ValueRange(0n, size - 1n),
    'time',
    isClock ? (time) => read(time) || size : read,
  );
}

const EPOCH_DAYS = new ValueRange(BigInt(daysFromCivil(-MAX_YEAR, 1, 1)), BigInt(daysFromCivil(MAX_YEAR, 12, 31)));
const epochDay = (time: Temporal): bigint => floorDiv(localNanos(time), DAY_NANOS);
const range = (min: number, max: number, smallestMax = max): ValueRange => new ValueRange(BigInt(min), BigInt(max), BigInt(smallestMax));

const DATE_FIELDS: ReadonlyArray<readonly [shown: string, units: string, range: ValueRange, read: (time: Temporal) => number | bigint]> = [
  ['DayOfWeek', 'Days Weeks', range(1, 7), ({ view }) => view.weekday],
  ['AlignedDayOfWeekInMonth', 'Days Weeks', range(1, 7), ({ view }) => ((view.day - 1) % 7) + 1],
  ['AlignedDayOfWeekInYear', 'Days Weeks', range(1, 7), ({ view }) => ((view.dayOfYear - 1) % 7) + 1],
  ['DayOfMonth', 'Days Months', range(1, 31, 28), ({ view }) => view.day],
  ['DayOfYear', 'Days Years', range(1, 366, 365), ({ view }) => view.dayOfYear],
  ['EpochDay', 'Days Forever', EPOCH_DAYS, epochDay],
  ['AlignedWeekOfMonth', 'Weeks Months', range(1, 5, 4), ({ view }) => Math.ceil(view.day / 7)],
  ['AlignedWeekOfYear', 'Weeks Years', range(1, 53), ({ view }) => Math.ceil(view.dayOfYear / 7)],
  ['MonthOfYear', 'Months Years', range(1, 12), ({ view }) => view.month],
  ['ProlepticMonth', 'Months Forever', range(-MAX_YEAR * 12, MAX_YEAR * 12 + 11), ({ view }) => view.year * 12 + view.month - 1],
  ['YearOfEra', 'Years Forever', range(1, MAX_YEAR + 1, MAX_YEAR), ({ view }) => Math.max(view.year, 1 - view.year)],
  ['Year', 'Years Forever', range(-MAX_YEAR, MAX_YEAR), ({ view }) => view.year],
  ['Era', 'Eras Forever', range(0, 1), ({ view }) => (view.year > 0 ? 1 : 0)],
];
const timeFields = TIME_FIELDS.split(' ').map(timeField);
const dateFields = DATE_FIELDS.map(([shown, units, values, read], i) => {
  const [base, per] = units.split(' ');
  return new FieldValue(upperSnake(shown), timeFields.length + i, [shown, base, per], values, 'date', (time) => BigInt(read(time)));
});
const last = timeFields.length + dateFields.length;

/** The constants of ChronoField, in their order. */
export const CHRONO_FIELDS: readonly FieldValue[] = [
  ...timeFields,
  ...dateFields,
  new FieldValue(
    'INSTANT_SECONDS',
    last,
    ['InstantSeconds', 'Seconds', 'Forever'],
    new ValueRange(-(1n << 63n), (1n << 63n) - 1n),
    'other',
    (time) => floorDiv(instantNanos(time), 1_000_000_000n),
  ),
  new FieldValue('OFFSET_SECONDS', last + 1, ['OffsetSeconds', 'Seconds', 'Forever'], range(-64_800, 64_800), 'other', ({ view }) =>
    BigInt(view.offsetMs / 1000),
  ),
];
const BY_NAME = new Map(CHRONO_FIELDS.map((field) => [field.name, field]));
export const fieldNamed = (name: string): FieldValue => BY_NAME.get(name) ?? unsupported(`Unsupported field: ${name}`);

/** TemporalAccessor.getLong. @throws ScriptFault UnsupportedTemporalTypeException */
export function fieldOf(time: Temporal, field: FieldValue): bigint {
  return field.isIn(time) ? field.read(time) : unsupported(`Unsupported field: ${field}`);
}

/** TemporalAccessor.get: fields whose values are ints. */
export function intFieldOf(time: Temporal, field: FieldValue): number {
  const value = fieldOf(time, field);
  if (!field.range.isInt) unsupported(`Invalid field '${field}' for get() method, use getLong() instead`);
  return Number(value);
}

/** TemporalAccessor.range. */
export function rangeOf(time: Temporal, field: FieldValue): ValueRange {
  return field.isIn(time) ? field.rangeOf(time) : unsupported(`Unsupported field: ${field}`);
}
