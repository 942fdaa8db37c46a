// Entry point of the merger's thread.
import { enterThread } from '../threads/enter-thread.ts';
import { Merger } from './merger.ts';

enterThread(({ port, module }) => new Merger(port, module));
