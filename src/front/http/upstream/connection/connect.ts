// Connections to upstream peers, and the pool of idle ones.
import net, { type Socket } from 'node:net';
import type tls from 'node:tls';
import { holdingClock, nowMs } from '../../../../http/wire/clock.ts';
import { setDeadline, type Timed, unwatch, watch } from '../../../../http/wire/deadlines.ts';
import { DirectWriter } from '../../../../http/wire/direct-writer.ts';
import { asSocket, HandleSocket, type SocketOwner } from '../../../../http/wire/handle-socket.ts';
import type { Address } from '../../config/addresses.ts';
import { logKeys } from '../../tls/key-log.ts';
import { ReadBuffers } from './read-buffers.ts';

export interface ConnectionEvents {
  onConnect(): void;
  /** `reads` of the connection tells where the bytes are stored. */
  onData(data: Buffer): void;
  /** the peer closed its side, or the connection is gone; `error` if it broke */
  onEnd(error?: Error): void;
  onDrain(): void;
  /** a small write that had to wait was accepted by the system */
  onFlushed?(): void;
  onTimeout(): void;
}

/** Bytes; smaller writes never make a socket ask for a pause (its high-water mark). */
const DIRECT_MAX = 16 * 1024;

export interface TlsSettings {
  /** reads certificates and keys. @throws Error they cannot be used */
  prepare(): void;
  /** creates the options for one connection, after `prepare`; the session of the peer is added */
  options(): tls.ConnectionOptions;
  /** checks the certificate after the handshake: an error message or null */
  check(socket: tls.TLSSocket): string | null;
  reuse: boolean;
  /** identifies connections that can be shared: certificate, name */
  id: string;
  /** sessions to resume, by peer */
  sessions: Map<string, Buffer>;
  /** file to which the secrets of the connection are logged */
  keyLog: string | null;
}

const takeRead = (conn: PeerConnection, data: Buffer): void => conn.received(data);

/** One connection. Its owner sets `events`; without them it is idle. */
export class PeerConnection implements Timed, SocketOwner {
  socket: Socket;
  events: ConnectionEvents | null = null;
  requests = 0;
  readonly startMs = Date.now();
  connected = false;
  ended = false;
  /** identifies requests that may reuse it when it is idle (see PeerConnector) */
  owner = '';
  deadlineMs = Infinity;
  readonly buffers = new ReadBuffers();
  /** destination of the last read: memory of its own, this connection's buffer, or the shared one */
  reads: 'fresh' | 'own' | 'shared' = 'fresh';
  bytesReceived = 0;
  bytesSent = 0;
  onIdleClose: ((conn: PeerConnection) => void) | null = null;

  readonly #secure: boolean;
  readonly #greeting: string;
  /** the socket is a HandleSocket */
  readonly #light: boolean;
  /** null for sockets that need none or cannot have one; undefined before the connection is open */
  #direct: DirectWriter | null | undefined;

  constructor(
    readonly address: Address,
    bind: { address: string; port: number } | null,
    tlsSettings: TlsSettings | null,
    keepAlive: boolean,
    tlsModule: typeof tls | null,
    /** sent first, before a TLS handshake (latin1) */
    greeting = '',
    /** whether a plain connection may be a HandleSocket */
    light = false,
  ) {
    this.#secure = tlsSettings !== null;
    this.#greeting = greeting;
    watch(this);
    const handle = light && !tlsSettings && !bind && !address.path ? HandleSocket.connect(address.host, address.port, this) : null;
    this.#light = handle !== null;
    this.#direct = handle || tlsSettings ? null : undefined;
    if (handle) {
      if (keepAlive) handle.setKeepAlive(true);
      this.socket = asSocket(handle);
      return;
    }
    const target: net.NetConnectOpts = address.path
      ? { path: address.path }
      : { host: address.host, port: address.port, localAddress: bind?.address, localPort: bind?.port || undefined };
    this.socket = net.connect({
      ...target,
      noDelay: true,
      allowHalfOpen: true,
      keepAlive,
      onread: tlsSettings
        ? undefined
        : {
            buffer: () => this.readInto(),
            callback: (count: number, buffer: Uint8Array) => {
              this.onRead(buffer as Buffer, count);
              return true;
            },
          },
    } as net.NetConnectOpts);
    this.socket.once('connect', () => {
      this.#greet();
      if (tlsSettings && tlsModule) this.#startTls(tlsSettings, tlsModule);
      else this.opened();
    });
    this.#watch(this.socket);
  }

  #greet(): void {
    if (this.#greeting !== '') this.socket.write(this.#greeting, 'latin1');
  }

