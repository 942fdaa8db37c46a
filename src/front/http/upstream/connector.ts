/** The way to a peer: chooses one, waits in the queue of the group, takes an idle connection or opens one. */
import type tls from 'node:tls';
import { nowMs } from '../../../http/wire/clock.ts';
import type { Loc, Request } from '../model/types.ts';
import { PeerConnection, type Pool, type TlsSettings } from './connect.ts';
import type { UpstreamGroup } from './group.ts';
import type { Peer } from './peer.ts';
import type { Failure } from './protocol.ts';
import { type Outcome, Selection } from './selection.ts';
import type { Upstream } from './upstream.ts';

/** loaded on first use: plain HTTP never pays for it */
let tlsModule: typeof tls | undefined;

export class PeerConnector {
  private selection: Selection | undefined;
  /** the attempt goes over a connection that lay idle: the peer may have closed it meanwhile */
  private cachedConnection = false;
  /** `leaveFlight` was told of this attempt */
  private hasLeft = false;
  private triesLeft = 0;
  /** own address; null: any */
  private bind: { address: string; port: number } | null | undefined;
  private queuedMs = -1;

  constructor(private readonly u: Upstream) {}

  /** The first attempt, once the group is known. */
  begin(): void {
    if (!this.u.conf.requestDynamic) this.u.sender.prepare();
    this.newSelection();
    this.connect();
  }

  private newSelection(): void {
    this.selection = new Selection(this.u.group.set, this.u.r);
    const { nextTries } = this.u.conf;
    this.triesLeft = nextTries > 0 ? nextTries : Infinity;
  }

  /** Peers that may still be tried, this one included. */
  get tries(): number {
    return Math.min(this.selection!.tries, this.triesLeft);
  }

  /** Counts an attempt that failed; one over an idle connection that broke costs nothing. */
  noteFailure(failure: Failure): void {
    this.triesLeft--;
    if (!this.cachedConnection || failure !== 'error') return;
    this.selection!.tries++;
    this.triesLeft++;
  }

  /** Gives the peer back. */
  free(peer: Peer, outcome: Outcome): void {
    if (this.u.group.set.watchesInflight) this.leaveFlight(peer);
    this.selection!.free(peer, outcome, this.u.state);
  }

