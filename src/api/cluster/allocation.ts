// `_cluster/allocation/explain`. Where every node has a copy of every shard, a copy beyond them cannot be assigned; allocated copies:
// explain-allocated.ts.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { ClusterNode } from '../core/cluster-node.ts';
import type { EngineContext } from '../core/context.ts';
import { copyPlaces, nodesOfCopies, replicasOf } from '../core/copies.ts';
import { ownNames } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { explainAssigned, explainUnassigned } from './explain-allocated.ts';
import { damagedShards, indexHealth, shardCounts } from './shard-counts.ts';
import { nodeAttributes, nodeRoles } from './this-node.ts';

/** A copy of a shard. */
export interface ShardCopy {
  readonly index: string;
  readonly shard: number;
  readonly primary: boolean;
  /** The node that is expected to have it; null for any. */
  readonly currentNode: string | null;
}

/**
 * @param copy  null for the first unassigned copy
 * @param withYes  whether decisions that allow something are wanted; only errors show it
 * @throws ApiError illegal_argument_exception: no copy is unassigned; index_not_found_exception
 */
export function explainAllocation(ctx: EngineContext, copy: ShardCopy | null, withYes: boolean): MutableJsonObject {
  const chosen = copy ?? firstUnassigned(ctx, withYes);
  const index = ctx.index(chosen.index);
  if (!index) throw indexNotFoundError(chosen.index);
  if (chosen.shard < 0 || chosen.shard >= index.numberOfShards)
    throw new ApiError('shard_not_found_exception', 404, 'no such shard', {
      details: { index: chosen.index, shard: String(chosen.shard) },
    });
  if (!chosen.primary && shardCounts(ctx, index.meta).replicas === 0)
    throw illegalArgumentError(`unable to find any shards to explain [${requestText(chosen, withYes)} in the routing table`);
  const damage = chosen.primary ? ctx.damageOf(index.meta, chosen.shard) : null;
  if (damage !== null) return damaged(chosen, damage);
  const isAllocated = ctx.cluster.copies !== undefined;
  const nodes = isAllocated ? placedNodes(ctx, index.meta, chosen.shard) : nodesOfCopies(ctx, index.meta, chosen.shard);
  if (chosen.primary && nodes.length === 0 && isAllocated) return explainUnassigned(ctx, index.meta, chosen, (node) => nodeHead(ctx, node));
  if (chosen.primary && nodes.length === 0) return leaderless(chosen);
  const isWanted = ({ id, name }: ClusterNode) => chosen.currentNode === null || [id, name].includes(chosen.currentNode);
  const candidates = chosen.primary ? nodes.slice(0, 1) : nodes.slice(1);
  const hasMissing = isAllocated ? candidates.length < replicasOf(ctx, index.meta) : indexHealth(ctx, index.meta) !== 'green';
  const isMissing = !chosen.primary && chosen.currentNode === null && hasMissing;
  const node = isMissing ? undefined : candidates.find(isWanted);
  if (node !== undefined && isAllocated) return explainAssigned(ctx, index.meta, chosen, node, (other) => nodeHead(ctx, other));
  if (node !== undefined) return assigned(ctx, chosen, node);
  if (chosen.primary || chosen.currentNode !== null)
    throw illegalArgumentError(`unable to find a ${chosen.primary ? 'primary' : 'replica'} shard assigned to node [${chosen.currentNode}]`);
  if (isAllocated) return explainUnassigned(ctx, index.meta, chosen, (other) => nodeHead(ctx, other));
  return unassigned(ctx, chosen, index);
}

/** The nodes with copies, also those that are being filled: that of the primary first; empty if no live node has the primary. */
function placedNodes(ctx: EngineContext, meta: IndexMeta, shard: number): ClusterNode[] {
  const places = copyPlaces(ctx, meta, shard);
  const primary = places.find(({ isPrimary }) => isPrimary);
  return primary === undefined ? [] : [primary, ...places.filter((place) => place !== primary)].map(({ node }) => node);
}

const NONE_UNASSIGNED =
  'No shard was specified in the request which means the response should explain a randomly-chosen unassigned shard, but there are no ' +
  'unassigned shards in this cluster. To explain the allocation of an assigned shard you must specify the target shard in the request.';

/** The request as the servers print it, without its closing bracket. */
function requestText(copy: ShardCopy | null, withYes: boolean): string {
  const chosen =
    copy === null
      ? 'useAnyUnassignedShard=true'
      : `index=${copy.index},shard=${copy.shard},primary?=${copy.primary}${copy.currentNode === null ? '' : `,currentNode=${copy.currentNode}`}`;
  return `ClusterAllocationExplainRequest[${chosen},includeYesDecisions?=${withYes}]`;
}

