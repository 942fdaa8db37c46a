/** Changes run one after another; one that fails does not stop the others. */
import { expect, test } from 'vitest';
import { CommandQueue } from '../../../../src/node/main/command-queue.ts';

test('a change starts when those before it have ended, also after a failure', async () => {
  const queue = new CommandQueue();
  const seen: string[] = [];
  const step = (name: string, fails = false) =>
    queue.run(async () => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const [a, b, c] = await Promise.allSettled([step('a'), step('b', true), step('c')]);
  expect([a.status, b.status, c]).toEqual(['fulfilled', 'rejected', { status: 'fulfilled', value: 'c' }]);
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('settled waits for a failing change and does not fail itself', async () => {
  const queue = new CommandQueue();
  const failed = queue.run(() => Promise.reject(new Error('no')));
  await queue.settled();
  await expect(failed).rejects.toThrow('no');
});
