// Nodes that renew their keys, refresh and catch up, in virtual time and under faults: the membership, the lease of reads and what waits for other nodes are
// the real ones. Needs fake timers, with hrtime.
import type { KvEntry } from '@nats-io/kv';
import { type MemberBucket, Membership, type NodeInfo } from '../../src/cluster/membership.ts';
import type { PeerClient } from '../../src/cluster/peers.ts';
import { ReadLease } from '../../src/cluster/read-lease.ts';
import { processClockMs } from '../../src/common/process-clock.ts';
import { ApiError } from '../../src/errors/api-error.ts';
import type { ClusterState } from '../../src/metadata/cluster-state.ts';
import { CatchUp } from '../../src/node/cluster/catch-up.ts';
import { OtherNodes } from '../../src/node/cluster/other-nodes.ts';
import type { Rng } from './rng.ts';

export type MemberMistake = 'none' | 'asks the nodes that it has heard of' | 'reads before it has caught up' | 'reads while others go on';

const REQUEST_MS = 2000;
const UUID = 'index';
const STATE = {
  indices: { i: { uuid: UUID, state: 'open', settings: { 'index.number_of_shards': '1' } } },
} as unknown as ClusterState;

type Entry = Pick<KvEntry, 'key' | 'operation' | 'value' | 'revision'>;

export class MemberWorld {
  readonly rng: Rng;
  readonly mistake: MemberMistake;
  readonly problems: string[] = [];
  readonly entries = new Map<string, Entry>();
  readonly members: Member[];
  revision = 0;
  /** Number of the last acknowledged write. */
  written = 0;
  /** The last write that an ended refresh has made searchable. */
  refreshed = 0;
  refreshes = 0;
  /** Checks of a copy that may be read, and of one that may not. */
  readable = 0;
  unreadable = 0;

  constructor(rng: Rng, mistake: MemberMistake) {
    this.rng = rng;
    this.mistake = mistake;
    this.members = [1, 2, 3].map((number) => new Member(this, `n${number}`));
  }

  /** @param advance  lets virtual time pass */
  async run(steps: number, advance: (ms: number) => Promise<unknown>): Promise<readonly string[]> {
    const { rng, members } = this;
    for (const member of members) member.start();
    for (let step = 0; step < steps && this.problems.length === 0; step++) {
      await advance(rng.int(1, 150));
      this.written++;
      const member = rng.pick(members);
      if (rng.bool(0.3)) member.refresh();
      if (rng.bool(0.03)) member.isCut = true;
      else if (rng.bool(0.1)) member.heal();
      if (rng.bool(0.02)) member.stall();
      for (const each of members) this.#check(each);
    }
    for (const member of members) await this.#stop(member, advance);
    return this.problems;
  }

  async #stop(member: Member, advance: (ms: number) => Promise<unknown>): Promise<void> {
    const stopped = member.stop();
    await advance(3 * REQUEST_MS);
    await stopped;
  }

  #check({ id, lease, searchable }: Member): void {
    if (processClockMs() >= new Float64Array(lease.shared)[0]) this.unreadable++;
    else {
      this.readable++;
      if (searchable < this.refreshed) this.problems.push(`${id} is read, has ${searchable}, refreshed is ${this.refreshed}`);
    }
  }

  /** Stores a key, and tells the subscriptions. */
  put(key: string, operation: KvEntry['operation'], value: Uint8Array): number {
    const entry = { key, operation, value, revision: ++this.revision };
    this.entries.set(key, entry);
    for (const member of this.members) member.deliver(entry);
    return entry.revision;
  }
}

class Member {
  readonly id: string;
  readonly #world: MemberWorld;
  readonly lease: ReadLease;
  readonly membership: Membership;
  readonly #others: OtherNodes;
  readonly #catchUp: CatchUp;
  /** The last write that searches of this node find. */
  searchable = 0;
  /** Nothing reaches this node, and nothing leaves it. */
  isCut = false;
  #isStalled = false;
  #isLeaving = false;
  #inbox: Entry[] = [];
  #wake: () => void = () => undefined;

