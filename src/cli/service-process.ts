// Entry of the service process: `gannet serve` without its parent. The rest of it loads when the first thread is on its way.
import { indexerThread } from './first-thread.ts';
import { runService } from './service-main.ts';

runService(indexerThread);
