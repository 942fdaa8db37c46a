/**
 * A request: what came in, what goes out, and its way through the phases. Subrequests and internal redirects are requests on the
 * same connection. Control flow is nginx's: handlers return codes (codes.ts), and whoever returned AGAIN or DONE resumes later.
 */
import { type Level, logTo } from '../log/error-log.ts';
import type { RequestBody } from './body.ts';
import { AGAIN, DECLINED, DONE, ERROR, HTTP_CLIENT_CLOSED, HTTP_CLOSE, OK } from './codes.ts';
import type { HttpMain, Loc, Server } from './conf.ts';
import type { Connection } from './connection.ts';
import { core } from './core.ts';
import { findHeader, type HeaderField, joinHeader } from './header.ts';
import { type BodyFilter, type BodyFlags, FILTER_ORDER, type FilterName, type Handler, type HttpModule, type Piece } from './module.ts';
import { runPhases } from './phases.ts';
import type { Captures, Regex } from './regex.ts';
import { ResponseHead } from './response.ts';
import { specialResponse } from './special-response.ts';
import type { VariableDef } from './variables.ts';

const NOTHING = (): void => {};
const POSTPONE = FILTER_ORDER.indexOf('postpone');
export const MAX_URI_CHANGES = 10;
const MAX_SUBREQUEST_DEPTH = 50;

interface Postponed {
  request?: Request;
  pieces?: Piece[];
  last?: boolean;
}

export interface SubrequestOptions {
  /** collect the output instead of sending it */
  inMemory?: boolean;
  /** output is thrown away and the main request does not wait for it */
  background?: boolean;
  /** no body is produced */
  headerOnly?: boolean;
  /** runs when the subrequest ends; returns the code to go on with */
  done?: (sub: Request, rc: number) => number;
  method?: string;
}

export class Request {
  readonly main: Request;
  server: Server;
  loc: Loc;
  method = 'GET';
  protocol = '';
  version = 1000;
  requestLine = '';
  /** URI as the client sent it, with query */
  rawUri = '';
  uri = '';
  args = '';
  headersIn: HeaderField[] = [];
  /** host without port, lower case */
  host = '';
  hostPort = '';
  contentLength = -1;
  chunkedIn = false;
  keepAliveIn = false;
  body: RequestBody | undefined;

  out = new ResponseHead();
  /** status that replaces the one of the response: an error page being sent */
  errStatus = 0;
  headerSent = false;
  headerOnly = false;
  chunked = false;
  keepalive = false;
  /** its head was there before the request before it had ended */
  pipelined = false;
  lingeringClose = false;
  allowRanges = false;
  singleRange = false;
  /** a filter wants bytes in memory, not file regions */
  needInMemory = false;
  /** a filter after this needs plain text, whatever the client accepts */
  needGunzip = false;
  disableNotModified = false;
  upgraded = false;
  expectTested = false;
  expectTrailers = false;
  bypassCache = false;

  internal = false;
  uriChanged = false;
  uriChanges = MAX_URI_CHANGES + 1;
  /** the raw URI still stands for `uri` */
  validRawUri = true;
  errorPage = false;
  /** phases resume here */
  phaseIndex = 0;
  /** access phase: a handler of `satisfy any` refused with this */
  accessCode = 0;
  ctx: unknown[] = [];
  captures: Captures | undefined;
  vars: (string | null | undefined)[];
  contentHandler: Handler | undefined;
  /** what to do when the connection can take more, or a subrequest ended */
  resume: () => void = NOTHING;
  /** called when the client goes away while the request is being worked on */
  onAbort: (() => void) | undefined;
  done = false;
  /** finalized, but not all is sent yet */
  finishing = false;
  background = false;
  inMemory = false;
  captured: Buffer[] = [];
  readonly isSub: boolean;
  depth = 0;
  postponed: Postponed[] = [];
  postHandler: SubrequestOptions['done'];
  /** main: running background subrequests */
  backgroundCount = 0;
  pendingClose = false;
  cleanups: (() => void)[] = [];
  /** bits of filters that hold data back */
  buffered = 0;
  limitRate: number | undefined;
  limitRateAfter: number | undefined;
  requestLength = 0;
  readonly startMs: number;
  headerSize = 0;
  bodyBytes = 0;
  requestId = '';
  /** bytes of the whole that were never produced: ranges count from there */
  rangeSkip = 0;

