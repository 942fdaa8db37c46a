// Starts worker threads. A thread is given its role at once, so that it can load, and its parts in its first message (thread.ts).
import { type TransferListItem, Worker } from 'node:worker_threads';
import type { Role, ThreadData } from './thread.ts';

let spare: { readonly role: Role; readonly worker: Worker } | null = null;

/** Starts a thread that loads while its parts are made: the next one of this role to be started. */
export function prestartThread(role: Role): void {
  spare = { role, worker: newWorker(role) };
}

export function startThread(data: ThreadData): Worker {
  const worker = spare?.role === data.role ? spare.worker : newWorker(data.role);
  if (spare?.worker === worker) spare = null;
  worker.postMessage(data, [data.port, ...data.indexerPorts] as TransferListItem[]);
  return worker;
}

/** Ends a prestarted thread that is not needed. */
export function dropSpareThread(): void {
  spare?.worker.terminate();
  spare = null;
}

function newWorker(role: Role): Worker {
  return new Worker(new URL('../service/thread.js', import.meta.url), { workerData: { gannetRole: role } });
}
