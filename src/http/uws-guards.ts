// hyper-express and uWebSockets with guards against problems found by measurement (docs/operations.md, "The HTTP listener"). Each has a
// test in test/unit/http/listeners.test.ts or slow-transfers.test.ts; the numbers are those of the list.
//   1 framing headers are counted in the one pass over the head and refused before any body is read
//   2 that refusal is sent a turn later: one sent at once would let the rest of the read run as the next request
//   3 endWithoutBody writes its own Content-Length: the native one writes 2^63 - 1
//   4 CR, LF, NUL in response header values (listener.ts)         7 chunked output in pieces of 15,000 bytes (uws-reply.ts)
//   5 a thread ends by close and exit in one turn                 8 bodies by our own onData, which settles on aborts (uws-body.ts)
//   6 uncaughtException in every thread with a listener           9 413 at once when Content-Length is above the limit
//  10 pause and resume every 4 s keep slow transfers alive       11 Connection: close is answered with the header
//  12 the port is probed before listening                        13 methods keep their case (hyper-express-listener.ts)
import hyperExpressModule from 'hyper-express';
import { checkFraming, type FramingHeaders } from './framing.ts';
import { refusalBody } from './listener.ts';

/** The part of uWebSockets' HttpResponse that is used. */
export interface RawResponse {
  cork(call: () => void): RawResponse;
  writeStatus(status: string): RawResponse;
  writeHeader(name: string, value: string): RawResponse;
  write(chunk: string | Uint8Array): boolean;
  tryEnd(chunk: string | Uint8Array, total: number): [boolean, boolean];
  end(body?: string | Uint8Array, closeConnection?: boolean): RawResponse;
  endWithoutBody(length?: number, closeConnection?: boolean): RawResponse;
  onData(call: (chunk: ArrayBuffer, isLast: boolean) => void): RawResponse;
  onWritable(call: (offset: number) => boolean): RawResponse;
  getWriteOffset(): number;
  getRemoteAddressAsText(): ArrayBuffer;
  /** The verified certificate of the client in PEM; empty if it sent none. */
  getX509Certificate(): string;
  pause(): void;
  resume(): void;
  close(): RawResponse;
}

interface RawRequest {
  getCaseSensitiveMethod(): string;
  forEach(call: (name: string, value: string) => void): void;
}

/** The part of hyper-express' Request and Response that is used. `_body_parser_*` are private there: checked at load. */
export interface HyperRequest {
  headers: Record<string, string>;
  method: string;
  path: string;
  path_query: string;
  _raw_response: RawResponse;
  _query: string;
  received: boolean;
  _body_parser_run(response: HyperResponse, limit: number): boolean;
  _body_parser_stop(): void;
  /** Ours: the method as sent. */
  sentMethod: string;
  /** Ours: bytes announced (null chunked), set by guard 1. */
  bodyLength: number | null;
  /** Ours: called when the client disconnects. */
  whenAborted: (() => void) | null;
}

export interface HyperResponse {
  completed: boolean;
  status(code: number, reason?: string): HyperResponse;
  header(name: string, value: string | readonly string[], overwrite?: boolean): HyperResponse;
  send(body?: string | Uint8Array, close?: boolean): HyperResponse;
  atomic(call: () => void): HyperResponse;
  close(): void;
  route: { app: HyperServer };
}

/** The part of an app of uWebSockets that is used. */
interface UwsApp {
  close(): void;
  /** Identifies the app to another one. */
  getDescriptor(): unknown;
  /** From now on the children get the connections that this app accepts. */
  addChildAppDescriptor(child: unknown): void;
  removeChildAppDescriptor(child: unknown): void;
}

export interface HyperServer {
  any(pattern: string, handler: (request: HyperRequest, response: HyperResponse) => void): void;
  listen(port: number, host: string): Promise<unknown>;
  /** Registers the routes with uWebSockets, as `listen` does. */
  _compile(): void;
  uws_instance: UwsApp;
  _resolve_pending_request(): void;
}

interface HyperExpress {
  Server: new (options: Record<string, unknown>) => HyperServer;
  Request: { prototype: HyperRequest };
}

// biome-ignore lint/plugin: its types omit the private members that the guards need
const hyperExpress = hyperExpressModule as unknown as HyperExpress;
const STATUS_WITHOUT_LENGTH = new Set(['204', '304']);

let loaded: HyperExpress | null = null;
let maxContentLength = Number.MAX_SAFE_INTEGER;

/**
 * hyper-express with guards 1, 2, 3 and 9 in place. `limit`: largest Content-Length accepted.
 * @throws Error no binary for this Node and platform, or a private member that the guards need is missing
 */
