// A session: the phases of a connection or a flow of datagrams, its variables and its end. The parts specific to TCP and UDP are in
// tcp-session.ts and udp-session.ts.

import { type Captures, capture, type Regex } from '../config/regex.ts';
import { closed, type Origin, opened, type TrackedConnection } from '../http/connection/client-connections.ts';
import type { ProxyInfo } from '../http/model/connection-start.ts';
import type { Client, ListenSocket, Loc, Request, Server, Session, TlsInfo, VariableDef, VirtualHosts } from '../http/model/types.ts';
import { AGAIN, DECLINED } from '../http/request/codes.ts';
import { admits, type Level, logTo } from '../log/error-log.ts';
import { systemError } from '../system-error.ts';
import { streamCore } from './core.ts';
import { type AttemptState, STATUS, type StreamFilter, type StreamHandler, type StreamMain, type StreamSession } from './model.ts';

/** The client, as seen by variables. */
class StreamClient implements Client {
  readonly id: number;
  readonly startMs: number;
  remoteAddr: string;
  remotePort: number;
  readonly localAddr: string;
  readonly localPort: number;
  readonly proxy: ProxyInfo | null;
  tls: TlsInfo | null = null;

  constructor(origin: Origin, proxy: ProxyInfo | null) {
    this.id = origin.id;
    this.startMs = origin.startMs;
    this.remoteAddr = origin.remoteAddr;
    this.remotePort = origin.remotePort;
    this.localAddr = origin.localAddr;
    this.localPort = origin.localPort;
    this.proxy = proxy;
  }
}

