// The listener on node:net, for a Node without a uWebSockets binary, and the oracle for the other one in tests. Strict: what may be read in
// two ways is a 400 and the connection is closed. Pipelined requests are answered in order, one at a time.

import net from 'node:net';
import type { FlowBody } from './flow-body.ts';
import {
  checkHeaderValue,
  type Handler,
  type HttpHeaders,
  type HttpListener,
  type HttpReply,
  type HttpRequest,
  type ListenerOptions,
  type ReplyStream,
  refusalBody,
} from './listener.ts';
import { type BodyDecoder, createBodyDecoder, type RequestHead, readHead } from './net-message.ts';
import { REASON_PHRASES } from './reason-phrases.ts';

/** An idle connection, and one whose head is not complete, is closed after this. */
const IDLE_TIMEOUT_MS = 10_000;
/** Rest of a body that nobody reads: up to here it is read and dropped, above it the connection is closed. */
const MAX_DISCARD_BYTES = 8 * 2 ** 20;

export class NetListener implements HttpListener {
  readonly kind = 'net';
  readonly options: ListenerOptions;
  readonly handler: Handler;
  readonly #server: net.Server;
  readonly #connections = new Set<net.Socket>();
  #whenIdle: Array<() => void> = [];
  inFlight = 0;
  isDraining = false;

