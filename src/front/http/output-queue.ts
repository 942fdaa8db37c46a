/**
 * What a connection still has to send: pieces in memory and file regions, in order.
 *   header, body pieces -> queue -> batch of one write -> socket
 * Knows rate limits and tells producers when to wait.
 */
import { read as fsRead } from 'node:fs';
import { parseSize } from '../config/values.ts';
import { ERROR, OK } from './codes.ts';
import type { Connection } from './connection.ts';
import { core } from './core.ts';
import { type BodyFlags, isFileSpan, type Piece, pieceLength } from './module.ts';
import type { Request } from './request.ts';

const EMPTY = Buffer.alloc(0);
const CRLF = Buffer.from('\r\n');
/** Bytes in the socket's own queue before producers are told to wait. */
const SOCKET_HIGH_WATER = 64 * 1024;
const FILE_CHUNK = 256 * 1024;
const JOIN_LIMIT = 32 * 1024;

export class OutputQueue {
  /** bytes sent for the current request, header included */
  sent = 0;
  bytesSent = 0;
  queue: Piece[] = [];
  queued = 0;
  private reading = false;
  private draining = false;
  delayTimer: NodeJS.Timeout | undefined;
  writableWaiters: (() => void)[] = [];

  constructor(private readonly conn: Connection) {}

  /** Queues the header; it leaves with the first body bytes or when the request ends. */
  startResponse(r: Request, head: Buffer | undefined): void {
    if (head) {
      r.headerSize = head.length;
      this.push(head);
    }
    this.conn.clearTimer();
  }

  private push(piece: Piece): void {
    this.queue.push(piece);
    this.queued += pieceLength(piece);
  }

  sendBody(r: Request, pieces: Piece[], flags: BodyFlags): number {
    if (this.conn.error) return ERROR;
    if (this.conn.http2) return this.conn.http2.data(r, pieces, flags.last);
    if (r.chunked) this.pushChunked(r, pieces, flags.last);
    else for (const piece of pieces) if (pieceLength(piece) > 0) this.push(piece);
    if (flags.last || flags.flush || this.queued >= core.conf(r.loc).postpone_output) this.pump();
    return this.conn.error ? ERROR : OK;
  }

  private pushChunked(r: Request, pieces: Piece[], last: boolean): void {
    let total = 0;
    for (const piece of pieces) total += pieceLength(piece);
    if (total > 0) {
      this.push(Buffer.from(`${total.toString(16)}\r\n`, 'latin1'));
      for (const piece of pieces) if (pieceLength(piece) > 0) this.push(piece);
      if (!last) this.push(CRLF);
    }
    if (last) {
      let end = total > 0 ? '\r\n0\r\n' : '0\r\n';
      for (const field of r.out.trailers) end += `${field.name}: ${field.value}\r\n`;
      this.push(Buffer.from(`${end}\r\n`, 'latin1'));
    }
  }

  /** Bytes are waiting here or in the socket. */
  get buffered(): boolean {
    if (this.queued > 0) this.pump();
    return this.queued > 0 || this.draining || this.reading || this.conn.socket.writableLength > 0;
  }

  get blocked(): boolean {
    return this.draining || this.reading || this.delayTimer !== undefined;
  }

  /** Calls back when `blocked` has ended, or the connection has. */
  whenWritable(callback: () => void): void {
    this.writableWaiters.push(callback);
  }

  /** Writes from the queue until it is empty, the socket is full, or a rate limit says stop. */
  private pump(): void {
    if (this.draining || this.reading || this.delayTimer || this.conn.closed) return;
    const r = this.conn.request;
    const rate = r ? rateOf(r) : 0;
    while (this.queue.length > 0) {
      let allowed = Infinity;
      if (rate > 0) {
        allowed = this.rateAllowance(r!, rate);
        if (allowed <= 0) break;
      }
      const piece = this.queue[0];
      if (isFileSpan(piece)) {
        this.flushBatch();
        this.readFile(piece, Math.min(allowed, FILE_CHUNK), rate);
        break;
      }
      if (piece.length > allowed) {
        this.queue[0] = piece.subarray(allowed);
        this.write(piece.subarray(0, allowed));
      } else {
        this.queue.shift();
        this.write(piece);
      }
      if (rate > 0) {
        this.rateDelay(r!, rate, Math.min(piece.length, allowed));
        if (this.delayTimer) break;
      }
      if (this.batchBytes + this.conn.socket.writableLength > SOCKET_HIGH_WATER && this.queue.length > 0) {
        this.flushBatch();
        if (this.conn.socket.writableLength > SOCKET_HIGH_WATER) break;
      }
    }
    this.flushBatch();
    if (this.conn.socket.writableLength > 0 && !this.reading) this.waitDrain();
  }

