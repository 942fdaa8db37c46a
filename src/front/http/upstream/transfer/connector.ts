// The way to a peer: chooses one, waits in the queue of the group, takes an idle connection or opens one.

import type tls from 'node:tls';
import { nowMs } from '../../../../http/wire/clock.ts';
import { isTrue } from '../../config/value.ts';
import type { Connection, Loc, Request } from '../../model/types.ts';
import type { UpstreamState } from '../../model/upstream-state.ts';
import { NO_ATTEMPT } from '../attempt.ts';
import type { UpstreamConf } from '../conf.ts';
import { type ConnectionEvents, PeerConnection, type Pool, type TlsSettings } from '../connection/connect.ts';
import type { UpstreamGroup } from '../peers/group.ts';
import { noteTime, type Peer } from '../peers/peer.ts';
import { type Outcome, Selection } from '../peers/selection.ts';
import type { Failure } from '../protocol/protocol.ts';

/** The exchange that needs a peer. */
export interface ConnectorOwner extends ConnectionEvents {
  readonly r: Request;
  readonly conf: UpstreamConf;
  readonly ended: boolean;
  state: UpstreamState;
  /** chosen last, also after it was released */
  lastPeer: Peer | null;
  conn: PeerConnection | null;
  /** requests of one name may share idle connections */
  readonly poolName: string;
  /** the protocol allows idle connections to be kept */
  readonly keepsAlive: boolean;
  /** kind of connection if it is not a plain stream of bytes */
  readonly connectionKind: typeof PeerConnection | null;
  tlsSettings(): TlsSettings | null;
  /** A new attempt at a peer: leftovers of the previous one are dropped. */
  resetAttempt(): void;
  /** The connection is open. */
  sendRequest(): void;
  setTimer(ms: number): void;
  /** Completes times and counts of the attempt. */
  closeState(): void;
  next(failure: Failure): void;
  finish(rc: number): void;
}

interface BindAddress {
  address: string;
  port: number;
}

/** loaded on first use: plain HTTP does not need it */
let tlsModule: typeof tls | null = null;

export class PeerConnector {
  readonly #u: ConnectorOwner;
  readonly #group: UpstreamGroup;
  #selection: Selection;
  #peer: Peer | null = null;
  /** the attempt uses a connection that was idle: the peer may have closed it meanwhile */
  #isReused = false;
  /** `#leaveFlight` ran for this attempt */
  #hasLeft = false;
  #triesLeft: number;
  /** own address, null: any, undefined: not evaluated yet */
  #bind: BindAddress | null | undefined;
  #queuedMs = -1;

  constructor(u: ConnectorOwner, group: UpstreamGroup) {
    this.#u = u;
    this.#group = group;
    this.#selection = new Selection(group.set, u.r);
    this.#triesLeft = this.#maxTries;
  }

