import { expect, test } from 'vitest';
import { LANE_WORDS, openLockedStore, sealStore } from '../../../../src/node/lanes/store-lock.ts';
import type { Store } from '../../../../src/store/store.ts';

test('main waits until the lane has left the store, and the lane holds the lock during reads only', async () => {
  const shared = new SharedArrayBuffer(4 * LANE_WORDS);
  const words = new Int32Array(shared);
  const seen: number[] = [];
  const fake = {
    read: () => {
      seen.push(words[1]);
      return null;
    },
  };
  const store = openLockedStore('data', shared, () => {
    seen.push(words[1]);
    return fake as object as Store;
  });
  expect(words[1]).toBe(0);
  store.read(0, 0);
  expect(seen).toEqual([1, 1]);
  expect(words[1]).toBe(0);

  words[1] = 1;
  let isSealed = false;
  const sealing = sealStore(words).then(() => {
    isSealed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSealed).toBe(false);
  words[1] = 0;
  await sealing;
  expect(words[1]).toBe(2);
});
