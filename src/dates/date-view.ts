// The fields of an instant in a zone, computed on demand.
import { civilFromDays, DAY_MS, dayOfWeek, daysFromCivil, isoWeek } from './civil.ts';
import type { TimeZone } from './zones.ts';

export class DateView {
  readonly zone: TimeZone;
  readonly offsetMs: number;
  readonly epochMs: number;
  /** Nanoseconds within the millisecond. */
  readonly subMsNanos: number;
  readonly #days: number;
  readonly #msOfDay: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;

  constructor(epochMs: number, nanos: number, zone: TimeZone) {
    this.zone = zone;
    this.epochMs = epochMs;
    this.subMsNanos = nanos;
    this.offsetMs = zone.offsetAt(epochMs);
    const local = epochMs + this.offsetMs;
    this.#days = Math.floor(local / DAY_MS);
    this.#msOfDay = local - this.#days * DAY_MS;
    const { year, month, day } = civilFromDays(this.#days);
    this.year = year;
    this.month = month;
    this.day = day;
  }

  get quarter(): number {
    return Math.ceil(this.month / 3);
  }
  get dayOfYear(): number {
    return this.#days - daysFromCivil(this.year, 1, 1) + 1;
  }
  get weekday(): number {
    return dayOfWeek(this.#days);
  }
  get weekYear(): number {
    return isoWeek(this.#days).weekYear;
  }
  get week(): number {
    return isoWeek(this.#days).week;
  }
  get hour(): number {
    return Math.floor(this.#msOfDay / 3_600_000);
  }
  get minute(): number {
    return Math.floor(this.#msOfDay / 60_000) % 60;
  }
  get second(): number {
    return Math.floor(this.#msOfDay / 1000) % 60;
  }
  get nano(): number {
    return (this.#msOfDay % 1000) * 1e6 + this.subMsNanos;
  }
  get nanoOfDay(): number {
    return this.#msOfDay * 1e6 + this.subMsNanos;
  }
}
