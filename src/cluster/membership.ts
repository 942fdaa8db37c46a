// Members of the cluster: each node renews a key of its own, and the manager also renews a key that only one node can create. Keys expire
// unless renewed. Writes never depend on membership, because the logs check every decision again; which nodes a refresh waits for does (read-lease.ts).
import type { KV, KvEntry } from '@nats-io/kv';
import { processClockMs } from '../common/process-clock.ts';
import { SharedCall } from '../common/shared-call.ts';
import { NODE_GONE_MS } from './read-lease.ts';

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
  /** Settings `node.attr.*`; absent in nodes of versions without them. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Of the data; null if it is not known. */
  readonly disk?: { readonly totalBytes: number; readonly freeBytes: number } | null;
}

/** Keys expire after this time. */
const KEY_TTL_MS = 3000;
const RENEWAL_MS = 500;
/** The subscription may be late: after this time the key of a node is read. */
const UNSEEN_MS = 1500;
const NODE_PREFIX = 'node.';
const MANAGER = 'manager';

export interface MembershipEvents {
  /** A node joined or left, or the manager changed. */
  changed(): void;
  /** Another node uses this node's id. */
  duplicate(other: NodeInfo): void;
  /** The key of this node was renewed. Times are of processClockMs. */
  renewed(sentMs: number, confirmedMs: number): void;
}

/** The part of a key-value bucket that is needed here. */
export type MemberBucket = Pick<KV, 'put' | 'update' | 'create' | 'delete' | 'get' | 'watch'>;

interface Seen {
  readonly info: NodeInfo;
  readonly revision: number;
  /** When this revision was seen first. */
  readonly seenMs: number;
}

export class Membership {
  /** Keys of the bucket expire after this time. */
  static readonly ttlMs = KEY_TTL_MS;
  readonly #bucket: MemberBucket;
  readonly #keys: () => Promise<readonly string[]>;
  readonly #live = new SharedCall(() => this.#readLive());
  readonly #self: () => NodeInfo;
  readonly #events: MembershipEvents;
  readonly #nodes = new Map<string, Seen>();
  #manager: { readonly id: string; readonly revision: number; readonly seenMs: number } | null = null;
  /** Revision of the manager's key; null: this node is not the manager. */
  #revision: number | null = null;
  #confirmedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #shown = '';
  #readingUnseen: Promise<void> | null = null;
  #isStopped = false;

  /** @param keys  all keys of the bucket, as its leader knows them */
  constructor(bucket: MemberBucket, keys: () => Promise<readonly string[]>, self: () => NodeInfo, events: MembershipEvents) {
    this.#bucket = bucket;
    this.#keys = keys;
    this.#self = self;
    this.#events = events;
  }

