// java.util.Date and TimeZone, and java.text.SimpleDateFormat with English names. The default zone is UTC. Weeks, names of other zones and dates
// of the Julian calendar are refused. Source: the API page of SimpleDateFormat.
import { DateView } from '../../../dates/date-view.ts';
import { findZone, type TimeZone, UTC } from '../../../dates/zones.ts';
import { spendSteps } from '../../java/budget.ts';
import { defineClass } from '../../java/class-info.ts';
import { illegalArgument, nullPointer, raise } from '../../java/faults.ts';
import { longHash } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import { DAYS, MONTHS } from './enums.ts';
import { OBJECT } from './interfaces.ts';
import { floorDiv, type Instant } from './temporal.ts';
import { Zone } from './zones.ts';

class JavaDate {
  ms: bigint;
  constructor(ms: bigint) {
    this.ms = ms;
  }
  equalTo(other: Value): boolean {
    return other instanceof JavaDate && other.ms === this.ms;
  }
  hash(): number {
    return longHash(this.ms);
  }
  compareTo(other: Value): number {
    if (!(other instanceof JavaDate)) return nullPointer(null);
    return this.ms < other.ms ? -1 : this.ms > other.ms ? 1 : 0;
  }
  toString(): string {
    return new DateFormat('EEE MMM dd HH:mm:ss zzz yyyy').format(this);
  }
}

/** A letter of a pattern with its number of repetitions, or literal text. */
type Element = { readonly letter: string; readonly count: number } | { readonly text: string };

const LETTERS = 'GyMLdDFEuaHkKhmsSzZXYwW';
const REFUSED = 'YwW';
/** Beginning of the Gregorian calendar, 1582-10-15. */
const FIRST_MS = -12_219_292_800_000n;

function checked(ms: bigint): bigint {
  return ms >= FIRST_MS ? ms : illegalArgument('dates before 1582-10-15 are not supported: they are of the Julian calendar');
}

/** Longest run of a letter, so that padding stays small. */
const MAX_COUNT = 100;

function readPattern(pattern: string): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < pattern.length; ) {
    const char = pattern[at];
    if (char === "'") {
      const end = quoteEnd(pattern, at);
      elements.push({ text: pattern.slice(at + 1, end).replaceAll("''", "'") || "'" });
      at = end + 1;
    } else if (/[A-Za-z]/.test(char)) {
      let end = at;
      while (pattern[end] === char) end++;
      if (!LETTERS.includes(char)) illegalArgument(`Illegal pattern character '${char}'`);
      if (REFUSED.includes(char)) illegalArgument(`pattern letter '${char}' is not supported: weeks depend on the locale`);
      elements.push({ letter: char, count: Math.min(end - at, MAX_COUNT) });
      at = end;
    } else {
      elements.push({ text: char });
      at++;
    }
  }
  return elements;
}

/** Position of the quote that ends a quoted text; two quotes in it are one. */
function quoteEnd(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] !== "'") continue;
    if (pattern[at + 1] !== "'" || at === start + 1) return at;
    at++;
  }
  return illegalArgument('Unterminated quote');
}

const padded = (value: number, count: number): string => String(value).padStart(count, '0');
const titled = (name: string): string => name[0] + name.slice(1).toLowerCase();
const named = (names: readonly { readonly name: string }[], index: number, count: number): string =>
  count >= 4 ? titled(names[index].name) : titled(names[index].name).slice(0, 3);

function offsetText(offsetMs: number, letter: string, count: number): string {
  const minutes = Math.trunc(Math.abs(offsetMs) / 60_000);
  if (letter === 'X' && minutes === 0) return 'Z';
  const [hour, minute] = [padded(Math.trunc(minutes / 60), 2), padded(minutes % 60, 2)];
  const sign = offsetMs < 0 ? '-' : '+';
  if (letter === 'X' && count === 1) return sign + hour;
  return `${sign}${hour}${letter === 'X' && count >= 3 ? ':' : ''}${minute}`;
}

function zoneName({ id }: TimeZone): string {
  if (id === 'Z' || id === 'UTC') return 'UTC';
  if (id === 'GMT') return id;
  return illegalArgument(`the name of the time zone [${id}] is not supported, use the pattern letter X or Z`);
}

function printed(letter: string, count: number, view: DateView, zone: TimeZone): string {
  const { year, month, day, hour, nano, weekday } = view;
  const yearOfEra = year > 0 ? year : 1 - year;
  switch (letter) {
    case 'G':
      return year > 0 ? 'AD' : 'BC';
    case 'y':
      return count === 2 ? padded(yearOfEra % 100, 2) : padded(yearOfEra, count);
    case 'M':
    case 'L':
      return count >= 3 ? named(MONTHS, month - 1, count) : padded(month, count);
    case 'E':
      return named(DAYS, weekday - 1, count);
    case 'a':
      return hour < 12 ? 'AM' : 'PM';
    case 'z':
      return zoneName(zone);
    case 'Z':
    case 'X':
      return offsetText(view.offsetMs, letter, count);
  }
  const numbers: Readonly<Record<string, number>> = {
    d: day,
    D: view.dayOfYear,
    F: Math.ceil(day / 7),
    u: weekday,
    H: hour,
    k: hour === 0 ? 24 : hour,
    K: hour % 12,
    h: hour % 12 === 0 ? 12 : hour % 12,
    m: view.minute,
    s: view.second,
    S: Math.floor(nano / 1e6),
  };
  return padded(numbers[letter], count);
}

