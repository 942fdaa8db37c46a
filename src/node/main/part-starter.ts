// Starts the parts of a node that write and copy: indexers, the merger and the snapshot thread, each in a thread of its own or in this one.
import { MessageChannel } from 'node:worker_threads';
import type { Store } from '../../store/store.ts';
import type { SharedArenas } from '../memory/shared-arenas.ts';
import { Channel } from '../messages/channel.ts';
import type { ArenaMessage } from '../messages/messages.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { startThread } from '../threads/start-thread.ts';
import type { ThreadData } from '../threads/thread.ts';
import { makePart, type NodePart } from './node-part.ts';
import { startHere } from './start-here.ts';

export type PartRole = 'indexer' | 'merger' | 'snapshots';

export interface PartEnvironment {
  readonly module: WebAssembly.Module;
  readonly store: Store;
  readonly arenas: SharedArenas;
  /** Run all parts in this thread. */
  readonly inProcess: boolean;
  /** Options of a thread that starts now. */
  readonly options: () => NodeOptions;
  readonly onStartError: (role: PartRole, error: Error) => void;
  readonly onThreadError: (role: PartRole, error: Error) => void;
}

/** A part with the function that starts it. Messages sent to it before wait in its port. */
export interface StartablePart<Out extends { readonly type: string }, In> {
  readonly part: NodePart<Out, In>;
  readonly run: () => void;
}

/** Connects a part, and gives it memory unless it is the snapshot thread. */
export function preparePart<Out extends { readonly type: string }, In>(
  { module, store, arenas, inProcess, options, onStartError, onThreadError }: PartEnvironment,
  { role, number, scratchBytes }: { role: PartRole; number: number; scratchBytes: number },
  handler: (message: In) => unknown,
): StartablePart<Out, In> {
  const { port1, port2 } = new MessageChannel();
  const channel = new Channel<Out | ArenaMessage, In>(port1, handler);
  const data: ThreadData = { role, number, port: port2, indexerPorts: [], module, options: options() };
  const part = makePart<Out, In>(channel, scratchBytes);
  if (role !== 'snapshots') arenas.add(part);
  const run = () => {
    if (inProcess) {
      startHere(data, store).catch((error) => onStartError(role, error));
    } else {
      part.worker = startThread(data);
      part.worker.on('error', (error) => onThreadError(role, error));
    }
  };
  return { part, run };
}
