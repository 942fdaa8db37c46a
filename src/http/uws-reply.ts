// Replies written directly to uWebSockets: whole ones in one corked write, streams in corked pieces (guard 7). hyper-express is notified when
// one is complete; its own `send` takes a table of headers and three more calls.

import { checkHeaderValue, closesConnection, type HttpHeaders, type HttpReply, type ReplyStream } from './listener.ts';
import { REASON_PHRASES } from './reason-phrases.ts';
import type { UwsBody } from './uws-body.ts';
import type { HyperResponse, RawResponse } from './uws-guards.ts';

/** Above it a write under backpressure can lose bytes. */
const PIECE_BYTES = 15_000;

/** The listener, as seen by its replies. */
export interface ReplyOwner {
  readonly isDraining: boolean;
  /** The reply is complete, or its client disconnected. Called once. */
  finished(reply: UwsReply): void;
}

export class UwsReply implements HttpReply {
  aborted = false;
  sent = false;
  /** Bytes accepted by the socket, to detect slow readers. */
  progress = 0;
  isStreaming = false;
  readonly raw: RawResponse;
  readonly body: UwsBody;
  /** Used by the listener: index among the replies in progress (-1: none), progress when last checked, and time since which it has stalled. */
  place = -1;
  seen = -1;
  stalledSinceMs = 0;
  readonly #response: HyperResponse;
  /** The request said `Connection: close`. */
  readonly #wantsClose: boolean;
  readonly #owner: ReplyOwner;
  readonly #isHead: boolean;
  /** Sent completely, or its client disconnected. */
  isFinished = false;
  #abortCalls: Array<() => void> | null = null;

  constructor(response: HyperResponse, raw: RawResponse, body: UwsBody, isHead: boolean, wantsClose: boolean, owner: ReplyOwner) {
    this.#response = response;
    this.raw = raw;
    this.body = body;
    this.#isHead = isHead;
    this.#wantsClose = wantsClose;
    this.#owner = owner;
  }

  send(status: number, headers: HttpHeaders, body: string | Uint8Array = ''): void {
    if (this.sent) throw new Error('a reply was sent already');
    checkHeaders(headers);
    this.sent = true;
    if (this.aborted) return;
    // uWebSockets receives the rest of an unread body after the reply; a body above the limit is not waited for.
    if (!this.body.complete) this.body.discard();
    const { raw } = this;
    const close = this.shouldClose || closesConnection(status);
    raw.cork(() => {
      this.#writeHead(status, headers);
      if (this.#isHead) raw.endWithoutBody(Buffer.byteLength(body), close);
      else if (status === 204 || status === 304) raw.endWithoutBody(undefined, close);
      else raw.end(body, close);
    });
    this.#complete();
  }

  #writeHead(status: number, headers: HttpHeaders): void {
    const { raw } = this;
    raw.writeStatus(statusLine(status));
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === 'string') raw.writeHeader(name.toLowerCase(), value);
      else for (const line of value) raw.writeHeader(name.toLowerCase(), line);
    }
    // Guard 11: uWebSockets writes this header only if the client did not send it.
    if (this.#wantsClose) raw.writeHeader('connection', 'close');
  }

  /** Does what hyper-express does after its own `send`. */
  #complete(): void {
    this.#response.completed = true;
    this.#response.route.app._resolve_pending_request();
    this.#finish();
  }

  #finish(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.#owner.finished(this);
  }

  stream(status: number, headers: HttpHeaders, length?: number): ReplyStream {
    if (this.sent) throw new Error('a reply was sent already');
    checkHeaders(headers);
    if (this.#isHead || length === 0) {
      this.send(status, headers);
      return { write: () => true, drained: () => Promise.resolve(), end: () => undefined };
    }
    this.sent = true;
    this.isStreaming = true;
    if (!this.aborted) {
      this.body.discard();
      this.raw.cork(() => this.#writeHead(status, headers));
    }
    return new UwsStream(this, length ?? null, () => {
      this.isStreaming = false;
      if (!this.aborted) this.#complete();
    });
  }

  get shouldClose(): boolean {
    return this.#wantsClose || this.#owner.isDraining;
  }

  onAbort(call: () => void): void {
    if (this.aborted) call();
    else (this.#abortCalls ??= []).push(call);
  }

  /** The client disconnected. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.isStreaming = false;
    for (const call of this.#abortCalls ?? []) call();
    this.#finish();
  }
}

/** @throws Error a value that would end the header line or the head */
function checkHeaders(headers: HttpHeaders): void {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') checkHeaderValue(name, value);
    else for (const line of value) checkHeaderValue(name, line);
  }
}

const statusLines: string[] = [];

function statusLine(status: number): string {
  return (statusLines[status] ??= `${status} ${REASON_PHRASES[status] ?? ''}`);
}

class UwsStream implements ReplyStream {
  readonly #reply: UwsReply;
  readonly #total: number | null;
  readonly #finish: () => void;
  #queue: Buffer[] = [];
  #isBlocked = false;
  #hasEnded = false;
  #isOver = false;
  #hasWritableHandler = false;
  /** Write offset at which the first buffer of the queue begins (known length only). */
  #queueOffset = 0;
  #waiters: Array<() => void> = [];

  constructor(reply: UwsReply, total: number | null, finish: () => void) {
    this.#reply = reply;
    this.#total = total;
    this.#finish = finish;
    reply.onAbort(() => {
      this.#isOver = true;
      this.#queue = [];
      this.#release();
    });
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#isOver || this.#hasEnded) return true;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) this.#queue.push(bytes.subarray(start, start + PIECE_BYTES));
    if (!this.#isBlocked) this.#pump();
    return !this.#isBlocked;
  }

  drained(): Promise<void> {
    if (!this.#isBlocked || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (!this.#isBlocked) this.#pump();
  }

  #pump(): void {
    const raw = this.#reply.raw;
    while (this.#queue.length > 0 && !this.#isOver) {
      const piece = this.#queue[0];
      let isTaken = true;
      raw.cork(() => {
        if (this.#total === null) {
          isTaken = raw.write(piece);
          this.#queue.shift();
        } else {
          this.#queueOffset = raw.getWriteOffset();
          const [hasSent, isDone] = raw.tryEnd(piece, this.#total);
          if (isDone) this.#isOver = true;
          isTaken = hasSent || isDone;
          if (isTaken) this.#queue.shift();
        }
      });
      this.#reply.progress += piece.length;
      if (!isTaken) {
        this.#block();
        return;
      }
    }
    if (this.#isOver) this.#finishOnce();
    else if (this.#hasEnded) {
      this.#isOver = true;
      // A stream shorter than announced cannot be corrected: the connection is closed.
      if (this.#total !== null) raw.close();
      else raw.cork(() => raw.end('', this.#reply.shouldClose));
      this.#finishOnce();
    }
  }

  #block(): void {
    this.#isBlocked = true;
    if (this.#hasWritableHandler) return;
    this.#hasWritableHandler = true;
    this.#reply.raw.onWritable((offset) => {
      if (this.#isOver) return true;
      if (this.#total !== null && this.#queue.length > 0) this.#queue[0] = this.#queue[0].subarray(Math.max(0, offset - this.#queueOffset));
      this.#isBlocked = false;
      this.#reply.progress++;
      this.#pump();
      if (!this.#isBlocked) this.#release();
      return !this.#isBlocked;
    });
  }

  #isFinished = false;
  #finishOnce(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#release();
    this.#finish();
  }

  #release(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