/** The fields parsed from a text; absent ones are those of the epoch. */
class Fields {
  year = 1970;
  month = 1;
  day = 1;
  hour = 0;
  minute = 0;
  second = 0;
  ms = 0;
  isPm: boolean | null = null;
  dayOfYear: number | null = null;
  zone: TimeZone | null = null;

  /** Values beyond their range are carried over. */
  toMs(zone: TimeZone): bigint {
    const hour = this.isPm === null ? this.hour : (this.hour % 12) + (this.isPm ? 12 : 0);
    const local = new Date(0);
    local.setUTCFullYear(this.year, this.dayOfYear === null ? this.month - 1 : 0, this.dayOfYear ?? this.day);
    local.setUTCHours(hour, this.minute, this.second, this.ms);
    return BigInt((this.zone ?? zone).toUtc(local.getTime()));
  }
}

const isNumeric = (element: Element | undefined): boolean =>
  element !== undefined && 'letter' in element && !'GEazZX'.includes(element.letter) && !isMonthName(element);
const isMonthName = (element: Element): boolean => 'letter' in element && 'ML'.includes(element.letter) && element.count >= 3;

class DateFormat {
  readonly pattern: string;
  readonly #elements: readonly Element[];
  zone: TimeZone = UTC;

  constructor(pattern: string) {
    this.pattern = pattern;
    this.#elements = readPattern(pattern);
  }

