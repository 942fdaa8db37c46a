// Callers that share a run of an action.
import { expect, test } from 'vitest';
import { SharedCall } from '../../../src/common/shared-call.ts';

/** An action whose runs end on demand. */
function controlled() {
  const runs: Array<{ resolve: (value: number) => void; reject: (error: Error) => void }> = [];
  const call = new SharedCall(() => new Promise<number>((resolve, reject) => runs.push({ resolve, reject })));
  return { runs, call };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a caller gets a run that began after its call, and shares it with those who came meanwhile', async () => {
  const { runs, call } = controlled();
  const first = call.run();
  await turn();
  const [second, third] = [call.run(), call.run()];
  await turn();
  expect(runs).toHaveLength(1);
  runs[0].resolve(1);
  expect(await first).toBe(1);
  await turn();
  expect(runs).toHaveLength(2);
  runs[1].resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});

test('a failed run fails its callers only', async () => {
  const { runs, call } = controlled();
  const first = call.run();
  await turn();
  const second = call.run();
  runs[0].reject(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await turn();
  runs[1].resolve(2);
  expect(await second).toBe(2);
});
