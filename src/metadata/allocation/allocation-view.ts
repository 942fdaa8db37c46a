// What the rules of allocation say about copies of an index on each node at a moment, to explain it and to check what operators ask for.
import type { CopyRouting, ShardRouting } from '../copy-routing.ts';
import { ClusterLoad } from './cluster-load.ts';
import { type Candidate, Deciders, type Refusal } from './deciders.ts';
import type { AllocationIndex, AllocationInput } from './routing.ts';
import { allocationRules, indexRules } from './rules.ts';

export class AllocationView {
  readonly #load: ClusterLoad;
  readonly #deciders: Deciders;

  constructor({ nodes, indices, settings }: Omit<AllocationInput, 'nowMs'>) {
    const rules = allocationRules(settings);
    this.#load = new ClusterLoad(nodes, indices, rules);
    this.#deciders = new Deciders(rules, this.#load);
    for (const index of indices) for (const { routing, bytes } of index.shards) this.#load.count(index, bytes, routing);
  }

  /** Why a copy may not be assigned to a node; null if it may. @param without  a copy that would leave its node for it */
  refusal(index: AllocationIndex, routing: ShardRouting, node: string, without: CopyRouting | null): Refusal | null {
    const at = this.#load.at.get(node);
    if (at === undefined) return { decider: 'node_left', explanation: `node [${node}] is not in the cluster`, isThrottled: false };
    const candidate = this.#candidate(index, routing, null);
    const sameShard = this.#deciders.fits(candidate, at);
    if (sameShard?.decider === 'same_shard') return sameShard;
    const moved = without === null ? candidate : this.#candidate(index, routing, without);
    return this.#deciders.enable(moved) ?? this.#deciders.allocate(moved, at);
  }

  /** Why a copy has to leave its node; null if it may remain. */
  mustLeave(index: AllocationIndex, routing: ShardRouting, copy: CopyRouting): Refusal | null {
    const at = this.#load.at.get(copy.node);
    return at === undefined ? null : this.#deciders.remain(this.#candidate(index, routing, copy), at);
  }

  #candidate({ uuid, weight, settings, replicas, shards }: AllocationIndex, routing: ShardRouting, without: CopyRouting | null): Candidate {
    const { primary, copies } = routing;
    const bytes = shards[0].bytes;
    return {
      uuid,
      weight,
      rules: indexRules(settings),
      bytes,
      others: copies.filter(({ node }) => node !== without?.node),
      copies: 1 + replicas,
      source: primary === null ? null : (this.#load.at.get(primary) ?? null),
      isEmpty: bytes === 0,
    };
  }
}
