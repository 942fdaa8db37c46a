// The readers of a node, as seen by main: http workers, and the engine of a library.
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { LaneRequest, LaneResponse } from '../../rest/core/lane.ts';
import { Channel } from '../messages/channel.ts';
import type { FromReader, ToReader } from '../messages/messages.ts';
import { makePart, type NodePart } from './node-part.ts';

/** Connects a reader's thread with its ports, to main and to each indexer; null if the reader has no thread of its own. */
export type ConnectReader = (parts: { port: MessagePort; indexerPorts: MessagePort[] }) => Worker | null;

export class Readers {
  readonly #readers: NodePart<ToReader, FromReader>[] = [];

  /** @returns the reader's number and part */
  add(
    connect: ConnectReader,
    indexerPorts: MessagePort[],
    { scratchBytes, onMessage }: { scratchBytes: number; onMessage: (reader: number, message: FromReader) => unknown },
  ): { reader: number; part: NodePart<ToReader, FromReader> } {
    const reader = this.#readers.length;
    const { port1, port2 } = new MessageChannel();
    const channel = new Channel<ToReader, FromReader>(port1, (message) => onMessage(reader, message));
    const part = makePart<ToReader, FromReader>(channel, scratchBytes, connect({ port: port2, indexerPorts }));
    this.#readers.push(part);
    return { reader, part };
  }

  /** Sends messages to one reader. Resolves when it has handled all. */
  async send(reader: number, messages: readonly ToReader[]): Promise<void> {
    const { channel } = this.#readers[reader];
    await Promise.all(messages.map((message) => channel.request(message)));
  }

  /** The response of an http worker to a request that another node has passed on. */
  serve(request: LaneRequest): Promise<LaneResponse> {
    return this.#readers[0].channel.request({ type: 'serve', request });
  }

  /** Sends messages to every reader. Resolves when all have handled them. */
  async sendAll(messages: readonly ToReader[]): Promise<void> {
    await Promise.all(this.#readers.map((_, reader) => this.send(reader, messages)));
  }

  /** Waits for their threads, which end on their own: uWebSockets must close its listener in the turn in which its thread ends. */
  async stop(): Promise<void> {
    const ended = this.#readers.flatMap(({ worker }) => (worker ? [new Promise((resolve) => worker.once('exit', resolve))] : []));
    for (const { channel, worker } of this.#readers) if (worker) channel.notify({ type: 'exit' });
    await Promise.all(ended);
    for (const { channel } of this.#readers) channel.close();
  }
}
