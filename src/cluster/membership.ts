// Members of the cluster: each node renews a key of its own, and the manager also renews a key that only one node can create. Keys expire
// unless renewed. Safety never depends on membership, because the logs check every decision again.
import type { KV } from '@nats-io/kv';

/** What the nodes of a cluster publish about themselves. */
export interface NodeInfo {
  readonly id: string;
  readonly name: string;
  /** Different for each start of a node. */
  readonly session: string;
  /** host:port for the other nodes. */
  readonly transportAddress: string;
  /** host:port of the REST API. */
  readonly publishAddress: string;
  readonly startedMs: number;
  /** Last entry of the metadata log that the node has applied. */
  readonly metadataPosition: number;
  readonly pid: number;
  readonly heapPercent: number;
  readonly cpuPercent: number;
  readonly ramPercent: number;
  readonly load: readonly number[];
}

/** Keys expire after this time. */
const KEY_TTL_MS = 3000;
const RENEWAL_MS = 500;
/** A node that has not renewed its key for this long counts as gone. */
const NODE_GONE_MS = 2500;
const NODE_PREFIX = 'node.';
const MANAGER = 'manager';

export interface MembershipEvents {
  /** A node joined or left, or the manager changed. */
  changed(): void;
  /** Another node uses this node's id. */
  duplicate(other: NodeInfo): void;
}

export class Membership {
  /** Keys of the bucket expire after this time. */
  static readonly ttlMs = KEY_TTL_MS;
  readonly #bucket: KV;
  readonly #self: () => NodeInfo;
  readonly #events: MembershipEvents;
  readonly #nodes = new Map<string, { info: NodeInfo; seenMs: number }>();
  #manager: { id: string; seenMs: number } | null = null;
  /** Revision of the manager's key; null: this node is not the manager. */
  #revision: number | null = null;
  #confirmedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #shown = '';
  #isStopped = false;

  constructor(bucket: KV, self: () => NodeInfo, events: MembershipEvents) {
    this.#bucket = bucket;
    this.#self = self;
    this.#events = events;
  }

  /** Live nodes including this one, by name. */
  get nodes(): NodeInfo[] {
    const self = this.#self();
    const others = [...this.#nodes.values()].filter(({ info, seenMs }) => info.id !== self.id && !isOld(seenMs, NODE_GONE_MS));
    return [self, ...others.map(({ info }) => info)].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1));
  }

  /** Id of the manager; null if none is known. */
  get manager(): string | null {
    return this.#manager !== null && !isOld(this.#manager.seenMs, KEY_TTL_MS) ? this.#manager.id : null;
  }

  get isManager(): boolean {
    return this.#revision !== null && !isOld(this.#confirmedMs, KEY_TTL_MS);
  }

  /** Time since the last renewal of this node's key was confirmed. */
  get silentMs(): number {
    return performance.now() - this.#confirmedMs;
  }

  async start(): Promise<void> {
    // JetStream answered a moment ago.
    this.#confirmedMs = performance.now();
    this.#watch();
    await this.#renew();
  }

  /** Takes this node out of the cluster. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const { id } = this.#self();
    if (this.#revision !== null) await this.#bucket.delete(MANAGER, { previousSeq: this.#revision }).catch(() => undefined);
    this.#revision = null;
    await this.#bucket.delete(NODE_PREFIX + id).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    const sentMs = performance.now();
    const self = this.#self();
    try {
      await this.#bucket.put(NODE_PREFIX + self.id, JSON.stringify(self));
      await this.#renewManager(self.id);
      this.#confirmedMs = sentMs;
    } catch {
      // `silentMs` grows until a renewal is confirmed.
    }
    if (this.#isStopped) return;
    this.#notice();
    this.#timer = setTimeout(() => this.#renew(), RENEWAL_MS);
  }

  async #renewManager(id: string): Promise<void> {
    if (this.#revision !== null) {
      const revision = this.#revision;
      // The key is lost if another node has become the manager; otherwise it is created again.
      this.#revision = await this.#bucket.update(MANAGER, id, revision).catch(() => null);
    } else if (this.manager === null) {
      this.#revision = await this.#bucket.create(MANAGER, id).catch(() => null);
    }
    if (this.#revision !== null) this.#manager = { id, seenMs: performance.now() };
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      try {
        for await (const { key, operation, value } of await this.#bucket.watch()) {
          if (this.#isStopped) return;
          this.#onKey(key, operation === 'PUT' ? Buffer.from(value).toString() : null);
        }
      } catch {
        // Retried below.
      }
      await new Promise((resolve) => setTimeout(resolve, RENEWAL_MS).unref());
    }
  }

  #onKey(key: string, value: string | null): void {
    if (key === MANAGER) this.#manager = value === null ? null : { id: value, seenMs: performance.now() };
    else if (value === null) this.#nodes.delete(key.slice(NODE_PREFIX.length));
    else this.#onNode(JSON.parse(value) as NodeInfo);
    this.#notice();
  }

  #onNode(info: NodeInfo): void {
    const self = this.#self();
    // A key from a previous session of the node expires.
    const before = this.#nodes.get(info.id);
    if (info.id === self.id && info.session !== self.session && before?.info.session === info.session) this.#events.duplicate(info);
    this.#nodes.set(info.id, { info, seenMs: performance.now() });
  }

  #notice(): void {
    const shown = JSON.stringify([this.nodes.map(({ id, session }) => [id, session]), this.manager, this.isManager]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#events.changed();
  }
}

function isOld(seenMs: number, maxMs: number): boolean {
  return performance.now() - seenMs > maxMs;
}
