// The protocol of a shard's log under random faults, in virtual time. `CLUSTER_SCHEDULES=100000` runs more than the few seconds of a normal run.
import { expect, test } from 'vitest';
import { LogWorld, type Mistake } from '../../support/log-world.ts';
import { Rng } from '../../support/rng.ts';

const SCHEDULES = Number(process.env['CLUSTER_SCHEDULES'] ?? 400);
const STEPS = 150;

async function problemsOf(seed: number, mistake: Mistake): Promise<readonly string[]> {
  return new LogWorld(new Rng(seed), mistake).run(STEPS);
}

/** Seeds until one finds a problem. */
async function isFound(mistake: Mistake): Promise<boolean> {
  for (let seed = 1; seed <= SCHEDULES; seed++) if ((await problemsOf(seed, mistake)).length > 0) return true;
  return false;
}

test('acknowledged writes are kept, refused ones are not, and copies agree with the log', { timeout: 3_600_000 }, async () => {
  const first = Number(process.env['GANNET_SEED'] ?? 1);
  let acknowledged = 0;
  for (let seed = first; seed < first + SCHEDULES; seed++) {
    const world = new LogWorld(new Rng(seed), 'none');
    expect(await world.run(STEPS), `seed ${seed}`).toEqual([]);
    acknowledged += world.acknowledged.size;
  }
  // The faults must leave enough to check.
  expect(acknowledged).toBeGreaterThan(SCHEDULES);
});

test('finds that writes are acknowledged before they are in the log', async () => {
  expect(await isFound('acknowledges before the log')).toBe(true);
});

test('finds that the second of two messages after the same one counts for its sender', async () => {
  expect(await isFound('counts what was stored second')).toBe(true);
});
