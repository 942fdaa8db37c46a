// The heap of an idle thread.
import v8 from 'node:v8';
import { expect, test } from 'vitest';
import { releaseMemoryWhenIdle } from '../../../../src/node/threads/idle-memory.ts';

test('an idle thread returns the memory of a burst of garbage', async () => {
  let garbage: unknown[] | null = [];
  for (let i = 0; i < 400_000; i++) garbage.push({ i, text: `object ${i}`, list: [i] });
  const before = v8.getHeapStatistics().total_heap_size;
  garbage = null;
  releaseMemoryWhenIdle(50);
  await expect.poll(() => v8.getHeapStatistics().total_heap_size, { interval: 500 }).toBeLessThan(before - (30 << 20));
});

test('an idle thread returns unreferenced buffers', async () => {
  releaseMemoryWhenIdle(50);
  const external = () => v8.getHeapStatistics().external_memory;
  const before = external();
  // Too little for V8 to collect it on its own.
  const buffers = Array.from({ length: 20 }, () => Buffer.alloc(1 << 20, 1));
  expect(external() - before).toBeGreaterThan(15 << 20);
  buffers.length = 0;
  await expect.poll(() => external() - before, { interval: 500 }).toBeLessThan(5 << 20);
});
