// Copies of shards over the nodes of the cluster: their intended number, and the node of each.
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { ClusterNode } from './cluster-node.ts';
import type { EngineContext } from './context.ts';

/** Intended number of replicas of an index. Auto-expanded ones follow the number of nodes. */
export function replicasOf(ctx: EngineContext, { settings }: IndexMeta): number {
  const range = /^(\d+)-(\d+|all)$/.exec(String(settings['index.auto_expand_replicas'] ?? 'false'));
  if (range === null) return Number(settings['index.number_of_replicas'] ?? 1);
  const others = ctx.nodes.length - 1;
  return Math.max(Number(range[1]), range[2] === 'all' ? others : Math.min(Number(range[2]), others));
}

/** Replicas of each shard that are on live nodes: never two copies on one node. */
export function activeReplicas(ctx: EngineContext, meta: IndexMeta): number {
  return Math.min(replicasOf(ctx, meta), ctx.nodes.length - 1);
}

/** The nodes with the copies of a shard, that with the primary first; empty if no live node has the primary. */
export function nodesOfCopies(ctx: EngineContext, meta: IndexMeta, shard: number): ClusterNode[] {
  const { nodes } = ctx;
  const primary = nodes.findIndex(({ id }) => id === ctx.primaryNodeOf(meta));
  if (primary < 0) return [];
  const others = nodes.filter((_, at) => at !== primary);
  const replicas = Array.from({ length: activeReplicas(ctx, meta) }, (_, copy) => others[(shard + copy) % others.length]);
  return [nodes[primary], ...replicas];
}

/** The manager of the cluster; null if none is known. */
export function managerOf(ctx: EngineContext): ClusterNode | null {
  return ctx.nodes.find(({ isManager }) => isManager) ?? null;
}