  private write(data: Buffer): void {
    this.queued -= data.length;
    this.sent += data.length;
    this.bytesSent += data.length;
    this.batch.push(data);
    this.batchBytes += data.length;
  }

  private batch: Buffer[] = [];
  private batchBytes = 0;

  /** One write for what came together: header and small body are joined, since a gathered write costs more than the copy. */
  private flushBatch(): void {
    const { batch, batchBytes } = this;
    if (batch.length === 0) return;
    this.batch = [];
    this.batchBytes = 0;
    if (batch.length === 1) this.conn.socket.write(batch[0]);
    else if (batchBytes <= JOIN_LIMIT) this.conn.socket.write(Buffer.concat(batch, batchBytes));
    else {
      this.conn.socket.cork();
      for (const data of batch) this.conn.socket.write(data);
      this.conn.socket.uncork();
    }
  }

  private waitDrain(): void {
    this.draining = true;
    const timeout = this.conn.request ? core.conf(this.conn.request.loc).send_timeout : 60_000;
    this.conn.setTimer(timeout, () => {
      this.conn.log('info', 'client timed out (110: Connection timed out) while sending response to client');
      this.conn.destroy();
    });
    this.conn.socket.write(EMPTY, () => {
      this.draining = false;
      this.conn.clearTimer();
      if (!this.conn.closed) this.drained();
    });
  }

  private drained(): void {
    this.pump();
    if (this.blocked) return;
    const waiters = this.writableWaiters;
    if (waiters.length > 0) {
      this.writableWaiters = [];
      for (const waiter of waiters) waiter();
    }
    const r = this.conn.request;
    if (r?.finishing && !this.blocked) {
      r.finishing = false;
      r.resume();
    }
    this.conn.runPosted();
  }

  private readFile(span: { fd: number; start: number; end: number }, limit: number, rate: number): void {
    const want = Math.min(limit, span.end - span.start);
    const buffer = Buffer.allocUnsafe(want);
    this.reading = true;
    fsRead(span.fd, buffer, 0, want, span.start, (error, count) => {
      this.reading = false;
      if (this.conn.closed) return;
      if (error || count === 0) {
        // the file shrank: the length is promised already
        this.conn.destroy();
        return;
      }
      span.start += count;
      if (span.start >= span.end) this.queue.shift();
      this.write(count === want ? buffer : buffer.subarray(0, count));
      this.flushBatch();
      if (rate > 0 && this.conn.request) this.rateDelay(this.conn.request, rate, count);
      if (this.delayTimer) return;
      if (this.conn.socket.writableLength > 0) this.waitDrain();
      else this.drained();
    });
  }

  /** Bytes that may go now; arms the timer if none. */
  private rateAllowance(r: Request, rate: number): number {
    const elapsed = Math.floor(Date.now() / 1000) - Math.floor(r.startMs / 1000) + 1;
    const allowed = rate * elapsed - (this.sent - (r.limitRateAfter ?? 0));
    if (allowed > 0) return allowed;
    this.delay(Math.ceil((-allowed * 1000) / rate) + 1);
    return 0;
  }

  private rateDelay(r: Request, rate: number, justSent: number): void {
    const after = r.limitRateAfter ?? 0;
    const before = Math.max(0, this.sent - justSent - after);
    const beyond = Math.max(0, this.sent - after) - before;
    const ms = Math.floor((beyond * 1000) / rate);
    if (ms > 0) this.delay(ms);
  }

  private delay(ms: number): void {
    this.delayTimer = setTimeout(() => {
      this.delayTimer = undefined;
      if (!this.conn.closed) this.drained();
    }, ms);
  }
}

/** Bytes per second the response may use, 0: no limit; evaluated once per request. */
function rateOf(r: Request): number {
  if (r.limitRate === undefined) {
    const c = core.conf(r.loc);
    r.limitRate = c.limit_rate ? (parseSize(c.limit_rate.value.eval(r)) ?? 0) : 0;
    r.limitRateAfter = c.limit_rate_after ? (parseSize(c.limit_rate_after.value.eval(r)) ?? 0) : 0;
  }
  return r.limitRate;
}
