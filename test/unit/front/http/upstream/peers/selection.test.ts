/** Balancing: weights, failures, backups, hashes. No sockets. */
import { describe, expect, test } from 'vitest';
import type { Request } from '../../../../../../src/front/http/model/types.ts';
import { DEFAULT_SERVER, Peer, type ServerOptions } from '../../../../../../src/front/http/upstream/peers/peer.ts';
import { type Method, PeerSet } from '../../../../../../src/front/http/upstream/peers/peer-set.ts';
import { Selection } from '../../../../../../src/front/http/upstream/peers/selection.ts';

const request = { conn: { remoteAddr: '10.1.2.3' }, log() {} } as unknown as Request;
const peer = (port: number, options: Partial<ServerOptions> = {}) =>
  new Peer({ name: `127.0.0.1:${port}`, host: '127.0.0.1', port, path: '' }, `127.0.0.1:${port}`, { ...DEFAULT_SERVER, ...options });

function set(peers: Peer[], method: Method = { kind: 'round_robin' }): PeerSet {
  const made = new PeerSet(method);
  made.replace(
    peers.filter((p) => !p.options.backup),
    peers.filter((p) => p.options.backup),
  );
  return made;
}

function draw(peers: PeerSet, count: number): string {
  return Array.from({ length: count }, () => {
    const selection = new Selection(peers, request);
    const chosen = selection.get();
    if (chosen) selection.free(chosen, 'ok');
    return chosen ? String(chosen.address.port) : '-';
  }).join(' ');
}

describe('front balancing', () => {
  test('spreads requests smoothly by weight', () => expect(draw(set([peer(1, { weight: 3 }), peer(2)]), 8)).toBe('1 1 2 1 1 1 2 1'));

  test('a failed peer is skipped, the next attempt uses another, and backups are used last', () => {
    const peers = set([peer(1), peer(2), peer(3, { backup: true })]);
    const selection = new Selection(peers, request);
    const first = selection.get()!;
    selection.free(first, 'failed');
    const second = selection.get()!;
    selection.free(second, 'failed');
    expect([first.address.port, second.address.port, selection.get()?.address.port, selection.get()]).toEqual([1, 2, 3, null]);
    expect(draw(peers, 2)).toBe('3 3');
  });

  test('obeys max_conns and down', () => {
    const peers = set([peer(1, { maxConns: 1 }), peer(2, { down: true })]);
    const held = new Selection(peers, request).get();
    expect(held?.address.port).toBe(1);
    expect(new Selection(peers, request).get()).toBeNull();
  });

  test('hashes are stable and consistent hashing moves few keys', () => {
    const keyed = (key: string, consistent: boolean): Method => ({ kind: 'hash', key: () => key, consistent });
    for (const consistent of [false, true]) {
      const place = (ports: number[], key: string) =>
        draw(
          set(
            ports.map((p) => peer(p)),
            keyed(key, consistent),
          ),
          1,
        );
      const keys = Array.from({ length: 200 }, (_, n) => `key${n}`);
      expect(keys.map((k) => place([1, 2, 3], k))).toEqual(keys.map((k) => place([1, 2, 3], k)));
      const moved = keys.filter((k) => place([1, 2, 3, 4], k) !== place([1, 2, 3], k)).length;
      if (consistent) expect(moved).toBeLessThan(90);
      else expect(moved).toBeGreaterThan(90);
    }
  });

  test('least_conn selects the peer with the fewest connections', () => {
    const [a, b] = [peer(1), peer(2)];
    const peers = set([a, b], { kind: 'least_conn' });
    a.conns = 2;
    expect(draw(peers, 2)).toBe('2 2');
  });
});
