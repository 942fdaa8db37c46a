// Entry of an indexer's thread. Modules of other parts are not loaded: threads stay small and start fast.
import { Store } from '../store/store.ts';
import { enterThread } from './enter-thread.ts';
import { Indexer } from './indexer.ts';

enterThread(({ port, module, options, number }) => new Indexer(port, module, Store.open(options.dataPath), options, number));
