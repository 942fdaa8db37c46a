// Date math: `now-1d/d`, `2024-02-29||+1M/M`. Source: the Elasticsearch reference, "Date math".
import { ApiError } from '../errors/api-error.ts';
import { civilFromDays, DAY_MS, dayOfWeek, daysFromCivil, daysInMonth } from './civil.ts';
import type { DateInstant } from './date-fields.ts';
import { DateFormatter } from './date-format.ts';
import { type TimeZone, UTC, zoneOf } from './zones.ts';

function parseError(reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('parse_exception', 400, reason, { causedBy });
}

/**
 * @param roundUp  for upper bounds: absent or rounded-off fields extend to the last millisecond
 * @throws ApiError parse_exception; date_time_exception: a day that does not exist
 */
export function parseDateMath(text: string, formatter: DateFormatter, nowMs: number, roundUp: boolean, zone: TimeZone = UTC): DateInstant {
  if (text.startsWith('now')) return applyMath(text.slice(3), nowMs, 0, roundUp, zone);
  const separator = text.indexOf('||');
  if (separator < 0) return parseAnchor(text, formatter, roundUp, zone);
  const anchor = parseAnchor(text.slice(0, separator), formatter, false, zone);
  return applyMath(text.slice(separator + 2), anchor.ms, anchor.nanos, roundUp, zone);
}

/**
 * The date of an expression in a format, which is also that of its anchor. A function without types of this folder, for code that a start evaluates.
 * @throws ApiError as `parseDateMath`; illegal_argument_exception: the format; zone_rules_exception, date_time_exception: the zone
 */
export function printDateMath(text: string, { pattern, zone, nowMs }: { pattern: string; zone: string; nowMs: number }): string {
  const formatter = DateFormatter.of(pattern);
  const timeZone = zone === 'Z' ? UTC : zoneOf(zone);
  const { ms, nanos } = parseDateMath(text, formatter, nowMs, false, timeZone);
  return formatter.print(ms, timeZone, nanos);
}

function parseAnchor(text: string, formatter: DateFormatter, roundUp: boolean, zone: TimeZone): DateInstant {
  if (text === '') throw parseError('cannot parse empty date');
  const instant = formatter.tryParse(text, zone, roundUp);
  if (instant) return instant;
  const outOfRange = formatter.outOfRange(text);
  if (outOfRange !== null) throw new ApiError('date_time_exception', 400, outOfRange);
  const reason = `failed to parse date field [${text}] with format [${formatter.pattern}]`;
  const innermost = new ApiError('date_time_parse_exception', 400, 'Failed to parse with all enclosed parsers');
  throw parseError(`${reason}: [${reason}]`, new ApiError('illegal_argument_exception', 400, reason, { causedBy: innermost }));
}

const OPERATION = /([+\-/])(\d*)(.?)/y;

function applyMath(math: string, startMs: number, startNanos: number, roundUp: boolean, zone: TimeZone): DateInstant {
  let ms = startMs;
  let nanos = startNanos;
  let rounded = false;
  for (let at = 0; at < math.length; ) {
    OPERATION.lastIndex = at;
    const match = OPERATION.exec(math);
    if (!match) throw parseError(`operator not supported for date math [${math}]`);
    const [whole, operator, digits, unit] = match;
    if (unit === '') throw parseError(`truncated date math [${math}]`);
    const round = operator === '/';
    if (round && digits !== '' && Number(digits) !== 1) throw parseError(`rounding \`/\` can only be used on single unit types [${math}]`);
    const count = digits === '' ? 1 : Number(digits);
    if (!Number.isSafeInteger(count)) throw parseError(`failed to parse date math [${math}]`);
    if (!'yMwdhHms'.includes(unit)) throw parseError(`unit [${unit}] not supported for date math [${math}]`);
    if (round) {
      ms = roundDown(ms, unit, zone);
      nanos = 0;
      if (roundUp) ms = plus(ms, 1, unit, zone);
      rounded = true;
    } else ms = plus(ms, operator === '-' ? -count : count, unit, zone);
    if (!(Math.abs(ms) <= 8.64e15)) throw parseError(`date math [${math}] leaves the range of dates`);
    at += whole.length;
    // The last millisecond of the rounded unit.
    if (round && roundUp) ms -= 1;
  }
  return { ms, nanos: rounded && roundUp ? 999_999 : nanos };
}

const FIXED_MS: Record<string, number> = { h: 3_600_000, H: 3_600_000, m: 60_000, s: 1000 };

function plus(ms: number, count: number, unit: string, zone: TimeZone): number {
  if (FIXED_MS[unit]) return ms + count * FIXED_MS[unit];
  const local = ms + zone.offsetAt(ms);
  const days = Math.floor(local / DAY_MS);
  const msOfDay = local - days * DAY_MS;
  if (unit === 'd' || unit === 'w') return zone.toUtc((days + count * (unit === 'w' ? 7 : 1)) * DAY_MS + msOfDay);
  const { year, month, day } = civilFromDays(days);
  const months = year * 12 + month - 1 + count * (unit === 'y' ? 12 : 1);
  const newYear = Math.floor(months / 12);
  const newMonth = months - newYear * 12 + 1;
  return zone.toUtc(daysFromCivil(newYear, newMonth, Math.min(day, daysInMonth(newYear, newMonth))) * DAY_MS + msOfDay);
}

function roundDown(ms: number, unit: string, zone: TimeZone): number {
  const local = ms + zone.offsetAt(ms);
  // Within an hour the offset does not change, so rounding local time is rounding the instant.
  if (FIXED_MS[unit]) return ms - (((local % FIXED_MS[unit]) + FIXED_MS[unit]) % FIXED_MS[unit]);
  const days = Math.floor(local / DAY_MS);
  const { year, month } = civilFromDays(days);
  const start = unit === 'd' ? days : unit === 'w' ? days + 1 - dayOfWeek(days) : daysFromCivil(year, unit === 'M' ? month : 1, 1);
  return zone.toUtc(start * DAY_MS);
}