  constructor(options: ListenerOptions, handler: Handler) {
    this.options = options;
    this.handler = handler;
    this.#server = net.createServer({ noDelay: true, allowHalfOpen: false }, (socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
      new Connection(this, socket);
    });
  }

  async listen(): Promise<{ port: number }> {
    const { host, port } = this.options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, resolve);
    });
    return { port: (this.#server.address() as net.AddressInfo).port };
  }

  requestDone(): void {
    if (--this.inFlight === 0) for (const wake of this.#whenIdle.splice(0)) wake();
  }

  drain(): Promise<void> {
    this.isDraining = true;
    return this.inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  stop(exitCode: number): never {
    this.#server.close();
    for (const socket of this.#connections) socket.destroy();
    process.exit(exitCode);
  }
}

class Connection {
  readonly socket: net.Socket;
  readonly listener: NetListener;
  #pending: Buffer = Buffer.alloc(0);
  #decoder: BodyDecoder | null = null;
  #reply: NetReply | null = null;

  constructor(listener: NetListener, socket: net.Socket) {
    this.listener = listener;
    this.socket = socket;
    socket.setTimeout(IDLE_TIMEOUT_MS);
    socket.on('data', (chunk) => this.#onData(chunk));
    socket.on('timeout', () => this.#onTimeout());
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#decoder?.body.abort();
      this.#reply?.abort();
    });
  }

  #onTimeout(): void {
    // A handler at work has the time it needs; a stalled body or reader has not.
    const isWaitingForHandler = this.#reply && !this.#reply.isStreaming && (this.#decoder === null || this.#decoder.body.complete);
    if (!isWaitingForHandler && !this.#decoder?.body.isPaused) this.socket.destroy();
  }

  #onData(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#advance();
  }

  /** Feeds the body under way, then, when no reply is open, reads the next head. */
  #advance(): void {
    for (;;) {
      if (this.#decoder) {
        const outcome = this.#decoder.feed(this.#pending);
        if (outcome.kind === 'bad') {
          this.#decoder.body.abort();
          this.#refuse(400, outcome.reason);
          return;
        }
        this.#pending = outcome.rest;
        if (!this.#decoder.body.complete) return;
        this.#decoder = null;
      }
      if (this.#reply) {
        // Bytes of a pipelined request wait; too many of them stop the sender.
        if (this.#pending.length > this.listener.options.maxHeaderSize * 4) this.socket.pause();
        return;
      }
      if (this.#pending.length === 0) return;
      const head = readHead(this.#pending, this.listener.options.maxHeaderSize);
      if (head.kind === 'more') return;
      if (head.kind === 'bad') {
        this.#refuse(head.status, head.reason);
        return;
      }
      this.#pending = this.#pending.subarray(head.bytes);
      if (!this.#begin(head.head)) return;
    }
  }

  #begin(head: RequestHead): boolean {
    const { options } = this.listener;
    if (head.length !== null && head.length > options.maxContentLength) {
      this.#refuse(413, `request body of ${head.length} bytes is larger than the limit of ${options.maxContentLength}`);
      return false;
    }
    this.socket.setTimeout(Math.max(options.readTimeoutMs, 0));
    this.#decoder = createBodyDecoder(head.length, options.maxContentLength, {
      pause: () => this.socket.pause(),
      resume: () => this.socket.resume(),
    });
    const { body } = this.#decoder;
    this.listener.inFlight++;
    const reply = new NetReply(this, head, body);
    this.#reply = reply;
    if (this.listener.isDraining) {
      reply.send(503, { 'content-type': 'application/json' }, refusalBody(503, 'the node is shutting down'));
      return true;
    }
    const fail = (error: unknown): void => {
      process.emitWarning(`http handler failed: ${(error as Error).stack ?? error}`);
      if (!reply.sent) reply.send(500, {}, '');
    };
    try {
      this.listener.handler(new NetRequest(head, body, this.socket.remoteAddress ?? ''), reply)?.catch(fail);
    } catch (error) {
      fail(error);
    }
    return true;
  }

  /** A reply is complete. */
  finish(reply: NetReply, shouldClose: boolean): void {
    if (this.#reply !== reply) return;
    this.#reply = null;
    this.listener.requestDone();
    const rest = this.#decoder ? (this.#decoder.body.length ?? Number.POSITIVE_INFINITY) - this.#decoder.body.receivedBytes : 0;
    if (shouldClose || rest > MAX_DISCARD_BYTES) {
      this.socket.end();
      this.socket.removeAllListeners('data');
      this.socket.resume();
      return;
    }
    this.socket.setTimeout(IDLE_TIMEOUT_MS);
    this.socket.resume();
    setImmediate(() => {
      if (!this.socket.destroyed && !this.#reply) this.#advance();
    });
  }

  #refuse(status: number, reason: string): void {
    const open = this.#reply;
    this.#reply = null;
    if (open) this.listener.requestDone();
    const body = refusalBody(status, reason);
    this.socket.removeAllListeners('data');
    if (!open?.sent)
      this.socket.write(
        `HTTP/1.1 ${status} ${REASON_PHRASES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    this.socket.end();
    this.socket.resume();
  }
}

class NetRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remoteAddress: string;
  readonly body: FlowBody;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(head: RequestHead, body: FlowBody, remoteAddress: string) {
    this.method = head.method;
    this.path = head.path;
    this.query = head.query;
    this.#headers = head.headers;
    this.body = body;
    this.remoteAddress = remoteAddress;
  }

  header(name: string): string | undefined {
    return this.#headers[name];
  }

  headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }
}

class NetReply implements HttpReply {
  aborted = false;
  sent = false;
  isStreaming = false;
  readonly #connection: Connection;
  readonly #head: RequestHead;
  readonly #body: FlowBody;
  #abortCalls: Array<() => void> = [];

  constructor(connection: Connection, head: RequestHead, body: FlowBody) {
    this.#connection = connection;
    this.#head = head;
    this.#body = body;
  }

  get #shouldClose(): boolean {
    return !this.#head.keepAlive || this.#connection.listener.isDraining;
  }

  send(status: number, headers: HttpHeaders, body: string | Uint8Array = ''): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const shouldClose = this.#shouldClose || status === 413;
    const hasLength = status !== 204 && status !== 304;
    const head = this.#headText(status, headers, shouldClose, hasLength ? `content-length: ${bytes.length}\r\n` : '');
    if (!this.#body.complete) this.#body.discard();
    if (this.aborted) return;
    const { socket } = this.#connection;
    socket.cork();
    socket.write(head, 'latin1');
    if (this.#head.method !== 'HEAD' && hasLength && bytes.length > 0) socket.write(bytes);
    socket.uncork();
    this.#connection.finish(this, shouldClose);
  }

  stream(status: number, headers: HttpHeaders, length?: number): ReplyStream {
    if (this.#head.method === 'HEAD') {
      this.send(status, headers);
      return { write: () => true, drained: () => Promise.resolve(), end: () => undefined };
    }
    // A 1.0 client knows no chunks: the end of the connection ends the body.
    const isChunked = length === undefined && this.#head.minorVersion === 1;
    const shouldClose = this.#shouldClose || (length === undefined && !isChunked);
    const framing = length !== undefined ? `content-length: ${length}\r\n` : isChunked ? 'transfer-encoding: chunked\r\n' : '';
    const head = this.#headText(status, headers, shouldClose, framing);
    this.#body.discard();
    this.isStreaming = true;
    const { socket } = this.#connection;
    if (!this.aborted) socket.write(head, 'latin1');
    let written = 0;
    return {
      write: (chunk) => {
        if (this.aborted) return true;
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        if (bytes.length === 0) return true;
        written += bytes.length;
        if (!isChunked) return socket.write(bytes);
        socket.cork();
        socket.write(`${bytes.length.toString(16)}\r\n`);
        socket.write(bytes);
        const hasRoom = socket.write('\r\n');
        socket.uncork();
        return hasRoom;
      },
      drained: () =>
        new Promise((resolve) => {
          if (this.aborted || !socket.writableNeedDrain) resolve();
          else {
            socket.once('drain', resolve);
            this.onAbort(resolve);
          }
        }),
      end: () => {
        this.isStreaming = false;
        if (this.aborted) return;
        if (isChunked) socket.write('0\r\n\r\n');
        this.#connection.finish(this, shouldClose || (length !== undefined && written !== length));
      },
    };
  }

  #headText(status: number, headers: HttpHeaders, shouldClose: boolean, framing: string): string {
    if (this.sent) throw new Error('a reply was sent already');
    let text = `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? ''}\r\ndate: ${new Date().toUTCString()}\r\n`;
    for (const name in headers) {
      const value = headers[name];
      for (const line of typeof value === 'string' ? [value] : value) {
        checkHeaderValue(name, line);
        text += `${name.toLowerCase()}: ${line}\r\n`;
      }
    }
    this.sent = true;
    if (shouldClose) text += 'connection: close\r\n';
    else if (this.#head.minorVersion === 0) text += 'connection: keep-alive\r\n';
    return `${text}${framing}\r\n`;
  }

  onAbort(call: () => void): void {
    if (this.aborted) call();
    else this.#abortCalls.push(call);
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.isStreaming = false;
    for (const call of this.#abortCalls) call();
    this.#connection.listener.requestDone();
  }
}