  /** Live nodes including this one, by name, as far as this node has heard of them. */
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
    return processClockMs() - this.#confirmedMs;
  }

  /**
   * The other nodes whose copies may be read at any time from this call on, unless they join or return later: these catch up first.
   * @throws ApiError it is not known
   */
  live(): Promise<readonly NodeInfo[]> {
    return this.#live.run();
  }

  async #readLive(): Promise<readonly NodeInfo[]> {
    const own = NODE_PREFIX + this.#self().id;
    const keys = (await this.#keys()).filter((key) => key.startsWith(NODE_PREFIX) && key !== own);
    const infos = await Promise.all(keys.map((key) => this.#readNode(key)));
    return infos.filter((info) => info !== null);
  }

  /** @returns null: its key has expired, or was not renewed for NODE_GONE_MS, which a subscription alone cannot tell */
  async #readNode(key: string): Promise<NodeInfo | null> {
    const known = this.#nodes.get(key.slice(NODE_PREFIX.length));
    if (known !== undefined && !isOld(known.seenMs, NODE_GONE_MS)) return known.info;
    const entry = await this.#bucket.get(key);
    if (entry?.operation !== 'PUT') return null;
    if (known?.revision === entry.revision) return null;
    this.#onEntry(entry);
    return JSON.parse(Buffer.from(entry.value).toString()) as NodeInfo;
  }

  async start(): Promise<void> {
    // JetStream answered a moment ago.
    this.#confirmedMs = processClockMs();
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
    const self = this.#self();
    await Promise.all([this.#renewNode(self), this.#renewManager(self.id)]);
    if (this.#isStopped) return;
    this.#notice();
    this.#readingUnseen ??= this.#readUnseen()
      .catch(() => undefined)
      .finally(() => {
        this.#readingUnseen = null;
      });
    this.#timer = setTimeout(() => this.#renew(), RENEWAL_MS);
  }

  async #renewNode(self: NodeInfo): Promise<void> {
    const sentMs = processClockMs();
    try {
      await this.#bucket.put(NODE_PREFIX + self.id, JSON.stringify(self));
    } catch {
      // `silentMs` grows until a renewal is confirmed.
      return;
    }
    this.#confirmedMs = sentMs;
    this.#events.renewed(sentMs, processClockMs());
  }

  async #renewManager(id: string): Promise<void> {
    if (this.#revision !== null) {
      const revision = this.#revision;
      // The key is lost if another node has become the manager; otherwise it is created again.
      this.#revision = await this.#bucket.update(MANAGER, id, revision).catch(() => null);
    } else if (this.manager === null) {
      this.#revision = await this.#bucket.create(MANAGER, id).catch(() => null);
    }
    if (this.#revision !== null) this.#manager = { id, revision: this.#revision, seenMs: processClockMs() };
  }

  /** The server that delivers the keys may be lost, and to replace it takes some seconds. */
  async #readUnseen(): Promise<void> {
    const { id: own } = this.#self();
    const nodes = [...this.#nodes].flatMap(([id, { seenMs }]) => (id !== own && isOld(seenMs, UNSEEN_MS) ? [NODE_PREFIX + id] : []));
    const isManagerUnseen = this.#revision === null && this.#manager !== null && isOld(this.#manager.seenMs, UNSEEN_MS);
    for (const key of isManagerUnseen ? [...nodes, MANAGER] : nodes) {
      const entry = await this.#bucket.get(key);
      if (entry !== null) this.#onEntry(entry);
    }
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      try {
        for await (const entry of await this.#bucket.watch()) {
          if (this.#isStopped) return;
          this.#onEntry(entry);
        }
      } catch {
        // Retried below.
      }
      await new Promise((resolve) => setTimeout(resolve, RENEWAL_MS).unref());
    }
  }

  /** Entries that are older than what is known, and those that come twice, change nothing. */
  #onEntry({ key, operation, value, revision }: Pick<KvEntry, 'key' | 'operation' | 'value' | 'revision'>): void {
    const text = operation === 'PUT' ? Buffer.from(value).toString() : null;
    const id = key.slice(NODE_PREFIX.length);
    const known = key === MANAGER ? this.#manager : this.#nodes.get(id);
    if (known !== null && known !== undefined && known.revision >= revision) return;
    if (key === MANAGER) this.#manager = text === null ? null : { id: text, revision, seenMs: processClockMs() };
    else if (text === null) this.#nodes.delete(id);
    else this.#onNode(JSON.parse(text) as NodeInfo, revision);
    this.#notice();
  }

  #onNode(info: NodeInfo, revision: number): void {
    const self = this.#self();
    // A key from a previous session of the node expires.
    const before = this.#nodes.get(info.id);
    if (info.id === self.id && info.session !== self.session && before?.info.session === info.session) this.#events.duplicate(info);
    this.#nodes.set(info.id, { info, revision, seenMs: processClockMs() });
  }

  #notice(): void {
    const shown = JSON.stringify([this.nodes.map(({ id, session }) => [id, session]), this.manager, this.isManager]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#events.changed();
  }
}

function isOld(seenMs: number, maxMs: number): boolean {
  return processClockMs() - seenMs > maxMs;
}
