/**
 * A client connection: reads and parses requests, queues what goes out, and decides what follows a request.
 *   bytes -> head (request line, fields) -> phases -> body pieces -> queue -> socket
 * One request at a time is worked on; pipelined bytes wait in `input`.
 */
import { read as fsRead } from 'node:fs';
import type { Socket } from 'node:net';
import { parseSize } from '../config/values.ts';
import { admits, type ErrorLog, logTo } from '../log/error-log.ts';
import { BodyDecoder, RequestBody } from './body.ts';
import { ERROR, OK } from './codes.ts';
import type { HttpMain, ListenSocket, Loc, VirtualHosts } from './conf.ts';
import { core } from './core.ts';
import { parseHeaderLine } from './header.ts';
import { type BodyFlags, isFileSpan, type Piece, pieceLength } from './module.ts';
import { parseRequestLine, parseUri, validHost } from './parse.ts';
import { runPhases } from './phases.ts';
import { Request } from './request.ts';
import type { TlsInfo } from './tls-info.ts';

const EMPTY = Buffer.alloc(0);
/** Bytes of pipelined input held before the socket is paused. */
const INPUT_LIMIT = 256 * 1024;
/** Bytes in the socket's own queue before producers are told to wait. */
const SOCKET_HIGH_WATER = 64 * 1024;
const FILE_CHUNK = 256 * 1024;
const JOIN_LIMIT = 32 * 1024;

let connectionCount = 0;

export interface ConnectionStats {
  accepted: number;
  handled: number;
  requests: number;
}
export const stats: ConnectionStats = { accepted: 0, handled: 0, requests: 0 };
/** open connections of this worker; a graceful end closes the idle ones */
export const connections = new Set<Connection>();
let exitingNow = false;
let onLastClosed: (() => void) | undefined;

/** Graceful end: idle connections are closed, busy ones after their request. */
export function beginExit(done: () => void): void {
  exitingNow = true;
  onLastClosed = done;
  for (const conn of [...connections]) if (!conn.request && !conn.hasPartialHead) conn.destroy();
  if (connections.size === 0) done();
}

export class Connection {
  readonly id = ++connectionCount;
  readonly startMs = Date.now();
  requests = 0;
  request: Request | undefined;
  /** request whose output goes out now; others wait (see Request.postpone) */
  active: Request | undefined;
  error = false;
  tls: TlsInfo | undefined;
  http2: { respond(r: Request, status: number): void; data(r: Request, pieces: Piece[], last: boolean): number } | undefined;
  remoteAddr: string;
  remotePort: number;
  localAddr: string;
  localPort: number;
  proxy: { addr: string; port: number; serverAddr: string; serverPort: number; tlvs: Map<string, string> } | undefined;
  debugLogs: readonly ErrorLog[] | undefined;
  /** bytes sent for the current request, header included */
  sent = 0;
  bytesSent = 0;
  /** takes the raw bytes of an upgraded connection */
  tunnel: ((data: Buffer) => void) | undefined;
  tunnelEnd: (() => void) | undefined;
  private input: Buffer = EMPTY;
  private head: Request | undefined;
  private headBytes = 0;
  private headLines = 0;
  private queue: Piece[] = [];
  private queued = 0;
  private reading = false;
  private draining = false;
  private delayTimer: NodeJS.Timeout | undefined;
  private writableWaiters: (() => void)[] = [];
  private discarding = false;
  private lingering = false;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;
  private timerDue = 0;
  private deadline = 0;
  private onDeadline: (() => void) | undefined;
  private postedRequests: Request[] = [];
  private nextPipelined = false;
  private processing = false;
  private readEnded = false;

  constructor(
    readonly socket: Socket,
    readonly http: HttpMain,
    readonly listen: ListenSocket,
    readonly hosts: VirtualHosts,
  ) {
    connections.add(this);
    stats.accepted++;
    stats.handled++;
    this.remoteAddr = listen.path ? 'unix:' : plainAddress(socket.remoteAddress ?? '');
    this.remotePort = socket.remotePort ?? 0;
    this.localAddr = listen.path ? `unix:${listen.path}` : plainAddress(socket.localAddress ?? '');
    this.localPort = socket.localPort ?? 0;
    socket.on('data', (data: Buffer) => this.onData(data));
    socket.on('end', () => this.onEnd());
    socket.on('error', () => this.onClose());
    socket.on('close', () => this.onClose());
    const c = core.conf(hosts.defaultServer.root);
    this.setTimer(c.client_header_timeout, () => this.headTimeout());
  }

