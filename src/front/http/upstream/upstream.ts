/**
 * One request to a back end: choose a peer, connect, send, read the header, pass the body on, try the next peer where allowed.
 *   start -> (cache) -> resolve -> connect -> send -> header -> body -> end
 * The wire format is the protocol's (Protocol, ResponseParser); everything else is here.
 */

import { nowMs } from '../../../http/wire/clock.ts';
import { setDeadline } from '../../../http/wire/deadlines.ts';
import type { HeaderField } from '../../../http/wire/header.ts';
import type { Request, UpstreamReport, UpstreamState } from '../model/types.ts';
import { DONE, ERROR, HTTP_CLIENT_CLOSED, OK } from '../request/codes.ts';
import type { UpstreamConf } from './conf.ts';
import type { ConnectionEvents, PeerConnection } from './connect.ts';
import { PeerConnector } from './connector.ts';
import type { UpstreamGroup } from './group.ts';
import { BodyPasser } from './passer.ts';
import type { Peer } from './peer.ts';
import { type Failure, NON_IDEMPOTENT, type Protocol, type UpstreamOptions } from './protocol.ts';
import { ResponseReader } from './reader.ts';
import type { UpstreamHead } from './response-head.ts';
import type { Outcome } from './selection.ts';
import { RequestSender } from './sender.ts';
import { UpstreamTunnel } from './tunnel.ts';

const NONE: readonly HeaderField[] = [];
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

export class Upstream implements ConnectionEvents, UpstreamReport {
  readonly startMs = nowMs();
  /** made when the back end is first needed, not for what the cache answers */
  connector!: PeerConnector;
  sender!: RequestSender;
  reader!: ResponseReader;
  passer!: BodyPasser;
  private madeTunnel: UpstreamTunnel | undefined;
  group!: UpstreamGroup;
  head: UpstreamHead | undefined;
  state!: UpstreamState;
  peer: Peer | undefined;
  /** chosen last, also when it was let go */
  lastPeer: Peer | undefined;
  conn: PeerConnection | undefined;
  /** host and scheme the protocol needs, set by resolve */
  target: Record<string, unknown> = {};
  buffering: boolean;
  upgrade = false;
  /** CONNECT: the connection itself is the answer */
  connectTunnel = false;
  headerDone = false;
  cacheStatus: string | undefined;
  /** protocols keep their own notes here */
  notes: Record<string, unknown> = {};
  trailers: readonly HeaderField[] = NONE;
  cacheable = false;
  /** the request may be answered from a cache, even if this answer is not kept */
  mayCache = false;
  ended = false;
  responseComplete = false;
  failedLength = false;

  constructor(
    readonly r: Request,
    readonly options: UpstreamOptions,
  ) {
    this.buffering = options.conf.buffering;
    r.upstream = this;
  }

  get conf(): UpstreamConf {
    return this.options.conf;
  }

  get passesTrailers(): boolean {
    return this.conf.passTrailers;
  }

  get cacheKey(): string | undefined {
    return this.options.cache?.key;
  }

  get protocol(): Protocol {
    return this.options.protocol;
  }

  /** Made on first use: few requests upgrade. */
  get tunnel(): UpstreamTunnel {
    return (this.madeTunnel ??= new UpstreamTunnel(this));
  }

  /** Bytes go both ways as they are. */
  get tunnelling(): boolean {
    return this.madeTunnel?.active === true;
  }

  // ---------------------------------------------------------------- start

