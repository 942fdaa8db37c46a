/** Writes the request of one attempt to the peer: head, kept body, or the body as it arrives. */

import type { HeaderField } from '../../../http/wire/header.ts';
import { OK } from '../request/codes.ts';
import type { ParserSink } from './protocol.ts';
import type { UpstreamHead } from './response-head.ts';
import type { Upstream } from './upstream.ts';

const JOIN_LIMIT = 32 * 1024;

/** Hears the parser of one attempt: what an abandoned one still has to say counts for nothing. */
class AttemptSink implements ParserSink {
  constructor(
    private readonly u: Upstream,
    private readonly attempt: number,
  ) {}

  private get current(): boolean {
    return this.attempt === this.u.sender.attempt && !this.u.ended;
  }
  head(head: UpstreamHead): void {
    if (this.current) this.u.reader.gotHead(head);
  }
  hints(fields: HeaderField[]): void {
    if (this.current) this.u.reader.gotHints(fields);
  }
  body(data: Buffer, last?: boolean): void {
    if (this.current) this.u.passer.gotBody(data, last);
  }
  trailers(fields: HeaderField[]): void {
    if (this.current) this.u.trailers = fields;
  }
  beside(count: number, isExcess: boolean): void {
    if (!this.current) return;
    this.u.state.besideBytes += count;
    if (isExcess) this.u.r.log('warn', 'upstream sent more data than specified in "Content-Length" header while reading upstream');
  }
  complete(keepalive: boolean): void {
    if (this.current) this.u.complete(keepalive);
  }
}

export class RequestSender {
  attempt = 0;
  requestSent = false;
  bodySent = false;
  private streamQueue: Buffer[] = [];
  private streamEnded = false;
  private head: (Buffer | string)[] | undefined;

  constructor(private readonly u: Upstream) {}

  /** Makes the head before a peer is chosen: all attempts send the same. */
  prepare(): void {
    if (this.u.protocol.fixedHead) this.head = this.u.protocol.requestHead(this.u);
  }

  /** Before an attempt. */
  reset(): void {
    this.requestSent = false;
    this.bodySent = false;
  }

  send(): void {
    const { r, conn } = this.u;
    if (!conn) return;
    this.u.setTimer(this.u.conf.sendTimeoutMs);
    this.requestSent = true;
    conn.requests++;
    this.u.reader.parser = this.u.protocol.parser(this.u, new AttemptSink(this.u, ++this.attempt));
    const parts = this.head ? [...this.head] : this.u.protocol.requestHead(this.u);
    const { body } = r.bodyOwner;
    if (body?.consumer) {
      // what came with the head of the request leaves with it
      for (const data of this.streamQueue) parts.push(...this.u.protocol.wrapBody(this.u, data));
      this.streamQueue = [];
      this.writeAll(parts);
      if (this.streamEnded) this.finishSending();
      return;
    }
    if (this.u.conf.passRequestBody && body && body.size > 0 && !this.u.notes.ownBody) {
      const data = body.read();
      for (let pos = 0; pos < data.length; pos += 65_535) parts.push(...this.u.protocol.wrapBody(this.u, data.subarray(pos, pos + 65_535)));
    }
    if (this.u.protocol.connection) {
      // the end is no bytes there: it must come after them
      this.writeAll(parts);
      this.finishSending();
      return;
    }
    parts.push(...this.u.protocol.endBody(this.u));
    this.writeAll(parts);
    this.sentAll();
  }

  private writeAll(parts: (Buffer | string)[]): void {
    const { conn } = this.u;
    if (!conn || conn.ended) return;
    if (parts.length > 1 && parts.reduce((sum, p) => sum + p.length, 0) <= JOIN_LIMIT) {
      conn.write(Buffer.concat(parts.map((p) => (typeof p === 'string' ? Buffer.from(p, 'latin1') : p))));
      return;
    }
    if (parts.length > 1) conn.socket.cork();
    for (const part of parts) if (part.length > 0) conn.write(part);
    if (parts.length > 1) conn.socket.uncork();
  }

  private sentAll(): void {
    this.bodySent = true;
    const { conn } = this.u;
    if (!conn) return;
    const waiting = conn.socket.writableLength;
    if (waiting > 0) conn.socket.once('drain', () => this.bodySent && !this.u.ended && this.u.setTimer(this.u.conf.readTimeoutMs));
    // below the high-water mark there is no drain
    if (waiting < 16_384) this.u.setTimer(this.u.conf.readTimeoutMs);
  }

  private finishSending(): void {
    this.writeAll(this.u.protocol.endBody(this.u));
    this.sentAll();
  }

  /** A piece of an unbuffered request body. */
  streamData(data: Buffer): void {
    if (this.u.ended) return;
    if (!this.requestSent || !this.u.conn) {
      this.streamQueue.push(data);
      return;
    }
    this.writeAll(this.u.protocol.wrapBody(this.u, data));
    if (!this.u.headerDone) this.u.setTimer(this.u.conf.sendTimeoutMs);
    if (this.u.conn.socket.writableLength > 65_536) this.u.r.conn.pauseReading();
  }

  streamEnd(rc: number): void {
    if (this.u.ended) return;
    if (rc !== OK) {
      this.u.finish(rc);
      return;
    }
    this.streamEnded = true;
    if (this.requestSent && this.u.conn) this.finishSending();
  }
}
