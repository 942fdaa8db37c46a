/** Connections to upstream peers, and the pool of idle ones. */
import net, { type Socket } from 'node:net';
import type tls from 'node:tls';
import type { Address } from './peers.ts';

export interface ConnectionEvents {
  onConnect(): void;
  onData(data: Buffer): void;
  /** the peer ended its side, or the connection is gone; `error` if it broke */
  onEnd(error?: Error): void;
  onDrain(): void;
}

export interface TlsSettings {
  /** reads certificates and keys. @throws Error they cannot be used */
  prepare(): void;
  /** makes the options for one connection, after `prepare`; the session of the peer is added */
  options(): tls.ConnectionOptions;
  /** checks the certificate after the handshake: an error message or undefined */
  check(socket: tls.TLSSocket): string | undefined;
  reuse: boolean;
  /** what tells connections apart: certificate, name */
  id: string;
  /** sessions to resume, by peer */
  sessions: Map<string, Buffer>;
}

/** One connection. Its owner sets `events`; without an owner it is idle. */
export class PeerConnection {
  socket: Socket;
  events: ConnectionEvents | undefined;
  requests = 0;
  readonly startMs = Date.now();
  connected = false;
  ended = false;
  /** idle connections are only given to the location that made them, when asked */
  owner: unknown;
  idleTimer: NodeJS.Timeout | undefined;
  bytesReceived = 0;
  bytesSent = 0;
  onIdleClose: (() => void) | undefined;

  constructor(
    readonly address: Address,
    bind: { address: string; port: number } | undefined,
    tlsSettings: TlsSettings | undefined,
    keepAlive: boolean,
    tlsModule: typeof tls | undefined,
  ) {
    const target: net.NetConnectOpts = address.path
      ? { path: address.path }
      : { host: address.host, port: address.port, localAddress: bind?.address, localPort: bind?.port || undefined };
    this.socket = net.connect({ ...target, noDelay: true, allowHalfOpen: true, keepAlive } as net.NetConnectOpts);
    this.socket.once('connect', () => {
      if (tlsSettings) this.startTls(tlsSettings, tlsModule!);
      else this.opened();
    });
    this.watch(this.socket);
  }

  private watch(socket: Socket): void {
    socket.on('error', (error) => this.closed(error));
    socket.on('close', () => this.closed());
    socket.on('drain', () => this.events?.onDrain());
  }

  private startTls(settings: TlsSettings, tlsModule: typeof tls): void {
    const raw = this.socket;
    const options = settings.options();
    const key = `${this.address.name}|${settings.id}`;
    const before = settings.sessions.get(key);
    if (settings.reuse && before) options.session = before;
    const secure = tlsModule.connect({ ...options, socket: raw });
    this.socket = secure;
    this.watch(secure);
    secure.on('session', (session) => {
      if (settings.reuse) settings.sessions.set(key, session);
    });
    secure.once('secureConnect', () => {
      const problem = settings.check(secure);
      if (problem !== undefined) {
        this.closed(new Error(problem));
        secure.destroy();
        return;
      }
      this.opened();
    });
  }

  private opened(): void {
    this.connected = true;
    this.socket.on('data', (data: Buffer) => {
      this.bytesReceived += data.length;
      if (this.events) this.events.onData(data);
      else this.destroy();
    });
    this.socket.on('end', () => this.closed());
    this.events?.onConnect();
  }

  private closed(error?: Error): void {
    if (this.ended) return;
    this.ended = true;
    if (this.idleTimer) clearTimeout(this.idleTimer);
    this.onIdleClose?.();
    const { events } = this;
    if (events) events.onEnd(error);
    else this.socket.destroy();
  }

  write(data: Buffer): boolean {
    this.bytesSent += data.length;
    return this.socket.write(data);
  }

  destroy(): void {
    this.events = undefined;
    this.ended = true;
    if (this.idleTimer) clearTimeout(this.idleTimer);
    this.onIdleClose?.();
    this.socket.destroy();
  }
}

export interface PoolLimits {
  max: number;
  requests: number;
  timeMs: number;
  timeoutMs: number;
  /** connections are kept per location */
  local: boolean;
}

/** Idle connections of an upstream, newest last. */
export class Pool {
  private idle: PeerConnection[] = [];

  constructor(readonly limits: PoolLimits) {}

  /** An idle connection to the address. */
  take(name: string, owner: unknown): PeerConnection | undefined {
    for (let n = this.idle.length - 1; n >= 0; n--) {
      const conn = this.idle[n];
      if (conn.address.name !== name || conn.owner !== owner) continue;
      this.idle.splice(n, 1);
      if (conn.idleTimer) clearTimeout(conn.idleTimer);
      conn.onIdleClose = undefined;
      if (conn.ended || conn.socket.destroyed) continue;
      return conn;
    }
    return undefined;
  }

  /** Keeps a connection; the oldest gives way. */
  give(conn: PeerConnection, owner: unknown): void {
    const { limits } = this;
    if (conn.ended || conn.requests >= limits.requests || Date.now() - conn.startMs > limits.timeMs || limits.max === 0) {
      conn.destroy();
      return;
    }
    conn.events = undefined;
    conn.owner = owner;
    if (this.idle.length >= limits.max) this.idle.shift()!.destroy();
    this.idle.push(conn);
    conn.socket.resume();
    conn.onIdleClose = () => {
      const at = this.idle.indexOf(conn);
      if (at >= 0) this.idle.splice(at, 1);
    };
    conn.idleTimer = setTimeout(() => conn.destroy(), limits.timeoutMs);
  }

  closeAll(): void {
    for (const conn of [...this.idle]) conn.destroy();
  }
}

export const loadTls = (): Promise<typeof tls> => import('node:tls');
