import { expect, test } from 'vitest';
import { ClusterStartError, patiently } from '../../../src/cluster/cluster-start.ts';
import { logUnreachableError } from '../../../src/cluster/log-subject.ts';

test('a starting node repeats what NATS does not answer, and reports the first reason', async () => {
  const reasons: string[] = [];
  let attempts = 0;
  const result = await patiently(
    async () => {
      if (++attempts < 3) throw logUnreachableError('the log', `attempt ${attempts}`);
      return 'joined';
    },
    (reason) => reasons.push(reason),
  );
  expect([result, attempts, reasons]).toEqual(['joined', 3, ['the log cannot be reached: attempt 1']]);
});

test('a starting node stops when NATS does not answer in time', async () => {
  const never = () => Promise.reject(logUnreachableError('the log'));
  await expect(patiently(never, () => undefined, 0)).rejects.toBeInstanceOf(ClusterStartError);
});

test('a starting node stops at once for a wrong configuration', async () => {
  const wrong = new ClusterStartError('cluster.nats.replicas is 3');
  let attempts = 0;
  const action = () => {
    attempts++;
    return Promise.reject(wrong);
  };
  await expect(patiently(action, () => undefined)).rejects.toBe(wrong);
  expect(attempts).toBe(1);
});
