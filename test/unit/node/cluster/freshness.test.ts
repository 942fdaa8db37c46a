// What was refreshed is found on every node that may be read: the lease of reads and those who wait for other nodes, in virtual time under random faults.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type MemberMistake, MemberWorld } from '../../../support/member-world.ts';
import { Rng } from '../../../support/rng.ts';

const SCHEDULES = Number(process.env['CLUSTER_SCHEDULES'] ?? 20);
const STEPS = 300;

beforeEach(() => void vi.useFakeTimers({ toFake: ['hrtime', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

async function runWorld(seed: number, mistake: MemberMistake): Promise<MemberWorld> {
  const world = new MemberWorld(new Rng(seed), mistake);
  await world.run(STEPS, (ms) => vi.advanceTimersByTimeAsync(ms));
  return world;
}

async function isFound(mistake: MemberMistake): Promise<boolean> {
  for (let seed = 1; seed <= SCHEDULES; seed++) if ((await runWorld(seed, mistake)).problems.length > 0) return true;
  return false;
}

test('a node that may be read has all that was refreshed', { timeout: 3_600_000 }, async () => {
  const first = Number(process.env['GANNET_SEED'] ?? 1);
  const sums = { refreshes: 0, readable: 0, unreadable: 0 };
  for (let seed = first; seed < first + SCHEDULES; seed++) {
    const world = await runWorld(seed, 'none');
    expect(world.problems, `seed ${seed}`).toEqual([]);
    sums.refreshes += world.refreshes;
    sums.readable += world.readable;
    sums.unreadable += world.unreadable;
  }
  // The faults must leave enough to check, and stop some reads.
  expect(sums.refreshes).toBeGreaterThan(10 * SCHEDULES);
  expect(sums.readable).toBeGreaterThan(STEPS * SCHEDULES);
  expect(sums.unreadable).toBeGreaterThan(10 * SCHEDULES);
});

test('finds that a refresh asks only the nodes of which it has heard', async () => {
  expect(await isFound('asks the nodes that it has heard of')).toBe(true);
});

test('finds that a node is read before it has caught up', async () => {
  expect(await isFound('reads before it has caught up')).toBe(true);
});

test('finds that a node is read while others go on without it', async () => {
  expect(await isFound('reads while others go on')).toBe(true);
});
