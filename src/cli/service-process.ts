// Entry of the service process: `gannet serve` without its parent. Heap bounds and a thread that will be waited for come before the rest is loaded.
import './heap-flags.ts';
import { indexerThread } from './first-thread.ts';
import { runService } from './service-main.ts';

runService(indexerThread);
