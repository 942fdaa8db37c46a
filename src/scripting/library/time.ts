// java.time: dates, times, instants, durations and periods of the ISO calendar; formatters by pattern with English names. A date and time without
// zone is kept as if it were in UTC.
import './time/interfaces.ts';
import './time/adjusters.ts';
import './time/dates.ts';
import { daysInMonth, isLeapYear } from '../../dates/civil.ts';
import type { DateView } from '../../dates/date-view.ts';
import { UTC } from '../../dates/zones.ts';
import { defineClass, type Implementation } from '../java/class-info.ts';
import { equal, hashOf } from '../java/objects.ts';
import type { Value } from '../java/values.ts';
import { addAmount, Period } from './time/amounts.ts';
import { DAYS, MONTHS } from './time/enums.ts';
import { unsupported } from './time/faults.ts';
import { cannotParse, Formatter, ISO, LOCAL_TIME, parsed, parseZoned } from './time/formatter.ts';
import {
  DAY_NANOS,
  dateNanos,
  floorDiv,
  Instant,
  instantNanos,
  inZone,
  LocalDate,
  LocalDateTime,
  LocalTime,
  localNanos,
  type Temporal,
  timeNanos,
  withLocal,
  zonedAt,
  zonedNanos,
} from './time/temporal.ts';
import { between, type FieldValue, fieldOf, plusUnit, type UnitValue, unitNamed } from './time/units.ts';
import { ZonedTime } from './time/zoned-time.ts';
import { offsetValue, type Zone, zoneValue } from './time/zones.ts';

const compareTimes = (a: Temporal, b: Temporal): number =>
  instantNanos(a) < instantNanos(b) ? -1 : instantNanos(a) > instantNanos(b) ? 1 : 0;

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
  [`boolean isAfter(${name})`]: (self: Temporal, other: Temporal) => compareTimes(self, other) > 0,
  [`boolean isBefore(${name})`]: (self: Temporal, other: Temporal) => compareTimes(self, other) < 0,
  [`boolean isEqual(${name})`]: (self: Temporal, other: Temporal) => compareTimes(self, other) === 0,
  [`int compareTo(${name})`]: compareTimes,
  'String format(DateTimeFormatter)': (self: Temporal, formatter: Formatter) => formatter.format(self),
});

defineClass('java.time.ZonedDateTime', ['java.time.chrono.ChronoZonedDateTime'], {
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
defineClass('java.time.OffsetDateTime', ['java.time.ZonedDateTime'], {});

defineClass('java.time.Instant', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {
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

defineClass('java.time.LocalDate', ['java.time.chrono.ChronoLocalDate'], {
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

defineClass('java.time.LocalTime', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {
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

defineClass('java.time.LocalDateTime', ['java.time.chrono.ChronoLocalDateTime'], {
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
