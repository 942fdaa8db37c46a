/** Rounds of health checks: probes of one peer do not overlap, so that an old result cannot follow a newer one. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEFAULT_CHECK, HealthChecker } from '../../../../../../src/front/http/upstream/peers/health.ts';

type Checker = ConstructorParameters<typeof HealthChecker>;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a round leaves out peers whose probe has not ended', async () => {
  const peers = [
    { name: 'slow', unhealthy: false },
    { name: 'fast', unhealthy: false },
  ];
  const group = { name: 'g', explicit: true, set: { all: () => peers, locked: (run: () => unknown) => run() } };
  const asked: string[] = [];
  let endSlow = (_why: string): void => {};
  const probe = ({ name }: { name: string }, done: (why: string) => void): void => {
    asked.push(name);
    if (name === 'slow') endSlow = done;
    else done('');
  };
  const check = { ...DEFAULT_CHECK, intervalMs: 100 };
  // the checker uses no more of a group, of a peer and of the main object
  const [, groupOf, logs, probeOf] = [check, group, [], probe] as unknown as Checker;
  new HealthChecker(check, groupOf, logs, probeOf).start({ inherited: new Map() } as never);
  expect(asked).toEqual(['slow', 'fast']);
  await vi.advanceTimersByTimeAsync(250);
  expect(asked).toEqual(['slow', 'fast', 'fast', 'fast']);
  endSlow('timed out');
  expect(peers.map(({ unhealthy }) => unhealthy)).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(100);
  expect(asked.slice(4)).toEqual(['slow', 'fast']);
  endSlow('');
  expect(peers[0].unhealthy).toBe(false);
});
