// The protocol of a shard's log under random faults, in virtual time. `CLUSTER_SCHEDULES=100000` runs more than the few seconds of a normal run.
import { expect, test } from 'vitest';
import { LogWorld, type Mistake } from '../../support/log-world.ts';
import { Rng } from '../../support/rng.ts';

const SCHEDULES = Number(process.env['CLUSTER_SCHEDULES'] ?? 400);
const STEPS = 200;

async function problemsOf(seed: number, mistake: Mistake): Promise<readonly string[]> {
  return new LogWorld(new Rng(seed), mistake).run(STEPS);
}

/** Tries seeds until one finds a problem. */
async function isFound(mistake: Mistake): Promise<boolean> {
  for (let seed = 1; seed <= 5 * SCHEDULES; seed++) if ((await problemsOf(seed, mistake)).length > 0) return true;
  return false;
}

test('acknowledged writes are kept, refused ones are not, and copies agree with the log', { timeout: 3_600_000 }, async () => {
  const first = Number(process.env['GANNET_SEED'] ?? 1);
  let acknowledged = 0;
  let trims = 0;
  let fills = 0;
  for (let seed = first; seed < first + SCHEDULES; seed++) {
    const world = new LogWorld(new Rng(seed), 'none');
    expect(await world.run(STEPS), `seed ${seed}`).toEqual([]);
    acknowledged += world.acknowledged.size;
    trims += world.trims;
    fills += world.fills;
  }
  // The faults must leave enough to check.
  expect(acknowledged).toBeGreaterThan(SCHEDULES);
  expect(trims).toBeGreaterThan(SCHEDULES / 10);
  expect(fills).toBeGreaterThan(SCHEDULES / 50);
});

test('finds that writes are acknowledged before they are in the log', async () => {
  expect(await isFound('acknowledges before the log')).toBe(true);
});

test('finds that the second of two messages after the same one counts for its sender', async () => {
  expect(await isFound('counts what was stored second')).toBe(true);
});

test('finds that the log is trimmed although no snapshot contains what it loses', async () => {
  expect(await isFound('trims what no snapshot contains')).toBe(true);
});

test('finds that a snapshot lacks operations before its position', async () => {
  expect(await isFound('reads the position of a snapshot after its contents')).toBe(true);
});