  constructor(world: MemberWorld, id: string) {
    this.#world = world;
    this.id = id;
    this.lease = new ReadLease(world.mistake === 'reads while others go on' ? 4000 : 0);
    const info = () => ({ id, name: id, session: id, transportAddress: id }) as NodeInfo;
    this.membership = new Membership(this.#bucket(), () => this.#ask(() => [...world.entries.keys()]), info, {
      changed: () => undefined,
      duplicate: () => undefined,
      renewed: (sentMs, confirmedMs) => {
        if (this.lease.renewed(sentMs, confirmedMs)) return;
        if (world.mistake === 'reads before it has caught up') this.lease.caughtUp(this.lease.lapses);
        this.#catchUp.start();
      },
    });
    const live = { live: async () => this.membership.nodes.filter((node) => node.id !== id) };
    const heard = new Proxy(this.membership, { get: (target, name) => Reflect.get(name === 'live' ? live : target, name, target) });
    this.#others = new OtherNodes({
      client: { ask: (address: string) => this.#askPeer(address) } as unknown as PeerClient,
      membership: () => (world.mistake === 'asks the nodes that it has heard of' ? heard : this.membership),
      isLeaving: () => this.#isLeaving,
    });
    this.#catchUp = new CatchUp(this.lease, {
      node: () => ({ state: () => STATE, askShard: () => this.applyAll() }),
      metadata: () => this.#ask(() => undefined),
      isLeaving: () => this.#isLeaving,
    });
  }

  start(): void {
    void this.membership.start();
  }

  async stop(): Promise<void> {
    this.#isLeaving = true;
    this.heal();
    await this.membership.stop();
  }

  /** Ends all faults. */
  heal(): void {
    this.isCut = false;
    this.#isStalled = false;
    this.#wake();
  }

  /** The server that delivers keys to this node is lost. */
  stall(): void {
    this.#isStalled = true;
  }

  deliver(entry: Entry): void {
    this.#inbox.push(entry);
    this.#wake();
  }

  refresh(): void {
    const { written } = this.#world;
    const run = async () => {
      await this.applyAll();
      await this.#others.askReadable({ kind: 'refresh', uuid: UUID, shard: 0 }, () => !this.#isLeaving);
      if (this.#isLeaving) return;
      this.#world.refreshed = Math.max(this.#world.refreshed, written);
      this.#world.refreshes++;
    };
    run().catch(() => undefined);
  }

  /** Applies and refreshes what was acknowledged before the call. */
  async applyAll(): Promise<null> {
    const written = await this.#ask(() => this.#world.written);
    await later(this.#world.rng);
    this.searchable = Math.max(this.searchable, written);
    return null;
  }

  async #askPeer(address: string): Promise<null> {
    const peer = this.#world.members.find(({ id }) => id === address);
    await later(this.#world.rng);
    if (peer === undefined || peer.isCut || this.isCut) throw new ApiError('node_disconnected_exception', 503, 'cut');
    return peer.applyAll();
  }

  /** Asks the server. Of a request without an answer nobody knows whether it was carried out. */
  async #ask<T>(answer: () => T): Promise<T> {
    const { rng } = this.#world;
    await later(rng);
    const wasCut = this.isCut;
    const result = wasCut && rng.bool() ? undefined : answer();
    await later(rng);
    if (!wasCut && !this.isCut) return result as T;
    await new Promise((resolve) => setTimeout(resolve, REQUEST_MS));
    throw new ApiError('unavailable_shards_exception', 503, 'timeout');
  }

  #bucket(): MemberBucket {
    const { entries } = this.#world;
    const put = (key: string, value: Uint8Array | string, revision: number | null, operation: KvEntry['operation'] = 'PUT') =>
      this.#ask(() => {
        const found = entries.get(key);
        const last = found === undefined || (revision === 0 && found.operation !== 'PUT') ? 0 : found.revision;
        if (revision !== null && last !== revision) throw new Error('wrong last sequence');
        return this.#world.put(key, operation, Buffer.from(value));
      });
    const bucket: Partial<MemberBucket> = {
      put: (key, value) => put(key, value as string, null),
      update: (key, value, revision) => put(key, value as string, revision),
      create: (key, value) => put(key, value as string, 0),
      delete: async (key) => void (await put(key, '', null, 'DEL')),
      get: (key) => this.#ask(() => (entries.get(key) as KvEntry | undefined) ?? null),
      watch: (async () => this.#watch()) as unknown as MemberBucket['watch'],
    };
    return bucket as MemberBucket;
  }

  async *#watch(): AsyncGenerator<Entry> {
    while (!this.#isLeaving) {
      const next = this.#isStalled || this.isCut ? undefined : this.#inbox.shift();
      if (next !== undefined) yield next;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

async function later(rng: Rng): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, rng.int(0, 20)));
}
