// Copies of shards over the nodes of the cluster: their intended number, and the node and state of each. All shards of an index are on the same nodes.
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { intendedReplicas } from '../../metadata/copies.ts';
import type { CopyRouting } from '../../metadata/copy-routing.ts';
import type { ClusterNode } from './cluster-node.ts';
import type { EngineContext } from './context.ts';

/** Intended number of replicas of an index. Auto-expanded ones follow the number of nodes. */
export function replicasOf(ctx: EngineContext, meta: IndexMeta): number {
  return intendedReplicas(meta, ctx.nodes.length);
}

/** A copy of each shard of an index on a live node. */
export interface CopyPlace {
  readonly node: ClusterNode;
  readonly isPrimary: boolean;
  /** RELOCATING: it is complete, and another one that is being filled replaces it. */
  readonly state: 'STARTED' | 'INITIALIZING' | 'RELOCATING';
  /** The node of the copy that replaces it; null for none. */
  readonly relocatingTo: ClusterNode | null;
  /** Identifies the copy among those of the index. */
  readonly id: string;
}

/** The copies on live nodes, without those that are to replace others: the active ones first, of them the primary first. */
export function copyPlaces(ctx: EngineContext, meta: IndexMeta, shard: number): CopyPlace[] {
  const { nodes } = ctx;
  const primary = nodes.find(({ id }) => id === ctx.primaryNodeOf(meta));
  const copies = ctx.cluster.copies?.[meta.uuid];
  if (ctx.cluster.copies !== undefined) return allocatedPlaces(nodes, copies ?? [], ctx.cluster.primaries?.[meta.uuid] ?? null);
  if (primary === undefined) return [];
  const others = nodes.filter((node) => node !== primary);
  const count = Math.min(replicasOf(ctx, meta), others.length);
  const replicas = Array.from({ length: count }, (_, copy) => others[(shard + copy) % others.length]);
  return [primary, ...replicas].map((node, copy) => ({
    node,
    isPrimary: copy === 0,
    state: 'STARTED',
    relocatingTo: null,
    id: `${copy === 0 ? '' : copy}`,
  }));
}

function allocatedPlaces(nodes: readonly ClusterNode[], copies: readonly CopyRouting[], primary: string | null): CopyPlace[] {
  const nodeOf = (id: string) => nodes.find((node) => node.id === id);
  const places = copies.flatMap((copy): CopyPlace[] => {
    const node = nodeOf(copy.node);
    const by = copies.find(({ replaces }) => replaces === copy.node);
    // One that is complete already counts instead of the one that it replaces.
    if (node === undefined || (by?.isStarted ?? false) || (copy.replaces !== null && !copy.isStarted)) return [];
    const relocatingTo = by === undefined ? null : (nodeOf(by.node) ?? null);
    const state = copy.isStarted ? (relocatingTo === null ? 'STARTED' : 'RELOCATING') : 'INITIALIZING';
    return [{ node, isPrimary: copy.node === primary, state, relocatingTo, id: String(copy.id) }];
  });
  const rank = ({ isPrimary, state }: CopyPlace) => (state === 'INITIALIZING' ? 2 : 0) + (isPrimary ? 0 : 1);
  return places.sort((a, b) => rank(a) - rank(b));
}

/** Whether a copy may be searched and counts as active. */
export function isActive({ state }: CopyPlace): boolean {
  return state !== 'INITIALIZING';
}

/** Replicas of each shard that are on live nodes and complete. */
export function activeReplicas(ctx: EngineContext, meta: IndexMeta): number {
  if (ctx.cluster.copies === undefined) return Math.min(replicasOf(ctx, meta), ctx.nodes.length - 1);
  return copyPlaces(ctx, meta, 0).filter((copy) => isActive(copy) && !copy.isPrimary).length;
}

/** The nodes with the active copies of a shard, that with the primary first; empty if no live node has the primary. */
export function nodesOfCopies(ctx: EngineContext, meta: IndexMeta, shard: number): ClusterNode[] {
  if (ctx.primaryNodeOf(meta) === null) return [];
  return copyPlaces(ctx, meta, shard)
    .filter(isActive)
    .map(({ node }) => node);
}

/** Copies whose nodes left a short while ago and may return. */
export function delayedCopies(ctx: EngineContext, meta: IndexMeta): readonly CopyRouting[] {
  const copies = ctx.cluster.copies?.[meta.uuid] ?? [];
  return copies.filter(({ node, leftMs }) => leftMs !== null && !ctx.nodes.some(({ id }) => id === node));
}

/** The manager of the cluster; null if none is known. */
export function managerOf(ctx: EngineContext): ClusterNode | null {
  return ctx.nodes.find(({ isManager }) => isManager) ?? null;
}
