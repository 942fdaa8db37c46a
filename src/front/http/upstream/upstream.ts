/**
 * One request to a back end: choose a peer, connect, send, read the header, pass the body on, try the next peer where allowed.
 *   start -> (cache) -> resolve -> connect -> send -> header -> body -> end
 * The wire format is the protocol's (Protocol, ResponseParser); everything else is here.
 */
import { closeSync, unlinkSync, writeSync } from 'node:fs';
import type tls from 'node:tls';
import { parseSize } from '../../config/values.ts';
import { openTemp } from '../body.ts';
import { DONE, ERROR, HTTP_CLIENT_CLOSED, OK } from '../codes.ts';
import { core, type ErrorPage } from '../core.ts';
import type { HeaderField } from '../header.ts';
import { isFileSpan, type Piece } from '../module.ts';
import { readSpan } from '../modules/static.ts';
import type { Request } from '../request.ts';
import type { CacheRequest } from './cache.ts';
import type { UpstreamConf } from './conf.ts';
import { PeerConnection, type Pool, type TlsSettings } from './connect.ts';
import type { UpstreamGroup } from './group.ts';
import { noteTime, type Peer, Selection } from './peers.ts';
import { acceptHead, type UpstreamHead } from './response-head.ts';
import { storeFile } from './store.ts';

export interface ResponseParser {
  /** Takes bytes from the peer; calls the sink. Throws InvalidResponse for a malformed header. */
  feed(data: Buffer): void;
  /** the peer closed: true if the response was complete with that */
  end(): boolean;
}

export interface ParserSink {
  /** 1xx and the final header */
  head(head: UpstreamHead): unknown;
  body(data: Buffer): unknown;
  trailers(fields: HeaderField[]): void;
  /** all was read; `keepalive`: the connection may be used again */
  complete(keepalive: boolean): unknown;
}

export class InvalidResponse extends Error {}

export interface Protocol {
  name: string;
  /** what goes before the body */
  requestHead(u: Upstream): Buffer[];
  /** wraps a piece of a streamed or buffered body */
  wrapBody(u: Upstream, data: Buffer): Buffer[];
  endBody(u: Upstream): Buffer[];
  parser(u: Upstream, sink: ParserSink): ResponseParser;
  /** last changes to the header fields (redirects, cookies) */
  rewriteField?(u: Upstream, field: HeaderField): void;
  tls?(u: Upstream): TlsSettings | undefined;
  /** may idle connections be kept for this request? */
  keepsAlive: boolean;
}

/** What happened with one peer: source of $upstream_* and of the log. */
export interface UpstreamState {
  peer: string;
  status: number;
  connectMs: number;
  headerMs: number;
  responseMs: number;
  responseLength: number;
  bytesReceived: number;
  bytesSent: number;
  startMs: number;
}

export type Failure =
  | 'error'
  | 'timeout'
  | 'invalid_header'
  | 'no_live'
  | 'not_found'
  | 'invalid_response'
  | 'busy'
  | 'denied'
  | 'http_500'
  | 'http_502'
  | 'http_503'
  | 'http_504'
  | 'http_403'
  | 'http_404'
  | 'http_429';

const STATUS_OF: Partial<Record<Failure, number>> = {
  timeout: 504,
  http_504: 504,
  http_500: 500,
  http_503: 503,
  http_403: 403,
  http_404: 404,
  not_found: 404,
  http_429: 429,
  denied: 403,
};

const JOIN_LIMIT = 32 * 1024;
const NON_IDEMPOTENT = new Set(['POST', 'LOCK', 'PATCH']);

export interface UpstreamOptions {
  protocol: Protocol;
  conf: UpstreamConf;
  /** finds the group; calls back with undefined after it ended the request itself */
  resolve(u: Upstream, done: (group: UpstreamGroup | undefined) => void): void;
  cache?: CacheRequest;
  method: string;
}

declare module '../request.ts' {
  interface Request {
    upstream?: Upstream;
    upstreamStates?: (UpstreamState | ':')[];
  }
}

/** loaded on first use: plain HTTP never pays for it */
let tlsModule: typeof tls | undefined;

export class Upstream {
  readonly startMs = Date.now();
  group!: UpstreamGroup;
  head: UpstreamHead | undefined;
  state!: UpstreamState;
  peer: Peer | undefined;
  conn: PeerConnection | undefined;
  /** host and scheme the protocol needs, set by resolve */
  target: Record<string, unknown> = {};
  buffering: boolean;
  upgrade = false;
  /** CONNECT: the connection itself is the answer */
  connectTunnel = false;
  headerDone = false;
  cacheStatus: string | undefined;
  /** protocols keep their own notes here */
  notes: Record<string, unknown> = {};
  trailers: HeaderField[] = [];
  cacheable = false;
  store: { fd: number; path: string } | undefined;
  private selection: Selection | undefined;
  private parser: ResponseParser | undefined;
  private attempt = 0;
  private requestSent = false;
  private bodySent = false;
  private cachedConnection = false;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;
  private pending: Piece[] = [];
  private pendingBytes = 0;
  private temp: { fd: number; path: string; size: number; pos: number } | undefined;
  private responseComplete = false;
  private failedLength = false;
  private waitingClient = false;
  private paused = false;
  private rateTimer: NodeJS.Timeout | undefined;
  private streamQueue: Buffer[] = [];
  private streamEnded = false;
  private triesLeft = 0;

