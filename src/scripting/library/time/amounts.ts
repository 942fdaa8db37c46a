// Duration and Period.

import { defineClass } from '../../java/class-info.ts';
import { ImmutableList } from '../../java/collections.ts';
import { raise } from '../../java/faults.ts';
import { longHash } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import { unsupported } from './faults.ts';
import { OBJECT } from './interfaces.ts';
import {
  checkedLong,
  DAY_NANOS,
  floorDiv,
  instantNanos,
  type LocalDate,
  sameKind,
  type Temporal,
  zonedAt,
  zonedNanos,
} from './temporal.ts';
import { between, plusMonths, plusUnit, UNIT_MEMBERS, type UnitValue, unitNamed, unitNanos } from './units.ts';
import { ZonedTime } from './zoned-time.ts';

const SECOND = 1_000_000_000n;

/** java.time.Duration: nanoseconds. */
class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    checkedLong(floorDiv(nanos, SECOND));
    this.nanos = nanos;
  }
  equalTo(other: Value): boolean {
    return other instanceof Duration && other.nanos === this.nanos;
  }
  hash(): number {
    const seconds = floorDiv(this.nanos, SECOND);
    return (longHash(seconds) + 51 * Number(this.nanos - seconds * SECOND)) | 0;
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
  /** Its value by units. */
  parts(): Readonly<Record<string, bigint>> {
    const seconds = floorDiv(this.nanos, SECOND);
    return { SECONDS: seconds, NANOS: this.nanos - seconds * SECOND };
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
export class Period {
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
    if (this.isZero) return 'P0D';
    const part = (value: number, letter: string): string => (value === 0 ? '' : `${value}${letter}`);
    return `P${part(this.years, 'Y')}${part(this.months, 'M')}${part(this.days, 'D')}`;
  }
  get isZero(): boolean {
    return this.years === 0 && this.months === 0 && this.days === 0;
  }
  hash(): number {
    return (this.years + rotatedLeft(this.months, 8) + rotatedLeft(this.days, 16)) | 0;
  }
  plus(other: Period, sign: 1 | -1): Period {
    return new Period(this.years + sign * other.years, this.months + sign * other.months, this.days + sign * other.days);
  }
  times(by: number): Period {
    return new Period(this.years * by, this.months * by, this.days * by);
  }
  normalized(): Period {
    const months = this.years * 12 + this.months;
    return new Period(Math.trunc(months / 12), months % 12, this.days);
  }
  /** Its value by units. */
  parts(): Readonly<Record<string, bigint>> {
    return { YEARS: BigInt(this.years), MONTHS: BigInt(this.months), DAYS: BigInt(this.days) };
  }
  static parse(text: string): Period {
    const found = /^([-+]?)P(?:([-+]?\d+)Y)?(?:([-+]?\d+)M)?(?:([-+]?\d+)W)?(?:([-+]?\d+)D)?$/i.exec(text);
    if (!found || found.slice(2).every((part) => part === undefined))
      return raise('java.time.format.DateTimeParseException', 'Text cannot be parsed to a Period');
    const [years, months, weeks, days] = found.slice(2).map((part) => Number(part ?? 0) * (found[1] === '-' ? -1 : 1));
    return new Period(years, months, weeks * 7 + days);
  }
  static between(from: LocalDate, to: LocalDate): Period {
    const months = Number(between(unitNamed('MONTHS'), from, to));
    const rest = (to.nanos - plusMonths(from.nanos, BigInt(months))) / DAY_NANOS;
    return new Period(Math.trunc(months / 12), months % 12, Number(rest));
  }
}

/** @throws ScriptFault ArithmeticException: not an int */
const sumOf = (value: number, by: bigint): number => {
  const sum = checkedLong(BigInt(value) + by);
  return BigInt.asIntN(32, sum) === sum ? Number(sum) : raise('java.lang.ArithmeticException', 'integer overflow');
};
const rotatedLeft = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

export function addAmount<T extends Temporal>(time: T, amount: Value, sign: 1 | -1): T {
  const by = BigInt(sign);
  if (amount instanceof Duration) {
    if (time instanceof ZonedTime) return time.like(zonedAt(zonedNanos(time) + amount.nanos * by, time.zone)) as T;
    const seconds = floorDiv(amount.nanos, SECOND);
    const whole = seconds === 0n ? time : plusUnit(time, by * seconds, unitNamed('SECONDS'));
    return amount.nanos % SECOND === 0n ? whole : plusUnit(whole, by * (amount.nanos - seconds * SECOND), unitNamed('NANOS'));
  }
  const { years, months, days } = amount as Period;
  let shifted = time;
  if (months !== 0) shifted = plusUnit(time, by * BigInt(years * 12 + months), unitNamed('MONTHS'));
  else if (years !== 0) shifted = plusUnit(time, by * BigInt(years), unitNamed('YEARS'));
  return days === 0 ? shifted : plusUnit(shifted, by * BigInt(days), unitNamed('DAYS'));
}

const shiftedBy = (self: Duration, count: bigint, unit: UnitValue): Duration =>
  new Duration(self.nanos + count * (unit.nanos ?? unsupported('Unit must not have an estimated duration')));
const durationFrom = (amount: Value): Duration =>
  amount instanceof Duration ? amount : unsupported('Unit must not have an estimated duration');
/** plusDays, minusHours ... */
const steps = Object.fromEntries(
  ['Days', 'Hours', 'Minutes', 'Seconds', 'Millis', 'Nanos'].flatMap((unit) => [
    [`Duration plus${unit}(long)`, (self: Duration, count: bigint) => shiftedBy(self, count, unitNamed(unit.toUpperCase()))],
    [`Duration minus${unit}(long)`, (self: Duration, count: bigint) => shiftedBy(self, -count, unitNamed(unit.toUpperCase()))],
  ]),
);
const durationOf = (unit: string) => (count: bigint) => new Duration(count * (unitNamed(unit).nanos ?? 0n));
/** @throws ScriptFault DateTimeException: a duration has other units */
const periodFrom = (amount: Value): Period =>
  amount instanceof Period ? amount : raise('java.time.DateTimeException', 'Unit must be Years, Months or Days, but was Seconds');
const durationParts = (unit: bigint) => (self: Duration) => self.nanos / unit;
defineClass('java.time.temporal.TemporalAmount', OBJECT, {
  members: {
    'Temporal addTo(Temporal)': (self: Value, time: Temporal) => addAmount(time, self, 1),
    'Temporal subtractFrom(Temporal)': (self: Value, time: Temporal) => addAmount(time, self, -1),
    'long get(TemporalUnit)': (self: Duration | Period, unit: UnitValue) =>
      self.parts()[unit.name] ?? unsupported(`Unsupported unit: ${unit}`),
    'List getUnits()': (self: Duration | Period) => new ImmutableList(...Object.keys(self.parts()).map(unitNamed)),
  },
});
defineClass('java.time.Duration', ['java.time.temporal.TemporalAmount', 'java.lang.Comparable'], {
  of: Duration,
  constants: { 'Duration ZERO': new Duration(0n) },
  members: {
    'static Duration between(Temporal,Temporal)': (from: Temporal, to: Temporal) => {
      between(unitNamed('SECONDS'), from, to);
      return new Duration(instantNanos(sameKind(from, to)) - instantNanos(from));
    },
    'static Duration of(long,TemporalUnit)': (count: bigint, unit: UnitValue) =>
      new Duration(count * (unit.nanos ?? unsupported('Unit must not have an estimated duration'))),
    'static Duration from(TemporalAmount)': durationFrom,
    'static Duration ofDays(long)': durationOf('DAYS'),
    'static Duration ofHours(long)': durationOf('HOURS'),
    'static Duration ofMinutes(long)': durationOf('MINUTES'),
    'static Duration ofSeconds(long)': durationOf('SECONDS'),
    'static Duration ofSeconds(long,long)': (seconds: bigint, nanos: bigint) => new Duration(seconds * SECOND + nanos),
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
    ...steps,
    'Duration plus(long,TemporalUnit)': (self: Duration, count: bigint, unit: UnitValue) => shiftedBy(self, count, unit),
    'Duration minus(long,TemporalUnit)': (self: Duration, count: bigint, unit: UnitValue) => shiftedBy(self, -count, unit),
    'Duration withSeconds(long)': (self: Duration, seconds: bigint) =>
      new Duration(seconds * SECOND + self.nanos - floorDiv(self.nanos, SECOND) * SECOND),
    'Duration withNanos(int)': (self: Duration, nanos: number) =>
      nanos < 0 || nanos > 999_999_999
        ? raise('java.time.DateTimeException', `Invalid value for NanoOfSecond (valid values 0 - 999999999): ${nanos}`)
        : new Duration(floorDiv(self.nanos, SECOND) * SECOND + BigInt(nanos)),
    'boolean equals(Object)': (self: Duration, other: Value) => self.equalTo(other),
    'int hashCode()': (self: Duration) => self.hash(),
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
defineClass('java.time.Period', ['java.time.temporal.TemporalAmount'], {
  of: Period,
  constants: { 'Period ZERO': new Period(0, 0, 0) },
  members: {
    'static Period between(LocalDate,LocalDate)': Period.between,
    'static Period from(TemporalAmount)': (amount: Value) => periodFrom(amount),
    'static Period parse(CharSequence)': (text: Value) => Period.parse(String(text)),
    'static Period of(int,int,int)': (years: number, months: number, days: number) => new Period(years, months, days),
    'static Period ofDays(int)': (days: number) => new Period(0, 0, days),
    'static Period ofMonths(int)': (months: number) => new Period(0, months, 0),
    'static Period ofWeeks(int)': (weeks: number) => new Period(0, 0, weeks * 7),
    'static Period ofYears(int)': (years: number) => new Period(years, 0, 0),
    'int getDays()': (self: Period) => self.days,
    'int getMonths()': (self: Period) => self.months,
    'int getYears()': (self: Period) => self.years,
    'boolean isNegative()': (self: Period) => self.years < 0 || self.months < 0 || self.days < 0,
    'boolean isZero()': (self: Period) => self.isZero,
    'Period plus(TemporalAmount)': (self: Period, other: Value) => self.plus(periodFrom(other), 1),
    'Period minus(TemporalAmount)': (self: Period, other: Value) => self.plus(periodFrom(other), -1),
    'Period plusDays(long)': (self: Period, count: bigint) => new Period(self.years, self.months, sumOf(self.days, count)),
    'Period plusMonths(long)': (self: Period, count: bigint) => new Period(self.years, sumOf(self.months, count), self.days),
    'Period plusYears(long)': (self: Period, count: bigint) => new Period(sumOf(self.years, count), self.months, self.days),
    'Period minusDays(long)': (self: Period, count: bigint) => new Period(self.years, self.months, sumOf(self.days, -count)),
    'Period minusMonths(long)': (self: Period, count: bigint) => new Period(self.years, sumOf(self.months, -count), self.days),
    'Period minusYears(long)': (self: Period, count: bigint) => new Period(sumOf(self.years, -count), self.months, self.days),
    'Period withDays(int)': (self: Period, days: number) => new Period(self.years, self.months, days),
    'Period withMonths(int)': (self: Period, months: number) => new Period(self.years, months, self.days),
    'Period withYears(int)': (self: Period, years: number) => new Period(years, self.months, self.days),
    'Period multipliedBy(int)': (self: Period, by: number) => self.times(by),
    'Period negated()': (self: Period) => self.times(-1),
    'Period normalized()': (self: Period) => self.normalized(),
    'boolean equals(Object)': (self: Period, other: Value) => self.equalTo(other),
    'int hashCode()': (self: Period) => self.hash(),
    'long toTotalMonths()': (self: Period) => BigInt(self.years * 12 + self.months),
    'String toString()': String,
  },
});
defineClass('java.time.temporal.TemporalUnit', OBJECT, {
  members: { ...UNIT_MEMBERS, 'Duration getDuration()': (self: UnitValue) => new Duration(unitNanos(self)) },
});
