// A part of the node, as seen by main: an indexer, a reader or the merger, in this thread or in a thread of its own.
import type { Worker } from 'node:worker_threads';
import type { ArenaUser } from '../memory/shared-arenas.ts';
import type { Channel } from '../messages/channel.ts';
import type { ArenaMessage } from '../messages/messages.ts';

export interface NodePart<Out extends { readonly type: string }, In> extends ArenaUser {
  readonly channel: Channel<Out | ArenaMessage, In>;
  /** null if the part runs in this thread or its thread has not started yet. */
  worker: Worker | null;
}

export function makePart<Out extends { readonly type: string }, In>(
  channel: Channel<Out | ArenaMessage, In>,
  scratchBytes: number,
  worker: Worker | null = null,
): NodePart<Out, In> {
  return { channel, scratchBytes, scratch: [], worker, sendArena: (message) => channel.notify(message) };
}
