// A client's connection: TLS, the bytes read before the back end is chosen, and sending.
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { holdingClock } from '../../http/wire/clock.ts';
import { setDeadline, type Timed, unwatch, watch } from '../../http/wire/deadlines.ts';
import { DirectWriter } from '../../http/wire/direct-writer.ts';
import { type HandleSocket, handleOf } from '../../http/wire/handle-socket.ts';
import { originOf } from '../http/connection/client-connections.ts';
import type { ListenSocket, ProxyInfo, TlsInfo, VirtualHosts } from '../http/model/types.ts';
import { AGAIN } from '../http/request/codes.ts';
import { ReadBuffers } from '../http/upstream/connection/read-buffers.ts';
import { streamCore } from './core.ts';
import { type ClientStream, STATUS, type StreamMain } from './model.ts';
import { BaseSession } from './session.ts';

const takeRead = (socket: HandleSocket, data: Buffer): void => {
  socket.emit('data', data);
};

/** Bytes; smaller writes never make a socket ask for a pause (its high-water mark). */
const DIRECT_MAX = 16 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

/** Makes a client's connection secure (tls-session.ts, which is loaded only if the configuration needs it). */
export type Securer = (session: TcpSession, raw: Socket) => void;

export class TcpSession extends BaseSession implements ClientStream, Timed {
  readonly udp = false;
  socket: Socket;
  deadlineMs = Infinity;
  /** the TLS handshake is over */
  isSecure = false;
  #preread: Buffer = EMPTY;
  #prereading = false;
  /** the socket belongs to another server */
  #released = false;
  /** writes small parts to a plain connection */
  #direct: DirectWriter | null = null;
  onFlushed: (() => void) | null = null;
  /** memory that bytes of a HandleSocket are read into; null if `data` brings memory of its own */
  readonly buffers: ReadBuffers | null = null;

  constructor(stream: StreamMain, listen: ListenSocket, hosts: VirtualHosts, socket: Socket, proxy: ProxyInfo | null) {
    super(stream, listen, hosts, originOf(socket, listen), proxy);
    this.socket = socket;
    if (!streamCore.conf(this.loc).tcp_nodelay) socket.setNoDelay(false);
    const handle = handleOf(socket);
    if (handle) {
      const buffers = new ReadBuffers();
      this.buffers = buffers;
      handle.onread = {
        buffer: () => buffers.next(handle.readableEnded),
        callback: (count, buffer) => {
          holdingClock(takeRead, handle, (buffer as Buffer).subarray(0, count));
          return true;
        },
      };
    }
    socket.on('error', this.#onError);
  }

  readonly #onError = (error: Error): void => {
    if (this.done) return;
    this.logFailure('info', 'recv()', error);
    this.finalize(STATUS.ok);
  };

  /** @param secure  starts the TLS handshake; undefined for plain connections */
  start(secure: Securer | null): void {
    this.admit(() => {
      if (secure) secure(this, this.socket);
      else this.#beginPreread();
    });
  }

  /** The TLS handshake is over. */
  secured(socket: TLSSocket, tls: TlsInfo): void {
    this.socket.off('error', this.#onError);
    this.socket.on('error', () => {});
    this.socket = socket;
    this.isSecure = true;
    this.conn.tls = tls;
    socket.on('error', this.#onError);
    this.#beginPreread();
  }

  // ---------------------------------------------------------------- preread

  #beginPreread(): void {
    const rc = this.preread(EMPTY);
    if (rc !== AGAIN) {
      this.#afterPreread(rc);
      return;
    }
    this.#prereading = true;
    this.waitFor((later) => this.#endPreread(later));
    this.action = 'prereading client data';
    watch(this);
    setDeadline(this, streamCore.conf(this.loc).preread_timeout);
    this.socket.on('data', this.#onPreread);
    this.socket.on('end', this.#onPrereadEnd);
    this.socket.on('close', this.#onPrereadEnd);
    this.socket.resume();
  }

  readonly #onPreread = (bytes: Buffer): void => {
    const data = this.buffers ? Buffer.from(bytes) : bytes;
    this.bytesReceived += data.length;
    this.#preread = this.#preread.length === 0 ? data : Buffer.concat([this.#preread, data]);
    const { preread_buffer_size: size } = streamCore.conf(this.loc);
    const rc = this.preread(this.#preread.subarray(0, size));
    if (rc !== AGAIN) this.#endPreread(rc);
    else if (this.#preread.length >= size) {
      this.log('error', 'preread buffer full');
      this.#endPreread(STATUS.badRequest);
    }
  };

  readonly #onPrereadEnd = (): void => this.#endPreread(STATUS.ok);

  timedOut(): void {
    this.#endPreread(STATUS.ok);
  }

  #endPreread(rc: number): void {
    if (!this.#prereading) return;
    this.#prereading = false;
    unwatch(this);
    this.socket.off('data', this.#onPreread);
    this.socket.off('end', this.#onPrereadEnd);
    this.socket.off('close', this.#onPrereadEnd);
    this.socket.pause();
    this.#afterPreread(rc);
  }

  #afterPreread(rc: number): void {
    this.action = '';
    if (rc >= 200) this.finalize(rc);
    else if (!this.done) {
      if (!this.isSecure && !this.buffers) this.#direct = new DirectWriter(this.socket, () => this.onFlushed?.());
      this.runContent();
    }
  }

  get hasPreread(): boolean {
    return this.#preread.length > 0;
  }

  takePreread(): Buffer {
    const held = this.#preread;
    this.#preread = EMPTY;
    return held;
  }

  release(): Socket {
    const { socket } = this;
    socket.off('error', this.#onError);
    this.#released = true;
    this.leave();
    socket.pause();
    const held = this.takePreread();
    if (held.length > 0) socket.unshift(held);
    return socket;
  }

  // ---------------------------------------------------------------- output

  send(data: Buffer): void {
    this.write(data);
  }

  write(data: Buffer): boolean {
    this.bytesSent += data.length;
    if (data.length < DIRECT_MAX && this.#direct?.write(data)) return true;
    return this.socket.write(data);
  }

  get unsent(): number {
    return this.socket.writableLength + (this.#direct?.pending ?? 0);
  }

  protected close(): void {
    unwatch(this);
    if (this.#released) return;
    const { socket } = this;
    if (socket.destroyed) return;
    socket.on('error', () => {});
    // Unread bytes make the system reset the connection: its end is sent before. A client that ended left none.
    if (this.isSecure || this.unsent > 0 || !socket.readableEnded) socket.destroySoon();
    else socket.destroy();
  }

  override destroy(): void {
    super.destroy();
    this.socket.destroy();
  }
}