  get exiting(): boolean {
    return exitingNow;
  }

  /** a request head has begun to arrive */
  get hasPartialHead(): boolean {
    return this.head !== undefined || this.input.length > 0;
  }

  localHostText(): string {
    return this.localAddr.includes(':') && !this.listen.path ? `[${this.localAddr}]` : this.localAddr;
  }

  private get rootLoc(): Loc {
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

  // ---------------------------------------------------------------- timers

  /** One timer per connection: a later deadline only moves the mark, the timer checks it when it fires. */
  setTimer(ms: number, onDeadline: () => void): void {
    const now = Date.now();
    this.deadline = now + ms;
    this.onDeadline = onDeadline;
    if (this.timer && this.timerDue <= this.deadline) return;
    if (this.timer) clearTimeout(this.timer);
    this.timerDue = this.deadline;
    this.timer = setTimeout(() => this.timerFired(), ms);
  }

  clearTimer(): void {
    this.onDeadline = undefined;
  }

  private timerFired(): void {
    this.timer = undefined;
    const action = this.onDeadline;
    if (!action) return;
    const left = this.deadline - Date.now();
    if (left > 0) {
      this.timerDue = this.deadline;
      this.timer = setTimeout(() => this.timerFired(), left);
      return;
    }
    this.onDeadline = undefined;
    action();
  }

  private headTimeout(): void {
    this.log('info', 'client timed out (110: Connection timed out) while waiting for request');
    if (this.head) {
      this.head.out.status = 408;
      this.head.terminate(408);
    } else this.destroy();
  }

  // ---------------------------------------------------------------- input

  private onData(data: Buffer): void {
    if (this.tunnel) {
      this.tunnel(data);
      return;
    }
    if (this.lingering) return;
    this.input = this.input.length === 0 ? data : Buffer.concat([this.input, data]);
    this.process();
  }

  /** Bytes that a tunnel's owner must take before it reads. */
  takeInput(): Buffer {
    const { input } = this;
    this.input = EMPTY;
    return input;
  }

  private onEnd(): void {
    this.readEnded = true;
    if (this.tunnelEnd) {
      this.tunnelEnd();
      return;
    }
    if (this.lingering) {
      this.destroy();
      return;
    }
    const { request } = this;
    if (!request) {
      if (this.head) {
        this.log('info', 'client prematurely closed connection while reading client request');
        this.head.terminate(400);
      } else this.destroy();
      return;
    }
    if (this.discarding) {
      this.destroy();
      return;
    }
    if (request.body?.started && !request.body.complete) {
      this.log('info', 'client prematurely closed connection');
      const end = request.body.onEnd;
      request.body.onEnd = undefined;
      request.keepalive = false;
      end?.(400);
      return;
    }
    request.onAbort?.();
  }

  private onClose(): void {
    if (this.closed) return;
    this.closed = true;
    this.error = true;
    connections.delete(this);
    this.clearTimer();
    if (this.timer) clearTimeout(this.timer);
    if (this.delayTimer) clearTimeout(this.delayTimer);
    this.tunnelEnd?.();
    const request = this.request ?? this.head;
    this.head = undefined;
    if (request && !request.done) {
      if (request.onAbort) request.onAbort();
      if (!request.done) request.terminate(request.out.status || 499);
    }
    const waiters = this.writableWaiters;
    this.writableWaiters = [];
    for (const waiter of waiters) waiter();
    if (exitingNow && connections.size === 0) onLastClosed?.();
  }

  destroy(): void {
    if (!this.socket.destroyed) this.socket.destroy();
    this.onClose();
  }

  /** Sends what is queued, then closes: an answer that cannot be completed. */
  cut(): void {
    this.request = undefined;
    if (this.http2) {
      this.destroy();
      return;
    }
    const pieces = this.queue.filter((p): p is Buffer => Buffer.isBuffer(p));
    this.queue = [];
    this.queued = 0;
    for (const piece of pieces) this.socket.write(piece);
    this.clearTimer();
    this.setTimer(5000, () => this.destroy());
    this.socket.destroySoon();
  }

  /** Works on `input` as far as possible. */
  process(): void {
    if (this.processing) return;
    this.processing = true;
    try {
      while (!this.closed && this.step()) {
        // each step takes a head or a part of a body
      }
    } finally {
      this.processing = false;
    }
    if (this.input.length > INPUT_LIMIT && !this.closed) this.socket.pause();
  }

  private step(): boolean {
    const { request } = this;
    if (request) {
      const { body } = request;
      if (!body?.started || body.complete || this.input.length === 0) return false;
      this.feedBody(request, body);
      return this.input.length > 0 && !body.complete;
    }
    if (this.input.length === 0) return false;
    return this.parseHead();
  }

  private startHead(): Request {
    const r = new Request(this, this.http, this.hosts.defaultServer);
    r.pipelined = this.nextPipelined;
    this.nextPipelined = false;
    this.head = r;
    this.headBytes = 0;
    this.headLines = 0;
    const c = core.conf(this.rootLoc);
    this.setTimer(c.client_header_timeout, () => this.headTimeout());
    return r;
  }

  /** Parses lines of a request head; true: a request was completed. */
  private parseHead(): boolean {
    let { input } = this;
    if (!this.head) {
      // empty lines before a request are skipped
      let skip = 0;
      while (skip < input.length && (input[skip] === 10 || input[skip] === 13)) skip++;
      if (skip > 0) {
        this.input = input = input.subarray(skip);
        if (input.length === 0) return false;
      }
    }
    const r = this.head ?? this.startHead();
    const limits = core.conf(r.server.root).large_client_header_buffers;
    const lineLimit = Math.max(limits.size, core.conf(this.rootLoc).client_header_buffer_size);
    const text = input.latin1Slice(0, Math.min(input.length, limits.count * limits.size + lineLimit + 2));
    let pos = 0;
    for (;;) {
      const lf = text.indexOf('\n', pos);
      if (lf < 0) {
        this.takeHeadBytes(r, pos);
        this.checkPartialLine(r, text.length - pos, lineLimit, limits.count * limits.size);
        return false;
      }
      const end = lf > pos && text.charCodeAt(lf - 1) === 13 ? lf - 1 : lf;
      const line = text.slice(pos, end);
      const lineBytes = lf + 1 - pos;
      pos = lf + 1;
      this.headBytes += lineBytes;
      if (this.headLines++ === 0) {
        if (lineBytes > lineLimit) return this.refuseHead(r, pos, 414, 'client sent too long URI');
        const rc = this.takeRequestLine(r, line);
        if (rc !== OK) return this.refuseHead(r, pos, rc);
        if (r.version === 9) return this.headDone(r, pos);
        continue;
      }
      if (line === '') return this.headDone(r, pos);
      if (lineBytes > lineLimit || this.headBytes > limits.count * limits.size + lineLimit) {
        return this.refuseHead(r, pos, 494, 'client sent too long header line');
      }
      const rc = this.takeField(r, line);
      if (rc !== OK) return this.refuseHead(r, pos, rc);
    }
  }

  private takeHeadBytes(r: Request, count: number): void {
    r.requestLength += count;
    this.input = count === this.input.length ? EMPTY : this.input.subarray(count);
  }

  private checkPartialLine(r: Request, partial: number, lineLimit: number, total: number): void {
    if (this.headLines === 0) {
      if (partial >= lineLimit) this.refuseHead(r, 0, 414, 'client sent too long URI');
      else if (partial > 0) {
        // a method that cannot be is refused before the line ends
        const start = this.input.latin1Slice(0, Math.min(partial, 64));
        if (!/^[A-Z_-]+(?: .*)?$/s.test(start)) this.refuseHead(r, 0, 400, 'client sent invalid method');
      }
    } else if (partial >= lineLimit || this.headBytes + partial > total + lineLimit) {
      this.refuseHead(r, 0, 494, 'client sent too long header line');
    }
  }

  private refuseHead(r: Request, used: number, status: number, reason?: string): boolean {
    this.takeHeadBytes(r, used);
    this.beginRequest(r);
    if (reason) r.log('info', reason);
    if (!r.requestLine && this.input.length > 0)
      r.requestLine = this.input.latin1Slice(0, Math.min(256, this.input.length)).split(/[\r\n]/, 1)[0];
    r.out.status = 0;
    r.keepalive = false;
    r.lingeringClose = true;
    this.active = r;
    r.finalize(status);
    this.runPosted();
    return false;
  }

  private takeRequestLine(r: Request, line: string): number {
    r.requestLine = line;
    const parsed = parseRequestLine(line);
    if (typeof parsed === 'string') {
      r.log(
        'info',
        `client sent invalid ${parsed === 'method' ? 'method' : parsed === 'version' ? 'version' : 'request'} while reading client request line`,
      );
      return parsed === 'version' ? 505 : 400;
    }
    r.method = parsed.method;
    r.rawUri = parsed.rawUri;
    r.version = parsed.version;
    r.protocol = parsed.protocol || 'HTTP/0.9';
    if (parsed.host) {
      const host = validHost(parsed.host);
      if (!host) {
        r.log('info', 'client sent invalid host in request line');
        return 400;
      }
      this.setHost(r, host);
    }
    if (r.method === 'CONNECT') {
      r.uri = '';
    } else {
      const uri = parseUri(parsed.rawUri, core.conf(r.server.root).merge_slashes);
      if (!uri) {
        r.log('info', 'client sent invalid request while reading client request line');
        return 400;
      }
      r.uri = uri.path;
      r.args = uri.args;
    }
    return OK;
  }

  private setHost(r: Request, host: { name: string; port: string }): void {
    r.host = host.name;
    r.hostPort = host.port;
    const server = this.hosts.find(host.name, r);
    if (server) {
      r.server = server;
      r.loc = server.root;
    }
  }

  private takeField(r: Request, line: string): number {
    const c = core.conf(r.server.root);
    const field = parseHeaderLine(line, c.underscores_in_headers, c.ignore_invalid_headers);
    if (field === 'invalid') {
      r.log('info', `client sent invalid header line: "${line.replace(/[^ -~]/g, '?')}" while reading client request headers`);
      return 400;
    }
    if (field === 'ignored') {
      r.log('info', `client sent invalid header line: "${line}"`);
      return OK;
    }
    if (r.headersIn.length >= c.max_headers) {
      r.log('info', 'client sent too many header lines');
      return 400;
    }
    r.headersIn.push(field);
    switch (field.lname) {
      case 'host': {
        if (r.headersIn.some((f) => f !== field && f.lname === 'host')) {
          r.log('info', `client sent duplicate host header: "${line}"`);
          return 400;
        }
        const host = validHost(field.value);
        if (!host) {
          if (field.value === '' && r.version < 1001) return OK;
          r.log('info', 'client sent invalid host header');
          return 400;
        }
        if (!r.host) this.setHost(r, host);
        return OK;
      }
    }
    if (UNIQUE_FIELDS.has(field.lname) && r.headersIn.some((f) => f !== field && f.lname === field.lname)) {
      r.log('info', `client sent duplicate header line: "${line}"`);
      return 400;
    }
    return OK;
  }

  private headDone(r: Request, used: number): boolean {
    this.takeHeadBytes(r, used);
    this.beginRequest(r);
    const rc = this.checkHead(r);
    this.active = r;
    if (rc !== OK) {
      r.keepalive = false;
      r.finalize(rc);
    } else runPhases(r);
    this.runPosted();
    return true;
  }

  private beginRequest(r: Request): void {
    this.head = undefined;
    this.request = r;
    this.requests++;
    stats.requests++;
    this.sent = 0;
    this.clearTimer();
    r.connBytesBefore = this.bytesSent;
  }

  /** What must hold of a complete head. */
  private checkHead(r: Request): number {
    if (r.version >= 1001 && r.headerIn('host') === undefined) {
      r.log('info', 'client sent HTTP/1.1 request without "Host" header');
      return 400;
    }
    if (!r.host) {
      const unnamed = this.hosts.find('');
      if (unnamed) {
        r.server = unnamed;
        r.loc = unnamed.root;
      }
    }
    const length = r.headerIn('content-length');
    if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length)) {
        r.log('info', 'client sent invalid "Content-Length" header');
        return 400;
      }
      r.contentLength = Number(length);
    }
    const coding = r.headerIn('transfer-encoding');
    if (coding !== undefined) {
      if (r.version < 1001) {
        r.log('info', 'client sent HTTP/1.0 request with "Transfer-Encoding" header');
        return 400;
      }
      if (coding.toLowerCase() !== 'chunked') {
        r.log('info', `client sent unknown "Transfer-Encoding": "${coding}"`);
        return 501;
      }
      if (length !== undefined) {
        r.log('info', 'client sent "Content-Length" and "Transfer-Encoding" headers at the same time');
        return 400;
      }
      r.chunkedIn = true;
    }
    const connection = r.headersJoined('connection')?.toLowerCase() ?? '';
    if (connection.includes('close')) r.keepalive = false;
    else if (connection.includes('keep-alive')) r.keepalive = true;
    else r.keepalive = r.version > 1000;
    if (r.method === 'TRACE') {
      r.log('info', 'client sent TRACE method');
      return 405;
    }
    if (r.method === 'CONNECT' && !this.http.registry.has('tunnel')) {
      r.log('info', 'client sent CONNECT method');
      return 405;
    }
    if (this.listen.options.ssl && !this.tls) {
      r.log('info', 'client sent plain HTTP request to HTTPS port');
      return 497;
    }
    return this.tls ? this.tls.verify(r) : OK;
  }

  // ---------------------------------------------------------------- request body

  /** Starts reading the body; `onEnd` gets 0 or a status. With `consumer`, data is handed on instead of kept. */
  readBody(r: Request, onEnd: (rc: number) => void, consumer?: (data: Buffer) => void): void {
    const { main } = r;
    if (main.body) {
      onEnd(OK);
      return;
    }
    const body = this.newBody(main);
    body.consumer = consumer;
    body.started = true;
    this.sendContinue(main);
    if (body.decoder.done) {
      this.bodyComplete(main, body);
      onEnd(OK);
      return;
    }
    body.onEnd = onEnd;
    this.armBodyTimer(main);
    this.resumeReading();
    if (this.processing) {
      // the loop in process() goes on with the body when the phases return
      this.feedBodyNow(main, body);
    } else this.process();
  }

  private feedBodyNow(r: Request, body: RequestBody): void {
    if (this.input.length > 0 && !body.complete) this.feedBody(r, body);
  }

  private newBody(r: Request): RequestBody {
    const c = core.conf(r.loc);
    r.body = new RequestBody(new BodyDecoder(r.chunkedIn ? undefined : Math.max(0, r.contentLength)), {
      memoryBytes: c.client_body_buffer_size,
      maxBytes: c.client_max_body_size,
      tempFolder: c.client_body_temp_path.path,
      inFile: c.client_body_in_file_only,
    });
    const { body } = r;
    r.cleanups.push(() => body.release(c.client_body_in_file_only === 'on'));
    return r.body;
  }

  private sendContinue(r: Request): void {
    if (r.expectTested || r.version < 1001) return;
    r.expectTested = true;
    if (r.headerIn('expect')?.toLowerCase() !== '100-continue' || this.http2) return;
    this.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
  }

  private armBodyTimer(r: Request): void {
    this.setTimer(core.conf(r.loc).client_body_timeout, () => {
      const { body } = r;
      this.log('info', 'client timed out (110: Connection timed out) while reading client request body');
      const end = body?.onEnd;
      if (body) body.onEnd = undefined;
      r.keepalive = false;
      if (end) end(408);
      else this.destroy();
    });
  }

  private feedBody(r: Request, body: RequestBody): void {
    const { maxBytes } = body.limits;
    const used = body.decoder.feed(this.input, (data) => {
      if (this.discarding) return;
      if (maxBytes > 0 && body.size + data.length > maxBytes && r.chunkedIn) {
        r.log('error', `client intended to send too large chunked body: ${body.size + data.length} bytes`);
        this.failBody(r, body, 413);
        return;
      }
      if (body.onEnd) this.keep(r, body, data);
    });
    if (used < 0) {
      r.log('info', 'client sent invalid chunked body');
      this.input = EMPTY;
      this.failBody(r, body, 400);
      return;
    }
    r.requestLength += used;
    this.input = used >= this.input.length ? EMPTY : this.input.subarray(used);
    if (body.decoder.done) {
      body.trailers = body.decoder.trailers;
      this.bodyComplete(r, body);
      const end = body.onEnd;
      body.onEnd = undefined;
      if (this.discarding) {
        this.discarding = false;
        if (!this.request) return;
        this.afterRequest(r);
      } else end?.(OK);
      this.runPosted();
      return;
    }
    if (this.discarding) this.setTimer(core.conf(r.loc).lingering_timeout, () => this.destroy());
    else if (body.onEnd) this.armBodyTimer(r);
  }

  private keep(r: Request, body: RequestBody, data: Buffer): void {
    try {
      body.take(data);
    } catch (error) {
      r.log('crit', `open() temporary file failed: ${(error as Error).message}`);
      this.failBody(r, body, 500);
    }
  }

  private failBody(r: Request, body: RequestBody, status: number): void {
    const end = body.onEnd;
    body.onEnd = undefined;
    body.complete = true;
    r.keepalive = false;
    r.lingeringClose = true;
    this.clearTimer();
    if (end) end(status);
    else if (this.discarding) this.destroy();
    this.runPosted();
  }

  private bodyComplete(r: Request, body: RequestBody): void {
    body.complete = true;
    this.clearTimer();
    if (core.conf(r.loc).client_body_in_file_only !== 'off' && body.size > 0 && !body.consumer) body.toFile();
  }

  /** The body is not wanted: it is read and thrown away, after the response if need be. Returns OK, or 400 for a malformed one. */
  discardBody(r: Request): number {
    const { main } = r;
    if (r !== main || main.body || this.discarding) return OK;
    this.sendContinue(main);
    if (main.contentLength <= 0 && !main.chunkedIn) return OK;
    const body = this.newBody(main);
    body.started = true;
    this.discarding = true;
    if (this.input.length > 0) {
      const used = body.decoder.feed(this.input, () => {});
      if (used < 0) {
        this.input = EMPTY;
        body.complete = true;
        this.discarding = false;
        main.keepalive = false;
        main.lingeringClose = true;
        return 400;
      }
      main.requestLength += used;
      this.input = used >= this.input.length ? EMPTY : this.input.subarray(used);
    }
    if (body.decoder.done) {
      body.complete = true;
      this.discarding = false;
    } else main.lingeringClose = true;
    this.resumeReading();
    return OK;
  }

  pauseReading(): void {
    this.socket.pause();
  }

  resumeReading(): void {
    if (this.socket.isPaused()) this.socket.resume();
  }

  // ---------------------------------------------------------------- output

  /** Queues the header; it leaves with the first body bytes or when the request ends. */
  startResponse(r: Request, head: Buffer | undefined): void {
    if (head) {
      r.headerSize = head.length;
      this.push(head);
    }
    this.clearTimer();
  }

  private push(piece: Piece): void {
    this.queue.push(piece);
    this.queued += pieceLength(piece);
  }

  sendBody(r: Request, pieces: Piece[], flags: BodyFlags): number {
    if (this.error) return ERROR;
    if (this.http2) return this.http2.data(r, pieces, flags.last);
    if (r.chunked) this.pushChunked(r, pieces, flags.last);
    else for (const piece of pieces) if (pieceLength(piece) > 0) this.push(piece);
    if (flags.last || flags.flush || this.queued >= core.conf(r.loc).postpone_output) this.pump();
    return this.error ? ERROR : OK;
  }

  private pushChunked(r: Request, pieces: Piece[], last: boolean): void {
    let total = 0;
    for (const piece of pieces) total += pieceLength(piece);
    if (total > 0) {
      this.push(Buffer.from(`${total.toString(16)}\r\n`, 'latin1'));
      for (const piece of pieces) if (pieceLength(piece) > 0) this.push(piece);
      if (!last) this.push(CRLF);
    }
    if (last) {
      let end = total > 0 ? '\r\n0\r\n' : '0\r\n';
      for (const field of r.out.trailers) end += `${field.name}: ${field.value}\r\n`;
      this.push(Buffer.from(`${end}\r\n`, 'latin1'));
    }
  }

  /** Bytes are waiting here or in the socket. */
  get buffered(): boolean {
    if (this.queued > 0) this.pump();
    return this.queued > 0 || this.draining || this.reading || this.socket.writableLength > 0;
  }

  get blocked(): boolean {
    return this.draining || this.reading || this.delayTimer !== undefined;
  }

  /** Calls back when `blocked` has ended, or the connection has. */
  whenWritable(callback: () => void): void {
    this.writableWaiters.push(callback);
  }

  /** Writes from the queue until it is empty, the socket is full, or a rate limit says stop. */
  private pump(): void {
    if (this.draining || this.reading || this.delayTimer || this.closed) return;
    const r = this.request;
    const rate = r ? rateOf(r) : 0;
    while (this.queue.length > 0) {
      let allowed = Infinity;
      if (rate > 0) {
        allowed = this.rateAllowance(r!, rate);
        if (allowed <= 0) break;
      }
      const piece = this.queue[0];
      if (isFileSpan(piece)) {
        this.flushBatch();
        this.readFile(piece, Math.min(allowed, FILE_CHUNK), rate);
        break;
      }
      if (piece.length > allowed) {
        this.queue[0] = piece.subarray(allowed);
        this.write(piece.subarray(0, allowed));
      } else {
        this.queue.shift();
        this.write(piece);
      }
      if (rate > 0) {
        this.rateDelay(r!, rate, Math.min(piece.length, allowed));
        if (this.delayTimer) break;
      }
      if (this.batchBytes + this.socket.writableLength > SOCKET_HIGH_WATER && this.queue.length > 0) {
        this.flushBatch();
        if (this.socket.writableLength > SOCKET_HIGH_WATER) break;
      }
    }
    this.flushBatch();
    if (this.socket.writableLength > 0 && !this.reading) this.waitDrain();
  }

  private write(data: Buffer): void {
    this.queued -= data.length;
    this.sent += data.length;
    this.bytesSent += data.length;
    this.batch.push(data);
    this.batchBytes += data.length;
  }

  private batch: Buffer[] = [];
  private batchBytes = 0;

  /** One write for what came together: header and small body are joined, since a gathered write costs more than the copy. */
  private flushBatch(): void {
    const { batch, batchBytes } = this;
    if (batch.length === 0) return;
    this.batch = [];
    this.batchBytes = 0;
    if (batch.length === 1) this.socket.write(batch[0]);
    else if (batchBytes <= JOIN_LIMIT) this.socket.write(Buffer.concat(batch, batchBytes));
    else {
      this.socket.cork();
      for (const data of batch) this.socket.write(data);
      this.socket.uncork();
    }
  }

  private waitDrain(): void {
    this.draining = true;
    const timeout = this.request ? core.conf(this.request.loc).send_timeout : 60_000;
    this.setTimer(timeout, () => {
      this.log('info', 'client timed out (110: Connection timed out) while sending response to client');
      this.destroy();
    });
    this.socket.write(EMPTY, () => {
      this.draining = false;
      this.clearTimer();
      if (!this.closed) this.drained();
    });
  }

  private drained(): void {
    this.pump();
    if (this.blocked) return;
    const waiters = this.writableWaiters;
    if (waiters.length > 0) {
      this.writableWaiters = [];
      for (const waiter of waiters) waiter();
    }
    const r = this.request;
    if (r?.finishing && !this.blocked) {
      r.finishing = false;
      r.resume();
    }
    this.runPosted();
  }

  private readFile(span: { fd: number; start: number; end: number }, limit: number, rate: number): void {
    const want = Math.min(limit, span.end - span.start);
    const buffer = Buffer.allocUnsafe(want);
    this.reading = true;
    fsRead(span.fd, buffer, 0, want, span.start, (error, count) => {
      this.reading = false;
      if (this.closed) return;
      if (error || count === 0) {
        // the file shrank: the length is promised already
        this.destroy();
        return;
      }
      span.start += count;
      if (span.start >= span.end) this.queue.shift();
      this.write(count === want ? buffer : buffer.subarray(0, count));
      this.flushBatch();
      if (rate > 0 && this.request) this.rateDelay(this.request, rate, count);
      if (this.delayTimer) return;
      if (this.socket.writableLength > 0) this.waitDrain();
      else this.drained();
    });
  }

  /** Bytes that may go now; arms the timer if none. */
  private rateAllowance(r: Request, rate: number): number {
    const elapsed = Math.floor(Date.now() / 1000) - Math.floor(r.startMs / 1000) + 1;
    const allowed = rate * elapsed - (this.sent - (r.limitRateAfter ?? 0));
    if (allowed > 0) return allowed;
    this.delay(Math.ceil((-allowed * 1000) / rate) + 1);
    return 0;
  }

  private rateDelay(r: Request, rate: number, justSent: number): void {
    const after = r.limitRateAfter ?? 0;
    const before = Math.max(0, this.sent - justSent - after);
    const beyond = Math.max(0, this.sent - after) - before;
    const ms = Math.floor((beyond * 1000) / rate);
    if (ms > 0) this.delay(ms);
  }

  private delay(ms: number): void {
    this.delayTimer = setTimeout(() => {
      this.delayTimer = undefined;
      if (!this.closed) this.drained();
    }, ms);
  }

  // ---------------------------------------------------------------- posted requests

  /** Runs a request (a subrequest, or a parent whose subrequest ended) once the current handler returned. */
  post(r: Request): void {
    this.postedRequests.push(r);
    if (this.postedRequests.length === 1) queueMicrotask(() => this.runPosted());
  }

  runPosted(): void {
    for (let n = 0; n < this.postedRequests.length; n++) {
      const r = this.postedRequests[n];
      if (!r.done || r.postponed.length > 0) r.resume();
    }
    this.postedRequests.length = 0;
  }

  // ---------------------------------------------------------------- after a request

  /** The main request is done and logged. */
  requestDone(r: Request, _rc: number): void {
    if (this.closed) return;
    if (this.tunnel) {
      this.destroy();
      return;
    }
    if (this.discarding) {
      const c = core.conf(r.loc);
      if (c.lingering_close === 'off' && !r.keepalive) {
        this.closeGently();
        return;
      }
      if (!r.keepalive) {
        this.linger(r);
        return;
      }
      this.setTimer(c.lingering_timeout, () => this.destroy());
      this.resumeReading();
      return;
    }
    this.afterRequest(r);
  }

  private afterRequest(r: Request): void {
    this.request = undefined;
    this.active = undefined;
    if (r.keepalive && !exitingNow && !this.readEnded) {
      const c = core.conf(r.loc);
      if (this.input.length === 0) {
        this.setTimer(c.keepalive_timeout.timeoutMs, () => this.destroy());
        this.resumeReading();
      } else {
        this.nextPipelined = true;
        if (!this.processing) setImmediate(() => this.process());
      }
      return;
    }
    if (r.keepalive && exitingNow && this.input.length > 0 && !this.processing) {
      setImmediate(() => this.process());
      return;
    }
    const { lingering_close } = core.conf(r.loc);
    if (lingering_close === 'always' || (lingering_close === 'on' && (r.lingeringClose || this.input.length > 0))) this.linger(r);
    else this.closeGently();
  }

  private closeGently(): void {
    if (this.tls) {
      this.socket.end();
      this.socket.destroySoon();
    } else this.socket.destroySoon();
    this.request = undefined;
    connections.delete(this);
    if (exitingNow && connections.size === 0) setImmediate(() => onLastClosed?.());
  }

  /** Ends our side and reads on for a while, so that the client gets the answer before a reset. */
  private linger(r: Request): void {
    this.request = undefined;
    this.lingering = true;
    this.input = EMPTY;
    const c = core.conf(r.loc);
    this.socket.end();
    if (this.readEnded) {
      this.closeGently();
      return;
    }
    this.resumeReading();
    this.setTimer(Math.min(c.lingering_time, c.lingering_timeout), () => this.destroy());
  }
}

/** Fields of which a second one is an error. */
const UNIQUE_FIELDS = new Set(
  'if-modified-since if-unmodified-since if-match if-none-match content-length content-range if-range transfer-encoding expect authorization depth destination overwrite'.split(
    ' ',
  ),
);

const CRLF = Buffer.from('\r\n');

/** IPv4 addresses of a dual-stack socket lose their IPv6 clothing. */
const plainAddress = (address: string): string => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);

/** Bytes per second the response may use, 0: no limit; evaluated once per request. */
function rateOf(r: Request): number {
  if (r.limitRate === undefined) {
    const c = core.conf(r.loc);
    r.limitRate = c.limit_rate ? (parseSize(c.limit_rate.value.eval(r)) ?? 0) : 0;
    r.limitRateAfter = c.limit_rate_after ? (parseSize(c.limit_rate_after.value.eval(r)) ?? 0) : 0;
  }
  return r.limitRate;
}
