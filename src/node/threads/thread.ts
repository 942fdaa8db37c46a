// The parts of a node that may run in their own threads.
import type { MessagePort } from 'node:worker_threads';
import type { NodeOptions } from './node-options.ts';

export type Role = 'indexer' | 'merger' | 'snapshots' | 'http' | 'lane';

/** Data of a part: the first message to its thread. */
export interface ThreadData {
  readonly role: Role;
  readonly number: number;
  /** Port to main. */
  readonly port: MessagePort;
  /** Ports to the indexers; empty for other parts than readers. */
  readonly indexerPorts: readonly MessagePort[];
  readonly module: WebAssembly.Module;
  readonly options: NodeOptions;
  /** Readers: i32[1], not 0 while no lane is free. */
  readonly laneLoad?: SharedArrayBuffer;
  /** Lanes: i32[2], by which main ends a request (src/node/lanes/signal.ts) and the thread (src/node/lanes/store-lock.ts). */
  readonly signal?: SharedArrayBuffer;
}