  /** nothing was produced by a request that ended well */
  get bodyless(): boolean {
    return this.out.contentLength === 0;
  }

  /** Puts text into the output of a subrequest that failed. */
  emitText(text: string): void {
    this.headerSent = true;
    this.out.status = 200;
    this.chain = [];
    this.output([Buffer.from(text, 'latin1')], true);
  }

  private chain: { order: number; run: BodyFilter }[] = [];

  constructor(
    readonly conn: Connection,
    readonly http: HttpMain,
    server: Server,
    readonly parent?: Request,
  ) {
    this.main = parent ? parent.main : this;
    this.isSub = parent !== undefined;
    this.server = server;
    this.loc = server.root;
    this.vars = parent ? parent.vars : [];
    this.startMs = parent ? parent.startMs : Date.now();
  }

  // ---------------------------------------------------------------- access to things

  variable(def: VariableDef): string | null {
    if (def.volatile || def.index === undefined) return def.get(this);
    const cached = this.vars[def.index];
    if (cached !== undefined) return cached;
    const value = def.get(this);
    this.vars[def.index] = value;
    return value;
  }

  headerIn(lname: string): string | undefined {
    return findHeader(this.headersIn, lname)?.value;
  }

  headersJoined(lname: string, separator = ', '): string | undefined {
    return joinHeader(this.headersIn, lname, separator);
  }

  getCtx<T>(module: HttpModule): T | undefined {
    return this.ctx[module.index] as T | undefined;
  }

  setCtx(module: HttpModule, value: unknown): void {
    this.ctx[module.index] = value;
  }

  /** Notes of a module that outlive internal redirects; shared with subrequests. */
  getMainCtx<T>(module: HttpModule): T | undefined {
    return this.main.lasting[module.index] as T | undefined;
  }

  setMainCtx(module: HttpModule, value: unknown): void {
    this.main.lasting[module.index] = value;
  }

  private readonly lasting: unknown[] = [];
  /** run after the request was logged */
  endings: (() => void)[] = [];

  log(level: Level, message: string): void {
    const logs = this.loc.errorLogs;
    const rank = logs[0] === undefined ? -1 : 0;
    if (rank < 0) return;
    if (level === 'debug' || level === 'info') {
      logTo(this.conn.debugLogs ?? logs, level, `${message}${level === 'info' ? this.logTail() : ''}`, this.conn.id);
      return;
    }
    logTo(this.conn.debugLogs ?? logs, level, message + this.logTail(), this.conn.id);
  }

  /** `, client: ..., server: ..., request: ...` */
  private logTail(): string {
    let tail = `, client: ${this.conn.remoteAddr}, server: ${this.server.name}`;
    if (this.main.requestLine) tail += `, request: "${this.main.requestLine}"`;
    if (this.isSub) tail += `, subrequest: "${this.uri}"`;
    const host = findHeader(this.headersIn, 'host');
    if (host) tail += `, host: "${host.value}"`;
    return tail;
  }

  setNamed(regex: Regex, captures: Captures | undefined): void {
    this.captures = captures;
    if (!captures) return;
    for (const [name, index] of regex.names) {
      const def = this.http.variables.find(name);
      if (def?.index === undefined) continue;
      const start = captures.offsets[index * 2];
      this.vars[def.index] = start < 0 ? null : captures.subject.slice(start, captures.offsets[index * 2 + 1]);
    }
  }

  /** extension of the last path segment, '' if none */
  extension(): string {
    const { uri } = this;
    for (let n = uri.length - 1; n > 1; n--) {
      const c = uri.charCodeAt(n);
      if (c === 46 && uri.charCodeAt(n - 1) !== 47) return uri.slice(n + 1);
      if (c === 47) return '';
    }
    return '';
  }

  /** Sets the content type from the extension. */
  setContentType(): void {
    if (this.out.contentType) return;
    const c = core.conf(this.loc);
    const extension = this.extension().toLowerCase();
    this.out.contentType = (extension && c.types.get(extension)) || c.default_type;
  }