const portOf = (address: string, port: number): string => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`);
/** `ADDRESS:PORT`, or `unix:PATH` */
export const endpoint = (address: string, port: number): string => (address.startsWith('unix:') ? address : portOf(address, port));

export abstract class BaseSession implements StreamSession, TrackedConnection {
  readonly conn: StreamClient;
  readonly stream: StreamMain;
  readonly listen: ListenSocket;
  readonly hosts: VirtualHosts;
  abstract readonly udp: boolean;
  server: Server;
  loc: Loc;
  captures: Captures | null = null;
  status = 0;
  bytesReceived = 0;
  bytesSent = 0;
  done = false;
  cleanups: (() => void)[] = [];
  readonly ctx: unknown[] = [];
  readonly attempts: AttemptState[] = [];
  filters: readonly StreamFilter[] = [];
  upstreamName = '';
  action = 'initializing session';
  readonly upstream = null;
  // TrackedConnection
  readonly request = null;
  readonly hasPartialHead = false;
  readonly #vars: (string | null | undefined)[] = [];

  constructor(stream: StreamMain, listen: ListenSocket, hosts: VirtualHosts, origin: Origin, proxy: ProxyInfo | null) {
    this.stream = stream;
    this.listen = listen;
    this.hosts = hosts;
    this.server = hosts.defaultServer;
    this.loc = this.server.root;
    this.conn = new StreamClient(origin, proxy);
    this.enter();
    if (this.loc.debug) this.log('debug', `accept: ${endpoint(this.conn.remoteAddr, this.conn.remotePort)}`);
  }

  get block(): StreamMain {
    return this.stream;
  }

  /** Counts it as a connection of the event loop. */
  protected enter(): void {
    opened(this);
  }

  abstract send(data: Buffer): void;

  /** Closes the client's side, once everything is sent. */
  protected abstract close(): void;

  /** Runs the phases up to the access phase, and `next` after them. */
  protected admit(next: () => void): void {
    const { remoteAddr, remotePort, localAddr, localPort } = this.conn;
    this.note(() => `${this.udp ? 'udp ' : ''}client ${endpoint(remoteAddr, remotePort)} connected to ${endpoint(localAddr, localPort)}`);
    const { postAccept, preaccess, access } = this.stream;
    this.#run(postAccept, 0, () => this.#run(preaccess, 0, () => this.#run(access, 0, next)));
  }

  /** Runs the handlers of a phase from one on. */
  #run(handlers: readonly StreamHandler[], from: number, next: () => void): void {
    for (let n = from; n < handlers.length; n++) {
      const rc = handlers[n](this);
      if (rc === DECLINED) continue;
      if (rc === AGAIN) {
        this.waitFor((later) => {
          if (later >= 200) this.finalize(later);
          else if (later === DECLINED) this.#run(handlers, n + 1, next);
          else next();
        });
        return;
      }
      if (rc >= 200) {
        this.finalize(rc);
        return;
      }
      break;
    }
    next();
  }

  #waiting: ((rc: number) => void) | null = null;
  /** @param next  called by `resume` */
  protected waitFor(next: (rc: number) => void): void {
    this.#waiting = next;
  }

  resume(rc: number): void {
    const next = this.#waiting;
    this.#waiting = null;
    if (!this.done) next?.(rc);
  }

  /** Gives the first bytes to the handlers of the preread phase. @returns AGAIN: one of them needs more */
  protected preread(data: Buffer): number {
    const { preread } = this.stream;
    for (; this.#prereadAt < preread.length; this.#prereadAt++) {
      const rc = preread[this.#prereadAt](this, data);
      if (rc === AGAIN || rc >= 200) return rc;
      if (rc !== DECLINED) break;
    }
    return 0;
  }
  #prereadAt = 0;

  protected runContent(): void {
    const { content } = streamCore.conf(this.loc);
    if (content) {
      if (this.stream.filters.length > 0)
        this.filters = this.stream.filters.map((make) => make(this)).filter((filter): filter is StreamFilter => filter !== null);
      if (!this.done) content(this);
      return;
    }
    if (this.loc.debug) this.log('debug', 'no handler for server');
    this.finalize(STATUS.internalError);
  }

  useServer(server: Server): void {
    this.server = server;
    this.loc = server.root;
  }

  finalize(status: number): void {
    if (this.done) return;
    this.done = true;
    this.status = status;
    for (const cleanup of this.cleanups) cleanup();
    this.cleanups = [];
    for (const log of this.stream.log) log(this);
    this.close();
    closed(this);
  }

  /** Ends without a log line, because another server takes over the client. */
  protected leave(): void {
    this.done = true;
    for (const cleanup of this.cleanups) cleanup();
    this.cleanups = [];
    closed(this);
  }

  // A session in progress continues while the worker exits.
  closeWhenIdle(): void {}

  destroy(): void {
    this.finalize(STATUS.ok);
  }

  // ---------------------------------------------------------------- variables

  variable(def: VariableDef): string | null {
    if (def.volatile || def.index === undefined) return this.evaluate(def);
    const cached = this.#vars[def.index];
    if (cached !== undefined) return cached;
    const value = this.evaluate(def);
    this.#vars[def.index] = value;
    return value;
  }

  evaluate(def: VariableDef): string | null {
    // the registry of this block holds only variables that need no more than a session
    return def.get(this as Session as Request);
  }

  assign(def: VariableDef, value: string): void {
    if (def.index !== undefined) this.#vars[def.index] = value;
  }

  setNamed(regex: Regex, captures: Captures | null): void {
    this.captures = captures;
    if (!captures) return;
    for (const [name, index] of regex.names) {
      const def = this.stream.variables.find(name);
      if (def?.index !== undefined) this.#vars[def.index] = capture(captures, index) ?? '';
    }
  }

  // ---------------------------------------------------------------- log

  log(level: Level, message: string): void {
    const logs = this.loc.errorLogs;
    if (logs.length === 0) return;
    logTo(logs, level, level === 'debug' ? message : message + this.#logTail(), this.conn.id);
  }

  note(message: () => string): void {
    const { errorLogs } = this.loc;
    if (admits(errorLogs, 'info')) logTo(errorLogs, 'info', message(), this.conn.id);
  }

  /** @param what  the call that failed, such as `recv()` */
  logFailure(level: Level, what: string, error: unknown): void {
    this.log(level, `${what} failed (${systemError(error)})`);
  }

  #logTail(): string {
    const { remoteAddr } = this.conn;
    const { path, host, port } = this.listen;
    let tail = this.action === '' ? '' : ` while ${this.action}`;
    tail += `, ${this.udp ? 'udp ' : ''}client: ${remoteAddr}, server: ${path ? `unix:${path}` : portOf(host, port)}`;
    if (this.upstreamName !== '') {
      const state = this.attempts.at(-1);
      tail += `, upstream: "${this.upstreamName}", bytes from/to client:${this.bytesReceived}/${this.bytesSent}`;
      tail += `, bytes from/to upstream:${state?.bytesReceived ?? 0}/${state?.bytesSent ?? 0}`;
    }
    for (const { name, value } of streamCore.conf(this.loc).error_log_tag ?? []) tail += `, ${name}: "${value.eval(this)}"`;
    return tail;
  }
}

/** A session without a client, for functions that the server calls itself. It is not counted as a connection. */
export class DetachedSession extends BaseSession {
  readonly udp = false;

  constructor(stream: StreamMain, server: Server) {
    const socket = stream.sockets[0];
    super(stream, socket, socket.hosts, { id: 0, startMs: Date.now(), remoteAddr: '', remotePort: 0, localAddr: '', localPort: 0 }, null);
    this.useServer(server);
    this.action = '';
  }

  protected override enter(): void {}

  send(): void {}

  protected close(): void {}
}
