// `_cluster/allocation/explain` of allocated copies: what the rules of allocation say about each node.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { Refusal } from '../../metadata/allocation/deciders.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { CopyRouting } from '../../metadata/copy-routing.ts';
import type { ClusterNode } from '../core/cluster-node.ts';
import type { EngineContext } from '../core/context.ts';
import { delayedCopies } from '../core/copies.ts';
import { AllocatedCopies } from './allocated-copies.ts';
import { unassignedInfo } from './shard-counts.ts';

/** A copy as requests name it. */
export interface ExplainedCopy {
  readonly index: string;
  readonly shard: number;
  readonly primary: boolean;
}

/** Describes a node in a list of decisions. */
type NodeHead = (node: ClusterNode) => MutableJsonObject;

/** A copy on a live node. */
export function explainAssigned(
  ctx: EngineContext,
  meta: IndexMeta,
  { index, shard, primary }: ExplainedCopy,
  node: ClusterNode,
  head: NodeHead,
): MutableJsonObject {
  const copies = new AllocatedCopies(ctx);
  const copy = copies.copyOn(meta, node.id);
  const refusal = copy === null ? null : copies.mustLeave(meta, copy);
  const target = copies.routingOf(meta).copies.find(({ replaces }) => replaces === node.id);
  const others = ctx.nodes.filter(({ id }) => id !== node.id);
  const decisions = decisionsOf(copies, meta, others, copy, head);
  const canMove = decisions.some((decision) => decision['node_decision'] === 'yes');
  return {
    index,
    shard,
    primary,
    current_state: copy?.isStarted === false ? 'initializing' : target === undefined ? 'started' : 'relocating',
    current_node: { id: node.id, name: node.name, transport_address: node.transportAddress ?? node.publishAddress ?? '' },
    can_remain_on_current_node: refusal === null ? 'yes' : 'no',
    ...(refusal === null
      ? {
          can_rebalance_cluster: 'yes',
          can_rebalance_to_other_node: 'no',
          rebalance_explanation: canMove
            ? 'cannot rebalance as no target node exists that can both allocate this shard and improve the cluster balance'
            : 'no other node may have a copy of this shard',
        }
      : {
          can_remain_decisions: [{ decider: refusal.decider, decision: 'NO', explanation: refusal.explanation }],
          can_move_to_other_node: canMove ? 'yes' : 'no',
          move_explanation: canMove
            ? 'shard cannot remain on this node and is moved to another one'
            : 'cannot move shard to another node, even though it is not allowed to remain on its current node',
        }),
    ...(others.length === 0 ? {} : { node_allocation_decisions: decisions }),
  };
}

/** A copy that no live node has. */
export function explainUnassigned(
  ctx: EngineContext,
  meta: IndexMeta,
  { index, shard, primary }: ExplainedCopy,
  head: NodeHead,
): MutableJsonObject {
  const copies = new AllocatedCopies(ctx);
  const decisions = decisionsOf(copies, meta, ctx.nodes, null, head);
  const { allocation_status: _, ...info } = unassignedInfo(ctx, meta, 0);
  const [delayed] = delayedCopies(ctx, meta);
  const has = (decision: string) => decisions.some((each) => each['node_decision'] === decision);
  const can = delayed !== undefined ? 'allocation_delayed' : has('yes') ? 'yes' : has('throttled') ? 'throttled' : 'no';
  return {
    index,
    shard,
    primary,
    current_state: 'unassigned',
    unassigned_info: { ...info, last_allocation_status: 'no_attempt' },
    can_allocate: can,
    allocate_explanation: EXPLANATIONS[can],
    node_allocation_decisions: decisions,
  };
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  allocation_delayed:
    'the node that had this copy left a short while ago; another one gets a copy if it does not return within [index.unassigned.node_left.delayed_timeout]',
  yes: 'a node may have this copy: the manager assigns it',
  throttled: 'the copy is assigned when other recoveries have ended',
  no: 'no node may have this copy: see the explanations of each node',
};

function decisionsOf(
  copies: AllocatedCopies,
  meta: IndexMeta,
  nodes: readonly ClusterNode[],
  copy: CopyRouting | null,
  head: NodeHead,
): MutableJsonObject[] {
  return nodes.map((node, at) => {
    const refusal = copies.refusal(meta, node.id, copy);
    return {
      ...head(node),
      node_decision: refusal === null ? 'yes' : refusal.isThrottled ? 'throttled' : 'no',
      weight_ranking: at + 1,
      ...(refusal === null ? {} : { deciders: [deciderOf(refusal)] }),
    };
  });
}

function deciderOf({ decider, explanation, isThrottled }: Refusal): MutableJsonObject {
  return { decider, decision: isThrottled ? 'THROTTLE' : 'NO', explanation };
}
