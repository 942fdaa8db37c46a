// `_nodes/stats`: statistics of the node.

import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';
import { sectionCountsJson } from '../../plan/section-counts.ts';
import type { EngineContext } from '../core/context.ts';
import { ownNames } from '../core/index-names.ts';
import { nodeTotals, sumShards } from './node-totals.ts';
import { fsStats, heapStats, osStats, processStats } from './process-stats.ts';
import { type NamedFields, renderSections } from './stats-sections.ts';
import { addressOf, isThisNode, nodeAttributes, nodeRoles, nodesHead } from './this-node.ts';
import { type ThreadCounts, threadPoolStats, threadPools } from './thread-pools.ts';

export interface NodeStatsRequest {
  /** `node`, `indices` or `shards`: level of detail of the section `indices`. */
  readonly level: string;
  readonly filter: readonly string[];
  readonly metrics: ReadonlySet<string>;
  /** Sections of `indices`; null for all. */
  readonly indexMetrics: readonly string[] | null;
  /** Patterns of fields and of groups of searches that are listed one by one, as far as the caller sees the indices that have them. */
  readonly fields?: NamedFields;
  readonly groups?: readonly string[];
  readonly dataPath: string;
  readonly startedMs: number;
  readonly threads: ThreadCounts;
  readonly memoryLimitBytes: number;
}

/** `GET _nodes/stats`. */
export async function nodesStats(ctx: EngineContext, request: NodeStatsRequest): Promise<MutableJsonObject> {
  const isSelected = isThisNode(ctx, request.filter);
  return { ...nodesHead(ctx, request.filter), nodes: isSelected ? { [ctx.nodeId]: await nodeStats(ctx, request) } : {} };
}

async function nodeStats(ctx: EngineContext, { metrics, ...request }: NodeStatsRequest): Promise<MutableJsonObject> {
  const { host } = addressOf(ctx);
  const stats: MutableJsonObject = {
    timestamp: Date.now(),
    name: ctx.nodeName,
    transport_address: ctx.publishAddress ?? host,
    host,
    ip: ctx.publishAddress ?? host,
    roles: nodeRoles(ctx),
    attributes: nodeAttributes(ctx),
  };
  if (metrics.has('indices')) {
    const { fields = { fielddata: [], completion: [] }, groups = [], indexMetrics } = request;
    const totals = await nodeTotals(ctx.whole);
    const listed = [fields.fielddata, fields.completion, groups].some((names) => names.length > 0) ? await nodeTotals(ctx) : undefined;
    stats.indices = {
      ...renderSections(totals, ctx.dialect, { metrics: indexMetrics, fields, groups, listed }),
      ...(request.level === 'indices' || request.level === 'shards' ? { [request.level]: await statsByIndex(ctx, request.level) } : {}),
    };
  }
  if (metrics.has('os')) stats.os = osStats();
  if (metrics.has('process')) stats.process = processStats();
  if (metrics.has('jvm')) stats.jvm = heapStats(request.startedMs);
  if (metrics.has('thread_pool')) stats.thread_pool = threadPoolStats(threadPools(ctx.dialect, request.threads));
  if (metrics.has('fs')) stats.fs = fsStats(request.dataPath);
  if (metrics.has('transport')) stats.transport = NO_TRANSPORT;
  if (metrics.has('breaker')) stats.breakers = breakerStats(ctx);
  if (metrics.has('script')) stats.script = NO_COMPILATIONS;
  if (metrics.has('discovery')) stats.discovery = discoveryStats(ctx);
  if (metrics.has('ingest')) stats.ingest = { total: NO_RUNS, pipelines: {} };
  if (metrics.has('adaptive_selection')) stats.adaptive_selection = {};
  if (metrics.has('segment_memory')) stats.segment_memory = segmentMemory(ctx);
  if (metrics.has('script_cache')) stats.script_cache = { sum: NO_COMPILATIONS };
  if (metrics.has('indexing_pressure')) stats.indexing_pressure = indexingPressure(ctx, request.memoryLimitBytes);
  return stats;
}

