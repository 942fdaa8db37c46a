// HTTP/2 for clients, framed by node:http2. Each stream looks like a connection of its own to the code above:
//   socket -> Http2Connection (session: limits, idle time, GOAWAY) -> Http2Stream (one request) -> phases, filters, output queue
// It differs from HTTP/1 in how a head arrives, how the header of a response is sent, and what ends a stream.
import http2, {
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerStreamResponseOptions,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { HeaderField } from '../../../http/wire/header.ts';
import { internalsOf } from '../../../http/wire/stream-binding.ts';
import { type ErrorLog, logTo } from '../../log/error-log.ts';
import { core } from '../config/core.ts';
import { http2Module } from '../config/http2.ts';
import type { Request, Server, StreamFraming, TlsInfo } from '../model/types.ts';
import type { Http2Accept } from './accept.ts';
import { Arrival, closed, exiting, type Origin, opened, originOf, type TrackedConnection } from './client-connections.ts';
import { HttpConnection } from './http-connection.ts';
import { hintFields, responseFields, trailerFields } from './http2-fields.ts';
import { type Activity, stats } from './stats.ts';

const { NGHTTP2_FLAG_END_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR } = http2.constants;
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
/** Bytes that all streams of a connection may have in flight to us: a slow stream must not block the others. */
const CONNECTION_WINDOW = 1024 * 1024;
/** Serves a plain connection: HTTP/2 if it begins with the preface, otherwise HTTP/1. */
export function acceptPlain(raw: Socket, options: Http2Accept): void {
  const { hosts, http, listen, proxy, hooks } = options;
  let held: Buffer = Buffer.alloc(0);
  const arrival = new Arrival(raw);
  arrival.follow(raw);
  raw.setTimeout(core.conf(hosts.defaultServer.root).client_header_timeout, () => raw.destroy());
  const onError = () => raw.destroy();
  raw.on('error', onError);
  raw.on('end', onError);
  const onData = (data: Buffer) => {
    held = held.length === 0 ? data : Buffer.concat([held, data]);
    const common = Math.min(held.length, PREFACE.length);
    const matches = PREFACE.subarray(0, common).equals(held.subarray(0, common));
    if (matches && common < PREFACE.length) return;
    raw.off('data', onData);
    raw.off('end', onError);
    raw.setTimeout(0);
    raw.pause();
    raw.unshift(held);
    if (matches) {
      new Http2Connection(raw, options, hosts.defaultServer, null);
      arrival.over();
      return;
    }
    const conn = new HttpConnection(raw, http, listen, hosts);
    conn.proxy = proxy;
    hooks.opened?.(conn);
    arrival.over();
    raw.resume();
  };
  raw.on('data', onData);
}

/** An HTTP/2 connection: its session, and what is shared by all its streams. */
export class Http2Connection implements TrackedConnection {
  readonly origin: Origin;
  readonly streams = new Set<Http2Stream>();
  readonly hasPartialHead = false;
  readonly #session: ServerHttp2Session;
  readonly #socket: Socket;
  #requests = 0;
  #timer: NodeJS.Timeout | null = null;
  #leaving = false;
  #activity: Activity = 'waiting';

  readonly #server: Server;

  /** @param server  server whose settings apply to the connection: the one TLS chose, or the default of the address */
  constructor(
    socket: Socket,
    readonly options: Http2Accept,
    server: Server,
    readonly tls: TlsInfo | null,
  ) {
    this.#server = server;
    this.#socket = socket;
    this.origin = originOf(socket, options.listen);
    opened(this);
    const c = core.conf(server.root);
    const own = http2Module.conf(server.root);
    const { count, size } = c.large_client_header_buffers;
    this.#session = http2.performServerHandshake(socket, {
      // the pseudo fields count too
      maxHeaderListPairs: c.max_headers + 8,
      settings: {
        enablePush: false,
        maxConcurrentStreams: own.http2_max_concurrent_streams,
        initialWindowSize: Math.max(65_535, own.http2_body_preread_size),
        maxHeaderListSize: count * size,
      },
    });
    this.#session.once('localSettings', () => {
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(CONNECTION_WINDOW);
    });
    this.#session.on('stream', (stream: ServerHttp2Stream, _: IncomingHttpHeaders, flags: number, raw: string[]) =>
      this.#open(stream, flags, raw),
    );
    this.#session.on('error', (error) => this.#log('info', `HTTP/2 connection failed: ${error.message}`));
    this.#session.on('close', () => this.#ended());
    // the socket may be half open, and the session would stay: no response reaches a client that closed its side
    socket.on('end', () => this.#clientClosed());
    this.#wait(c.client_header_timeout, 'client timed out (110: Connection timed out) while waiting for request');
  }

  get request(): Request | null {
    for (const stream of this.streams) return stream.request;
    return null;
  }

  #countAs(activity: Activity): void {
    if (activity === this.#activity) return;
    stats.activityChanged(this.#activity, activity);
    this.#activity = activity;
  }

  #log(level: 'info', message: string): void {
    const { listen } = this.options;
    const logs: readonly ErrorLog[] = this.#server.root.errorLogs;
    logTo(
      logs,
      level,
      `${message}, client: ${this.origin.remoteAddr}, server: ${listen.path || `${listen.host}:${listen.port}`}`,
      this.origin.id,
    );
  }

  #wait(ms: number, message = ''): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (message) this.#log('info', message);
      this.#leave();
    }, ms);
  }

  #open(stream: ServerHttp2Stream, flags: number, rawHeaders: string[]): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#requests++;
    const c = core.conf(this.#server.root);
    const old = this.#requests >= c.keepalive_requests || Date.now() - this.origin.startMs > c.keepalive_time;
    if (old || exiting()) this.#leave();
    const one = new Http2Stream(stream, this, (flags & NGHTTP2_FLAG_END_STREAM) === 0, this.#requests);
    this.streams.add(one);
    this.#countAs('writing');
    this.options.hooks.opened?.(one);
    one.begin(rawHeaders);
  }

  /** Called when a stream has ended. */
  left(stream: Http2Stream): void {
    if (!this.streams.delete(stream)) return;
    if (this.streams.size > 0) return;
    this.#countAs('waiting');
    if (this.#leaving) {
      this.#linger();
      return;
    }
    const { timeoutMs } = core.conf(this.#server.root).keepalive_timeout;
    if (timeoutMs === 0) this.#leave();
    else this.#wait(timeoutMs);
  }

  /** GOAWAY: no new streams; current ones end first. */
  #leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    if (!this.#session.destroyed) this.#session.close();
    if (this.streams.size === 0) this.#linger();
    // nghttp2 stops reading after an error of the connection, and then nobody sees that the client closes its side
    internalsOf<{ _handle: { readStart?(): number } | null }>(this.#socket)._handle?.readStart?.();
  }

  /** Gives the client time to close its side. */
  #linger(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket.destroy(), core.conf(this.#server.root).lingering_timeout);
  }

  #clientClosed(): void {
    if (this.streams.size > 0) this.#log('info', 'client prematurely closed connection');
    this.destroy();
    this.#socket.destroy();
  }

  closeWhenIdle(): void {
    this.#leave();
  }

  destroy(): void {
    // otherwise the session would reset them without an error code
    for (const stream of [...this.streams]) stream.destroy();
    if (!this.#session.destroyed) this.#session.destroy();
  }

  #ended(): void {
    if (this.#timer) clearTimeout(this.#timer);
    for (const stream of [...this.streams]) stream.destroy();
    this.#countAs('waiting');
    closed(this);
  }
}

