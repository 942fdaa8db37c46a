import { expect, test } from 'vitest';
import { httpDate, parseHttpDate } from '../../../../../src/front/http/request/http-date.ts';

const SECONDS = 784_111_777;

test.each([
  'Sun, 06 Nov 1994 08:49:37 GMT',
  'Sun, 06 NOV 1994 08:49:37 gmt',
  'Sun, 06 nov 1994 08:49:37',
  'Sunday, 06-Nov-94 08:49:37 GMT',
  'Sun Nov  6 08:49:37 1994',
])('reads %s', (text) => {
  expect(parseHttpDate(text)).toBe(SECONDS);
});

test.each([
  '',
  '0',
  'Sun, 06 Nov 1994 08:49:37 UTC',
  'Sun, 06 Nov 1994 08:49:37 +0000',
  'Sun, 31 Feb 1994 08:49:37 GMT',
  'Sun, 06 Nov 94 08:49:37 GMT',
])('refuses "%s"', (text) => {
  expect(parseHttpDate(text)).toBe(-1);
});

test('writes what it reads', () => {
  expect(httpDate(SECONDS)).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
});
