// A request: what came in, what is sent, and its way through the phases. Subrequests and internal redirects are requests on the same
// connection. Control flow is nginx's: handlers return codes (codes.ts), and a handler that returned AGAIN or DONE resumes the request later.
// The fields are documented in model/request-state.ts.
// One class, mostly of short methods, because modules and handlers hold a request and call it; the work is in the files that it calls.

import { nowMs } from '../../../http/wire/clock.ts';
import { findHeader, type HeaderField, joinHeader } from '../../../http/wire/header.ts';
import type { Captures, Regex } from '../../config/regex.ts';
import { type Level, logTo } from '../../log/error-log.ts';
import { core } from '../config/core.ts';
import type {
  BodyFilter,
  Connection,
  Handler,
  HttpMain,
  HttpModule,
  Loc,
  Postponed,
  Request,
  Server,
  SubrequestEnd,
  VariableDef,
} from '../model/types.ts';
import type { UpstreamReport, UpstreamState } from '../model/upstream-state.ts';
import type { RequestBody } from '../request/body.ts';
import { AGAIN, DECLINED, DONE, ERROR, HELD, HTTP_CLIENT_CLOSED, HTTP_CLOSE, OK, REQUEST_TIMEOUT } from '../request/codes.ts';
import { type BodyFlags, FILTER_ORDER, type FilterName, type Piece } from '../request/pieces.ts';
import { ResponseHead } from '../request/response.ts';
import { runPhases } from './phases.ts';
import { POSTPONE, postpone } from './postpone.ts';
import { specialResponse } from './special-response.ts';
import { endSubrequest, MAX_URI_CHANGES, startPostAction } from './subrequest.ts';

const NOTHING = (): void => {};

export class HttpRequest implements Request {
  readonly main: HttpRequest;
  bodyOwner: Request;
  server: Server;
  loc: Loc;
  method = 'GET';
  protocol = '';
  version = 1000;
  requestLine = '';
  rawUri = '';
  uri = '';
  args = '';
  emptyArgs = false;
  headersIn: HeaderField[] = [];
  host = '';
  hostPort = '';
  contentLength = -1;
  chunkedIn = false;
  body: RequestBody | null = null;

  out = new ResponseHead();
  errStatus = 0;
  headerSent = false;
  headerOnly = false;
  chunked = false;
  keepalive = false;
  pipelined = false;
  lingeringClose = false;
  allowRanges = false;
  overrideCharset = '';
  charsetSent = '';
  ranges: 'any' | 'ascending' | 'one' = 'any';
  needInMemory = false;
  needGunzip = false;
  disableNotModified = false;
  upgraded = false;
  expectTested = false;
  expectTrailers = false;

  addUriToAlias = false;
  internal = false;
  uriChanged = false;
  uriChanges = MAX_URI_CHANGES + 1;
  validRawUri = true;
  validLocation = true;
  errorPage = false;
  phaseIndex = 0;
  accessCode = 0;
  ctx: unknown[] = [];
  captures: Captures | null = null;
  vars: (string | null | undefined)[];
  contentHandler: Handler | null = null;
  resume: () => void = NOTHING;
  onAbort: (() => void) | null = null;
  done = false;
  complete = false;
  cutShort = false;
  finishing = false;
  background = false;
  inMemory = false;
  captured: Buffer[] = [];
  readonly isSub: boolean;
  depth = 0;
  postponed: Postponed[] = [];
  postHandler: SubrequestEnd | null = null;
  subrequests: Set<Request> | null = null;
  backgroundCount = 0;
  pendingClose = false;
  cleanups: (() => void)[] = [];
  buffered = 0;
  limitRate: number | null = null;
  limitRateAfter: number | null = null;
  requestLength = 0;
  readonly startMs: number;
  headerSize = 0;
  bodyBytes = 0;
  requestId = '';
  rangeSkip = 0;
  upstream: UpstreamReport | null = null;
  upstreamStates: (UpstreamState | ':')[] | null = null;
  /** bytes that the connection had sent when the head was read */
  connBytesBefore = 0;
  afterwards = false;
  endings: (() => void)[] = [];
  readonly #lasting: unknown[] = [];
  #chain: { order: number; run: BodyFilter; usesUp: boolean }[] = [];
  /** the filter after the one that holds the header back */
  #nextHeaderFilter = 0;
  logState = '';

  get bodyless(): boolean {
    return this.out.contentLength === 0;
  }

  emitText(text: string): void {
    this.headerSent = true;
    this.#chain = [];
    this.output([Buffer.from(text, 'latin1')], true);
  }

  constructor(
    readonly conn: Connection,
    readonly http: HttpMain,
    server: Server,
    readonly parent?: HttpRequest,
  ) {
    this.main = parent ? parent.main : this;
    this.bodyOwner = parent ? parent.bodyOwner : this;
    this.isSub = parent !== undefined;
    this.server = server;
    this.loc = server.root;
    this.vars = parent ? parent.vars : [];
    this.startMs = parent ? parent.startMs : nowMs();
  }

