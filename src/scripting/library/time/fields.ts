// ChronoField, IsoFields, JulianFields and WeekFields: setting fields of temporals, and the fields that are computed from others.

import { present } from '../../../common/present.ts';
import { daysInMonth, firstIsoMonday, isLeapYear } from '../../../dates/civil.ts';
import { findZone, formatOffset } from '../../../dates/zones.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import type { Value } from '../../java/values.ts';
import { constantsOf, DAYS, type DayValue, valueOf } from './enums.ts';
import { badTime, unsupported } from './faults.ts';
import { CHRONO_FIELDS, FieldValue, fieldNamed, fieldOf, rangeOf, ValueRange } from './field-value.ts';
import { OBJECT } from './interfaces.ts';
import { DAY_NANOS, dateNanos, floorDiv, Instant, localNanos, MAX_YEAR, type Temporal, withLocal, zonedAt } from './temporal.ts';
import { plusUnit, UnitValue, unitNamed } from './units.ts';
import { ZonedTime } from './zoned-time.ts';

const dayPart = (time: Temporal): bigint => localNanos(time) - floorDiv(localNanos(time), DAY_NANOS) * DAY_NANOS;
const atDate = (time: Temporal, year: number, month: number, day: number): Temporal =>
  withLocal(time, dateNanos(year, month, day) + dayPart(time));
const inMonth = (time: Temporal, year: number, month: number): Temporal =>
  atDate(time, year, month, Math.min(time.view.day, daysInMonth(year, month)));

/** A temporal with another value of a field that moves it by whole days. */
export const withDayOfYear = (time: Temporal, day: number): Temporal => {
  const { year } = time.view;
  fieldNamed('DAY_OF_YEAR').range.check(BigInt(day), 'DayOfYear');
  if (day === 366 && !isLeapYear(year)) badTime(`Invalid date 'DayOfYear 366' as '${year}' is not a leap year`);
  return withLocal(time, dateNanos(year, 1, 1) + BigInt(day - 1) * DAY_NANOS + dayPart(time));
};

const CHANGES: Readonly<Record<string, (time: Temporal, value: number) => Temporal>> = {
  DAY_OF_MONTH: (time, value) => atDate(time, time.view.year, time.view.month, value),
  DAY_OF_YEAR: withDayOfYear,
  MONTH_OF_YEAR: (time, value) => inMonth(time, time.view.year, value),
  PROLEPTIC_MONTH: (time, value) => inMonth(time, Math.floor(value / 12), (((value % 12) + 12) % 12) + 1),
  YEAR: (time, value) => inMonth(time, value, time.view.month),
  YEAR_OF_ERA: (time, value) => inMonth(time, time.view.year > 0 ? value : 1 - value, time.view.month),
  ERA: (time, value) => (time.view.year > 0 === (value === 1) ? time : inMonth(time, 1 - time.view.year, time.view.month)),
};

/** Temporal.with(field, value). @throws ScriptFault UnsupportedTemporalTypeException, DateTimeException */
export function withField(time: Temporal, field: FieldValue, value: bigint): Temporal {
  if (field instanceof DerivedField) return field.set(time, value);
  if (!field.isIn(time)) unsupported(`Unsupported field: ${field}`);
  field.range.check(value, field.shown);
  if (field.kind === 'other') return time instanceof ZonedTime ? withZonedField(time, field, value) : atSecond(time, value);
  const change = CHANGES[field.name];
  if (change) return change(time, Number(value));
  // The other fields count units: the difference is added.
  const count = field.name === 'CLOCK_HOUR_OF_AMPM' ? value % 12n : field.name === 'CLOCK_HOUR_OF_DAY' ? value % 24n : value;
  const now = field.name.startsWith('CLOCK') ? field.read(time) % field.range.max : field.read(time);
  const size = present(unitNamed(field.base === 'HalfDays' ? 'HALF_DAYS' : field.base.toUpperCase()).nanos);
  return withLocal(time, localNanos(time) + (count - now) * size - (isCoarse(field) ? localNanos(time) % size : 0n));
}
/** MILLI_OF_DAY and MICRO_OF_DAY, and those of the second, clear the smaller units. */
const isCoarse = ({ name }: FieldValue): boolean => /^MI(?:LLI|CRO)_/.test(name);