  // ---------------------------------------------------------------- output

  addBodyFilter(name: FilterName, run: BodyFilter): void {
    const order = FILTER_ORDER.indexOf(name);
    const at = this.chain.findIndex((f) => f.order > order);
    if (at < 0) this.chain.push({ order, run });
    else this.chain.splice(at, 0, { order, run });
  }

  /** Runs the header filters, which end in writing the header. */
  sendHeader(): number {
    if (this.headerSent) {
      this.log('alert', 'header already sent');
      return ERROR;
    }
    if (this.errStatus) {
      this.out.status = this.errStatus;
      this.out.statusLine = '';
    }
    this.headerSent = true;
    for (const filter of this.http.headerFilters) {
      const rc = filter.run(this);
      if (rc !== OK) return rc;
    }
    return OK;
  }

  /** Sends body pieces into the filters. */
  output(pieces: Piece[], last: boolean, flush = false): number {
    if (this.conn.error) return ERROR;
    return this.nextBody(pieces, { last, flush }, -1);
  }

  nextBody(pieces: Piece[], flags: BodyFlags, order: number): number {
    for (const filter of this.chain) {
      if (filter.order <= order) continue;
      if (order < POSTPONE && filter.order > POSTPONE && (this.isSub || this.postponed.length > 0 || this.conn.active !== this)) break;
      return filter.run(this, pieces, flags, filter.order);
    }
    if (order < POSTPONE && (this.isSub || this.postponed.length > 0 || this.conn.active !== this)) return this.postpone(pieces, flags);
    return this.main.emit(pieces, flags);
  }

  /** Keeps the output of parallel subrequests in order of their creation. */
  private postpone(pieces: Piece[], flags: BodyFlags): number {
    if (this.background || this.headerOnly) return OK;
    if (this.inMemory) {
      for (const piece of pieces) if (Buffer.isBuffer(piece)) this.captured.push(piece);
      return OK;
    }
    const last = flags.last && !this.isSub;
    if (this !== this.conn.active) {
      if (pieces.length > 0 || last) this.postponed.push({ pieces, last });
      return OK;
    }
    if (this.postponed.length === 0) {
      return pieces.length > 0 || last || flags.flush ? this.main.nextBody(pieces, { last, flush: flags.flush }, POSTPONE) : OK;
    }
    if (pieces.length > 0 || last) this.postponed.push({ pieces, last });
    return this.flushPostponed();
  }

  private flushPostponed(): number {
    while (this.postponed.length > 0) {
      const item = this.postponed[0];
      // a subrequest stays in the list while it runs, so that its parent does not take itself for finished
      if (item.request && !(item.request.done && item.request.postponed.length === 0)) {
        this.conn.active = item.request;
        this.conn.post(item.request);
        return OK;
      }
      this.postponed.shift();
      if (item.request) continue;
      const rc = this.main.nextBody(item.pieces!, { last: item.last!, flush: false }, POSTPONE);
      if (rc === ERROR) return rc;
    }
    return OK;
  }

  /** End of the main request's filters: framing, then the connection. */
  private emit(pieces: Piece[], flags: BodyFlags): number {
    if (this.headerOnly) return OK;
    return this.conn.output.sendBody(this, pieces, flags);
  }

  /** What is put out goes to the client's plain socket as it is. */
  get passesStraight(): boolean {
    const { conn } = this;
    return this.chain.length === 0 && !this.isSub && this.postponed.length === 0 && conn.active === this && !conn.tls && !conn.http2;
  }

  /** True while the client is slower than what is produced. */
  get blocked(): boolean {
    return this.main.conn.output.blocked || this.limitRateWaiting;
  }

  get limitRateWaiting(): boolean {
    return false;
  }

  /** Continues filters that hold data, or sends what subrequests left behind. */
  private writer(): void {
    if (this.conn.error) {
      this.finalize(ERROR);
      return;
    }
    const rc = this.nextBody([], { last: false, flush: false }, -1);
    if (rc === ERROR) {
      this.finalize(ERROR);
      return;
    }
    if (this.buffered || this.postponed.length > 0 || (!this.isSub && this.conn.output.buffered)) return;
    this.finalize(rc);
  }

