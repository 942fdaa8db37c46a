// Connections as handles of the system, before node:net wraps them in sockets. Sockets made here are cheaper than those of node:net: one
// buffer for all reads of plain HTTP, and TLS without a plain socket below it. If node:net has other internals than expected, `takeHandles`
// does nothing.

import type { Server as NetServer, OnReadOpts } from 'node:net';
import { holdingClock } from './clock.ts';
import { internalsOf } from './stream-binding.ts';

interface AddressOut {
  address?: string;
  port?: number;
}

/** A connection of a client: TCPWrap or PipeWrap. The latter (unix domain sockets) has no addresses. */
export interface ClientHandle {
  setNoDelay?(on: boolean): void;
  setKeepAlive?(on: boolean, idleSeconds: number): void;
  getpeername?(out: AddressOut): number;
  getsockname?(out: AddressOut): number;
  /** receives what `readStart` reads; the byte count is in `streamBaseState` */
  onread: (data: ArrayBuffer | undefined) => void;
  reading: boolean;
  readStart(): number;
  close(): void;
}

/** The part of a listening handle that node:net sets: called for each connection. */
interface ListenHandle {
  onconnection(error: number, client: ClientHandle | undefined): void;
}

/** Passes new connections to `take` instead of making sockets of them. */
export function takeHandles(server: NetServer, take: (client: ClientHandle) => void): void {
  const handle = internalsOf<{ _handle: Partial<ListenHandle> }>(server)._handle;
  if (typeof handle?.onconnection !== 'function') return;
  handle.onconnection = (error, client) => {
    if (error || !client) return;
    client.setNoDelay?.(true);
    take(client);
  };
}

export function localAddressOf(client: ClientHandle): string {
  const out: AddressOut = {};
  client.getsockname?.(out);
  return out.address ?? '';
}

export function peerOf(client: ClientHandle): { remoteAddr: string; localPort: number } {
  const far: AddressOut = {};
  const near: AddressOut = {};
  client.getpeername?.(far);
  client.getsockname?.(near);
  return { remoteAddr: far.address ?? '', localPort: near.port ?? 0 };
}

const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
/** Receives what its socket read into the shared buffer. */
interface ReadTarget {
  onRead(buffer: Buffer, count: number): void;
}

const takeRead = (conn: ReadTarget, count: number): void => conn.onRead(readBuffer, count);

/**
 * Makes all sockets read into one buffer. node:net offers that (`onread`) to outgoing connections only, and otherwise allocates
 * 64 KB for each read [97 k -> 130 k responses per CPU second].
 */
export class SharedReads {
  /** receives the bytes */
  conn: ReadTarget | undefined;

  readonly options: OnReadOpts = {
    buffer: readBuffer,
    callback: (count: number): boolean => {
      if (this.conn) holdingClock(takeRead, this.conn, count);
      return true;
    },
  };
}
