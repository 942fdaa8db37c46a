/** What master and workers tell each other. */
import type { DirectiveNode } from '../config/syntax.ts';

export interface StartMessage {
  type: 'start';
  nodes: DirectiveNode[];
  prefix: string;
  confPrefix: string;
  /** error log of the command line (`-e`) */
  errorLog: string;
  /** descriptors of listening sockets, by socket key */
  fds: Record<string, number>;
  /** state of zones from before a reload, by `kind:name` */
  zones: Map<string, unknown>;
  index: number;
  /** certificates, keys and password files, by path */
  files: Map<string, Uint8Array>;
}

export type ToWorker = StartMessage | { type: 'quit' } | { type: 'reopen' } | { type: 'export' };

export type FromWorker =
  | { type: 'booted' }
  | { type: 'ready' }
  | { type: 'failed'; message: string }
  | { type: 'zones'; zones: Map<string, unknown> };
