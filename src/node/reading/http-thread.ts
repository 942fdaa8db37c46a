// Starts the thread of an http worker.
import { Store } from '../../store/store.ts';
import { enterThread } from '../threads/enter-thread.ts';
import { startHttpWorker } from './http-worker.ts';

export function startHttpThread(): void {
  enterThread((data) => startHttpWorker(data, Store.open(data.options.dataPath)));
}
