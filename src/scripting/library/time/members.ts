// Members that the classes of java.time share: dates, times of day, temporals.
import { daysInMonth } from '../../../dates/civil.ts';
import type { DateView } from '../../../dates/date-view.ts';
import type { Implementation } from '../../java/class-info.ts';
import { equal, hashOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import { addAmount } from './amounts.ts';
import { DAYS, MONTHS } from './enums.ts';
import { unsupported } from './faults.ts';
import { withDayOfYear, withField } from './fields.ts';
import type { Formatter } from './formatter.ts';
import { adjusted } from './queries.ts';
import { convertedTo, DAY_NANOS, dateNanos, floorDiv, instantNanos, localNanos, type Temporal, timeNanos, withLocal } from './temporal.ts';
import { between, plusUnit, type UnitValue, unitNamed } from './units.ts';

const compareTimes = (a: Temporal, b: Temporal): number =>
  instantNanos(a) < instantNanos(b) ? -1 : instantNanos(a) > instantNanos(b) ? 1 : 0;
/** compareTo, whose results are differences of the first field that differs where Java subtracts. */
function difference(a: Temporal, b: Temporal): number {
  const [x, y] = [a.view, b.view];
  if (a.scope === 'time' || b.scope === 'time') return compareTimes(a, b);
  if (a.scope !== 'zoned' && a.scope !== 'instant') return x.year - y.year || x.month - y.month || x.day - y.day || compareTimes(a, b);
  const seconds = (time: Temporal): bigint => floorDiv(instantNanos(time), 1_000_000_000n);
  return seconds(a) === seconds(b) ? x.nano - y.nano : compareTimes(a, b);
}

/** Members of all classes with a date. */
export function dateMembers(name: string): Record<string, Implementation> {
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
  members[`${name} withDayOfYear(int)`] = withDayOfYear;
  return members;
}

function addSteps(members: Record<string, Implementation>, name: string, unit: string, size: string): void {
  members[`${name} plus${unit}(long)`] = (self: Temporal, count: bigint) => plusUnit(self, count, unitNamed(size));
  members[`${name} minus${unit}(long)`] = (self: Temporal, count: bigint) => plusUnit(self, -count, unitNamed(size));
}

/** Members of all classes with a time of day. */
export function timeMembers(name: string): Record<string, Implementation> {
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
export function temporalMembers(name: string): Record<string, Implementation> {
  return {
    [`${name} plus(long,TemporalUnit)`]: (self: Temporal, count: bigint, unit: UnitValue) => plusUnit(self, count, unit),
    [`${name} minus(long,TemporalUnit)`]: (self: Temporal, count: bigint, unit: UnitValue) => plusUnit(self, -count, unit),
    [`${name} plus(TemporalAmount)`]: (self: Temporal, amount: Value) => addAmount(self, amount, 1),
    [`${name} minus(TemporalAmount)`]: (self: Temporal, amount: Value) => addAmount(self, amount, -1),
    [`${name} truncatedTo(TemporalUnit)`]: truncated,
    [`${name} with(TemporalAdjuster)`]: adjusted,
    [`${name} with(TemporalField,long)`]: withField,
    [`static ${name} from(TemporalAccessor)`]: (time: Temporal) => convertedTo(name, time),
    'long until(Temporal,TemporalUnit)': (self: Temporal, other: Temporal, unit: UnitValue) => between(unit, self, other),
    'Temporal adjustInto(Temporal)': (self: Temporal, time: Temporal) => adjusted(time, self),
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

/** Comparison with others of the class. */
export const comparisons = (name: string): Record<string, Implementation> => ({
  [`boolean isAfter(${name})`]: (self: Temporal, other: Temporal) => compareTimes(self, other) > 0,
  [`boolean isBefore(${name})`]: (self: Temporal, other: Temporal) => compareTimes(self, other) < 0,
  [`boolean isEqual(${name})`]: (self: Temporal, other: Temporal) => compareTimes(self, other) === 0,
  [`int compareTo(${name})`]: difference,
  'String format(DateTimeFormatter)': (self: Temporal, formatter: Formatter) => formatter.format(self),
});
