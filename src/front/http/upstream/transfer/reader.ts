// Reads the peer's response: feeds bytes to the protocol's parser at the allowed rate, and acts on the head and on the end.

import { nowMs } from '../../../../http/wire/clock.ts';
import type { HeaderField } from '../../../../http/wire/header.ts';
import { parseSize } from '../../../config/values.ts';
import { sslError, systemError } from '../../../system-error.ts';
import { core } from '../../config/core.ts';
import type { UpstreamState } from '../../model/upstream-state.ts';
import { DONE, ERROR, OK } from '../../request/codes.ts';
import type { CacheClient, CacheRequest } from '../cache/cache.ts';
import type { PeerConnection, TlsSettings } from '../connection/connect.ts';
import type { Outcome } from '../peers/selection.ts';
import { passEarlyHints } from '../protocol/early-hints.ts';
import { type Failure, InvalidResponse, type ResponseParser, type UpstreamHead } from '../protocol/protocol.ts';
import { acceptBuffering, acceptHead, READING_HEAD } from '../protocol/response-head.ts';

const NONE: Buffer[] = [];
/** Statuses that `next_upstream` can name. */
const REPEATABLE = new Set([500, 502, 503, 504, 403, 404, 429]);

/** The exchange whose response is read. */
export interface ReaderOwner extends CacheClient {
  readonly cache: CacheRequest | null;
  readonly conn: PeerConnection | null;
  readonly state: UpstreamState;
  readonly ended: boolean;
  readonly responseComplete: boolean;
  /** bytes go both ways unchanged */
  readonly tunnelling: boolean;
  readonly upgrade: boolean;
  readonly requestSent: boolean;
  readonly bodySent: boolean;
  /** the parser does not keep its input */
  readonly readsInPlace: boolean;
  /** the client is slower than the peer */
  readonly waitingClient: boolean;
  /** peers that may still be tried, the current one included */
  readonly tries: number;
  tlsSettings(): TlsSettings | null;
  tunnelData(data: Buffer): void;
  tunnelEnd(): void;
  /** The head was accepted: it is sent to the client. */
  sendHead(head: UpstreamHead): void;
  noteHeader(): void;
  stickToPeer(): void;
  setTimer(ms: number): void;
  clearTimer(): void;
  mayRepeat(failure: Failure): boolean;
  next(failure: Failure, reusable?: boolean): void;
  freePeer(outcome: Outcome): void;
  closeConnection(keep: boolean): void;
  complete(keepalive: boolean): void;
  bodyFailed(status: number): void;
}

export class ResponseReader {
  readonly #u: ReaderOwner;
  parser: ResponseParser | null = null;
  /** `limit_rate` holds reading back */
  paused = false;
  /** the bytes being parsed are in a buffer that will be read into again */
  inPlace = false;
  #rateTimer: NodeJS.Timeout | null = null;
  /** bytes that wait for `limit_rate` */
  #limited: Buffer[] = NONE;
  #limitedBytes = 0;
  #limitedEnd: { error?: Error } | null = null;

  constructor(u: ReaderOwner) {
    this.#u = u;
  }

  /** Before an attempt: leftovers of the previous one are dropped. */
  reset(): void {
    this.parser = null;
    this.#limited = NONE;
    this.#limitedBytes = 0;
  }

  stopTimer(): void {
    if (this.#rateTimer) clearTimeout(this.#rateTimer);
    this.#rateTimer = null;
  }

  onData(bytes: Buffer): void {
    const u = this.#u;
    if (u.ended || !u.conn) return;
    u.state.bytesReceived += bytes.length;
    this.inPlace = u.conn.reads !== 'fresh';
    let data = bytes;
    if (this.inPlace && (!u.readsInPlace || u.conf.limitRate || u.tunnelling)) {
      data = Buffer.from(bytes);
      this.inPlace = false;
    }
    if (u.tunnelling) {
      u.tunnelData(data);
      return;
    }
    if (!u.requestSent) return;
    if (u.bodySent || u.headerDone) u.setTimer(u.conf.readTimeoutMs);
    const rate = this.#readRate();
    if (rate > 0) {
      if (this.#limited === NONE) this.#limited = [];
      this.#limited.push(data);
      this.#pumpLimited(rate);
      return;
    }
    this.#parse(data);
  }

  #parse(data: Buffer): void {
    const u = this.#u;
    try {
      this.parser?.feed(data);
    } catch (error) {
      if (!(error instanceof InvalidResponse)) throw error;
      if (u.headerDone) {
        u.r.log('error', `${error.message} while reading upstream`);
        u.bodyFailed(ERROR);
      } else {
        u.r.log('error', `${error.message}${READING_HEAD}`);
        u.next('invalid_header');
      }
    }
  }

  #readRate(): number {
    const { limitRate } = this.#u.conf;
    return limitRate ? (parseSize(limitRate.eval(this.#u.r)) ?? 0) : 0;
  }

  /** `proxy_limit_rate`: bytes are parsed so that the average stays below the rate. */
  #pumpLimited(rate: number): void {
    const u = this.#u;
    if (this.#rateTimer) return;
    while (this.#limited.length > 0 && !u.ended) {
      const seconds = Math.floor((Date.now() - u.state.startMs) / 1000) + 1;
      const allowed = rate * seconds - this.#limitedBytes;
      if (allowed <= 0) {
        this.#pauseFor(rate, Math.ceil((-allowed * 1000) / rate) + 1);
        return;
      }
      const first = this.#limited[0];
      const take = Math.min(allowed, first.length);
      if (take === first.length) this.#limited.shift();
      else this.#limited[0] = first.subarray(take);
      this.#limitedBytes += take;
      this.#parse(first.subarray(0, take));
    }
    const end = this.#limitedEnd;
    this.#limitedEnd = null;
    if (end && !u.ended) this.onEnd(end.error);
  }

  #pauseFor(rate: number, ms: number): void {
    const u = this.#u;
    this.paused = true;
    u.conn?.socket.pause();
    u.clearTimer();
    this.#rateTimer = setTimeout(() => {
      this.#rateTimer = null;
      this.paused = false;
      if (u.ended) return;
      u.setTimer(u.conf.readTimeoutMs);
      this.#pumpLimited(rate);
      if (!this.paused && !u.waitingClient) u.conn?.socket.resume();
    }, ms);
  }

