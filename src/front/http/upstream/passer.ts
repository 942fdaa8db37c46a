/** Passes the answer on to the client: at once, from memory or from a temporary file while the client is slower; and into `proxy_store`. */
import { closeSync, unlinkSync, writeSync } from 'node:fs';
import { readSpan } from '../files/send-file.ts';
import { openTemp } from '../request/body.ts';
import { ERROR, OK } from '../request/codes.ts';
import { isFileSpan, type Piece } from '../request/pieces.ts';
import { withCopy } from './connect.ts';
import { storeFile } from './store.ts';
import type { Upstream } from './upstream.ts';

/** What is to come of a body for which a connection reads into a buffer of its own. */
const MORE_BYTES = 8 * 1024;
/** Smaller pieces may wait in the queue, and cost little to copy. */
const STRAIGHT_BYTES = 8 * 1024;

export class BodyPasser {
  store: { fd: number; path: string } | undefined;
  pending: Piece[] = [];
  private pendingBytes = 0;
  temp: { fd: number; path: string; size: number; pos: number } | undefined;
  waitingClient = false;
  /** the end of the body, still in the buffer that was read into: it leaves with what ends the response */
  private ending: Buffer | undefined;
  private clientWaiter = false;

  constructor(private readonly u: Upstream) {}

  sendHead(): void {
    const { r, conf } = this.u;
    const rc = r.sendHeader();
    if (rc === ERROR || rc > OK) {
      this.u.options.cache?.abandon(this.u);
      this.u.finish(rc);
      return;
    }
    if (this.u.upgrade && this.u.head!.status === 101) {
      this.u.tunnel.start();
      return;
    }
    if (r.headerOnly && !this.u.cacheable && !this.store && !r.isSub) {
      if (this.u.responseComplete) return;
      // the client wants no body: what the peer still sends is not waited for, except by the cache
      if (
        this.u.protocol.name === 'http' &&
        (this.u.options.method === 'HEAD' || this.u.head!.status === 304 || this.u.head!.status === 204)
      )
        return;
      this.u.finish(OK);
      return;
    }
    if (conf.store.on && this.u.head!.status === 200) this.openStore();
    if (!this.u.buffering && !this.u.responseComplete) r.output([], false, true);
  }

  /** @param last  the end of the body: `finish` follows at once */
  gotBody(data: Buffer, last = false): void {
    if (this.u.ended || data.length === 0) return;
    if (this.u.tunnelling) {
      this.u.tunnel.toClient(this.u.reader.inPlace ? Buffer.from(data) : data);
      return;
    }
    const { r } = this.u;
    this.u.state.responseLength += data.length;
    this.u.options.cache?.write(this.u, data);
    if (this.store) writeSync(this.store.fd, data);
    if (r.headerOnly && !r.inMemory) return;
    const { conn, reader, head } = this.u;
    if (!conn || !reader.inPlace) {
      this.pass(data);
      return;
    }
    if (last && this.pending.length === 0 && r.usesUpWhole(data.length)) {
      this.ending = data;
      return;
    }
    const left = head!.contentLength < 0 ? this.u.state.responseLength : head!.contentLength - this.u.state.responseLength;
    conn.expectsMore = left > MORE_BYTES;
    if (this.pending.length === 0 && !r.blocked && r.filtersUseUp) {
      this.pass(data);
      return;
    }
    if (data.length < STRAIGHT_BYTES || this.pending.length > 0 || r.blocked || !r.passesStraight) {
      this.pass(Buffer.from(data));
      return;
    }
    if (conn.reads === 'shared') {
      withCopy(data, (copy) => {
        this.pass(copy);
        return r.conn.output.holding;
      });
      return;
    }
    // straight from the connection's buffer, which is given up if the client's socket did not take all of it
    this.pass(data);
    conn.retained = r.conn.output.holding;
  }

