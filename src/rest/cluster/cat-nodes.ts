// Rows of the `_cat` tables about the node: health, nodes, allocation, cluster manager, thread pools.
import { activePercent, clusterHealth } from '../../api/cluster/cluster-health.ts';
import { nodeTotals } from '../../api/cluster/node-totals.ts';
import { diskSpace, fileDescriptors, heap, osStats } from '../../api/cluster/process-stats.ts';
import { shardCounts, shardsOn } from '../../api/cluster/shard-counts.ts';
import { addressOf, isThisNode, nodeAttributes } from '../../api/cluster/this-node.ts';
import { threadPools } from '../../api/cluster/thread-pools.ts';
import type { ClusterNode } from '../../api/core/cluster-node.ts';
import type { EngineContext } from '../../api/core/context.ts';
import { managerOf } from '../../api/core/copies.ts';
import type { RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { statCells } from './cat-stats.ts';
import { matchesName, type Row } from './cat-table.ts';

export function clockCells(nowMs: number): Row {
  return { epoch: Math.floor(nowMs / 1000), timestamp: new Date(nowMs).toISOString().slice(11, 19) };
}

export function healthRows(request: ApiRequest, { engine }: RestContext): Row[] {
  const health = clusterHealth(engine.whole, { indices: Object.keys(engine.whole.cluster.indices), level: 'cluster' });
  const clock = request.boolean('ts') === false ? {} : clockCells(Date.now());
  return [
    {
      ...clock,
      cluster: engine.clusterName,
      status: health.status,
      'node.total': health.number_of_nodes as number,
      'node.data': health.number_of_data_nodes as number,
      discovered_cluster_manager: true,
      shards: health.active_shards as number,
      pri: health.active_primary_shards as number,
      relo: 0,
      init: 0,
      unassign: health.unassigned_shards as number,
      pending_tasks: 0,
      max_task_wait_time: '-',
      active_shards_percent: `${activePercent(health.active_shards as number, health.unassigned_shards as number).toFixed(1)}%`,
    },
  ];
}

export async function nodeRows(request: ApiRequest, { engine, settings, startedMs }: RestContext): Promise<Row[]> {
  const { host, port } = addressOf(engine);
  const isFull = request.boolean('full_id') ?? false;
  const { used: heapUsed, usedPercent, max } = heap();
  const { cpu, mem } = osStats() as {
    cpu: { percent: number; load_average: Record<string, number> };
    mem: { used_percent: number; total_in_bytes: number; used_in_bytes: number };
  };
  const disk = diskSpace(settings['path.data']);
  const descriptors = fileDescriptors();
  const used = disk.totalBytes - disk.availableBytes;
  const others = engine.nodes.filter(({ id }) => id !== engine.nodeId).map((node) => otherNodeRow(engine, node, isFull));
  const isManager = managerOf(engine)?.id === engine.nodeId;
  return [
    {
      ...statCells(await nodeTotals(engine.whole), engine.dialect),
      id: isFull ? engine.nodeId : engine.nodeId.slice(0, 4),
      pid: process.pid,
      ip: host,
      port: port ?? '-',
      http_address: engine.publishAddress ?? '-',
      version: engine.dialect.version,
      type: 'tar',
      build: 'gannet',
      jdk: process.versions.node,
      'disk.total': { bytes: disk.totalBytes },
      'disk.used': { bytes: used },
      'disk.avail': { bytes: disk.availableBytes },
      'disk.used_percent': ((used * 100) / disk.totalBytes).toFixed(2),
      'heap.current': { bytes: heapUsed },
      'heap.percent': usedPercent,
      'heap.max': { bytes: max },
      'ram.current': { bytes: mem.used_in_bytes },
      'ram.percent': mem.used_percent,
      'ram.max': { bytes: mem.total_in_bytes },
      'file_desc.current': descriptors.current,
      'file_desc.percent': descriptors.max > 0 ? Math.round((descriptors.current * 100) / descriptors.max) : 0,
      'file_desc.max': descriptors.max,
      cpu: cpu.percent,
      load_1m: cpu.load_average['1m'].toFixed(2),
      load_5m: cpu.load_average['5m'].toFixed(2),
      load_15m: cpu.load_average['15m'].toFixed(2),
      uptime: { ms: Date.now() - startedMs },
      ...roleCells(engine, isManager),
      name: engine.nodeName,
    },
    ...others,
  ];
}

function roleCells(engine: EngineContext, isManager: boolean): Row {
  return {
    'node.role': 'dimr',
    'node.roles': `${engine.dialect.namesClusterManager ? 'cluster_manager' : 'master'},data,ingest,remote_cluster_client`,
    cluster_manager: isManager ? '*' : '-',
    master: isManager ? '*' : '-',
  };
}

/** The row of another node, from the last renewal of its membership. */
function otherNodeRow(engine: EngineContext, node: ClusterNode, isFull: boolean): Row {
  const { host, port } = addressOf(node);
  const { load } = node;
  return {
    id: isFull ? node.id : node.id.slice(0, 4),
    ip: host,
    port: port ?? '-',
    http_address: node.publishAddress ?? '-',
    version: engine.dialect.version,
    type: 'tar',
    build: 'gannet',
    ...(load === null
      ? {}
      : {
          pid: load.pid,
          'heap.percent': load.heapPercent,
          'ram.percent': load.ramPercent,
          cpu: load.cpuPercent,
          load_1m: load.averages[0].toFixed(2),
          load_5m: load.averages[1].toFixed(2),
          load_15m: load.averages[2].toFixed(2),
          uptime: { ms: Date.now() - load.startedMs },
        }),
    ...roleCells(engine, node.isManager),
    name: node.name,
  };
}

export async function allocationRows(request: ApiRequest, { engine, settings }: RestContext): Promise<Row[]> {
  if (!isThisNode(engine, request.list('node_id') ?? [])) return [];
  const { host } = addressOf(engine);
  const disk = diskSpace(settings['path.data']);
  const used = disk.totalBytes - disk.availableBytes;
  const counts = Object.values(engine.whole.cluster.indices).map((meta) => shardCounts(engine, meta));
  const sizeBytes = counts.length === 0 ? 0 : (await nodeTotals(engine.whole)).sizeBytes;
  const rows: Row[] = [
    {
      shards: shardsOn(engine, engine.nodeId),
      'disk.indices': { bytes: sizeBytes },
      'disk.used': { bytes: used },
      'disk.avail': { bytes: disk.availableBytes },
      'disk.total': { bytes: disk.totalBytes },
      'disk.percent': Math.floor((used * 100) / disk.totalBytes),
      host,
      ip: host,
      node: engine.nodeName,
    },
  ];
  // Where every node has a copy, each shows its own.
  const others = engine.whole.cluster.copies === undefined ? [] : engine.nodes.filter(({ id }) => id !== engine.nodeId);
  for (const node of others) rows.push(allocationRow(engine, node));
  const unassigned = counts.reduce((sum, count) => sum + count.inactive - count.primaries * count.initializing, 0);
  if (unassigned > 0) rows.push({ shards: unassigned, node: 'UNASSIGNED' });
  return rows;
}

/** Another node, by what it has told of itself. */
function allocationRow(engine: EngineContext, node: ClusterNode): Row {
  const { host } = addressOf(node);
  const row: Row = { shards: shardsOn(engine, node.id), host, ip: host, node: node.name };
  if (!node.disk) return row;
  const { totalBytes, freeBytes } = node.disk;
  const used = totalBytes - freeBytes;
  return {
    ...row,
    'disk.used': { bytes: used },
    'disk.avail': { bytes: freeBytes },
    'disk.total': { bytes: totalBytes },
    'disk.percent': Math.floor((used * 100) / Math.max(1, totalBytes)),
  };
}

export function managerRows(_request: ApiRequest, { engine }: RestContext): Row[] {
  const manager = managerOf(engine);
  if (manager === null) return [];
  const { host } = addressOf(manager);
  return [{ id: manager.id, host, ip: host, node: manager.name }];
}

/** One row for each attribute of the node. */
export function attributeRows(_request: ApiRequest, { engine }: RestContext): Row[] {
  const { host, port } = addressOf(engine);
  return Object.entries(nodeAttributes(engine)).map(([attr, value]) => ({
    node: engine.nodeName,
    id: engine.nodeId,
    pid: process.pid,
    host,
    ip: host,
    port: port ?? '-',
    attr,
    value,
  }));
}

/** Threads on which requests run. Pools have no queues: requests that cannot be handled are rejected with a 429. */
export function threadPoolRows(request: ApiRequest, { engine, settings }: RestContext): Row[] {
  const patterns = request.list('thread_pool_patterns') ?? ['*'];
  const { host, port } = addressOf(engine);
  const pools = threadPools(engine.dialect, { searching: settings.threads, writing: Math.max(1, settings.indexers) });
  return pools
    .filter(({ name }) => patterns.some((pattern) => matchesName(pattern, name)))
    .map(({ name, type, threads, scales }) => ({
      node_name: engine.nodeName,
      node_id: engine.nodeId,
      ephemeral_node_id: engine.nodeId,
      pid: process.pid,
      host,
      ip: host,
      port: port ?? '-',
      name,
      type,
      active: 0,
      pool_size: threads,
      queue: 0,
      queue_size: -1,
      rejected: 0,
      largest: threads,
      completed: 0,
      core: scales?.core ?? null,
      max: scales?.max ?? null,
      size: scales === null ? Math.max(1, threads) : null,
      keep_alive: scales?.keepAlive ?? null,
      total_wait_time: type === 'resizable' ? { ms: 0 } : -1,
    }));
}