export function loadGuardedHyperExpress(limit: number): HyperExpress {
  maxContentLength = limit;
  if (loaded) return loaded;
  guardRequests(hyperExpress.Request.prototype);
  loaded = hyperExpress;
  return hyperExpress;
}

/** Names of private members of hyper-express that no longer exist; empty while the guards work. */
export function missingPrivateMembers(): string[] {
  const { Request, Server } = hyperExpress;
  const missing = ['_body_parser_run', '_body_parser_stop'].filter((name) => !(name in Request.prototype));
  if (!('_handle_uws_request' in Server.prototype)) missing.push('_handle_uws_request');
  if (!('_resolve_pending_request' in Server.prototype)) missing.push('_resolve_pending_request');
  if (!('_compile' in Server.prototype)) missing.push('_compile');
  return missing;
}

/** Head of the request under construction: hyper-express reads it and runs its body parser in one turn. */
let readHeaders: Record<string, string> = {};
let readMethod = '';
const counts: FramingHeaders = { hostCount: 0, contentLengthCount: 0, transferEncodingCount: 0 };

function guardRequests(prototype: HyperRequest): void {
  const missing = missingPrivateMembers();
  if (missing.length > 0) throw new Error(`hyper-express has changed: no ${missing.join(', ')}; the guards of src/http cannot work`);
  guardForEach();
  prototype._body_parser_run = function (this: HyperRequest, response: HyperResponse): boolean {
    this.headers = readHeaders;
    this.sentMethod = readMethod;
    this.whenAborted = null;
    guardRawResponse(this._raw_response);
    const framing = checkFraming(counts, readHeaders);
    if (!framing.ok) return refuse(response, 400, framing.reason);
    if (framing.length !== null && framing.length > maxContentLength)
      return refuse(response, 413, `request body of ${framing.length} bytes is larger than the limit of ${maxContentLength}`);
    this.bodyLength = framing.length;
    return true;
  };
  prototype._body_parser_stop = function (this: HyperRequest): void {
    this.whenAborted?.();
  };
}

/** Guard 1: counts and collects in one pass over the head. All requests of uWebSockets share a prototype, which is available from the first. */
function guardForEach(): void {
  // a private method, checked at load
  const prototype = hyperExpress.Server.prototype as Record<string, (...args: unknown[]) => unknown>;
  const handle = prototype._handle_uws_request;
  const count = (name: string, value: string): void => {
    const earlier = readHeaders[name];
    readHeaders[name] = earlier === undefined ? value : `${earlier}, ${value}`;
    if (name === 'host') counts.hostCount++;
    else if (name === 'content-length') counts.contentLengthCount++;
    else if (name === 'transfer-encoding') counts.transferEncodingCount++;
  };
  let isPatched = false;
  prototype._handle_uws_request = function (this: unknown, ...args: unknown[]): unknown {
    if (!isPatched) {
      isPatched = true;
      const requests = Object.getPrototypeOf(args[1]) as RawRequest;
      const forEach = requests.forEach;
      requests.forEach = function (this: RawRequest): void {
        readHeaders = {};
        counts.hostCount = counts.contentLengthCount = counts.transferEncodingCount = 0;
        forEach.call(this, count);
      };
    }
    // Guard 13: hyper-express requests the method in lower case, which uWebSockets converts in place: read it as sent first.
    readMethod = (args[1] as RawRequest).getCaseSensitiveMethod();
    return handle.apply(this, args);
  };
}

/** Guard 3; it needs the status line that was written. */
/** Those of plain and of TLS connections have different prototypes. */
const guardedResponses = new WeakSet<object>();
function guardRawResponse(raw: RawResponse): void {
  const prototype = Object.getPrototypeOf(raw) as RawResponse;
  if (guardedResponses.has(prototype)) return;
  guardedResponses.add(prototype);
  const { endWithoutBody, writeStatus } = prototype;
  let lastStatus = '';
  prototype.writeStatus = function (this: RawResponse, status: string): RawResponse {
    lastStatus = status;
    return writeStatus.call(this, status);
  };
  prototype.endWithoutBody = function (this: RawResponse, length?: number, close?: boolean): RawResponse {
    if (close) this.writeHeader('Connection', 'close');
    if (length !== undefined && !STATUS_WITHOUT_LENGTH.has(lastStatus.slice(0, 3))) this.writeHeader('Content-Length', String(length));
    return endWithoutBody.call(this);
  };
}

/** Guards 2 and 9: sends the refusal a turn later and closes the connection. @returns false, which stops hyper-express */
function refuse(response: HyperResponse, status: number, reason: string): false {
  setImmediate(() =>
    response.atomic(() => {
      response.status(status).header('content-type', 'application/json').send(refusalBody(status, reason), true);
    }),
  );
  return false;
}
