// Time zones: fixed offsets, and the rules of the IANA database (./zone-rules.ts).
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { DAY_MS } from './civil.ts';
import { rulesOf, type ZoneRules } from './zone-rules.ts';

export interface TimeZone {
  /** As specified, with fixed offsets normalised: `Z`, `+05:30`, `Europe/Berlin`. */
  readonly id: string;
  /** The offset in ms if it never changes, else null. */
  readonly fixedOffsetMs: number | null;
  /** Offset from UTC in ms at an instant. */
  offsetAt(utcMs: number): number;
  /** Instant of a local time: in a gap the time after it, shifted by the gap; in an overlap the earlier one. */
  toUtc(localMs: number): number;
}

class FixedZone implements TimeZone {
  readonly id: string;
  readonly fixedOffsetMs: number;
  constructor(id: string, offsetMs: number) {
    this.id = id;
    this.fixedOffsetMs = offsetMs;
  }
  offsetAt(): number {
    return this.fixedOffsetMs;
  }
  toUtc(localMs: number): number {
    return localMs - this.fixedOffsetMs;
  }
}

/** The database ends in 2037; later years repeat the rules of the same year in the 28-year cycle of weekdays and leap years. */
const RULES_END_MS = Date.UTC(2037, 0, 1);
const CYCLE_MS = 28 * 365.25 * DAY_MS;
const MAX_CACHED_DAYS = 50_000;

class RegionZone implements TimeZone {
  readonly id: string;
  readonly fixedOffsetMs = null;
  readonly #rules: ZoneRules;
  /** Cached offset of each day, NaN for days with a transition. */
  readonly #days = new Map<number, number>();

  constructor(id: string, rules: ZoneRules) {
    this.id = id;
    this.#rules = rules;
  }

  offsetAt(utcMs: number): number {
    const ms = utcMs < RULES_END_MS ? utcMs : utcMs - Math.ceil((utcMs - RULES_END_MS + 1) / CYCLE_MS) * CYCLE_MS;
    const day = Math.floor(ms / DAY_MS);
    let offset = this.#days.get(day);
    if (offset === undefined) {
      const start = this.#lookUp(day * DAY_MS);
      offset = start === this.#lookUp((day + 1) * DAY_MS - 1) ? start : Number.NaN;
      if (this.#days.size >= MAX_CACHED_DAYS) this.#days.clear();
      this.#days.set(day, offset);
    }
    return Number.isNaN(offset) ? this.#lookUp(ms) : offset;
  }

  toUtc(localMs: number): number {
    const before = this.offsetAt(localMs - DAY_MS);
    const after = this.offsetAt(localMs + DAY_MS);
    if (this.offsetAt(localMs - before) === before) return localMs - before;
    if (this.offsetAt(localMs - after) === after) return localMs - after;
    return localMs - before;
  }

  #lookUp(ms: number): number {
    return this.#rules.offsetOfEpochMilli(ms).totalSeconds() * 1000;
  }
}

export const UTC: TimeZone = new FixedZone('Z', 0);

const zones = new Map<string, TimeZone>([
  ['Z', UTC],
  ['z', UTC],
]);
const MAX_ZONES = 2000;
const OFFSET = /^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d\d)(?::?(\d\d))?)?$/;
/** Short ids that Java supports besides the regions: links of the database (ZoneId.SHORT_IDS are not enabled). */
const FIXED_NAMES = new Set(['UTC', 'GMT', 'UT']);

/** A zone by id, null if unknown. */
export function findZone(id: string): TimeZone | null {
  let zone = zones.get(id) ?? null;
  if (zone) return zone;
  zone = makeZone(id);
  if (zone && zones.size < MAX_ZONES) zones.set(id, zone);
  return zone;
}

function makeZone(id: string): TimeZone | null {
  if (FIXED_NAMES.has(id)) return new FixedZone(id, 0);
  const offset = OFFSET.exec(id);
  if (offset) {
    const [, sign, hours, minutes = '0', seconds = '0'] = offset;
    const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    if (total > 18 * 3600 || Number(minutes) > 59 || Number(seconds) > 59) return null;
    return new FixedZone(formatOffset(sign === '-' ? -total : total, true), (sign === '-' ? -total : total) * 1000);
  }
  try {
    const rules = rulesOf(id);
    return rules.isFixedOffset() ? new FixedZone(id, rules.offsetOfEpochMilli(0).totalSeconds() * 1000) : new RegionZone(id, rules);
  } catch {
    return null;
  }
}

/** @throws ApiError illegal_argument_exception: unknown zone */
export function zoneOf(id: string): TimeZone {
  const zone = findZone(id);
  if (zone) return zone;
  const region = /^[A-Za-z][A-Za-z0-9~/._+-]+$/.test(id);
  const type = region ? 'zone_rules_exception' : 'date_time_exception';
  const kind = id.length <= 1 || /^[+-]/.test(id) ? 'ZoneOffset' : 'region-based ZoneId';
  const reason = region ? `Unknown time-zone ID: ${id}` : `Invalid ID for ${kind}, invalid format: ${id}`;
  const javaName = region ? 'java.time.zone.ZoneRulesException' : 'java.time.DateTimeException';
  throw illegalArgumentError(`${javaName}: ${reason}`, new ApiError(type, 400, reason));
}

/** `+05:30`, or `+0530` without the colon; `Z` for zero. */
export function formatOffset(totalSeconds: number, colon: boolean): string {
  if (totalSeconds === 0) return 'Z';
  const sign = totalSeconds < 0 ? '-' : '+';
  const abs = Math.abs(totalSeconds);
  const hours = String(Math.floor(abs / 3600)).padStart(2, '0');
  const minutes = String(Math.floor(abs / 60) % 60).padStart(2, '0');
  const seconds = abs % 60;
  const separator = colon ? ':' : '';
  return `${sign}${hours}${separator}${minutes}${seconds ? `${separator}${String(seconds).padStart(2, '0')}` : ''}`;
}
