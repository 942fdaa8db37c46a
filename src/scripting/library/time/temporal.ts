// Temporals: instants, and local dates and times, which are kept as if they were in UTC.
import { daysFromCivil, daysInMonth } from '../../../dates/civil.ts';
import { DateView } from '../../../dates/date-view.ts';
import { type TimeZone, UTC } from '../../../dates/zones.ts';
import { hashOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import { MONTHS } from './enums.ts';
import { badTime } from './faults.ts';
import { dateText, fractionText, timeText, ZonedTime } from './zoned-time.ts';

export const DAY_NANOS = 86_400_000_000_000n;
export const floorDiv = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b;

/** An instant on the time line, or a local date and time as if it were in UTC: nanoseconds since the epoch. */
abstract class NanoTime {
  readonly nanos: bigint;
  #view: DateView | null = null;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
  get ms(): number {
    return Number(floorDiv(this.nanos, 1_000_000n));
  }
  get view(): DateView {
    this.#view ??= new DateView(this.ms, Number(this.nanos - BigInt(this.ms) * 1_000_000n), UTC);
    return this.#view;
  }
  equalTo(other: Value): boolean {
    return other instanceof NanoTime && other.constructor === this.constructor && other.nanos === this.nanos;
  }
  hash(): number {
    return hashOf(BigInt.asIntN(64, this.nanos));
  }
  compareTo(other: Value): number {
    const difference = this.nanos - (other as NanoTime).nanos;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
}
export class Instant extends NanoTime {
  override toString(): string {
    const { view } = this;
    const two = (value: number): string => String(value).padStart(2, '0');
    return `${dateText(view)}T${two(view.hour)}:${two(view.minute)}:${two(view.second)}${fractionText(view.nano)}Z`;
  }
}
export class LocalDateTime extends NanoTime {
  override toString(): string {
    return `${dateText(this.view)}T${timeText(this.view)}`;
  }
}
export class LocalDate extends NanoTime {
  override toString(): string {
    return dateText(this.view);
  }
}
export class LocalTime extends NanoTime {
  override toString(): string {
    return timeText(this.view);
  }
}

export type Temporal = NanoTime | ZonedTime;

export const zonedNanos = ({ ms, extraNanos }: ZonedTime): bigint => BigInt(ms) * 1_000_000n + BigInt(extraNanos);
export const zonedAt = (nanos: bigint, zone: TimeZone): ZonedTime => {
  const ms = floorDiv(nanos, 1_000_000n);
  return new ZonedTime(Number(ms), Number(nanos - ms * 1_000_000n), zone);
};
/** Local time of a temporal, as if it were in UTC. */
export const localNanos = (time: Temporal): bigint =>
  time instanceof ZonedTime ? zonedNanos(time) + BigInt(time.view.offsetMs) * 1_000_000n : time.nanos;
export const instantNanos = (time: Temporal): bigint => (time instanceof ZonedTime ? zonedNanos(time) : time.nanos);
/** A local time in a zone. */
export const inZone = (local: bigint, zone: TimeZone): ZonedTime => {
  const ms = floorDiv(local, 1_000_000n);
  return new ZonedTime(zone.toUtc(Number(ms)), Number(local - ms * 1_000_000n), zone);
};
/** A temporal of the same class with another local time. */
export function withLocal<T extends Temporal>(time: T, local: bigint): T {
  if (time instanceof ZonedTime) return inZone(local, time.zone) as T;
  if (time instanceof LocalTime) return new LocalTime(((local % DAY_NANOS) + DAY_NANOS) % DAY_NANOS) as Temporal as T;
  return new (time.constructor as new (nanos: bigint) => T)(local);
}

export function dateNanos(year: number, month: number, day: number): bigint {
  if (month < 1 || month > 12) badTime(`Invalid value for MonthOfYear (valid values 1 - 12): ${month}`);
  if (day < 1 || day > 31) badTime(`Invalid value for DayOfMonth (valid values 1 - 28/31): ${day}`);
  if (day > daysInMonth(year, month))
    badTime(day === 29 ? `Invalid date 'February 29' as '${year}' is not a leap year` : `Invalid date '${MONTHS[month - 1].name} ${day}'`);
  return BigInt(daysFromCivil(year, month, day)) * DAY_NANOS;
}

export function timeNanos(hour: number, minute: number, second = 0, nano = 0): bigint {
  if (hour < 0 || hour > 23) badTime(`Invalid value for HourOfDay (valid values 0 - 23): ${hour}`);
  if (minute < 0 || minute > 59) badTime(`Invalid value for MinuteOfHour (valid values 0 - 59): ${minute}`);
  if (second < 0 || second > 59) badTime(`Invalid value for SecondOfMinute (valid values 0 - 59): ${second}`);
  return BigInt((hour * 60 + minute) * 60 + second) * 1_000_000_000n + BigInt(nano);
}
