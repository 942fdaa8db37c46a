// Chooses peers for one request: round robin, least_conn, least_time, ip_hash, hash, random. No I/O.
import { crc32Latin1 } from '../../../../common/encoding/crc32.ts';
import { nowSeconds } from '../../../../http/wire/clock.ts';
import type { Session } from '../../model/types.ts';
import { binaryAddress } from '../../request/address.ts';
import { noteTime, type Peer, peerTime, type TimeKind } from './peer.ts';
import { countUp, type PeerSet } from './peer-set.ts';

const NONE: readonly Peer[] = [];

/** `next`: refused without being at fault (403, 404). */
export type Outcome = 'ok' | 'failed' | 'next';

/** What an attempt adds to the averages of its peer; times are -1 if not reached. */
interface Attempt {
  bytesReceived: number;
  headerMs: number;
  responseMs: number;
}

/** The peer selection of one request. */
export class Selection {
  tries: number;
  #tried: readonly Peer[] = NONE;
  #inBackup = false;
  #hash: number;
  #rehash = 0;
  #hashTries = 0;
  #key: string | null = null;

  readonly #r: Session;

  constructor(
    readonly set: PeerSet,
    r: Session,
  ) {
    this.#r = r;
    this.tries = set.tries;
    this.#hash = set.method.kind === 'ip_hash' ? 89 : 0;
  }

