// Temporals: instants, and local dates and times, which are kept as if they were in UTC.
import { daysFromCivil, daysInMonth } from '../../../dates/civil.ts';
import { DateView } from '../../../dates/date-view.ts';
import { type TimeZone, UTC } from '../../../dates/zones.ts';
import { classNameOf } from '../../java/class-of.ts';
import { raise } from '../../java/faults.ts';
import { hashOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import { MONTHS } from './enums.ts';
import { badTime } from './faults.ts';
import { dateText, fractionText, timeText, ZonedTime } from './zoned-time.ts';

export const DAY_NANOS = 86_400_000_000_000n;
export const floorDiv = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b;

/** The greatest year; the least is its negative. */
export const MAX_YEAR = 999_999_999;
const [MIN_DAY, MAX_DAY] = [-365_243_219_162n, 365_241_780_471n];
const [MIN_SECOND, MAX_SECOND] = [-31_557_014_167_219_200n, 31_556_889_864_403_199n];

/** Which units and fields a temporal has. */
export type Scope = 'instant' | 'both' | 'date' | 'time' | 'months' | 'years' | 'monthDay' | 'zoned';

/** Nanoseconds of the 400 years after which the calendar repeats. */
const CYCLE_NANOS = 146_097n * DAY_NANOS;
/** Milliseconds up to which numbers are exact enough for a date. */
const FAR_MS = 2n ** 52n;

/** A date so far away that its milliseconds are no exact number: seen some cycles of 400 years nearer. */
class FarView extends DateView {
  override readonly year: number;
  readonly #near: DateView;
  constructor(near: DateView, cycles: number) {
    super(near.epochMs, near.subMsNanos, UTC);
    this.#near = near;
    this.year = near.year + 400 * cycles;
  }
  override get dayOfYear(): number {
    return this.#near.dayOfYear;
  }
  override get weekYear(): number {
    return this.year + this.#near.weekYear - this.#near.year;
  }
}

function viewOf(nanos: bigint): DateView {
  const ms = floorDiv(nanos, 1_000_000n);
  if (ms < -FAR_MS || ms > FAR_MS) {
    const cycles = floorDiv(nanos, CYCLE_NANOS);
    return new FarView(viewOf(nanos - cycles * CYCLE_NANOS), Number(cycles));
  }
  return new DateView(Number(ms), Number(nanos - ms * 1_000_000n), UTC);
}

/** An instant on the time line, or a local date and time as if it were in UTC: nanoseconds since the epoch. */
export abstract class NanoTime {
  abstract readonly scope: Scope;
  readonly nanos: bigint;
  #view: DateView | null = null;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
  get ms(): number {
    return Number(floorDiv(this.nanos, 1_000_000n));
  }
  get view(): DateView {
    this.#view ??= viewOf(this.nanos);
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
  override readonly scope: Scope = 'instant';
  override toString(): string {
    const { view } = this;
    const two = (value: number): string => String(value).padStart(2, '0');
    return `${dateText(view)}T${two(view.hour)}:${two(view.minute)}:${two(view.second)}${fractionText(view.nano)}Z`;
  }
}
export class LocalDateTime extends NanoTime {
  override readonly scope: Scope = 'both';
  override toString(): string {
    return `${dateText(this.view)}T${timeText(this.view)}`;
  }
}
export class LocalDate extends NanoTime {
  override readonly scope: Scope = 'date';
  override toString(): string {
    return dateText(this.view);
  }
}
export class LocalTime extends NanoTime {
  override readonly scope: Scope = 'time';
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
/** @throws ScriptFault ArithmeticException: not a long */
export const checkedLong = (value: bigint): bigint =>
  BigInt.asIntN(64, value) === value ? value : raise('java.lang.ArithmeticException', 'long overflow');
function checkBounds(time: Temporal, local: bigint): void {
  if (time instanceof Instant) {
    const second = floorDiv(local, 1_000_000_000n);
    if (second < MIN_SECOND || second > MAX_SECOND) badTime('Instant exceeds minimum or maximum instant');
  } else {
    const day = floorDiv(local, DAY_NANOS);
    if (day < MIN_DAY || day > MAX_DAY) badTime(`Invalid value for EpochDay (valid values ${MIN_DAY} - ${MAX_DAY}): ${day}`);
  }
}
/** A temporal of the same class with another local time. */
export function withLocal<T extends Temporal>(time: T, local: bigint): T {
  checkBounds(time, local);
  if (time instanceof ZonedTime) return time.like(inZone(local, time.zone)) as T;
  if (time instanceof LocalTime) return new LocalTime(((local % DAY_NANOS) + DAY_NANOS) % DAY_NANOS) as Temporal as T;
  return new (time.constructor as new (nanos: bigint) => T)(local);
}

const dayOf = (time: Temporal): bigint => floorDiv(localNanos(time), DAY_NANOS) * DAY_NANOS;
const CONVERSIONS: ReadonlyArray<readonly [name: string, kind: { readonly prototype: object }, from: (time: Temporal) => Temporal | null]> =
  [
    ['LocalDate', LocalDate, (time) => (/^(?:date|both|zoned)$/.test(time.scope) ? new LocalDate(dayOf(time)) : null)],
    ['LocalTime', LocalTime, (time) => (/^(?:time|both|zoned)$/.test(time.scope) ? new LocalTime(localNanos(time) - dayOf(time)) : null)],
    ['LocalDateTime', LocalDateTime, (time) => (/^(?:both|zoned)$/.test(time.scope) ? new LocalDateTime(localNanos(time)) : null)],
    ['Instant', Instant, (time) => (/^(?:instant|zoned)$/.test(time.scope) ? new Instant(instantNanos(time)) : null)],
  ];

/** A temporal as another class: `LocalDate.from`. @throws ScriptFault DateTimeException: it lacks what the class needs */
export function convertedTo(name: string, time: Temporal): Temporal {
  const own = classNameOf(time);
  const converted =
    CONVERSIONS.find(([known]) => known === name)?.[2](time) ?? (time instanceof ZonedTime && name.endsWith('DateTime') ? time : null);
  return converted ?? badTime(`Unable to obtain ${name} from TemporalAccessor: ${time} of type ${own}`);
}

/** The second of two temporals as the class of the first, as `until` needs it. */
export const sameKind = (first: Temporal, second: Temporal): Temporal =>
  first.constructor === second.constructor ? second : convertedTo(classNameOf(first).replace(/^.*\./, ''), second);

export function dateNanos(year: number, month: number, day: number): bigint {
  if (!(year >= -MAX_YEAR && year <= MAX_YEAR)) badTime(`Invalid value for Year (valid values -${MAX_YEAR} - ${MAX_YEAR}): ${year}`);
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
  if (nano < 0 || nano > 999_999_999) badTime(`Invalid value for NanoOfSecond (valid values 0 - 999999999): ${nano}`);
  return BigInt((hour * 60 + minute) * 60 + second) * 1_000_000_000n + BigInt(nano);
}
