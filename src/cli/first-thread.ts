// The first indexer's thread, started before anything else is loaded where it will be waited for: a service that died has left writes in its
// log. Otherwise it starts when main has answered the first requests.
import { newThread } from '../node/start-thread.ts';

export const indexerThread = process.env._GANNET_RESTARTED ? newThread('indexer') : null;
