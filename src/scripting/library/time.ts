// java.time: dates, times, instants, durations and periods of the ISO calendar; formatters by pattern with English names. A date and time without
// zone is kept as if it were in UTC.
import './time/interfaces.ts';
import './time/adjusters.ts';
import './time/dates.ts';
import './time/partial-dates.ts';
import { daysInMonth, isLeapYear } from '../../dates/civil.ts';
import { type TimeZone, UTC } from '../../dates/zones.ts';
import { defineClass, type Implementation } from '../java/class-info.ts';
import type { Value } from '../java/values.ts';
import { Period } from './time/amounts.ts';
import { DAYS } from './time/enums.ts';
import { fieldNamed } from './time/field-value.ts';
import { withDayOfYear } from './time/fields.ts';
import { cannotParse, Formatter, ISO, LOCAL_TIME, parsed, parseZoned } from './time/formatter.ts';
import { comparisons, dateMembers, temporalMembers, timeMembers } from './time/members.ts';
import {
  convertedTo,
  DAY_NANOS,
  dateNanos,
  floorDiv,
  Instant,
  inZone,
  LocalDate,
  LocalDateTime,
  LocalTime,
  localNanos,
  MAX_YEAR,
  type Temporal,
  timeNanos,
  withLocal,
  zonedAt,
  zonedNanos,
} from './time/temporal.ts';
import { plusUnit, unitNamed } from './time/units.ts';
import { OffsetStamp, ZonedTime } from './time/zoned-time.ts';
import { offsetValue, type Zone, zoneValue } from './time/zones.ts';

const [FIRST, LAST] = [dateNanos(-MAX_YEAR, 1, 1), dateNanos(MAX_YEAR, 12, 31)];

/** Members of dates with a zone or an offset. */
const zonedMembers: Readonly<Record<string, Implementation>> = {
  'ZoneOffset getOffset()': (self: ZonedTime) => offsetValue(self.view.offsetMs / 1000),
  'long toEpochSecond()': (self: ZonedTime) => BigInt(Math.floor(self.ms / 1000)),
  'Instant toInstant()': (self: ZonedTime) => new Instant(zonedNanos(self)),
  'LocalDate toLocalDate()': (self: ZonedTime) => new LocalDate(floorDiv(localNanos(self), DAY_NANOS) * DAY_NANOS),
  'LocalDateTime toLocalDateTime()': (self: ZonedTime) => new LocalDateTime(localNanos(self)),
  'LocalTime toLocalTime()': (self: ZonedTime) => new LocalTime(localNanos(self) - floorDiv(localNanos(self), DAY_NANOS) * DAY_NANOS),
};