  /** The request is no longer one that the peer is busy with. */
  leaveFlight(peer: Peer): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    const since = peer.inflightSince.indexOf(this.u.state.startMs);
    if (since >= 0) peer.inflightSince.splice(since, 1);
  }

  /** Chooses a peer for the next attempt and connects to it. */
  connect(): void {
    const { r, group } = this.u;
    if (this.u.state) this.u.closeState();
    const peer = this.selection!.get(group.ntlm && boundPeer(r, group) ? (p) => p.name === boundPeer(r, group) : group.sticky?.matcher(r));
    this.u.state = {
      peer: peer?.name ?? group.name,
      status: 0,
      connectMs: -1,
      headerMs: -1,
      responseMs: -1,
      responseLength: 0,
      besideBytes: 0,
      bytesReceived: 0,
      bytesSent: 0,
      queueMs: this.queuedMs,
      startMs: nowMs(),
    };
    if (!peer) {
      if (group.queue && group.waiting.length < group.queue.max && this.anyBusy()) {
        this.waitInQueue();
        return;
      }
      r.upstreamStates!.push(this.u.state);
      r.log('error', `no live upstreams while connecting to upstream`);
      this.u.next('no_live');
      return;
    }
    r.upstreamStates!.push(this.u.state);
    this.u.peer = peer;
    this.hasLeft = false;
    this.u.lastPeer = peer;
    if (group.set.watchesInflight) peer.inflightSince.push(this.u.state.startMs);
    const { allowed } = this.u.conf;
    if (allowed?.some((condition) => isFalse(condition.eval(r)))) {
      r.log('error', 'access to upstream is denied while connecting to upstream');
      this.u.next('denied');
      return;
    }
    this.open(peer);
  }

  private anyBusy(): boolean {
    return this.u.group.set.all().some((p) => p.options.maxConns > 0 && p.conns >= p.options.maxConns);
  }

  private waitInQueue(): void {
    const { group, r } = this.u;
    const since = nowMs();
    const entry = {
      run: () => {
        clearTimeout(entry.timer);
        this.queuedMs = nowMs() - since;
        if (this.u.ended || r.done) return;
        this.newSelection();
        this.connect();
      },
      timer: setTimeout(() => {
        group.waiting = group.waiting.filter((w) => w !== entry);
        this.u.state.queueMs = nowMs() - since;
        r.upstreamStates!.push(this.u.state);
        r.log('error', `upstream queue timed out`);
        this.u.finish(502);
      }, group.queue!.timeoutMs),
    };
    group.waiting.push(entry);
  }

  get pool(): Pool | undefined {
    return this.u.protocol.keepsAlive ? this.u.group.pool : undefined;
  }

  private open(peer: Peer): void {
    const { r, conf } = this.u;
    this.u.reader.reset();
    this.u.sender.reset();
    if (this.u.conf.bindDynamic || this.bind === undefined) this.bind = this.bindAddress();
    const bind = this.bind ?? undefined;
    const tlsSettings = this.u.protocol.tls?.(this.u);
    if (tlsSettings && !tlsModule) {
      void import('node:tls').then((module) => {
        tlsModule = module as unknown as typeof tls;
        if (!this.u.ended && !r.done) this.open(peer);
      });
      return;
    }
    const { pool } = this;
    const owner = pool ? this.poolOwner(bind, tlsSettings) : '';
    const kept = pool?.take(peer.name, owner);
    if (kept) {
      this.u.conn = kept;
      kept.events = this.u;
      this.cachedConnection = true;
      kept.bytesReceived = 0;
      kept.bytesSent = 0;
      this.u.state.connectMs = 0;
      this.u.sender.send();
      return;
    }
    this.cachedConnection = false;
    try {
      tlsSettings?.prepare();
    } catch (error) {
      r.log('error', `cannot load certificate: ${(error as Error).message}`);
      this.u.finish(500);
      return;
    }
    try {
      const Kind = this.u.protocol.connection ?? PeerConnection;
      this.u.conn = new Kind(peer.address, bind, tlsSettings, conf.socketKeepalive, tlsModule);
    } catch (error) {
      r.log('crit', `connect to ${peer.name} failed: ${(error as Error).message}`);
      this.u.next('error');
      return;
    }
    this.u.conn.owner = owner;
    this.u.conn.events = this.u;
    this.u.setTimer(conf.connectTimeoutMs);
  }

  /** What may share an idle connection: protocol, location where asked, certificate, own address. */
  private poolOwner(bind: { address: string; port: number } | undefined, tlsSettings: TlsSettings | undefined): string {
    const perLocation = this.u.group.pool.limits.local || !this.u.group.explicit;
    const own = perLocation ? ownerOf(this.u.protocol.name, this.u.conf.local) : this.u.protocol.name;
    if (this.u.group.ntlm && this.bindClient()) return `${own}|${tlsSettings?.id ?? ''}|client ${this.u.r.conn.id}`;
    if (!bind && !tlsSettings) return own;
    return `${own}|${tlsSettings?.id ?? ''}|${bind ? `${bind.address}:${bind.port}` : ''}`;
  }

  /** Does the client keep a connection of its own to the peer? From its first request on that authenticates by NTLM or Negotiate. */
  private bindClient(): boolean {
    const { r, group, peer } = this.u;
    if (!/^(ntlm|negotiate)\b/i.test(r.headerIn('authorization') ?? '')) return boundPeer(r, group) !== undefined;
    let peers = bound.get(r.conn);
    if (!peers) bound.set(r.conn, (peers = new Map()));
    peers.set(group, peer!.name);
    return true;
  }

  private bindAddress(): { address: string; port: number } | null {
    const { bind } = this.u.conf;
    if (!bind) return null;
    const text = bind.value.eval(this.u.r);
    if (text === '' || text === 'off') return null;
    const m = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text);
    if (!m) return null;
    return { address: m[1] ?? m[2], port: Number(m[3] ?? 0) };
  }
}

/** peers to which connections of clients are bound (`ntlm`) */
const bound = new WeakMap<Request['conn'], Map<UpstreamGroup, string>>();
const boundPeer = (r: Request, group: UpstreamGroup): string | undefined => bound.get(r.conn)?.get(group);

const isFalse = (text: string): boolean => text === '' || text === '0';

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
