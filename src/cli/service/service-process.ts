// Entry of the service process, the child of bin/gannet. The order of the imports counts: heap flags, then the thread that recovery may wait for.
import './heap-flags.ts';
import { indexerThread } from './first-thread.ts';
import { runService } from './service-main.ts';

runService(indexerThread);
