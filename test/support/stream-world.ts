// A stream on several servers that disagree about it, in memory: a server that is killed stores messages again when it returns, a change of the leader
// may let two messages after the same one pass, answers are lost, and consumers read the copy of any server.
import { logUnreachableError, type Published } from '../../src/cluster/log-subject.ts';
import type { StreamMessage, StreamReader } from '../../src/cluster/stream-subject.ts';
import type { Rng } from './rng.ts';

interface Stored {
  readonly sequence: number;
  /** Null for another subject of the stream. */
  readonly message: Omit<StreamMessage, 'sequence'> | null;
}

interface Consumer {
  at: number;
  readonly server: number;
  readonly deliver: (message: StreamMessage) => Promise<void>;
  readonly end: (error?: Error) => void;
}

/** How often each thing happens, in percent of the requests. */
export interface StreamFaults {
  readonly lostAnswers: number;
  readonly repeats: number;
  readonly elections: number;
  readonly conflicts: number;
}

export class StreamWorld {
  readonly #rng: Rng;
  readonly #faults: StreamFaults;
  readonly #servers: Stored[][];
  #leader = 0;
  #consumers = new Set<Consumer>();
  /** A clock that requests and elections move on. */
  nowMs = 0;
  repeated = 0;
  conflicts = 0;
  requests = 0;

  constructor(rng: Rng, faults: StreamFaults, servers = 3) {
    this.#rng = rng;
    this.#faults = faults;
    this.#servers = Array.from({ length: servers }, () => []);
  }

  #happens(percent: number): boolean {
    return this.#rng.int(1, 100) <= percent;
  }

  /** What may happen between two requests. */
  async #pass(): Promise<void> {
    this.requests++;
    await new Promise((resolve) => setImmediate(resolve));
    this.nowMs++;
    if (this.#happens(this.#faults.repeats)) this.#repeat();
    if (this.#happens(this.#faults.elections)) this.#elect(this.#rng.int(0, this.#servers.length - 1));
  }

  #elect(leader: number): void {
    this.#leader = leader;
    this.nowMs += 4000;
  }

  /** A killed server returns, and stores its last messages again. Its consumers are lost. */
  #repeat(): void {
    const at = this.#rng.int(0, this.#servers.length - 1);
    const server = this.#servers[at];
    if (at === this.#leader) this.#elect((at + 1) % this.#servers.length);
    for (const { message } of server.slice(-this.#rng.int(1, 5))) this.#store(server, message);
    this.repeated++;
    for (const consumer of this.#consumers) if (consumer.server === at) consumer.end(new Error('lost'));
  }

  #store(server: Stored[], message: Stored['message']): number {
    const sequence = (server.at(-1)?.sequence ?? 0) + 1;
    server.push({ sequence, message });
    return sequence;
  }

  #storeEverywhere(message: Stored['message']): number {
    const sequences = this.#servers.map((server) => this.#store(server, message));
    for (const consumer of this.#consumers) this.#run(consumer);
    return sequences[this.#leader];
  }

  #messages(server: number): StreamMessage[] {
    return this.#servers[server].flatMap(({ sequence, message }) => (message === null ? [] : [{ ...message, sequence }]));
  }

  async #request(): Promise<void> {
    await this.#pass();
    if (this.#happens(this.#faults.lostAnswers)) throw logUnreachableError('the stream');
  }

  /** The messages of the log, each once, as every reader must see them. */
  log(): string[] {
    const ids: string[] = [];
    for (const { number, id } of this.#messages(this.#leader)) if (number === ids.length + 1) ids.push(id);
    return ids;
  }

  reader(): StreamReader {
    return {
      read: async (from) => {
        await this.#request();
        return this.#messages(this.#leader).find(({ sequence }) => sequence >= from) ?? null;
      },
      readLast: async () => {
        await this.#request();
        return this.#messages(this.#leader).at(-1) ?? null;
      },
      append: (message, expected) => this.#append(message, expected),
      consume: (from, deliver, onStart) => this.#consume(from, deliver, onStart),
      purge: async (before) => {
        await this.#request();
        for (const server of this.#servers) while (server.length > 0 && server[0].sequence < before) server.shift();
      },
    };
  }

  async #append(message: Omit<StreamMessage, 'sequence'>, expected: number): Promise<Published> {
    await this.#pass();
    if (this.#happens(20)) this.#storeEverywhere(null);
    const last = this.#messages(this.#leader).at(-1);
    if ((last?.sequence ?? 0) !== expected) {
      const isConflict = last?.number === message.number && this.#happens(this.#faults.conflicts);
      if (!isConflict) return this.#happens(this.#faults.lostAnswers) ? 'unknown' : 'stale';
      this.conflicts++;
    }
    if (this.#happens(this.#faults.lostAnswers) && this.#happens(50)) return 'unknown';
    const sequence = this.#storeEverywhere(message);
    return this.#happens(this.#faults.lostAnswers) ? 'unknown' : sequence;
  }

  async #consume(from: number, deliver: Consumer['deliver'], onStart: (stop: () => void) => void): Promise<void> {
    await this.#pass();
    const server = this.#rng.int(0, this.#servers.length - 1);
    await new Promise<void>((resolve, reject) => {
      const consumer: Consumer = {
        at: from,
        server,
        deliver,
        end: (error) => {
          this.#consumers.delete(consumer);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      this.#consumers.add(consumer);
      onStart(() => consumer.end());
      this.#run(consumer);
    });
  }

  readonly #running = new Set<Consumer>();

  async #run(consumer: Consumer): Promise<void> {
    if (this.#running.has(consumer)) return;
    this.#running.add(consumer);
    try {
      for (;;) {
        const next = this.#messages(consumer.server).find(({ sequence }) => sequence >= consumer.at);
        if (next === undefined || !this.#consumers.has(consumer)) return;
        consumer.at = next.sequence + 1;
        await consumer.deliver(next);
      }
    } catch (error) {
      consumer.end(error as Error);
    } finally {
      this.#running.delete(consumer);
    }
  }
}
