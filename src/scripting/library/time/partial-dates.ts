// Year, YearMonth and MonthDay. Each is kept as its first day, that of MonthDay in the leap year 2000.
import { daysInMonth, isLeapYear } from '../../../dates/civil.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { classNameOf } from '../../java/class-of.ts';
import type { EnumValue } from '../../java/enum-value.ts';
import type { Value } from '../../java/values.ts';
import { addAmount } from './amounts.ts';
import { MONTHS } from './enums.ts';
import { badTime } from './faults.ts';
import { type FieldValue, fieldNamed } from './field-value.ts';
import { withField } from './fields.ts';
import { cannotParse, type Formatter, parsed } from './formatter.ts';
import { comparisons } from './members.ts';
import { adjusted } from './queries.ts';
import { dateNanos, LocalDate, MAX_YEAR, NanoTime, type Scope, type Temporal } from './temporal.ts';
import { plusUnit, type UnitValue, unitNamed } from './units.ts';
import { dateText } from './zoned-time.ts';

const civil = (nanos: bigint): { year: number; month: number; day: number } => new LocalDate(nanos).view;

class Year extends NanoTime {
  override readonly scope: Scope = 'years';
  constructor(nanos: bigint) {
    super(dateNanos(civil(nanos).year, 1, 1));
  }
  override hash(): number {
    return this.view.year;
  }
  override toString(): string {
    return String(this.view.year);
  }
}
class YearMonth extends NanoTime {
  override readonly scope: Scope = 'months';
  constructor(nanos: bigint) {
    const { year, month } = civil(nanos);
    super(dateNanos(year, month, 1));
  }
  override hash(): number {
    return this.view.year ^ (this.view.month << 27);
  }
  override toString(): string {
    return dateText(this.view).slice(0, -3);
  }
}
class MonthDay extends NanoTime {
  override readonly scope: Scope = 'monthDay';
  constructor(nanos: bigint) {
    const { month, day } = civil(nanos);
    super(dateNanos(2000, month, day));
  }
  override hash(): number {
    return (this.view.month << 6) + this.view.day;
  }
  override toString(): string {
    return `-${dateText(this.view).slice(4)}`;
  }
}

type Kind = new (nanos: bigint) => Temporal;

const SCOPES: Readonly<Record<string, RegExp>> = {
  Year: /^(?:date|both|zoned|months)$/,
  YearMonth: /^(?:date|both|zoned)$/,
  MonthDay: /^(?:date|both|zoned)$/,
};
const TEXTS: Readonly<Record<string, RegExp>> = {
  Year: /^(?<year>\d{4}|[+-]\d{4,9})$/,
  YearMonth: /^(?<year>\d{4}|[+-]\d{4,9})-(?<month>\d\d)$/,
  MonthDay: /^--(?<month>\d\d)-(?<day>\d\d)$/,
};

/** from, parse, comparisons and format of one class. */
function commonMembers(name: string, kind: Kind): Record<string, Implementation> {
  return {
    ...comparisons(name),
    [`static ${name} from(TemporalAccessor)`]: (time: Temporal) => {
      if (time instanceof kind) return time;
      if (time.scope && SCOPES[name].test(time.scope)) return new kind(dateNanos(time.view.year, time.view.month, time.view.day));
      return badTime(`Unable to obtain ${name} from TemporalAccessor: ${time} of type ${classNameOf(time)}`);
    },
    [`static ${name} parse(CharSequence)`]: (text: Value) => {
      const { year = '2000', month = '1', day = '1' } = TEXTS[name].exec(String(text))?.groups ?? cannotParse(String(text));
      return new kind(dateNanos(Number(year), Number(month), Number(day)));
    },
    [`static ${name} parse(CharSequence,DateTimeFormatter)`]: (text: Value, formatter: Formatter) =>
      new kind(parsed(String(text), formatter).local),
    'String toString()': String,
  };
}

/** Arithmetic of Year and YearMonth. */
function shiftMembers(name: string): Record<string, Implementation> {
  return {
    [`${name} plus(long,TemporalUnit)`]: (self: Temporal, count: bigint, unit: UnitValue) => plusUnit(self, count, unit),
    [`${name} minus(long,TemporalUnit)`]: (self: Temporal, count: bigint, unit: UnitValue) => plusUnit(self, -count, unit),
    [`${name} plus(TemporalAmount)`]: (self: Temporal, amount: Value) => addAmount(self, amount, 1),
    [`${name} minus(TemporalAmount)`]: (self: Temporal, amount: Value) => addAmount(self, amount, -1),
    [`${name} plusYears(long)`]: (self: Temporal, count: bigint) => plusUnit(self, count, unitNamed('YEARS')),
    [`${name} minusYears(long)`]: (self: Temporal, count: bigint) => plusUnit(self, -count, unitNamed('YEARS')),
    [`${name} with(TemporalAdjuster)`]: adjusted,
    [`${name} with(TemporalField,long)`]: (self: Temporal, field: FieldValue, value: bigint) => withField(self, field, value),
    'Temporal adjustInto(Temporal)': (self: Temporal, time: Temporal) => adjusted(time, self),
  };
}

