import { expect, test } from 'vitest';
import { runAtOnce, runInTurns, type Steps } from '../../../../src/search/run/steps.ts';

/** Steps that last the given milliseconds on a fake clock. */
function work(takes: readonly number[], clock: { ms: number }): Steps<string> {
  return (function* () {
    for (const ms of takes) {
      clock.ms += ms;
      yield;
    }
    return 'done';
  })();
}

test('yields to the event loop after each slice, not after each step', async () => {
  const clock = { ms: 0 };
  const turns: number[] = [];
  const next = async () => {
    turns.push(clock.ms);
    clock.ms += 1000; // time of other work does not count
  };
  expect(await runInTurns(work([5, 5, 5, 5, 5, 30, 1], clock), 0, { now: () => clock.ms, next })).toBe('done');
  expect(turns).toEqual([20, 1055]);
});

test('short work runs in one turn', async () => {
  const next = () => Promise.reject(new Error('no turn is needed'));
  const clock = { ms: 0 };
  expect(await runInTurns(work([1, 2, 3], clock), 0, { now: () => clock.ms, next })).toBe('done');
});

test('errors of steps reach the caller either way', async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first step
  const failing = function* (): Steps<string> {
    throw new Error('a step failed');
  };
  expect(() => runAtOnce(failing())).toThrow('a step failed');
  await expect(runInTurns(failing())).rejects.toThrow('a step failed');
  expect(runAtOnce(work([50, 50], { ms: 0 }))).toBe('done');
});