/** The other moment with the same local time, if clocks were set back within three hours. */
function atOverlap(self: ZonedTime, sign: 1 | -1): ZonedTime {
  for (let minutes = 15; minutes <= 180; minutes += 15) {
    const other = zonedAt(zonedNanos(self) + BigInt(sign * minutes) * 60_000_000_000n, self.zone);
    if (localNanos(other) === localNanos(self)) return other;
  }
  return self;
}

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
    'static ZonedDateTime ofInstant(LocalDateTime,ZoneOffset,ZoneId)': (local: LocalDateTime, offset: Zone, { zone }: Zone) =>
      zonedAt(zonedNanos(inZone(local.nanos, offset.zone)), zone),
    'static ZonedDateTime ofLocal(LocalDateTime,ZoneId,ZoneOffset)': (local: LocalDateTime, { zone }: Zone, offset: Zone | null) => {
      const preferred = offset && zonedAt(zonedNanos(inZone(local.nanos, offset.zone)), zone);
      return preferred && localNanos(preferred) === local.nanos ? preferred : inZone(local.nanos, zone);
    },
    'ZonedDateTime withEarlierOffsetAtOverlap()': (self: ZonedTime) => atOverlap(self, -1),
    'ZonedDateTime withLaterOffsetAtOverlap()': (self: ZonedTime) => atOverlap(self, 1),
    'ZonedDateTime withFixedOffsetZone()': (self: ZonedTime) => new ZonedTime(self.ms, self.extraNanos, offsetOf(self)),
    'ZoneId getZone()': (self: ZonedTime) => zoneValue(self.zone),
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
    ...zonedMembers,
    'OffsetDateTime toOffsetDateTime()': (self: ZonedTime) => toOffset(self, offsetOf(self)),
    'ZonedDateTime withZoneSameInstant(ZoneId)': (self: ZonedTime, { zone }: Zone) => zonedAt(zonedNanos(self), zone),
    'ZonedDateTime withZoneSameLocal(ZoneId)': (self: ZonedTime, { zone }: Zone) => inZone(localNanos(self), zone),
  },
});
const toOffset = (time: ZonedTime, zone: TimeZone): OffsetStamp => new OffsetStamp(time.ms, time.extraNanos, zone);
const atLocal = (local: bigint, { zone }: Zone): OffsetStamp => toOffset(inZone(local, zone), zone);
const offsetOf = (time: ZonedTime): TimeZone => offsetValue(time.view.offsetMs / 1000).zone;
defineClass('java.time.OffsetDateTime', ['java.time.temporal.Temporal', 'java.time.temporal.TemporalAdjuster', 'java.lang.Comparable'], {
  of: OffsetStamp,
  members: {
    ...dateMembers('OffsetDateTime'),
    ...timeMembers('OffsetDateTime'),
    ...temporalMembers('OffsetDateTime'),
    ...comparisons('OffsetDateTime'),
    'static OffsetDateTime from(TemporalAccessor)': (time: Temporal) => {
      const found = convertedTo('OffsetDateTime', time) as ZonedTime;
      return toOffset(found, offsetOf(found));
    },
    'static OffsetDateTime of(LocalDateTime,ZoneOffset)': (local: LocalDateTime, zone: Zone) => atLocal(local.nanos, zone),
    'static OffsetDateTime of(LocalDate,LocalTime,ZoneOffset)': (date: LocalDate, time: LocalTime, zone: Zone) =>
      atLocal(date.nanos + time.nanos, zone),
    'static OffsetDateTime of(int,int,int,int,int,int,int,ZoneOffset)': (
      year: number,
      month: number,
      day: number,
      hour: number,
      minute: number,
      second: number,
      nano: number,
      zone: Zone,
    ) => atLocal(dateNanos(year, month, day) + timeNanos(hour, minute, second, nano), zone),
    'static OffsetDateTime ofInstant(Instant,ZoneId)': (instant: Instant, { zone }: Zone) => {
      const time = zonedAt(instant.nanos, zone);
      return toOffset(time, offsetOf(time));
    },
    'static OffsetDateTime parse(CharSequence)': (text: Value) => {
      const time = parseZoned(String(text));
      return toOffset(time, offsetOf(time));
    },
    'static OffsetDateTime parse(CharSequence,DateTimeFormatter)': (text: Value, formatter: Formatter) => {
      const time = parseZoned(String(text), formatter);
      return toOffset(time, offsetOf(time));
    },
    'ZonedDateTime atZoneSameInstant(ZoneId)': (self: ZonedTime, { zone }: Zone) => zonedAt(zonedNanos(self), zone),
    'ZonedDateTime atZoneSimilarLocal(ZoneId)': (self: ZonedTime, { zone }: Zone) => inZone(localNanos(self), zone),
    'ZonedDateTime toZonedDateTime()': (self: ZonedTime) => new ZonedTime(self.ms, self.extraNanos, self.zone),
    'OffsetDateTime withOffsetSameInstant(ZoneOffset)': (self: ZonedTime, { zone }: Zone) => toOffset(self, zone),
    'OffsetDateTime withOffsetSameLocal(ZoneOffset)': (self: ZonedTime, { zone }: Zone) => self.withOffset(zone),
    ...zonedMembers,
  },
});

