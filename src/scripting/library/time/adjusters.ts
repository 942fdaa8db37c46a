// TemporalAdjusters.
import { daysInMonth } from '../../../dates/civil.ts';
import type { DateView } from '../../../dates/date-view.ts';
import { defineClass } from '../../java/class-info.ts';
import type { DayValue } from './enums.ts';
import { OBJECT } from './interfaces.ts';
import { DAY_NANOS, dateNanos, floorDiv, localNanos, type Temporal, withLocal } from './temporal.ts';
import { plusUnit, unitNamed } from './units.ts';

/** The given weekday after a date, or before it. */
const nextDay = (time: Temporal, { ordinal }: DayValue, sign: 1 | -1, orSame: boolean): Temporal => {
  const away = ((((ordinal - (time.view.weekday - 1)) * sign) % 7) + 7) % 7;
  return plusUnit(time, BigInt(sign * (away === 0 && !orSame ? 7 : away)), unitNamed('DAYS'));
};
const atDay = (change: (view: DateView) => readonly [number, number, number]) => () => (time: Temporal) => {
  const local = localNanos(time);
  return withLocal(time, dateNanos(...change(time.view)) + local - floorDiv(local, DAY_NANOS) * DAY_NANOS);
};
defineClass('java.time.temporal.TemporalAdjusters', OBJECT, {
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
