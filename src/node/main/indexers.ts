// The indexers of a node, as seen by main. They start after the first requests are answered, which the start of their threads would delay.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Channel } from '../messages/channel.ts';
import type { FromIndexer, ToIndexer } from '../messages/messages.ts';
import { type PartEnvironment, preparePart, type StartablePart } from './part-starter.ts';

/** Scratch region of an indexer in each arena, for id look-ups and reading values. */
const SCRATCH_BYTES = 8 << 20;
/** Delay between readers being ready and indexers starting. */
const START_AFTER_MS = 20;

type IndexerChannel = Channel<ToIndexer, FromIndexer>;

export class Indexers {
  readonly #indexers: StartablePart<ToIndexer, FromIndexer>[] = [];
  #isRunning = false;
  #startTimer: NodeJS.Timeout | undefined;

  /** Prepares `count` indexers. Messages sent to them before they run wait in their ports. */
  prepare(count: number, environment: PartEnvironment, handler: (message: FromIndexer) => unknown): void {
    for (let number = 0; number < count; number++)
      this.#indexers.push(preparePart(environment, { role: 'indexer', number, scratchBytes: SCRATCH_BYTES }, handler));
  }

  /** Starts them if they do not run yet. */
  run(): void {
    clearTimeout(this.#startTimer);
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (const { run } of this.#indexers) run();
  }

  runLater(): void {
    this.#startTimer = setTimeout(() => this.run(), START_AFTER_MS);
  }

  get channels(): IndexerChannel[] {
    return this.#indexers.map(({ part }) => part.channel);
  }

  channel(number: number): IndexerChannel {
    return this.#indexers[number].part.channel;
  }

  /** @returns a new port to each indexer */
  connect(): MessagePort[] {
    return this.channels.map((channel) => {
      const link = new MessageChannel();
      channel.notify({ type: 'connect', port: link.port1 }, [link.port1]);
      return link.port2;
    });
  }

  /** Flushes and closes their shards; the indexers end with their threads. */
  async stop(): Promise<void> {
    this.run();
    await Promise.allSettled(this.channels.map((channel) => channel.request({ type: 'stop' })));
  }

  async end(): Promise<void> {
    for (const channel of this.channels) channel.close();
    await Promise.all(this.#indexers.map(({ part }) => part.worker?.terminate()));
  }
}
