// Instants with a time zone: java.time.ZonedDateTime. The calendar is that of ../../dates/.
import { DateView } from '../../../dates/date-view.ts';
import { formatOffset, type TimeZone, UTC } from '../../../dates/zones.ts';
import type { Value } from '../../java/values.ts';

/** Digits of a fraction of a second as Java prints it: none, 3, 6 or 9. */
export function fractionText(nano: number): string {
  if (nano === 0) return '';
  const digits = String(nano).padStart(9, '0');
  return `.${nano % 1e6 === 0 ? digits.slice(0, 3) : nano % 1e3 === 0 ? digits.slice(0, 6) : digits}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `10:15`, `10:15:30.001`. */
export function timeText({ hour, minute, second, nano }: DateView): string {
  const seconds = second !== 0 || nano !== 0 ? `:${two(second)}${fractionText(nano)}` : '';
  return `${two(hour)}:${two(minute)}${seconds}`;
}

export function dateText({ year, month, day }: Pick<DateView, 'year' | 'month' | 'day'>): string {
  const size = String(Math.abs(year)).padStart(4, '0');
  return `${year < 0 ? '-' : year > 9999 ? '+' : ''}${size}-${two(month)}-${two(day)}`;
}

/** Epoch milliseconds and the nanoseconds within one, seen in a zone. */
export class ZonedTime {
  readonly scope = 'zoned';
  /** Whole epoch milliseconds. */
  readonly ms: number;
  /** Nanoseconds after `ms`, 0 to 999,999. */
  readonly extraNanos: number;
  readonly zone: TimeZone;
  #view: DateView | null = null;

  constructor(ms: number, extraNanos = 0, zone: TimeZone = UTC) {
    this.ms = ms;
    this.extraNanos = extraNanos;
    this.zone = zone;
  }

  /** The same moment and zone as a value of this class. */
  like(time: ZonedTime): ZonedTime {
    return time;
  }

  /** True if the zone is an offset from UTC rather than a region. */
  get isOffset(): boolean {
    return this.zone.fixedOffsetMs !== null && /^(?:Z|[+-])/.test(this.zone.id);
  }

  /** The same local time with another offset, where the class permits it. */
  withOffset(_zone: TimeZone): ZonedTime {
    return this;
  }

  get view(): DateView {
    this.#view ??= new DateView(this.ms, this.extraNanos, this.zone);
    return this.#view;
  }

  equalTo(other: Value): boolean {
    return other instanceof ZonedTime && this.compareTo(other) === 0 && other.zone.id === this.zone.id;
  }

  hash(): number {
    return (this.ms ^ this.extraNanos) | 0;
  }

  compareTo(other: Value): number {
    if (!(other instanceof ZonedTime)) return 0;
    return Math.sign(this.ms - other.ms) || Math.sign(this.extraNanos - other.extraNanos);
  }

  toString(): string {
    const offset = formatOffset(this.view.offsetMs / 1000, true);
    const zone = this.zone.fixedOffsetMs !== null && this.zone.id === offset ? '' : this.zone.id === 'Z' ? '' : `[${this.zone.id}]`;
    return `${dateText(this.view)}T${timeText(this.view)}${offset}${zone}`;
  }
}

/** java.time.OffsetDateTime: the zone is an offset. */
export class OffsetStamp extends ZonedTime {
  override like(time: ZonedTime): ZonedTime {
    return new OffsetStamp(time.ms, time.extraNanos, time.zone);
  }
  override withOffset(zone: TimeZone): ZonedTime {
    return new OffsetStamp(this.ms + this.view.offsetMs - zone.offsetAt(0), this.extraNanos, zone);
  }
}

/** @param ms  epoch milliseconds; fractional for date_nanos */
export function zonedDateTime(ms: number): ZonedTime {
  const whole = Math.floor(ms);
  return new ZonedTime(whole, whole === ms ? 0 : Math.round((ms - whole) * 1e6));
}