/** A single node sends nothing to others. */
const NO_TRANSPORT = {
  server_open: 0,
  total_outbound_connections: 0,
  rx_count: 0,
  rx_size_in_bytes: 0,
  tx_count: 0,
  tx_size_in_bytes: 0,
};

const NO_COMPILATIONS = { compilations: 0, cache_evictions: 0, compilation_limit_triggered: 0 };
const NO_RUNS = { count: 0, time_in_millis: 0, current: 0, failed: 0 };

/** Bodies of requests in progress. Completed requests are not counted. */
export function indexingPressure({ memory, dialect }: EngineContext, limit: number): MutableJsonObject {
  const bytes = memory.stats().find(({ name }) => name === 'in_flight_requests')?.estimated ?? 0;
  const sizes = {
    combined_coordinating_and_primary_in_bytes: bytes,
    coordinating_in_bytes: bytes,
    primary_in_bytes: 0,
    replica_in_bytes: 0,
    all_in_bytes: bytes,
  };
  const rejections = {
    coordinating_rejections: 0,
    primary_rejections: 0,
    replica_rejections: 0,
    ...(dialect.countsUsage ? { primary_document_rejections: 0 } : {}),
  };
  return { memory: { current: sizes, total: { ...sizes, ...rejections }, limit_in_bytes: limit } };
}

const NO_SECTIONS = { loads: 0, loadedBytes: 0, evictions: 0, evictedBytes: 0, waits: 0, waitedMs: 0 };

/** Sections of segments that are only partly in memory (docs/operations.md). */
function segmentMemory(ctx: EngineContext): MutableJsonObject {
  const memory = ctx.segmentMemory();
  return {
    limit_in_bytes: memory?.capacityBytes ?? 0,
    resident_in_bytes: memory?.residentBytes ?? 0,
    ...sectionCountsJson(memory ?? NO_SECTIONS),
  };
}

/** Circuit breakers by name, in Elasticsearch's shape. */
function breakerStats(ctx: EngineContext): MutableJsonObject {
  return Object.fromEntries(
    ctx.memory.stats().map(({ name, limit, estimated, overhead, tripped }) => [
      // Elasticsearch and OpenSearch spell this one differently.
      name === 'in_flight_requests' && !ctx.dialect.namesClusterManager ? 'inflight_requests' : name,
      {
        limit_size_in_bytes: limit,
        limit_size: formatByteSize(limit),
        estimated_size_in_bytes: estimated,
        estimated_size: formatByteSize(estimated),
        overhead: jsonDouble(overhead),
        tripped,
      },
    ]),
  );
}

/** Documents and bytes per index or per shard. */
async function statsByIndex(ctx: EngineContext, level: 'indices' | 'shards'): Promise<MutableJsonObject> {
  const render = ({ docs, deleted, sizeBytes }: { docs: number; deleted: number; sizeBytes: number }): MutableJsonObject => ({
    docs: { count: docs, deleted },
    store: { size_in_bytes: sizeBytes, reserved_in_bytes: 0 },
  });
  const body: MutableJsonObject = {};
  for (const name of ownNames(ctx)) {
    const index = ctx.index(name);
    if (index === null || index.meta.state !== 'open') continue;
    const shards = await ctx.shardStats(index);
    body[name] = level === 'indices' ? render(sumShards(shards)) : shards.map((shard) => ({ [String(shard.shard)]: render(shard) }));
  }
  return body;
}

/** Cluster states are published to the threads of one process, always as a whole. */
function discoveryStats(ctx: EngineContext): MutableJsonObject {
  return {
    cluster_state_queue: { total: 0, pending: 0, committed: 0 },
    published_cluster_states: { full_states: ctx.cluster.version, incompatible_diffs: 0, compatible_diffs: 0 },
  };
}
