// A connection of net-listener.ts: reads heads and bodies, and answers pipelined requests in order, one at a time.
//   bytes -> head (NetHead) -> handler, with a body (FlowBody) and a reply (NetReply) -> next head
import type { Socket } from 'node:net';
import { FlowBody } from './flow-body.ts';
import { type Handler, type HttpRequest, type ListenerOptions, refusalBody } from './listener.ts';
import { headRules, NetHead } from './net-head.ts';
import { NetReply, type ReplyOwner } from './net-reply.ts';
import { REASON_PHRASES } from './reason-phrases.ts';
import { BodyDecoder } from './wire/body-decoder.ts';
import { setDeadline, type Timed, unwatch, watch } from './wire/deadlines.ts';
import { DirectWriter } from './wire/direct-writer.ts';
import { type HeadRules, HeadScanner } from './wire/head-scanner.ts';

/** Idle connections, and connections whose head is incomplete, are closed after this time. */
const IDLE_TIMEOUT_MS = 10_000;
/** Interval at which the progress of bodies and readers is checked. */
const CHECK_MS = 2000;
/** Rest of a body that is not read by the handler: up to this size it is read and dropped, above it the connection is closed. */
const MAX_DISCARD_BYTES = 8 * 2 ** 20;
/** Time for the client to receive the last response before its connection is closed. */
const LINGER_MS = 5000;
/** Length of the empty lines that may precede a request. */
const MAX_EMPTY_BYTES = 16;
const EMPTY = Buffer.alloc(0);

/** The listener, as seen by its connections. */
export interface ConnectionOwner {
  readonly options: ListenerOptions;
  readonly handler: Handler;
  readonly isDraining: boolean;
  /** requests that have not been answered */
  inFlight: number;
  requestDone(): void;
  closed(connection: NetConnection): void;
}

export class NetConnection implements ReplyOwner, Timed {
  readonly socket: Socket;
  readonly writer: DirectWriter;
  deadlineMs = Infinity;
  readonly #owner: ConnectionOwner;
  readonly #rules: HeadRules;
  readonly #scanner = new HeadScanner();
  /** bytes read but not parsed yet */
  #input: Buffer = EMPTY;
  #head: NetHead | null = null;
  #decoder: BodyDecoder | null = null;
  #body: FlowBody | null = null;
  #reply: NetReply | null = null;
  #isAdvancing = false;
  /** nothing is read any more: the last response has been sent */
  #isClosing = false;
  /** bytes received and sent when the timer last fired, and time since which they are the same */
  #lastProgress = 0;
  #stalledMs = 0;

  constructor(owner: ConnectionOwner, socket: Socket) {
    this.#owner = owner;
    this.socket = socket;
    this.writer = new DirectWriter(socket);
    this.#rules = headRules(owner.options.maxHeaderSize);
    watch(this);
    setDeadline(this, IDLE_TIMEOUT_MS);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#onClose());
  }

  get isDraining(): boolean {
    return this.#owner.isDraining;
  }

  destroy(): void {
    this.socket.destroy();
  }

