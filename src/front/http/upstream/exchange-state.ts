// The state of a request to a back end, for its parts, its protocol and variables. Only Upstream changes it; this class has no side
// effects.
import { nowMs } from '../../../http/wire/clock.ts';
import type { HeaderField } from '../../../http/wire/header.ts';
import type { Request } from '../model/types.ts';
import type { UpstreamReport, UpstreamState } from '../model/upstream-state.ts';
import { NO_ATTEMPT } from './attempt.ts';
import type { CacheRequest } from './cache/cache.ts';
import type { UpstreamConf } from './conf.ts';
import type { PeerConnection, TlsSettings } from './connection/connect.ts';
import type { Peer } from './peers/peer.ts';
import type { GroupSeeker } from './peers/runtime-group.ts';
import type { Exchange, Failure, Protocol, UpstreamHead, UpstreamTarget } from './protocol/protocol.ts';
import type { PeerConnector } from './transfer/connector.ts';
import type { BodyPasser } from './transfer/passer.ts';
import type { ResponseReader } from './transfer/reader.ts';
import type { RequestSender } from './transfer/sender.ts';
import type { UpstreamTunnel } from './transfer/tunnel.ts';

const NO_FIELDS: readonly HeaderField[] = [];

export interface UpstreamOptions<Target extends UpstreamTarget> {
  protocol: Protocol<Target>;
  conf: UpstreamConf;
  target: Target;
  method: string;
  /** finds the group and passes it to `seeker.useGroup`, or ends the request by `seeker.finish` */
  resolve(seeker: GroupSeeker): void;
  cache?: CacheRequest | null;
  /** the head of the request contains its body, or there is none: the client's body is not sent */
  ownBody?: boolean;
  /** CONNECT: the connection itself is the response */
  isConnect?: boolean;
}

/** The parts that handle attempts at peers. Created only when a back end is needed, not for responses from the cache. */
export interface Parts {
  readonly sender: RequestSender;
  readonly reader: ResponseReader;
  readonly passer: BodyPasser;
}

/** `next` and `finish` are the transitions that a protocol may start. */
export abstract class ExchangeState<Target extends UpstreamTarget> implements Exchange<Target>, UpstreamReport {
  abstract next(failure: Failure, reusable?: boolean): void;
  abstract finish(rc: number): void;

  readonly r: Request;
  readonly conf: UpstreamConf;
  readonly target: Target;
  readonly method: string;
  readonly ownBody: boolean;
  readonly cache: CacheRequest | null;
  readonly startMs = nowMs();
  conditional = '';
  head: UpstreamHead | null = null;
  state: UpstreamState = NO_ATTEMPT;
  /** chosen last, also after it was released */
  lastPeer: Peer | null = null;
  conn: PeerConnection | null = null;
  buffering: boolean;
  upgrade = false;
  headerDone = false;
  cacheStatus: string | null = null;
  trailers: readonly HeaderField[] = NO_FIELDS;
  cacheable = false;
  mayCache = false;
  ended = false;
  responseComplete = false;
  failedLength = false;
  /** number of the attempt, so that events of an abandoned parser are ignored */
  attempt = 0;
  protected readonly options: UpstreamOptions<Target>;
  protected readonly protocol: Protocol<Target>;
  protected connector: PeerConnector | null = null;
  protected parts: Parts | null = null;
  protected tunnel: UpstreamTunnel | null = null;

  constructor(r: Request, options: UpstreamOptions<Target>) {
    this.r = r;
    this.options = options;
    this.protocol = options.protocol;
    this.conf = options.conf;
    this.target = options.target;
    this.method = options.method;
    this.cache = options.cache ?? null;
    this.ownBody = options.ownBody === true;
    this.buffering = options.conf.buffering;
  }

  get caching(): boolean {
    return this.cache?.cacheable === true;
  }

  get passesTrailers(): boolean {
    return this.conf.passTrailers && this.state !== NO_ATTEMPT;
  }

  get cacheKey(): string | null {
    return this.cache ? this.cache.key : null;
  }

  get protocolName(): string {
    return this.protocol.name;
  }

  get poolName(): string {
    return this.protocol.pool ?? this.protocol.name;
  }

  get keepsAlive(): boolean {
    return this.protocol.keepsAlive;
  }

  get connectionKind(): typeof PeerConnection | null {
    return this.protocol.connection ?? null;
  }

  get readsInPlace(): boolean {
    return this.protocol.readsInPlace === true;
  }

  get fixedHead(): boolean {
    return this.protocol.fixedHead === true;
  }

  get storing(): boolean {
    return this.parts?.passer.storing === true;
  }

  get tunnelling(): boolean {
    return this.tunnel !== null;
  }

  get requestSent(): boolean {
    return this.parts?.sender.requestSent === true;
  }

  get bodySent(): boolean {
    return this.parts?.sender.bodySent === true;
  }

  get readsPaused(): boolean {
    return this.parts?.reader.paused === true;
  }

  get inPlace(): boolean {
    return this.parts?.reader.inPlace === true;
  }

  get waitingClient(): boolean {
    return this.parts?.passer.waitingClient === true;
  }

  tlsSettings(): TlsSettings | null {
    return this.protocol.tls?.(this) ?? null;
  }

  rewriteField(field: HeaderField): void {
    this.protocol.rewriteField?.(this, field);
  }

  /** what `describe` returned when the response was handed over to another location */
  protected left = '';

  describe(): string {
    if (this.state === NO_ATTEMPT) return this.left;
    const { schema, requestUri } = this.target;
    const { peer } = this.state;
    return `${schema ?? `${this.protocol.name}://`}${peer}${peer.startsWith('unix:') ? ':' : ''}${requestUri ?? ''}`;
  }

  get action(): string {
    if (!this.conn?.connected) return 'connecting to upstream';
    if (!this.bodySent) return 'sending request to upstream';
    return this.headerDone ? 'reading upstream' : 'reading response header from upstream';
  }

  /** Peers that may still be tried, the current one included. */
  get tries(): number {
    return this.connector ? this.connector.tries : 0;
  }

  closeState(): void {
    const { state } = this;
    if (state === NO_ATTEMPT) return;
    if (state.responseMs < 0) state.responseMs = nowMs() - state.startMs;
    if (this.conn) state.bytesSent = this.conn.bytesSent;
  }
}
