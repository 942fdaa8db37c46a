// Entry point of a lane's thread.
import { Store } from '../../store/store.ts';
import { enterThread } from '../threads/enter-thread.ts';
import { lowerPriority } from './lane-priority.ts';
import { startLane } from './lane-worker.ts';

/** A lane is mostly idle, so even what its start has left is worth a collection. */
const MIN_FREE_BYTES = 1 << 20;

lowerPriority();
enterThread((data) => startLane(data, Store.open(data.options.dataPath)), MIN_FREE_BYTES);