  #onClose(): void {
    unwatch(this);
    this.#isClosing = true;
    this.#body?.abort();
    const reply = this.#reply;
    this.#reply = null;
    if (reply) {
      reply.abort();
      this.#owner.requestDone();
    }
    this.#owner.closed(this);
  }

  timedOut(): void {
    if (!this.#reply && !this.#decoder && !this.#isClosing) {
      this.destroy();
      return;
    }
    // A handler may take as long as it needs; a body or a reader that does not advance may not.
    const body = this.#body;
    const isReading = body !== null && !body.complete && !body.isPaused;
    const isWaitingForHandler = this.#reply && !this.#reply.isStreaming && !isReading;
    const { readTimeoutMs, minBodyRate } = this.#owner.options;
    if (isReading && this.#reply && !this.#reply.sent) {
      // The handler answers 408.
      body.watch(CHECK_MS, readTimeoutMs, minBodyRate);
    } else {
      const progress = this.#progress;
      const hasAdvanced = isWaitingForHandler || body?.isPaused || progress !== this.#lastProgress;
      this.#stalledMs = hasAdvanced ? 0 : this.#stalledMs + CHECK_MS;
      this.#lastProgress = progress;
      if ((readTimeoutMs >= 0 && this.#stalledMs >= readTimeoutMs) || (this.#isClosing && this.#unsent === 0)) {
        this.destroy();
        return;
      }
    }
    this.#armReadTimer();
  }

  /** Bytes that the system has not accepted yet. */
  get #unsent(): number {
    return this.socket.writableLength + this.writer.pending;
  }

  /** Grows when bytes are received or sent. */
  get #progress(): number {
    return this.socket.bytesRead + this.socket.bytesWritten - this.#unsent;
  }

  #armReadTimer(): void {
    setDeadline(this, CHECK_MS);
  }

  // ---------------------------------------------------------------- input

  /** Receives bytes in a buffer that the next read of any connection overwrites. */
  onRead(buffer: Buffer, count: number): void {
    if (this.#isClosing) return;
    // A head becomes strings at once; the rest, and bodies, which handlers keep, need memory of their own.
    if (this.#reply || this.#decoder || this.#input.length > 0) {
      this.onData(Buffer.from(buffer.subarray(0, count)));
      return;
    }
    const used = this.#readHead(buffer.latin1Slice(0, Math.min(count, this.#rules.headBytes + 1 + MAX_EMPTY_BYTES)));
    if (used < 0) return;
    this.#input = used < count ? Buffer.from(buffer.subarray(used, count)) : EMPTY;
    this.#isAdvancing = true;
    try {
      this.#startRequest();
    } finally {
      this.#isAdvancing = false;
    }
    if (this.#input.length > 0) this.#advance();
  }

  /** Receives bytes that the connection may keep. */
  onData(chunk: Buffer): void {
    if (this.#isClosing) return;
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
    this.#advance();
  }

  /** Feeds the body in progress, then, when no reply is open, reads the next heads. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      while (!this.#isClosing && this.#step()) {
        // each step consumes a body or a head
      }
    } finally {
      this.#isAdvancing = false;
    }
  }

  #step(): boolean {
    if (this.#decoder && !this.#feedBody(this.#decoder)) return false;
    if (this.#reply) {
      // Bytes of a pipelined request wait; too many of them pause the sender.
      if (this.#input.length > this.#rules.headBytes * 4) this.socket.pause();
      return false;
    }
    if (this.#input.length === 0) return false;
    const used = this.#readHead(this.#input.latin1Slice(0, Math.min(this.#input.length, this.#rules.headBytes + 1 + MAX_EMPTY_BYTES)));
    if (used < 0) return false;
    this.#input = this.#input.subarray(used);
    this.#startRequest();
    return true;
  }

  /** Returns whether the body is complete. */
  #feedBody(decoder: BodyDecoder): boolean {
    const body = this.#body;
    if (!body) return true;
    if (this.#input.length > 0) {
      const used = decoder.feed(this.#input, (data) => body.push(data));
      if (used < 0) {
        body.abort();
        this.#refuse(400, 'malformed chunked body');
        return false;
      }
      this.#input = used < this.#input.length ? this.#input.subarray(used) : EMPTY;
    }
    if (!decoder.done) return false;
    this.#decoder = null;
    body.finish();
    return true;
  }

  /** Scans `text` for the rest of a head. Returns the bytes that a complete head consumed; -1: it is incomplete or was refused. */
  #readHead(text: string): number {
    let start = 0;
    if (!this.#head) {
      // Empty lines before a request are skipped (RFC 9112, 2.2).
      while (start < MAX_EMPTY_BYTES && text.startsWith('\r\n', start)) start += 2;
      // The second half of an empty line may come later.
      if (start === text.length || (start < MAX_EMPTY_BYTES && start === text.length - 1 && text.endsWith('\r'))) {
        this.#keepInput(text, start);
        return -1;
      }
      this.#head = new NetHead();
      this.#scanner.reset();
    }
    const head = this.#head;
    const result = this.#scanner.scan(text, start, this.#rules, head);
    if (result === 'end') {
      const status = head.finish();
      if (status === 0) return this.#scanner.position;
      this.#refuse(status, head.reason);
    } else if (result === 'more') this.#keepInput(text, this.#scanner.position);
    else if (typeof result === 'number') this.#refuse(result, head.reason);
    else if (result === 'long line' || result === 'long head') this.#refuse(431, 'request head is too large');
    else this.#refuse(400, result === 'bad method' ? 'malformed request line' : 'a line of the head does not end in CR LF');
    return -1;
  }

  /** Keeps the bytes of an incomplete line. */
  #keepInput(text: string, from: number): void {
    this.#input = from < text.length ? Buffer.from(text.slice(from), 'latin1') : EMPTY;
  }

  // ---------------------------------------------------------------- requests

  /** A head is complete: runs the handler. */
  #startRequest(): void {
    const head = this.#head;
    if (!head) return;
    this.#head = null;
    const { options, handler } = this.#owner;
    const { length } = head;
    if (length !== null && length > options.maxContentLength) {
      this.#refuse(413, `request body of ${length} bytes is larger than the limit of ${options.maxContentLength}`);
      return;
    }
    this.#armReadTimer();
    const { socket } = this;
    const body = new FlowBody(length, options.maxContentLength, socket);
    this.#body = body;
    this.#decoder = body.complete ? null : new BodyDecoder(length ?? undefined, true);
    if (head.expectsContinue && !body.complete && this.#input.length === 0) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    this.#owner.inFlight++;
    const reply = new NetReply(this, head, body);
    this.#reply = reply;
    // Provides the part of the body that arrived with the head before the handler reads it.
    if (this.#decoder && this.#input.length > 0) this.#feedBody(this.#decoder);
    if (this.#reply !== reply) return;
    if (this.isDraining) {
      reply.send(503, { 'content-type': 'application/json' }, refusalBody(503, 'the node is shutting down'));
      return;
    }
    const fail = (error: unknown): void => {
      process.emitWarning(`http handler failed: ${error instanceof Error ? error.stack : error}`);
      if (!reply.sent) reply.send(500, {}, '');
    };
    try {
      handler(new NetRequest(head, body, socket), reply)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  /** The reply is complete. */
  finished(reply: NetReply, shouldClose: boolean): void {
    if (this.#reply !== reply) return;
    this.#reply = null;
    this.#owner.requestDone();
    const body = this.#body;
    const isUnread = body !== null && !body.complete;
    const rest = isUnread ? (body.length ?? Number.POSITIVE_INFINITY) - body.receivedBytes : 0;
    if (shouldClose || rest > MAX_DISCARD_BYTES) {
      this.#close();
      return;
    }
    setDeadline(this, IDLE_TIMEOUT_MS);
    if (this.socket.isPaused()) this.socket.resume();
    if (this.#input.length === 0 || this.#isAdvancing) return;
    setImmediate(() => {
      if (!this.#isClosing && !this.#reply) this.#advance();
    });
  }

  #refuse(status: number, reason: string): void {
    const open = this.#reply;
    this.#reply = null;
    if (open) this.#owner.requestDone();
    const isSent = open?.sent ?? false;
    // Prevents a second reply of the handler.
    open?.abort();
    if (!isSent) {
      const body = refusalBody(status, reason);
      this.socket.write(
        `HTTP/1.1 ${status} ${REASON_PHRASES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    }
    this.#close();
  }

  /** Closes our side, and drops what the client still sends for a while, so that it gets the response before a reset. */
  #close(): void {
    this.#isClosing = true;
    this.#input = EMPTY;
    this.socket.end();
    if (this.socket.isPaused()) this.socket.resume();
    if (this.#unsent > 0) this.#armReadTimer();
    else setDeadline(this, LINGER_MS);
  }
}

class NetRequest implements HttpRequest {
  readonly body: FlowBody;
  readonly #head: NetHead;
  readonly #socket: Socket;

  constructor(head: NetHead, body: FlowBody, socket: Socket) {
    this.#head = head;
    this.body = body;
    this.#socket = socket;
  }

  get method(): string {
    return this.#head.method;
  }

  get path(): string {
    return this.#head.path;
  }

  get query(): string {
    return this.#head.query;
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  header(name: string): string | undefined {
    return this.#head.header(name);
  }

  headers(): Readonly<Record<string, string>> {
    return this.#head.headers();
  }
}
