// A client connection: reads and parses requests, queues output, and decides what follows a request.
//   bytes -> head (request line, fields) -> phases -> body pieces -> queue -> socket
// One request is processed at a time; pipelined bytes wait in `input`.
// One class, since reading, sending and keep-alive depend on each other's state; heads, bodies, the queue and TLS have their own files.
import type { Socket } from 'node:net';
import { nowMs } from '../../../http/wire/clock.ts';
import { setDeadline, type Timed, unwatch, watch } from '../../../http/wire/deadlines.ts';
import { admits, type ErrorLog, logTo } from '../../log/error-log.ts';
import { core } from '../config/core.ts';
import type { ProxyInfo } from '../model/connection-start.ts';
import type { Connection, HttpMain, ListenSocket, Loc, Request, StreamFraming, TlsInfo, VirtualHosts } from '../model/types.ts';
import { BodyReader } from './body-reader.ts';
import { closed, exiting, type Origin, opened, originOf, type TrackedConnection } from './client-connections.ts';
import { HeadReader } from './head-reader.ts';
import { OutputQueue } from './output-queue.ts';
import { type Activity, stats } from './stats.ts';

const EMPTY = Buffer.alloc(0);
const NOTHING = (): void => {};
/** Bytes of pipelined input that may be buffered before the socket is paused. */
const INPUT_LIMIT = 256 * 1024;

export interface ConnectionOptions {
  /** bytes arrive by `onRead` instead of the socket's `data` events */
  sharedReads?: boolean;
  /** set for a stream of this connection, which is counted once for all its streams */
  origin?: Origin;
}

export class HttpConnection implements Connection, TrackedConnection, Timed {
  readonly id: number;
  readonly startMs: number;
  requests = 0;
  #currentRequest: Request | null = null;
  /** activity counted in the statistics; an HTTP/2 stream is counted with its connection */
  #activity: Activity = 'waiting';
  readonly #isCounted: boolean;
  /** request whose output is sent now; others wait (see postpone.ts) */
  active: Request | null = null;
  error = false;
  tls: TlsInfo | null = null;
  /** set on a stream of an HTTP/2 connection */
  http2: StreamFraming | null = null;
  remoteAddr: string;
  remotePort: number;
  localAddr: string;
  localPort: number;
  proxy: ProxyInfo | null = null;
  debugLogs: readonly ErrorLog[] | null = null;
  /** receives the raw bytes of an upgraded connection */
  tunnel: ((data: Buffer) => void) | null = null;
  tunnelEnd: (() => void) | null = null;
  readonly output = new OutputQueue(this);
  readonly headReader = new HeadReader(this);
  readonly bodyReader = new BodyReader(this);
  /** bytes read but not parsed yet */
  input: Buffer = EMPTY;
  /** shared read buffer that holds the bytes just read, as many as `#borrowedBytes`; `input` is empty then */
  #borrowed: Buffer | null = null;
  #borrowedBytes = 0;
  #lingering = false;
  closed = false;
  deadlineMs = Infinity;
  #onDeadline: () => void = NOTHING;
  #postedRequests: Request[] = [];
  /** until when `keepalive_min_timeout` of the last request applies */
  #keepUntilMs = 0;
  processing = false;
  #readEnded = false;

