// Shards of an index and their copies on a single node: primaries are always assigned, replicas never.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { EngineContext } from '../core/context.ts';

export type Health = 'green' | 'yellow' | 'red';

/** Numbers of shards and copies of an index. */
export interface ShardCounts {
  readonly primaries: number;
  readonly replicas: number;
  readonly unassigned: number;
}

export function shardCounts(meta: IndexMeta): ShardCounts {
  const primaries = Number(meta.settings['index.number_of_shards'] ?? 1);
  // Auto-expanded replicas depend on the number of nodes: a single node has none.
  const isExpanded = /^0-/.test(String(meta.settings['index.auto_expand_replicas'] ?? 'false'));
  const replicas = isExpanded ? 0 : Number(meta.settings['index.number_of_replicas'] ?? 1);
  return { primaries, replicas, unassigned: primaries * replicas };
}

export function indexHealth(ctx: EngineContext, meta: IndexMeta): Health {
  if (damagedShards(ctx, meta).length > 0) return 'red';
  return shardCounts(meta).unassigned > 0 ? 'yellow' : 'green';
}

/** Shards whose data on disk is known to be damaged. They count as not active, although what is whole of them may be searched. */
export function damagedShards(ctx: EngineContext, meta: IndexMeta): number[] {
  const shards = Array.from({ length: shardCounts(meta).primaries }, (_, shard) => shard);
  return meta.state === 'open' ? shards.filter((shard) => ctx.damageOf(meta, shard) !== null) : [];
}

interface ShardCopy extends MutableJsonObject {
  readonly state: 'STARTED' | 'UNASSIGNED';
  readonly primary: boolean;
}

/** The copies of one shard: the primary on this node, and the unassigned replicas. */
export function shardCopies(ctx: EngineContext, meta: IndexMeta, shard: number): ShardCopy[] {
  const relocations = ctx.dialect.countsFailedRelocations ? { relocation_failure_info: { failed_attempts: 0 } } : {};
  const started: ShardCopy = {
    state: 'STARTED',
    primary: true,
    node: ctx.nodeId,
    relocating_node: null,
    shard,
    index: meta.name,
    allocation_id: { id: `${meta.uuid}-${shard}` },
    ...relocations,
  };
  const missing: ShardCopy = {
    state: 'UNASSIGNED',
    primary: false,
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
  const damage = ctx.damageOf(meta, shard);
  const lost: ShardCopy = {
    ...missing,
    primary: true,
    recovery_source: { type: 'EXISTING_STORE' },
    unassigned_info: {
      reason: 'ALLOCATION_FAILED',
      failed_allocation_attempts: 1,
      delayed: false,
      details: damage,
      allocation_status: 'no_valid_shard_copy',
    },
  };
  return [damage === null ? started : lost, ...Array.from({ length: shardCounts(meta).replicas }, () => missing)];
}