  // ---------------------------------------------------------------- accessors

  get block(): HttpMain {
    return this.http;
  }

  evaluate(def: VariableDef): string | null {
    return def.get(this);
  }

  variable(def: VariableDef): string | null {
    if (def.volatile || def.index === undefined) return def.get(this);
    const cached = this.vars[def.index];
    if (cached !== undefined) return cached;
    const value = def.get(this);
    this.vars[def.index] = value;
    return value;
  }

  headerIn(lname: string): string | null {
    return findHeader(this.headersIn, lname)?.value ?? null;
  }

  headersJoined(lname: string, separator = ', '): string | null {
    return joinHeader(this.headersIn, lname, separator) ?? null;
  }

  getCtx<T>(module: HttpModule): T | null {
    return (this.ctx[module.index] as T | undefined) ?? null;
  }

  setCtx(module: HttpModule, value: unknown): void {
    this.ctx[module.index] = value;
  }

  getMainCtx<T>(module: HttpModule): T | null {
    return (this.main.#lasting[module.index] as T | undefined) ?? null;
  }

  setMainCtx(module: HttpModule, value: unknown): void {
    this.main.#lasting[module.index] = value;
  }

  log(level: Level, message: string): void {
    const logs = this.loc.errorLogs;
    if (logs.length === 0) return;
    logTo(this.conn.debugLogs ?? logs, level, level === 'debug' ? message : message + this.#logTail(), this.conn.id);
  }

  /** `, client: ..., server: ..., request: ..., upstream: ...` */
  #logTail(): string {
    let tail = `${this.logState}, client: ${this.conn.remoteAddr}, server: ${this.server.name}`;
    if (this.main.requestLine) tail += `, request: "${this.main.requestLine}"`;
    if (this.isSub) tail += `, subrequest: "${this.uri}"`;
    const upstream = this.upstream?.describe();
    if (upstream) tail += `, upstream: "${upstream}"`;
    const host = findHeader(this.headersIn, 'host');
    if (host) tail += `, host: "${host.value}"`;
    const referrer = findHeader(this.headersIn, 'referer');
    if (referrer) tail += `, referrer: "${referrer.value}"`;
    for (const { name, value } of core.conf(this.loc).error_log_tag ?? []) tail += `, ${name}: "${value.eval(this)}"`;
    return tail;
  }

  setNamed(regex: Regex, captures: Captures | null): void {
    this.captures = captures;
    if (!captures) return;
    for (const [name, index] of regex.names) {
      const def = this.http.variables.find(name);
      if (def?.index === undefined) continue;
      const start = captures.offsets[index * 2];
      this.vars[def.index] = start < 0 ? null : captures.subject.slice(start, captures.offsets[index * 2 + 1]);
    }
  }

  extension(): string {
    const { uri } = this;
    for (let n = uri.length - 1; n > 1; n--) {
      const c = uri.charCodeAt(n);
      if (c === 46 && uri.charCodeAt(n - 1) !== 47) return uri.slice(n + 1);
      if (c === 47) return '';
    }
    return '';
  }

  setContentType(): void {
    if (this.out.contentType) return;
    const c = core.conf(this.loc);
    const extension = this.extension().toLowerCase();
    this.out.contentType = (extension && c.types.get(extension)) || c.default_type;
  }

  // ---------------------------------------------------------------- output

  addBodyFilter(name: FilterName, run: BodyFilter, usesUp = false): void {
    const order = FILTER_ORDER.indexOf(name);
    const at = this.#chain.findIndex((f) => f.order > order);
    this.#chain.splice(at < 0 ? this.#chain.length : at, 0, { order, run, usesUp });
  }

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
    return this.#runHeaderFilters(0);
  }

