// Dates of scripts: an instant in UTC with the getters of java.time.ZonedDateTime and Instant.
import { Double, type HostObject, type Value } from './syntax-tree.ts';

const DAY_MS = 86_400_000;
const STEPS: Readonly<Record<string, number>> = {
  Days: DAY_MS,
  Weeks: 7 * DAY_MS,
  Hours: 3_600_000,
  Minutes: 60_000,
  Seconds: 1000,
};
const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
const MONTHS = [
  ...['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE', 'JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'],
];

/** Epoch milliseconds of each date object that was created. */
const instants = new WeakMap<object, number>();

/** Epoch milliseconds of a date, null for any other value. */
export function millisOf(value: Value): number | null {
  return typeof value === 'object' && value !== null ? (instants.get(value) ?? null) : null;
}

/** @param ms  epoch milliseconds; fractional for date_nanos */
export function zonedDateTime(ms: number): HostObject {
  const whole = Math.floor(ms);
  const date = new Date(whole);
  const fields = {
    get year() {
      return date.getUTCFullYear();
    },
    get monthValue() {
      return date.getUTCMonth() + 1;
    },
    get month() {
      return named(MONTHS[date.getUTCMonth()], date.getUTCMonth() + 1);
    },
    get dayOfMonth() {
      return date.getUTCDate();
    },
    get dayOfYear() {
      return Math.floor((whole - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
    },
    get dayOfWeek() {
      return isoDay(date);
    },
    get dayOfWeekEnum() {
      return named(DAYS[isoDay(date) - 1], isoDay(date));
    },
    get hour() {
      return date.getUTCHours();
    },
    get minute() {
      return date.getUTCMinutes();
    },
    get second() {
      return date.getUTCSeconds();
    },
    get nano() {
      return date.getUTCMilliseconds() * 1e6 + Math.round((ms - whole) * 1e6);
    },
    get millis() {
      return BigInt(whole);
    },
  };
  const self: HostObject = { fields, call: (name, args) => call(self, ms, date, name, args) };
  instants.set(self, ms);
  return self;
}

export function dateOfText(text: string): HostObject | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : zonedDateTime(ms);
}

function call(self: HostObject, ms: number, date: Date, name: string, args: Value[]): Value {
  const step = /^(plus|minus)([A-Z][a-z]+)$/.exec(name);
  if (step) return plus(ms, date, step[2], (step[1] === 'plus' ? 1 : -1) * Number(args[0]));
  switch (name) {
    case 'toInstant':
    case 'toLocalDateTime':
    case 'toOffsetDateTime':
      return self;
    case 'toEpochMilli':
      return BigInt(Math.floor(ms));
    case 'toEpochSecond':
    case 'getEpochSecond':
      return BigInt(Math.floor(ms / 1000));
    case 'isBefore':
    case 'isAfter':
    case 'compareTo':
    case 'equals': {
      const other = millisOf(args[0]);
      if (other === null) return name === 'equals' ? false : undefined;
      if (name === 'compareTo') return Math.sign(ms - other);
      return name === 'equals' ? ms === other : name === 'isBefore' ? ms < other : ms > other;
    }
    case 'toString':
      return isoText(date);
    default:
      return undefined;
  }
}

function plus(ms: number, date: Date, unit: string, amount: number): Value {
  if (unit === 'Months' || unit === 'Years') {
    const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + amount * (unit === 'Years' ? 12 : 1);
    const [year, month] = [Math.floor(months / 12), ((months % 12) + 12) % 12];
    const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    const day = Math.min(date.getUTCDate(), lastDay);
    return zonedDateTime(Date.UTC(year, month, day) + (((ms % DAY_MS) + DAY_MS) % DAY_MS));
  }
  return Object.hasOwn(STEPS, unit) ? zonedDateTime(ms + amount * STEPS[unit]) : undefined;
}

function isoDay(date: Date): number {
  return ((date.getUTCDay() + 6) % 7) + 1;
}

/** An enum constant. */
function named(name: string, value: number): HostObject {
  return { fields: { value }, call: (method) => (method === 'toString' || method === 'name' ? name : undefined) };
}

/** As ZonedDateTime.toString: seconds and milliseconds only if they are not zero. */
function isoText(date: Date): string {
  const text = date.toISOString();
  if (date.getUTCMilliseconds() !== 0) return text;
  return date.getUTCSeconds() !== 0 ? `${text.slice(0, 19)}Z` : `${text.slice(0, 16)}Z`;
}

/** A script's value as a double, dates as epoch milliseconds; null if it is not numeric. */
export function doubleOf(value: Value): number | null {
  if (value instanceof Double) return value.value;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  return millisOf(value);
}
