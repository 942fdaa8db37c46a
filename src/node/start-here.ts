// Starts a part of the node in the calling thread. Loaded late: where parts have threads of their own, main needs none of these modules.
import type { Store } from '../store/store.ts';
import type { ThreadData } from './thread.ts';

/** @param store the environment of the calling thread */
export async function startHere({ role, port, module, options, number }: ThreadData, store: Store): Promise<void> {
  if (role === 'indexer') {
    const { Indexer } = await import('./indexer.ts');
    new Indexer(port, module, store, options, number);
  } else {
    const { Merger } = await import('./merger.ts');
    new Merger(port, module);
  }
}
