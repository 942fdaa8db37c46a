// Reads request heads from a connection: request line, fields, and the checks on both before the phases run.

import { type HeadHandler, type HeadRules, HeadScanner } from '../../../http/wire/head-scanner.ts';
import { findHeader, type HeaderField, learnField, parseHeaderLine } from '../../../http/wire/header.ts';
import { parseRequestLine } from '../../../http/wire/request-line.ts';
import { core } from '../config/core.ts';
import { anySet } from '../config/value.ts';
import type { Connection, HttpMain, ListenSocket, Loc, Request, VirtualHosts } from '../model/types.ts';
import { HttpRequest } from '../phases/http-request.ts';
import { runPhases } from '../phases/phases.ts';
import { OK } from '../request/codes.ts';
import { parseUri, validHost } from '../request/parse.ts';
import { stats } from './stats.ts';

/** Fields that must not be repeated. */
const UNIQUE_FIELDS = new Set(
  'host if-modified-since if-unmodified-since if-match if-none-match content-length content-range if-range transfer-encoding expect authorization depth destination overwrite'.split(
    ' ',
  ),
);

const isLineEnd = (c: number): boolean => c === 10 || c === 13;

let lastHost = '';
let lastHostParts: ReturnType<typeof validHost>;
/** validHost that remembers the last name, since most requests repeat it. */
function hostOf(text: string): ReturnType<typeof validHost> {
  if (text !== lastHost) {
    lastHostParts = validHost(text);
    lastHost = text;
  }
  return lastHostParts;
}

let lastLevel: Loc | null = null;
let lastRoot: Loc | null = null;
let lastRules: HeadRules = { methods: 'upper case', lineBytes: 0, headBytes: 0, isStrict: false };
/** Limits of a head. The last ones are remembered, since most requests are for one server. @param root  of the default server */
function headRules(level: Loc, root: Loc): HeadRules {
  if (level !== lastLevel || root !== lastRoot) {
    const { count, size } = core.conf(level).large_client_header_buffers;
    const lineBytes = Math.max(size, core.conf(root).client_header_buffer_size);
    lastRules = { methods: 'upper case', lineBytes, headBytes: count * size + lineBytes, isStrict: false };
    lastLevel = level;
    lastRoot = root;
  }
  return lastRules;
}

/** The connection whose heads are read. */
interface HeadReaderOwner extends Connection {
  readonly http: HttpMain;
  readonly listen: ListenSocket;
  readonly hosts: VirtualHosts;
  /** configuration of the default server */
  readonly rootLoc: Loc;
  requests: number;
  request: Request | null;
  /** bytes read but not parsed yet */
  readonly input: Buffer;
  /** The bytes read, as latin1, at most `limit` characters. */
  peekInput(limit: number): string;
  /** The first `count` bytes read are consumed; from then on the rest is in `input`. */
  dropInput(count: number): void;
  setTimer(ms: number, onDeadline: () => void): void;
  log(level: 'info', message: string): void;
  runPosted(): void;
}

/** Result of the request line of HTTP/0.9, which has no fields: the head ends with it. */
const HEADLESS = -1;

export class HeadReader implements HeadHandler {
  /** a request whose head is incomplete */
  head: HttpRequest | null = null;
  readonly #scanner = new HeadScanner();
  nextPipelined = false;

  readonly onTimeout = (): void => this.#headTimeout();

  readonly #conn: HeadReaderOwner;

  constructor(conn: HeadReaderOwner) {
    this.#conn = conn;
  }

