// ChronoUnit, and the arithmetic of temporals by units.
import './interfaces.ts';
import { civilFromDays, daysInMonth } from '../../../dates/civil.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { EnumValue } from '../../java/enum-value.ts';
import { constantsOf, valueOf } from './enums.ts';
import { badTime, unsupported } from './faults.ts';
import {
  checkedLong,
  DAY_NANOS,
  dateNanos,
  floorDiv,
  instantNanos,
  localNanos,
  MAX_YEAR,
  sameKind,
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
    if (/[a-z]/.test(this.name)) return this.name;
    return this.name === 'HALF_DAYS' ? 'HalfDays' : this.name[0] + this.name.slice(1).toLowerCase();
  }
}
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
  ['ERAS', null, 12_000_000_000],
  ['FOREVER', null, Number.POSITIVE_INFINITY],
];
const UNITS = new Map(UNIT_SIZES.map(([name, nanos, months], i) => [name, new UnitValue(name, i, nanos, months)]));
export const unitNamed = (name: string): UnitValue => UNITS.get(name) ?? unsupported(`Unsupported unit: ${name}`);

const isTimeUnit = ({ nanos }: UnitValue): boolean => nanos !== null && nanos < DAY_NANOS;

/** Temporal.isSupported for a unit. */
function hasUnit({ scope }: Temporal, unit: UnitValue): boolean {
  if (unit.name === 'FOREVER' || scope === 'monthDay') return false;
  if (scope === 'instant') return isTimeUnit(unit) || unit.name === 'DAYS';
  if (scope === 'months') return unit.months >= 1;
  if (scope === 'years') return unit.months >= 12;
  return scope === 'date' ? !isTimeUnit(unit) : scope === 'time' ? isTimeUnit(unit) : true;
}
const supported = (time: Temporal, unit: UnitValue): void => {
  if (!hasUnit(time, unit)) unsupported(`Unsupported unit: ${unit}`);
};

/** Adds months to a local time; the day is at most the last of the month. */
export function plusMonths(local: bigint, count: bigint): bigint {
  const days = floorDiv(local, DAY_NANOS);
  const { year, month, day } = civilFromDays(Number(days));
  const total = checkedLong(BigInt(year * 12 + month - 1) + count);
  const [toYear, toMonth] = [Number(floorDiv(total, 12n)), Number(total - floorDiv(total, 12n) * 12n) + 1];
  if (Math.abs(toYear) > MAX_YEAR) badTime(`Invalid value for Year (valid values -${MAX_YEAR} - ${MAX_YEAR}): ${floorDiv(total, 12n)}`);
  return dateNanos(toYear, toMonth, Math.min(day, daysInMonth(toYear, toMonth))) + local - days * DAY_NANOS;
}

export function plusUnit<T extends Temporal>(time: T, count: bigint, unit: UnitValue): T {
  supported(time, unit);
  if (unit.nanos === null) return withLocal(time, plusMonths(localNanos(time), count * BigInt(unit.months)));
  // Hours and less are added on the time line, days and weeks on the calendar.
  if (time instanceof ZonedTime && unit.nanos < DAY_NANOS) return time.like(zonedAt(zonedNanos(time) + count * unit.nanos, time.zone)) as T;
  if (unit.nanos >= DAY_NANOS) checkedLong((count * unit.nanos) / DAY_NANOS + floorDiv(localNanos(time), DAY_NANOS));
  return withLocal(time, localNanos(time) + count * unit.nanos);
}

/** Whole units from one temporal to another. */
export function between(unit: UnitValue, from: Temporal, end: Temporal): bigint {
  const to = sameKind(from, end);
  supported(from, unit);
  const isOnLine = from instanceof ZonedTime && unit.nanos !== null && unit.nanos < DAY_NANOS;
  const other = from instanceof ZonedTime && to instanceof ZonedTime ? zonedAt(zonedNanos(to), from.zone) : to;
  const [a, b] = isOnLine ? [instantNanos(from), instantNanos(to)] : [localNanos(from), localNanos(other)];
  if (unit.nanos !== null) return checkedLong((b - a) / unit.nanos);
  const [start, until] = [from.view, other.view];
  let months = (until.year - start.year) * 12 + until.month - start.month;
  // A month is complete on its day of the first date at its time, even if the last month has no such day.
  const rest = until.day === start.day ? until.nanoOfDay - start.nanoOfDay : until.day - start.day;
  if (months !== 0 && rest !== 0 && months > 0 !== rest > 0) months -= Math.sign(months);
  return BigInt(Math.trunc(months / unit.months));
}

const durationOfUnit = (unit: UnitValue): bigint => unit.nanos ?? BigInt(unit.months) * 2_629_746_000_000_000n;

export const UNIT_MEMBERS: Readonly<Record<string, Implementation>> = {
  'long between(Temporal,Temporal)': between,
  'Temporal addTo(Temporal,long)': (self: UnitValue, time: Temporal, count: bigint) => plusUnit(time, count, self),
  'boolean isDateBased()': (self: UnitValue) => !isTimeUnit(self) && self.name !== 'FOREVER',
  'boolean isTimeBased()': isTimeUnit,
  'boolean isDurationEstimated()': (self: UnitValue) => !isTimeUnit(self),
  'boolean isSupportedBy(Temporal)': (self: UnitValue, time: Temporal) => hasUnit(time, self),
};
/** Nanoseconds of ChronoUnit.getDuration. */
export const unitNanos = (unit: UnitValue): bigint =>
  unit.name === 'FOREVER' ? ((1n << 63n) - 1n) * 1_000_000_000n + 999_999_999n : durationOfUnit(unit);
defineClass('java.time.temporal.ChronoUnit', ['java.lang.Enum', 'java.time.temporal.TemporalUnit'], {
  of: UnitValue,
  constants: constantsOf('ChronoUnit', UNITS.values()),
  members: {
    'static ChronoUnit valueOf(String)': valueOf('temporal.ChronoUnit', [...UNITS.values()]),
  },
});