  constructor(
    readonly r: Request,
    readonly options: UpstreamOptions,
  ) {
    this.buffering = options.conf.buffering;
    r.upstream = this;
  }

  get conf(): UpstreamConf {
    return this.options.conf;
  }

  get protocol(): Protocol {
    return this.options.protocol;
  }

  // ---------------------------------------------------------------- start

  /** Content handler: reads the body as configured, then goes on. */
  start(): number {
    const { r, conf } = this;
    const stream = !conf.requestBuffering && conf.passRequestBody && !r.isSub && (r.contentLength > 0 || r.chunkedIn) && !r.main.body;
    if (stream) {
      r.conn.readBody(
        r,
        (rc) => this.streamEnd(rc),
        (data) => this.streamData(data),
      );
      if (!this.ended && !r.done) this.begin();
      return DONE;
    }
    r.conn.readBody(r, (rc) => {
      if (rc !== OK) r.finalize(rc);
      else this.begin();
    });
    return DONE;
  }

  begin(): void {
    const { r } = this;
    if (!this.conf.ignoreClientAbort && !r.background) r.main.onAbort = () => this.clientGone();
    r.cleanups.push(() => this.release());
    if (this.options.cache) {
      this.options.cache.open(this, () => this.connectFirst());
      return;
    }
    this.connectFirst();
  }

  /** Chooses the group and connects. */
  connectFirst(): void {
    const { r } = this;
    r.upstreamStates = r.upstreamStates ? [...r.upstreamStates, ':'] : [];
    this.options.resolve(this, (group) => {
      if (this.ended || r.done) return;
      if (!group) return;
      this.group = group;
      this.newSelection();
      this.connect();
    });
  }

  private newSelection(): void {
    this.selection = new Selection(this.group.set, this.r);
    const { nextTries } = this.conf;
    this.triesLeft = nextTries > 0 ? nextTries : Infinity;
  }

  private get tries(): number {
    return Math.min(this.selection!.tries, this.triesLeft);
  }

  private connect(): void {
    const { r, group } = this;
    if (this.state) this.closeState();
    const stickyPeer = group.sticky?.find(r, group);
    const peer = this.selection!.get(stickyPeer);
    this.state = {
      peer: peer?.name ?? group.name,
      status: 0,
      connectMs: -1,
      headerMs: -1,
      responseMs: -1,
      responseLength: 0,
      bytesReceived: 0,
      bytesSent: 0,
      startMs: Date.now(),
    };
    if (!peer) {
      if (group.queue && group.waiting.length < group.queue.max && this.anyBusy()) {
        this.waitInQueue();
        return;
      }
      r.upstreamStates!.push(this.state);
      r.log('error', `no live upstreams while connecting to upstream${this.logTail()}`);
      this.next('no_live');
      return;
    }
    r.upstreamStates!.push(this.state);
    this.peer = peer;
    peer.inflightSince.push(this.state.startMs);
    this.open(peer);
  }

  private anyBusy(): boolean {
    return this.group.set.all().some((p) => p.options.maxConns > 0 && p.conns >= p.options.maxConns);
  }

  private waitInQueue(): void {
    const { group, r } = this;
    const entry = {
      run: () => {
        clearTimeout(entry.timer);
        if (this.ended || r.done) return;
        this.newSelection();
        this.connect();
      },
      timer: setTimeout(() => {
        group.waiting = group.waiting.filter((w) => w !== entry);
        r.upstreamStates!.push(this.state);
        r.log('error', `upstream queue timed out${this.logTail()}`);
        this.finish(502);
      }, group.queue!.timeoutMs),
    };
    group.waiting.push(entry);
  }

  private get pool(): Pool | undefined {
    return this.protocol.keepsAlive ? this.group.pool : undefined;
  }

