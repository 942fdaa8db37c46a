// Starts worker threads. A thread loads its modules at once and receives its data in its first message (enter-thread.ts).
import { type ResourceLimits, type TransferListItem, Worker } from 'node:worker_threads';
import { threadLimits } from './heap-limits.ts';
import type { Role, ThreadData } from './thread.ts';

/** Files of the entry points. */
const FILES: Readonly<Record<Role, string>> = {
  indexer: 'indexer-thread',
  merger: 'merger-thread',
  snapshots: 'snapshots-thread',
  http: 'answering-thread',
  lane: 'answering-thread',
};

let spare: Worker | null = null;

/** A thread that has not received its data yet. @param limits  replace those of the process */
export function newThread(role: Role, limits: ResourceLimits = {}): Worker {
  const resourceLimits = { ...threadLimits(), ...limits };
  return new Worker(new URL(`../service/${FILES[role]}.js`, import.meta.url), { resourceLimits, workerData: role });
}

/** Uses `thread` for the next indexer, so that it loads while the node is being set up. */
export function useForIndexer(thread: Worker): void {
  spare = thread;
}

export function startThread(data: ThreadData): Worker {
  const thread = (data.role === 'indexer' && spare) || newThread(data.role);
  if (thread === spare) spare = null;
  thread.postMessage(data, [data.port, ...data.indexerPorts] as TransferListItem[]);
  return thread;
}

/** Ends a thread that was created for an indexer and is not needed. */
export function dropSpareThread(): void {
  spare?.terminate();
  spare = null;
}
