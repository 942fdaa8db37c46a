// Messages between the master and worker processes, and between the event loops of a worker.
import type { DirectiveNode } from '../config/syntax.ts';

/** Exit status of a worker that could not start. It would fail again, so the master does not replace it. */
export const FATAL_EXIT_CODE = 2;

export interface StartMessage {
  type: 'start';
  nodes: DirectiveNode[];
  prefix: string;
  confPrefix: string;
  /** Error log of the command line (`-e`). */
  errorLog: string;
  /** Descriptors of listening sockets by socket key, one list per event loop. */
  fds: Record<string, number>[];
  /** State of zones from before a reload, by `kind:name`. */
  zones: Map<string, unknown>;
  /** Certificates, keys and password files, by path. */
  files: Map<string, Uint8Array>;
}

export type ToWorker = StartMessage | { type: 'quit' } | { type: 'reopen' } | { type: 'export' };

export type FromWorker =
  | { type: 'booted' }
  | { type: 'ready' }
  | { type: 'failed'; message: string }
  | { type: 'zones'; zones: Map<string, unknown> };

/** Data for an additional event loop from the main thread of a worker process. */
export interface LoopData {
  start: StartMessage;
  index: number;
  count: number;
  memories: Map<string, SharedArrayBuffer>;
}

/** `listen` is sent once all loops have read the configuration and privileges are dropped. */
export type ToLoop = { type: 'listen' } | { type: 'quit' } | { type: 'reopen' };

export type FromLoop = { type: 'built' } | { type: 'ready' } | { type: 'failed'; message: string };
