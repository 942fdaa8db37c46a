// Output of a connection that has not been sent yet: pieces in memory and file regions, in order.
//   header, body pieces -> queue -> batch of one write -> socket
// Applies rate limits and tells producers when to wait. One class, since every write depends on what is queued, batched and held back.
import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { DirectWriter } from '../../../http/wire/direct-writer.ts';
import { core } from '../config/core.ts';
import type { Connection, Loc, Output, Request } from '../model/types.ts';
import { ERROR, OK } from '../request/codes.ts';
import { type BodyFlags, type FileSpan, isFileSpan, type Piece, pieceLength } from '../request/pieces.ts';
import { rateAllowance, rateOf, ratePauseMs } from './send-rate.ts';

const EMPTY = Buffer.alloc(0);
const CRLF = Buffer.from('\r\n');
/** Bytes in the socket's own queue above which producers have to wait. */
const SOCKET_HIGH_WATER = 64 * 1024;
const FILE_CHUNK = 256 * 1024;
/** buffers for parts of files, reused once the socket has accepted their bytes */
const fileBuffers: Buffer[] = [];
const FILE_BUFFERS = 8;
const JOIN_LIMIT = 32 * 1024;
/** up to this size a body is cheaper to append to the head as a string than to copy */
const TEXT_LIMIT = 4 * 1024;
/** buffer in which head and body are joined for a write */
let joinBuffer: Buffer = Buffer.allocUnsafeSlow(JOIN_LIMIT);

/** The connection that the queue writes to. */
interface OutputOwner extends Pick<Connection, 'tls' | 'http2' | 'error' | 'abandon' | 'destroy' | 'clearTimer'> {
  readonly socket: Socket;
  readonly closed: boolean;
  readonly request: Request | null;
  /** configuration of the default server */
  readonly rootLoc: Loc;
  setTimer(ms: number, onDeadline: () => void): void;
  log(level: 'info', message: string): void;
  runPosted(): void;
}

export class OutputQueue implements Output {
  /** bytes sent for the current request, header included */
  sent = 0;
  bytesSent = 0;
  queue: Piece[] = [];
  /** bytes of `head` and `queue` */
  queued = 0;
  /** header block that is sent with the next output, '' if none is waiting */
  #head = '';
  /** the response ends with the queued output, and with it the stream of HTTP/2 */
  #last = false;
  #batch: Buffer[] = [];
  #batchBytes = 0;
  /** parts of files that the socket has not accepted yet */
  #lent: Buffer[] = [];
  #draining = false;
  delayTimer: NodeJS.Timeout | null = null;
  writableWaiters: (() => void)[] = [];

