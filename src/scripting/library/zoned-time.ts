// Instants with a time zone: java.time.ZonedDateTime. Dates of documents are in UTC, whose fields are computed without tables.
import type { Value } from '../java/values.ts';

const DAY_MS = 86_400_000;

/** Epoch milliseconds and the nanoseconds within one, seen in a zone. */
export class ZonedTime {
  /** Whole epoch milliseconds. */
  readonly ms: number;
  /** Nanoseconds after `ms`, 0 to 999,999. */
  readonly extraNanos: number;
  /** Offset from UTC, in seconds. */
  readonly offset: number;
  /** As Java prints it: `Z`, `+02:00`, `Europe/Paris`. */
  readonly zone: string;
  #local: Date | null = null;

  constructor(ms: number, extraNanos = 0, zone = 'Z', offset = 0) {
    this.ms = ms;
    this.extraNanos = extraNanos;
    this.zone = zone;
    this.offset = offset;
  }

  /** The local date and time, as if it were UTC. */
  get local(): Date {
    this.#local ??= new Date(this.ms + this.offset * 1000);
    return this.#local;
  }

  get year(): number {
    return this.local.getUTCFullYear();
  }

  get month(): number {
    return this.local.getUTCMonth() + 1;
  }

  get dayOfYear(): number {
    return Math.floor((this.local.getTime() - Date.UTC(this.year, 0, 1)) / DAY_MS) + 1;
  }

  /** 1 for Monday. */
  get dayOfWeek(): number {
    return ((this.local.getUTCDay() + 6) % 7) + 1;
  }

  get nano(): number {
    return this.local.getUTCMilliseconds() * 1e6 + this.extraNanos;
  }

  equalTo(other: Value): boolean {
    return other instanceof ZonedTime && this.compareTo(other) === 0 && other.zone === this.zone;
  }

  hash(): number {
    return (this.ms ^ this.extraNanos) | 0;
  }

  compareTo(other: Value): number {
    if (!(other instanceof ZonedTime)) return 0;
    return Math.sign(this.ms - other.ms) || Math.sign(this.extraNanos - other.extraNanos);
  }

  /** Seconds and fractions only if they are not zero. */
  toString(): string {
    const text = this.local.toISOString();
    const { nano } = this;
    let time = text.slice(0, 16);
    if (nano !== 0 || this.local.getUTCSeconds() !== 0) time = text.slice(0, 19);
    if (nano !== 0) {
      const digits = String(nano).padStart(9, '0');
      time += `.${nano % 1e6 === 0 ? digits.slice(0, 3) : nano % 1e3 === 0 ? digits.slice(0, 6) : digits}`;
    }
    const offset = offsetText(this.offset);
    return `${time}${offset}${this.zone === offset || this.zone === 'Z' ? '' : `[${this.zone}]`}`;
  }
}

/** `Z`, `+02:00`. */
export function offsetText(seconds: number): string {
  if (seconds === 0) return 'Z';
  const size = Math.abs(seconds);
  const part = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const rest = size % 60;
  return `${seconds < 0 ? '-' : '+'}${part(size / 3600)}:${part((size / 60) % 60)}${rest ? `:${part(rest)}` : ''}`;
}

/** @param ms  epoch milliseconds; fractional for date_nanos */
export function zonedDateTime(ms: number): ZonedTime {
  const whole = Math.floor(ms);
  return new ZonedTime(whole, Math.round((ms - whole) * 1e6));
}
