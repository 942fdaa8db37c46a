// Starts the thread of the first indexer before anything else is loaded, if the service crashed: its log contains writes then, and recovery waits
// for this thread. Otherwise the thread starts once main has answered the first requests.
import { newThread } from '../../node/threads/start-thread.ts';

export const indexerThread = process.env._GANNET_RESTARTED ? newThread('indexer') : null;