  get #maxTries(): number {
    const { nextTries } = this.#u.conf;
    return nextTries > 0 ? nextTries : Infinity;
  }

  /** Peers that may still be tried, the current one included. */
  get tries(): number {
    return Math.min(this.#selection.tries, this.#triesLeft);
  }

  /** Counts a failed attempt; one over an idle connection that broke is free. */
  noteFailure(failure: Failure): void {
    this.#triesLeft--;
    if (!this.#isReused || failure !== 'error') return;
    this.#selection.tries++;
    this.#triesLeft++;
  }

  /** Gives the peer back, if there is one. */
  release(outcome: Outcome): void {
    const peer = this.#peer;
    if (!peer) return;
    this.#peer = null;
    const group = this.#group;
    this.#u.closeState();
    if (outcome === 'ok') group.sticky?.onDone?.(this.#u.r, peer);
    if (group.set.watchesInflight) this.#leaveFlight(peer);
    this.#selection.free(peer, outcome, this.#u.state);
    group.waiting.shift()?.run();
  }

  /** Balancing by the time to the header counts it now, and the request no longer as in flight. */
  noteHeader(): void {
    const peer = this.#peer;
    const { set } = this.#group;
    if (!peer || !set.notesHeaders) return;
    const { headerMs } = this.#u.state;
    set.locked(() => {
      peer.headerTime = noteTime(peer.headerTime, headerMs);
    });
    this.#leaveFlight(peer);
  }

  /** Binds the client's session to the peer, if the group does so. */
  stick(): void {
    if (this.#peer) this.#group.sticky?.onHeader?.(this.#u.r, this.#peer);
  }

  /** The peer is no longer busy with the request. */
  #leaveFlight(peer: Peer): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const since = peer.inflightSince.indexOf(this.#u.state.startMs);
    if (since >= 0) peer.inflightSince.splice(since, 1);
  }

  /** Chooses a peer for the next attempt and connects to it. */
  connect(): void {
    const group = this.#group;
    const { r } = this.#u;
    this.#u.closeState();
    const boundTo = group.ntlm ? boundPeer(r, group) : null;
    const peer = this.#selection.get(boundTo !== null ? (p) => p.name === boundTo : (group.sticky?.matcher(r) ?? null));
    this.#u.state = this.#newState(peer?.name ?? group.name);
    if (!peer) {
      if (group.queue && group.waiting.length < group.queue.max && this.#anyBusy()) {
        this.#waitInQueue(group.queue.timeoutMs);
        return;
      }
      r.upstreamStates?.push(this.#u.state);
      r.log('error', `no live upstreams while connecting to upstream`);
      this.#u.next('no_live');
      return;
    }
    r.upstreamStates?.push(this.#u.state);
    this.#peer = peer;
    this.#hasLeft = false;
    this.#u.lastPeer = peer;
    if (group.set.watchesInflight) peer.inflightSince.push(this.#u.state.startMs);
    const { allowed } = this.#u.conf;
    if (allowed?.some((condition) => !isTrue(condition.eval(r)))) {
      r.log('error', 'access to upstream is denied while connecting to upstream');
      this.#u.next('denied');
      return;
    }
    this.#open(peer);
  }

  #newState(peer: string): UpstreamState {
    return { ...NO_ATTEMPT, peer, queueMs: this.#queuedMs, startMs: nowMs() };
  }

  #anyBusy(): boolean {
    return this.#group.set.all().some((p) => p.options.maxConns > 0 && p.conns >= p.options.maxConns);
  }

  #waitInQueue(timeoutMs: number): void {
    const group = this.#group;
    const { r } = this.#u;
    const since = nowMs();
    const entry = {
      run: () => {
        clearTimeout(entry.timer);
        this.#queuedMs = nowMs() - since;
        if (this.#u.ended || r.done) return;
        this.#selection = new Selection(group.set, r);
        this.#triesLeft = this.#maxTries;
        this.connect();
      },
      timer: setTimeout(() => {
        group.waiting = group.waiting.filter((w) => w !== entry);
        this.#u.state.queueMs = nowMs() - since;
        r.upstreamStates?.push(this.#u.state);
        r.log('error', `upstream queue timed out`);
        this.#u.finish(502);
      }, timeoutMs),
    };
    group.waiting.push(entry);
  }

  get pool(): Pool | null {
    return this.#u.keepsAlive ? this.#group.pool : null;
  }

  #open(peer: Peer): void {
    const { r, conf } = this.#u;
    this.#u.resetAttempt();
    if (conf.bindDynamic || this.#bind === undefined) this.#bind = this.#bindAddress();
    const tlsSettings = this.#u.tlsSettings();
    if (tlsSettings && !tlsModule) {
      void import('node:tls').then((module) => {
        tlsModule = module.default;
        if (!this.#u.ended && !r.done) this.#open(peer);
      });
      return;
    }
    const { pool } = this;
    const owner = pool ? this.#poolOwner(peer, tlsSettings) : '';
    const kept = pool?.take(peer.name, owner) ?? null;
    this.#isReused = kept !== null;
    if (kept) this.#reuse(kept);
    else this.#connectTo(peer, owner, tlsSettings);
  }

  /** Sends the request over an idle connection. */
  #reuse(conn: PeerConnection): void {
    this.#u.conn = conn;
    conn.events = this.#u;
    conn.bytesReceived = 0;
    conn.bytesSent = 0;
    this.#u.state.connectMs = 0;
    this.#u.sendRequest();
  }

  #connectTo(peer: Peer, owner: string, tlsSettings: TlsSettings | null): void {
    const { r, conf } = this.#u;
    try {
      tlsSettings?.prepare();
    } catch (error) {
      r.log('error', `cannot load certificate: ${(error as Error).message}`);
      this.#u.finish(500);
      return;
    }
    let conn: PeerConnection;
    try {
      const Kind = this.#u.connectionKind ?? PeerConnection;
      conn = new Kind(peer.address, this.#bind ?? null, tlsSettings, conf.socketKeepalive, tlsModule);
    } catch (error) {
      r.log('crit', `connect to ${peer.name} failed: ${(error as Error).message}`);
      this.#u.next('error');
      return;
    }
    this.#u.conn = conn;
    conn.owner = owner;
    conn.events = this.#u;
    this.#u.setTimer(conf.connectTimeoutMs);
  }

  /** What requests must have in common to share an idle connection: protocol, location if demanded, certificate, own address. */
  #poolOwner(peer: Peer, tlsSettings: TlsSettings | null): string {
    const group = this.#group;
    const perLocation = group.pool.limits.local || !group.explicit;
    const own = perLocation ? ownerOf(this.#u.poolName, this.#u.conf.local) : this.#u.poolName;
    if (group.ntlm && this.#bindClient(peer)) return `${own}|${tlsSettings?.id ?? ''}|client ${this.#u.r.conn.id}`;
    const bind = this.#bind;
    if (!bind && !tlsSettings) return own;
    return `${own}|${tlsSettings?.id ?? ''}|${bind ? `${bind.address}:${bind.port}` : ''}`;
  }

  /** Whether the client has a connection of its own to the peer: from its first request on that authenticates by NTLM or Negotiate. */
  #bindClient(peer: Peer): boolean {
    const { r } = this.#u;
    if (!/^(ntlm|negotiate)\b/i.test(r.headerIn('authorization') ?? '')) return boundPeer(r, this.#group) !== null;
    let peers = bound.get(r.conn);
    if (!peers) bound.set(r.conn, (peers = new Map()));
    peers.set(this.#group, peer.name);
    return true;
  }

  #bindAddress(): BindAddress | null {
    const { bind } = this.#u.conf;
    if (!bind) return null;
    const text = bind.value.eval(this.#u.r);
    if (text === '' || text === 'off') return null;
    const m = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text);
    if (!m) return null;
    return { address: m[1] ?? m[2], port: Number(m[3] ?? 0) };
  }
}

/** peers that connections of clients are bound to (`ntlm`) */
const bound = new WeakMap<Connection, Map<UpstreamGroup, string>>();
const boundPeer = (r: Request, group: UpstreamGroup): string | null => bound.get(r.conn)?.get(group) ?? null;

const owners = new WeakMap<Loc, Map<string, string>>();
let ownerCount = 0;
/** A name for a protocol at a location. */
function ownerOf(protocol: string, loc: Loc): string {
  let names = owners.get(loc);
  if (!names) owners.set(loc, (names = new Map()));
  let name = names.get(protocol);
  if (!name) names.set(protocol, (name = `${protocol}#${++ownerCount}`));
  return name;
}
