// Entry of every worker thread: the role comes as worker data, its parts as the first message.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Store } from '../store/store.ts';
import { releaseMemoryWhenIdle } from './idle-memory.ts';
import type { NodeOptions } from './node-options.ts';

export type Role = 'indexer' | 'merger' | 'http';

export interface ThreadData {
  readonly role: Role;
  readonly number: number;
  /** To main. */
  readonly port: MessagePort;
  /** To each indexer; readers only. */
  readonly indexerPorts: readonly MessagePort[];
  readonly module: WebAssembly.Module;
  readonly options: NodeOptions;
}

/**
 * Starts the part of the node that `data` names in this thread.
 * @param store the environment that this thread has open already, if it has
 */
export async function startRole(data: ThreadData, store?: Store): Promise<void> {
  (await loadRole(data.role))(data, store);
}

/** Modules of other roles are not loaded: threads stay small and start fast. */
async function loadRole(role: Role): Promise<(data: ThreadData, store?: Store) => void> {
  if (role === 'indexer') {
    const { Indexer } = await import('./indexer.ts');
    return ({ port, module, options, number }, store) =>
      void new Indexer(port, module, store ?? Store.open(options.dataPath), options, number);
  }
  if (role === 'merger') {
    const { Merger } = await import('./merger.ts');
    return ({ port, module }) => void new Merger(port, module);
  }
  const { startHttpWorker } = await import('./http-worker.ts');
  return (data, store) => void startHttpWorker(data, store ?? Store.open(data.options.dataPath));
}

const role = workerData?.gannetRole as Role | undefined;
if (role) {
  releaseMemoryWhenIdle();
  const start = loadRole(role);
  // A rejection ends the thread, and with it the process: main logs it.
  parentPort?.once('message', async (data: ThreadData) => (await start)(data));
}
