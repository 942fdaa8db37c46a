// `_cluster/health`.
import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { EngineContext } from '../core/context.ts';
import { damagedShards, type Health, indexHealth, shardCounts } from './shard-counts.ts';

export interface HealthRequest {
  /** Concrete names. */
  readonly indices: readonly string[];
  readonly level: 'cluster' | 'indices' | 'shards';
  /** The indices that the levels below the cluster list; absent for all of `indices`. */
  readonly shown?: readonly string[];
}

/** `GET _cluster/health` without waiting. */
export function clusterHealth(ctx: EngineContext, request: HealthRequest): MutableJsonObject & { status: Health } {
  const metas = request.indices.map((name) => ctx.cluster.indices[name]).filter((meta) => meta !== undefined);
  const counts = metas.map((meta) => ({ ...shardCounts(ctx, meta), damaged: damagedShards(ctx, meta).length }));
  const damaged = counts.reduce((sum, count) => sum + count.damaged, 0);
  const activePrimaries = counts.reduce((sum, count) => sum + count.primaries - count.damaged, 0);
  const active = counts.reduce((sum, count) => sum + (count.primaries - count.damaged) * (1 + count.activeReplicas), 0);
  const inactive = counts.reduce((sum, count) => sum + count.inactive + count.damaged * (1 + count.activeReplicas), 0);
  const total = (name: 'initializing' | 'relocating' | 'delayed') => counts.reduce((sum, count) => sum + count.primaries * count[name], 0);
  const unassigned = inactive - total('initializing');
  const body: MutableJsonObject & { status: Health } = {
    cluster_name: ctx.clusterName,
    status: damaged > 0 ? 'red' : inactive > 0 ? 'yellow' : 'green',
    timed_out: false,
    number_of_nodes: ctx.nodes.length,
    number_of_data_nodes: ctx.nodes.length,
    ...(ctx.dialect.namesClusterManager ? { discovered_master: true, discovered_cluster_manager: true } : {}),
    active_primary_shards: activePrimaries,
    active_shards: active,
    relocating_shards: total('relocating'),
    initializing_shards: total('initializing'),
    unassigned_shards: unassigned,
    delayed_unassigned_shards: total('delayed'),
    number_of_pending_tasks: 0,
    number_of_in_flight_fetch: 0,
    task_max_waiting_in_queue_millis: 0,
    active_shards_percent_as_number: jsonDouble(activePercent(active, inactive)),
  };
  if (request.level !== 'cluster') {
    const shown = metas.filter(({ name }) => request.shown?.includes(name) ?? true);
    body.indices = Object.fromEntries(shown.map((meta) => [meta.name, indexHealthBody(ctx, meta, request.level === 'shards')]));
  }
  return body;
}

/** Share of the copies that are started. */
export function activePercent(active: number, unassigned: number): number {
  return active + unassigned === 0 ? 100 : (active * 100) / (active + unassigned);
}

function indexHealthBody(ctx: EngineContext, meta: IndexMeta, withShards: boolean): MutableJsonObject {
  const { primaries, replicas, activeReplicas, initializing, relocating, inactive } = shardCounts(ctx, meta);
  const damaged = damagedShards(ctx, meta);
  const active = primaries - damaged.length;
  const body: MutableJsonObject = {
    status: indexHealth(ctx, meta),
    number_of_shards: primaries,
    number_of_replicas: replicas,
    active_primary_shards: active,
    active_shards: active * (1 + activeReplicas),
    relocating_shards: primaries * relocating,
    initializing_shards: primaries * initializing,
    unassigned_shards: inactive + damaged.length * (1 + activeReplicas) - primaries * initializing,
  };
  if (withShards) {
    body.shards = Object.fromEntries(
      Array.from({ length: primaries }, (_, shard) => [
        String(shard),
        {
          status: damaged.includes(shard) ? 'red' : replicas > activeReplicas ? 'yellow' : 'green',
          primary_active: !damaged.includes(shard),
          active_shards: damaged.includes(shard) ? 0 : 1 + activeReplicas,
          relocating_shards: relocating,
          initializing_shards: initializing,
          unassigned_shards: (damaged.includes(shard) ? replicas + 1 : replicas - activeReplicas) - initializing,
        },
      ]),
    );
  }
  return body;
}
