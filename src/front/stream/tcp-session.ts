// A client's connection: TLS, the bytes read before the back end is chosen, and sending.
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { holdingClock } from '../../http/wire/clock.ts';
import { setDeadline, type Timed, unwatch, watch } from '../../http/wire/deadlines.ts';
import { DirectWriter } from '../../http/wire/direct-writer.ts';
import { handleOf, type SocketOwner } from '../../http/wire/handle-socket.ts';
import { originOf } from '../http/connection/client-connections.ts';
import type { ProxyInfo } from '../http/model/connection-start.ts';
import type { ListenSocket, TlsInfo, VirtualHosts } from '../http/model/types.ts';
import { AGAIN } from '../http/request/codes.ts';
import { ReadBuffers } from '../http/upstream/connection/read-buffers.ts';
import { streamCore } from './core.ts';
import { type ClientConsumer, type ClientStream, STATUS, type StreamMain } from './model.ts';
import { BaseSession } from './session.ts';

const takeRead = (session: TcpSession, data: Buffer): void => session.received(data);

/** Bytes; smaller writes never make a socket ask for a pause (its high-water mark). */
const DIRECT_MAX = 16 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

interface Listeners {
  error(error: Error): void;
  data(data: Buffer): void;
  end(): void;
  drain(): void;
}

/** Secures a client's connection (tls-session.ts, which is loaded only if the configuration needs it). */
export type Securer = (session: TcpSession, raw: Socket) => void;

export class TcpSession extends BaseSession implements ClientStream, SocketOwner, Timed {
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
  #consumer: ClientConsumer | null = null;
  /** the events of a socket of node:net are listened for */
  #listening = false;
  readonly buffers: ReadBuffers | null = null;

  constructor(stream: StreamMain, listen: ListenSocket, hosts: VirtualHosts, socket: Socket, proxy: ProxyInfo | null) {
    super(stream, listen, hosts, originOf(socket, listen), proxy);
    this.socket = socket;
    if (!streamCore.conf(this.loc).tcp_nodelay) socket.setNoDelay(false);
    const handle = handleOf(socket);
    if (handle) {
      this.buffers = new ReadBuffers();
      handle.owner = this;
    } else socket.on('error', this.#events.error);
  }

  // ---------------------------------------------------------------- the socket

  readInto(): Buffer {
    return this.buffers?.next(this.socket.readableEnded) ?? EMPTY;
  }

  onRead(buffer: Buffer, count: number): void {
    holdingClock(takeRead, this, buffer.subarray(0, count));
  }

  received(data: Buffer): void {
    if (this.#prereading) {
      this.bytesReceived += data.length;
      this.#onPreread(data);
    } else if (this.#consumer) {
      this.bytesReceived += data.length;
      this.#consumer.onClientData(data);
    }
  }

  onSocketEnd(): void {
    if (this.#prereading) this.#endPreread(STATUS.ok);
    else this.#consumer?.onClientEnd();
  }

  onSocketError(error: Error): void {
    if (this.done) return;
    this.logFailure('info', 'recv()', error);
    this.finalize(STATUS.ok);
  }

  onSocketDrain(): void {
    this.#consumer?.onClientDrain();
  }

  #listeners: Listeners | null = null;
  /** for a socket of node:net; a HandleSocket calls the methods */
  get #events(): Listeners {
    this.#listeners ??= {
      error: (error) => this.onSocketError(error),
      data: (data) => this.received(data),
      end: () => this.onSocketEnd(),
      drain: () => this.onSocketDrain(),
    };
    return this.#listeners;
  }

  #listen(): void {
    if (this.buffers || this.#listening) return;
    this.#listening = true;
    const { data, end, drain } = this.#events;
    this.socket.on('data', data).on('end', end).on('close', end).on('drain', drain);
  }

  #unlisten(): void {
    const { error, data, end, drain } = this.#events;
    this.socket.off('error', error).off('data', data).off('end', end).off('close', end).off('drain', drain);
  }

  /** @param secure  starts the TLS handshake; undefined for plain connections */
  start(secure: Securer | null): void {
    this.admit(() => {
      if (secure) secure(this, this.socket);
      else this.#beginPreread();
    });
  }

  /** The TLS handshake is over. */
  secured(socket: TLSSocket, tls: TlsInfo): void {
    this.#unlisten();
    this.socket.on('error', () => {});
    this.socket = socket;
    this.isSecure = true;
    this.conn.tls = tls;
    socket.on('error', this.#events.error);
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
    this.#listen();
    this.socket.resume();
  }

  #onPreread(bytes: Buffer): void {
    const data = this.buffers ? Buffer.from(bytes) : bytes;
    this.#preread = this.#preread.length === 0 ? data : Buffer.concat([this.#preread, data]);
    const { preread_buffer_size: size } = streamCore.conf(this.loc);
    const rc = this.preread(this.#preread.subarray(0, size));
    if (rc !== AGAIN) this.#endPreread(rc);
    else if (this.#preread.length >= size) {
      this.log('error', 'preread buffer full');
      this.#endPreread(STATUS.badRequest);
    }
  }

  timedOut(): void {
    this.#endPreread(STATUS.ok);
  }

  #endPreread(rc: number): void {
    if (!this.#prereading) return;
    this.#prereading = false;
    unwatch(this);
    this.socket.pause();
    this.#afterPreread(rc);
  }

  #afterPreread(rc: number): void {
    this.action = '';
    if (rc >= 200) this.finalize(rc);
    else if (!this.done) {
      if (!this.isSecure && !this.buffers) this.#direct = new DirectWriter(this.socket, () => this.#consumer?.onClientFlushed());
      this.runContent();
    }
  }

  consume(consumer: ClientConsumer): void {
    this.#consumer = consumer;
    this.#listen();
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
    this.#unlisten();
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
    if (!this.buffers) socket.on('error', () => {});
    // Unread bytes would make the system reset the connection, so its end is sent first. A client that has ended leaves no unread bytes.
    if (this.isSecure || this.unsent > 0 || !socket.readableEnded) socket.destroySoon();
    else socket.destroy();
  }

  override destroy(): void {
    super.destroy();
    this.socket.destroy();
  }
}
