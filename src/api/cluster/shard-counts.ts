// Shards of an index and their copies: their number, and their nodes.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { hasCopy } from '../../metadata/copies.ts';
import type { EngineContext } from '../core/context.ts';
import { activeReplicas, type CopyPlace, copyPlaces, delayedCopies, isActive, replicasOf } from '../core/copies.ts';

export type Health = 'green' | 'yellow' | 'red';

/** Numbers of shards and copies of an index. */
export interface ShardCounts {
  readonly primaries: number;
  /** Of each shard. */
  readonly replicas: number;
  /** Replicas of each shard that are on live nodes. */
  readonly activeReplicas: number;
  /** Copies of each shard, the primary included, that are being filled. */
  readonly initializing: number;
  /** Copies of each shard that are moving to other nodes. */
  readonly relocating: number;
  /** Copies of each shard whose nodes left a short while ago and may return. */
  readonly delayed: number;
  /** Copies of all shards that are not active. */
  readonly inactive: number;
}

export function shardCounts(ctx: EngineContext, meta: IndexMeta): ShardCounts {
  const primaries = Number(meta.settings['index.number_of_shards'] ?? 1);
  const replicas = replicasOf(ctx, meta);
  const active = activeReplicas(ctx, meta);
  const places = ctx.cluster.copies === undefined || meta.state !== 'open' ? [] : copyPlaces(ctx, meta, 0);
  return {
    primaries,
    replicas,
    activeReplicas: active,
    initializing: places.filter((copy) => !isActive(copy)).length,
    relocating: places.filter(({ relocatingTo }) => relocatingTo !== null).length,
    delayed: delayedCopies(ctx, meta).length,
    inactive: primaries * Math.max(0, replicas - active),
  };
}

/** Shards of which a node has a copy. */
export function shardsOn(ctx: EngineContext, node: string): number {
  const { cluster } = ctx.whole;
  const here = Object.values(cluster.indices).filter(({ uuid }) => hasCopy(cluster, uuid, node));
  return here.reduce((sum, meta) => sum + shardCounts(ctx, meta).primaries, 0);
}

export function indexHealth(ctx: EngineContext, meta: IndexMeta): Health {
  if (damagedShards(ctx, meta).length > 0) return 'red';
  return shardCounts(ctx, meta).inactive > 0 ? 'yellow' : 'green';
}

/**
 * Shards that count as not active: their data on disk is known to be damaged, although what is whole of them may be searched, or no live node has
 * their primary.
 */
export function damagedShards(ctx: EngineContext, meta: IndexMeta): number[] {
  const shards = Array.from({ length: shardCounts(ctx, meta).primaries }, (_, shard) => shard);
  return meta.state === 'open' ? shards.filter((shard) => inactivity(ctx, meta, shard) !== null) : [];
}

/** Why a shard is not active; null if it is. */
function inactivity(ctx: EngineContext, meta: IndexMeta, shard: number): string | null {
  return ctx.damageOf(meta, shard) ?? (ctx.primaryNodeOf(meta) === null ? 'no live node has the primary' : null);
}

interface ShardCopy extends MutableJsonObject {
  readonly state: CopyPlace['state'] | 'UNASSIGNED';
  readonly primary: boolean;
}

/** The copies of one shard: the primary, its replicas on other nodes, and the unassigned ones. */
export function shardCopies(ctx: EngineContext, meta: IndexMeta, shard: number): ShardCopy[] {
  const relocations = ctx.dialect.countsFailedRelocations ? { relocation_failure_info: { failed_attempts: 0 } } : {};
  const searchOnly = ctx.dialect.namesClusterManager ? { searchOnly: false } : {};
  const placed = ({ node, isPrimary, state, relocatingTo, id }: CopyPlace): ShardCopy => ({
    state,
    primary: isPrimary,
    ...searchOnly,
    node: node.id,
    relocating_node: relocatingTo?.id ?? null,
    shard,
    index: meta.name,
    ...(state === 'INITIALIZING' ? { recovery_source: { type: 'PEER' }, unassigned_info: unassignedInfo(ctx, meta, 0) } : {}),
    allocation_id: { id: `${meta.uuid}-${shard}${id === '' ? '' : `-${id}`}` },
    ...relocations,
  });
  const missing = (copy: number): ShardCopy => ({
    state: 'UNASSIGNED',
    primary: false,
    ...searchOnly,
    node: null,
    relocating_node: null,
    shard,
    index: meta.name,
    recovery_source: { type: 'PEER' },
    unassigned_info: unassignedInfo(ctx, meta, copy),
    ...relocations,
  });
  const reason = inactivity(ctx, meta, shard);
  const lost: ShardCopy = {
    ...missing(0),
    primary: true,
    recovery_source: { type: 'EXISTING_STORE' },
    unassigned_info: {
      reason: 'ALLOCATION_FAILED',
      failed_allocation_attempts: 1,
      delayed: false,
      details: reason,
      allocation_status: 'no_valid_shard_copy',
    },
  };
  const places = ctx.damageOf(meta, shard) === null ? copyPlaces(ctx, meta, shard) : [];
  const isLost = reason !== null && !places.some(({ isPrimary }) => isPrimary);
  const assigned = [...(isLost ? [lost] : []), ...places.map(placed)];
  return [...assigned, ...Array.from({ length: Math.max(0, 1 + replicasOf(ctx, meta) - assigned.length) }, (_, copy) => missing(copy))];
}

/** Why a copy has no node. @param copy  number among those without one */
export function unassignedInfo(ctx: EngineContext, meta: IndexMeta, copy: number): MutableJsonObject {
  const left = delayedCopies(ctx, meta).at(copy);
  return {
    reason: left === undefined ? 'INDEX_CREATED' : 'NODE_LEFT',
    at: new Date(left?.leftMs ?? meta.creationDateMs).toISOString(),
    ...(left === undefined ? {} : { node_id: left.node }),
    delayed: left !== undefined,
    allocation_status: 'no_attempt',
  };
}
