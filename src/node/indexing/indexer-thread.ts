// Entry point of an indexer's thread. It does not load modules of other parts, so that threads stay small and start fast.
import { Store } from '../../store/store.ts';
import { enterThread } from '../threads/enter-thread.ts';
import { Indexer } from './indexer.ts';

enterThread(({ port, module, options, number }) => new Indexer(port, module, Store.open(options.dataPath), options, number));
