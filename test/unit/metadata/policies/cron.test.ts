// Cron schedules: next times, names, wrapping ranges, rules for days, refusals.
import { expect, test } from 'vitest';
import { Cron } from '../../../../src/metadata/policies/cron.ts';

const next = (expression: string, from: string): string | null => {
  const ms = new Cron(expression).next(Date.parse(from));
  return ms === null ? null : new Date(ms).toISOString().replace('.000Z', 'Z');
};

test.each([
  ['0 30 1 * * ?', '2024-03-05T01:29:59.999Z', '2024-03-05T01:30:00Z'],
  ['0 30 1 * * ?', '2024-03-05T01:30:00Z', '2024-03-06T01:30:00Z'],
  ['*/20 * * * * ?', '2024-03-05T01:30:41Z', '2024-03-05T01:31:00Z'],
  ['0 0/15 8-9 ? * MON-FRI', '2024-03-08T09:45:00Z', '2024-03-11T08:00:00Z'],
  ['0 0 22-2/2 * * ?', '2024-03-05T22:30:00Z', '2024-03-06T00:00:00Z'],
  ['0 0 0 ? * FRI-MON', '2024-03-05T00:00:00Z', '2024-03-08T00:00:00Z'],
  ['0 0 12 L * ?', '2024-02-10T00:00:00Z', '2024-02-29T12:00:00Z'],
  ['0 0 12 L-2 * ?', '2023-02-10T00:00:00Z', '2023-02-26T12:00:00Z'],
  ['0 0 12 LW * ?', '2024-06-10T00:00:00Z', '2024-06-28T12:00:00Z'],
  ['0 0 12 15W * ?', '2024-06-10T00:00:00Z', '2024-06-14T12:00:00Z'],
  ['0 0 12 1W * ?', '2024-06-01T00:00:00Z', '2024-06-03T12:00:00Z'],
  ['0 0 12 ? * 6L', '2024-06-01T00:00:00Z', '2024-06-28T12:00:00Z'],
  ['0 0 12 ? * 6#3', '2024-06-01T00:00:00Z', '2024-06-21T12:00:00Z'],
  ['0 0 0 29 FEB ?', '2024-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 0 0 1 1,7 ?', '2024-03-01T00:00:00Z', '2024-07-01T00:00:00Z'],
])('%s after %s is %s', (expression, from, expected) => {
  expect(next(expression, from)).toBe(expected);
});

test('a year that is over has no next time', () => {
  expect(next('0 0 0 1 1 ? 2020', '2024-01-01T00:00:00Z')).toBeNull();
});

test.each([
  '',
  '* * * * *',
  '0 0 0 * * *',
  '0 0 0 ? * ?',
  '60 0 0 * * ?',
  '0 0 24 * * ?',
  '0 0 0 32 * ?',
  '0 0 0 * FOO ?',
  '0/0 0 0 * * ?',
  '0 0 0 ? * 8',
])('refuses [%s]', (expression) => {
  expect(() => new Cron(expression)).toThrow(/invalid cron/);
});

test('next times ascend and match a search second by second', () => {
  const cron = new Cron('5,35 10-50/20 3,4 ? * TUE,WED');
  let at = Date.parse('2024-03-04T00:00:00Z');
  for (let i = 0; i < 24; i++) {
    const found = cron.next(at) as number;
    let slow = at + 1000;
    for (; ; slow += 1000) {
      const date = new Date(slow);
      const isDue =
        [2, 3].includes(date.getUTCDay()) &&
        [3, 4].includes(date.getUTCHours()) &&
        [10, 30, 50].includes(date.getUTCMinutes()) &&
        [5, 35].includes(date.getUTCSeconds());
      if (isDue) break;
    }
    expect(found).toBe(slow);
    at = found;
  }
});
