// Lanes yield the processor to threads that answer light requests.
import { readlinkSync } from 'node:fs';
import os from 'node:os';

const NICE = 5;

/** Lowers the priority of the calling thread. On Linux, priorities belong to threads and `setpriority` accepts their ids; elsewhere this does nothing. */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    // PID/task/TID
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    os.setPriority(thread, NICE);
  } catch {
    // A sandbox without /proc, or one that forbids it: lanes then compete like all other threads.
  }
}
