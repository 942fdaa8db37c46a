// ISO 8601 dates, parsed by hand: every document with a date needs the default format, so its usual forms are parsed without allocations.
//   strict:  yyyy[-MM[-dd['T'[HH[:mm[:ss[(.|,)S{1,9}]]]][zone]]]]
//   lenient: the same, but month, day, hour, minute and second may have one digit
import { DAY_MS, daysFromCivil, daysInMonth } from './civil.ts';
import type { DateFields } from './date-fields.ts';
import { findZone } from './zones.ts';

const DASH = 45;
const COLON = 58;

/** Two digits at `at`, -1 if there are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/**
 * Milliseconds of `yyyy-MM-dd` and `yyyy-MM-ddTHH:mm:ss` with up to three fraction digits and Z or +HH:mm; NaN for any other string, valid or not.
 * Local times are taken as UTC.
 */
export function parseCommonIso(text: string): number {
  const length = text.length;
  if (length < 10 || text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return Number.NaN;
  const century = twoDigits(text, 0);
  const yearOfCentury = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (century < 0 || yearOfCentury < 0 || month < 1 || month > 12 || day < 1) return Number.NaN;
  const year = century * 100 + yearOfCentury;
  if (day > 28 && day > daysInMonth(year, month)) return Number.NaN;
  let ms = daysFromCivil(year, month, day) * DAY_MS;
  if (length === 10) return ms;
  if (length < 19 || text.charCodeAt(10) !== 84 || text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return Number.NaN;
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return Number.NaN;
  ms += ((hour * 60 + minute) * 60 + second) * 1000;
  let at = 19;
  if (at < length && text.charCodeAt(at) === 46) {
    let scale = 100;
    for (at++; at < length && scale >= 1; at++, scale /= 10) {
      const digit = text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) break;
      ms += digit * scale;
    }
    if (at === 20) return Number.NaN;
  }
  if (at === length) return ms;
  const sign = text.charCodeAt(at);
  if (sign === 90) return at + 1 === length ? ms : Number.NaN;
  if ((sign !== 43 && sign !== DASH) || at + 6 !== length || text.charCodeAt(at + 3) !== COLON) return Number.NaN;
  const offset = twoDigits(text, at + 1) * 60 + twoDigits(text, at + 4);
  if (!(offset >= 0 && offset <= 18 * 60) || twoDigits(text, at + 4) < 0 || twoDigits(text, at + 4) > 59) return Number.NaN;
  return sign === 43 ? ms - offset * 60_000 : ms + offset * 60_000;
}

/** Reads between min and max digits at `at`, -1 otherwise. Leaves the end in `digitsEnd`. */
function digits(text: string, at: number, min: number, max: number): number {
  let value = 0;
  let cur = at;
  for (; cur < text.length && cur - at < max; cur++) {
    const digit = text.charCodeAt(cur) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  digitsEnd = cur;
  return cur - at < min ? -1 : value;
}
let digitsEnd = 0;

/** Parses a whole string into fields; false if it does not have this form. Values are checked when the fields are resolved. */
export function parseIso(text: string, fields: DateFields, strict: boolean): boolean {
  const min = strict ? 2 : 1;
  let at = 0;
  let sign = 1;
  let maxYear = strict ? 4 : 9;
  const first = text.charCodeAt(0);
  const isPlus = first === 43;
  if (first === DASH || isPlus) {
    sign = isPlus ? 1 : -1;
    maxYear = 9;
    at = 1;
  }
  const year = digits(text, at, strict ? 4 : 1, maxYear);
  // Years of more than four digits need a plus sign, in strict forms only.
  if (year < 0 || (isPlus && (!strict || digitsEnd - at <= 4))) return false;
  fields.year = sign * year;
  at = digitsEnd;
  if (text.charCodeAt(at) === DASH) {
    if ((fields.month = digits(text, at + 1, min, 2)) < 0) return false;
    at = digitsEnd;
    if (text.charCodeAt(at) === DASH) {
      if ((fields.day = digits(text, at + 1, min, 2)) < 0) return false;
      at = digitsEnd;
    }
  }
  if (at === text.length) return true;
  if (text.charCodeAt(at) !== 84) return false;
  if (++at === text.length) return true;
  const hour = digits(text, at, min, 2);
  if (hour >= 0) {
    fields.hour = hour;
    at = digitsEnd;
    if (text.charCodeAt(at) === COLON) {
      if ((fields.minute = digits(text, at + 1, min, 2)) < 0) return false;
      at = digitsEnd;
      if (text.charCodeAt(at) === COLON) {
        if ((fields.second = digits(text, at + 1, min, 2)) < 0) return false;
        at = digitsEnd;
        if (text.charCodeAt(at) === 46 || text.charCodeAt(at) === 44) {
          const fraction = digits(text, at + 1, 1, 9);
          if (fraction < 0) return false;
          fields.nano = fraction * 10 ** (9 - (digitsEnd - at - 1));
          at = digitsEnd;
        }
      }
    }
  }
  if (at === text.length) return true;
  const zone = text.slice(at);
  fields.zone = zone.length <= 64 ? findZone(zone) : null;
  return fields.zone !== null;
}