const EPOCH = new Instant(0n);
defineClass('java.time.Instant', ['java.time.temporal.Temporal', 'java.time.temporal.TemporalAdjuster', 'java.lang.Comparable'], {
  of: Instant,
  constants: {
    'Instant EPOCH': EPOCH,
    'Instant MIN': new Instant(-31_557_014_167_219_200_000_000_000n),
    'Instant MAX': new Instant(31_556_889_864_403_199_999_999_999n),
  },
  members: {
    ...temporalMembers('Instant'),
    ...comparisons('Instant'),
    'static Instant now()': () => new Instant(BigInt(Date.now()) * 1_000_000n),
    'static Instant ofEpochMilli(long)': (ms: bigint) => new Instant(ms * 1_000_000n),
    'static Instant ofEpochSecond(long)': (seconds: bigint) => withLocal(EPOCH, seconds * 1_000_000_000n),
    'static Instant ofEpochSecond(long,long)': (seconds: bigint, nanos: bigint) => withLocal(EPOCH, seconds * 1_000_000_000n + nanos),
    'static Instant parse(CharSequence)': (text: Value) => new Instant(zonedNanos(parseZoned(String(text)))),
    'ZonedDateTime atZone(ZoneId)': (self: Instant, { zone }: Zone) => zonedAt(self.nanos, zone),
    'OffsetDateTime atOffset(ZoneOffset)': (self: Instant, { zone }: Zone) => toOffset(zonedAt(self.nanos, zone), zone),
    'long getEpochSecond()': (self: Instant) => floorDiv(self.nanos, 1_000_000_000n),
    'int getNano()': (self: Instant) => self.view.nano,
    'long toEpochMilli()': (self: Instant) => floorDiv(self.nanos, 1_000_000n),
    'Instant plusMillis(long)': (self: Instant, count: bigint) => plusUnit(self, count, unitNamed('MILLIS')),
    'Instant plusSeconds(long)': (self: Instant, count: bigint) => plusUnit(self, count, unitNamed('SECONDS')),
    'Instant plusNanos(long)': (self: Instant, count: bigint) => plusUnit(self, count, unitNamed('NANOS')),
    'Instant minusNanos(long)': (self: Instant, count: bigint) => plusUnit(self, -count, unitNamed('NANOS')),
    'Instant minusMillis(long)': (self: Instant, count: bigint) => plusUnit(self, -count, unitNamed('MILLIS')),
    'Instant minusSeconds(long)': (self: Instant, count: bigint) => plusUnit(self, -count, unitNamed('SECONDS')),
  },
});

defineClass('java.time.LocalDate', ['java.time.chrono.ChronoLocalDate', 'java.time.temporal.TemporalAdjuster'], {
  of: LocalDate,
  constants: { 'LocalDate MIN': new LocalDate(FIRST), 'LocalDate MAX': new LocalDate(LAST) },
  members: {
    ...dateMembers('LocalDate'),
    ...temporalMembers('LocalDate'),
    ...comparisons('ChronoLocalDate'),
    'static LocalDate of(int,int,int)': (year: number, month: number, day: number) => new LocalDate(dateNanos(year, month, day)),
    'static LocalDate ofEpochDay(long)': (day: bigint) => new LocalDate(fieldNamed('EPOCH_DAY').range.check(day, 'EpochDay') * DAY_NANOS),
    'static LocalDate ofYearDay(int,int)': (year: number, day: number) => withDayOfYear(new LocalDate(dateNanos(year, 1, 1)), day),
    'static LocalDate parse(CharSequence)': (text: Value) =>
      /^\d{4}-\d\d-\d\d$/.test(String(text)) ? new LocalDate(parsed(String(text), ISO).local) : cannotParse(String(text)),
    'static LocalDate parse(CharSequence,DateTimeFormatter)': (text: Value, formatter: Formatter) =>
      new LocalDate(floorDiv(parsed(String(text), formatter).local, DAY_NANOS) * DAY_NANOS),
    'LocalDateTime atStartOfDay()': (self: LocalDate) => new LocalDateTime(self.nanos),
    'ZonedDateTime atStartOfDay(ZoneId)': (self: LocalDate, { zone }: Zone) => inZone(self.nanos, zone),
    'LocalDateTime atTime(LocalTime)': (self: LocalDate, time: LocalTime) => new LocalDateTime(self.nanos + time.nanos),
    'LocalDateTime atTime(int,int)': (self: LocalDate, hour: number, minute: number) =>
      new LocalDateTime(self.nanos + timeNanos(hour, minute)),
    'LocalDateTime atTime(int,int,int)': (self: LocalDate, hour: number, minute: number, second: number) =>
      new LocalDateTime(self.nanos + timeNanos(hour, minute, second)),
    'LocalDateTime atTime(int,int,int,int)': (self: LocalDate, hour: number, minute: number, second: number, nano: number) =>
      new LocalDateTime(self.nanos + timeNanos(hour, minute, second, nano)),
    'boolean isLeapYear()': (self: LocalDate) => isLeapYear(self.view.year),
    'int lengthOfMonth()': (self: LocalDate) => daysInMonth(self.view.year, self.view.month),
    'int lengthOfYear()': (self: LocalDate) => (isLeapYear(self.view.year) ? 366 : 365),
    'long toEpochDay()': (self: LocalDate) => floorDiv(self.nanos, DAY_NANOS),
    'Period until(ChronoLocalDate)': Period.between,
  },
});

