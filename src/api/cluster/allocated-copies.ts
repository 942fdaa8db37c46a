// Allocated copies as `_cluster/allocation/explain` and `_cluster/reroute` see them: what the allocator of the cluster would read at this moment.
import { AllocationView } from '../../metadata/allocation/allocation-view.ts';
import { allocationIndices, clusterSettings } from '../../metadata/allocation/cluster-input.ts';
import type { Refusal } from '../../metadata/allocation/deciders.ts';
import type { AllocationIndex, AllocationNode } from '../../metadata/allocation/routing.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { routingOf } from '../../metadata/copies.ts';
import type { CopyRouting, ShardRouting } from '../../metadata/copy-routing.ts';
import type { ClusterNode } from '../core/cluster-node.ts';
import type { EngineContext } from '../core/context.ts';
import { addressOf } from './this-node.ts';

export class AllocatedCopies {
  readonly #view: AllocationView;
  readonly #indices: ReadonlyMap<string, AllocationIndex>;
  readonly #routing = new Map<string, ShardRouting>();

  constructor(ctx: EngineContext) {
    const { cluster } = ctx.whole;
    const nodes = ctx.nodes.map(allocationNode);
    const indices = allocationIndices(cluster, { nowMs: 0, nodes, bytes: new Map(), isEverywhere: false });
    this.#view = new AllocationView({ nodes, indices, settings: clusterSettings(cluster) });
    this.#indices = new Map(indices.map((index) => [index.uuid, index]));
    for (const { uuid } of indices) this.#routing.set(uuid, routingOf(cluster, uuid));
  }

  /** The copies of an index, with the changes of commands before. */
  routingOf({ uuid }: IndexMeta): ShardRouting {
    return this.#routing.get(uuid) ?? { primary: null, copies: [] };
  }

  change({ uuid }: IndexMeta, routing: ShardRouting): void {
    this.#routing.set(uuid, routing);
  }

  copyOn(meta: IndexMeta, node: string): CopyRouting | null {
    return this.routingOf(meta).copies.find((copy) => copy.node === node) ?? null;
  }

  /** Replicas that have no node. */
  missing(meta: IndexMeta): number {
    const replicas = this.#indices.get(meta.uuid)?.replicas ?? 0;
    return 1 + replicas - this.routingOf(meta).copies.filter(({ replaces }) => replaces === null).length;
  }

  /** Why a copy may not be assigned to a node; null if it may. @param without  a copy that would leave its node for it */
  refusal(meta: IndexMeta, node: string, without: CopyRouting | null): Refusal | null {
    const index = this.#indices.get(meta.uuid);
    if (index === undefined) return { decider: 'index_not_found', explanation: `no such index [${meta.name}]`, isThrottled: false };
    return this.#view.refusal(index, this.routingOf(meta), node, without);
  }

  /** Why a copy has to leave its node; null if it may remain. */
  mustLeave(meta: IndexMeta, copy: CopyRouting): Refusal | null {
    const index = this.#indices.get(meta.uuid);
    return index === undefined ? null : this.#view.mustLeave(index, this.routingOf(meta), copy);
  }
}

function allocationNode(node: ClusterNode): AllocationNode {
  const { id, name, attributes, disk, transportAddress, publishAddress } = node;
  return {
    id,
    name,
    host: addressOf({ publishAddress: transportAddress ?? publishAddress }).host,
    attributes: attributes ?? {},
    disk: disk ?? null,
  };
}
