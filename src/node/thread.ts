// The parts of a node that may run in threads of their own.
import type { MessagePort } from 'node:worker_threads';
import type { NodeOptions } from './node-options.ts';

export type Role = 'indexer' | 'merger' | 'http';

/** What a part is made of: the first message to its thread. */
export interface ThreadData {
  readonly role: Role;
  readonly number: number;
  /** To main. */
  readonly port: MessagePort;
  /** To each indexer; readers only. */
  readonly indexerPorts: readonly MessagePort[];
  readonly module: WebAssembly.Module;
  readonly options: NodeOptions;
}