defineClass('java.time.LocalTime', ['java.time.temporal.Temporal', 'java.time.temporal.TemporalAdjuster', 'java.lang.Comparable'], {
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
    'static LocalTime ofNanoOfDay(long)': (nano: bigint) => new LocalTime(fieldNamed('NANO_OF_DAY').range.check(nano, 'NanoOfDay')),
    'static LocalTime ofSecondOfDay(long)': (second: bigint) =>
      new LocalTime(fieldNamed('SECOND_OF_DAY').range.check(second, 'SecondOfDay') * 1_000_000_000n),
    'static LocalTime parse(CharSequence)': (text: Value) => new LocalTime(parsed(String(text), LOCAL_TIME).local),
    'static LocalTime parse(CharSequence,DateTimeFormatter)': (text: Value, formatter: Formatter) =>
      new LocalTime(parsed(String(text), formatter).local),
    'LocalDateTime atDate(LocalDate)': (self: LocalTime, date: LocalDate) => new LocalDateTime(self.nanos + date.nanos),
    'int toSecondOfDay()': (self: LocalTime) => Number(self.nanos / 1_000_000_000n),
    'long toNanoOfDay()': (self: LocalTime) => self.nanos,
  },
});

defineClass('java.time.LocalDateTime', ['java.time.chrono.ChronoLocalDateTime', 'java.time.temporal.TemporalAdjuster'], {
  of: LocalDateTime,
  constants: { 'LocalDateTime MIN': new LocalDateTime(FIRST), 'LocalDateTime MAX': new LocalDateTime(LAST + DAY_NANOS - 1n) },
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
    'static LocalDateTime of(int,int,int,int,int,int,int)': (
      year: number,
      month: number,
      day: number,
      hour: number,
      minute: number,
      second: number,
      nano: number,
    ) => new LocalDateTime(dateNanos(year, month, day) + timeNanos(hour, minute, second, nano)),
    'static LocalDateTime ofEpochSecond(long,int,ZoneOffset)': (second: bigint, nano: number, { zone }: Zone) =>
      new LocalDateTime(localNanos(zonedAt(second * 1_000_000_000n + BigInt(nano), zone))),
    'static LocalDateTime ofInstant(Instant,ZoneId)': (instant: Instant, { zone }: Zone) =>
      new LocalDateTime(localNanos(zonedAt(instant.nanos, zone))),
    'static LocalDateTime parse(CharSequence)': (text: Value) => new LocalDateTime(parsed(String(text), ISO).local),
    'static LocalDateTime parse(CharSequence,DateTimeFormatter)': (text: Value, formatter: Formatter) =>
      new LocalDateTime(parsed(String(text), formatter).local),
    'ZonedDateTime atZone(ZoneId)': (self: LocalDateTime, { zone }: Zone) => inZone(self.nanos, zone),
    'OffsetDateTime atOffset(ZoneOffset)': (self: LocalDateTime, zone: Zone) => atLocal(self.nanos, zone),
    'Instant toInstant(ZoneOffset)': (self: LocalDateTime, { zone }: Zone) => new Instant(zonedNanos(inZone(self.nanos, zone))),
    'long toEpochSecond(ZoneOffset)': (self: LocalDateTime, { zone }: Zone) => BigInt(Math.floor(inZone(self.nanos, zone).ms / 1000)),
    'LocalDate toLocalDate()': (self: LocalDateTime) => new LocalDate(floorDiv(self.nanos, DAY_NANOS) * DAY_NANOS),
    'LocalTime toLocalTime()': (self: LocalDateTime) => new LocalTime(self.nanos - floorDiv(self.nanos, DAY_NANOS) * DAY_NANOS),
  },
});
