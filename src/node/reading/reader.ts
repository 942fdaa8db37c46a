// A reader: the part of a node that searches. Each http worker has one, and so does a program that opens the engine as a library.

import type { MessagePort } from 'node:worker_threads';
import type { LogLevel } from '../../common/log/logger.ts';
import type { Helpers, Lanes, Peers } from '../../rest/core/lane.ts';
import { provideDocumentIndexer } from '../../search/shard/document-segment.ts';
import { SecurityRecords } from '../../security/records.ts';
import type { Store } from '../../store/store.ts';
import { ThreadArenas } from '../memory/arenas.ts';
import { ReaderSnapshots } from '../memory/reader-snapshots.ts';
import { Channel } from '../messages/channel.ts';
import type { FromReader, ReaderCommand, ShardRequest, ToReader } from '../messages/messages.ts';
import { IndexStates } from '../metadata/index-states.ts';
import { decodeChange } from '../metadata/state-encoding.ts';
import { provideCompilerOfStoredQueries } from '../metadata/stored-queries.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { makeDocumentIndexer } from './document-segments.ts';
import { ReaderContext } from './engine-context.ts';
import { LifecycleRunner } from './lifecycle-runner.ts';

export class Reader {
  readonly context: ReaderContext;
  readonly #main: Channel<FromReader, ToReader>;
  readonly #indexers: readonly Channel<ShardRequest, never>[];
  /** null in readers that do not carry out lifecycles. */
  readonly #lifecycles: LifecycleRunner | null;

  /**
   * @param onCommand  handles the commands of main: start, stop, exit, reopenLogs
   * @param runsLifecycles  true for one reader of a node
   */
  constructor(
    parts: { port: MessagePort; indexerPorts: readonly MessagePort[]; module: WebAssembly.Module; options: NodeOptions; store: Store },
    onCommand: (message: ReaderCommand) => unknown,
    runsLifecycles = false,
  ) {
    const arenas = new ThreadArenas(parts.module);
    provideDocumentIndexer(makeDocumentIndexer(parts.module));
    provideCompilerOfStoredQueries();
    const records = new SecurityRecords();
    const snapshots = new ReaderSnapshots(
      arenas,
      (extents) => this.#main.notify({ type: 'release', extents }),
      ({ uuid, shard }, reason) => this.#main.notify({ type: 'damagedSegment', uuid, shard, reason }),
    );
    this.#main = new Channel<FromReader, ToReader>(parts.port, (message) => {
      switch (message.type) {
        case 'arena':
          return arenas.add(message);
        case 'state':
          this.context.update(message.state, message.placements);
          return this.#lifecycles?.update();
        case 'stateChange':
          this.context.change(decodeChange(message.change), message.placements);
          return this.#lifecycles?.update();
        case 'stop':
          return this.stopLifecycles().then(() => onCommand(message));
        case 'cluster':
          this.context.useNodes(message);
          return this.#lifecycles?.update();
        case 'security':
          return records.apply(message.changes);
        case 'snapshot':
          return snapshots.publish(message.snapshot);
        default:
          return onCommand(message);
      }
    });
    parts.store.onDamage = (log, reason) => this.#main.notify({ type: 'damaged', log, reason });
    this.#indexers = parts.indexerPorts.map((port) => new Channel<ShardRequest, never>(port, () => undefined));
    const states = new IndexStates(parts.options);
    const { options, store } = parts;
    this.context = new ReaderContext({ options, store, states, snapshots, records, main: this.#main, indexers: this.#indexers });
    this.#lifecycles = runsLifecycles ? new LifecycleRunner(this.context, (level, message) => this.log(level, message)) : null;
  }

  /** Stops carrying out lifecycles. Commands of main fail after that. */
  stopLifecycles(): Promise<void> {
    return this.#lifecycles?.stop() ?? Promise.resolve();
  }

  /** The lanes of the node. @param shared  i32[1], not 0 while no lane is free */
  lanes(shared: SharedArrayBuffer | undefined): Lanes {
    const load = shared ? new Int32Array(shared) : null;
    return {
      run: (request) => {
        const body = request.body === null ? null : wholeBuffer(request.body);
        return this.#main.request({ type: 'lane', request: { ...request, body } }, body === null ? [] : [body.buffer]);
      },
      areBusy: () => load !== null && Atomics.load(load, 0) !== 0,
      cancel: (id) => this.#main.notify({ type: 'laneCancel', id }),
    };
  }

  /** The other lanes, for a lane. */
  readonly helpers: Helpers = { help: (request) => this.#main.request({ type: 'help', request }) };

  /** The other nodes of the cluster. */
  readonly peers: Peers = { forward: (node, request) => this.#main.request({ type: 'forward', node, request }) };

  notify(message: FromReader): void {
    this.#main.notify(message);
  }

  log(level: LogLevel, message: string): void {
    this.#main.notify({ type: 'log', level, message });
  }

  close(): void {
    for (const channel of this.#indexers) channel.close();
    this.#main.close();
  }
}

/** The bytes in a buffer that contains nothing else, so that it can be transferred to another thread. */
function wholeBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