  format(date: JavaDate): string {
    spendSteps(this.#elements.length);
    const view = new DateView(Number(checked(date.ms)), 0, this.zone);
    return this.#elements
      .map((element) => ('text' in element ? element.text : printed(element.letter, element.count, view, this.zone)))
      .join('');
  }

  /** Reads the start of a text. @throws ScriptFault ParseException */
  parse(text: string): JavaDate {
    spendSteps(this.#elements.length);
    const fields = new Fields();
    let at = 0;
    for (const [i, element] of this.#elements.entries()) {
      const end = 'text' in element ? literalEnd(text, at, element.text) : this.#readField(text, at, i, element, fields);
      if (end < 0) return raise('java.text.ParseException', `Unparseable date: "${text}"`);
      at = end;
    }
    return new JavaDate(checked(fields.toMs(this.zone)));
  }

  #readField(text: string, from: number, i: number, { letter, count }: { letter: string; count: number }, fields: Fields): number {
    let at = from;
    while (text[at] === ' ' || text[at] === '\t') at++;
    if (!isNumeric(this.#elements[i])) return readName(text, at, letter, fields);
    // Adjacent numbers have as many digits as the pattern has letters.
    const limit = isNumeric(this.#elements[i + 1]) ? count : 18;
    const digits = new RegExp(`^-?\\d{1,${limit}}`).exec(text.slice(at, at + limit + 1))?.[0].slice(0, limit + 1);
    if (digits === undefined) return -1;
    setNumber(fields, letter, count, digits);
    return at + digits.length;
  }
}

function literalEnd(text: string, at: number, literal: string): number {
  return text.startsWith(literal, at) ? at + literal.length : -1;
}

function readName(text: string, at: number, letter: string, fields: Fields): number {
  const rest = text.slice(at, at + 40);
  if (letter === 'M' || letter === 'L' || letter === 'E') {
    const names = (letter === 'E' ? DAYS : MONTHS).map(({ name }) => name);
    for (const cut of [9, 3]) {
      const found = names.findIndex((name) => rest.toUpperCase().startsWith(name.slice(0, cut)));
      if (found < 0) continue;
      if (letter !== 'E') fields.month = found + 1;
      return at + Math.min(cut, names[found].length);
    }
    return -1;
  }
  if (letter === 'a' || letter === 'G') {
    const found = /^(?:AM|PM|AD|BC)/i.exec(rest)?.[0].toUpperCase();
    if (found === undefined || (letter === 'a') !== found.endsWith('M')) return -1;
    if (letter === 'a') fields.isPm = found === 'PM';
    else if (found === 'BC') fields.year = 1 - fields.year;
    return at + 2;
  }
  const zone = /^(?:Z\b|UTC|GMT(?:[+-]\d\d?:\d\d)?|[+-]\d\d(?::?\d\d)?)/.exec(rest)?.[0];
  const found = zone === undefined ? null : findZone(/^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone);
  if (!found || zone === undefined) return -1;
  fields.zone = found;
  return at + zone.length;
}

function setNumber(fields: Fields, letter: string, count: number, digits: string): void {
  const value = Number(digits);
  if (letter === 'y') fields.year = count <= 2 && /^\d\d$/.test(digits) ? nearYear(value) : value;
  else if (letter === 'M' || letter === 'L') fields.month = value;
  else if (letter === 'd') fields.day = value;
  else if (letter === 'D') fields.dayOfYear = value;
  else if ('Hk'.includes(letter)) fields.hour = letter === 'k' && value === 24 ? 0 : value;
  else if ('Kh'.includes(letter)) fields.hour = letter === 'h' && value === 12 ? 0 : value;
  else if (letter === 'm') fields.minute = value;
  else if (letter === 's') fields.second = value;
  else if (letter === 'S') fields.ms = value;
}

/** The year with these last digits from 80 years ago to 20 years ahead. */
function nearYear(digits: number): number {
  const first = new Date().getUTCFullYear() - 80;
  const year = first - (first % 100) + digits;
  return year < first ? year + 100 : year;
}

class JavaTimeZone {
  readonly zone: TimeZone;
  readonly #id: string;
  constructor(zone: TimeZone, id: string) {
    this.zone = zone;
    this.#id = id;
  }
  get id(): string {
    return this.#id;
  }
  equalTo(other: Value): boolean {
    return other instanceof JavaTimeZone && other.id === this.id;
  }
}

/** Unknown names mean GMT, as in Java. */
function timeZoneNamed(id: string): JavaTimeZone {
  const zone = /^(?:[A-Za-z]+\/[\w/+-]+|UTC|GMT(?:[+-]\d\d?:\d\d)?|[A-Z]{3}(?:\d[A-Z]{3})?)$/.test(id) ? findZone(id) : null;
  return zone ? new JavaTimeZone(zone, id) : new JavaTimeZone(findZone('GMT') ?? UTC, 'GMT');
}

defineClass('java.util.Date', [...OBJECT, 'java.lang.Comparable'], {
  of: JavaDate,
  members: {
    'new()': () => new JavaDate(BigInt(Date.now())),
    'new(long)': (ms: bigint) => new JavaDate(ms),
    'static Date from(Instant)': (instant: Instant) => new JavaDate(floorDiv(instant.nanos, 1_000_000n)),
    'boolean after(Date)': (self: JavaDate, other: JavaDate) => self.compareTo(other) > 0,
    'boolean before(Date)': (self: JavaDate, other: JavaDate) => self.compareTo(other) < 0,
    'def clone()': (self: JavaDate) => new JavaDate(self.ms),
    'int compareTo(Date)': (self: JavaDate, other: JavaDate) => self.compareTo(other),
    'long getTime()': (self: JavaDate) => self.ms,
    'void setTime(long)': (self: JavaDate, ms: bigint) => {
      self.ms = ms;
    },
    'boolean equals(Object)': (self: JavaDate, other: Value) => self.equalTo(other),
    'int hashCode()': (self: JavaDate) => self.hash(),
    'String toString()': String,
  },
});

defineClass('java.util.TimeZone', OBJECT, {
  of: JavaTimeZone,
  members: {
    'static TimeZone getTimeZone(String)': timeZoneNamed,
    'static TimeZone getDefault()': () => new JavaTimeZone(UTC, 'UTC'),
    'String getID()': ({ id }: JavaTimeZone) => id,
    'int getOffset(long)': ({ zone }: JavaTimeZone, ms: bigint) => new DateView(Number(ms), 0, zone).offsetMs,
    'ZoneId toZoneId()': ({ zone }: JavaTimeZone) => new Zone(zone),
  },
});

defineClass('java.text.DateFormat', OBJECT, {
  of: DateFormat,
  members: {
    'String format(Date)': (self: DateFormat, date: JavaDate | null) => (date === null ? nullPointer(null) : self.format(date)),
    'Date parse(String)': (self: DateFormat, text: string) => self.parse(text),
    'void setTimeZone(TimeZone)': (self: DateFormat, { zone }: JavaTimeZone) => {
      self.zone = zone;
    },
    'TimeZone getTimeZone()': ({ zone }: DateFormat) => new JavaTimeZone(zone, zone.id === 'Z' ? 'UTC' : zone.id),
  },
});
class SimpleDateFormat extends DateFormat {}
defineClass('java.text.SimpleDateFormat', ['java.text.DateFormat'], {
  of: SimpleDateFormat,
  members: {
    'new(String)': (pattern: string) => new SimpleDateFormat(pattern),
    'new(String,Locale)': (pattern: string) => new SimpleDateFormat(pattern),
    'String toPattern()': ({ pattern }: SimpleDateFormat) => pattern,
  },
});
