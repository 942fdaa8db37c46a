// Starts a part of the node in the calling thread. The modules are loaded on demand, since main does not need them if parts have their own threads.
import type { Store } from '../../store/store.ts';
import type { ThreadData } from '../threads/thread.ts';

/** @param store  the LMDB environment opened in the calling thread */
export async function startHere({ role, port, module, options, number }: ThreadData, store: Store): Promise<void> {
  if (role === 'indexer') {
    const { Indexer } = await import('../indexing/indexer.ts');
    new Indexer(port, module, store, options, number);
  } else if (role === 'snapshots') {
    const { SnapshotWorker } = await import('../snapshots/snapshot-worker.ts');
    new SnapshotWorker(port, store, options);
  } else {
    const { Merger } = await import('../indexing/merger.ts');
    new Merger(port, module);
  }
}
