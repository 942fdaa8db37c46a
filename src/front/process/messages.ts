/** What master and workers tell each other, and the event loops of one worker. */
import type { DirectiveNode } from '../config/syntax.ts';

export interface StartMessage {
  type: 'start';
  nodes: DirectiveNode[];
  prefix: string;
  confPrefix: string;
  /** error log of the command line (`-e`) */
  errorLog: string;
  /** descriptors of listening sockets by socket key, for each event loop its own */
  fds: Record<string, number>[];
  /** state of zones from before a reload, by `kind:name` */
  zones: Map<string, unknown>;
  /** certificates, keys and password files, by path */
  files: Map<string, Uint8Array>;
}

export type ToWorker = StartMessage | { type: 'quit' } | { type: 'reopen' } | { type: 'export' };

export type FromWorker =
  | { type: 'booted' }
  | { type: 'ready' }
  | { type: 'failed'; message: string }
  | { type: 'zones'; zones: Map<string, unknown> };

/** What the main thread of a worker process gives a further event loop. */
export interface LoopData {
  start: StartMessage;
  index: number;
  count: number;
  memories: Map<string, SharedArrayBuffer>;
}

/** `listen` is told once all loops have read the configuration and privileges are dropped. */
export type ToLoop = { type: 'listen' } | { type: 'quit' } | { type: 'reopen' };

export type FromLoop = { type: 'built' } | { type: 'ready' } | { type: 'failed'; message: string };
