// Whether a copy may be allocated to a node, and may remain there. Each decider has the name and the meaning of Elasticsearch's.
import type { CopyRouting } from '../copy-routing.ts';
import type { ClusterLoad } from './cluster-load.ts';
import type { AllocationNode } from './routing.ts';
import { type AllocationRules, excludingFilter, type IndexRules } from './rules.ts';

/** Why a copy may not be on a node. */
export interface Refusal {
  readonly decider: string;
  readonly explanation: string;
  /** It may be later, when recoveries have ended. */
  readonly isThrottled: boolean;
}

/** A copy that looks for a node. */
export interface Candidate {
  readonly uuid: string;
  /** What it counts in limits. */
  readonly weight: number;
  readonly rules: IndexRules;
  readonly bytes: number;
  /** The other copies of its shard. */
  readonly others: readonly CopyRouting[];
  /** Intended number of copies of its shard, the primary included. */
  readonly copies: number;
  /** Node with the primary, from which it is filled; null if the copy is the first one of its shard. */
  readonly source: number | null;
  /** The shard has no data yet. */
  readonly isEmpty: boolean;
}

function no(decider: string, explanation: string): Refusal {
  return { decider, explanation, isThrottled: false };
}

/** Decides for one state of the cluster; the load changes as copies are assigned. */
export class Deciders {
  readonly #rules: AllocationRules;
  readonly #load: ClusterLoad;
  /** Values of each awareness attribute, of live nodes and forced ones. */
  readonly #zones: ReadonlyArray<{ readonly attribute: string; readonly count: number }>;

  constructor(rules: AllocationRules, load: ClusterLoad) {
    this.#rules = rules;
    this.#load = load;
    this.#zones = rules.awareness.map(({ attribute, forced }) => {
      const values = load.nodes.flatMap(({ attributes }) => attributes[attribute] ?? []);
      return { attribute, count: new Set([...values, ...forced]).size };
    });
  }

  /** Why no new copy may be assigned anywhere; null if it may. */
  enable({ rules, source, isEmpty }: Candidate): Refusal | null {
    for (const [name, enable] of [
      ['index.routing.allocation.enable', rules.enable],
      ['cluster.routing.allocation.enable', this.#rules.enable],
    ]) {
      const isAllowed = enable === 'all' || (source === null && (enable === 'primaries' || (enable === 'new_primaries' && isEmpty)));
      if (!isAllowed) return no('enable', `[${name}] is [${enable}]`);
    }
    return null;
  }

  /** Whether a copy may be assigned to a node; null if it may. */
  allocate(candidate: Candidate, at: number): Refusal | null {
    return this.fits(candidate, at) ?? this.#disk(candidate, at) ?? this.#throttle(candidate, at);
  }

  /** As `allocate`, without what only concerns new copies. */
  fits(candidate: Candidate, at: number, isThere = false): Refusal | null {
    const node = this.#load.nodes[at];
    return (
      this.#sameShard(candidate, node) ??
      this.#filter(candidate, node) ??
      this.#shardsLimit(candidate, at, isThere) ??
      this.#awareness(candidate, node)
    );
  }

  /** Why a copy has to leave a node; null if it may remain. */
  remain(candidate: Candidate, at: number): Refusal | null {
    const refusal = this.fits(candidate, at, true);
    if (refusal !== null) return refusal;
    const { disk } = this.#load.nodes[at];
    if (!this.#rules.isDiskChecked || disk === null) return null;
    // Copies that are leaving have not freed their space yet, but will.
    if (Math.max(disk.freeBytes, this.#load.freeBytes(at)) >= this.#rules.high(disk.totalBytes)) return null;
    return no('disk_threshold', 'the disk of the node has less free space than [cluster.routing.allocation.disk.watermark.high] requires');
  }

  #sameShard({ others }: Candidate, node: AllocationNode): Refusal | null {
    if (others.some((copy) => copy.node === node.id)) return no('same_shard', 'a copy of this shard is already allocated to this node');
    if (!this.#rules.isOnePerHost) return null;
    const isOnHost = others.some((copy) => this.#nodeOf(copy)?.host === node.host);
    return isOnHost ? no('same_shard', `a copy of this shard is already allocated to host [${node.host}]`) : null;
  }

  #nodeOf({ node }: CopyRouting): AllocationNode | undefined {
    const at = this.#load.at.get(node);
    return at === undefined ? undefined : this.#load.nodes[at];
  }

  #filter({ rules }: Candidate, node: AllocationNode): Refusal | null {
    const setting = excludingFilter(this.#rules.filters, node) ?? excludingFilter(rules.filters, node);
    return setting === null ? null : no('filter', `node does not match [${setting}]`);
  }

  /** @param isThere  the node has the copy, and counts it */
  #shardsLimit({ uuid, rules, weight }: Candidate, at: number, isThere: boolean): Refusal | null {
    const own = isThere ? weight : 0;
    const inIndex = this.#load.countOf(at, uuid) - own;
    if (rules.shardsPerNode > 0 && inIndex + weight > rules.shardsPerNode)
      return no(
        'shards_limit',
        `too many shards [${inIndex}] allocated to this node for index, index setting [index.routing.allocation.total_shards_per_node=${rules.shardsPerNode}]`,
      );
    const all = this.#load.counts[at] - own;
    const limit = this.#rules.shardsPerNode;
    if (limit <= 0 || all + weight <= limit) return null;
    return no(
      'shards_limit',
      `too many shards [${all}] allocated to this node, cluster setting [cluster.routing.allocation.total_shards_per_node=${limit}]`,
    );
  }

  #awareness({ others, copies }: Candidate, node: AllocationNode): Refusal | null {
    for (const { attribute, count } of this.#zones) {
      const zone = node.attributes[attribute];
      if (zone === undefined)
        return no('awareness', `node does not contain the awareness attribute [${attribute}]; required attributes cluster setting`);
      const most = Math.ceil(copies / count);
      const there = others.filter((copy) => this.#nodeOf(copy)?.attributes[attribute] === zone).length;
      if (there >= most)
        return no(
          'awareness',
          `there are [${copies}] copies of this shard and [${count}] values for attribute [${attribute}] and so there may be at most [${most}] copies of this shard allocated to nodes with each value, but (including this copy) there would be [${there + 1}] copies allocated to nodes with [node.attr.${attribute}: ${zone}]`,
        );
    }
    return null;
  }

  #disk({ bytes, source, isEmpty }: Candidate, at: number): Refusal | null {
    const { disk } = this.#load.nodes[at];
    if (!this.#rules.isDiskChecked || disk === null || (source === null && isEmpty)) return null;
    const free = this.#load.freeBytes(at);
    if (free < this.#rules.low(disk.totalBytes))
      return no('disk_threshold', 'the node is above the low watermark [cluster.routing.allocation.disk.watermark.low]');
    if (free - bytes < this.#rules.high(disk.totalBytes))
      return no('disk_threshold', 'allocating the shard to this node would bring it above the high watermark');
    return null;
  }

  /** A copy without a source is filled from JetStream alone, or is empty. */
  #throttle({ source, isEmpty }: Candidate, at: number): Refusal | null {
    if (isEmpty && source === null) return null;
    const { incomingRecoveries, outgoingRecoveries } = this.#rules;
    const throttled = (which: string) => ({
      decider: 'throttling',
      explanation: `reached the limit of ${which} shard recoveries`,
      isThrottled: true,
    });
    if (this.#load.incoming[at] >= incomingRecoveries) return throttled('incoming');
    return source !== null && this.#load.outgoing[source] >= outgoingRecoveries ? throttled('outgoing') : null;
  }
}
