// Entry of the service process: `gannet serve` without its parent. Loads the rest of it when the first thread is on its way.
import { prestartThread } from '../node/start-thread.ts';

prestartThread('indexer');
import('./service-main.ts').then(({ runService }) => runService());
