// Runs long synchronous work in slices, with turns of the event loop between them.
import { Breath } from './breath.ts';
import type { SlicedWork } from './sliced-work.ts';

/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 32;

/** @param breath  shared by the parts of one request */
export async function runInSlices<T>(work: SlicedWork<T>, breath: Breath = new Breath()): Promise<T> {
  for (let steps = 1; ; steps++) {
    const step = work.next();
    if (step.done) return step.value;
    if (steps % STEPS_PER_LOOK === 0) await breath.take();
  }
}
