// Entry point shared by the worker threads.
import { parentPort } from 'node:worker_threads';
import { releaseMemoryWhenIdle } from './idle-memory.ts';
import type { ThreadData } from './thread.ts';

/** Starts this thread's part of the node when its data arrives. An error ends the thread and, once main has logged it, the process. */
export function enterThread(start: (data: ThreadData) => void, minFreeBytes?: number): void {
  releaseMemoryWhenIdle(undefined, minFreeBytes);
  parentPort?.once('message', start);
}