function withZonedField(time: ZonedTime, field: FieldValue, value: bigint): Temporal {
  if (field.name === 'INSTANT_SECONDS') return time.like(zonedAt(value * 1_000_000_000n + BigInt(time.view.nano), time.zone));
  const zone = findZone(formatOffset(Number(value), true));
  return zone ? time.withOffset(zone) : time;
}
const atSecond = (time: Temporal, value: bigint): Temporal =>
  withLocal(time, value * 1_000_000_000n + BigInt(time instanceof Instant ? time.view.nano : 0));

/** A field that is computed from others. */
class DerivedField extends FieldValue {
  readonly #needs: readonly string[];
  readonly #range: (time: Temporal) => ValueRange;
  readonly set: (time: Temporal, value: bigint) => Temporal;
  constructor(
    [shown, base, per]: readonly [string, string, string],
    needs: string,
    range: ValueRange,
    parts: {
      readonly read: (time: Temporal) => number | bigint;
      readonly set: (time: Temporal, value: number) => Temporal;
      readonly rangeOf?: (time: Temporal) => ValueRange;
    },
  ) {
    super(shown, 0, [shown, base, per], range, 'date', (time) => BigInt(parts.read(time)));
    this.#needs = needs.split(' ');
    this.#range = parts.rangeOf ?? (() => range);
    this.set = (time, value) => {
      if (!this.isIn(time)) unsupported(`Unsupported field: ${this}`);
      this.rangeOf(time).check(value, this.shown);
      return parts.set(time, Number(value));
    };
  }
  override isIn(time: Temporal): boolean {
    return this.#needs.every((name) => fieldNamed(name).isIn(time));
  }
  override rangeOf(time: Temporal): ValueRange {
    return this.#range(time);
  }
}

const range = (min: number, max: number, smallestMax = max): ValueRange => new ValueRange(BigInt(min), BigInt(max), BigInt(smallestMax));
const days = (time: Temporal, count: number): Temporal => plusUnit(time, BigInt(count), unitNamed('DAYS'));
const epochDay = (time: Temporal): number => Number(floorDiv(localNanos(time), DAY_NANOS));
const quarterLength = ({ view }: Temporal): number =>
  view.quarter === 1 ? (isLeapYear(view.year) ? 91 : 90) : view.quarter === 2 ? 91 : 92;
const dayOfQuarter = ({ view }: Temporal): number => {
  let day = view.day;
  for (let month = view.quarter * 3 - 2; month < view.month; month++) day += daysInMonth(view.year, month);
  return day;
};
const weeksOf = (weekYear: number): number => (firstIsoMonday(weekYear + 1) - firstIsoMonday(weekYear)) / 7;

const ISO_FIELDS: Readonly<Record<string, FieldValue>> = {
  DAY_OF_QUARTER: new DerivedField(['DayOfQuarter', 'Days', 'QuarterYears'], 'DAY_OF_YEAR MONTH_OF_YEAR YEAR', range(1, 92, 90), {
    read: dayOfQuarter,
    set: (time, value) => days(time, value - dayOfQuarter(time)),
    rangeOf: (time) => range(1, quarterLength(time)),
  }),
  QUARTER_OF_YEAR: new DerivedField(['QuarterOfYear', 'QuarterYears', 'Years'], 'MONTH_OF_YEAR', range(1, 4), {
    read: ({ view }) => view.quarter,
    set: (time, value) => inMonth(time, time.view.year, time.view.month + (value - time.view.quarter) * 3),
  }),
  WEEK_OF_WEEK_BASED_YEAR: new DerivedField(['WeekOfWeekBasedYear', 'Weeks', 'WeekBasedYears'], 'EPOCH_DAY', range(1, 53, 52), {
    read: ({ view }) => view.week,
    set: (time, value) => days(time, (value - time.view.week) * 7),
    rangeOf: ({ view }) => range(1, weeksOf(view.weekYear)),
  }),
  WEEK_BASED_YEAR: new DerivedField(['WeekBasedYear', 'WeekBasedYears', 'Forever'], 'EPOCH_DAY', range(-MAX_YEAR, MAX_YEAR), {
    read: ({ view }) => view.weekYear,
    set: (time, value) => {
      const week = Math.min(time.view.week, weeksOf(value));
      return days(time, firstIsoMonday(value) + (week - 1) * 7 + time.view.weekday - 1 - epochDay(time));
    },
  }),
};