  private open(peer: Peer): void {
    const { r, conf } = this;
    this.parser = undefined;
    this.requestSent = false;
    this.bodySent = false;
    this.limited = [];
    this.limitedBytes = 0;
    const bind = this.bindAddress();
    const tlsSettings = this.protocol.tls?.(this);
    if (tlsSettings && !tlsModule) {
      void import('node:tls').then((module) => {
        tlsModule = module as unknown as typeof tls;
        if (!this.ended && !r.done) this.open(peer);
      });
      return;
    }
    const kept = this.pool?.take(peer.name, this.poolOwner(bind));
    const events = {
      onConnect: () => this.connected(),
      onData: (data: Buffer) => this.onData(data),
      onEnd: (error?: Error) => this.onEnd(error),
      onDrain: () => this.onDrain(),
    };
    if (kept) {
      this.conn = kept;
      kept.events = events;
      this.cachedConnection = true;
      kept.bytesReceived = 0;
      kept.bytesSent = 0;
      this.state.connectMs = 0;
      this.send();
      return;
    }
    this.cachedConnection = false;
    try {
      tlsSettings?.prepare();
    } catch (error) {
      r.log('error', `cannot load certificate: ${(error as Error).message}${this.logTail()}`);
      this.finish(500);
      return;
    }
    try {
      this.conn = new PeerConnection(peer.address, bind, tlsSettings, conf.socketKeepalive, tlsModule);
    } catch (error) {
      r.log('crit', `connect to ${peer.name} failed: ${(error as Error).message}${this.logTail()}`);
      this.next('error');
      return;
    }
    this.conn.events = events;
    this.setTimer(conf.connectTimeoutMs);
  }

  private poolOwner(bind: { address: string; port: number } | undefined): unknown {
    const own =
      this.group.pool.limits.local || !this.group.explicit
        ? `${this.protocol.name}|${this.conf.local.name}|${locId(this.conf.local)}`
        : this.protocol.name;
    return `${own}|${this.protocol.tls?.(this)?.id ?? ''}|${bind ? `${bind.address}:${bind.port}` : ''}`;
  }