/** One request of an HTTP/2 connection. */
class Http2Stream extends HttpConnection implements StreamFraming {
  readonly name: 'h2' | 'h2c';

  readonly #session: Http2Connection;

  readonly #stream: ServerHttp2Stream;

  constructor(
    stream: ServerHttp2Stream,
    session: Http2Connection,
    public bodyFollows: boolean,
    count: number,
  ) {
    // unread data stays with the client: the window of the stream is the limit
    stream.pause();
    stream.once('aborted', onAborted);
    // biome-ignore lint/plugin: a stream has what Connection uses of a socket
    super(stream as unknown as Socket, session.options.http, session.options.listen, session.options.hosts, { origin: session.origin });
    this.#stream = stream;
    this.#session = session;
    this.http2 = this;
    this.tls = session.tls;
    this.proxy = session.options.proxy;
    this.requests = count - 1;
    this.name = session.tls ? 'h2' : 'h2c';
  }

  /** @param raw  names and values alternating, pseudo fields first */
  begin(raw: string[]): void {
    const pseudo: Record<string, string> = {};
    const fields: [string, string][] = [];
    const cookies: string[] = [];
    for (let n = 0; n + 1 < raw.length; n += 2) {
      const name = raw[n];
      if (name.startsWith(':')) pseudo[name] = raw[n + 1];
      else if (name === 'cookie') cookies.push(raw[n + 1]);
      else fields.push([name, raw[n + 1]]);
    }
    let fault = this.#checkSizes(raw);
    const authority = pseudo[':authority'];
    const host = fields.findIndex(([name]) => name === 'host');
    if (authority !== undefined) {
      if (host >= 0 && fields[host][1] !== authority) {
        this.log('info', 'client sent "Host" header that differs from ":authority"');
        fault ||= 400;
      }
      if (host >= 0) fields.splice(host, 1);
      fields.unshift(['host', authority]);
    }
    // browsers split cookies for better compression
    if (cookies.length > 0) fields.push(['cookie', cookies.join('; ')]);
    this.headReader.accept({ method: pseudo[':method'] ?? '', target: pseudo[':path'] ?? '', fields, fault });
  }