const julian = (shown: string, offset: number): FieldValue => {
  const { min, max } = fieldNamed('EPOCH_DAY').range;
  return new DerivedField([shown, 'Days', 'Forever'], 'EPOCH_DAY', new ValueRange(min + BigInt(offset), max + BigInt(offset)), {
    read: (time) => epochDay(time) + offset,
    set: (time, value) => days(time, value - offset - epochDay(time)),
  });
};

/** java.time.temporal.WeekFields: weeks that begin on `first` and of which one with `minimal` days belongs to a year or month. */
class WeekFields {
  readonly first: number;
  readonly minimal: number;
  constructor(first: number, minimal: number) {
    this.first = first;
    this.minimal = minimal;
  }
  dayOfWeek({ view }: Temporal): number {
    return ((view.weekday - this.first + 7) % 7) + 1;
  }
  /** Week of a period whose day `day` this is: 0 if the week belongs to the period before. */
  week(time: Temporal, day: number): number {
    const start = (((day - this.dayOfWeek(time)) % 7) + 7) % 7;
    const offset = start + 1 > this.minimal ? 7 - start : -start;
    return Math.floor((7 + offset + (day - 1)) / 7);
  }
  weekYear(time: Temporal): number {
    const { year, dayOfYear } = time.view;
    const week = this.week(time, dayOfYear);
    if (week === 0) return year - 1;
    return dayOfYear >= 359 && this.#firstOf(time, year + 1) <= dayOfYear - (isLeapYear(year) ? 366 : 365) ? year + 1 : year;
  }
  /** Day of week-based year 1 relative to 1 January (which is 1) of `year`. */
  #firstOf(time: Temporal, year: number): number {
    const newYear = Number(dateNanos(year, 1, 1) / DAY_NANOS);
    const weekday = (((this.dayOfWeek(time) - 1 + newYear - epochDay(time)) % 7) + 7) % 7;
    return weekday === 0 ? 1 : 7 - weekday >= this.minimal ? 1 - weekday : 8 - weekday;
  }
  weekOfYear(time: Temporal): number {
    const year = this.weekYear(time);
    const first = Number(dateNanos(year, 1, 1) / DAY_NANOS) + this.#firstOf(time, year) - 1;
    return Math.floor((epochDay(time) - first) / 7) + 1;
  }
  field(shown: string): FieldValue {
    const shape = WEEK_FIELDS[shown];
    const read = (time: Temporal): number => shape.read(this, time);
    return new DerivedField([`${shown}[${this}]`, shape.base, shape.per], shape.needs, shape.range, {
      read,
      set: (time, value) =>
        plusUnit(time, BigInt(value - read(time)), unitNamed(shape.base === 'Days' ? 'DAYS' : shape.base === 'Weeks' ? 'WEEKS' : 'YEARS')),
    });
  }
  equalTo(other: Value): boolean {
    return other instanceof WeekFields && String(other) === String(this);
  }
  hash(): number {
    return (this.first - 1) * 7 + this.minimal;
  }
  toString(): string {
    return `WeekFields[${DAYS[this.first - 1].name},${this.minimal}]`;
  }
}

const WEEK_FIELDS: Readonly<
  Record<string, { base: string; per: string; needs: string; range: ValueRange; read: (fields: WeekFields, time: Temporal) => number }>
