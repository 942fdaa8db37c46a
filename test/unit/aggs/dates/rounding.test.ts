import { describe, expect, test } from 'vitest';
import {
  type CalendarUnit,
  calendarRounding,
  intervalRounding,
  type Rounding,
  startsBetween,
  timeValue,
} from '../../../../src/aggs/dates/rounding.ts';
import { timeZone, UTC } from '../../../../src/aggs/dates/time-zone.ts';
import { forSeeds } from '../../../support/rng.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text);
const shown = (rounding: Rounding, text: string) => new Date(rounding.round(at(text))).toISOString().replace('.000Z', 'Z');

describe('calendar units', () => {
  test.each([
    ['week', '2024-02-29T12:00:00Z', '2024-02-26T00:00:00Z'],
    ['month', '2024-02-29T12:00:00Z', '2024-02-01T00:00:00Z'],
    ['quarter', '2024-05-29T12:00:00Z', '2024-04-01T00:00:00Z'],
    ['year', '1969-05-29T12:00:00Z', '1969-01-01T00:00:00Z'],
    ['day', '1969-12-31T23:59:59Z', '1969-12-31T00:00:00Z'],
  ] as const)('%s in UTC', (unit, time, start) => {
    expect(shown(calendarRounding(unit, UTC, 0), time)).toBe(start);
  });

  test('a day without midnight begins when the clock jumps', () => {
    // Brazil's summer time began at midnight: 2018-11-04 00:00 did not exist
    const rounding = calendarRounding('day', timeZone('America/Sao_Paulo'), 0);
    expect(shown(rounding, '2018-11-04T12:00:00Z')).toBe('2018-11-04T03:00:00Z');
  });

  test('rounds to days of 23 and 25 hours', () => {
    const rounding = calendarRounding('day', timeZone('Europe/Berlin'), 0);
    expect(rounding.next(at('2023-03-25T23:00:00Z')) - at('2023-03-25T23:00:00Z')).toBe(23 * HOUR);
    expect(rounding.next(at('2023-10-28T22:00:00Z')) - at('2023-10-28T22:00:00Z')).toBe(25 * HOUR);
  });

  test('the two hours of an overlap are distinguished', () => {
    const rounding = calendarRounding('hour', timeZone('Europe/Berlin'), 0);
    expect(shown(rounding, '2023-10-29T00:30:00Z')).toBe('2023-10-29T00:00:00Z');
    expect(shown(rounding, '2023-10-29T01:30:00Z')).toBe('2023-10-29T01:00:00Z');
  });

  test('an offset moves the boundaries', () => {
    expect(shown(calendarRounding('month', UTC, 14 * DAY), '2024-03-10T00:00:00Z')).toBe('2024-02-15T00:00:00Z');
  });
});

test('fixed intervals follow local time', () => {
  const rounding = intervalRounding(12 * HOUR, timeZone('Europe/Berlin'), 0);
  expect(shown(rounding, '2023-03-26T09:00:00Z')).toBe('2023-03-25T23:00:00Z');
  expect(shown(rounding, '2023-03-26T10:00:00Z')).toBe('2023-03-26T10:00:00Z');
});

test('starts are exactly the rounded times', () =>
  forSeeds(60, (rng) => {
    const zone = timeZone(rng.pick(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Asia/Kolkata', 'Z']));
    const unit = rng.pick<CalendarUnit>(['hour', 'day', 'week', 'month', 'year']);
    const rounding = rng.bool()
      ? calendarRounding(unit, zone, rng.pick([0, HOUR, -90 * 60_000]))
      : intervalRounding(rng.pick([90 * 60_000, 5 * HOUR, 30 * DAY]), zone, 0);
    const from = at('2017-01-01T00:00:00Z') + rng.int(0, 900) * DAY;
    const to = from + rng.int(0, 60) * DAY;
    const starts = startsBetween(rounding, from, to, 100_000)!;
    expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
    for (let i = 0; i < 300; i++) {
      const time = rng.int(from, to);
      expect(starts.findLast((start) => start <= time)).toBe(rounding.round(time));
    }
  }));

test('the next interval is always later, also across gaps shorter than the unit', () => {
  for (const id of ['Australia/Lord_Howe', 'Europe/Berlin', 'America/St_Johns']) {
    for (const rounding of [
      calendarRounding('hour', timeZone(id), 0),
      intervalRounding(2 * HOUR, timeZone(id), 0),
      calendarRounding('day', timeZone(id), HOUR),
    ]) {
      let steps = 0;
      for (let start = rounding.round(at('2023-01-01T00:00:00Z')); start < at('2024-01-01T00:00:00Z'); steps++) {
        const next = rounding.next(start);
        expect(next).toBeGreaterThan(start);
        start = next;
      }
      expect(steps).toBeLessThan(9000);
    }
  }
});

test('reads time values', () => {
  expect(timeValue('90m')).toBe(90 * 60_000);
  expect(timeValue('-1h')).toBe(-HOUR);
  expect(timeValue('soon')).toBeNull();
});