  /** Gives a piece to the client, or keeps it while the client is slower. */
  private pass(data: Buffer): void {
    const { r } = this.u;
    if (this.pending.length === 0 && !r.blocked) {
      this.emit([data]);
      if (!r.blocked) return;
      if (!this.u.buffering) this.hold();
      return;
    }
    if (r.conn.error) return;
    if (!this.u.buffering) {
      this.pending.push(data);
      this.hold();
      this.whenClientReady();
      return;
    }
    this.keep(data);
    this.whenClientReady();
  }

  /** What is left to be sent with the end of the response. */
  takeEnding(): Buffer[] {
    const { ending } = this;
    this.ending = undefined;
    return ending ? [ending] : [];
  }

  private emit(pieces: Piece[]): void {
    const rc = this.u.r.output(pieces, false, !this.u.buffering);
    if (rc === ERROR && !this.u.cacheable && !this.store && !this.u.r.background) this.u.clientGone();
  }

  private keep(data: Buffer): void {
    const limit = this.u.conf.buffers.count * this.u.conf.buffers.size;
    if (this.pendingBytes + data.length <= limit) {
      this.pending.push(data);
      this.pendingBytes += data.length;
      return;
    }
    const { maxTempFileSize } = this.u.conf;
    if (maxTempFileSize > 0 && (this.temp?.size ?? 0) + data.length <= maxTempFileSize) {
      this.spool(data);
      return;
    }
    this.pending.push(data);
    this.pendingBytes += data.length;
    this.hold();
  }

  private spool(data: Buffer): void {
    if (!this.temp) {
      this.temp = { ...openTemp(this.u.conf.tempPath), size: 0, pos: 0 };
      this.u.r.log('warn', `an upstream response is buffered to a temporary file ${this.temp.path} while reading upstream`);
    }
    const { temp } = this;
    writeSync(temp.fd, data, 0, data.length, temp.pos);
    const last = this.pending.at(-1);
    if (last && isFileSpan(last) && last.end === temp.pos) last.end += data.length;
    else this.pending.push({ fd: temp.fd, start: temp.pos, end: temp.pos + data.length });
    temp.pos += data.length;
    temp.size += data.length;
  }

  /** Stops reading from the peer. */
  private hold(): void {
    this.waitingClient = true;
    this.u.conn?.socket.pause();
    this.u.clearTimer();
    this.whenClientReady();
  }

  private whenClientReady(): void {
    if (this.clientWaiter) return;
    this.clientWaiter = true;
    this.u.r.conn.output.whenWritable(() => {
      this.clientWaiter = false;
      if (!this.u.ended) this.clientReady();
    });
  }

  private clientReady(): void {
    while (this.pending.length > 0 && !this.u.r.blocked) {
      const piece = this.pending.shift()!;
      if (!isFileSpan(piece)) this.pendingBytes -= piece.length;
      this.emit([isFileSpan(piece) && this.u.r.needInMemory ? readSpan(piece) : piece]);
      if (this.u.ended) return;
    }
    if (this.pending.length > 0) {
      this.whenClientReady();
      return;
    }
    if (this.u.responseComplete) {
      this.u.finish(this.u.failedLength ? ERROR : OK);
      return;
    }
    if (this.waitingClient) {
      this.waitingClient = false;
      if (!this.u.reader.paused) this.u.conn?.socket.resume();
      this.u.setTimer(this.u.conf.readTimeoutMs);
    }
  }

  private openStore(): void {
    if (this.store) return;
    try {
      this.store = openTemp(this.u.conf.tempPath);
    } catch (error) {
      this.u.r.log('crit', `open() temporary file failed: ${(error as Error).message}`);
    }
  }

  finishStore(good: boolean): void {
    const { store } = this;
    this.store = undefined;
    if (store) storeFile(this.u, store, good);
  }

  /** Lets go of the temporary file. */
  release(): void {
    const { temp } = this;
    if (!temp) return;
    this.temp = undefined;
    this.u.r.whenSent(() => closeTemp(temp));
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
