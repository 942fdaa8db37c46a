/** Reads the peer's answer: bytes at the allowed rate into the protocol's parser, and what follows from head and end. */

import { nowMs } from '../../../http/wire/clock.ts';
import type { HeaderField } from '../../../http/wire/header.ts';
import { parseSize } from '../../config/values.ts';
import { systemError } from '../../log/system-error.ts';
import { core, type ErrorPage } from '../config/core.ts';
import type { Request } from '../model/types.ts';
import { DONE, ERROR, OK } from '../request/codes.ts';
import { passEarlyHints } from './early-hints.ts';
import { noteTime } from './peer.ts';
import { type Failure, InvalidResponse, NON_IDEMPOTENT, type ResponseParser } from './protocol.ts';
import { acceptBuffering, acceptHead, type UpstreamHead } from './response-head.ts';
import type { Upstream } from './upstream.ts';

const NONE: Buffer[] = [];

export class ResponseReader {
  parser: ResponseParser | undefined;
  paused = false;
  /** what is being parsed lies in a buffer that is read into again */
  inPlace = false;
  private rateTimer: NodeJS.Timeout | undefined;
  /** bytes that wait for `limit_rate` */
  private limited: Buffer[] = NONE;
  private limitedBytes = 0;
  private limitedEnd: { error?: Error } | undefined;

  constructor(private readonly u: Upstream) {}

  /** Before an attempt: what another one left behind counts for nothing. */
  reset(): void {
    this.parser = undefined;
    this.limited = NONE;
    this.limitedBytes = 0;
  }

  stopTimer(): void {
    if (this.rateTimer) clearTimeout(this.rateTimer);
    this.rateTimer = undefined;
  }

  onData(bytes: Buffer): void {
    if (this.u.ended) return;
    this.u.state.bytesReceived += bytes.length;
    this.inPlace = this.u.conn!.reads !== 'fresh';
    let data = bytes;
    if (this.inPlace && (!this.u.protocol.readsInPlace || this.u.conf.limitRate || this.u.tunnelling)) {
      data = Buffer.from(bytes);
      this.inPlace = false;
    }
    if (this.u.tunnelling) {
      this.u.tunnel.toClient(data);
      return;
    }
    if (!this.u.sender.requestSent) return;
    if (this.u.sender.bodySent || this.u.headerDone) this.u.setTimer(this.u.conf.readTimeoutMs);
    const rate = this.readRate();
    if (rate > 0) {
      if (this.limited === NONE) this.limited = [];
      this.limited.push(data);
      this.pumpLimited(rate);
      return;
    }
    this.parse(data);
  }

  private parse(data: Buffer): void {
    try {
      this.parser!.feed(data);
    } catch (error) {
      if (!(error instanceof InvalidResponse)) throw error;
      if (this.u.headerDone) {
        this.u.r.log('error', `${error.message} while reading upstream`);
        this.u.bodyFailed(ERROR);
      } else {
        this.u.r.log('error', `${error.message} while reading response header from upstream`);
        this.u.next('invalid_header');
      }
    }
  }

  private readRate(): number {
    const { limitRate } = this.u.conf;
    return limitRate ? (parseSize(limitRate.eval(this.u.r)) ?? 0) : 0;
  }

  /** `proxy_limit_rate`: bytes are taken so that the average stays under the rate. */
  private pumpLimited(rate: number): void {
    if (this.rateTimer) return;
    while (this.limited.length > 0 && !this.u.ended) {
      const seconds = Math.floor((Date.now() - this.u.state.startMs) / 1000) + 1;
      const allowed = rate * seconds - this.limitedBytes;
      if (allowed <= 0) {
        this.paused = true;
        this.u.conn?.socket.pause();
        this.u.clearTimer();
        this.rateTimer = setTimeout(
          () => {
            this.rateTimer = undefined;
            this.paused = false;
            if (this.u.ended) return;
            this.u.setTimer(this.u.conf.readTimeoutMs);
            this.pumpLimited(rate);
            if (!this.paused && !this.u.passer.waitingClient) this.u.conn?.socket.resume();
          },
          Math.ceil((-allowed * 1000) / rate) + 1,
        );
        return;
      }
      const first = this.limited[0];
      const take = Math.min(allowed, first.length);
      if (take === first.length) this.limited.shift();
      else this.limited[0] = first.subarray(take);
      this.limitedBytes += take;
      this.parse(first.subarray(0, take));
    }
    const end = this.limitedEnd;
    this.limitedEnd = undefined;
    if (end && !this.u.ended) this.onEnd(end.error);
  }

