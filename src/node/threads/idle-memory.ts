// Returns a thread's unused heap to the system when the thread becomes idle; V8 alone keeps the memory that a burst of requests needed.
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import { collectGarbage } from '../../common/turns/collect-garbage.ts';

const CHECK_MS = 3000;
/** A thread is idle if it was busy for at most this share of the time between two checks. */
const IDLE_UTILIZATION = 0.02;
const MIN_FREE_BYTES = 12 << 20;
/** A start leaves garbage that nothing else would collect in a thread that stays idle. */
const MIN_FREE_BYTES_OF_START = 2 << 20;
/** Checks that count as part of the start. V8 shrinks the young generation only when little was allocated in the last five seconds. */
const START_CHECKS = 4;
/** Collections per idle period: the first frees objects, and the young generation shrinks with the second at the latest. */
const MAX_COLLECTIONS = 2;

/**
 * Monitors the calling thread until it ends.
 * @param minFreeBytes  a heap is collected only if at least this much of it is unused, or was filled since the last collection
 */
export function releaseMemoryWhenIdle(checkMs = CHECK_MS, minFreeBytes = MIN_FREE_BYTES): void {
  // Measured from the first check on, so that nothing is loaded for it during the start.
  let before: EventLoopUtilization | null = null;
  let collections = 0;
  let checks = 0;
  // What was in use after the last collection, at first all that the start has left.
  let kept: number | null = null;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const utilization = before === null ? 1 : performance.eventLoopUtilization(now, before).utilization;
    before = now;
    kept ??= usedBytes();
    const limit = ++checks <= START_CHECKS ? Math.min(minFreeBytes, MIN_FREE_BYTES_OF_START) : minFreeBytes;
    if (utilization > IDLE_UTILIZATION) collections = 0;
    else if (collections < MAX_COLLECTIONS && freeBytes() + usedBytes() - kept > limit) {
      collections++;
      collectGarbage();
      kept = usedBytes();
      // The time of a collection does not count as activity.
      before = performance.eventLoopUtilization();
    }
  }, checkMs);
  timer.unref();
}

function freeBytes(): number {
  const { total_heap_size, used_heap_size } = v8.getHeapStatistics();
  return total_heap_size - used_heap_size;
}

/** Objects and buffers, those that nobody refers to included. */
function usedBytes(): number {
  const { used_heap_size, external_memory } = v8.getHeapStatistics();
  return used_heap_size + external_memory;
}
