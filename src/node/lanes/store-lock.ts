// LMDB's binding ends the process if its thread is terminated while it runs (it throws into a JavaScript engine that no longer accepts
// exceptions). So a lane holds a lock during each call, and main takes it permanently before it terminates the thread.
//   word 1 of the array that main shares with the lane: FREE, HELD by the lane, SEALED by main
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../store/store.ts';

const WORD = 1;
const [FREE, HELD, SEALED] = [0, 1, 2];
/** A call takes microseconds; opening the store waits for the disk. */
const RETRY_MS = 1;
const MAX_TRIES = 5000;

export const LANE_WORDS = 2;

/** Opens the store in a lane. Its reads hold the lock, too. */
export function openLockedStore(dataPath: string, shared: SharedArrayBuffer, open: (dataPath: string) => Store): Store {
  const words = new Int32Array(shared);
  const locked = <T>(call: () => T): T => {
    // If main has sealed the lock, the thread waits here until it is ended.
    while (Atomics.compareExchange(words, WORD, FREE, HELD) !== FREE) Atomics.wait(words, WORD, SEALED);
    try {
      return call();
    } finally {
      Atomics.store(words, WORD, FREE);
    }
  };
  const store = locked(() => open(dataPath));
  const read = store.read.bind(store);
  store.read = (log, seqNo) => locked(() => read(log, seqNo));
  return store;
}

/** Main's side: resolves when the lane is outside the store and cannot enter it again. */
export async function sealStore(words: Int32Array): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (Atomics.compareExchange(words, WORD, FREE, SEALED) !== HELD) return;
    await sleep(RETRY_MS);
  }
}
