import { expect, test } from 'vitest';
import { FairQueue } from '../../../../src/node/lanes/fair-queue.ts';

function filled(): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item[0], item);
  return queue;
}

test('senders are served in turn, each in its order', () => {
  const queue = filled();
  const served = Array.from({ length: 7 }, () => queue.shift());
  expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', undefined]);
  expect(queue.size).toBe(0);
});

test('a removed item is not served', () => {
  const queue = filled();
  expect(queue.remove('b', 'b1')).toBe(true);
  expect(queue.remove('b', 'b1')).toBe(false);
  expect(queue.remove('c', 'c1')).toBe(true);
  expect(queue.size).toBe(4);
  expect(queue.drain()).toEqual(['a1', 'a2', 'a3', 'c2']);
  expect(queue.shift()).toBeUndefined();
});
