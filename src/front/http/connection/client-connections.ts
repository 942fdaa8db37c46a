// The connections of clients of an event loop: counted, told apart, and closed when the worker ends.
import type { Socket } from 'node:net';
import { loop } from '../../zone/memory.ts';
import type { ListenSocket, Request } from '../model/types.ts';
import { stats } from './stats.ts';

let connectionCount = 0;

/** A client's connection as the worker sees it, whatever protocol is spoken on it. */
export interface TrackedConnection {
  /** a request that is being worked on */
  readonly request: Request | undefined;
  /** a request head has begun to arrive */
  readonly hasPartialHead: boolean;
  /** closes at once, or at the end of what is under way */
  closeWhenIdle(): void;
  destroy(): void;
}
/** open connections of this event loop; a graceful end closes the idle ones */
export const connections = new Set<TrackedConnection>();
let exitingNow = false;
/** the worker takes no further requests */
export const exiting = (): boolean => exitingNow;
let onLastClosed: (() => void) | undefined;

/** Graceful end: idle connections are closed, busy ones after their request. */
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
  if (!connections.delete(conn)) return;
  stats.connectionClosed();
  if (exitingNow && connections.size === 0) setImmediate(() => onLastClosed?.());
}

/** What requests ask of the connection they came on. */
export interface Origin {
  id: number;
  startMs: number;
  remoteAddr: string;
  remotePort: number;
  localAddr: string;
  localPort: number;
}

export function originOf(socket: Socket, listen: ListenSocket): Origin {
  return {
    // no two event loops give the same
    id: connectionCount++ * loop.count + loop.index + 1,
    startMs: Date.now(),
    remoteAddr: listen.path ? 'unix:' : plainAddress(socket.remoteAddress ?? ''),
    remotePort: socket.remotePort ?? 0,
    localAddr: listen.path ? `unix:${listen.path}` : plainAddress(socket.localAddress ?? ''),
    localPort: socket.localPort ?? 0,
  };
}

/** IPv4 addresses of a dual-stack socket lose their IPv6 clothing. */
const plainAddress = (address: string): string => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);
