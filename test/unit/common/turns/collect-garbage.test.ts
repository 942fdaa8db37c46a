// The flag that exposes a collection belongs to the process, so threads that collect at the same time disturb each other.
import v8 from 'node:v8';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => void vi.resetModules());
afterEach(() => void vi.restoreAllMocks());

/** Lets another thread reset the flag as soon as it is set. @returns how often the flag was set */
function disturb(times: number): () => number {
  const setFlags = v8.setFlagsFromString.bind(v8);
  let count = 0;
  vi.spyOn(v8, 'setFlagsFromString').mockImplementation((flags) => {
    setFlags(flags);
    if (flags === '--expose-gc' && count++ < times) setFlags('--no-expose-gc');
  });
  return () => count;
}

async function collect(): Promise<void> {
  const { collectGarbage } = await import('../../../../src/common/turns/collect-garbage.ts');
  collectGarbage();
}

/** @returns whether the object of a weak reference is collected */
async function isCollected(): Promise<boolean> {
  let held: object | null = { bytes: new Uint8Array(1 << 20) };
  const reference = new WeakRef(held);
  held = null;
  // A weak reference keeps its object until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  await collect();
  return reference.deref() === undefined;
}

test('collects although another thread resets the flag meanwhile', async () => {
  const attempts = disturb(3);
  expect(await isCollected()).toBe(true);
  expect(attempts()).toBe(4);
});

test('gives up without an error when the flag never stays set', async () => {
  disturb(Number.POSITIVE_INFINITY);
  await expect(collect()).resolves.toBeUndefined();
});

test('hides the function from code that runs later', async () => {
  await collect();
  expect((globalThis as { gc?: unknown }).gc).toBeUndefined();
});
