// Starts the threads of lanes and connects them with main: arenas, metadata and snapshots. A lane receives the same messages as other
// readers, but may be busy, so its replies are not awaited. Its memory is released when its thread ends.
import { MessageChannel, type MessagePort, type TransferListItem, type Worker } from 'node:worker_threads';
import type { SharedArenas } from '../memory/shared-arenas.ts';
import type { SnapshotRegistry } from '../memory/snapshot-registry.ts';
import { Channel } from '../messages/channel.ts';
import type { ArenaMessage, FromReader, ToReader } from '../messages/messages.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { newThread } from '../threads/start-thread.ts';
import type { ThreadData } from '../threads/thread.ts';
import type { LaneEvents, LaneThread } from './lane-pool.ts';
import { LANE_WORDS, sealStore } from './store-lock.ts';

export interface LaneHostParts {
  readonly arenas: SharedArenas;
  readonly registry: SnapshotRegistry;
  readonly module: WebAssembly.Module;
  readonly options: NodeOptions;
  /** Ports to the indexers. */
  connect(): MessagePort[];
  /** Messages that bring a new reader up to date. */
  current(): readonly ToReader[];
  onMessage(reader: number, message: FromReader): unknown;
  /** A reader has responded to its request. */
  onAnswer(reader: number): void;
  /** A reader has ended. */
  onEnd(reader: number): void;
  readonly heapBytes: number;
}

/** Numbers of lanes as readers: above those of http workers. Each thread has its own. */
const FIRST_READER = 1 << 20;

/** A smaller young generation than that of other threads: it is kept while the lane is idle. */
const YOUNG_MB = 12;

interface Slot {
  readonly scratchBytes: number;
  readonly scratch: { arena: number; ptr: number; bytes: number }[];
  readonly arenas: ArenaMessage[];
  channel: Channel<ToReader, FromReader> | null;
  sendArena(message: ArenaMessage): void;
}

export class LaneHost {
  readonly #parts: LaneHostParts;
  readonly #slots: Slot[];
  #nextReader = FIRST_READER;

  /** @param lanes  each has a scratch region in every arena, which its threads use one after the other */
  constructor(parts: LaneHostParts, lanes: number, scratchBytes: number) {
    this.#parts = parts;
    this.#slots = Array.from({ length: lanes }, () => {
      const slot: Slot = {
        scratchBytes,
        scratch: [],
        arenas: [],
        channel: null,
        sendArena(message) {
          slot.arenas.push(message);
          slot.channel?.notify(message);
        },
      };
      parts.arenas.add(slot);
      return slot;
    });
  }

  /** Sends a message of all readers to the lanes. */
  inform(message: ToReader): void {
    for (const { channel } of this.#slots) channel?.notify(message);
  }

  start(number: number, events: LaneEvents): LaneThread {
    const { registry, module, options, heapBytes } = this.#parts;
    const slot = this.#slots[number];
    const reader = this.#nextReader++;
    const { port1, port2 } = new MessageChannel();
    const channel = new Channel<ToReader, FromReader>(port1, (message) => {
      if (message.type === 'laneTimeout') events.onTimeout(message.ms);
      else if (message.type === 'laneBegin') events.onBegin();
      else return this.#parts.onMessage(reader, message);
    });
    const signal = new SharedArrayBuffer(4 * LANE_WORDS);
    const words = new Int32Array(signal);
    const data: ThreadData = { role: 'lane', number, port: port2, indexerPorts: this.#parts.connect(), module, options, signal };
    const worker = newThread('lane', { maxOldGenerationSizeMb: heapBytes >> 20, maxYoungGenerationSizeMb: YOUNG_MB });
    worker.postMessage(data, [data.port, ...data.indexerPorts] as TransferListItem[]);
    slot.channel = channel;
    registry.addReader(reader);
    for (const message of slot.arenas) channel.notify(message);
    for (const message of this.#parts.current()) channel.notify(message);
    const ended = this.#watch(worker, events, () => {
      if (slot.channel === channel) slot.channel = null;
      channel.close();
      registry.removeReader(reader);
      this.#parts.arenas.ended(slot);
      this.#parts.onEnd(reader);
    });
    return {
      signal: words,
      run: async (request) => {
        const answer = await channel.request({ type: 'job', request }, request.body === null ? [] : [request.body.buffer as ArrayBuffer]);
        this.#parts.onAnswer(reader);
        return answer;
      },
      async end() {
        await sealStore(words);
        await worker.terminate();
        await ended;
      },
    };
  }

  /** @returns resolves when the thread has ended and `cleanUp` was called */
  #watch(worker: Worker, events: LaneEvents, cleanUp: () => void): Promise<void> {
    let failure: Error | null = null;
    worker.on('error', (error) => {
      failure = error;
    });
    return new Promise((resolve) => {
      worker.once('exit', () => {
        cleanUp();
        resolve();
        events.onExit(failure);
      });
    });
  }
}
