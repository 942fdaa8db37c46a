// The fields of a parsed date, and their conversion to an instant.
import { DAY_MS, dayOfWeek, daysFromCivil, daysInMonth, firstIsoMonday, isLeapYear, isoWeek } from './civil.ts';
import type { TimeZone } from './zones.ts';

/** An instant: milliseconds since the epoch, and nanoseconds within the millisecond (0..999999). */
export interface DateInstant {
  readonly ms: number;
  readonly nanos: number;
}

const MONTHS = 'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'.split(' ');

/** Parsed fields, NaN for absent ones. Reused between strings. */
export class DateFields {
  year = Number.NaN;
  month = Number.NaN;
  day = Number.NaN;
  dayOfYear = Number.NaN;
  quarter = Number.NaN;
  weekYear = Number.NaN;
  week = Number.NaN;
  weekday = Number.NaN;
  hour = Number.NaN;
  /** 0..11, combined with `afternoon`. */
  halfDayHour = Number.NaN;
  /** 0 or 1. */
  afternoon = Number.NaN;
  minute = Number.NaN;
  second = Number.NaN;
  nano = Number.NaN;
  nanoOfDay = Number.NaN;
  /** 0: BC, 1: AD. */
  era = Number.NaN;
  zone: TimeZone | null = null;

  clear(): void {
    this.year = this.month = this.day = this.dayOfYear = this.quarter = Number.NaN;
    this.weekYear = this.week = this.weekday = Number.NaN;
    this.hour = this.halfDayHour = this.afternoon = this.minute = this.second = this.nano = this.nanoOfDay = this.era = Number.NaN;
    this.zone = null;
  }

  /** @returns null if a value is out of range (month 13, 30 February) or contradicts another one (a wrong weekday) */
  resolve(defaultZone: TimeZone, roundUp: boolean): DateInstant | null {
    const days = this.#days();
    if (Number.isNaN(days)) return null;
    let nanoOfDay = this.nanoOfDay;
    if (Number.isNaN(nanoOfDay)) {
      const hour = this.#hour(roundUp);
      const minute = Number.isNaN(this.minute) ? (roundUp ? 59 : 0) : this.minute;
      const second = Number.isNaN(this.second) ? (roundUp ? 59 : 0) : this.second;
      const nano = Number.isNaN(this.nano) ? (roundUp ? 999_999_999 : 0) : this.nano;
      // 24:00 is midnight at the end of the day.
      if (hour > 24 || hour < 0 || minute > 59 || second > 59 || (hour === 24 && (minute > 0 || second > 0 || nano > 0))) return null;
      const ms = ((hour * 60 + minute) * 60 + second) * 1000 + Math.floor(nano / 1e6);
      return { ms: (this.zone ?? defaultZone).toUtc(days * DAY_MS + ms), nanos: nano % 1e6 };
    }
    const ms = Math.floor(nanoOfDay / 1e6);
    nanoOfDay -= ms * 1e6;
    return ms >= DAY_MS ? null : { ms: (this.zone ?? defaultZone).toUtc(days * DAY_MS + ms), nanos: nanoOfDay };
  }

  /** java.time's message for a month or day that does not exist; null if both exist. */
  outOfRange(): string | null {
    const { year, month, day } = this;
    if (month < 1 || month > 12) return `Invalid value for MonthOfYear (valid values 1 - 12): ${month}`;
    if (day < 1 || day > 31) return `Invalid value for DayOfMonth (valid values 1 - 28/31): ${day}`;
    if (Number.isNaN(day) || day <= daysInMonth(year, month)) return null;
    return day === 29 ? `Invalid date 'February 29' as '${year}' is not a leap year` : `Invalid date '${MONTHS[month - 1]} ${day}'`;
  }

  #hour(roundUp: boolean): number {
    if (!Number.isNaN(this.hour)) return this.hour;
    if (!Number.isNaN(this.halfDayHour)) return this.halfDayHour + (this.afternoon === 1 ? 12 : 0);
    return roundUp ? 23 : 0;
  }

  #days(): number {
    if (!Number.isNaN(this.weekYear)) {
      const week = Number.isNaN(this.week) ? 1 : this.week;
      const weekday = Number.isNaN(this.weekday) ? 1 : this.weekday;
      if (week < 1 || weekday < 1 || weekday > 7) return Number.NaN;
      const days = firstIsoMonday(this.weekYear) + (week - 1) * 7 + weekday - 1;
      return week <= 52 || isoWeek(days).weekYear === this.weekYear ? days : Number.NaN;
    }
    let year = Number.isNaN(this.year) ? 1970 : this.year;
    if (this.era === 0) year = 1 - year;
    let days: number;
    if (!Number.isNaN(this.dayOfYear)) {
      if (this.dayOfYear < 1 || this.dayOfYear > (isLeapYear(year) ? 366 : 365)) return Number.NaN;
      days = daysFromCivil(year, 1, 1) + this.dayOfYear - 1;
    } else {
      const firstMonth = Number.isNaN(this.quarter) ? 1 : this.quarter * 3 - 2;
      const month = Number.isNaN(this.month) ? firstMonth : this.month;
      const day = Number.isNaN(this.day) ? 1 : this.day;
      if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return Number.NaN;
      days = daysFromCivil(year, month, day);
    }
    return Number.isNaN(this.weekday) || dayOfWeek(days) === this.weekday ? days : Number.NaN;
  }
}