  #watch(socket: Socket): void {
    socket.on('error', (error) => this.closed(error));
    socket.on('close', () => this.closed());
    socket.on('drain', () => this.onSocketDrain());
  }

  // ---------------------------------------------------------------- the owner of a HandleSocket

  readInto(): Buffer {
    return this.buffers.next(this.ended);
  }

  onRead(buffer: Buffer, count: number): void {
    this.reads = ReadBuffers.isShared(buffer) ? 'shared' : 'own';
    holdingClock(takeRead, this, buffer.subarray(0, count));
  }

  onSocketOpen(): void {
    this.#greet();
    this.opened();
  }

  onSocketEnd(): void {
    this.closed();
  }

  onSocketError(error: Error): void {
    this.closed(error);
  }

  onSocketDrain(): void {
    this.events?.onDrain();
  }

  received(data: Buffer): void {
    this.bytesReceived += data.length;
    if (this.events) this.events.onData(data);
    else this.destroy();
  }

  timedOut(): void {
    if (this.events) this.events.onTimeout();
    else this.destroy();
  }

  #startTls(settings: TlsSettings, tlsModule: typeof tls): void {
    const raw = this.socket;
    const options = settings.options();
    const key = `${this.address.name}|${settings.id}`;
    const before = settings.sessions.get(key);
    if (settings.reuse && before) options.session = before;
    const secure = tlsModule.connect({ ...options, socket: raw });
    this.socket = secure;
    this.#watch(secure);
    if (settings.keyLog) logKeys(secure, settings.keyLog);
    secure.on('session', (session) => {
      if (settings.reuse) settings.sessions.set(key, session);
    });
    secure.once('secureConnect', () => {
      const problem = settings.check(secure);
      if (problem !== null) {
        this.closed(new Error(problem));
        secure.destroy();
        return;
      }
      this.opened();
    });
  }

  /** Bytes can be sent and received now. */
  protected opened(): void {
    this.connected = true;
    if (this.#secure) this.socket.on('data', (data: Buffer) => this.received(data));
    else if (this.#direct === undefined) this.#direct = new DirectWriter(this.socket, () => this.events?.onFlushed?.());
    if (!this.#light) this.socket.on('end', () => this.closed());
    this.events?.onConnect();
  }

  protected closed(error?: Error): void {
    if (this.ended) return;
    this.ended = true;
    unwatch(this);
    this.onIdleClose?.(this);
    const { events } = this;
    if (events) events.onEnd(error);
    else this.socket.destroy();
  }

  /** Bytes that the system has not accepted yet. */
  get unsent(): number {
    return this.socket.writableLength + (this.#direct?.pending ?? 0);
  }

  /** @param data  bytes, or latin1 text */
  write(data: Buffer | string): boolean {
    this.bytesSent += data.length;
    if (data.length < DIRECT_MAX && this.#direct?.write(data)) return true;
    return typeof data === 'string' ? this.socket.write(data, 'latin1') : this.socket.write(data);
  }

  destroy(): void {
    this.#leave();
    this.socket.destroy();
  }

  /** Closes as soon as everything is sent. */
  finish(): void {
    this.#leave();
    if (this.connected && (this.#secure || this.unsent > 0)) this.socket.destroySoon();
    else this.socket.destroy();
  }

  #leave(): void {
    this.events = null;
    this.ended = true;
    unwatch(this);
    this.onIdleClose?.(this);
  }
}

interface PoolLimits {
  max: number;
  requests: number;
  timeMs: number;
  timeoutMs: number;
  /** connections are cached per location */
  local: boolean;
}

/** Idle connections of an upstream, newest last. */
export class Pool {
  #idle: PeerConnection[] = [];

  readonly #forget = (conn: PeerConnection): void => {
    const at = this.#idle.indexOf(conn);
    if (at >= 0) this.#idle.splice(at, 1);
  };

  constructor(readonly limits: PoolLimits) {}

  /** An idle connection to the address. */
  take(name: string, owner: string): PeerConnection | null {
    for (let n = this.#idle.length - 1; n >= 0; n--) {
      const conn = this.#idle[n];
      if (conn.address.name !== name || conn.owner !== owner) continue;
      if (n === this.#idle.length - 1) this.#idle.pop();
      else this.#idle.splice(n, 1);
      conn.deadlineMs = Infinity;
      conn.onIdleClose = null;
      if (conn.ended || conn.socket.destroyed) continue;
      return conn ?? null;
    }
    return null;
  }

  /** Adds a connection; closes the oldest if there are too many. */
  give(conn: PeerConnection): void {
    const { limits } = this;
    if (conn.ended || conn.requests >= limits.requests || nowMs() - conn.startMs > limits.timeMs || limits.max === 0) {
      conn.destroy();
      return;
    }
    conn.events = null;
    if (this.#idle.length >= limits.max) this.#idle.shift()?.destroy();
    this.#idle.push(conn);
    if (conn.socket.isPaused()) conn.socket.resume();
    conn.onIdleClose = this.#forget;
    setDeadline(conn, limits.timeoutMs);
  }

  closeAll(): void {
    for (const conn of [...this.#idle]) conn.destroy();
  }
}