function firstUnassigned(ctx: EngineContext, withYes: boolean): ShardCopy {
  const metas = ownNames(ctx).map((name) => ctx.cluster.indices[name]);
  const meta = metas.find((candidate) => candidate.state === 'open' && indexHealth(ctx, candidate) !== 'green');
  const [damaged] = meta ? damagedShards(ctx, meta) : [];
  if (meta && damaged !== undefined) return { index: meta.name, shard: damaged, primary: true, currentNode: null };
  if (meta) return { index: meta.name, shard: 0, primary: false, currentNode: null };
  throw illegalArgumentError(
    ctx.dialect.showsDatasetSize ? NONE_UNASSIGNED : `unable to find any unassigned shards to explain [${requestText(null, withYes)}`,
  );
}

function damaged({ index, shard }: ShardCopy, details: string): MutableJsonObject {
  return {
    index,
    shard,
    primary: true,
    current_state: 'unassigned',
    unassigned_info: { reason: 'ALLOCATION_FAILED', details, last_allocation_status: 'no_valid_shard_copy' },
    can_allocate: 'no_valid_shard_copy',
    allocate_explanation: 'the data of this shard is damaged: stop the service and run `gannet check --repair`',
  };
}

/** No live node has the primary yet. */
function leaderless({ index, shard }: ShardCopy): MutableJsonObject {
  return {
    index,
    shard,
    primary: true,
    current_state: 'unassigned',
    unassigned_info: { reason: 'NODE_LEFT', last_allocation_status: 'awaiting_info' },
    can_allocate: 'awaiting_info',
    allocate_explanation: 'the manager of the cluster assigns the primary to a live node as soon as it knows which nodes are left',
  };
}

function assigned(ctx: EngineContext, { index, shard, primary }: ShardCopy, node: ClusterNode): MutableJsonObject {
  const others = ctx.nodes.filter(({ id }) => id !== node.id);
  const explanation =
    others.length === 0
      ? 'there is one node: shards have nowhere else to be'
      : 'every node has a copy of every shard: there is nothing to move';
  return {
    index,
    shard,
    primary,
    current_state: 'started',
    current_node: { id: node.id, name: node.name, transport_address: transportAddress(node) },
    can_remain_on_current_node: 'yes',
    can_rebalance_cluster: 'no',
    can_rebalance_cluster_decisions: [{ decider: 'cluster_rebalance', decision: 'NO', explanation }],
    can_rebalance_to_other_node: 'no',
    rebalance_explanation: 'rebalancing is not allowed',
    ...(others.length === 0 ? {} : { node_allocation_decisions: decisions(ctx, others, { index, shard }) }),
  };
}

function transportAddress({ transportAddress: address, publishAddress }: ClusterNode): string {
  return address ?? publishAddress ?? '';
}

function nodeHead(ctx: EngineContext, node: ClusterNode): MutableJsonObject {
  return {
    node_id: node.id,
    node_name: node.name,
    transport_address: transportAddress(node),
    ...(ctx.dialect.namesClusterManager ? { node_attributes: nodeAttributes(ctx, node) } : {}),
    ...(ctx.dialect.showsDatasetSize ? { roles: nodeRoles(ctx) } : {}),
  };
}

/** Why each of these nodes cannot get another copy of the shard. */
function decisions(
  ctx: EngineContext,
  nodes: readonly ClusterNode[],
  { index, shard }: Pick<ShardCopy, 'index' | 'shard'>,
): MutableJsonObject[] {
  const { meta } = ctx.index(index) ?? {};
  const primary = meta === undefined ? null : ctx.primaryNodeOf(meta);
  return nodes.map((node, at) => ({
    ...nodeHead(ctx, node),
    node_decision: 'no',
    weight_ranking: at + 1,
    deciders: [
      {
        decider: 'same_shard',
        decision: 'NO',
        explanation: `a copy of this shard is already allocated to this node [[${index}][${shard}], node[${node.id}], [${node.id === primary ? 'P' : 'R'}], s[STARTED]]`,
      },
    ],
  }));
}

function unassigned(ctx: EngineContext, { index, shard }: ShardCopy, { meta }: IndexState): MutableJsonObject {
  return {
    index,
    shard,
    primary: false,
    current_state: 'unassigned',
    unassigned_info: { reason: 'INDEX_CREATED', at: new Date(meta.creationDateMs).toISOString(), last_allocation_status: 'no_attempt' },
    can_allocate: 'no',
    allocate_explanation: ctx.dialect.showsDatasetSize
      ? "Elasticsearch isn't allowed to allocate this shard to any of the nodes in the cluster. Choose a node to which you expect this shard to be allocated, find this node in the node-by-node explanation, and address the reasons which prevent Elasticsearch from allocating this shard there."
      : 'cannot allocate because allocation is not permitted to any of the nodes',
    node_allocation_decisions: decisions(ctx, ctx.nodes, { index, shard }),
  };
}
