// `_cluster/stats`.

import os from 'node:os';
import type { MutableJsonObject } from '../../common/json-value.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { EngineContext } from '../core/context.ts';
import { clusterHealth } from './cluster-health.ts';
import { nodeTotals } from './node-totals.ts';
import { shardCounts } from './shard-counts.ts';

/** `GET _cluster/stats`. */
export async function clusterStats(ctx: EngineContext, version: string): Promise<MutableJsonObject> {
  const metas = Object.values(ctx.cluster.indices);
  const totals = await nodeTotals(ctx);
  const shards = metas.reduce((sum, meta) => sum + shardCounts(meta).primaries, 0);
  const fieldTypes = countFieldTypes(metas);
  return {
    _nodes: { total: 1, successful: 1, failed: 0 },
    cluster_name: ctx.clusterName,
    cluster_uuid: ctx.cluster.clusterUuid,
    timestamp: Date.now(),
    status: clusterHealth(ctx, { indices: Object.keys(ctx.cluster.indices), level: 'cluster' }).status,
    indices: {
      count: metas.length,
      shards: shards === 0 ? {} : { total: shards, primaries: shards, replication: 0 },
      docs: { count: totals.docs, deleted: totals.deleted },
      store: { size_in_bytes: totals.sizeBytes, reserved_in_bytes: 0 },
      segments: { count: totals.segments, memory_in_bytes: totals.sizeBytes },
      mappings: { field_types: fieldTypes },
    },
    nodes: {
      count: {
        total: 1,
        ...(ctx.dialect.namesClusterManager ? { cluster_manager: 1 } : {}),
        coordinating_only: 0,
        data: 1,
        ingest: 1,
        master: 1,
        remote_cluster_client: 1,
        search: 0,
      },
      versions: [version],
      os: osCounts(),
      process: { cpu: { percent: 0 }, open_file_descriptors: { min: -1, max: -1, avg: -1 } },
      fs: {},
      plugins: [],
      network_types: { http_types: { gannet: 1 } },
      discovery_types: { 'single-node': 1 },
      packaging_types: [{ type: 'tar', count: 1 }],
    },
  };
}

function osCounts(): MutableJsonObject {
  const total = os.totalmem();
  const free = os.freemem();
  return {
    available_processors: os.availableParallelism(),
    allocated_processors: os.availableParallelism(),
    names: [{ name: os.type(), count: 1 }],
    pretty_names: [{ pretty_name: `${os.type()} ${os.release()}`, count: 1 }],
    mem: {
      total_in_bytes: total,
      free_in_bytes: free,
      used_in_bytes: total - free,
      free_percent: Math.round((free * 100) / total),
      used_percent: Math.round(((total - free) * 100) / total),
    },
  };
}

/** `[{ name, count, index_count }]` of the field types in all mappings, sorted by name. */
function countFieldTypes(metas: readonly IndexMeta[]): MutableJsonObject[] {
  const counts = new Map<string, { count: number; indices: Set<string> }>();
  const visit = (index: string, properties: unknown): void => {
    if (typeof properties !== 'object' || properties === null) return;
    for (const field of Object.values(properties as Record<string, MutableJsonObject>)) {
      const type = String(field?.type ?? 'object');
      let entry = counts.get(type);
      if (!entry) counts.set(type, (entry = { count: 0, indices: new Set() }));
      entry.count++;
      entry.indices.add(index);
      visit(index, field?.properties);
      visit(index, field?.fields);
    }
  };
  for (const meta of metas) visit(meta.name, (meta.mappings as MutableJsonObject).properties);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { count, indices }]) => ({ name, count, index_count: indices.size }));
}
