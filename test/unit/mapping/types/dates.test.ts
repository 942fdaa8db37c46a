import { describe, expect, test } from 'vitest';
import { DateFormatter } from '../../../../src/dates/date-format.ts';
import { parseDateMath } from '../../../../src/dates/date-math.ts';
import { zoneOf } from '../../../../src/dates/zones.ts';

const DEFAULT = 'strict_date_optional_time||epoch_millis';
const iso = (ms: number): string => new Date(ms).toISOString();

describe('parsing', () => {
  test.each([
    [DEFAULT, '2024', '2024-01-01T00:00:00.000Z'],
    [DEFAULT, '2024-02-29', '2024-02-29T00:00:00.000Z'],
    [DEFAULT, '2024-02-29T', '2024-02-29T00:00:00.000Z'],
    [DEFAULT, '2024-02-29T12', '2024-02-29T12:00:00.000Z'],
    [DEFAULT, '2024-02-29T12:34:56.789+05:30', '2024-02-29T07:04:56.789Z'],
    [DEFAULT, '2024-02-29T12:34:56,5Z', '2024-02-29T12:34:56.500Z'],
    [DEFAULT, '2024-02-29T12:34:56-0800', '2024-02-29T20:34:56.000Z'],
    [DEFAULT, '2024-02-29T12:34:56Europe/Berlin', '2024-02-29T11:34:56.000Z'],
    [DEFAULT, '2024-02-29T24:00', '2024-03-01T00:00:00.000Z'],
    [DEFAULT, '1704067200000', '2024-01-01T00:00:00.000Z'],
    [DEFAULT, '+12024-01-01', '+012024-01-01T00:00:00.000Z'],
    ['uuuu-MM-dd', '+12024-01-01', '+012024-01-01T00:00:00.000Z'],
    [DEFAULT, '-1', '1969-12-31T23:59:59.999Z'],
    ['date_optional_time', '2024-1-2T3:4', '2024-01-02T03:04:00.000Z'],
    ['epoch_second', '1709210096.5', '2024-02-29T12:34:56.500Z'],
    ['yyyyMMdd', '20240229', '2024-02-29T00:00:00.000Z'],
    ['basic_date_time', '20240229T101112.123Z', '2024-02-29T10:11:12.123Z'],
    ['week_date', '2024-W09-4', '2024-02-29T00:00:00.000Z'],
    ['weekyear_week', '2020-W53', '2020-12-28T00:00:00.000Z'],
    ['ordinal_date', '2024-060', '2024-02-29T00:00:00.000Z'],
    ['yyyy-QQQ', '2024-Q2', '2024-04-01T00:00:00.000Z'],
    ['dd/MMM/yyyy:HH:mm:ss Z', '10/Oct/2000:13:55:36 -0700', '2000-10-10T20:55:36.000Z'],
    ['EEE, dd MMM yyyy HH:mm:ss z', 'Thu, 29 Feb 2024 01:00:00 GMT', '2024-02-29T01:00:00.000Z'],
    ['yyyy-MM-dd[ HH:mm]', '2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['hh:mm a', '12:15 AM', '1970-01-01T00:15:00.000Z'],
    ['yy/M/d', '24/2/9', '2024-02-09T00:00:00.000Z'],
    ["yyyy-MM-dd''HH", "2024-02-29'05", '2024-02-29T05:00:00.000Z'],
    ['dd/MM/yyyy||yyyy-MM-dd', '2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('%s reads %s', (format, text, expected) => {
    expect(iso(DateFormatter.of(format).parse(text).ms)).toBe(expected);
  });

  test.each([
    [DEFAULT, '2023-02-29'],
    [DEFAULT, '2024-13-01'],
    [DEFAULT, '2024-1-1'],
    [DEFAULT, '+2024-01-01'],
    ['yyyy-MM-dd', '+2024-01-01'],
    ['date_optional_time', '+12024-01-01'],
    [DEFAULT, '12024-01-01'],
    [DEFAULT, '2024-01-01T25:00'],
    [DEFAULT, '2024-01-01T10:00:00.1234567890'],
    [DEFAULT, '2024-01-01T10:00:00Mars/Base'],
    [DEFAULT, 'yesterday'],
    ['yyyy-MM-dd', '2024-02-29x'],
    ['week_date', '2021-W53-1'],
    ['EEE yyyy-MM-dd', 'Mon 2024-02-29'],
  ])('%s refuses %s', (format, text) => {
    expect(() => DateFormatter.of(format).parse(text)).toThrow(`failed to parse date field [${text}] with format [${format}]`);
  });

  test('an empty text is no date', () => {
    expect(() => DateFormatter.of(DEFAULT).parse('')).toThrow('cannot parse empty date');
  });

  test('nanoseconds are kept', () => {
    expect(DateFormatter.of(DEFAULT).parse('2024-02-29T12:34:56.123456789Z')).toEqual({
      ms: Date.UTC(2024, 1, 29, 12, 34, 56, 123),
      nanos: 456_789,
    });
  });

  test('unknown letters are named', () => {
    expect(() => DateFormatter.of('nonsense')).toThrow('Invalid format: [nonsense]: Unknown pattern letter: o');
  });
});

describe('printing', () => {
  const ms = Date.UTC(2024, 1, 9, 3, 4, 5, 60);
  test.each([
    [DEFAULT, 'Z', '2024-02-09T03:04:05.060Z'],
    [DEFAULT, 'Europe/Berlin', '2024-02-09T04:04:05.060+01:00'],
    ['epoch_second', 'Z', '1707447845.06'],
    ['epoch_millis', 'Z', '1707447845060'],
    ['yyyy-MM-dd HH:mm xxx', '+05:30', '2024-02-09 08:34 +05:30'],
    ['date', 'Z', '2024-02-09'],
    ['week_date', 'Z', '2024-W06-5'],
    ['EEEE d MMMM yyyy, h a', 'America/New_York', 'Thursday 8 February 2024, 10 PM'],
    ['yyyy-QQQ', 'Z', '2024-Q1'],
    ['basic_date_time', 'Z', '20240209T030405.060Z'],
  ])('%s in %s', (format, zone, expected) => {
    expect(DateFormatter.of(format).print(ms, zoneOf(zone))).toBe(expected);
  });
});

describe('date math', () => {
  const now = Date.UTC(2024, 1, 29, 12, 34, 56, 789);
  const math = (text: string, roundUp = false, zone = 'Z'): string =>
    iso(parseDateMath(text, DateFormatter.of(DEFAULT), now, roundUp, zoneOf(zone)).ms);
  test.each([
    ['now', false, 'Z', '2024-02-29T12:34:56.789Z'],
    ['now/d', false, 'Z', '2024-02-29T00:00:00.000Z'],
    ['now/d', true, 'Z', '2024-02-29T23:59:59.999Z'],
    ['now/w', false, 'Z', '2024-02-26T00:00:00.000Z'],
    ['now-1M/M', false, 'Z', '2024-01-01T00:00:00.000Z'],
    ['now/d', false, 'America/New_York', '2024-02-29T05:00:00.000Z'],
    ['2024-01-31||+1M', false, 'Z', '2024-02-29T00:00:00.000Z'],
    ['2024-02-29||+1y-1d', false, 'Z', '2025-02-27T00:00:00.000Z'],
    ['2024-02-29||/d', true, 'Z', '2024-02-29T23:59:59.999Z'],
    ['2014', true, 'Z', '2014-01-01T23:59:59.999Z'],
    // Clocks go forward at 02:00 and back at 03:00: a gap shifts, an overlap takes the first.
    ['2024-03-31T02:30:00', false, 'Europe/Berlin', '2024-03-31T01:30:00.000Z'],
    ['2024-10-27T02:30:00', false, 'Europe/Berlin', '2024-10-27T00:30:00.000Z'],
    ['2024-03-31T12:00:00||/d', false, 'Europe/Berlin', '2024-03-30T23:00:00.000Z'],
    ['2050-07-01', false, 'Europe/Berlin', '2050-06-30T22:00:00.000Z'],
  ])('%s (round up: %s, %s)', (text, roundUp, zone, expected) => {
    expect(math(text, roundUp, zone)).toBe(expected);
  });

  test.each([
    ['now+1x', 'unit [x] not supported for date math [+1x]'],
    ['2023-01-01||/q1', 'unit [q] not supported for date math [/q1]'],
    ['now/2d', 'rounding `/` can only be used on single unit types [/2d]'],
    ['now*1d', 'operator not supported for date math [*1d]'],
    ['now+', 'truncated date math [+]'],
  ])('%s is refused', (text, message) => {
    expect(() => math(text)).toThrow(message);
  });

  test('unknown zones are refused', () => {
    expect(() => zoneOf('Mars/Base')).toThrow('java.time.zone.ZoneRulesException: Unknown time-zone ID: Mars/Base');
  });
});

test('a format has a limited length', () => {
  expect(() => DateFormatter.of('yyyy '.repeat(3000))).toThrow('longer than 10000 characters');
});