  // ---------------------------------------------------------------- ends

  /** Ends the request with a code: OK, a status that becomes an error page, or ERROR. */
  finalize(rc: number): void {
    if (this.done || rc === DONE) return;
    if (rc === AGAIN) rc = OK;
    if (rc === DECLINED) {
      this.contentHandler = undefined;
      runPhases(this);
      return;
    }
    if (this.isSub && this.postHandler) {
      const handler = this.postHandler;
      this.postHandler = undefined;
      rc = handler(this, rc);
    }
    if (rc === ERROR || rc === HTTP_CLIENT_CLOSED || this.conn.error) {
      this.terminate(rc);
      return;
    }
    if (rc >= 300 || rc === 201 || rc === 204) {
      if (rc === HTTP_CLOSE) {
        this.out.status = HTTP_CLOSE;
        this.main.terminate(rc);
        return;
      }
      this.resume = NOTHING;
      this.finalize(specialResponse(this, rc));
      return;
    }
    if (this.isSub) this.finalizeSub();
    else this.finalizeMain();
  }

  private finalizeSub(): void {
    if (this.background) {
      this.done = true;
      this.runCleanups();
      this.runLogHandlers(true);
      this.main.backgroundEnded();
      return;
    }
    if (this.buffered || this.postponed.length > 0) {
      if (this === this.conn.active && this.postponed.length > 0 && !this.buffered) {
        this.flushPostponed();
        if (this.postponed.length === 0) {
          this.finalizeSub();
          return;
        }
      }
      this.resume = () => this.writer();
      return;
    }
    if (this === this.conn.active) {
      this.done = true;
      this.conn.active = this.parent;
    } else if (this.inMemory || this.headerOnly) {
      this.done = true;
    } else {
      // output is held until it is this request's turn
      this.done = true;
      const item = this.parent!.postponed.find((p) => p.request === this);
      if (item && this.postponed.length === 0) item.request!.done = true;
    }
    this.runCleanups();
    this.runLogHandlers(true);
    this.conn.post(this.parent!);
  }

  private finalizeMain(): void {
    if (this.buffered || this.postponed.length > 0 || this.conn.output.buffered) {
      this.finishing = true;
      this.resume = () => this.writer();
      if (this.conn.active === this && this.postponed.length > 0) this.conn.post(this);
      return;
    }
    this.closeMain(OK);
  }

  private backgroundEnded(): void {
    this.backgroundCount--;
    if (this.backgroundCount === 0 && this.pendingClose) this.closeMain(OK);
  }

  private closeMain(rc: number): void {
    if (this.backgroundCount > 0 && !this.conn.error) {
      this.pendingClose = true;
      return;
    }
    this.done = true;
    this.runLogHandlers(false);
    this.runCleanups();
    this.conn.requestDone(this, rc);
  }

  /** Ends at once: nothing more is sent. */
  terminate(rc: number): void {
    const { main } = this;
    if (main.done) return;
    if (rc > 0 && (main.out.status === 0 || this.conn.output.bytesSent === main.connBytesBefore)) main.out.status = rc;
    if (this !== main && !this.done) {
      this.done = true;
      this.runCleanups();
    }
    main.done = true;
    main.keepalive = false;
    main.runLogHandlers(false);
    main.runCleanups();
    if (rc === ERROR && main.headerSent && !this.conn.error) this.conn.cut();
    else if (rc === HTTP_CLOSE) this.conn.abandon(main.loc);
    else this.conn.destroy();
  }

  connBytesBefore = 0;

  runCleanups(): void {
    const { cleanups, endings } = this;
    if (cleanups.length + endings.length === 0) return;
    this.cleanups = [];
    this.endings = [];
    for (const cleanup of cleanups) cleanup();
    for (const ending of endings) ending();
  }

  private runLogHandlers(sub: boolean): void {
    if (sub && !core.conf(this.loc).log_subrequest) return;
    for (const handler of this.http.phases.log) handler(this);
  }

  // ---------------------------------------------------------------- other ways to go on

