// Entry point of an http worker's thread.
import { Store } from '../../store/store.ts';
import { enterThread } from '../threads/enter-thread.ts';
import { startHttpWorker } from './http-worker.ts';

enterThread((data) => startHttpWorker(data, Store.open(data.options.dataPath)));
