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
