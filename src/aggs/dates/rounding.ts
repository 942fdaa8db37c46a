// Date rounding as in Elasticsearch's Rounding class: calendar units and fixed intervals, in time zones with gaps and overlaps, with an offset.
// Times are UTC milliseconds.
import { type TimeZone, UTC } from './time-zone.ts';

export type CalendarUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Monday, 1970-01-05. */
const FIRST_MONDAY = 4 * DAY;
const FIXED_UNITS: Partial<Record<CalendarUnit, number>> = { second: SECOND, minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY };

export interface Rounding {
  /** Start of the interval that contains `utc`. */
  round(utc: number): number;
  /** Start of the next interval after the one that starts at `utc`. */
  next(utc: number): number;
  /** Set if intervals are plain multiples: floor((utc - offset) / interval). */
  readonly fixed: { readonly interval: number; readonly offset: number } | null;
  /** The calendar unit; null for fixed intervals. */
  readonly unit: CalendarUnit | null;
}

export function calendarRounding(unit: CalendarUnit, zone: TimeZone, offset: number): Rounding {
  return { ...unitRounding(unit, zone, offset), unit };
}

function unitRounding(unit: CalendarUnit, zone: TimeZone, offset: number): Rounding {
  const width = FIXED_UNITS[unit];
  if (width !== undefined && zone.fixedOffset !== null) {
    return fixedMultiples(width, (unit === 'week' ? FIRST_MONDAY : 0) - zone.fixedOffset + offset);
  }
  const base = width !== undefined && width < DAY ? clockRounding(width, zone) : midnightRounding(unit, zone);
  return withOffset(base, offset);
}

export function intervalRounding(interval: number, zone: TimeZone, offset: number): Rounding {
  if (zone.fixedOffset !== null) return fixedMultiples(interval, offset - zone.fixedOffset);
  return withOffset(zonedInterval(interval, zone), offset);
}

function fixedMultiples(interval: number, offset: number): Rounding {
  const round = (utc: number) => Math.floor((utc - offset) / interval) * interval + offset;
  const phase = ((offset % interval) + interval) % interval;
  return { round, next: (utc) => round(utc) + interval, fixed: { interval, offset: phase }, unit: null };
}

function withOffset(base: Rounding, offset: number): Rounding {
  if (offset === 0) return base;
  return { round: (utc) => base.round(utc - offset) + offset, next: (utc) => base.next(utc - offset) + offset, fixed: null, unit: null };
}

/** Units of whole days: rounds to the first moment of the local day on which the unit starts. */
function midnightRounding(unit: CalendarUnit, zone: TimeZone): Rounding {
  const localOf = (utc: number) => utc + zone.offsetAt(utc);
  return {
    round: (utc) => firstTimeOn(truncateDay(unit, localOf(utc)), zone),
    next: (utc) => firstTimeOn(nextMidnight(unit, truncateDay(unit, localOf(utc))), zone),
    fixed: null,
    unit: null,
  };
}

function firstTimeOn(midnight: number, zone: TimeZone): number {
  const offsets = zone.validOffsets(midnight);
  return offsets.length > 0 ? midnight - offsets[0] : zone.gapAt(midnight);
}

function truncateDay(unit: CalendarUnit, local: number): number {
  const day = Math.floor(local / DAY) * DAY;
  if (unit === 'day') return day;
  if (unit === 'week') return Math.floor((local - FIRST_MONDAY) / (7 * DAY)) * 7 * DAY + FIRST_MONDAY;
  const date = new Date(day);
  const month = unit === 'year' ? 0 : unit === 'quarter' ? date.getUTCMonth() - (date.getUTCMonth() % 3) : date.getUTCMonth();
  return utcDate(date.getUTCFullYear(), month);
}

function nextMidnight(unit: CalendarUnit, midnight: number): number {
  if (unit === 'day') return midnight + DAY;
  if (unit === 'week') return midnight + 7 * DAY;
  const date = new Date(midnight);
  return utcDate(date.getUTCFullYear(), date.getUTCMonth() + (unit === 'year' ? 12 : unit === 'quarter' ? 3 : 1));
}

/** Date.UTC without its special treatment of years below 100. */
function utcDate(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}