  onEnd(error?: Error): void {
    if (this.u.ended) return;
    if (this.limited.length > 0) {
      this.limitedEnd = { error };
      return;
    }
    const { r, conn } = this.u;
    if (this.u.tunnelling) {
      this.u.tunnel.end();
      return;
    }
    if (!conn?.connected) {
      r.log('error', connectError(error, this.u.protocol.tls?.(this.u) !== undefined));
      this.u.next(error && /denied/.test(error.message) ? 'denied' : 'error');
      return;
    }
    if (!this.u.headerDone) {
      let complete = false;
      try {
        complete = this.parser?.end() ?? false;
      } catch (problem) {
        r.log('error', `${(problem as Error).message} while reading response header from upstream`);
        this.u.next('invalid_header');
        return;
      }
      if (this.u.ended || this.u.headerDone) {
        if (!this.u.ended && !this.u.responseComplete) this.endOfBody(complete, error);
        return;
      }
      r.log(
        'error',
        `${error ? `recv() failed (104: ${error.message})` : 'upstream prematurely closed connection'} while reading response header from upstream`,
      );
      this.u.next('error');
      return;
    }
    if (this.u.responseComplete) return;
    let complete = false;
    try {
      complete = this.parser?.end() ?? false;
    } catch {
      complete = false;
    }
    if (!this.u.ended && !this.u.responseComplete) this.endOfBody(complete, error);
  }

  private endOfBody(complete: boolean, error?: Error): void {
    if (complete && !error) {
      this.u.complete(false);
      return;
    }
    this.u.r.log('error', `upstream prematurely closed connection while reading upstream`);
    this.u.bodyFailed(502);
  }

  gotHints(fields: HeaderField[]): void {
    passEarlyHints(this.u.r, fields, this.u.conf.hidden);
  }

  gotHead(head: UpstreamHead): void {
    if (this.u.ended) return;
    const { r, conf } = this.u;
    if (head.status === 101 && !this.u.upgrade) {
      // a client that did not ask for it gets the head alone, and nothing of the other protocol; HTTP/2 has no such head
      if (r.conn.http2) throw new InvalidResponse('upstream sent unexpected "101 Switching Protocols"');
      r.headerOnly = true;
      r.main.keepalive = false;
    }
    this.u.head = head;
    this.u.state.headerMs = nowMs() - this.u.state.startMs;
    this.u.state.status = head.status;
    const { peer, state, group } = this.u;
    if (peer && group.set.notesHeaders) {
      group.set.lock();
      peer.headerTime = noteTime(peer.headerTime, state.headerMs);
      group.set.unlock();
      this.u.connector.leaveFlight(peer);
    }
    const { cache } = this.u.options;
    if (this.u.notes.notFound) {
      this.u.next('not_found', this.u.notes.notFound === 'whole');
      return;
    }
    if (head.status >= 300 || (cache && head.status === 304)) {
      if (this.testNext(head.status)) return;
      if (cache?.revalidated(this.u, head)) return;
      if (conf.interceptErrors && head.status >= 300 && this.intercept(head)) return;
    }
    this.u.headerDone = true;
    if (this.u.peer) this.u.group.sticky?.onHeader?.(r, this.u.peer);
    acceptBuffering(this.u, head);
    cache?.prepare(this.u);
    const rc = acceptHead(this.u, head);
    if (rc === DONE) return;
    if (rc !== OK) {
      this.u.finish(rc);
      return;
    }
    this.u.passer.sendHead();
  }

  /** A status that `next_upstream` (or a stale cache entry) answers for. */
  private testNext(status: number): boolean {
    const failure = `http_${status}` as Failure;
    const { conf } = this.u;
    const known = [500, 502, 503, 504, 403, 404, 429].includes(status);
    if (!known) return false;
    const { cache } = this.u.options;
    const idempotent = !(this.u.sender.requestSent && NON_IDEMPOTENT.has(this.u.options.method)) || conf.nextUpstream.has('non_idempotent');
    const timeout = conf.nextTimeoutMs > 0 && Date.now() - this.u.startMs >= conf.nextTimeoutMs;
    if (
      conf.nextUpstream.has(failure) &&
      this.u.connector.tries > 1 &&
      !timeout &&
      idempotent &&
      !(this.u.sender.requestSent && this.u.r.bodyOwner.body?.consumer)
    ) {
      this.u.next(failure);
      return true;
    }
    if (cache?.useStale(this.u, failure)) {
      this.u.freePeer('ok');
      this.u.closeConnection(false);
      return true;
    }
    return false;
  }

  /** `intercept_errors`: a page of `error_page` takes the place of the answer. */
  private intercept(head: UpstreamHead): boolean {
    const { r } = this.u;
    const pages = errorPagesOf(r);
    if (!pages.some((page) => page.statuses.includes(head.status))) return false;
    if (head.status === 401) {
      for (const field of head.fields) if (field.lname === 'www-authenticate') r.out.add(field.name, field.value);
    }
    this.u.options.cache?.intercepted(this.u, head);
    this.u.finish(head.status);
    return true;
  }
}

function connectError(error: Error | undefined, secure: boolean): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (secure && error && code !== 'ECONNREFUSED' && code !== 'ENOENT')
    return `SSL_do_handshake() failed (${error.message}) while SSL handshaking to upstream`;
  return `connect() failed (${error ? systemError(error) : 'closed'}) while connecting to upstream`;
}

const errorPagesOf = (r: Request): ErrorPage[] => core.conf(r.loc).error_page ?? [];
