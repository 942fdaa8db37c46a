// One request to a back end: choose a peer, connect, send, read the header, pass the body on, try the next peer where allowed.
//   start -> (cache) -> resolve -> connect -> send -> header -> body -> end
// Upstream implements the transitions between these steps, ExchangeState holds the state. The steps are performed by its parts:
// PeerConnector, RequestSender, ResponseReader, BodyPasser and UpstreamTunnel. The protocol defines the wire format.
import { nowMs } from '../../../http/wire/clock.ts';
import { setDeadline } from '../../../http/wire/deadlines.ts';
import type { HeaderField } from '../../../http/wire/header.ts';
import type { Request } from '../model/types.ts';
import { DONE, ERROR, HTTP_CLIENT_CLOSED, OK } from '../request/codes.ts';
import { NO_ATTEMPT } from './attempt.ts';
import type { CacheClient } from './cache/cache.ts';
import type { ConnectionEvents } from './connection/connect.ts';
import { ExchangeState, type Parts, type UpstreamOptions } from './exchange-state.ts';
import type { UpstreamGroup } from './peers/group.ts';
import type { GroupSeeker } from './peers/runtime-group.ts';
import type { Outcome } from './peers/selection.ts';
import { type Failure, NON_IDEMPOTENT, type UpstreamHead, type UpstreamTarget } from './protocol/protocol.ts';
import { AttemptSink } from './transfer/attempt-sink.ts';
import { type ConnectorOwner, PeerConnector } from './transfer/connector.ts';
import { BodyPasser, type PasserOwner } from './transfer/passer.ts';
import { type ReaderOwner, ResponseReader } from './transfer/reader.ts';
import { RequestSender, type SenderOwner } from './transfer/sender.ts';
import { type TunnelOwner, UpstreamTunnel } from './transfer/tunnel.ts';

const STATUS_OF: Partial<Record<Failure, number>> = {
  timeout: 504,
  http_504: 504,
  http_500: 500,
  http_503: 503,
  http_403: 403,
  http_404: 404,
  not_found: 404,
  http_429: 429,
  denied: 403,
};

