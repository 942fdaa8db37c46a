// Passes the response on to the client: at once, or from memory or a temporary file while the client is slower; and into `proxy_store`.
import { closeSync, unlinkSync, writeSync } from 'node:fs';
import { readSpan } from '../../files/send-file.ts';
import type { Request } from '../../model/types.ts';
import type { UpstreamState } from '../../model/upstream-state.ts';
import { openTemp } from '../../request/body.ts';
import { ERROR, OK } from '../../request/codes.ts';
import { isFileSpan, type Piece } from '../../request/pieces.ts';
import type { CacheRequest } from '../cache/cache.ts';
import type { UpstreamConf } from '../conf.ts';
import type { PeerConnection } from '../connection/connect.ts';
import { withCopy } from '../connection/read-buffers.ts';
import type { UpstreamHead } from '../protocol/protocol.ts';
import { READING_HEAD } from '../protocol/response-head.ts';
import { storeFile } from './store.ts';

/** If more of a body than this is expected, a connection reads into a buffer of its own. */
const MORE_BYTES = 8 * 1024;
/** Smaller pieces may wait in the queue, and are cheap to copy. */
const STRAIGHT_BYTES = 8 * 1024;

interface TempFile {
  fd: number;
  path: string;
  size: number;
  pos: number;
}

/** The exchange whose response is passed on. */
export interface PasserOwner {
  readonly r: Request;
  readonly conf: UpstreamConf;
  readonly cache: CacheRequest | null;
  readonly conn: PeerConnection | null;
  readonly state: UpstreamState;
  readonly head: UpstreamHead | null;
  readonly method: string;
  readonly protocolName: string;
  readonly buffering: boolean;
  /** the response is being stored in the cache */
  readonly cacheable: boolean;
  readonly upgrade: boolean;
  readonly ended: boolean;
  readonly responseComplete: boolean;
  /** the response broke off */
  readonly failedLength: boolean;
  /** bytes go both ways unchanged */
  readonly tunnelling: boolean;
  /** the bytes being parsed are in a buffer that will be read into again */
  readonly inPlace: boolean;
  /** `limit_rate` holds reading back */
  readonly readsPaused: boolean;
  startTunnel(): void;
  tunnelData(data: Buffer): void;
  setTimer(ms: number): void;
  clearTimer(): void;
  clientGone(): void;
  finish(rc: number): void;
}

export class BodyPasser {
  readonly #u: PasserOwner;
  /** file for `proxy_store` */
  #store: { fd: number; path: string } | null = null;
  #pending: Piece[] = [];
  #pendingBytes = 0;
  #temp: TempFile | null = null;
  /** the client is slower: the peer is not read from */
  waitingClient = false;
  /** the end of the body, still in the buffer that was read into: it leaves with the end of the response */
  #ending: Buffer | null = null;
  #hasWaiter = false;

  constructor(u: PasserOwner) {
    this.#u = u;
  }

  /** The response is being written to a file. */
  get storing(): boolean {
    return this.#store !== null;
  }

  /** Parts of the body wait for the client. */
  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  sendHead(head: UpstreamHead): void {
    const u = this.#u;
    const { r, conf } = u;
    r.logState = READING_HEAD;
    const rc = r.sendHeader();
    r.logState = '';
    if (rc === ERROR || rc > OK) {
      u.cache?.abandon();
      u.finish(rc);
      return;
    }
    if (u.upgrade && head.status === 101) {
      u.startTunnel();
      return;
    }
    if (r.headerOnly && !u.cacheable && !this.#store && !r.isSub) {
      if (u.responseComplete) return;
      // the client wants no body: the rest is not waited for, except by the cache
      if (u.protocolName === 'http' && (u.method === 'HEAD' || head.status === 304 || head.status === 204)) return;
      u.finish(OK);
      return;
    }
    if (conf.store.on && head.status === 200) this.#openStore();
    if (!u.buffering && !u.responseComplete) r.output([], false, true);
  }

