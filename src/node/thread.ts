// Entry of every worker thread: the role and its parts come as worker data.
import { type MessagePort, workerData } from 'node:worker_threads';
import { Store } from '../store/store.ts';
import type { NodeOptions } from './node-options.ts';

export interface ThreadData {
  readonly role: 'indexer' | 'merger' | 'http';
  readonly number: number;
  /** To main. */
  readonly port: MessagePort;
  /** To each indexer; readers only. */
  readonly indexerPorts: readonly MessagePort[];
  readonly module: WebAssembly.Module;
  readonly options: NodeOptions;
}

/**
 * Starts the part of the node that `data` names in this thread. Modules of other roles are not loaded: threads stay small and start fast.
 * @param store the environment that this thread has open already, if it has
 */
export async function startRole(data: ThreadData, store?: Store): Promise<void> {
  const { role, port, module, options, number } = data;
  if (role === 'indexer') {
    const { Indexer } = await import('./indexer.ts');
    new Indexer(port, module, store ?? Store.open(options.dataPath), options, number);
  } else if (role === 'merger') {
    const { Merger } = await import('./merger.ts');
    new Merger(port, module);
  } else {
    const { startHttpWorker } = await import('./http-worker.ts');
    startHttpWorker(data, store ?? Store.open(options.dataPath));
  }
}

if (workerData?.gannetRole) {
  // A rejection ends the thread, and with it the process: main logs it.
  startRole(workerData.gannetRole as ThreadData).catch((error) => {
    throw error;
  });
}
