// Chooses back ends for a session, one attempt after another, and keeps the state that variables show. TCP and UDP share it.
import { nowMs } from '../../../http/wire/clock.ts';
import type { UpstreamGroup } from '../../http/upstream/peers/group.ts';
import type { Peer } from '../../http/upstream/peers/peer.ts';
import { Selection } from '../../http/upstream/peers/selection.ts';
import { type AttemptState, STATUS, type StreamSession } from '../model.ts';
import type { ProxyConf } from './conf.ts';
import { dropWithPeer, forgetPeer } from './session-drop.ts';

export class Attempts {
  /** of the current attempt */
  state!: AttemptState;
  peer: Peer | null = null;
  readonly #s: StreamSession;
  readonly #conf: ProxyConf;
  readonly #group: UpstreamGroup;
  readonly #selection: Selection;
  readonly #startMs = nowMs();
  #triesLeft: number;

  constructor(s: StreamSession, conf: ProxyConf, group: UpstreamGroup) {
    this.#s = s;
    this.#conf = conf;
    this.#group = group;
    this.#selection = new Selection(group.set, s);
    this.#triesLeft = conf.proxy_next_upstream_tries || Infinity;
  }

  /** Chooses a peer. @returns null if there is none: the session is over */
  next(): Peer | null {
    const s = this.#s;
    const peer = this.#selection.get();
    this.state = {
      peer: peer?.name ?? this.#group.name,
      startMs: nowMs(),
      connectMs: -1,
      firstByteMs: -1,
      sessionMs: -1,
      bytesReceived: 0,
      bytesSent: 0,
    };
    s.attempts.push(this.state);
    s.action = 'connecting to upstream';
    if (!peer) {
      s.log('error', 'no live upstreams');
      s.finalize(STATUS.badGateway);
      return null;
    }
    this.peer = peer;
    s.upstreamName = peer.name;
    if (this.#group.set.watchesInflight) peer.inflightSince.push(this.state.startMs);
    return peer;
  }

  /** Whether another peer may be tried after a failure; if not, the session is over. */
  mayRetry(): boolean {
    this.release('failed');
    const { proxy_next_upstream: allowed, proxy_next_upstream_timeout: limitMs } = this.#conf;
    const late = limitMs > 0 && nowMs() - this.#startMs >= limitMs;
    this.#triesLeft--;
    if (allowed && !late && this.#triesLeft > 0 && this.#selection.tries > 0) return true;
    this.#s.finalize(STATUS.badGateway);
    return false;
  }

  /** Called when the connection to the peer is open. */
  connected(): void {
    this.state.connectMs = nowMs() - this.state.startMs;
    if (!this.peer) return;
    this.#selection.connected(this.peer);
    if (this.#conf.proxy_session_drop) dropWithPeer(this.#s, this.peer, this.#group);
  }

  received(bytes: number): void {
    if (this.state.firstByteMs < 0) this.state.firstByteMs = nowMs() - this.state.startMs;
    this.state.bytesReceived += bytes;
  }

  /** Releases the peer, if there is one. */
  release(outcome: 'ok' | 'failed'): void {
    const { peer, state } = this;
    if (!peer) return;
    this.peer = null;
    if (this.#conf.proxy_session_drop) forgetPeer(this.#s);
    state.sessionMs = nowMs() - state.startMs;
    const { set } = this.#group;
    if (set.watchesInflight) {
      const since = peer.inflightSince.indexOf(state.startMs);
      if (since >= 0) peer.inflightSince.splice(since, 1);
    }
    const { method } = set;
    const toConnect = (method.kind === 'least_time' || method.kind === 'random') && method.timeWord === 'connect';
    const headerMs = toConnect ? state.connectMs : state.firstByteMs;
    this.#selection.free(peer, outcome, { bytesReceived: state.bytesReceived, headerMs, responseMs: state.sessionMs });
  }
}
