/** Sizes and times of nginx.conf. */
import { describe, expect, test } from 'vitest';
import { parseOffset, parseSize, parseTimeMs, parseTimeSec } from '../../../src/front/config/values.ts';

describe('front config values', () => {
  test.each([
    ['0', 0],
    ['512', 512],
    ['8k', 8192],
    ['1M', 1048576],
    ['2g', null],
    ['', null],
    ['8kb', null],
    ['-1', null],
    ['99999999999999999999', null],
  ])('reads the size %s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  test.each([
    ['8k', 8192],
    ['2g', 2147483648],
    ['2gb', null],
  ])('reads the offset %s', (text, bytes) => expect(parseOffset(text)).toBe(bytes));

  test.each([
    ['30', 30_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['1d 12h', 129_600_000],
    ['1h 3m', 3_780_000],
    ['30s1m', null],
    ['1m1m', null],
    ['5 10s', null],
    ['x', null],
  ])('reads the time %s', (text, ms) => expect(parseTimeMs(text)).toBe(ms));

  test('seconds have no milliseconds', () => {
    expect(parseTimeSec('2m')).toBe(120);
    expect(parseTimeSec('5ms')).toBeNull();
  });
});