  /** Restarts the phases with another URI. */
  internalRedirect(uri: string, args: string): number {
    this.uriChanges--;
    if (this.uriChanges === 0) {
      this.log('error', `rewrite or internal redirection cycle while internally redirecting to "${uri}"`);
      this.finalize(500);
      return DONE;
    }
    this.uri = uri;
    this.args = args;
    this.ctx = [];
    this.loc = this.server.root;
    this.resetFilters();
    this.internal = true;
    this.validRawUri = false;
    this.phaseIndex = this.http.serverRewriteIndex;
    this.contentHandler = undefined;
    runPhases(this);
    return DONE;
  }

  /** Continues in a named location (`@name`). */
  namedLocation(name: string): number {
    this.uriChanges--;
    if (this.uriChanges === 0) {
      this.log('error', `rewrite or internal redirection cycle while redirect to named location "${name}"`);
      this.finalize(500);
      return DONE;
    }
    const loc = this.server.named.get(name);
    if (!loc) {
      this.log('error', `could not find named location "${name}"`);
      this.finalize(500);
      return DONE;
    }
    this.internal = true;
    this.contentHandler = undefined;
    this.loc = loc;
    this.ctx = [];
    this.resetFilters();
    this.updateLocation();
    this.phaseIndex = this.http.rewriteIndex;
    runPhases(this);
    return DONE;
  }

  resetFilters(): void {
    this.chain = [];
    this.needInMemory = false;
  }

  /** Applies what depends on the location right after it was found. */
  updateLocation(): void {
    const { exceptMethods, exceptLoc } = this.loc;
    if (exceptMethods && exceptLoc && !exceptMethods.has(this.method)) this.loc = exceptLoc;
    const c = core.conf(this.loc);
    if (!this.isSub && this.keepalive) {
      if (c.keepalive_timeout.timeoutMs === 0) this.keepalive = false;
      else if (this.conn.requests >= c.keepalive_requests) this.keepalive = false;
      else if (Date.now() - this.conn.startMs > c.keepalive_time) this.keepalive = false;
      else if (!c.keepalive_disable.has('none')) {
        const agent = this.headerIn('user-agent');
        if (agent !== undefined) {
          if (c.keepalive_disable.has('msie6') && this.method === 'POST' && /MSIE [4-6]\./.test(agent)) this.keepalive = false;
          if (c.keepalive_disable.has('safari') && /Mac OS X/.test(agent) && /Safari\//.test(agent) && !/Chrome\//.test(agent))
            this.keepalive = false;
        }
      }
    }
    if (this.loc.handler) this.contentHandler = this.loc.handler;
  }

  /**
   * Starts a subrequest. Its output goes into this request's output at this point.
   * @returns undefined: too deep
   */
  subrequest(uri: string, args: string, options: SubrequestOptions = {}): Request | undefined {
    if (this.depth >= MAX_SUBREQUEST_DEPTH) {
      this.log('error', `subrequests cycle while processing "${uri}"`);
      return undefined;
    }
    const sub = new Request(this.conn, this.http, this.server, this);
    sub.depth = this.depth + 1;
    sub.method = options.method ?? 'GET';
    sub.protocol = this.protocol;
    sub.version = this.version;
    sub.requestLine = this.main.requestLine;
    sub.rawUri = this.rawUri;
    sub.uri = uri;
    sub.args = args;
    sub.headersIn = this.headersIn;
    sub.host = this.host;
    sub.hostPort = this.hostPort;
    sub.contentLength = this.contentLength;
    sub.body = this.body;
    sub.internal = true;
    sub.validRawUri = false;
    sub.expectTested = true;
    sub.captures = undefined;
    sub.keepalive = this.keepalive;
    sub.uriChanges = MAX_URI_CHANGES + 1;
    sub.inMemory = options.inMemory ?? false;
    sub.background = options.background ?? false;
    sub.headerOnly = options.headerOnly ?? false;
    sub.postHandler = options.done;
    if (sub.background) this.main.backgroundCount++;
    else if (!sub.inMemory && !sub.headerOnly) {
      if (this.conn.active === this && this.postponed.length === 0) this.conn.active = sub;
      this.postponed.push({ request: sub });
    }
    sub.phaseIndex = this.http.serverRewriteIndex;
    sub.resume = () => runPhases(sub);
    this.conn.post(sub);
    return sub;
  }
}
