// The client connections of an event loop: counted, numbered, and closed when the worker exits.
import { isIPv4, type Socket } from 'node:net';
import { loop } from '../../zone/memory.ts';
import type { ListenSocket, Request } from '../model/types.ts';
import { stats } from './stats.ts';

let connectionCount = 0;

/** A client connection as the worker sees it, independent of its protocol. */
export interface TrackedConnection {
  /** the request being processed */
  readonly request: Request | null;
  /** a request head has begun to arrive */
  readonly hasPartialHead: boolean;
  /** closes at once, or when the current request is done */
  closeWhenIdle(): void;
  destroy(): void;
}
/** open connections of this event loop; a graceful exit closes the idle ones */
export const connections = new Set<TrackedConnection>();
let exitingNow = false;
/** the worker accepts no further requests */
export const exiting = (): boolean => exitingNow;
let onLastClosed: (() => void) | null;

/** Graceful exit: closes idle connections now, and busy ones after their request. */
export function beginExit(done: () => void): void {
  exitingNow = true;
  onLastClosed = done;
  if (connections.size === 0) done();
  for (const conn of [...connections]) conn.closeWhenIdle();
}

export function opened(conn: TrackedConnection): void {
  connections.add(conn);
  stats.connectionOpened();
}

export function closed(conn: TrackedConnection): void {
  if (forget(conn)) stats.connectionClosed();
}

function forget(conn: TrackedConnection): boolean {
  if (!connections.delete(conn)) return false;
  if (exitingNow && connections.size === 0) setImmediate(() => onLastClosed?.());
  return true;
}

/** A connection whose protocol is not known yet, such as during a TLS handshake: it counts, and a graceful exit waits for it. */
export class Arrival implements TrackedConnection {
  readonly request = null;
  readonly hasPartialHead = false;
  #target: { destroy(): unknown };

  constructor(target: { destroy(): unknown }) {
    this.#target = target;
    connections.add(this);
  }

  /** Continues as a socket, until that is closed. */
  follow(socket: Socket): void {
    this.#target = socket;
    socket.once('close', () => this.over());
  }

  /** It is closed, or counts as another connection by now. */
  over(): void {
    forget(this);
  }

  closeWhenIdle(): void {}

  destroy(): void {
    this.#target.destroy();
    this.over();
  }
}

/** Identity and addresses of a connection. */
export interface Origin {
  id: number;
  startMs: number;
  remoteAddr: string;
  remotePort: number;
  localAddr: string;
  localPort: number;
}

/** A number for a connection, unique among event loops. */
export const nextConnectionId = (): number => connectionCount++ * loop.count + loop.index + 1;

export function originOf(socket: Socket, listen: ListenSocket): Origin {
  // asking the system costs a call for each connection
  const fixed = isIPv4(listen.host) && listen.host !== '0.0.0.0';
  return {
    id: nextConnectionId(),
    startMs: Date.now(),
    remoteAddr: listen.path ? 'unix:' : plainAddress(socket.remoteAddress ?? ''),
    remotePort: socket.remotePort ?? 0,
    localAddr: listen.path ? `unix:${listen.path}` : fixed ? listen.host : plainAddress(socket.localAddress ?? ''),
    localPort: fixed ? listen.port : (socket.localPort ?? 0),
  };
}

/** Shows IPv4-mapped addresses of dual-stack sockets as IPv4. */
const plainAddress = (address: string): string => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);
