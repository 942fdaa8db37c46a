// Starts the thread of a lane.
import { Store } from '../../store/store.ts';
import { enterThread } from '../threads/enter-thread.ts';
import { lowerPriority } from './lane-priority.ts';
import { startLane } from './lane-worker.ts';
import { openLockedStore } from './store-lock.ts';

/** A lane is mostly idle, so even the garbage of its start is worth a collection. */
const MIN_FREE_BYTES = 1 << 20;

export function startLaneThread(): void {
  lowerPriority();
  enterThread((data) => {
    if (data.signal) startLane(data, openLockedStore(data.options.dataPath, data.signal, Store.open));
  }, MIN_FREE_BYTES);
}