  /** The request whose head is being read. */
  get #current(): HttpRequest {
    return this.head ?? this.#startHead();
  }

  #headTimeout(): void {
    this.#conn.log('info', 'client timed out (110: Connection timed out) while waiting for request');
    if (this.head) {
      this.head.out.status = 408;
      this.head.terminate(408);
    } else this.#conn.destroy();
  }

  #startHead(): HttpRequest {
    const r = new HttpRequest(this.#conn, this.#conn.http, this.#conn.hosts.defaultServer);
    r.method = '';
    r.pipelined = this.nextPipelined;
    this.nextPipelined = false;
    this.head = r;
    this.#scanner.reset();
    const c = core.conf(this.#conn.rootLoc);
    this.#conn.setTimer(c.client_header_timeout, this.onTimeout);
    return r;
  }

  /** Parses lines of a request head. Returns whether a request was completed. */
  parse(): boolean {
    const conn = this.#conn;
    const rules = headRules(this.head ? this.head.server.root : conn.rootLoc, conn.rootLoc);
    const text = conn.peekInput(rules.headBytes + 2);
    let start = 0;
    if (!this.head) {
      // empty lines before a request are skipped
      while (start < text.length && isLineEnd(text.charCodeAt(start))) start++;
      if (start === text.length) {
        conn.dropInput(start);
        return false;
      }
    }
    const r = this.head ?? this.#startHead();
    r.requestLength -= start;
    const result = this.#scanner.scan(text, start, rules, this);
    const { position } = this.#scanner;
    switch (result) {
      case 'more':
        this.#takeHeadBytes(r, position);
        return false;
      case 'end':
        return this.#headDone(r, position);
      case 'long line':
        return this.#refuseHead(r, position, 414, 'client sent too long URI while reading client request line');
      case 'long head':
        return this.#refuseHead(r, position, 494, 'client sent too long header line while reading client request headers');
      case 'bad method':
        return this.#refuseHead(r, position, 400, 'client sent invalid method while reading client request line');
      case 'bad line end':
        return this.#refuseHead(r, position, 400);
      case HEADLESS:
        return this.#headDone(r, position);
      default:
        return this.#refuseHead(r, position, result);
    }
  }

  /** Accepts a head that was received as fields, as in HTTP/2. @param fault  status of a refusal that is already certain */
  accept(head: { method: string; target: string; fields: readonly (readonly [name: string, value: string])[]; fault: number }): void {
    const r = this.#startHead();
    r.version = 2000;
    r.protocol = 'HTTP/2.0';
    r.method = head.method;
    r.rawUri = head.target;
    r.requestLine = `${head.method} ${head.target} HTTP/2.0`;
    r.requestLength = head.fields.reduce((sum, [name, value]) => sum + name.length + value.length + 4, r.requestLine.length + 4);
    let rc = head.fault || this.#checkStreamLine(r) || this.#takeTarget(r, head.target);
    for (const [name, value] of head.fields) if (rc === OK) rc = this.#takeLine(`${name}: ${value}`);
    if (rc === OK) this.#headDone(r, 0);
    else this.#refuseHead(r, 0, rc);
  }

  #checkStreamLine(r: HttpRequest): number {
    const problem = !/^[A-Z_-]+$/.test(r.method) ? 'invalid method' : r.rawUri.startsWith('/') ? '' : 'no valid :path header';
    if (!problem) return OK;
    r.log('info', `client sent ${problem}`);
    return 400;
  }

  #takeHeadBytes(r: HttpRequest, count: number): void {
    r.requestLength += count;
    this.#conn.dropInput(count);
  }

  #refuseHead(r: HttpRequest, used: number, status: number, reason?: string): boolean {
    this.#takeHeadBytes(r, used);
    this.#beginRequest(r);
    if (r.method === '') r.requestLength = 0;
    if (reason) r.log('info', reason);
    if (!r.requestLine && this.#conn.input.length > 0)
      r.requestLine = this.#conn.input.latin1Slice(0, Math.min(256, this.#conn.input.length)).split(/[\r\n]/, 1)[0];
    r.out.status = 0;
    r.keepalive = false;
    r.lingeringClose = true;
    this.#conn.active = r;
    r.finalize(status);
    this.#conn.runPosted();
    return false;
  }

  requestLine(line: string): number {
    const r = this.#current;
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
    r.protocol = parsed.protocol;
    // the target comes first, so that the log has it if the host is invalid
    if (parsed.plain) r.uri = parsed.rawUri;
    else {
      const rc = this.#takeTarget(r, parsed.rawUri);
      if (rc !== OK) return rc;
    }
    if (parsed.host || parsed.isAbsolute) {
      const host = hostOf(parsed.host);
      if (!host) {
        r.log('info', 'client sent invalid host in request line while reading client request line');
        return 400;
      }
      this.#setHost(r, host);
    }
    return r.version === 9 ? HEADLESS : OK;
  }

  #takeTarget(r: HttpRequest, target: string): number {
    if (r.method === 'CONNECT') {
      r.uri = '';
      return OK;
    }
    const uri = parseUri(target, core.conf(r.server.root).merge_slashes);
    if (!uri) {
      r.rawUri = '';
      r.log('info', 'client sent invalid request while reading client request line');
      return 400;
    }
    r.uri = uri.path;
    r.args = uri.args;
    // an absolute URI without a path is passed on with one
    if (target.startsWith('?')) r.validRawUri = false;
    return OK;
  }

  #setHost(r: HttpRequest, host: { name: string; port: string }): void {
    r.host = host.name;
    r.hostPort = host.port;
    const server = this.#conn.hosts.find(host.name, r);
    if (server) {
      r.server = server;
      r.loc = server.root;
    }
  }

  #takeLine(line: string): number {
    const field = learnField(line);
    return field ? this.field(field) : this.unusualField(line);
  }

  unusualField(line: string): number {
    const r = this.#current;
    const c = core.conf(r.server.root);
    const field = parseHeaderLine(line, c.underscores_in_headers, c.ignore_invalid_headers);
    if (field === 'invalid') {
      const bad = Math.max(0, line.search(/^:|[\x00-\x20\x7f]/));
      const code = (line.charCodeAt(bad) || 0).toString(16).padStart(2, '0');
      r.log('info', `client sent invalid header line: "${line.slice(0, bad)}\\x${code}..." while reading client request headers`);
      return 400;
    }
    if (field === 'ignored') {
      r.log('info', `client sent invalid header line: "${line}" while reading client request headers`);
      return OK;
    }
    return this.field(field);
  }

  field(field: HeaderField): number {
    const r = this.#current;
    const { lname, name, value } = field;
    const fields = r.headersIn;
    if (fields.length >= core.conf(r.server.root).max_headers) {
      r.log('info', 'client sent too many header lines while reading client request headers');
      return 400;
    }
    const previous = UNIQUE_FIELDS.has(lname) ? findHeader(fields, lname) : null;
    if (previous) {
      r.log(
        'info',
        `client sent duplicate ${lname === 'host' ? 'host header' : 'header line'}: "${name}: ${value}", previous value: "${previous.name}: ${previous.value}" while reading client request headers`,
      );
      return 400;
    }
    fields.push(field);
    if (lname !== 'host') return OK;
    const host = hostOf(value);
    if (!host) {
      r.log('info', 'client sent invalid host header while reading client request headers');
      return 400;
    }
    if (!r.host) this.#setHost(r, host);
    return OK;
  }

  #headDone(r: HttpRequest, used: number): boolean {
    this.#takeHeadBytes(r, used);
    this.#beginRequest(r);
    const rc = this.#checkHead(r);
    this.#conn.active = r;
    if (rc !== OK) {
      r.keepalive = false;
      r.finalize(rc);
    } else if (anySet(r, core.conf(r.server.root).client_body_early_read)) this.#readBodyFirst(r);
    else runPhases(r);
    this.#conn.runPosted();
    return true;
  }

  /** client_body_early_read: reads the body before a location is chosen, with the limits of the server. */
  #readBodyFirst(r: HttpRequest): void {
    const limit = core.conf(r.loc).client_max_body_size;
    if (limit > 0 && r.contentLength > limit) {
      r.log('error', `client intended to send too large body: ${r.contentLength} bytes`);
      r.expectTested = true;
      r.finalize(413);
      return;
    }
    this.#conn.readBody(r, (rc) => {
      if (rc !== OK) r.finalize(rc);
      else runPhases(r);
    });
  }

  #beginRequest(r: HttpRequest): void {
    this.head = null;
    this.#conn.request = r;
    this.#conn.requests++;
    stats.requestBegan();
    this.#conn.output.sent = 0;
    this.#conn.clearTimer();
    r.connBytesBefore = this.#conn.output.bytesSent;
  }

  /** Checks a complete head. */
  #checkHead(r: HttpRequest): number {
    if (!r.host) {
      const unnamed = this.#conn.hosts.find('');
      if (unnamed) {
        r.server = unnamed;
        r.loc = unnamed.root;
      }
    }
    if (r.version >= 1001 && r.headerIn('host') === null) {
      r.log('info', 'client sent HTTP/1.1 request without "Host" header while reading client request headers');
      return 400;
    }
    const length = r.headerIn('content-length');
    if (length !== null) {
      if (!/^\d{1,15}$/.test(length)) {
        r.log('info', 'client sent invalid "Content-Length" header while reading client request headers');
        return 400;
      }
      r.contentLength = Number(length);
    }
    const coding = r.headerIn('transfer-encoding');
    if (coding !== null) {
      if (r.version < 1001) {
        r.log('info', 'client sent HTTP/1.0 request with "Transfer-Encoding" header while reading client request headers');
        return 400;
      }
      if (coding.toLowerCase() !== 'chunked') {
        r.log('info', `client sent unknown "Transfer-Encoding": "${coding}" while reading client request headers`);
        return 501;
      }
      if (length !== null) {
        r.log('info', 'client sent "Content-Length" and "Transfer-Encoding" headers at the same time while reading client request headers');
        return 400;
      }
      r.chunkedIn = true;
    }
    const expectation = r.version < 1001 ? null : r.headerIn('expect');
    if (expectation && expectation.toLowerCase() !== '100-continue') {
      r.log('info', `client sent unknown expectation "${expectation}" while reading client request headers`);
      return 417;
    }
    if (this.#conn.http2?.bodyFollows && length === null) r.chunkedIn = true;
    const connection = r.headersJoined('connection')?.toLowerCase() ?? '';
    if (connection.includes('close')) r.keepalive = false;
    else if (connection.includes('keep-alive')) r.keepalive = true;
    else r.keepalive = r.version > 1000;
    if (r.method === 'TRACE') {
      r.log('info', 'client sent TRACE method while reading client request headers');
      return 405;
    }
    if (r.method === 'CONNECT' && !this.#conn.http.registry.has('tunnel')) {
      r.log('info', 'client sent CONNECT method while reading client request headers');
      return 405;
    }
    if (this.#conn.listen.options.ssl && !this.#conn.tls) {
      r.log('info', 'client sent plain HTTP request to HTTPS port while reading client request headers');
      return 497;
    }
    return this.#conn.tls ? this.#conn.tls.verify(r) : OK;
  }
}
