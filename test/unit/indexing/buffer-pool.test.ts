import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BufferPool } from '../../../src/indexing/buffer-pool.ts';
import { compileEngine } from '../../../src/wasm/kernels.ts';

const IDLE_MS = 5000;
const PAGES = 256;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

test('buffers are used again while there are writes', () => {
  const pool = new BufferPool(compileEngine(), 1 << 20, PAGES);
  const first = pool.take();
  pool.give(first);
  vi.setSystemTime(Date.now() + IDLE_MS - 1);
  expect(pool.dropUnused(IDLE_MS)).toBe(false);
  expect(pool.take()).toBe(first);
});

test('free buffers are dropped after a time without writes, those in use are not', () => {
  const pool = new BufferPool(compileEngine(), 1 << 20, PAGES);
  const [free, used] = [pool.take(), pool.take()];
  pool.give(free);
  vi.setSystemTime(Date.now() + IDLE_MS);
  expect(pool.dropUnused(IDLE_MS)).toBe(true);
  expect(pool.dropUnused(IDLE_MS)).toBe(false);
  pool.give(used);
  expect([pool.take(), pool.take()]).toEqual([used, expect.not.toSatisfy((buffer) => buffer === free)]);
});

test('buffers that are returned one after another cause one collection of garbage in each idle time', () => {
  const pool = new BufferPool(compileEngine(), 1 << 20, PAGES);
  const buffers = Array.from({ length: 20 }, () => pool.take());
  vi.setSystemTime(Date.now() + IDLE_MS);
  let collections = 0;
  for (const buffer of buffers) {
    pool.give(buffer);
    if (pool.dropUnused(IDLE_MS)) collections++;
    vi.setSystemTime(Date.now() + 400);
  }
  // At 0, 5.2 s and then no more until 10.4 s.
  expect(collections).toBe(2);
  vi.setSystemTime(Date.now() + IDLE_MS);
  // Those returned since the last one.
  expect(pool.dropUnused(IDLE_MS)).toBe(true);
  expect(pool.dropUnused(IDLE_MS)).toBe(false);
});
