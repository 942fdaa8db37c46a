// Starts worker threads. A thread loads at once and is given its parts in its first message (enter-thread.ts).
import { type TransferListItem, Worker } from 'node:worker_threads';
import { threadLimits } from './heap-limits.ts';
import type { Role, ThreadData } from './thread.ts';

let spare: Worker | null = null;

/** A thread that nobody has given its part yet. */
export function newThread(role: Role): Worker {
  return new Worker(new URL(`../service/${role}-thread.js`, import.meta.url), { resourceLimits: threadLimits() });
}

/** `thread` becomes the next indexer: it loads while its parts are made. */
export function useForIndexer(thread: Worker): void {
  spare = thread;
}

export function startThread(data: ThreadData): Worker {
  const thread = (data.role === 'indexer' && spare) || newThread(data.role);
  if (thread === spare) spare = null;
  thread.postMessage(data, [data.port, ...data.indexerPorts] as TransferListItem[]);
  return thread;
}

/** Ends a thread that was made for an indexer and is not needed. */
export function dropSpareThread(): void {
  spare?.terminate();
  spare = null;
}
