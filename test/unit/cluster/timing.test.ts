// How long an append waits for JetStream.
import { expect, test } from 'vitest';
import { clusterTiming } from '../../../src/cluster/timing.ts';

/** @returns whether an append is tried again after each of these times */
async function retries(disconnectedForMs: (ms: number) => number, times: readonly number[]): Promise<boolean[]> {
  let ms = 0;
  const patience = clusterTiming(
    () => disconnectedForMs(ms),
    () => ms,
  ).patience();
  const found: boolean[] = [];
  for (const time of times) {
    ms = time;
    found.push(await patience());
  }
  return found;
}

test('an append outlasts the election of a leader', async () => {
  expect(await retries(() => 0, [0, 4000, 9000, 11_900, 12_000])).toEqual([true, true, true, true, false]);
});

test('an append outlasts the change to another server, and ends earlier once none is connected', async () => {
  expect(await retries((ms) => (ms > 6000 ? 0 : ms - 5500), [5600, 5900, 6500])).toEqual([true, true, true]);
  expect(await retries((ms) => ms, [0, 4900, 5000])).toEqual([true, true, false]);
  expect(await retries(() => 60_000, [100])).toEqual([false]);
});
