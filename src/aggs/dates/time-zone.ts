// The rules of a time zone that rounding needs, as java.time.ZoneRules provides them; derived from the offsets in src/mapping/date.
import { zoneOf } from '../../dates/zones.ts';

const DAY = 86_400_000;
/** Zones change at most every few weeks (DST is suspended during Ramadan), so offsets are sampled at this interval and changes found by bisection. */
const SAMPLE = 6 * DAY;
/** Transitions are computed and cached in spans of this length. */
const SPAN = 1024 * DAY;

/** The offset changes at `at` (UTC milliseconds). */
interface Transition {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

export interface TimeZone {
  readonly id: string;
  /** Offset in ms if the zone never changes it, else null. */
  readonly fixedOffset: number | null;
  /** Milliseconds to add to UTC for local time. */
  offsetAt(utc: number): number;
  /** Offsets at which a local time (in ms) exists, the earlier instant first: two in an overlap, none in a gap. */
  validOffsets(local: number): number[];
  /** Instant of the gap that contains a local time. */
  gapAt(local: number): number;
  /** Last transition at or before `utc` - 1 and not below `notBefore`, or null. */
  previousTransition(utc: number, notBefore: number): number | null;
}

const zones = new Map<string, TimeZone>();
const MAX_ZONES = 1000;

/** @throws ApiError zone_rules_exception, date_time_exception: unknown zone */
export function timeZone(id: string): TimeZone {
  let zone = zones.get(id);
  if (!zone) {
    const { fixedOffsetMs, offsetAt } = withOffsets(id);
    zone = fixedOffsetMs !== null ? fixedZone(id, fixedOffsetMs) : new RegionZone(id, offsetAt);
    if (zones.size < MAX_ZONES) zones.set(id, zone);
  }
  return zone;
}

function withOffsets(id: string): { fixedOffsetMs: number | null; offsetAt(utc: number): number } {
  const zone = zoneOf(id);
  return { fixedOffsetMs: zone.fixedOffsetMs, offsetAt: (utc) => zone.offsetAt(utc) };
}

function fixedZone(id: string, offset: number): TimeZone {
  return {
    id,
    fixedOffset: offset,
    offsetAt: () => offset,
    validOffsets: () => [offset],
    gapAt: (local) => local - offset,
    previousTransition: () => null,
  };
}

export const UTC: TimeZone = fixedZone('Z', 0);

class RegionZone implements TimeZone {
  readonly id: string;
  readonly fixedOffset = null;
  readonly #read: (utc: number) => number;
  readonly #spans = new Map<number, { first: number; transitions: Transition[] }>();

  constructor(id: string, read: (utc: number) => number) {
    this.id = id;
    this.#read = read;
  }

  offsetAt(utc: number): number {
    const { first, transitions } = this.#span(Math.floor(utc / SPAN));
    let offset = first;
    for (const transition of transitions) {
      if (transition.at > utc) break;
      offset = transition.after;
    }
    return offset;
  }

  validOffsets(local: number): number[] {
    // Offsets are less than a day, so all that matter are in force within a day around the local time.
    const candidates = new Set([
      this.offsetAt(local - DAY),
      ...this.#around(local).flatMap((t) => [t.before, t.after]),
      this.offsetAt(local + DAY),
    ]);
    return [...candidates].filter((offset) => this.offsetAt(local - offset) === offset).sort((a, b) => b - a);
  }

  gapAt(local: number): number {
    const gap = this.#around(local).find((t) => local >= t.at + t.before && local < t.at + t.after);
    return gap ? gap.at : local - this.offsetAt(local);
  }

  previousTransition(utc: number, notBefore: number): number | null {
    for (let span = Math.floor((utc - 1) / SPAN); span >= Math.floor(notBefore / SPAN); span--) {
      const found = this.#span(span).transitions.findLast((transition) => transition.at < utc);
      if (found) return found.at >= notBefore ? found.at : null;
    }
    return null;
  }

  #around(local: number): Transition[] {
    const from = Math.floor((local - 2 * DAY) / SPAN);
    const to = Math.floor((local + 2 * DAY) / SPAN);
    const spans = from === to ? [this.#span(from)] : [this.#span(from), this.#span(to)];
    return spans.flatMap((span) => span.transitions.filter((t) => Math.abs(t.at - local) < 2 * DAY));
  }

  #span(number: number): { first: number; transitions: Transition[] } {
    let span = this.#spans.get(number);
    if (span) return span;
    const start = number * SPAN;
    const first = this.#read(start);
    const transitions: Transition[] = [];
    let before = first;
    for (let from = start; from < start + SPAN; from += SAMPLE) {
      const to = Math.min(from + SAMPLE, start + SPAN);
      // The value at the end of the span belongs to the next span.
      const after = this.#read(to - 1);
      if (after !== before) transitions.push({ at: this.#bisect(from, to - 1, before), before, after });
      before = after;
    }
    span = { first, transitions };
    this.#spans.set(number, span);
    return span;
  }

  /** The first instant in (low, high] whose offset is not `before`. */
  #bisect(low: number, high: number, before: number): number {
    let from = low;
    let to = high;
    while (to - from > 1) {
      const middle = Math.floor((from + to) / 2);
      if (this.#read(middle) === before) from = middle;
      else to = middle;
    }
    return from === low && this.#read(low) !== before ? low : to;
  }
}
