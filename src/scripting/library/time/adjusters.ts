// TemporalAdjusters.
import { daysInMonth } from '../../../dates/civil.ts';
import type { DateView } from '../../../dates/date-view.ts';
import { defineClass } from '../../java/class-info.ts';
import type { DayValue } from './enums.ts';
import { fieldNamed, fieldOf } from './field-value.ts';
import { OBJECT } from './interfaces.ts';
import { adjusted } from './queries.ts';
import { convertedTo, DAY_NANOS, dateNanos, floorDiv, type LocalDate, localNanos, type Temporal, withLocal } from './temporal.ts';
import { plusUnit, unitNamed } from './units.ts';

/** The given weekday after a date, or before it. */
const nextDay = (time: Temporal, { ordinal }: DayValue, sign: 1 | -1, orSame: boolean): Temporal => {
  const weekday = Number(fieldOf(time, fieldNamed('DAY_OF_WEEK')));
  const away = ((((ordinal - (weekday - 1)) * sign) % 7) + 7) % 7;
  return plusUnit(time, BigInt(sign * (away === 0 && !orSame ? 7 : away)), unitNamed('DAYS'));
};
const atDay = (change: (view: DateView) => readonly [number, number, number]) => () => (time: Temporal) => {
  fieldOf(time, fieldNamed('DAY_OF_MONTH'));
  const local = localNanos(time);
  return withLocal(time, dateNanos(...change(time.view)) + local - floorDiv(local, DAY_NANOS) * DAY_NANOS);
};
/** The n-th weekday of the month of a date; from its end if n is negative, the last of the month before if it is 0. */
const dayInMonth = (n: number, day: DayValue) => (time: Temporal) => {
  const edge = n >= 0 ? atDay(({ year, month }) => [year, month, 1]) : atDay(({ year, month }) => [year, month, daysInMonth(year, month)]);
  const first = nextDay(edge()(time), day, n >= 0 ? 1 : -1, true);
  return plusUnit(first, BigInt(n >= 0 ? n - 1 : n + 1), unitNamed('WEEKS'));
};
defineClass('java.time.temporal.TemporalAdjusters', OBJECT, {
  members: {
    'static TemporalAdjuster firstDayOfMonth()': atDay(({ year, month }) => [year, month, 1]),
    'static TemporalAdjuster lastDayOfMonth()': atDay(({ year, month }) => [year, month, daysInMonth(year, month)]),
    'static TemporalAdjuster firstDayOfNextMonth()': atDay(({ year, month }) => (month === 12 ? [year + 1, 1, 1] : [year, month + 1, 1])),
    'static TemporalAdjuster firstDayOfYear()': atDay(({ year }) => [year, 1, 1]),
    'static TemporalAdjuster lastDayOfYear()': atDay(({ year }) => [year, 12, 31]),
    'static TemporalAdjuster firstDayOfNextYear()': atDay(({ year }) => [year + 1, 1, 1]),
    'static TemporalAdjuster dayOfWeekInMonth(int,DayOfWeek)': dayInMonth,
    'static TemporalAdjuster firstInMonth(DayOfWeek)': (day: DayValue) => dayInMonth(1, day),
    'static TemporalAdjuster lastInMonth(DayOfWeek)': (day: DayValue) => dayInMonth(-1, day),
    'static TemporalAdjuster ofDateAdjuster(UnaryOperator)': (adjust: (date: LocalDate) => LocalDate) => (time: Temporal) =>
      adjusted(time, adjust(convertedTo('LocalDate', time) as LocalDate)),
    'static TemporalAdjuster next(DayOfWeek)': (day: DayValue) => (time: Temporal) => nextDay(time, day, 1, false),
    'static TemporalAdjuster nextOrSame(DayOfWeek)': (day: DayValue) => (time: Temporal) => nextDay(time, day, 1, true),
    'static TemporalAdjuster previous(DayOfWeek)': (day: DayValue) => (time: Temporal) => nextDay(time, day, -1, false),
    'static TemporalAdjuster previousOrSame(DayOfWeek)': (day: DayValue) => (time: Temporal) => nextDay(time, day, -1, true),
  },
});