const set =
  (field: string): Implementation =>
  (self: Temporal, value: number) =>
    withField(self, fieldNamed(field), BigInt(value));
const leap = ({ view }: Temporal): boolean => isLeapYear(view.year);
const days = (self: Temporal): number => (leap(self) ? 366 : 365);
const ADJUSTER = 'java.time.temporal.TemporalAdjuster';

defineClass('java.time.Year', ['java.time.temporal.Temporal', ADJUSTER, 'java.lang.Comparable'], {
  of: Year,
  constants: { 'int MIN_VALUE': -MAX_YEAR, 'int MAX_VALUE': MAX_YEAR },
  members: {
    ...commonMembers('Year', Year),
    ...shiftMembers('Year'),
    'static Year of(int)': (year: number) => new Year(dateNanos(year, 1, 1)),
    'static boolean isLeap(long)': (year: bigint) => isLeapYear(Number(year % 400n)),
    'int getValue()': (self: Year) => self.view.year,
    'boolean isLeap()': leap,
    'int length()': days,
    'LocalDate atDay(int)': (self: Year, day: number) => withField(new LocalDate(self.nanos), fieldNamed('DAY_OF_YEAR'), BigInt(day)),
    'YearMonth atMonth(int)': (self: Year, month: number) => new YearMonth(dateNanos(self.view.year, month, 1)),
    'LocalDate atMonthDay(MonthDay)': (self: Year, { view }: MonthDay) => inYear(view, self.view.year),
    'boolean isValidMonthDay(MonthDay)': (self: Year, { view }: MonthDay | (null & MonthDay)) =>
      view.day <= daysInMonth(self.view.year, view.month),
  },
});
const inYear = ({ month, day }: { month: number; day: number }, year: number): LocalDate =>
  new LocalDate(dateNanos(year, month, Math.min(day, daysInMonth(year, month))));

defineClass('java.time.YearMonth', ['java.time.temporal.Temporal', ADJUSTER, 'java.lang.Comparable'], {
  of: YearMonth,
  members: {
    ...commonMembers('YearMonth', YearMonth),
    ...shiftMembers('YearMonth'),
    'static YearMonth of(int,int)': (year: number, month: number) => new YearMonth(dateNanos(year, month, 1)),
    'int getYear()': (self: YearMonth) => self.view.year,
    'int getMonthValue()': (self: YearMonth) => self.view.month,
    'Month getMonth()': (self: YearMonth) => MONTHS[self.view.month - 1],
    'YearMonth plusMonths(long)': (self: YearMonth, count: bigint) => plusUnit(self, count, unitNamed('MONTHS')),
    'YearMonth minusMonths(long)': (self: YearMonth, count: bigint) => plusUnit(self, -count, unitNamed('MONTHS')),
    'YearMonth withMonth(int)': set('MONTH_OF_YEAR'),
    'YearMonth withYear(int)': set('YEAR'),
    'boolean isLeapYear()': leap,
    'int lengthOfYear()': days,
    'int lengthOfMonth()': ({ view }: YearMonth) => daysInMonth(view.year, view.month),
    'boolean isValidDay(int)': ({ view }: YearMonth, day: number) => day >= 1 && day <= daysInMonth(view.year, view.month),
    'LocalDate atDay(int)': ({ view }: YearMonth, day: number) => new LocalDate(dateNanos(view.year, view.month, day)),
    'LocalDate atEndOfMonth()': ({ view }: YearMonth) => inYear({ month: view.month, day: 31 }, view.year),
  },
});
defineClass('java.time.MonthDay', ['java.time.temporal.TemporalAccessor', ADJUSTER, 'java.lang.Comparable'], {
  of: MonthDay,
  members: {
    ...commonMembers('MonthDay', MonthDay),
    'static MonthDay of(int,int)': (month: number, day: number) => new MonthDay(dateNanos(2000, month, day)),
    'int getDayOfMonth()': (self: MonthDay) => self.view.day,
    'int getMonthValue()': (self: MonthDay) => self.view.month,
    'Month getMonth()': (self: MonthDay) => MONTHS[self.view.month - 1],
    'LocalDate atYear(int)': (self: MonthDay, year: number) => inYear(self.view, year),
    'boolean isValidYear(int)': ({ view }: MonthDay, year: number) => view.day <= daysInMonth(year, view.month),
    'MonthDay with(Month)': ({ view }: MonthDay, { ordinal }: EnumValue) =>
      new MonthDay(dateNanos(2000, ordinal + 1, Math.min(view.day, daysInMonth(2000, ordinal + 1)))),
    'MonthDay withMonth(int)': ({ view }: MonthDay, month: number) =>
      new MonthDay(dateNanos(2000, month, month >= 1 && month <= 12 ? Math.min(view.day, daysInMonth(2000, month)) : view.day)),
    'MonthDay withDayOfMonth(int)': ({ view }: MonthDay, day: number) => new MonthDay(dateNanos(2000, view.month, day)),
    'Temporal adjustInto(Temporal)': (self: Temporal, time: Temporal) => adjusted(time, self),
  },
});