/** Seconds, minutes and hours of local time. */
function clockRounding(unit: number, zone: TimeZone): Rounding {
  const round = (utc: number): number => {
    for (let instant = utc; ; ) {
      const truncated = truncateClock(instant, unit, zone);
      const transition = zone.previousTransition(instant + 1, instant - 2 * DAY);
      if (truncated !== null && (transition === null || transition <= truncated)) return truncated;
      if (transition === null) return truncated ?? instant;
      instant = transition - 1;
    }
  };
  // After a gap shorter than the unit, the next local time rounds back to the same start.
  return { round, next: (utc) => firstAfter(utc, (steps) => round(utc + steps * unit)), fixed: null, unit: null };
}

/** The latest instant not after `utc` at which local time is the truncated time; null if there is none. */
function truncateClock(utc: number, unit: number, zone: TimeZone): number | null {
  const local = Math.floor((utc + zone.offsetAt(utc)) / unit) * unit;
  const offsets = zone.validOffsets(local);
  for (let i = offsets.length - 1; i >= 0; i--) {
    if (local - offsets[i] <= utc) return local - offsets[i];
  }
  return null;
}

/** Multiples of an interval of local time. */
function zonedInterval(interval: number, zone: TimeZone): Rounding {
  return {
    round: (utc) => {
      const local = Math.floor((utc + zone.offsetAt(utc)) / interval) * interval;
      const offsets = zone.validOffsets(local);
      if (offsets.length === 0) return zone.gapAt(local);
      for (let i = offsets.length - 1; i >= 0; i--) {
        if (local - offsets[i] <= utc) return local - offsets[i];
      }
      return zone.previousTransition(utc + 1, utc - 400 * DAY) ?? local - offsets[0];
    },
    next: (utc) =>
      firstAfter(utc, (steps) => {
        const local = utc + steps * interval + zone.offsetAt(utc);
        const offsets = zone.validOffsets(local);
        if (offsets.length > 0) return local - offsets[0];
        // In a gap java.time moves forward by the length of the gap.
        return local - zone.offsetAt(zone.gapAt(local) - 1);
      }),
    fixed: null,
    unit: null,
  };
}

/** The first of candidate(1), candidate(2)... that is after `utc`. */
function firstAfter(utc: number, candidate: (steps: number) => number): number {
  for (let steps = 1; steps < 64; steps++) {
    const next = candidate(steps);
    if (next > utc) return next;
  }
  return utc + DAY;
}

/**
 * Ascending starts of all intervals that overlap [from, to], followed by the end of the last; null if there are more than `limit`.
 * Near transitions intervals may be shorter than `next` implies: additional starts in between are inserted.
 */
export function startsBetween(rounding: Rounding, from: number, to: number, limit: number): number[] | null {
  const starts: number[] = [];
  let start = rounding.round(from);
  while (start <= to) {
    starts.push(start);
    if (starts.length > limit) return null;
    let next = rounding.next(start);
    if (next <= start) next = start + 1;
    const between: number[] = [];
    for (let inner = rounding.round(next - 1); inner > start; inner = rounding.round(inner - 1)) between.unshift(inner);
    // The result of `next` may be inside an interval, whose start is then the rounded value.
    const rounded = rounding.round(next);
    starts.push(...between.filter((inner) => inner <= to));
    start = rounded > start && !between.includes(rounded) ? rounded : next;
  }
  starts.push(start);
  return starts;
}

const UNITS: Readonly<Record<string, CalendarUnit>> = {
  second: 'second',
  '1s': 'second',
  minute: 'minute',
  '1m': 'minute',
  hour: 'hour',
  '1h': 'hour',
  day: 'day',
  '1d': 'day',
  week: 'week',
  '1w': 'week',
  month: 'month',
  '1M': 'month',
  quarter: 'quarter',
  '1q': 'quarter',
  year: 'year',
  '1y': 'year',
}; // prettier-ignore

export function calendarUnit(text: string): CalendarUnit | null {
  return Object.hasOwn(UNITS, text) ? UNITS[text] : null;
}

const TIME_UNITS: Readonly<Record<string, number>> = { nanos: 1e-6, micros: 1e-3, ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** Milliseconds of a time value (`90m`, `-1h`, `1.5d`), null if it is not one. `fixed_interval` accepts positive integers only: the caller checks. */
export function timeValue(text: string): number | null {
  const match = /^\s*([+-]?\d+(?:\.\d+)?)(nanos|micros|ms|[smhd])\s*$/.exec(text);
  return match ? Number(match[1]) * TIME_UNITS[match[2]] : /^\s*[+-]?0\s*$/.test(text) ? 0 : null;
}

export { UTC };
