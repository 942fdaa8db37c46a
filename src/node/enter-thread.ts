// What the entry of each worker thread does.
import { parentPort } from 'node:worker_threads';
import { releaseMemoryWhenIdle } from './idle-memory.ts';
import type { ThreadData } from './thread.ts';

/** Starts the part of the node that this thread is for when its data comes. An error ends the thread, and with it the process: main logs it. */
export function enterThread(start: (data: ThreadData) => void): void {
  releaseMemoryWhenIdle();
  parentPort?.once('message', start);
}
