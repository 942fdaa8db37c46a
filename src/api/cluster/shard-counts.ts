// Shards of an index and their copies: their number, and their nodes.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { EngineContext } from '../core/context.ts';
import { activeReplicas, nodesOfCopies, replicasOf } from '../core/copies.ts';

export type Health = 'green' | 'yellow' | 'red';

/** Numbers of shards and copies of an index. */
export interface ShardCounts {
  readonly primaries: number;
  /** Of each shard. */
  readonly replicas: number;
  /** Replicas of each shard that are on live nodes. */
  readonly activeReplicas: number;
  /** Replicas of all shards that are not active. */
  readonly unassigned: number;
}

export function shardCounts(ctx: EngineContext, meta: IndexMeta): ShardCounts {
  const primaries = Number(meta.settings['index.number_of_shards'] ?? 1);
  const replicas = replicasOf(ctx, meta);
  const active = activeReplicas(ctx, meta);
  return { primaries, replicas, activeReplicas: active, unassigned: primaries * (replicas - active) };
}

export function indexHealth(ctx: EngineContext, meta: IndexMeta): Health {
  if (damagedShards(ctx, meta).length > 0) return 'red';
  return shardCounts(ctx, meta).unassigned > 0 ? 'yellow' : 'green';
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
  readonly state: 'STARTED' | 'UNASSIGNED';
  readonly primary: boolean;
}

/** The copies of one shard: the primary, its replicas on other nodes, and the unassigned ones. */
export function shardCopies(ctx: EngineContext, meta: IndexMeta, shard: number): ShardCopy[] {
  const relocations = ctx.dialect.countsFailedRelocations ? { relocation_failure_info: { failed_attempts: 0 } } : {};
  const searchOnly = ctx.dialect.namesClusterManager ? { searchOnly: false } : {};
  const started = (node: string, copy: number): ShardCopy => ({
    state: 'STARTED',
    primary: copy === 0,
    ...searchOnly,
    node,
    relocating_node: null,
    shard,
    index: meta.name,
    allocation_id: { id: `${meta.uuid}-${shard}${copy === 0 ? '' : `-${copy}`}` },
    ...relocations,
  });
  const missing: ShardCopy = {
    state: 'UNASSIGNED',
    primary: false,
    ...searchOnly,
    node: null,
    relocating_node: null,
    shard,
    index: meta.name,
    recovery_source: { type: 'PEER' },
    unassigned_info: {
      reason: 'INDEX_CREATED',
      at: new Date(meta.creationDateMs).toISOString(),
      delayed: false,
      allocation_status: 'no_attempt',
    },
    ...relocations,
  };
  const reason = inactivity(ctx, meta, shard);
  const lost: ShardCopy = {
    ...missing,
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
  const nodes = nodesOfCopies(ctx, meta, shard);
  const assigned = reason === null ? nodes.map(({ id }, copy) => started(id, copy)) : [lost];
  return [...assigned, ...Array.from({ length: 1 + replicasOf(ctx, meta) - assigned.length }, () => missing)];
}