  #checkSizes(raw: string[]): number {
    const { size } = core.conf(this.rootLoc).large_client_header_buffers;
    for (let n = 0; n + 1 < raw.length; n += 2) {
      if (raw[n].length + raw[n + 1].length <= size) continue;
      this.log('info', `client sent too long header field "${raw[n].slice(0, 64)}"`);
      return raw[n] === ':path' ? 414 : 494;
    }
    return 0;
  }

  respond(r: Request): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) {
      this.error = true;
      return;
    }
    const headers = responseFields(r);
    const waitForTrailers = r.expectTrailers || (r.upstream?.passesTrailers === true && r.out.contentLength !== 0);
    if (waitForTrailers) stream.once('wantTrailers', () => this.#sendTrailers(r));
    const options: ServerStreamResponseOptions & { sendDate: boolean } = {
      sendDate: false,
      waitForTrailers,
      endStream: r.headerOnly || (r.out.contentLength === 0 && !waitForTrailers),
    };
    stream.respond(headers, options);
    r.headerSize = 0;
    for (const [name, value] of Object.entries(headers))
      for (const one of [value].flat()) r.headerSize += name.length + String(one).length + 2;
    this.output.noteSent(r.headerSize);
  }

  hints(fields: readonly HeaderField[]): void {
    if (!this.#stream.destroyed) this.#stream.additionalHeaders(hintFields(fields));
  }

  #sendTrailers(r: Request): void {
    if (!this.#stream.destroyed) this.#stream.sendTrailers(trailerFields(r));
  }

  override onData(data: Buffer): void {
    // data after the response is ignored
    if (this.request) super.onData(data);
  }

  override onEnd(): void {
    if (this.request) this.bodyReader.endOfStream();
    else if (this.#stream.closed) this.#stream.destroy();
  }

  override onClose(): void {
    if (this.closed) return;
    const { request } = this;
    const stream = this.#stream;
    this.#session.left(this);
    // everything was sent: work that remains after the response continues
    if (stream.writableFinished && !stream.aborted && stream.rstCode === NGHTTP2_NO_ERROR && request && !request.done) return;
    super.onClose();
  }

  override closeWhenIdle(): void {}

  override destroy(): void {
    this.#reset(NGHTTP2_INTERNAL_ERROR);
  }

  override abandon(): void {
    this.#reset(NGHTTP2_PROTOCOL_ERROR);
  }

  #reset(code: number): void {
    const stream = this.#stream;
    // a stream that the client closed would wait for its end forever, and the connection with it
    if (stream.closed) stream.destroy();
    else if (!stream.destroyed) {
      // close() ends the stream cleanly before it resets it, which would make a cut response look complete
      stream.end = () => stream;
      stream.close(code);
    }
    this.onClose();
  }

  override cut(): void {
    this.destroy();
  }

  override requestDone(_r: Request): void {
    if (this.closed) return;
    this.request = null;
    this.active = null;
    this.clearTimer();
    const stream = this.#stream;
    if (stream.destroyed) {
      super.onClose();
      return;
    }
    if (!stream.writableEnded) stream.end();
    // asks a client that is still sending to stop, without an error
    if (this.bodyFollows && !stream.readableEnded) {
      stream.resume();
      stream.once('finish', () => stream.close(NGHTTP2_NO_ERROR));
    } else stream.resume();
  }

  override afterRequest(): void {}
}

/** If a client closes a stream without an error code, the stream waits for its end, and the connection for the stream. */
function onAborted(this: ServerHttp2Stream): void {
  process.nextTick(() => this.destroy());
}
