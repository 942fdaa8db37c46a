// proxy_session_drop: ends sessions whose peer has left the group, was marked down or failed its health checks.
import type { UpstreamGroup } from '../../http/upstream/peers/group.ts';
import type { Peer } from '../../http/upstream/peers/peer.ts';
import { STATUS, type StreamSession } from '../model.ts';

const EVERY_MS = 500;

interface Watched {
  peer: Peer;
  group: UpstreamGroup;
}

const watched = new Map<StreamSession, Watched>();
let timer: NodeJS.Timeout | null = null;

/** Watches the peer until the session ends. */
export function dropWithPeer(s: StreamSession, peer: Peer, group: UpstreamGroup): void {
  watched.set(s, { peer, group });
  timer ??= setInterval(check, EVERY_MS).unref();
}

export function forgetPeer(s: StreamSession): void {
  if (!watched.delete(s) || watched.size > 0) return;
  clearInterval(timer ?? undefined);
  timer = null;
}

function check(): void {
  const members = new Map<UpstreamGroup, Set<Peer>>();
  for (const [s, { peer, group }] of [...watched]) {
    let peers = members.get(group);
    if (!peers) members.set(group, (peers = new Set(group.set.all())));
    if (peers.has(peer) && !peer.options.down && !peer.unhealthy) continue;
    s.log('info', `session dropped, peer ${peer.name} is no longer available`);
    s.finalize(STATUS.badGateway);
  }
}