  #direct: DirectWriter | null = null;
  /** writes of the socket that will report their completion */
  #awaited = 0;
  readonly #onGiven = (error?: Error | null): void => {
    this.#awaited--;
    if (!error) this.#settled();
  };

  readonly #conn: OutputOwner;

  constructor(conn: OutputOwner) {
    this.#conn = conn;
  }

  /** Bytes that the system has not accepted yet. */
  get #unsent(): number {
    return this.#conn.socket.writableLength + (this.#direct?.pending ?? 0);
  }

  /** Writes directly to the handle; null for TLS and streams of HTTP/2. */
  get #straight(): DirectWriter | null {
    const { socket, tls, http2 } = this.#conn;
    if (tls || http2) return null;
    return (this.#direct ??= new DirectWriter(socket, () => this.#settled()));
  }

  /** Writes bytes or latin1 text. */
  #send(data: Buffer | string): void {
    if (!this.#straight?.write(data)) this.#give(data);
  }

  /** Writes through the socket. */
  #give(data: Buffer | string): void {
    this.#awaited++;
    if (typeof data === 'string') this.#conn.socket.write(data, 'latin1', this.#onGiven);
    else this.#conn.socket.write(data, this.#onGiven);
  }

  /** Queues the header; it is sent with the first body bytes or when the request ends. */
  startResponse(r: Request, head: string): void {
    r.headerSize = head.length;
    this.#conn.clearTimer();
    this.queued += head.length;
    if (this.#head === '' && this.queue.length === 0) this.#head = head;
    else {
      if (this.#head !== '') this.#queueHead();
      this.queue.push(Buffer.from(head, 'latin1'));
    }
  }

  /** Turns the head into an ordinary piece. */
  #queueHead(): void {
    this.queue.unshift(Buffer.from(this.#head, 'latin1'));
    this.#head = '';
  }

  /** Counts bytes that were sent without the queue. */
  noteSent(bytes: number): void {
    this.sent += bytes;
    this.bytesSent += bytes;
  }

  #push(piece: Piece): void {
    this.queue.push(piece);
    this.queued += pieceLength(piece);
  }

  sendBody(r: Request, pieces: Piece[], flags: BodyFlags): number {
    if (this.#conn.error) return ERROR;
    if (flags.last) this.#last = true;
    if (flags.last && this.#sendWhole(r, pieces)) return this.#conn.error ? ERROR : OK;
    if (r.chunked && !this.#conn.http2) this.#pushChunked(r, pieces, flags.last);
    else for (const piece of pieces) if (pieceLength(piece) > 0) this.#push(piece);
    if (flags.last || flags.flush || this.queued >= core.conf(r.loc).postpone_output) this.#pump();
    return this.#conn.error ? ERROR : OK;
  }

  /** Whether a response that is complete now can be sent in one write, without the queue. */
  #takesWhole(r: Request): boolean {
    return this.#head !== '' && this.queue.length === 0 && !this.blocked && !this.#conn.closed && rateOf(r) === 0;
  }

  /** Whether a complete body of so many bytes is copied before the call returns (not in HTTP/2). */
  copiesWhole(r: Request, bytes: number): boolean {
    return !r.chunked && this.#head.length + bytes <= JOIN_LIMIT && this.#takesWhole(r);
  }

  #sendWhole(r: Request, pieces: Piece[]): boolean {
    if (!this.#takesWhole(r)) return false;
    let bytes = this.#head.length;
    for (const piece of pieces) {
      if (isFileSpan(piece)) return false;
      bytes += piece.length;
    }
    if (bytes > JOIN_LIMIT) return false;
    if (bytes <= TEXT_LIMIT && !this.#conn.tls && !this.#conn.http2) this.#sendText(r, pieces as Buffer[], bytes - this.#head.length);
    else if (r.chunked) return false;
    else {
      for (const piece of pieces as Buffer[]) {
        this.queued += piece.length;
        this.#write(piece);
      }
      this.#flushBatch();
    }
    if (this.#unsent > 0) this.#waitDrain();
    return true;
  }

  #sendText(r: Request, pieces: Buffer[], bodyBytes: number): void {
    let text = this.#head;
    if (r.chunked && bodyBytes > 0) text += `${bodyBytes.toString(16)}\r\n`;
    for (const piece of pieces) text += piece.latin1Slice();
    if (r.chunked) text += lastChunk(r, bodyBytes > 0);
    this.queued -= this.#head.length;
    this.#head = '';
    this.noteSent(text.length);
    this.#send(text);
  }

  /** Writes what is in memory, up to the first file region; rate limits do not apply. */
  cut(): void {
    if (this.#head !== '') this.#queueHead();
    for (const piece of this.queue) {
      if (isFileSpan(piece)) break;
      this.#conn.socket.write(piece);
    }
    this.queue = [];
    this.queued = 0;
  }

  #pushChunked(r: Request, pieces: Piece[], last: boolean): void {
    let total = 0;
    for (const piece of pieces) total += pieceLength(piece);
    if (total > 0) {
      this.#push(Buffer.from(`${total.toString(16)}\r\n`, 'latin1'));
      for (const piece of pieces) if (pieceLength(piece) > 0) this.#push(piece);
      if (!last) this.#push(CRLF);
    }
    if (last) this.#push(Buffer.from(lastChunk(r, total > 0), 'latin1'));
  }

  /** Pieces given to this queue are still in use. */
  get holding(): boolean {
    return this.queue.length > 0 || this.#unsent > 0;
  }

  /** Bytes are waiting here or in the socket. */
  get buffered(): boolean {
    if (this.queued > 0) this.#pump();
    return this.queued > 0 || this.#draining || this.#unsent > 0;
  }

  get blocked(): boolean {
    return this.#draining || this.delayTimer !== null;
  }

  /** Calls back when `blocked` has become false, or the connection was closed. */
  whenWritable(callback: () => void): void {
    this.writableWaiters.push(callback);
  }

  /** Writes from the queue until it is empty, the socket is full, or a rate limit applies. */
  #pump(): void {
    if (this.#draining || this.delayTimer || this.#conn.closed) return;
    const r = this.#conn.request;
    const rate = r ? rateOf(r) : 0;
    const limited = rate > 0 ? r : null;
    if (limited && this.#head !== '') this.#queueHead();
    while (this.queue.length > 0) {
      // TLS copies its input: large bodies are written in parts
      let allowed = this.#conn.tls ? FILE_CHUNK : Infinity;
      if (limited) {
        allowed = Math.min(allowed, this.#rateAllowance(limited, rate));
        if (allowed <= 0) break;
      }
      const piece = this.queue[0];
      if (isFileSpan(piece)) {
        if (!this.#sendFile(piece, Math.min(allowed, FILE_CHUNK), limited, rate)) break;
        continue;
      }
      if (piece.length > allowed) {
        this.queue[0] = piece.subarray(allowed);
        this.#write(piece.subarray(0, allowed));
      } else {
        this.queue.shift();
        this.#write(piece);
      }
      if (limited) {
        this.#rateDelay(limited, rate, Math.min(piece.length, allowed));
        if (this.delayTimer) break;
      }
      if (this.#batchBytes + this.#unsent > SOCKET_HIGH_WATER && this.queue.length > 0) {
        this.#flushBatch();
        if (this.#unsent > SOCKET_HIGH_WATER) break;
      }
    }
    this.#flushBatch();
    if (this.#unsent > 0) this.#waitDrain();
  }

  #write(data: Buffer): void {
    this.#count(data.length);
    this.#batch.push(data);
    this.#batchBytes += data.length;
  }

  #count(bytes: number): void {
    this.queued -= bytes;
    this.sent += bytes;
    this.bytesSent += bytes;
  }

  /** One write for the whole batch: head and small body are joined, since a gathered write costs more than the copy. */
  #flushBatch(): void {
    const batch = this.#batch;
    const head = this.#head;
    const { socket } = this.#conn;
    const bytes = head.length + this.#batchBytes;
    if (this.#conn.http2 && this.#last && this.queue.length === 0) {
      this.#endStream();
      return;
    }
    if (bytes === 0) return;
    if (head !== '') {
      this.#head = '';
      this.#count(head.length);
    }
    if (batch.length === 0) {
      this.#send(head);
      return;
    }
    this.#batch = [];
    this.#batchBytes = 0;
    if (head === '' && batch.length === 1) this.#send(batch[0]);
    else if (bytes <= JOIN_LIMIT) this.#writeJoined(head, batch, bytes);
    else {
      if (this.#straight?.writeAll(head, batch, bytes)) return;
      socket.cork();
      if (head !== '') this.#give(head);
      for (const data of batch) this.#give(data);
      socket.uncork();
    }
  }

  /** Sends the last piece and the end of the stream in one frame. */
  #endStream(): void {
    const batch = this.#batch;
    const batchBytes = this.#batchBytes;
    const { socket } = this.#conn;
    this.#batch = [];
    this.#batchBytes = 0;
    if (socket.writableEnded) return;
    if (batchBytes === 0) socket.end();
    else socket.end(batch.length === 1 ? batch[0] : Buffer.concat(batch, batchBytes));
  }

  #writeJoined(head: string, batch: Buffer[], bytes: number): void {
    const { tls, http2 } = this.#conn;
    // a plain socket has nearly always accepted everything when write() returns, so the memory is free again
    const own = tls !== null || http2 !== null;
    const joined: Buffer = own ? Buffer.allocUnsafe(bytes) : joinBuffer;
    let at = head === '' ? 0 : joined.latin1Write(head, 0);
    for (const data of batch) {
      joined.set(data, at);
      at += data.length;
    }
    this.#send(own ? joined : joined.subarray(0, bytes));
    if (!own && this.#unsent > 0) joinBuffer = Buffer.allocUnsafeSlow(JOIN_LIMIT);
  }

  #waitDrain(): void {
    this.#draining = true;
    const timeout = this.#conn.request ? core.conf(this.#conn.request.loc).send_timeout : 60_000;
    this.#conn.setTimer(timeout, () => {
      this.#conn.log('info', 'client timed out (110: Connection timed out) while sending response to client');
      this.#conn.abandon(this.#conn.request?.loc ?? this.#conn.rootLoc);
    });
    if (this.#conn.socket.writableEnded) this.#conn.socket.once('finish', () => this.#flushed());
    // others also write to the socket, and completion of their writes is not reported
    else if (this.#awaited === 0 && !this.#direct?.pending) this.#give(EMPTY);
  }

  /** A write has completed. */
  #settled(): void {
    if (this.#draining && this.#unsent === 0) this.#flushed();
  }

  #flushed(): void {
    this.#draining = false;
    this.#conn.clearTimer();
    while (fileBuffers.length < FILE_BUFFERS) {
      const buffer = this.#lent.pop();
      if (!buffer) break;
      fileBuffers.push(buffer);
    }
    this.#lent.length = 0;
    if (!this.#conn.closed) this.#drained();
  }

  #drained(): void {
    this.#pump();
    if (this.blocked) return;
    const waiters = this.writableWaiters;
    if (waiters.length > 0) {
      this.writableWaiters = [];
      for (const waiter of waiters) waiter();
    }
    const r = this.#conn.request;
    if (r?.finishing && !this.blocked) {
      r.finishing = false;
      r.resume();
    }
    this.#conn.runPosted();
  }

  /**
   * Writes the next part of a file region. Reads synchronously, like nginx, since the page cache is faster than a thread.
   * @returns whether more may be written at once
   */
  #sendFile(span: FileSpan, limit: number, limited: Request | null, rate: number): boolean {
    const want = Math.min(limit, span.end - span.start);
    const buffer = fileBuffers.pop() ?? Buffer.allocUnsafeSlow(FILE_CHUNK);
    let count = 0;
    try {
      count = readSync(span.fd, buffer, 0, want, span.start);
    } catch {
      // treated like a file that shrank
    }
    if (count === 0) {
      // the length was already announced
      this.#conn.request?.log('alert', `read only 0 of ${want} from a file`);
      this.#conn.destroy();
      return false;
    }
    span.start += count;
    if (span.start >= span.end) this.queue.shift();
    this.#write(buffer.subarray(0, count));
    this.#flushBatch();
    if (limited) this.#rateDelay(limited, rate, count);
    if (this.#unsent > 0) {
      this.#lent.push(buffer);
      return false;
    }
    if (fileBuffers.length < FILE_BUFFERS) fileBuffers.push(buffer);
    return this.delayTimer === null;
  }

  /** Bytes that may be sent now; starts the timer if none. */
  #rateAllowance(r: Request, rate: number): number {
    const allowed = rateAllowance(r, rate, this.sent);
    if (allowed > 0) return allowed;
    this.#delay(Math.ceil((-allowed * 1000) / rate) + 1);
    return 0;
  }

  #rateDelay(r: Request, rate: number, justSent: number): void {
    const ms = ratePauseMs(r, rate, this.sent, justSent);
    if (ms > 0) this.#delay(ms);
  }

  #delay(ms: number): void {
    this.delayTimer = setTimeout(() => {
      this.delayTimer = null;
      if (!this.#conn.closed) this.#drained();
    }, ms);
  }
}

/** End of a chunked body, with trailers. @param follows  the line end of the previous chunk is still missing */
function lastChunk(r: Request, follows: boolean): string {
  let end = follows ? '\r\n0\r\n' : '0\r\n';
  for (const field of r.out.trailers) end += `${field.name}: ${field.value}\r\n`;
  return `${end}\r\n`;
}