  /** @param last  the end of the body: `finish` follows at once */
  gotBody(data: Buffer, last = false): void {
    if (this.#u.ended || data.length === 0) return;
    if (this.#u.tunnelling) {
      this.#u.tunnelData(this.#u.inPlace ? Buffer.from(data) : data);
      return;
    }
    const { r } = this.#u;
    this.#u.state.responseLength += data.length;
    this.#u.cache?.write(data);
    if (this.#store) writeSync(this.#store.fd, data);
    if (r.headerOnly && !r.inMemory) return;
    const { conn, head, inPlace } = this.#u;
    if (!conn || !inPlace) {
      this.#pass(data);
      return;
    }
    if (last && this.#pending.length === 0 && r.usesUpWhole(data.length)) {
      this.#ending = data;
      return;
    }
    const left = head && head.contentLength >= 0 ? head.contentLength - this.#u.state.responseLength : this.#u.state.responseLength;
    conn.buffers.expectsMore = left > MORE_BYTES;
    if (this.#pending.length === 0 && !r.blocked && r.filtersUseUp) {
      this.#pass(data);
      return;
    }
    if (data.length < STRAIGHT_BYTES || this.#pending.length > 0 || r.blocked || !r.passesStraight) {
      this.#pass(Buffer.from(data));
      return;
    }
    if (conn.reads === 'shared') {
      withCopy(data, (copy) => {
        this.#pass(copy);
        return r.conn.output.holding;
      });
      return;
    }
    // directly from the connection's buffer, which is released unless the client's socket accepted all of it
    this.#pass(data);
    conn.buffers.retained = r.conn.output.holding;
  }

  /** Passes a piece to the client, or stores it while the client is slower. */
  #pass(data: Buffer): void {
    const { r } = this.#u;
    if (this.#pending.length === 0 && !r.blocked) {
      this.#emit([data]);
      if (!r.blocked) return;
      if (!this.#u.buffering) this.#hold();
      return;
    }
    if (r.conn.error) return;
    if (!this.#u.buffering) {
      this.#pending.push(data);
      this.#hold();
      this.#whenClientReady();
      return;
    }
    this.#keep(data);
    this.#whenClientReady();
  }

  /** The part of the body that is sent with the end of the response. */
  takeEnding(): Buffer[] {
    const ending = this.#ending;
    this.#ending = null;
    return ending ? [ending] : [];
  }

  #emit(pieces: Piece[]): void {
    const rc = this.#u.r.output(pieces, false, !this.#u.buffering);
    if (rc === ERROR && !this.#u.cacheable && !this.#store && !this.#u.r.background) this.#u.clientGone();
  }

  #keep(data: Buffer): void {
    const limit = this.#u.conf.buffers.count * this.#u.conf.buffers.size;
    if (this.#pendingBytes + data.length <= limit) {
      this.#pending.push(data);
      this.#pendingBytes += data.length;
      return;
    }
    const { maxTempFileSize } = this.#u.conf;
    if (maxTempFileSize > 0 && (this.#temp?.size ?? 0) + data.length <= maxTempFileSize) {
      this.#spool(data);
      return;
    }
    this.#pending.push(data);
    this.#pendingBytes += data.length;
    this.#hold();
  }

  #spool(data: Buffer): void {
    if (!this.#temp) {
      this.#temp = { ...openTemp(this.#u.conf.tempPath), size: 0, pos: 0 };
      this.#u.r.log('warn', `an upstream response is buffered to a temporary file ${this.#temp.path} while reading upstream`);
    }
    const temp = this.#temp;
    writeSync(temp.fd, data, 0, data.length, temp.pos);
    const last = this.#pending.at(-1);
    if (last && isFileSpan(last) && last.end === temp.pos) last.end += data.length;
    else this.#pending.push({ fd: temp.fd, start: temp.pos, end: temp.pos + data.length });
    temp.pos += data.length;
    temp.size += data.length;
  }

  /** Stops reading from the peer. */
  #hold(): void {
    this.waitingClient = true;
    this.#u.conn?.socket.pause();
    this.#u.clearTimer();
    this.#whenClientReady();
  }

  #whenClientReady(): void {
    if (this.#hasWaiter) return;
    this.#hasWaiter = true;
    this.#u.r.conn.output.whenWritable(() => {
      this.#hasWaiter = false;
      if (!this.#u.ended) this.#clientReady();
    });
  }

  #clientReady(): void {
    while (!this.#u.r.blocked) {
      const piece = this.#pending.shift();
      if (!piece) break;
      if (!isFileSpan(piece)) this.#pendingBytes -= piece.length;
      this.#emit([isFileSpan(piece) && this.#u.r.needInMemory ? readSpan(piece) : piece]);
      if (this.#u.ended) return;
    }
    if (this.#pending.length > 0) {
      this.#whenClientReady();
      return;
    }
    if (this.#u.responseComplete) {
      this.#u.finish(this.#u.failedLength ? ERROR : OK);
      return;
    }
    if (this.waitingClient) {
      this.waitingClient = false;
      if (!this.#u.readsPaused) this.#u.conn?.socket.resume();
      this.#u.setTimer(this.#u.conf.readTimeoutMs);
    }
  }

  #openStore(): void {
    if (this.#store) return;
    try {
      this.#store = openTemp(this.#u.conf.tempPath);
    } catch (error) {
      this.#u.r.log('crit', `open() temporary file failed: ${(error as Error).message}`);
    }
  }

  finishStore(good: boolean): void {
    const store = this.#store;
    this.#store = null;
    if (store) storeFile(this.#u, store, good);
  }

  /** Releases the temporary file. */
  release(): void {
    const temp = this.#temp;
    if (!temp) return;
    this.#temp = null;
    this.#u.r.whenSent(() => closeTemp(temp));
  }
}

function closeTemp(temp: { fd: number; path: string }): void {
  closeSync(temp.fd);
  try {
    unlinkSync(temp.path);
  } catch {
    // already gone
  }
}