  #runHeaderFilters(from: number): number {
    const filters = this.http.headerFilters;
    for (let n = from; n < filters.length; n++) {
      const rc = filters[n].run(this);
      if (rc === HELD) this.#nextHeaderFilter = n + 1;
      if (rc !== OK) return rc === HELD ? OK : rc;
    }
    return OK;
  }

  continueHeader(): number {
    return this.#runHeaderFilters(this.#nextHeaderFilter);
  }

  forgetResponse(): void {
    this.headerSent = false;
    this.finishing = false;
    this.cutShort = true;
    this.ctx = [];
    this.out = new ResponseHead();
    this.resetFilters();
  }

  output(pieces: Piece[], last: boolean, flush = false): number {
    if (this.conn.error) return ERROR;
    return this.nextBody(pieces, { last, flush }, -1);
  }

  nextBody(pieces: Piece[], flags: BodyFlags, order: number): number {
    for (const filter of this.#chain) {
      if (filter.order <= order) continue;
      if (order < POSTPONE && filter.order > POSTPONE && (this.isSub || this.postponed.length > 0 || this.conn.active !== this)) break;
      return filter.run(this, pieces, flags, filter.order);
    }
    if (order < POSTPONE && (this.isSub || this.postponed.length > 0 || this.conn.active !== this)) return postpone(this, pieces, flags);
    return this.main.#emit(pieces, flags);
  }

  /** After the filters of the main request: framing, then the connection. */
  #emit(pieces: Piece[], flags: BodyFlags): number {
    if (this.headerOnly) return OK;
    return this.conn.output.sendBody(this, pieces, flags);
  }

  /** The output of this request is sent next. */
  get #inTurn(): boolean {
    return !this.isSub && this.postponed.length === 0 && this.conn.active === this;
  }

  get passesStraight(): boolean {
    const { conn } = this;
    return this.#chain.length === 0 && this.#inTurn && !conn.tls && !conn.http2;
  }

  get filtersUseUp(): boolean {
    return this.#chain.length > 0 && this.#chain[0].usesUp && this.#inTurn;
  }

  usesUpWhole(bytes: number): boolean {
    return this.filtersUseUp || (this.passesStraight && this.conn.output.copiesWhole(this, bytes));
  }

  get blocked(): boolean {
    return this.conn.output.blocked;
  }

  write(): void {
    if (this.conn.error) {
      this.finalize(ERROR);
      return;
    }
    const rc = this.nextBody([], { last: false, flush: false }, -1);
    if (rc === ERROR) {
      this.finalize(ERROR);
      return;
    }
    if (this.buffered || this.postponed.length > 0 || (!this.isSub && this.conn.output.buffered)) {
      this.finishing = !this.isSub;
      return;
    }
    this.finalize(rc);
  }

  // ---------------------------------------------------------------- ends

  makeSub(): HttpRequest {
    return new HttpRequest(this.conn, this.http, this.server, this);
  }

  finalize(rc: number): void {
    if (this.done || rc === DONE) return;
    if (rc === AGAIN) rc = OK;
    if (rc === DECLINED) {
      this.contentHandler = null;
      runPhases(this);
      return;
    }
    if (this.isSub && this.postHandler) {
      const handler = this.postHandler;
      this.postHandler = null;
      rc = handler(this, rc);
    }
    if (rc === ERROR || rc === REQUEST_TIMEOUT || rc === HTTP_CLIENT_CLOSED || this.conn.error) {
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
    if (this.isSub) endSubrequest(this);
    else this.#finalizeMain();
  }

  #finalizeMain(): void {
    if (this.buffered || this.postponed.length > 0 || this.conn.output.buffered) {
      this.finishing = true;
      this.resume = () => this.write();
      if (this.conn.active === this && this.postponed.length > 0) this.conn.post(this);
      return;
    }
    this.#closeMain(OK);
  }

  backgroundEnded(): void {
    this.backgroundCount--;
    if (this.backgroundCount === 0 && this.pendingClose) this.#closeMain(OK);
  }

  #closeMain(rc: number): void {
    if (!this.afterwards && !this.conn.error) startPostAction(this);
    if (this.backgroundCount > 0 && !this.conn.error) {
      this.pendingClose = true;
      return;
    }
    this.done = true;
    this.complete = !this.cutShort;
    this.runLogHandlers(false);
    this.#release();
    this.conn.requestDone(this, rc);
  }

  terminate(rc: number): void {
    const { main } = this;
    if (this !== main && !this.done) {
      this.done = true;
      this.runCleanups();
    }
    if (main.done) return;
    if (rc > 0 && (main.out.status === 0 || this.conn.output.bytesSent === main.connBytesBefore)) main.out.status = rc;
    main.done = true;
    main.keepalive = false;
    main.runLogHandlers(false);
    main.#release();
    if (rc === ERROR && main.headerSent && !this.conn.error) this.conn.cut();
    else if (rc === HTTP_CLOSE) this.conn.abandon(main.loc);
    else this.conn.destroy();
  }

  /** The main request has ended, and with it the subrequests that are part of its output. */
  #release(): void {
    for (const sub of this.subrequests ?? []) {
      if (sub.background) continue;
      sub.done = true;
      sub.runCleanups();
    }
    this.runCleanups();
  }

  whenSent(run: () => void): void {
    const owner = this.background ? this : this.main;
    if (owner.done) run();
    else owner.cleanups.push(run);
  }

  runCleanups(): void {
    const { cleanups, endings } = this;
    if (cleanups.length + endings.length === 0) return;
    this.cleanups = [];
    this.endings = [];
    for (const cleanup of cleanups) cleanup();
    for (const ending of endings) ending();
  }

  runLogHandlers(sub: boolean): void {
    if (sub && !core.conf(this.loc).log_subrequest) return;
    if (!sub) this.logState = ' while logging request';
    for (const handler of this.http.phases.log) handler(this);
    this.logState = '';
  }

  resetFilters(): void {
    this.#chain = [];
    this.needInMemory = this.inMemory;
  }
}
