// Writes the request of one attempt to the peer: head, stored body, or the body as it arrives.
import type { Request } from '../../model/types.ts';
import { OK } from '../../request/codes.ts';
import type { UpstreamConf } from '../conf.ts';
import type { PeerConnection } from '../connection/connect.ts';

const JOIN_LIMIT = 32 * 1024;
/** Largest piece of a stored body, which protocols with 16-bit lengths can frame. */
const BODY_PIECE = 65_535;
/** Bytes waiting in the peer's socket above which the client is not read from. */
const PAUSE_ABOVE = 65_536;
/** High-water mark of sockets: below it there is no `drain`. */
const SOCKET_HIGH_WATER = 16_384;

/** The exchange whose request is sent. */
export interface SenderOwner {
  readonly r: Request;
  readonly conf: UpstreamConf;
  readonly conn: PeerConnection | null;
  readonly ended: boolean;
  readonly headerDone: boolean;
  /** the head contains the body, or there is none */
  readonly ownBody: boolean;
  /** every attempt may send the same head */
  readonly fixedHead: boolean;
  readonly connectionKind: typeof PeerConnection | null;
  requestHead(): (Buffer | string)[];
  wrapBody(data: Buffer): Buffer[];
  endBody(): Buffer[];
  /** The request is about to be sent: whatever the peer sends from now on is parsed. */
  startParser(): void;
  setTimer(ms: number): void;
  finish(rc: number): void;
}

export class RequestSender {
  readonly #u: SenderOwner;
  requestSent = false;
  bodySent = false;
  #streamQueue: Buffer[] = [];
  /** parts of the request that leave together: the head, or what the current read of the client brings of the body */
  #gathered: (Buffer | string)[] = [];
  #streamEnded = false;
  #head: (Buffer | string)[] | null = null;

  constructor(u: SenderOwner) {
    this.#u = u;
  }

  /** Makes the head before a peer is chosen, if all attempts send the same. */
  prepare(): void {
    if (this.#u.fixedHead) this.#head = this.#u.requestHead();
  }

  /** Before an attempt. */
  reset(): void {
    this.requestSent = false;
    this.bodySent = false;
    this.#gathered = [];
  }

  send(): void {
    const u = this.#u;
    const { r, conn } = u;
    if (!conn) return;
    u.setTimer(u.conf.sendTimeoutMs);
    this.requestSent = true;
    conn.requests++;
    u.startParser();
    const parts = this.#head ? [...this.#head] : u.requestHead();
    const { body } = r.bodyOwner;
    if (body?.consumer) {
      // what arrived with the head of the request leaves with it
      for (const data of this.#streamQueue) parts.push(...u.wrapBody(data));
      this.#streamQueue = [];
      if (this.#streamEnded) {
        this.#gathered = parts;
        this.#finishSending();
      } else this.#writeAll(parts);
      return;
    }
    if (u.conf.passRequestBody && body && body.size > 0 && !u.ownBody) {
      const data = body.read();
      for (let pos = 0; pos < data.length; pos += BODY_PIECE) parts.push(...u.wrapBody(data.subarray(pos, pos + BODY_PIECE)));
    }
    this.#gathered = parts;
    this.#finishSending();
  }

  #writeAll(parts: (Buffer | string)[]): void {
    const { conn } = this.#u;
    if (!conn || conn.ended) return;
    if (parts.length > 1 && parts.reduce((sum, p) => sum + p.length, 0) <= JOIN_LIMIT) {
      conn.write(Buffer.concat(parts.map((p) => (typeof p === 'string' ? Buffer.from(p, 'latin1') : p))));
      return;
    }
    if (parts.length > 1) conn.socket.cork();
    for (const part of parts) if (part.length > 0) conn.write(part);
    if (parts.length > 1) conn.socket.uncork();
  }

  #sentAll(): void {
    this.bodySent = true;
    const u = this.#u;
    if (!u.conn) return;
    const waiting = u.conn.socket.writableLength;
    if (waiting > 0) u.conn.socket.once('drain', () => this.bodySent && !u.ended && u.setTimer(u.conf.readTimeoutMs));
    if (waiting < SOCKET_HIGH_WATER) u.setTimer(u.conf.readTimeoutMs);
  }

  #finishSending(): void {
    const held = this.#gathered;
    this.#gathered = [];
    if (this.#u.connectionKind) {
      // there `endBody` itself ends the stream
      this.#writeAll(held);
      this.#writeAll(this.#u.endBody());
    } else {
      held.push(...this.#u.endBody());
      this.#writeAll(held);
    }
    this.#sentAll();
  }

  /** A piece of an unbuffered request body. */
  streamData(data: Buffer): void {
    const u = this.#u;
    if (u.ended) return;
    if (!this.requestSent || !u.conn) {
      this.#streamQueue.push(data);
      return;
    }
    if (this.#gathered.length === 0) process.nextTick(() => this.#sendGathered());
    this.#gathered.push(...u.wrapBody(data));
  }

  #sendGathered(): void {
    const u = this.#u;
    const parts = this.#gathered;
    if (parts.length === 0 || u.ended || !u.conn) return;
    this.#gathered = [];
    this.#writeAll(parts);
    if (!u.headerDone) u.setTimer(u.conf.sendTimeoutMs);
    if (u.conn.socket.writableLength > PAUSE_ABOVE) u.r.conn.pauseReading();
  }

  streamEnd(rc: number): void {
    const u = this.#u;
    if (u.ended) return;
    if (rc !== OK) {
      u.finish(rc);
      return;
    }
    this.#streamEnded = true;
    if (this.requestSent && u.conn) this.#finishSending();
  }
}