> = {
  DayOfWeek: { base: 'Days', per: 'Weeks', needs: 'DAY_OF_WEEK', range: range(1, 7), read: (fields, time) => fields.dayOfWeek(time) },
  WeekOfMonth: {
    base: 'Weeks',
    per: 'Months',
    needs: 'DAY_OF_WEEK DAY_OF_MONTH',
    range: new ValueRange(0n, 6n, 4n, 1n),
    read: (fields, time) => fields.week(time, time.view.day),
  },
  WeekOfYear: {
    base: 'Weeks',
    per: 'Years',
    needs: 'DAY_OF_WEEK DAY_OF_YEAR',
    range: new ValueRange(0n, 54n, 52n, 1n),
    read: (fields, time) => fields.week(time, time.view.dayOfYear),
  },
  WeekOfWeekBasedYear: {
    base: 'Weeks',
    per: 'WeekBasedYears',
    needs: 'DAY_OF_WEEK DAY_OF_YEAR',
    range: range(1, 53, 52),
    read: (fields, time) => fields.weekOfYear(time),
  },
  WeekBasedYear: {
    base: 'WeekBasedYears',
    per: 'Forever',
    needs: 'DAY_OF_WEEK YEAR',
    range: range(-MAX_YEAR, MAX_YEAR),
    read: (fields, time) => fields.weekYear(time),
  },
};

/** Weeks of a locale's country, or of the one where its language is mostly spoken. */
function weekFieldsOf(locale: { tag(): string }): WeekFields {
  const tag = locale.tag().replace(/^und/, 'en');
  const known = new Intl.Locale(tag).maximize() as Intl.Locale & { readonly weekInfo?: WeekInfo; getWeekInfo?(): WeekInfo };
  const { firstDay, minimalDays } = known.getWeekInfo?.() ?? known.weekInfo ?? { firstDay: 7, minimalDays: 1 };
  return new WeekFields(firstDay, minimalDays);
}
interface WeekInfo {
  readonly firstDay: number;
  readonly minimalDays: number;
}

const isoUnit = (shown: string, months: number, ordinal: number): UnitValue => new UnitValue(shown, ordinal, null, months);
const ISO_UNITS = { QUARTER_YEARS: isoUnit('QuarterYears', 3, 0), WEEK_BASED_YEARS: isoUnit('WeekBasedYears', 12, 1) };
const unitOf = (shown: string): UnitValue =>
  shown === 'QuarterYears'
    ? ISO_UNITS.QUARTER_YEARS
    : shown === 'WeekBasedYears'
      ? ISO_UNITS.WEEK_BASED_YEARS
      : unitNamed(shown === 'HalfDays' ? 'HALF_DAYS' : shown.toUpperCase());

const FIELD_MEMBERS: Readonly<Record<string, Implementation>> = {
  'TemporalUnit getBaseUnit()': (self: FieldValue) => unitOf(self.base),
  'TemporalUnit getRangeUnit()': (self: FieldValue) => unitOf(self.per),
  'boolean isDateBased()': (self: FieldValue) => self.kind === 'date',
  'boolean isTimeBased()': (self: FieldValue) => self.kind === 'time',
  'boolean isSupportedBy(TemporalAccessor)': (self: FieldValue, time: Temporal) => self.isIn(time),
  'long getFrom(TemporalAccessor)': (self: FieldValue, time: Temporal) => fieldOf(time, self),
  'Temporal adjustInto(Temporal,long)': (self: FieldValue, time: Temporal, value: bigint) => withField(time, self, value),
  'ValueRange range()': (self: FieldValue) => self.range,
  'ValueRange rangeRefinedBy(TemporalAccessor)': (self: FieldValue, time: Temporal) => rangeOf(time, self),
};

