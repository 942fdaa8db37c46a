// `upstream { }`: groups of servers, their balancing method, keepalive pool, stickiness and name resolution.
import { loop } from '../../../zone/memory.ts';
import { SharedTable } from '../../../zone/table.ts';
import { makeAddress, splitHostPort } from '../../config/addresses.ts';
import type { ResolverConf } from '../../model/resolver.ts';
import { Pool } from '../connection/connect.ts';
import { PEER_FIELDS, Peer, type ServerEntry, type TimeKind } from './peer.ts';
import { type Method, PeerSet } from './peer-set.ts';
import { NXDOMAIN, type ResolveError, resolverFor } from './resolver.ts';
import { lookUpEntry } from './service.ts';
import type { Sticky } from './sticky.ts';

const DEFAULT_KEEPALIVE = 32;
const MAX_SHARED_PEERS = 1024;

/** Rules of `upstream { }` in a kind of block. */
export interface GroupRules {
  /** 0: a server must name its port */
  defaultPort: number;
  /** parameters of `server` in addition to those of all blocks */
  serverWords: ReadonlySet<string>;
  /** words for times that balancing may consider, and the average that each uses */
  times: ReadonlyMap<string, TimeKind>;
}

/** A named or implicit group. */
export class UpstreamGroup {
  readonly entries: ServerEntry[] = [];
  method: Method = { kind: 'round_robin' };
  set!: PeerSet;
  pool: Pool;
  sticky: Sticky | null = null;
  zone = '';
  /** file that stores changes made by the api */
  state: string | null = null;
  /** a client that authenticates by NTLM keeps its own connection to a peer */
  ntlm = false;
  queue: { max: number; timeoutMs: number } | null = null;
  waiting: { run(): void; timer: NodeJS.Timeout }[] = [];
  resolver: ResolverConf | null = null;
  resolverTimeoutMs = 30_000;
  keepalive = { max: DEFAULT_KEEPALIVE, local: true };
  keepaliveExplicit = false;
  #nextId = 1;
  readonly #table: SharedTable | null;
  readonly #known = new Map<string, Peer>();

  constructor(
    readonly name: string,
    readonly explicit: boolean,
    zonePrefix: string,
    readonly rules: GroupRules = HTTP_RULES,
  ) {
    this.#table = explicit ? new SharedTable(`${zonePrefix}upstream:${name}`, MAX_SHARED_PEERS, PEER_FIELDS, false) : null;
    // only groups of the configuration keep idle connections by default
    this.pool = new Pool({ max: explicit ? DEFAULT_KEEPALIVE : 0, requests: 1000, timeMs: 3_600_000, timeoutMs: 60_000, local: true });
  }

  /** Creates the peers from the current addresses of the entries; peers that remain keep their state. */
  rebuild(): void {
    const primary: Peer[] = [];
    const backup: Peer[] = [];
    const seen = new Map<string, number>();
    for (const entry of this.entries) {
      // records of a lower priority are spares, like backup servers
      const best = Math.min(...entry.addresses.map((a) => a.priority));
      for (const { address, options, priority } of entry.addresses) {
        const base = `${address.name}|${entry.text}|${priority}`;
        const nth = (seen.get(base) ?? 0) + 1;
        seen.set(base, nth);
        const key = `${base}|${nth}`;
        let peer = this.#known.get(key);
        if (!peer) {
          const { id, row } = this.#rowOf(key);
          peer = new Peer(address, entry.service || entry.resolve ? address.name : entry.text, options, id, row ?? undefined, entry.text);
          this.#known.set(key, peer);
        } else peer.adjust(options);
        (options.backup || priority > best ? backup : primary).push(peer);
      }
    }
    this.set ??= new PeerSet(this.method, this.#table ?? undefined);
    this.set.replace(primary, backup);
    const alive = new Set([...primary, ...backup]);
    for (const [key, peer] of this.#known) if (!alive.has(peer)) this.#known.delete(key);
  }

  /** Memory for the state of a peer: shared by all event loops for groups of the configuration, while there is room. */
  #rowOf(key: string): { id: number; row: Float64Array | null } {
    const table = this.#table;
    const record = table ? table.locked(() => table.take(key)) : -1;
    if (!table || record < 0) return { id: MAX_SHARED_PEERS + this.#nextId++, row: null };
    return { id: record + 1, row: table.data.subarray(record * PEER_FIELDS, (record + 1) * PEER_FIELDS) };
  }

  /** State for the workers of the next configuration. */
  exportState(): unknown {
    return {
      table: this.#table?.exportState(),
      resolved: this.entries.filter((e) => e.resolve).map((e) => ({ text: e.text, service: e.service, addresses: e.addresses })),
      sticky: this.sticky?.exportState?.(),
    };
  }

  importState(state: unknown): void {
    const { table, resolved, sticky } = state as {
      table: Uint8Array;
      resolved: { text: string; service: string; addresses: ServerEntry['addresses'] }[];
      sticky: unknown;
    };
    for (const { text, service, addresses } of resolved) {
      const { defaultPort } = this.rules;
      const { host } = splitHostPort(text, defaultPort);
      const entry = this.entries.find((e) => e.resolve && e.service === service && splitHostPort(e.text, defaultPort).host === host);
      if (!entry) continue;
      const { port } = splitHostPort(entry.text, defaultPort);
      entry.addresses = addresses.map((a) => ({
        ...a,
        // the port of an SRV record is the service's, any other the configuration's, which may be new
        address: service === '' ? makeAddress(a.address.host, port) : a.address,
        options: { ...entry.options, weight: a.options.weight },
      }));
    }
    // only the loop that reads it first restores the state; rows are found by name, so the peers are created again
    if (loop.index === 0) {
      this.#table?.importState(table);
      if (sticky) this.sticky?.importState?.(sticky);
    }
    this.#known.clear();
    this.rebuild();
    for (const peer of this.set.all()) peer.settle();
  }

  /** Starts resolving the entries with `resolve`. */
  startResolving(): void {
    for (const entry of this.entries) if (entry.resolve) void this.#resolveEntry(entry);
  }

  async #resolveEntry(entry: ServerEntry): Promise<void> {
    if (!this.resolver) return;
    let again: number;
    try {
      const { found, ttlSeconds } = await lookUpEntry(entry, resolverFor(this.resolver), this.resolverTimeoutMs, this.rules.defaultPort);
      if (found.length > 0 || entry.service) this.#applyAddresses(entry, found);
      again = this.resolver.validMs ?? Math.max(1, ttlSeconds) * 1000;
    } catch (error) {
      if ((error as ResolveError).code === NXDOMAIN) this.#applyAddresses(entry, []);
      again = this.resolver.validMs ?? Math.min(this.resolverTimeoutMs, 5000);
    }
    setTimeout(() => void this.#resolveEntry(entry), Math.min(again, 2 ** 31 - 1)).unref();
  }

  #applyAddresses(entry: ServerEntry, found: ServerEntry['addresses']): void {
    const same =
      entry.addresses.length === found.length &&
      found.every(
        (f, n) =>
          f.address.name === entry.addresses[n].address.name &&
          f.options.weight === entry.addresses[n].options.weight &&
          f.priority === entry.addresses[n].priority,
      );
    if (same) return;
    entry.addresses = found;
    this.rebuild();
  }
}

export const HTTP_RULES: GroupRules = {
  defaultPort: 80,
  serverWords: new Set(['route', 'drain']),
  times: new Map([
    ['header', 'header'],
    ['last_byte', 'last_byte'],
  ]),
};
