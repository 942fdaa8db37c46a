import { expect, test } from 'vitest';
import { isBusy, nextTurn } from '../../../../src/common/turns/turn-queue.ts';

const iteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one piece of work continues per iteration of the event loop, in the order of waiting', async () => {
  const log: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let slice = 1; slice <= 2; slice++) {
      await nextTurn();
      log.push(`${name}${slice}`);
    }
  };
  const all = Promise.all([work('a'), work('b'), work('c')]);
  expect(isBusy()).toBe(true);
  const perIteration: number[] = [];
  while (log.length < 6) {
    const before = log.length;
    await iteration();
    perIteration.push(log.length - before);
  }
  await all;
  expect(log).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  expect(Math.max(...perIteration)).toBe(1);
  expect(isBusy()).toBe(false);
});

test('a thread is busy if the work of one iteration has taken long together, until the next iteration', async () => {
  await iteration();
  expect(isBusy()).toBe(false);
  const end = performance.now() + 30;
  while (performance.now() < end);
  expect(isBusy()).toBe(true);
  await iteration();
  expect(isBusy()).toBe(false);
});