  private bindAddress(): { address: string; port: number } | undefined {
    const { bind } = this.conf;
    if (!bind) return undefined;
    const text = bind.value.eval(this.r);
    if (text === '' || text === 'off') return undefined;
    const m = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text);
    if (!m) return undefined;
    return { address: m[1] ?? m[2], port: Number(m[3] ?? 0) };
  }

  private logTail(): string {
    return this.peer ? `, upstream: "${this.describe()}"` : '';
  }

  private describe(): string {
    const scheme = (this.target.schema as string | undefined) ?? `${this.protocol.name}://`;
    const uri = (this.notes.uri as string | undefined) ?? '';
    return `${scheme}${this.peer?.name ?? ''}${uri}`;
  }

  // ---------------------------------------------------------------- timers

  private setTimer(ms: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.timedOut();
    }, ms);
  }

  private clearTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = undefined;
  }

  private timedOut(): void {
    const { r } = this;
    const doing = !this.conn?.connected
      ? 'connecting to upstream'
      : !this.bodySent
        ? 'sending request to upstream'
        : this.headerDone
          ? 'reading upstream'
          : 'reading response header from upstream';
    r.log('error', `upstream timed out (110: Connection timed out) while ${doing}${this.logTail()}`);
    if (this.headerDone) {
      this.bodyFailed(504);
      return;
    }
    this.next('timeout');
  }

  // ---------------------------------------------------------------- sending

  private connected(): void {
    this.state.connectMs = Date.now() - this.state.startMs;
    if (this.connectTunnel) {
      this.openTunnel();
      return;
    }
    this.send();
  }

  private openTunnel(): void {
    const { r } = this;
    this.clearTimer();
    this.requestSent = true;
    this.headerDone = true;
    this.upgrade = true;
    this.state.status = 200;
    this.state.headerMs = this.state.connectMs;
    r.out.status = 200;
    r.upgraded = true;
    const rc = r.sendHeader();
    if (rc !== OK) {
      this.finish(rc);
      return;
    }
    this.startTunnel();
  }

  private send(): void {
    const { r, conn } = this;
    if (!conn) return;
    this.setTimer(this.conf.sendTimeoutMs);
    this.requestSent = true;
    conn.requests++;
    // what the parser of an abandoned attempt still has to say is not heard
    const attempt = ++this.attempt;
    const current = () => attempt === this.attempt && !this.ended;
    this.parser = this.protocol.parser(this, {
      head: (head) => current() && this.gotHead(head),
      body: (data) => current() && this.gotBody(data),
      trailers: (fields) => {
        if (current()) this.trailers = fields;
      },
      complete: (keepalive) => current() && this.complete(keepalive),
    });
    const parts = this.protocol.requestHead(this);
    const { body } = r.main;
    if (body?.consumer) {
      this.writeAll(parts);
      const queue = this.streamQueue;
      this.streamQueue = [];
      for (const data of queue) this.writeAll(this.protocol.wrapBody(this, data));
      if (this.streamEnded) this.finishSending();
      return;
    }
    if (this.conf.passRequestBody && body && body.size > 0 && !this.notes.ownBody) {
      const data = body.read();
      for (let pos = 0; pos < data.length; pos += 65_535) parts.push(...this.protocol.wrapBody(this, data.subarray(pos, pos + 65_535)));
    }
    parts.push(...this.protocol.endBody(this));
    this.writeAll(parts);
    this.sentAll();
  }

  private writeAll(parts: Buffer[]): void {
    const { conn } = this;
    if (!conn || conn.ended) return;
    if (parts.length > 1 && parts.reduce((sum, p) => sum + p.length, 0) <= JOIN_LIMIT) {
      conn.write(Buffer.concat(parts));
      return;
    }
    if (parts.length > 1) conn.socket.cork();
    for (const part of parts) if (part.length > 0) conn.write(part);
    if (parts.length > 1) conn.socket.uncork();
  }

  private sentAll(): void {
    this.bodySent = true;
    if (this.conn && this.conn.socket.writableLength === 0) this.setTimer(this.conf.readTimeoutMs);
    else this.conn?.socket.once('drain', () => this.bodySent && !this.ended && this.setTimer(this.conf.readTimeoutMs));
    if (this.conn && this.conn.socket.writableLength > 0 && this.conn.socket.writableLength < 16_384)
      this.setTimer(this.conf.readTimeoutMs);
  }

  private finishSending(): void {
    this.writeAll(this.protocol.endBody(this));
    this.sentAll();
  }

  /** A piece of an unbuffered request body. */
  private streamData(data: Buffer): void {
    if (this.ended) return;
    if (!this.requestSent || !this.conn) {
      this.streamQueue.push(data);
      return;
    }
    this.writeAll(this.protocol.wrapBody(this, data));
    if (!this.headerDone) this.setTimer(this.conf.sendTimeoutMs);
    if (this.conn.socket.writableLength > 65_536) this.r.conn.pauseReading();
  }

  private streamEnd(rc: number): void {
    if (this.ended) return;
    if (rc !== OK) {
      this.finish(rc);
      return;
    }
    this.streamEnded = true;
    if (this.requestSent && this.conn) this.finishSending();
  }

  private onDrain(): void {
    if (this.r.main.body?.consumer) this.r.conn.resumeReading();
    if (this.tunnelling) this.r.conn.resumeReading();
  }

  // ---------------------------------------------------------------- receiving

  private onData(data: Buffer): void {
    if (this.ended) return;
    this.state.bytesReceived += data.length;
    if (this.tunnelling) {
      this.tunnelToClient(data);
      return;
    }
    if (!this.requestSent) return;
    if (this.bodySent || this.headerDone) this.setTimer(this.conf.readTimeoutMs);
    const rate = this.readRate();
    if (rate > 0) {
      this.limited.push(data);
      this.pumpLimited(rate);
      return;
    }
    this.parse(data);
  }

  private parse(data: Buffer): void {
    try {
      this.parser!.feed(data);
    } catch (error) {
      if (!(error instanceof InvalidResponse)) throw error;
      if (this.headerDone) {
        this.r.log('error', `upstream sent invalid response: ${error.message} while reading upstream${this.logTail()}`);
        this.bodyFailed(ERROR);
      } else {
        this.r.log('error', `${error.message} while reading response header from upstream${this.logTail()}`);
        this.next('invalid_header');
      }
    }
  }

  private readRate(): number {
    const { limitRate } = this.conf;
    return limitRate ? (parseSize(limitRate.eval(this.r)) ?? 0) : 0;
  }

  private limited: Buffer[] = [];
  private limitedBytes = 0;
  private limitedEnd: { error?: Error } | undefined;

  /** `proxy_limit_rate`: bytes are taken so that the average stays under the rate. */
  private pumpLimited(rate: number): void {
    if (this.rateTimer) return;
    while (this.limited.length > 0 && !this.ended) {
      const seconds = Math.floor((Date.now() - this.state.startMs) / 1000) + 1;
      const allowed = rate * seconds - this.limitedBytes;
      if (allowed <= 0) {
        this.paused = true;
        this.conn?.socket.pause();
        this.clearTimer();
        this.rateTimer = setTimeout(
          () => {
            this.rateTimer = undefined;
            this.paused = false;
            if (this.ended) return;
            this.setTimer(this.conf.readTimeoutMs);
            this.pumpLimited(rate);
            if (!this.paused && !this.waitingClient) this.conn?.socket.resume();
          },
          Math.ceil((-allowed * 1000) / rate) + 1,
        );
        return;
      }
      const first = this.limited[0];
      const take = Math.min(allowed, first.length);
      if (take === first.length) this.limited.shift();
      else this.limited[0] = first.subarray(take);
      this.limitedBytes += take;
      this.parse(first.subarray(0, take));
    }
    const end = this.limitedEnd;
    this.limitedEnd = undefined;
    if (end && !this.ended) this.onEnd(end.error);
  }

  private onEnd(error?: Error): void {
    if (this.ended) return;
    if (this.limited.length > 0) {
      this.limitedEnd = { error };
      return;
    }
    const { r, conn } = this;
    if (this.tunnelling) {
      this.tunnelEnd();
      return;
    }
    if (!conn?.connected) {
      r.log('error', connectError(error, this.protocol.tls?.(this) !== undefined) + this.logTail());
      this.next(error && /denied/.test(error.message) ? 'denied' : 'error');
      return;
    }
    if (!this.headerDone) {
      let complete = false;
      try {
        complete = this.parser?.end() ?? false;
      } catch (problem) {
        r.log('error', `${(problem as Error).message} while reading response header from upstream${this.logTail()}`);
        this.next('invalid_header');
        return;
      }
      if (this.ended || this.headerDone) {
        if (!this.ended && !this.responseComplete) this.endOfBody(complete, error);
        return;
      }
      r.log(
        'error',
        `${error ? `recv() failed (104: ${error.message})` : 'upstream prematurely closed connection'} while reading response header from upstream${this.logTail()}`,
      );
      this.next('error');
      return;
    }
    if (this.responseComplete) return;
    let complete = false;
    try {
      complete = this.parser?.end() ?? false;
    } catch {
      complete = false;
    }
    if (!this.ended && !this.responseComplete) this.endOfBody(complete, error);
  }

  private endOfBody(complete: boolean, error?: Error): void {
    if (complete && !error) {
      this.complete(false);
      return;
    }
    this.r.log('error', `upstream prematurely closed connection while reading upstream${this.logTail()}`);
    this.bodyFailed(502);
  }

  // ---------------------------------------------------------------- header

  private gotHead(head: UpstreamHead): void {
    if (this.ended) return;
    const { r, conf } = this;
    if (head.status === 101 && !this.upgrade) {
      // only a client that asked for it may be switched
      throw new InvalidResponse('upstream sent unexpected "101 Switching Protocols"');
    }
    this.head = head;
    this.state.headerMs = Date.now() - this.state.startMs;
    this.state.status = head.status;
    if (this.peer) this.peer.headerTime = noteTime(this.peer.headerTime, this.state.headerMs);
    const { cache } = this.options;
    if (this.notes.notFound) {
      this.next('not_found');
      return;
    }
    if (head.status >= 300 || (cache && head.status === 304)) {
      if (this.testNext(head.status)) return;
      if (cache?.revalidated(this, head)) return;
      if (conf.interceptErrors && head.status >= 300 && this.intercept(head)) return;
    }
    this.headerDone = true;
    if (this.peer) this.group.sticky?.onHeader?.(r, this.peer);
    cache?.prepare(this);
    const rc = acceptHead(this, head);
    if (rc === DONE) return;
    if (rc !== OK) {
      this.finish(rc);
      return;
    }
    this.sendHead();
  }

  /** A status that `next_upstream` (or a stale cache entry) answers for. */
  private testNext(status: number): boolean {
    const failure = `http_${status}` as Failure;
    const { conf } = this;
    const known = [500, 502, 503, 504, 403, 404, 429].includes(status);
    if (!known) return false;
    const { cache } = this.options;
    const idempotent = !(this.requestSent && NON_IDEMPOTENT.has(this.options.method)) || conf.nextUpstream.has('non_idempotent');
    const timeout = conf.nextTimeoutMs > 0 && Date.now() - this.startMs >= conf.nextTimeoutMs;
    if (conf.nextUpstream.has(failure) && this.tries > 1 && !timeout && idempotent && !(this.requestSent && this.r.main.body?.consumer)) {
      this.next(failure);
      return true;
    }
    if (cache?.useStale(this, failure)) {
      this.freePeer('ok');
      this.closeConnection(false);
      return true;
    }
    return false;
  }

  /** `intercept_errors`: a page of `error_page` takes the place of the answer. */
  private intercept(head: UpstreamHead): boolean {
    const { r } = this;
    const pages = errorPagesOf(r);
    if (!pages.some((page) => page.statuses.includes(head.status))) return false;
    if (head.status === 401) {
      for (const field of head.fields) if (field.lname === 'www-authenticate') r.out.add(field.name, field.value);
    }
    this.options.cache?.intercepted(this, head);
    this.finish(head.status);
    return true;
  }

  private sendHead(): void {
    const { r, conf } = this;
    const rc = r.sendHeader();
    if (rc === ERROR || rc > OK) {
      this.options.cache?.abandon(this);
      this.finish(rc);
      return;
    }
    if (this.upgrade && this.head!.status === 101) {
      this.startTunnel();
      return;
    }
    if (r.headerOnly && !this.cacheable && !this.store && !r.isSub) {
      if (this.responseComplete) return;
      // the client wants no body: what the peer still sends is not waited for, except by the cache
      if (this.protocol.name === 'http' && (this.options.method === 'HEAD' || this.head!.status === 304 || this.head!.status === 204))
        return;
      this.finish(OK);
      return;
    }
    if (conf.store.on && this.head!.status === 200) this.openStore();
    if (!this.buffering && !this.responseComplete) r.output([], false, true);
  }

  // ---------------------------------------------------------------- body

  private gotBody(data: Buffer): void {
    if (this.ended || data.length === 0) return;
    if (this.tunnelling) {
      this.tunnelToClient(data);
      return;
    }
    const { r } = this;
    this.state.responseLength += data.length;
    this.options.cache?.write(this, data);
    if (this.store) writeSync(this.store.fd, data);
    if (r.headerOnly && !r.inMemory) return;
    this.pass(data);
  }

  /** Gives a piece to the client, or keeps it while the client is slower. */
  private pass(data: Buffer): void {
    const { r } = this;
    if (this.pending.length === 0 && !r.blocked) {
      this.emit([data]);
      if (!r.blocked) return;
      if (!this.buffering) this.hold();
      return;
    }
    if (r.conn.error) return;
    if (!this.buffering) {
      this.pending.push(data);
      this.hold();
      this.whenClientReady();
      return;
    }
    this.keep(data);
    this.whenClientReady();
  }

  private emit(pieces: Piece[]): void {
    const rc = this.r.output(pieces, false, !this.buffering);
    if (rc === ERROR && !this.cacheable && !this.store && !this.r.background) this.clientGone();
  }

  private keep(data: Buffer): void {
    const limit = this.conf.buffers.count * this.conf.buffers.size;
    if (this.pendingBytes + data.length <= limit) {
      this.pending.push(data);
      this.pendingBytes += data.length;
      return;
    }
    const { maxTempFileSize } = this.conf;
    if (maxTempFileSize > 0 && (this.temp?.size ?? 0) + data.length <= maxTempFileSize) {
      this.spool(data);
      return;
    }
    this.pending.push(data);
    this.pendingBytes += data.length;
    this.hold();
  }

  private spool(data: Buffer): void {
    if (!this.temp) {
      this.temp = { ...openTemp(this.conf.tempPath), size: 0, pos: 0 };
      this.r.log('warn', `an upstream response is buffered to a temporary file ${this.temp.path} while reading upstream${this.logTail()}`);
    }
    const { temp } = this;
    writeSync(temp.fd, data, 0, data.length, temp.pos);
    const last = this.pending.at(-1);
    if (last && isFileSpan(last) && last.end === temp.pos) last.end += data.length;
    else this.pending.push({ fd: temp.fd, start: temp.pos, end: temp.pos + data.length });
    temp.pos += data.length;
    temp.size += data.length;
  }

  /** Stops reading from the peer. */
  private hold(): void {
    this.waitingClient = true;
    this.conn?.socket.pause();
    this.clearTimer();
    this.whenClientReady();
  }

  private clientWaiter = false;

  private whenClientReady(): void {
    if (this.clientWaiter) return;
    this.clientWaiter = true;
    this.r.conn.whenWritable(() => {
      this.clientWaiter = false;
      if (!this.ended) this.clientReady();
    });
  }

  private clientReady(): void {
    while (this.pending.length > 0 && !this.r.blocked) {
      const piece = this.pending.shift()!;
      if (!isFileSpan(piece)) this.pendingBytes -= piece.length;
      this.emit([isFileSpan(piece) && this.r.needInMemory ? readSpan(piece) : piece]);
      if (this.ended) return;
    }
    if (this.pending.length > 0) {
      this.whenClientReady();
      return;
    }
    if (this.responseComplete) {
      this.finish(this.failedLength ? ERROR : OK);
      return;
    }
    if (this.waitingClient) {
      this.waitingClient = false;
      if (!this.paused) this.conn?.socket.resume();
      this.setTimer(this.conf.readTimeoutMs);
    }
  }

  /** The whole response was read. */
  private complete(keepalive: boolean): void {
    if (this.ended || this.responseComplete) return;
    this.responseComplete = true;
    this.clearTimer();
    const { head } = this;
    // a request that is still being sent leaves the connection in no state to be used again
    const reusable = keepalive && this.bodySent && !this.upgrade && this.conn !== undefined && this.conn.socket.writableLength === 0;
    if (this.peer) {
      this.peer.bytesReceived += this.state.bytesReceived;
      this.peer.responses[Math.min(4, Math.max(0, Math.floor((head?.status ?? 500) / 100) - 1))]++;
    }
    this.freePeer('ok');
    this.closeConnection(reusable);
    const short = head !== undefined && head.contentLength >= 0 && this.state.responseLength < head.contentLength && !this.bodyless();
    if (short) this.failedLength = true;
    if (!short) {
      this.options.cache?.complete(this);
      if (this.store) this.finishStore(true);
    } else this.options.cache?.abandon(this);
    if (this.pending.length > 0) return;
    this.finish(short ? ERROR : OK);
  }

  private bodyless(): boolean {
    return this.options.method === 'HEAD' || this.head!.status === 304 || this.head!.status === 204 || this.r.headerOnly;
  }

  /** The body broke off: the client must see that it is incomplete. */
  private bodyFailed(status: number): void {
    this.options.cache?.abandon(this);
    if (this.store) this.finishStore(false);
    this.freePeer('failed');
    this.closeConnection(false);
    if (status > 0) this.state.status = this.head?.status ?? status;
    this.responseComplete = true;
    this.failedLength = true;
    if (this.pending.length > 0 && !this.r.conn.error) return;
    this.finish(ERROR);
  }

  // ---------------------------------------------------------------- failures

  /** The peer failed: the next one is tried, or the request ends with the failure's status. */
  next(failure: Failure): void {
    const { r, conf } = this;
    this.attempt++;
    if (this.peer) this.freePeer(failure === 'http_403' || failure === 'http_404' || failure === 'not_found' ? 'next' : 'failed');
    this.triesLeft--;
    if (this.cachedConnection && failure === 'error') {
      this.selection!.tries++;
      this.triesLeft++;
    }
    this.closeConnection(false);
    if (r.conn.error && !r.background) {
      this.finish(HTTP_CLIENT_CLOSED);
      return;
    }
    const status = STATUS_OF[failure] ?? 502;
    if (this.state.status === 0 || failure !== 'no_live') this.state.status = status;
    const idempotent = !(this.requestSent && NON_IDEMPOTENT.has(this.options.method)) || conf.nextUpstream.has('non_idempotent');
    const allowed = failure === 'no_live' ? false : conf.nextUpstream.has(failure);
    const timeout = conf.nextTimeoutMs > 0 && Date.now() - this.startMs >= conf.nextTimeoutMs;
    if (this.tries <= 0 || !allowed || !idempotent || timeout || (this.requestSent && r.main.body?.consumer)) {
      if (this.options.cache?.useStale(this, failure === 'no_live' ? 'error' : failure)) return;
      this.finish(status);
      return;
    }
    this.connect();
  }

  private clientGone(): void {
    if (this.ended) return;
    if (this.tunnelling) {
      this.finish(OK);
      return;
    }
    if ((this.cacheable || this.store) && this.headerDone) return;
    if (this.r.conn.error && this.options.cache?.waiting) {
      this.finish(HTTP_CLIENT_CLOSED);
      return;
    }
    if (this.conf.ignoreClientAbort) return;
    if (this.options.cache?.keepsGoing(this)) return;
    this.r.log(
      'info',
      `client prematurely closed connection, so upstream connection is closed too while ${this.headerDone ? 'reading upstream' : 'sending request to upstream'}${this.logTail()}`,
    );
    this.finish(HTTP_CLIENT_CLOSED);
  }

  private freePeer(state: 'ok' | 'failed' | 'next'): void {
    const { peer } = this;
    if (!peer) return;
    this.peer = undefined;
    this.closeState();
    peer.inflightSince = peer.inflightSince.filter((t) => t !== this.state.startMs);
    if (this.state.responseMs >= 0) peer.responseTime = noteTime(peer.responseTime, this.state.responseMs);
    if (state === 'ok') this.group.sticky?.onDone?.(this.r, peer);
    this.selection!.free(peer, state);
    this.group.waiting.shift()?.run();
  }

  private closeState(): void {
    const { state } = this;
    if (state.responseMs < 0) state.responseMs = Date.now() - state.startMs;
    if (this.conn) state.bytesSent = this.conn.bytesSent;
  }

  private closeConnection(keep: boolean): void {
    const { conn } = this;
    this.conn = undefined;
    this.clearTimer();
    if (this.rateTimer) clearTimeout(this.rateTimer);
    this.rateTimer = undefined;
    if (!conn) return;
    this.state.bytesSent = conn.bytesSent;
    if (keep && this.pool && !conn.ended) this.pool.give(conn, this.poolOwner(this.bindAddress()));
    else conn.destroy();
  }

  /** Ends the upstream part and the request with a code. */
  finish(rc: number): void {
    if (this.ended) return;
    const { r } = this;
    const sent = this.headerDone && r.headerSent;
    if (this.state) this.closeState();
    if (rc === OK && sent) {
      this.ended = true;
      this.release();
      r.main.onAbort = undefined;
      if (this.tunnelling) {
        r.finalize(ERROR);
        return;
      }
      if (this.trailers.length > 0 && this.conf.passTrailers) this.passTrailers();
      const code = r.headerOnly && !r.inMemory && !r.isSub ? OK : r.output([], true);
      r.finalize(code === ERROR ? ERROR : OK);
      return;
    }
    this.ended = true;
    if (this.store) this.finishStore(false);
    if (!this.responseComplete) this.options.cache?.abandon(this, rc);
    this.release();
    r.main.onAbort = undefined;
    if (sent && (rc === ERROR || rc >= 300)) {
      // the answer is cut: the connection must not look complete
      if (r.isSub) {
        r.finalize(OK);
        return;
      }
      r.keepalive = false;
      r.finalize(ERROR);
      return;
    }
    r.finalize(rc === ERROR ? 502 : rc);
  }

  private passTrailers(): void {
    for (const field of this.trailers) {
      if (this.conf.hidden.has(field.lname)) continue;
      this.r.out.trailers.push(field);
    }
  }

  /** The request goes on elsewhere (X-Accel-Redirect): only the peer is let go. */
  handOver(): void {
    const { r } = this;
    this.ended = true;
    this.options.cache?.abandon(this);
    this.release();
    r.main.onAbort = undefined;
    r.upstream = undefined;
  }

  /** The cache answered instead of a peer. */
  served(): void {
    this.ended = true;
    this.r.main.onAbort = undefined;
  }

  /** The peer's part is over, the answer comes from the cache. */
  letGo(): void {
    this.attempt++;
    this.freePeer('ok');
    this.closeConnection(false);
  }

  /** Lets go of everything held. */
  private release(): void {
    if (!this.ended) {
      this.ended = true;
      if (this.peer) this.freePeer('ok');
      this.options.cache?.abandon(this);
      if (this.store) this.finishStore(false);
    }
    if (this.peer) this.freePeer('ok');
    this.closeConnection(false);
    if (this.temp) {
      const { temp } = this;
      this.temp = undefined;
      closeTemp(temp);
    }
  }

  // ---------------------------------------------------------------- store

  private openStore(): void {
    if (this.store) return;
    try {
      this.store = openTemp(this.conf.tempPath);
    } catch (error) {
      this.r.log('crit', `open() temporary file failed: ${(error as Error).message}`);
    }
  }

  private finishStore(good: boolean): void {
    const { store } = this;
    this.store = undefined;
    if (store) storeFile(this, store, good);
  }

  // ---------------------------------------------------------------- upgraded connections

  private tunnelling = false;

  private startTunnel(): void {
    const { r, conn } = this;
    this.tunnelling = true;
    r.keepalive = false;
    r.upgraded = true;
    r.output([], false, true);
    const client = r.conn;
    client.tunnel = (data) => this.tunnelToPeer(data);
    client.tunnelEnd = () => {
      if (conn && !conn.ended) conn.socket.end();
      this.finish(OK);
    };
    r.main.onAbort = () => this.finish(OK);
    const early = client.takeInput();
    if (early.length > 0) this.tunnelToPeer(early);
    this.setTimer(this.conf.readTimeoutMs);
    client.resumeReading();
  }

  private tunnelToPeer(data: Buffer): void {
    if (!this.conn || this.conn.ended) return;
    this.setTimer(this.conf.readTimeoutMs);
    if (!this.conn.write(data)) this.r.conn.pauseReading();
  }

  private tunnelToClient(data: Buffer): void {
    this.setTimer(this.conf.readTimeoutMs);
    this.state.responseLength += data.length;
    const rc = this.r.output([data], false, true);
    if (rc === ERROR) {
      this.finish(OK);
      return;
    }
    if (this.r.blocked) {
      this.conn?.socket.pause();
      this.r.conn.whenWritable(() => this.conn?.socket.resume());
    }
  }

  private tunnelEnd(): void {
    if (this.r.conn.blocked) {
      this.r.conn.whenWritable(() => this.finish(OK));
      return;
    }
    this.finish(OK);
  }
}

const locIds = new WeakMap<object, number>();
let locCount = 0;
function locId(loc: object): number {
  let id = locIds.get(loc);
  if (id === undefined) locIds.set(loc, (id = ++locCount));
  return id;
}

function connectError(error: Error | undefined, secure: boolean): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ECONNREFUSED') return 'connect() failed (111: Connection refused) while connecting to upstream';
  if (code === 'ENOENT') return 'connect() failed (2: No such file or directory) while connecting to upstream';
  if (secure && error) return `SSL_do_handshake() failed (${error.message}) while SSL handshaking to upstream`;
  return `connect() failed (${code ?? error?.message ?? 'closed'}) while connecting to upstream`;
}

function closeTemp(temp: { fd: number; path: string }): void {
  closeSync(temp.fd);
  try {
    unlinkSync(temp.path);
  } catch {
    // already gone
  }
}

const errorPagesOf = (r: Request): ErrorPage[] => core.conf(r.loc).error_page ?? [];
