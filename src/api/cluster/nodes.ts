// What a node tells about itself: `_nodes`, `_nodes/stats`. Measured where they are asked, by the answering process.

import { readFileSync, statfsSync } from 'node:fs';
import os from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { formatByteSize } from '../../common/byte-size.ts';
import type { MutableJsonObject } from '../../common/json-value.ts';
import type { EngineContext } from '../core/context.ts';
import { INDEX_STATS_METRICS, SECTIONS } from '../indices/index-stats.ts';
import { nodeTotals, sumShards } from './cluster.ts';

/** Elasticsearch's names: sniffing clients know the role `master`, not `cluster_manager`. */
export const NODE_ROLES = ['data', 'ingest', 'master', 'remote_cluster_client'];

/** Whether one of the names of a node filter (`_all`, `_local`, `_master`, ids, names, addresses, patterns, roles) means this node. */
export function isThisNode(ctx: EngineContext, filter: readonly string[]): boolean {
  if (filter.length === 0) return true;
  const { host } = addressOf(ctx);
  return filter.some((name) => {
    if (['_all', '*', '_local', '_master', '_cluster_manager', '_only_local'].includes(name)) return true;
    const role = /^([a-z_]+):(true|false)$/.exec(name);
    if (role) return (NODE_ROLES.includes(role[1]) || role[1] === 'cluster_manager') === (role[2] === 'true');
    const pattern = new RegExp(
      `^${name
        .split('*')
        .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    );
    return [ctx.nodeId, ctx.nodeName, host, ctx.publishAddress ?? ''].some((own) => pattern.test(own));
  });
}

/** Host and port of the REST API; `127.0.0.1` and no port in the library. */
export function addressOf(ctx: EngineContext): { host: string; port: number | null } {
  const match = /^(.*):(\d+)$/.exec(ctx.publishAddress ?? '');
  return match ? { host: match[1].replace(/^\[|\]$/g, ''), port: Number(match[2]) } : { host: '127.0.0.1', port: null };
}

export const INFO_METRICS = [
  'settings',
  'os',
  'process',
  'jvm',
  'thread_pool',
  'transport',
  'http',
  'plugins',
  'ingest',
  'aggregations',
  'indices',
  'search_pipelines',
] as const;

export interface NodeInfoRequest {
  readonly filter: readonly string[];
  readonly metrics: ReadonlySet<string>;
  readonly version: string;
  readonly startedMs: number;
  readonly dataPath: string;
  readonly flatSettings: boolean;
  readonly maxContentLength: number;
  readonly memoryLimitBytes: number;
  readonly human: boolean;
}

/** `GET _nodes`. */
export function nodesInfo(ctx: EngineContext, request: NodeInfoRequest): MutableJsonObject {
  return { ...nodesHead(ctx, request.filter), nodes: isThisNode(ctx, request.filter) ? { [ctx.nodeId]: nodeInfo(ctx, request) } : {} };
}

function nodesHead(ctx: EngineContext, filter: readonly string[]): MutableJsonObject {
  const count = isThisNode(ctx, filter) ? 1 : 0;
  return { _nodes: { total: count, successful: count, failed: 0 }, cluster_name: ctx.clusterName };
}

function nodeInfo(ctx: EngineContext, { metrics, ...request }: NodeInfoRequest): MutableJsonObject {
  const { host, port } = addressOf(ctx);
  const publishAddress = ctx.publishAddress ?? host;
  const info: MutableJsonObject = {
    name: ctx.nodeName,
    transport_address: publishAddress,
    host,
    ip: host,
    version: request.version,
    build_flavor: 'default',
    build_type: 'tar',
    build_hash: 'gannet',
    ...(metrics.has('indices') ? indexingBuffer(request.memoryLimitBytes, request.human) : {}),
    roles: NODE_ROLES,
    attributes: {},
  };
  const settings = {
    'client.type': 'node',
    'cluster.name': ctx.clusterName,
    'node.name': ctx.nodeName,
    'path.data': request.dataPath,
    'http.port': String(port ?? ''),
  };
  const sections: Record<string, () => unknown> = {
    settings: () => (request.flatSettings ? settings : nest(settings)),
    os: () => ({
      refresh_interval_in_millis: 1000,
      name: os.type(),
      pretty_name: `${os.type()} ${os.release()}`,
      arch: os.arch(),
      version: os.release(),
      available_processors: os.availableParallelism(),
      allocated_processors: os.availableParallelism(),
    }),
    process: () => ({ refresh_interval_in_millis: 1000, id: process.pid, mlockall: false }),
    jvm: () => ({
      pid: process.pid,
      version: process.versions.node,
      vm_name: 'node',
      vm_version: process.versions.v8,
      vm_vendor: 'Node.js',
      start_time_in_millis: request.startedMs,
    }),
    transport: () => ({ bound_address: [publishAddress], publish_address: publishAddress, profiles: {} }),
    http: () => ({
      bound_address: [publishAddress],
      publish_address: publishAddress,
      max_content_length_in_bytes: request.maxContentLength,
    }),
    plugins: () => [],
    ingest: () => ({ processors: [] }),
  };
  for (const [name, section] of Object.entries(sections)) if (metrics.has(name)) info[name] = section();
  return info;
}

/** Belongs to the metric `indices`: answers to sniffing clients, which ask for `http`, must not contain it. */
function indexingBuffer(bytes: number, isHuman: boolean): MutableJsonObject {
  return { ...(isHuman ? { total_indexing_buffer: formatByteSize(bytes) } : {}), total_indexing_buffer_in_bytes: bytes };
}

function nest(flat: Readonly<Record<string, string>>): MutableJsonObject {
  const root: MutableJsonObject = {};
  for (const [name, value] of Object.entries(flat)) {
    const [family, key] = name.split('.');
    root[family] = { ...(root[family] as MutableJsonObject | undefined), [key]: value };
  }
  return root;
}

export const STATS_METRICS = [
  'indices',
  'os',
  'process',
  'jvm',
  'fs',
  'http',
  'breaker',
  'thread_pool',
  'transport',
  'script',
  'ingest',
  'discovery',
  'adaptive_selection',
  // Known to clients; this node has nothing of the kind, and says nothing of it.
  'indexing_pressure',
  'shard_indexing_pressure',
  'search_backpressure',
  'cluster_manager_throttling',
  'weighted_routing',
  'file_cache',
  'task_cancellation',
  'search_pipeline',
  'script_cache',
  'resource_usage_stats',
  'segment_replication_backpressure',
  'repositories',
  'admission_control',
  'caches',
  'remote_store',
] as const;

export interface NodeStatsRequest {
  /** `node`, `indices` or `shards`: how deep `indices` goes. */
  readonly level: string;
  readonly filter: readonly string[];
  readonly metrics: ReadonlySet<string>;
  readonly dataPath: string;
  readonly startedMs: number;
}

/** `GET _nodes/stats`. */
export async function nodesStats(ctx: EngineContext, request: NodeStatsRequest): Promise<MutableJsonObject> {
  const isMeant = isThisNode(ctx, request.filter);
  return { ...nodesHead(ctx, request.filter), nodes: isMeant ? { [ctx.nodeId]: await nodeStats(ctx, request) } : {} };
}

async function nodeStats(ctx: EngineContext, { metrics, ...request }: NodeStatsRequest): Promise<MutableJsonObject> {
  const { host } = addressOf(ctx);
  const stats: MutableJsonObject = {
    timestamp: Date.now(),
    name: ctx.nodeName,
    transport_address: ctx.publishAddress ?? host,
    host,
    ip: ctx.publishAddress ?? host,
    roles: NODE_ROLES,
    attributes: {},
  };
  if (metrics.has('indices')) {
    const totals = await nodeTotals(ctx);
    stats.indices = {
      ...Object.fromEntries(INDEX_STATS_METRICS.map((metric) => SECTIONS[metric](totals))),
      ...(request.level === 'indices' || request.level === 'shards' ? { [request.level]: await statsByIndex(ctx, request.level) } : {}),
    };
  }
  if (metrics.has('os')) stats.os = osStats();
  if (metrics.has('process')) stats.process = processStats();
  if (metrics.has('jvm')) stats.jvm = heapStats(request.startedMs);
  if (metrics.has('fs')) stats.fs = fsStats(request.dataPath);
  if (metrics.has('discovery')) stats.discovery = discoveryStats(ctx);
  return stats;
}

/** Documents and bytes per index, or per shard of each. */
async function statsByIndex(ctx: EngineContext, level: 'indices' | 'shards'): Promise<MutableJsonObject> {
  const render = ({ docs, deleted, sizeBytes }: { docs: number; deleted: number; sizeBytes: number }): MutableJsonObject => ({
    docs: { count: docs, deleted },
    store: { size_in_bytes: sizeBytes, reserved_in_bytes: 0 },
  });
  const body: MutableJsonObject = {};
  for (const name of Object.keys(ctx.cluster.indices)) {
    const index = ctx.index(name);
    if (index === null || index.meta.state !== 'open') continue;
    const shards = await ctx.shardStats(index);
    body[name] = level === 'indices' ? render(sumShards(shards)) : shards.map((shard) => ({ [String(shard.shard)]: render(shard) }));
  }
  return body;
}

/** States are published to the threads of one process, never as differences. */
function discoveryStats(ctx: EngineContext): MutableJsonObject {
  return {
    cluster_state_queue: { total: 0, pending: 0, committed: 0 },
    published_cluster_states: { full_states: ctx.cluster.version, incompatible_diffs: 0, compatible_diffs: 0 },
  };
}

export function osStats(): MutableJsonObject {
  const total = os.totalmem();
  const free = os.freemem();
  const [load1, load5, load15] = os.loadavg();
  return {
    timestamp: Date.now(),
    cpu: {
      percent: Math.min(100, Math.round((load1 * 100) / os.availableParallelism())),
      load_average: { '1m': load1, '5m': load5, '15m': load15 },
    },
    mem: {
      total_in_bytes: total,
      free_in_bytes: free,
      used_in_bytes: total - free,
      free_percent: Math.round((free * 100) / total),
      used_percent: Math.round(((total - free) * 100) / total),
    },
  };
}

function processStats(): MutableJsonObject {
  const cpu = process.cpuUsage();
  const { current, max } = fileDescriptors();
  return {
    timestamp: Date.now(),
    open_file_descriptors: current,
    max_file_descriptors: max,
    cpu: { percent: 0, total_in_millis: Math.round((cpu.user + cpu.system) / 1000) },
    mem: { total_virtual_in_bytes: process.memoryUsage().rss },
  };
}

/** -1 where the platform has no /proc. */
export function fileDescriptors(): { current: number; max: number } {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const max = /^Max open files\s+(\d+)/m.exec(limits);
    const slots = /^FDSize:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return { current: Number(slots?.[1] ?? -1), max: Number(max?.[1] ?? -1) };
  } catch {
    return { current: -1, max: -1 };
  }
}

/** JavaScript's memory in this thread, in bytes; `max` is what it may grow to. */
export function heap(): { used: number; committed: number; max: number; usedPercent: number } {
  const { used_heap_size: used, total_heap_size: committed, heap_size_limit: max } = getHeapStatistics();
  return { used, committed, max, usedPercent: Math.round((used * 100) / max) };
}

function heapStats(startedMs: number): MutableJsonObject {
  const { used, committed, max, usedPercent } = heap();
  const { external } = process.memoryUsage();
  return {
    timestamp: Date.now(),
    uptime_in_millis: Date.now() - startedMs,
    mem: {
      heap_used_in_bytes: used,
      heap_used_percent: usedPercent,
      heap_committed_in_bytes: committed,
      heap_max_in_bytes: max,
      non_heap_used_in_bytes: external,
      non_heap_committed_in_bytes: external,
    },
  };
}

/** Space of the file system that holds the data. */
export function diskSpace(dataPath: string): { totalBytes: number; freeBytes: number; availableBytes: number } {
  const { blocks, bfree, bavail, bsize } = statfsSync(dataPath);
  return { totalBytes: blocks * bsize, freeBytes: bfree * bsize, availableBytes: bavail * bsize };
}

function fsStats(dataPath: string): MutableJsonObject {
  const { totalBytes, freeBytes, availableBytes } = diskSpace(dataPath);
  const total = { total_in_bytes: totalBytes, free_in_bytes: freeBytes, available_in_bytes: availableBytes };
  return { timestamp: Date.now(), total, data: [{ path: dataPath, ...total }] };
}
