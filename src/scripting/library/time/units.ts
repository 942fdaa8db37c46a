// ChronoUnit and ChronoField, and the arithmetic of temporals by units.
import './interfaces.ts';
import { civilFromDays, daysInMonth } from '../../../dates/civil.ts';
import type { DateView } from '../../../dates/date-view.ts';
import { defineClass } from '../../java/class-info.ts';
import { EnumValue } from '../../java/enum-value.ts';
import { constantsOf, valueOf } from './enums.ts';
import { unsupported } from './faults.ts';
import {
  DAY_NANOS,
  dateNanos,
  floorDiv,
  Instant,
  instantNanos,
  LocalDate,
  localNanos,
  type Temporal,
  withLocal,
  zonedAt,
  zonedNanos,
} from './temporal.ts';
import { ZonedTime } from './zoned-time.ts';

/** ChronoUnit: nanoseconds or months of one. */
export class UnitValue extends EnumValue {
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
export class FieldValue extends EnumValue {}
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
export const unitNamed = (name: string): UnitValue => UNITS.get(name) ?? unsupported(`Unsupported unit: ${name}`);

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

export const fieldOf = (time: Temporal, { name }: FieldValue): bigint =>
  name === 'INSTANT_SECONDS' ? floorDiv(instantNanos(time), 1_000_000_000n) : FIELD_GETTERS[name](time.view, localNanos(time));

/** Adds months to a local time; the day is at most the last of the month. */
export function plusMonths(local: bigint, count: number): bigint {
  const days = floorDiv(local, DAY_NANOS);
  const { year, month, day } = civilFromDays(Number(days));
  const total = year * 12 + month - 1 + count;
  const [toYear, toMonth] = [Math.floor(total / 12), (((total % 12) + 12) % 12) + 1];
  return dateNanos(toYear, toMonth, Math.min(day, daysInMonth(toYear, toMonth))) + local - days * DAY_NANOS;
}

export function plusUnit<T extends Temporal>(time: T, count: bigint, unit: UnitValue): T {
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
export function between(unit: UnitValue, from: Temporal, to: Temporal): bigint {
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
defineClass('java.time.temporal.ChronoUnit', ['java.lang.Enum', 'java.time.temporal.TemporalUnit'], {
  of: UnitValue,
  constants: constantsOf('ChronoUnit', UNITS.values()),
  members: {
    'static ChronoUnit valueOf(String)': valueOf('temporal.ChronoUnit', [...UNITS.values()]),
    'long between(Temporal,Temporal)': between,
    'Temporal addTo(Temporal,long)': (self: UnitValue, time: Temporal, count: bigint) => plusUnit(time, count, self),
  },
});
defineClass('java.time.temporal.ChronoField', ['java.lang.Enum', 'java.time.temporal.TemporalField'], {
  of: FieldValue,
  constants: constantsOf('ChronoField', FIELDS),
});