  /** Content handler: reads the body as configured, then goes on. */
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
      this.makeParts();
      r.conn.readBody(
        r,
        (rc) => this.sender.streamEnd(rc),
        (data) => this.sender.streamData(data),
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

  private makeParts(): void {
    this.connector = new PeerConnector(this);
    this.sender = new RequestSender(this);
    this.reader = new ResponseReader(this);
    this.passer = new BodyPasser(this);
  }

  begin(): void {
    const { r } = this;
    if (!this.conf.ignoreClientAbort && !r.background) r.main.onAbort = () => this.clientGone();
    r.cleanups.push(() => this.release());
    if (this.options.cache) {
      this.options.cache.open(this, () => this.connectFirst());
      return;
    }
    this.connectFirst();
  }

  /** Chooses the group and connects. */
  connectFirst(): void {
    const { r } = this;
    if (!this.connector) this.makeParts();
    r.upstreamStates = r.upstreamStates ? [...r.upstreamStates, ':'] : [];
    this.options.resolve(this);
  }

  /** Where the request goes: called once the target is known. */
  useGroup(group: UpstreamGroup): void {
    if (this.ended || this.r.done) return;
    this.group = group;
    this.connector.begin();
  }

  /** What log lines name it by, '' before a peer was looked for. */
  describe(): string {
    if (!this.state) return '';
    const scheme = (this.target.schema as string | undefined) ?? `${this.protocol.name}://`;
    const { peer } = this.state;
    return `${scheme}${peer}${peer.startsWith('unix:') ? ':' : ''}${(this.notes.uri as string | undefined) ?? ''}`;
  }

  // ---------------------------------------------------------------- timers

  setTimer(ms: number): void {
    if (this.conn) setDeadline(this.conn, ms);
  }

  clearTimer(): void {
    if (this.conn) this.conn.deadlineMs = Infinity;
  }

  /** What is being done, as log lines say it. */
  get action(): string {
    if (!this.conn?.connected) return 'connecting to upstream';
    if (!this.sender.bodySent) return 'sending request to upstream';
    return this.headerDone ? 'reading upstream' : 'reading response header from upstream';
  }

  onTimeout(): void {
    const { r } = this;
    r.log('error', `upstream timed out (110: Connection timed out) while ${this.action}`);
    if (this.headerDone) {
      this.bodyFailed(504);
      return;
    }
    this.next('timeout');
  }

  // ---------------------------------------------------------------- sending

  onConnect(): void {
    this.state.connectMs = nowMs() - this.state.startMs;
    if (this.connectTunnel) {
      this.tunnel.open();
      return;
    }
    this.sender.send();
  }

  onData(data: Buffer): void {
    this.reader.onData(data);
  }

  onEnd(error?: Error): void {
    this.reader.onEnd(error);
  }

  onDrain(): void {
    if (this.r.bodyOwner.body?.consumer) this.r.conn.resumeReading();
    if (this.tunnelling) this.r.conn.resumeReading();
  }

  /** The whole response was read. */
  complete(keepalive: boolean): void {
    if (this.ended || this.responseComplete) return;
    this.responseComplete = true;
    this.clearTimer();
    const { head } = this;
    // a request that is still being sent leaves the connection in no state to be used again
    const reusable = keepalive && this.sender.bodySent && !this.upgrade && this.conn !== undefined && this.conn.unsent === 0;
    this.freePeer('ok');
    if (this.conn) this.conn.expectsMore = false;
    this.closeConnection(reusable);
    const truncated =
      head !== undefined && head.contentLength >= 0 && this.state.responseLength < head.contentLength && this.peerSendsBody();
    const short = truncated && !this.bodyless();
    if (short) this.failedLength = true;
    // what is kept must be whole, even if this client wanted the header only
    if (!truncated) {
      this.options.cache?.complete(this);
      if (this.passer.store) this.passer.finishStore(true);
    } else this.options.cache?.abandon(this);
    if (this.passer.pending.length > 0) return;
    this.finish(short ? ERROR : OK);
  }

  /** Other protocols than HTTP know no HEAD: the body comes all the same. */
  private peerSendsBody(): boolean {
    const { status } = this.head!;
    return status !== 304 && status !== 204 && (this.options.method !== 'HEAD' || this.protocol.name !== 'http');
  }

  private bodyless(): boolean {
    return this.options.method === 'HEAD' || this.head!.status === 304 || this.head!.status === 204 || this.r.headerOnly;
  }

  /** The body broke off: the client must see that it is incomplete. */
  bodyFailed(status: number): void {
    this.options.cache?.abandon(this);
    if (this.passer.store) this.passer.finishStore(false);
    // the peer did answer: that it broke off is not counted against it
    this.freePeer('ok');
    this.closeConnection(false);
    if (status > 0) this.state.status = this.head?.status ?? status;
    this.responseComplete = true;
    this.failedLength = true;
    if (this.passer.pending.length > 0 && !this.r.conn.error) return;
    this.finish(ERROR);
  }

  // ---------------------------------------------------------------- failures

  /**
   * The peer failed: the next one is tried, or the request ends with the failure's status.
   * @param reusable its answer was read whole, so the connection can serve another request
   */
  next(failure: Failure, reusable = false): void {
    const { r, conf } = this;
    this.sender.attempt++;
    if (this.peer) this.freePeer(failure === 'http_403' || failure === 'http_404' || failure === 'not_found' ? 'next' : 'failed');
    this.connector.noteFailure(failure);
    this.closeConnection(reusable);
    if (r.conn.error && !r.background) {
      this.finish(HTTP_CLIENT_CLOSED);
      return;
    }
    const status = STATUS_OF[failure] ?? 502;
    if (this.state.status === 0 || failure !== 'no_live') this.state.status = status;
    const idempotent = !(this.sender.requestSent && NON_IDEMPOTENT.has(this.options.method)) || conf.nextUpstream.has('non_idempotent');
    const allowed = failure === 'no_live' ? false : conf.nextUpstream.has(failure);
    const timeout = conf.nextTimeoutMs > 0 && Date.now() - this.startMs >= conf.nextTimeoutMs;
    if (this.connector.tries <= 0 || !allowed || !idempotent || timeout || (this.sender.requestSent && r.bodyOwner.body?.consumer)) {
      if (this.options.cache?.useStale(this, failure === 'no_live' ? 'error' : failure)) return;
      this.finish(status);
      return;
    }
    this.connector.connect();
  }

  clientGone(): void {
    if (this.ended) return;
    if (this.tunnelling) {
      this.finish(OK);
      return;
    }
    if ((this.cacheable || this.passer?.store) && this.headerDone) return;
    if (this.r.conn.error && this.options.cache?.waiting) {
      this.finish(HTTP_CLIENT_CLOSED);
      return;
    }
    if (this.conf.ignoreClientAbort) return;
    if (this.options.cache?.keepsGoing(this)) return;
    this.r.log(
      'info',
      `client prematurely closed connection, so upstream connection is closed too while ${this.headerDone ? 'reading upstream' : 'sending request to upstream'}`,
    );
    this.finish(HTTP_CLIENT_CLOSED);
  }

  freePeer(state: Outcome): void {
    const { peer } = this;
    if (!peer) return;
    this.peer = undefined;
    this.closeState();
    if (state === 'ok') this.group.sticky?.onDone?.(this.r, peer);
    this.connector.free(peer, state);
    if (this.group.waiting.length > 0) this.group.waiting.shift()!.run();
  }

  closeState(): void {
    const { state } = this;
    if (state.responseMs < 0) state.responseMs = nowMs() - state.startMs;
    if (this.conn) state.bytesSent = this.conn.bytesSent;
  }

  closeConnection(keep: boolean): void {
    const { conn } = this;
    this.clearTimer();
    this.conn = undefined;
    this.reader.stopTimer();
    if (!conn) return;
    this.state.bytesSent = conn.bytesSent;
    const pool = keep && !conn.ended ? this.connector.pool : undefined;
    if (pool) pool.give(conn);
    else conn.destroy();
  }

  /** Ends the upstream part and the request with a code. */
  finish(rc: number): void {
    if (this.ended) return;
    const { r } = this;
    const sent = this.headerDone && r.headerSent;
    if (this.state) this.closeState();
    if (rc === OK && sent) {
      this.ended = true;
      this.release();
      r.main.onAbort = undefined;
      if (this.tunnelling) {
        r.finalize(ERROR);
        return;
      }
      if (this.trailers.length > 0 && this.conf.passTrailers) this.passTrailers();
      const code = r.headerOnly && !r.inMemory && !r.isSub ? OK : r.output(this.passer.takeEnding(), true);
      r.finalize(code === ERROR ? ERROR : OK);
      return;
    }
    this.ended = true;
    if (this.passer?.store) this.passer.finishStore(false);
    if (!this.responseComplete) this.options.cache?.abandon(this, rc);
    this.release();
    r.main.onAbort = undefined;
    if (sent && (rc === ERROR || rc >= 300)) {
      // the answer is cut: the connection must not look complete
      if (r.isSub) {
        r.finalize(OK);
        return;
      }
      r.keepalive = false;
      r.finalize(r.conn.http2 || r.output([], false, true) === ERROR ? ERROR : OK);
      return;
    }
    r.finalize(rc === ERROR ? 502 : rc);
  }

  private passTrailers(): void {
    for (const field of this.trailers) {
      if (this.conf.hidden.has(field.lname)) continue;
      this.r.out.trailers.push(field);
    }
  }

  /** The request goes on elsewhere (X-Accel-Redirect): only the peer is let go. */
  handOver(): void {
    const { r } = this;
    this.ended = true;
    this.options.cache?.abandon(this);
    this.release();
    r.main.onAbort = undefined;
    r.upstream = undefined;
  }

  /** The cache answered instead of a peer. */
  served(): void {
    this.ended = true;
    this.r.main.onAbort = undefined;
  }

  /** The peer's part is over, the answer comes from the cache. */
  letGo(): void {
    this.sender.attempt++;
    this.freePeer('ok');
    this.closeConnection(false);
  }

  /** Lets go of everything held. */
  private release(): void {
    if (!this.ended) {
      this.ended = true;
      if (this.peer) this.freePeer('ok');
      this.options.cache?.abandon(this);
      if (this.passer?.store) this.passer.finishStore(false);
    }
    if (!this.connector) return;
    if (this.peer) this.freePeer('ok');
    this.closeConnection(false);
    this.passer.release();
  }
}
