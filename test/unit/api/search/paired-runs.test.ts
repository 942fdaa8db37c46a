import { expect, test } from 'vitest';
import { median, type PairLimits, ratioOf, runInPairs } from '../../../../src/api/search/paired-runs.ts';
import { Rng } from '../../../support/rng.ts';

const LIMITS: PairLimits = { precision: 0.02, maxMs: 1e6, maxRounds: 10_000 };

/** Runs that take the given times by a clock of their own. */
function simulate(aMs: (round: number) => number, bMs: (round: number) => number) {
  let now = 0;
  const order: string[] = [];
  const runs = { a: 0, b: 0 };
  const run = (name: 'a' | 'b', ms: (round: number) => number) => async () => {
    order.push(name);
    now += ms(runs[name]++);
  };
  return { order, start: (limits: PairLimits) => runInPairs(run('a', aMs), run('b', bMs), limits, undefined, () => now) };
}

test('alternates which run is first, and stops when the interval is narrow', async () => {
  const rng = new Rng(7);
  const noise = () => 1 + rng.float() * 0.2;
  const { order, start } = simulate(
    () => 10 * noise(),
    () => 8 * noise(),
  );
  const { ratio, stoppedBy, rounds } = await start(LIMITS);
  expect(order.slice(0, 8).join('')).toBe('abbaabba');
  expect(stoppedBy).toBe('precision');
  expect(rounds).toBeLessThan(1000);
  expect(ratio?.ratio).toBeCloseTo(0.8, 1);
  expect(((ratio?.high ?? 0) - (ratio?.low ?? 0)) / 2).toBeLessThanOrEqual(0.02 * (ratio?.ratio ?? 0));
  expect(order).toHaveLength(2 * rounds);
});

test('outliers do not move the ratio', () => {
  const rng = new Rng(3);
  const times = (ms: number) => Array.from({ length: 400 }, () => ms * (1 + rng.float() * 0.1) * (rng.bool(0.05) ? 40 : 1));
  const { ratio, low, high } = ratioOf(times(5), times(6)) ?? { ratio: 0, low: 0, high: 0 };
  expect(ratio).toBeGreaterThan(1.17);
  expect(ratio).toBeLessThan(1.23);
  expect(low).toBeLessThan(1.2);
  expect(high).toBeGreaterThan(1.2);
});

test('about 95 of 100 intervals contain the true ratio', () => {
  const rng = new Rng(11);
  let contained = 0;
  for (let i = 0; i < 400; i++) {
    // A sum of uniform numbers is nearly normal.
    const noise = () => Math.exp((rng.float() + rng.float() + rng.float() + rng.float() - 2) * 0.2);
    const a = Array.from({ length: 60 }, () => 10 * noise());
    const b = Array.from({ length: 60 }, () => 12 * noise());
    const { low, high } = ratioOf(a, b) ?? { low: 0, high: 0 };
    if (low <= 1.2 && high >= 1.2) contained++;
  }
  expect(contained / 400).toBeGreaterThan(0.91);
  expect(contained / 400).toBeLessThan(0.99);
});

test('stops at the limits of time and rounds, and gives no ratio for a few rounds', async () => {
  const slow = await simulate(
    (round) => 10 + (round % 7) * 10,
    (round) => 10 + (round % 5) * 20,
  ).start({ ...LIMITS, precision: 0.001, maxMs: 500 });
  expect(slow.stoppedBy).toBe('time');
  expect(slow.ratio).toBeNull();
  const few = await simulate(
    (round) => 1 + (round % 7),
    (round) => 1 + (round % 5),
  ).start({ ...LIMITS, precision: 0.001, maxRounds: 30 });
  expect([few.stoppedBy, few.rounds]).toEqual(['rounds', 30]);
  expect(few.ratio).not.toBeNull();
});

test('computes the median of an odd and an even number of values', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});
