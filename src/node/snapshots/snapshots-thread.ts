// Entry point of the snapshot thread.
import { Store } from '../../store/store.ts';
import { enterThread } from '../threads/enter-thread.ts';
import { SnapshotWorker } from './snapshot-worker.ts';

enterThread(({ port, options }) => {
  new SnapshotWorker(port, Store.open(options.dataPath), options);
});
