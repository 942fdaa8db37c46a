// Active health checks of a group's peers: rounds of probes, and the state that follows from consecutive results. The probes are in the
// modules: http/modules/backends/health-check.ts and stream/proxy/health-check.ts.
import { parseTimeMs } from '../../../config/values.ts';
import { type ErrorLog, logTo } from '../../../log/error-log.ts';
import { loop } from '../../../zone/memory.ts';
import type { BlockFrame } from '../../config/module.ts';
import type { BlockMain } from '../../model/types.ts';
import type { UpstreamGroup } from './group.ts';
import type { Peer } from './peer.ts';

/** Parameters that checks of all kinds have. */
export interface HealthCheck {
  intervalMs: number;
  jitterMs: number;
  /** consecutive bad and good results that change the state */
  fails: number;
  passes: number;
  /** port to probe, 0 for the peer's own */
  port: number;
  /** A peer is used only after it has passed a check... */
  mandatory: boolean;
  /** ... unless it existed before a reload. */
  persistent: boolean;
  /** name of a `match` block, '' for none */
  match: string;
}

export const DEFAULT_CHECK: HealthCheck = {
  ...{ intervalMs: 5000, jitterMs: 0, fails: 1, passes: 1, port: 0 },
  ...{ mandatory: false, persistent: false, match: '' },
};

/** Reads a parameter of `health_check`. @returns false if it is not a parameter that all kinds have */
export function readCheckParameter(f: BlockFrame, check: HealthCheck, word: string): boolean {
  const [name, value] = splitParameter(word);
  const count = (): number => (/^[1-9]\d{0,4}$/.test(value) ? Number(value) : f.invalid(word));
  if (name === 'interval') check.intervalMs = parseTimeMs(value) || f.invalid(word);
  else if (name === 'jitter') check.jitterMs = parseTimeMs(value) ?? f.invalid(word);
  else if (name === 'fails') check.fails = count();
  else if (name === 'passes') check.passes = count();
  else if (name === 'port') check.port = count();
  else if (name === 'match' && value !== '') check.match = value;
  else if (word === 'mandatory') check.mandatory = true;
  else if (word === 'persistent') check.persistent = true;
  else return false;
  return true;
}

/** `name=value`; the value is '' without `=`. */
export function splitParameter(word: string): [name: string, value: string] {
  const at = word.indexOf('=');
  return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
}

/** Probes a peer. @param done  to be called once with the reason why it is unhealthy, '' if it is healthy */
type Probe = (peer: Peer, done: (why: string) => void) => void;

export class HealthChecker {
  /** Consecutive good results; negative for bad ones. */
  readonly #runs = new Map<Peer, number>();
  /** peers whose probe has not ended: the next one waits for it, so that results arrive in order */
  readonly #probed = new Set<Peer>();
  readonly #check: HealthCheck;
  readonly #group: UpstreamGroup;
  readonly #logs: readonly ErrorLog[];
  readonly #probe: Probe;

  constructor(check: HealthCheck, group: UpstreamGroup, logs: readonly ErrorLog[], probe: Probe) {
    this.#check = check;
    this.#group = group;
    this.#logs = logs;
    this.#probe = probe;
  }

  start(main: BlockMain): void {
    const group = this.#group;
    // The first event loop runs checks whose state all of them share.
    if (loop.index > 0 && group.explicit) return;
    if (this.#check.persistent && main.inherited.has(`upstream:${group.name.toLowerCase()}`))
      for (const peer of group.set.all()) this.#runs.set(peer, 0);
    this.#round();
  }

  #round(): void {
    const { intervalMs, jitterMs, mandatory } = this.#check;
    const peers = this.#group.set.all();
    for (const peer of this.#runs.keys()) if (!peers.includes(peer)) this.#runs.delete(peer);
    for (const peer of peers) {
      if (mandatory && !this.#runs.has(peer)) {
        this.#runs.set(peer, 0);
        this.#group.set.locked(() => (peer.unhealthy = true));
      }
      if (this.#probed.has(peer)) continue;
      this.#probed.add(peer);
      this.#probe(peer, (why) => {
        this.#probed.delete(peer);
        this.#note(peer, why);
      });
    }
    setTimeout(() => this.#round(), intervalMs + Math.floor(Math.random() * jitterMs)).unref();
  }

  #note(peer: Peer, why: string): void {
    const before = this.#runs.get(peer) ?? 0;
    const run = why === '' ? Math.max(1, before + 1) : Math.min(-1, before - 1);
    this.#runs.set(peer, run);
    if (run >= this.#check.passes) this.#mark(peer, false, '');
    else if (-run >= this.#check.fails) this.#mark(peer, true, why);
  }

  #mark(peer: Peer, unhealthy: boolean, why: string): void {
    if (peer.unhealthy === unhealthy) return;
    this.#group.set.locked(() => (peer.unhealthy = unhealthy));
    const text = unhealthy ? `peer is unhealthy while checking (${why})` : 'peer is healthy while checking';
    logTo(this.#logs, unhealthy ? 'warn' : 'info', `${text}, health check of peer ${peer.name} in upstream "${this.#group.name}"`);
  }
}