defineClass('java.time.temporal.ValueRange', OBJECT, {
  of: ValueRange,
  members: {
    'static ValueRange of(long,long)': (min: bigint, max: bigint) => new ValueRange(min, max),
    'static ValueRange of(long,long,long)': (min: bigint, smallestMax: bigint, max: bigint) => new ValueRange(min, max, smallestMax),
    'static ValueRange of(long,long,long,long)': (min: bigint, largestMin: bigint, smallestMax: bigint, max: bigint) =>
      new ValueRange(min, max, smallestMax, largestMin),
    'long getMinimum()': (self: ValueRange) => self.min,
    'long getLargestMinimum()': (self: ValueRange) => self.largestMin,
    'long getSmallestMaximum()': (self: ValueRange) => self.smallestMax,
    'long getMaximum()': (self: ValueRange) => self.max,
    'boolean isFixed()': (self: ValueRange) => self.min === self.largestMin && self.max === self.smallestMax,
    'boolean isIntValue()': (self: ValueRange) => self.isInt,
    'boolean isValidValue(long)': (self: ValueRange, value: bigint) => self.contains(value),
    'boolean isValidIntValue(long)': (self: ValueRange, value: bigint) => self.isInt && self.contains(value),
    'long checkValidValue(long,TemporalField)': (self: ValueRange, value: bigint, field: FieldValue) => self.check(value, field.shown),
    'String toString()': String,
  },
});
defineClass('java.time.temporal.TemporalField', OBJECT, { members: FIELD_MEMBERS });
defineClass('java.time.temporal.ChronoField', ['java.lang.Enum', 'java.time.temporal.TemporalField'], {
  of: FieldValue,
  constants: constantsOf('ChronoField', CHRONO_FIELDS),
  members: {
    'static ChronoField valueOf(String)': valueOf('temporal.ChronoField', CHRONO_FIELDS),
    'long checkValidValue(long)': (self: FieldValue, value: bigint) => self.range.check(value, self.shown),
    'int checkValidIntValue(long)': (self: FieldValue, value: bigint) =>
      self.range.isInt
        ? Number(self.range.check(value, self.shown))
        : badTime(`Invalid value for ${self} (valid values ${self.range}): ${value}`),
  },
});
defineClass('java.time.temporal.IsoFields.Field', [...OBJECT, 'java.time.temporal.TemporalField'], { of: DerivedField });
defineClass('java.time.temporal.IsoFields', OBJECT, {
  constants: {
    ...Object.fromEntries(Object.entries(ISO_FIELDS).map(([name, field]) => [`TemporalField ${name}`, field])),
    ...Object.fromEntries(Object.entries(ISO_UNITS).map(([name, unit]) => [`TemporalUnit ${name}`, unit])),
  },
});
defineClass('java.time.temporal.JulianFields', OBJECT, {
  constants: {
    'TemporalField JULIAN_DAY': julian('JulianDay', 2_440_588),
    'TemporalField MODIFIED_JULIAN_DAY': julian('ModifiedJulianDay', 40_587),
    'TemporalField RATA_DIE': julian('RataDie', 719_163),
  },
});
defineClass('java.time.temporal.WeekFields', OBJECT, {
  of: WeekFields,
  constants: {
    'WeekFields ISO': new WeekFields(1, 4),
    'WeekFields SUNDAY_START': new WeekFields(7, 1),
    'TemporalUnit WEEK_BASED_YEARS': ISO_UNITS.WEEK_BASED_YEARS,
  },
  members: {
    'static WeekFields of(DayOfWeek,int)': (day: DayValue, minimal: number) => new WeekFields(day.ordinal + 1, minimal),
    'static WeekFields of(Locale)': weekFieldsOf,
    'TemporalField dayOfWeek()': (self: WeekFields) => self.field('DayOfWeek'),
    'TemporalField weekOfMonth()': (self: WeekFields) => self.field('WeekOfMonth'),
    'TemporalField weekOfYear()': (self: WeekFields) => self.field('WeekOfYear'),
    'TemporalField weekOfWeekBasedYear()': (self: WeekFields) => self.field('WeekOfWeekBasedYear'),
    'TemporalField weekBasedYear()': (self: WeekFields) => self.field('WeekBasedYear'),
    'DayOfWeek getFirstDayOfWeek()': (self: WeekFields) => DAYS[self.first - 1],
    'int getMinimalDaysInFirstWeek()': (self: WeekFields) => self.minimal,
    'String toString()': String,
  },
});