  /** The peer closed, or the connection broke. */
  onEnd(error?: Error): void {
    const u = this.#u;
    if (u.ended) return;
    if (this.#limited.length > 0) {
      this.#limitedEnd = { error };
      return;
    }
    if (u.tunnelling) {
      u.tunnelEnd();
      return;
    }
    if (!u.conn?.connected) {
      const { level, message } = connectFailure(error ?? null, u.tlsSettings() !== null, u.state.peer);
      u.r.log(level, message);
      u.next(error && /denied/.test(error.message) ? 'denied' : 'error');
      return;
    }
    if (!u.headerDone) {
      this.#endInHead(error ?? null);
      return;
    }
    if (u.responseComplete) return;
    let complete = false;
    try {
      complete = this.parser?.end() ?? false;
    } catch {
      complete = false;
    }
    if (!u.ended && !u.responseComplete) this.#endOfBody(complete, error);
  }

  /** The end either completes the header, or the attempt failed. */
  #endInHead(error: Error | null): void {
    const u = this.#u;
    let complete = false;
    try {
      complete = this.parser?.end() ?? false;
    } catch (problem) {
      u.r.log('error', `${(problem as Error).message}${READING_HEAD}`);
      u.next('invalid_header');
      return;
    }
    if (u.ended || u.headerDone) {
      if (!u.ended && !u.responseComplete) this.#endOfBody(complete, error ?? undefined);
      return;
    }
    u.r.log('error', `${error ? `recv() failed (104: ${error.message})` : 'upstream prematurely closed connection'}${READING_HEAD}`);
    u.next('error');
  }

  #endOfBody(complete: boolean, error?: Error): void {
    if (complete && !error) {
      this.#u.complete(false);
      return;
    }
    this.#u.r.log('error', `upstream prematurely closed connection while reading upstream`);
    this.#u.bodyFailed(502);
  }

  gotHints(fields: HeaderField[]): void {
    passEarlyHints(this.#u.r, fields, this.#u.conf.hidden);
  }

  gotHead(head: UpstreamHead): void {
    const u = this.#u;
    if (u.ended) return;
    const { r, conf, cache, state } = u;
    if (head.status === 101 && !u.upgrade) {
      // a client that did not ask for an upgrade gets the head alone, and nothing of the other protocol; HTTP/2 has no such head
      if (r.conn.http2) throw new InvalidResponse('upstream sent unexpected "101 Switching Protocols"');
      r.headerOnly = true;
      r.main.keepalive = false;
    }
    u.head = head;
    state.headerMs = nowMs() - state.startMs;
    state.status = head.status;
    u.noteHeader();
    if (head.missing) {
      u.next('not_found', head.missing === 'whole');
      return;
    }
    if (head.status >= 300) {
      if (this.#testNext(head.status)) return;
      if (cache?.revalidated(u, head)) return;
      if (conf.interceptErrors && this.#intercept(head)) return;
    }
    u.headerDone = true;
    u.stickToPeer();
    acceptBuffering(u, head);
    cache?.prepare(u, head);
    r.logState = READING_HEAD;
    const rc = acceptHead(u, head);
    r.logState = '';
    if (rc === OK) u.sendHead(head);
    else if (rc !== DONE) u.finish(rc);
  }

  /** A status for which `next_upstream` (or a stale cache entry) provides another response. */
  #testNext(status: number): boolean {
    if (!REPEATABLE.has(status)) return false;
    const u = this.#u;
    const failure = `http_${status}` as Failure;
    if (u.tries > 1 && u.mayRepeat(failure)) {
      u.next(failure);
      return true;
    }
    if (!u.cache?.useStale(u, failure)) return false;
    u.freePeer('ok');
    u.closeConnection(false);
    return true;
  }

  /** `intercept_errors`: a page of `error_page` replaces the response. */
  #intercept(head: UpstreamHead): boolean {
    const { r, cache } = this.#u;
    const pages = core.conf(r.loc).error_page ?? [];
    if (!pages.some((page) => page.statuses.includes(head.status))) return false;
    if (head.status === 401) {
      for (const field of head.fields) if (field.lname === 'www-authenticate') r.out.add(field.name, field.value);
    }
    cache?.intercepted(this.#u, head);
    this.#u.finish(head.status);
    return true;
  }
}

/** A unix socket fails in the call, other sockets after it: nginx logs the two differently. */
function connectFailure(error: Error | null, secure: boolean, peer: string): { level: 'error' | 'crit'; message: string } {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (secure && error && code !== 'ECONNREFUSED' && code !== 'ENOENT')
    return { level: 'error', message: `SSL_do_handshake() failed (${sslError(error)}) while SSL handshaking to upstream` };
  const isUnix = peer.startsWith('unix:');
  const message = `connect()${isUnix ? ` to ${peer}` : ''} failed (${error ? systemError(error) : 'closed'}) while connecting to upstream`;
  return { level: isUnix && error && code !== 'ECONNREFUSED' && code !== 'EAGAIN' ? 'crit' : 'error', message };
}