  get #list(): Peer[] {
    return this.#inBackup ? this.set.backup : this.set.primary;
  }

  /** @param belongs identifies peers of a sticky session, which precede all others of their list. @returns null: no live upstreams */
  get(belongs: ((peer: Peer) => boolean) | null = null): Peer | null {
    return this.set.locked(() => this.#getLocked(belongs));
  }

  #getLocked(belongs: ((peer: Peer) => boolean) | null): Peer | null {
    const now = nowSeconds();
    const peer = this.#ofSession(belongs, now) ?? this.#choose(now);
    if (peer) return this.#take(peer, now);
    if (!this.#inBackup && this.set.backup.length > 0) {
      this.#inBackup = true;
      this.tries = countUp(this.set.backup);
      const spare = this.#ofSession(belongs, now) ?? this.#choose(now);
      if (spare) return this.#take(spare, now);
    }
    return null;
  }

  #ofSession(belongs: ((peer: Peer) => boolean) | null, now: number): Peer | null {
    return (belongs && this.#list.find((peer) => belongs(peer) && !this.#tried.includes(peer) && peer.usable(now, true))) ?? null;
  }

  #take(peer: Peer, now: number): Peer {
    this.#tried = this.#tried === NONE ? [peer] : [...this.#tried, peer];
    peer.conns++;
    peer.requests++;
    if (now - peer.checked > peer.options.failTimeoutSeconds) peer.checked = now;
    return peer;
  }

  #choose(now: number): Peer | null {
    if (this.set.single) {
      const [peer] = this.set.primary;
      const { options } = peer;
      if (options.down || options.drain || peer.unhealthy) return null;
      return options.maxConns > 0 && peer.conns >= options.maxConns ? null : (peer ?? null);
    }
    const { method } = this.set;
    if (this.#inBackup) return method.kind === 'least_conn' ? this.#leastConn(now) : this.#roundRobin(now);
    switch (method.kind) {
      case 'ip_hash':
        return this.#ipHash(now);
      case 'hash':
        this.#key ??= method.key(this.#r);
        if (this.#key === '') return this.#roundRobin(now);
        return method.consistent ? this.#consistent(now, this.#key) : this.#hashed(now);
      case 'least_conn':
        return this.#leastConn(now);
      case 'random':
        return this.#random(now, method.two, method.timeOf);
      case 'least_time':
        return this.#leastTime(now, method.timeOf, method.inflight);
      default:
        return this.#roundRobin(now);
    }
  }

  #roundRobin(now: number, among = this.#list): Peer | null {
    let best: Peer | null = null;
    let total = 0;
    for (const peer of among) {
      if (this.#tried.includes(peer) || !peer.usable(now)) continue;
      const ceiling = peer.weightNow(now);
      if (peer.effectiveWeight > ceiling) peer.effectiveWeight = ceiling;
      peer.currentWeight += peer.effectiveWeight;
      total += peer.effectiveWeight;
      if (peer.effectiveWeight < ceiling) peer.effectiveWeight++;
      if (!best || peer.currentWeight > best.currentWeight) best = peer;
    }
    if (best) best.currentWeight -= total;
    return best;
  }

  #leastConn(now: number): Peer | null {
    let best: Peer[] = [];
    for (const peer of this.#list) {
      if (this.#tried.includes(peer) || !peer.usable(now)) continue;
      const difference = best.length === 0 ? -1 : peer.conns * best[0].options.weight - best[0].conns * peer.options.weight;
      if (difference < 0) best = [peer];
      else if (difference === 0) best.push(peer);
    }
    return best.length > 1 ? this.#roundRobin(now, best) : (best[0] ?? null);
  }

  /** Least expected time per weight. */
  #leastTime(now: number, timeOf: TimeKind, inflight: boolean): Peer | null {
    let best: Peer[] = [];
    let bestCost = Infinity;
    for (const peer of this.#list) {
      if (this.#tried.includes(peer) || !peer.usable(now)) continue;
      const cost = peerTime(peer, timeOf, inflight, now) / peer.options.weight;
      if (cost < bestCost) {
        bestCost = cost;
        best = [peer];
      } else if (cost === bestCost) best.push(peer);
    }
    return best.length > 1 ? this.#roundRobin(now, best) : (best[0] ?? null);
  }

  #ipHash(now: number): Peer | null {
    const address = binaryAddress(this.#r.conn.remoteAddr);
    const length = address.length === 4 ? 3 : address.length;
    for (let tries = 0; tries <= 20; tries++) {
      for (let n = 0; n < length; n++) this.#hash = (this.#hash * 113 + address.charCodeAt(n)) % 6271;
      const peer = this.#byWeight(this.#hash);
      if (peer && !this.#tried.includes(peer) && peer.usable(now)) return peer;
    }
    return this.#roundRobin(now);
  }

  #byWeight(value: number): Peer | null {
    const list = this.#list;
    let total = 0;
    for (const peer of list) total += peer.options.weight;
    let w = value % total;
    for (const peer of list) {
      w -= peer.options.weight;
      if (w < 0) return peer;
    }
    return null;
  }

  #hashed(now: number): Peer | null {
    for (; this.#hashTries <= 20; this.#hashTries++) {
      const text = (this.#rehash > 0 ? String(this.#rehash) : '') + this.#key;
      this.#hash += (crc32Latin1(text) >>> 16) & 0x7fff;
      this.#rehash++;
      const peer = this.#byWeight(this.#hash);
      if (peer && !this.#tried.includes(peer) && peer.usable(now)) return peer;
    }
    return this.#roundRobin(now);
  }

  /** Ketama: 160 points per unit of weight. */
  #consistent(now: number, key: string): Peer | null {
    const points = (this.set.points ??= ketamaPoints(this.set.primary));
    if (points.length === 0) return null;
    if (this.#hashTries === 0) {
      const hash = crc32Latin1(key);
      let low = 0;
      let high = points.length;
      while (low < high) {
        const mid = (low + high) >> 1;
        if (points[mid].hash < hash) low = mid + 1;
        else high = mid;
      }
      this.#hash = low;
    }
    for (; this.#hashTries <= 20; this.#hashTries++, this.#hash++) {
      const { server } = points[this.#hash % points.length];
      const peer = this.#roundRobin(
        now,
        this.#list.filter((p) => p.server === server),
      );
      if (peer) return peer;
    }
    return this.#roundRobin(now);
  }

  #random(now: number, two: 'no' | 'least_conn' | 'least_time', timeOf: TimeKind): Peer | null {
    const list = this.#list;
    let first: Peer | null = null;
    for (let tries = 0; tries <= 20; tries++) {
      const total = list.reduce((sum, p) => sum + p.options.weight, 0);
      const peer = this.#byWeight(Math.floor(Math.random() * total));
      if (!peer || peer === first || this.#tried.includes(peer) || !peer.usable(now)) continue;
      if (two === 'no') return peer;
      if (!first) {
        first = peer;
        continue;
      }
      if (two === 'least_time') {
        const cost = (p: Peer) => peerTime(p, timeOf, false, now) / p.options.weight;
        return cost(peer) < cost(first) ? peer : first;
      }
      return peer.conns * first.options.weight < first.conns * peer.options.weight ? peer : first;
    }
    return first ?? this.#roundRobin(now);
  }

  /** A connection to the peer was opened: what it failed before is forgotten, if it is tried again after its time-out. */
  connected(peer: Peer): void {
    this.set.locked(() => {
      if (peer.accessed < peer.checked) peer.fails = 0;
    });
  }

  /** Gives a peer back after an attempt. */
  free(peer: Peer, outcome: Outcome, attempt?: Attempt): void {
    this.set.lock();
    peer.conns--;
    if (attempt) {
      peer.bytesReceived += attempt.bytesReceived;
      // a peer that fails fast must not be preferred
      if (outcome === 'ok' && attempt.headerMs >= 0) {
        peer.responseTime = noteTime(peer.responseTime, attempt.responseMs);
        if (!this.set.notesHeaders) peer.headerTime = noteTime(peer.headerTime, attempt.headerMs);
      }
    }
    this.#noteOutcome(peer, outcome);
    this.set.unlock();
  }

  #noteOutcome(peer: Peer, outcome: Outcome): void {
    if (this.set.single) {
      peer.fails = 0;
      this.tries = 0;
      return;
    }
    const now = nowSeconds();
    const { options } = peer;
    if (outcome === 'failed') {
      peer.fails++;
      peer.failures++;
      peer.accessed = now;
      peer.checked = now;
      if (options.maxFails > 0) {
        peer.effectiveWeight -= Math.floor(options.weight / options.maxFails);
        if (peer.fails >= options.maxFails)
          this.#r.log('warn', `upstream server temporarily disabled${this.#r.upstream ? ` while ${this.#r.upstream.action}` : ''}`);
      }
      if (peer.effectiveWeight < 0) peer.effectiveWeight = 0;
    } else if (peer.accessed < peer.checked) {
      if (peer.fails > 0) {
        peer.recovered = now;
        if (options.slowStartSeconds > 0) peer.effectiveWeight = 1;
      }
      peer.fails = 0;
    }
    if (this.tries > 0) this.tries--;
  }
}

/** Points of the consistent hash: 160 for each unit of weight, sorted. */
function ketamaPoints(peers: Peer[]): { hash: number; server: string }[] {
  const points: { hash: number; server: string }[] = [];
  for (const peer of peers) {
    const unix = peer.server.startsWith('unix:');
    const colon = unix ? -1 : peer.server.lastIndexOf(':');
    const host = unix ? peer.server.slice(5) : colon < 0 || /\]$/.test(peer.server) ? peer.server : peer.server.slice(0, colon);
    const port = colon < 0 ? '' : peer.server.slice(colon + 1);
    const base = `${host}\0${port}`;
    let previous = 0;
    for (let n = 0; n < peer.options.weight * 160; n++) {
      const tail = String.fromCharCode(previous & 255, (previous >>> 8) & 255, (previous >>> 16) & 255, previous >>> 24);
      previous = crc32Latin1(base + tail);
      points.push({ hash: previous, server: peer.server });
    }
  }
  points.sort((a, b) => a.hash - b.hash);
  return points.filter((p, n) => n === 0 || p.hash !== points[n - 1].hash);
}
