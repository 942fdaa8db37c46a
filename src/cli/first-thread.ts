// The first indexer's thread, which a start waits for longest, started before anything else is loaded.
import { newThread } from '../node/start-thread.ts';

export const indexerThread = newThread('indexer');