  constructor(
    readonly socket: Socket,
    readonly http: HttpMain,
    readonly listen: ListenSocket,
    readonly hosts: VirtualHosts,
    options: ConnectionOptions = {},
  ) {
    this.#isCounted = options.origin === undefined;
    if (this.#isCounted) opened(this);
    watch(this);
    const origin = options.origin ?? originOf(socket, listen);
    this.id = origin.id;
    this.startMs = origin.startMs;
    this.remoteAddr = origin.remoteAddr;
    this.remotePort = origin.remotePort;
    this.localAddr = origin.localAddr;
    this.localPort = origin.localPort;
    (socket as Owned)[CONNECTION] = this;
    if (!options.sharedReads) socket.on('data', onSocketData);
    socket.on('end', onSocketEnd);
    socket.on('error', onSocketClose);
    socket.on('close', onSocketClose);
    this.setTimer(core.conf(hosts.defaultServer.root).client_header_timeout, this.headReader.onTimeout);
  }

  get request(): Request | null {
    return this.#currentRequest;
  }
  set request(request: Request | null) {
    this.#currentRequest = request;
    this.#countAs(request ? 'writing' : 'waiting');
  }

  #countAs(activity: Activity): void {
    if (activity === this.#activity || !this.#isCounted || this.closed) return;
    stats.activityChanged(this.#activity, activity);
    this.#activity = activity;
  }

  get exiting(): boolean {
    return exiting();
  }

  closeWhenIdle(): void {
    // a connection without a request is about to send one: it was just accepted, or will time out soon
    if (this.request || this.hasPartialHead || this.requests === 0) return;
    // a client that is just about to send must not find the connection closed
    const left = this.#keepUntilMs - Date.now();
    if (left > 0) this.setTimer(left, () => this.destroy());
    else this.destroy();
  }

  get hasPartialHead(): boolean {
    return this.headReader.head !== null || this.input.length > 0;
  }

  localHostText(): string {
    return this.localAddr.includes(':') && !this.listen.path ? `[${this.localAddr}]` : this.localAddr;
  }

  get rootLoc(): Loc {
    return this.hosts.defaultServer.root;
  }

  log(level: 'info' | 'debug' | 'error', message: string): void {
    const logs = this.debugLogs ?? this.rootLoc.errorLogs;
    if (admits(logs, level)) {
      logTo(
        logs,
        level,
        `${message}, client: ${this.remoteAddr}, server: ${this.listen.path || `${this.listen.host}:${this.listen.port}`}`,
        this.id,
      );
    }
  }

  // ---------------------------------------------------------------- timeouts

  /** Sets the single timeout of this connection, replacing an earlier one. */
  setTimer(ms: number, onDeadline: () => void): void {
    this.#onDeadline = onDeadline;
    setDeadline(this, ms);
  }

  clearTimer(): void {
    this.deadlineMs = Infinity;
  }

  timedOut(): void {
    this.#onDeadline();
  }

  // ---------------------------------------------------------------- input

  /** Receives bytes in a buffer that the next read of any connection overwrites. */
  onRead(buffer: Buffer, count: number): void {
    // the head of a request becomes strings at once; everything else may be kept and needs memory of its own
    if (this.request || this.tunnel || this.#lingering || this.input.length > 0) {
      this.onData(Buffer.from(buffer.subarray(0, count)));
      return;
    }
    this.#borrowed = buffer;
    this.#borrowedBytes = count;
    this.process();
    this.dropInput(0);
  }

  /** The bytes read, as latin1, at most `limit` characters. */
  peekInput(limit: number): string {
    return this.#borrowed
      ? this.#borrowed.latin1Slice(0, Math.min(this.#borrowedBytes, limit))
      : this.input.latin1Slice(0, Math.min(this.input.length, limit));
  }

  /** The first `count` bytes read are consumed; from then on the rest is in `input`. */
  dropInput(count: number): void {
    const borrowed = this.#borrowed;
    const borrowedBytes = this.#borrowedBytes;
    if (borrowed) {
      this.#borrowed = null;
      this.input = count < borrowedBytes ? Buffer.from(borrowed.subarray(count, borrowedBytes)) : EMPTY;
    } else if (count > 0) this.input = count < this.input.length ? this.input.subarray(count) : EMPTY;
  }

  onData(data: Buffer): void {
    if (this.tunnel) {
      this.tunnel(data);
      return;
    }
    if (this.#lingering) return;
    this.input = this.input.length === 0 ? data : Buffer.concat([this.input, data]);
    this.process();
  }

  /** Bytes already read that a tunnel must forward first. */
  takeInput(): Buffer {
    const { input } = this;
    this.input = EMPTY;
    return input;
  }

  onEnd(): void {
    this.#readEnded = true;
    if (this.tunnelEnd) {
      this.tunnelEnd();
      return;
    }
    if (this.#lingering) {
      this.destroy();
      return;
    }
    const { request } = this;
    if (!request) {
      if (this.headReader.head) {
        this.log('info', 'client prematurely closed connection while reading client request');
        this.headReader.head.terminate(400);
      } else this.destroy();
      return;
    }
    if (this.bodyReader.discarding) {
      this.destroy();
      return;
    }
    if (!this.#cutBody(request)) request.onAbort?.();
  }

  /** The client sends no more of the body. @returns false if the body is complete */
  #cutBody(request: Request): boolean {
    const { body } = request;
    if (!body?.started || body.complete) return false;
    this.log('info', 'client prematurely closed connection');
    const end = body.onEnd;
    body.onEnd = null;
    request.keepalive = false;
    end?.(400);
    return true;
  }

  onClose(): void {
    if (this.closed) return;
    this.#countAs('waiting');
    this.closed = true;
    this.error = true;
    this.clearTimer();
    unwatch(this);
    if (this.output.delayTimer) clearTimeout(this.output.delayTimer);
    this.tunnelEnd?.();
    const request = this.request ?? this.headReader.head;
    this.headReader.head = null;
    if (request && !request.done) {
      if (request.onAbort) request.onAbort();
      if (!request.done) request.terminate(request.out.status || 499);
    }
    const waiters = this.output.writableWaiters;
    this.output.writableWaiters = [];
    for (const waiter of waiters) waiter();
    closed(this);
  }

  destroy(): void {
    if (!this.socket.destroyed) this.socket.destroy();
    this.onClose();
  }

  /** Resets the connection (RST) if `reset_timedout_connection` is set, so that the system frees unsent data at once; otherwise closes it. */
  abandon(loc: Loc): void {
    if (core.conf(loc).reset_timedout_connection && !this.tls && !this.listen.path) this.socket.resetAndDestroy();
    this.destroy();
  }

  /** Sends what is queued, then closes: the response cannot be completed. */
  cut(): void {
    this.request = null;
    this.output.cut();
    this.clearTimer();
    this.setTimer(5000, () => this.destroy());
    this.socket.destroySoon();
  }

  /** Parses as much of `input` as possible. */
  process(): void {
    if (this.processing) return;
    this.processing = true;
    try {
      while (!this.closed && this.#step()) {
        // each step consumes a head or a part of a body
      }
    } finally {
      this.processing = false;
    }
    if (this.closed) return;
    if (!this.request) this.#countAs(this.hasPartialHead ? 'reading' : 'waiting');
    if (this.input.length > INPUT_LIMIT) this.socket.pause();
    if (!this.#readEnded) return;
    // complete pipelined requests that preceded the end of input are answered, an incomplete one is not
    if (this.request) this.#cutBody(this.request);
    else if (this.hasPartialHead) this.#closeGently();
  }

  #step(): boolean {
    const { request } = this;
    if (request) {
      const { body } = request;
      if (!body?.started || body.complete || this.input.length === 0) return false;
      this.bodyReader.feed(request, body);
      return this.input.length > 0 && !body.complete;
    }
    if (this.input.length === 0 && !this.#borrowed) return false;
    return this.headReader.parse();
  }

  /** Starts reading the body; `onEnd` gets 0 or a status. With `consumer`, data is passed on instead of being stored. */
  readBody(r: Request, onEnd: (rc: number) => void, consumer?: (data: Buffer) => void): void {
    this.bodyReader.read(r, onEnd, consumer);
  }

  /** Reads the body and drops it, after the response if necessary. Returns OK, or 400 for a malformed body. */
  discardBody(r: Request): number {
    return this.bodyReader.discard(r);
  }

  sendInterim(head: string): void {
    this.socket.write(head, 'latin1');
    this.output.noteSent(head.length);
  }

  pauseReading(): void {
    this.socket.pause();
  }

  resumeReading(): void {
    if (this.socket.isPaused()) this.socket.resume();
  }

  // ---------------------------------------------------------------- posted requests

  /** Runs a request (a subrequest, or a parent whose subrequest ended) once the current handler has returned. */
  post(r: Request): void {
    this.#postedRequests.push(r);
    if (this.#postedRequests.length === 1) queueMicrotask(() => this.runPosted());
  }

  runPosted(): void {
    if (this.#postedRequests.length === 0) return;
    for (let n = 0; n < this.#postedRequests.length; n++) {
      const r = this.#postedRequests[n];
      if (!r.done || r.postponed.length > 0) r.resume();
    }
    this.#postedRequests.length = 0;
  }

  // ---------------------------------------------------------------- after a request

  /** The main request is done and logged. */
  requestDone(r: Request, _rc: number): void {
    if (this.closed) return;
    if (this.tunnel) {
      this.destroy();
      return;
    }
    if (this.bodyReader.discarding) {
      const c = core.conf(r.loc);
      if (c.lingering_close === 'off' && !r.keepalive) {
        this.#closeGently();
        return;
      }
      if (!r.keepalive) {
        this.#linger(r);
        return;
      }
      this.setTimer(c.lingering_timeout, () => this.destroy());
      this.resumeReading();
      return;
    }
    this.afterRequest(r);
  }

  afterRequest(r: Request): void {
    this.request = null;
    this.active = null;
    if (r.keepalive && !exiting() && (!this.#readEnded || this.input.length > 0)) {
      const c = core.conf(r.loc);
      if (this.input.length === 0) {
        this.#keepUntilMs = c.keepalive_min_timeout > 0 ? nowMs() + c.keepalive_min_timeout : 0;
        this.setTimer(c.keepalive_timeout.timeoutMs, () => this.destroy());
        this.resumeReading();
      } else {
        this.headReader.nextPipelined = true;
        if (!this.processing) setImmediate(() => this.process());
      }
      return;
    }
    if (r.keepalive && exiting() && this.input.length > 0 && !this.processing) {
      setImmediate(() => this.process());
      return;
    }
    const { lingering_close } = core.conf(r.loc);
    if (lingering_close === 'always' || (lingering_close === 'on' && (r.lingeringClose || this.input.length > 0))) this.#linger(r);
    else this.#closeGently();
  }

  #closeGently(): void {
    if (this.tls) {
      this.socket.end();
      this.socket.destroySoon();
    } else this.socket.destroySoon();
    this.request = null;
    closed(this);
  }

  /** Closes our side and continues to read for a while, so that the client gets the response before a reset. */
  #linger(r: Request): void {
    this.request = null;
    this.#lingering = true;
    this.input = EMPTY;
    const c = core.conf(r.loc);
    this.socket.end();
    if (this.#readEnded) {
      this.#closeGently();
      return;
    }
    this.resumeReading();
    this.setTimer(Math.min(c.lingering_time, c.lingering_timeout), () => this.destroy());
  }
}

const CONNECTION = Symbol('connection');
type Owned = Socket & { [CONNECTION]: HttpConnection };
// listeners shared by all sockets: 10,000 idle connections need no closures of their own
function onSocketData(this: Socket, data: Buffer): void {
  (this as Owned)[CONNECTION].onData(data);
}
function onSocketEnd(this: Socket): void {
  (this as Owned)[CONNECTION].onEnd();
}
function onSocketClose(this: Socket): void {
  (this as Owned)[CONNECTION].onClose();
}