export class Upstream<Target extends UpstreamTarget = UpstreamTarget>
  extends ExchangeState<Target>
  implements ConnectionEvents, CacheClient, ConnectorOwner, SenderOwner, ReaderOwner, PasserOwner, TunnelOwner, GroupSeeker
{
  constructor(r: Request, options: UpstreamOptions<Target>) {
    super(r, options);
    r.upstream = this;
  }

  // ---------------------------------------------------------------- start

  /** Content handler: reads the body as configured, then begins. */
  start(): number {
    const { r, conf } = this;
    const lengthUnknown = r.chunkedIn && this.protocol.needsLength === true;
    const stream =
      !conf.requestBuffering &&
      !lengthUnknown &&
      conf.passRequestBody &&
      !r.isSub &&
      (r.contentLength > 0 || r.chunkedIn) &&
      !r.bodyOwner.body;
    if (stream) {
      const { sender } = this.#makeParts();
      r.conn.readBody(
        r,
        (rc) => sender.streamEnd(rc),
        (data) => sender.streamData(data),
      );
      if (!this.ended && !r.done) this.begin();
      return DONE;
    }
    r.conn.readBody(r, (rc) => {
      if (rc !== OK) r.finalize(rc);
      else this.begin();
    });
    return DONE;
  }

  #makeParts(): Parts {
    this.parts ??= { sender: new RequestSender(this), reader: new ResponseReader(this), passer: new BodyPasser(this) };
    return this.parts;
  }

  begin(): void {
    const { r, cache } = this;
    if (!this.conf.ignoreClientAbort && !r.background) r.main.onAbort = () => this.clientGone();
    r.cleanups.push(() => this.#release());
    if (cache) cache.open(this, () => this.#connectFirst());
    else this.#connectFirst();
  }

  /** Chooses the group, then connects. */
  #connectFirst(): void {
    const { r } = this;
    this.#makeParts();
    r.upstreamStates = r.upstreamStates ? [...r.upstreamStates, ':'] : [];
    this.options.resolve(this);
  }

  /** Connects to a peer of the group; called once the target is known. */
  useGroup(group: UpstreamGroup): void {
    if (this.ended || this.r.done) return;
    this.connector = new PeerConnector(this, group);
    if (!this.conf.requestDynamic) this.#makeParts().sender.prepare();
    this.connector.connect();
  }

  // ---------------------------------------------------------------- timers

  setTimer(ms: number): void {
    if (this.conn) setDeadline(this.conn, ms);
  }

  clearTimer(): void {
    if (this.conn) this.conn.deadlineMs = Infinity;
  }

  onTimeout(): void {
    this.r.log('error', `upstream timed out (110: Connection timed out) while ${this.action}`);
    if (this.headerDone) this.bodyFailed(504);
    else this.next('timeout');
  }

  // ---------------------------------------------------------------- one attempt

  /** A new attempt at a peer: leftovers of the previous one are dropped. */
  resetAttempt(): void {
    const { reader, sender } = this.#makeParts();
    reader.reset();
    sender.reset();
  }

  sendRequest(): void {
    this.parts?.sender.send();
  }

  /** The request is about to be sent: whatever the peer sends from now on is parsed. */
  startParser(): void {
    const { reader } = this.#makeParts();
    reader.parser = this.protocol.parser(this, new AttemptSink(this, ++this.attempt));
  }

  requestHead(): (Buffer | string)[] {
    return this.protocol.requestHead(this);
  }

  wrapBody(data: Buffer): Buffer[] {
    return this.protocol.wrapBody(this, data);
  }

  endBody(): Buffer[] {
    return this.protocol.endBody(this);
  }

  onConnect(): void {
    this.state.connectMs = nowMs() - this.state.startMs;
    if (this.options.isConnect) this.#openTunnel();
    else this.sendRequest();
  }

  onData(data: Buffer): void {
    this.parts?.reader.onData(data);
  }

  onEnd(error?: Error): void {
    this.parts?.reader.onEnd(error);
  }

  onDrain(): void {
    if (this.r.bodyOwner.body?.consumer || this.tunnelling) this.r.conn.resumeReading();
  }

  gotHead(head: UpstreamHead): void {
    this.parts?.reader.gotHead(head);
  }

  gotHints(fields: HeaderField[]): void {
    this.parts?.reader.gotHints(fields);
  }

  gotBody(data: Buffer, last: boolean): void {
    this.parts?.passer.gotBody(data, last);
  }

  sendHead(head: UpstreamHead): void {
    this.parts?.passer.sendHead(head);
  }

  /** The response to CONNECT is the connection itself. */
  #openTunnel(): void {
    const { r } = this;
    this.clearTimer();
    if (this.parts) this.parts.sender.requestSent = true;
    this.headerDone = true;
    this.upgrade = true;
    this.state.status = 200;
    this.state.headerMs = this.state.connectMs;
    r.out.status = 200;
    r.upgraded = true;
    const rc = r.sendHeader();
    if (rc === OK) this.startTunnel();
    else this.finish(rc);
  }

  startTunnel(): void {
    this.tunnel = new UpstreamTunnel(this);
    this.tunnel.start();
  }

  /** Bytes of the peer for the client of an upgraded connection. */
  tunnelData(data: Buffer): void {
    this.tunnel?.toClient(data);
  }

  tunnelEnd(): void {
    this.tunnel?.end();
  }

  // ---------------------------------------------------------------- the end of a response

  /** The whole response was read. */
  complete(keepalive: boolean): void {
    if (this.ended || this.responseComplete) return;
    this.responseComplete = true;
    this.clearTimer();
    const { head } = this;
    // a connection that is still sending its request cannot be used again
    const reusable = keepalive && this.bodySent && !this.upgrade && this.conn !== null && this.conn.unsent === 0;
    this.freePeer('ok');
    if (this.conn) this.conn.buffers.expectsMore = false;
    this.closeConnection(reusable);
    const truncated =
      head !== null && head.contentLength >= 0 && this.state.responseLength < head.contentLength && this.#peerSendsBody(head);
    const short = truncated && !this.#isBodyless(head);
    if (short) this.failedLength = true;
    // a stored response must be complete, even if this client requested only the header
    if (truncated) this.cache?.abandon();
    else {
      this.cache?.complete(this);
      this.parts?.passer.finishStore(true);
    }
    if (this.parts?.passer.hasPending) return;
    this.finish(short ? ERROR : OK);
  }

  /** Protocols other than HTTP have no HEAD: the body is sent regardless. */
  #peerSendsBody({ status }: UpstreamHead): boolean {
    return status !== 304 && status !== 204 && (this.method !== 'HEAD' || this.protocol.name !== 'http');
  }

  #isBodyless({ status }: UpstreamHead): boolean {
    return this.method === 'HEAD' || status === 304 || status === 204 || this.r.headerOnly;
  }

  /** The body ended early: the client must notice that it is incomplete. */
  bodyFailed(status: number): void {
    this.cache?.abandon();
    this.parts?.passer.finishStore(false);
    // the peer did respond: an early end does not count as a failure
    this.freePeer('ok');
    this.closeConnection(false);
    if (status > 0) this.state.status = this.head?.status ?? status;
    this.responseComplete = true;
    this.failedLength = true;
    if (this.parts?.passer.hasPending && !this.r.conn.error) return;
    this.finish(ERROR);
  }

  // ---------------------------------------------------------------- failures

  /** `next_upstream` allows the request to be repeated at another peer after this failure. */
  mayRepeat(failure: Failure): boolean {
    const { conf, requestSent } = this;
    if (failure === 'no_live' || !conf.nextUpstream.has(failure)) return false;
    if (requestSent && NON_IDEMPOTENT.has(this.method) && !conf.nextUpstream.has('non_idempotent')) return false;
    if (conf.nextTimeoutMs > 0 && Date.now() - this.startMs >= conf.nextTimeoutMs) return false;
    // a body that was passed on as it arrived cannot be sent again
    return !(requestSent && this.r.bodyOwner.body?.consumer);
  }

  /**
   * The peer failed: the next one is tried, or the request ends with the failure's status.
   * @param reusable its response was read completely, so the connection can serve another request
   */
  next(failure: Failure, reusable = false): void {
    const { r } = this;
    this.attempt++;
    this.freePeer(failure === 'http_403' || failure === 'http_404' || failure === 'not_found' ? 'next' : 'failed');
    this.connector?.noteFailure(failure);
    this.closeConnection(reusable);
    if (r.conn.error && !r.background) {
      this.finish(HTTP_CLIENT_CLOSED);
      return;
    }
    const status = STATUS_OF[failure] ?? 502;
    if (this.state.status === 0 || failure !== 'no_live') this.state.status = status;
    if (this.connector && this.connector.tries > 0 && this.mayRepeat(failure)) {
      this.connector.connect();
      return;
    }
    if (this.cache?.useStale(this, failure === 'no_live' ? 'error' : failure)) return;
    this.finish(status);
  }

  clientGone(): void {
    if (this.ended) return;
    if (this.tunnelling) {
      this.finish(OK);
      return;
    }
    if ((this.cacheable || this.storing) && this.headerDone) return;
    if (this.r.conn.error && this.cache?.waiting) {
      this.finish(HTTP_CLIENT_CLOSED);
      return;
    }
    if (this.conf.ignoreClientAbort) return;
    if (this.cache?.keepsGoing(this)) return;
    this.r.log(
      'info',
      `client prematurely closed connection, so upstream connection is closed too while ${this.headerDone ? 'reading upstream' : 'sending request to upstream'}`,
    );
    this.finish(HTTP_CLIENT_CLOSED);
  }

  // ---------------------------------------------------------------- release

  freePeer(outcome: Outcome): void {
    this.connector?.release(outcome);
  }

  /** Notes the peer's first header, for balancing by time. */
  noteHeader(): void {
    this.connector?.noteHeader();
  }

  stickToPeer(): void {
    this.connector?.stick();
  }

  closeConnection(keep: boolean): void {
    const { conn } = this;
    this.clearTimer();
    this.conn = null;
    this.parts?.reader.stopTimer();
    if (!conn) return;
    this.state.bytesSent = conn.bytesSent;
    const pool = keep && !conn.ended ? this.connector?.pool : null;
    if (pool) pool.give(conn);
    else conn.destroy();
  }

  /** Ends the exchange, and the request with a code. */
  finish(rc: number): void {
    if (this.ended) return;
    const sent = this.headerDone && this.r.headerSent;
    this.closeState();
    this.ended = true;
    if (rc === OK && sent) this.#finishSent();
    else this.#finishEarly(rc, sent);
  }

  #finishSent(): void {
    const { r } = this;
    const ending = this.parts?.passer.takeEnding() ?? [];
    // the body is not read for a client that asked for the header only: other requests may fetch it
    if (!this.responseComplete) this.cache?.abandon();
    this.#release();
    r.main.onAbort = null;
    if (this.tunnelling) {
      r.finalize(ERROR);
      return;
    }
    if (this.conf.passTrailers) for (const field of this.trailers) if (!this.conf.hidden.has(field.lname)) r.out.trailers.push(field);
    const code = r.headerOnly && !r.inMemory && !r.isSub ? OK : r.output(ending, true);
    r.finalize(code === ERROR ? ERROR : OK);
  }

  #finishEarly(rc: number, sent: boolean): void {
    const { r } = this;
    this.parts?.passer.finishStore(false);
    if (!this.responseComplete) this.cache?.abandon(rc);
    this.#release();
    r.main.onAbort = null;
    if (!sent || (rc !== ERROR && rc < 300)) {
      r.finalize(rc === ERROR ? 502 : rc);
      return;
    }
    // the response is cut: the connection must not look complete
    if (r.isSub) {
      r.finalize(OK);
      return;
    }
    r.keepalive = false;
    r.finalize(r.conn.http2 || r.output([], false, true) === ERROR ? ERROR : OK);
  }

  handOver(): void {
    const { r } = this;
    this.ended = true;
    this.cache?.abandon();
    this.#release();
    r.main.onAbort = null;
    // The response comes from elsewhere from here on, but variables and log lines describe this one.
    this.left = this.describe();
    this.closeState();
    this.state = NO_ATTEMPT;
  }

  served(): void {
    this.ended = true;
    this.r.main.onAbort = null;
  }

  letGo(): void {
    this.attempt++;
    this.freePeer('ok');
    this.closeConnection(false);
  }

  /** Releases everything held. */
  #release(): void {
    if (!this.ended) {
      this.ended = true;
      this.freePeer('ok');
      this.cache?.abandon();
      this.parts?.passer.finishStore(false);
    }
    if (!this.parts) return;
    this.freePeer('ok');
    this.closeConnection(false);
    this.parts.passer.release();
  }
}
