// Gives a thread's garbage back to the system when the thread falls idle: V8 by itself keeps what a burst of requests made it take.
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import vm from 'node:vm';

const CHECK_MS = 3000;
/** Share of the time between two checks that an idle thread is busy at most. */
const IDLE_UTILIZATION = 0.02;
/** A heap with less than this beside what is used is left alone. */
const MIN_FREE_BYTES = 12 << 20;
/** Collections in one idle time: the first frees objects, the young generation shrinks with the second at the latest. */
const MAX_COLLECTIONS = 2;

/** Watches the calling thread until it ends. */
export function releaseMemoryWhenIdle(checkMs = CHECK_MS): void {
  // Measured from the first check on: what watches memory is not loaded before a start is over.
  let before: EventLoopUtilization | null = null;
  let collections = 0;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const utilization = before === null ? 1 : performance.eventLoopUtilization(now, before).utilization;
    before = now;
    if (utilization > IDLE_UTILIZATION) collections = 0;
    else if (collections < MAX_COLLECTIONS && freeBytes() > MIN_FREE_BYTES) {
      collections++;
      collectGarbage();
      // A collection is no activity.
      before = performance.eventLoopUtilization();
    }
  }, checkMs);
  timer.unref();
}

function freeBytes(): number {
  const { total_heap_size, used_heap_size } = v8.getHeapStatistics();
  return total_heap_size - used_heap_size;
}

let collect: (() => void) | null = null;

function collectGarbage(): void {
  if (collect === null) {
    // V8 has no other way to ask for it; the flag is off again before other code can see `gc`.
    v8.setFlagsFromString('--expose-gc');
    collect = vm.runInNewContext('gc') as () => void;
    v8.setFlagsFromString('--no-expose-gc');
  }
  collect();
}
