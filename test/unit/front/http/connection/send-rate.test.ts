// limit_rate: how much may be sent, and how long to wait afterwards.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rateAllowance, ratePauseMs } from '../../../../../src/front/http/connection/send-rate.ts';
import type { Request } from '../../../../../src/front/http/model/types.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_500 });
});
afterEach(() => {
  vi.useRealTimers();
});

const request = (limitRateAfter: number): Request => ({ startMs: Date.now(), limitRateAfter }) as Request;

test('the average counts from the second in which the request began; the first bytes are free', () => {
  const r = request(0);
  expect(rateAllowance(r, 1000, 0)).toBe(1000);
  expect(rateAllowance(r, 1000, 1500)).toBe(-500);
  vi.advanceTimersByTime(500);
  expect(rateAllowance(r, 1000, 1500)).toBe(500);
  expect(rateAllowance(request(4000), 1000, 4500)).toBe(500);
});

test('a pause is as long as the sent bytes beyond the first ones take at that rate', () => {
  expect(ratePauseMs(request(0), 1000, 250, 250)).toBe(250);
  expect(ratePauseMs(request(0), 1000, 1250, 250)).toBe(250);
  expect(ratePauseMs(request(200), 1000, 250, 250)).toBe(50);
  expect(ratePauseMs(request(500), 1000, 250, 250)).toBe(0);
});
