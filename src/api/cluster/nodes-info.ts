// `_nodes`: properties of the node.

import os from 'node:os';
import { getHeapSpaceStatistics } from 'node:v8';
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { PROCESSORS } from '../../ingest/processors/registry.ts';
import type { EngineContext } from '../core/context.ts';
import { withHumanValues } from '../core/human-values.ts';
import { aggregationTypes } from './aggregation-types.ts';
import { heap } from './process-stats.ts';
import { addressOf, componentVersions, isThisNode, nodeAttributes, nodeRoles, nodesHead } from './this-node.ts';
import { type ThreadCounts, threadPoolInfo, threadPools } from './thread-pools.ts';

/** Settings that every Elasticsearch node reports, and that typed clients expect. */
const ELASTICSEARCH_SETTINGS = {
  'cluster.election.strategy': 'supports_voting_only',
  'node.attr.xpack.installed': 'true',
  'http.type': 'netty4',
  'http.type.default': 'netty4',
  'transport.type': 'netty4',
  'transport.type.default': 'netty4',
};

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
  readonly threads: ThreadCounts;
}

/** `GET _nodes`. */
export function nodesInfo(ctx: EngineContext, request: NodeInfoRequest): MutableJsonObject {
  return { ...nodesHead(ctx, request.filter), nodes: isThisNode(ctx, request.filter) ? { [ctx.nodeId]: showNode(ctx, request) } : {} };
}

function showNode(ctx: EngineContext, request: NodeInfoRequest): MutableJsonObject {
  const info = nodeInfo(ctx, request);
  const buffer = request.metrics.has('indices') ? indexingBuffer(request.memoryLimitBytes, request.human, ctx.dialect) : {};
  return { ...(request.human ? (withHumanValues(info, ctx.dialect) as MutableJsonObject) : info), ...buffer };
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
    ...componentVersions(ctx),
    ...(ctx.dialect.namesClusterManager ? {} : { build_flavor: 'default' }),
    build_type: 'tar',
    build_hash: 'gannet',
    roles: nodeRoles(ctx),
    attributes: nodeAttributes(ctx),
  };
  const settings = {
    'client.type': 'node',
    'cluster.name': ctx.clusterName,
    'node.name': ctx.nodeName,
    'path.data': request.dataPath,
    'http.port': String(port ?? ''),
    ...(ctx.dialect.namesClusterManager ? {} : ELASTICSEARCH_SETTINGS),
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
    jvm: () => jvmInfo(ctx, request.startedMs),
    thread_pool: () => threadPoolInfo(threadPools(ctx.dialect, request.threads)),
    transport: () => ({ bound_address: [publishAddress], publish_address: publishAddress, profiles: {} }),
    http: () => ({
      bound_address: [publishAddress],
      publish_address: publishAddress,
      max_content_length_in_bytes: request.maxContentLength,
    }),
    plugins: () => [],
    ingest: () => ({ processors: [...PROCESSORS.keys()].sort().map((type) => ({ type })) }),
    aggregations: () => aggregationTypes(ctx.dialect),
  };
  for (const [name, section] of Object.entries(sections)) if (metrics.has(name)) info[name] = section();
  return info;
}

/** The runtime, in the shape that clients of Java servers expect. */
function jvmInfo({ dialect }: EngineContext, startedMs: number): MutableJsonObject {
  const { max, committed } = heap();
  return {
    pid: process.pid,
    version: process.versions.node,
    vm_name: 'node',
    vm_version: process.versions.v8,
    vm_vendor: 'Node.js',
    ...(dialect.namesClusterManager ? { bundled_jdk: false } : {}),
    using_bundled_jdk: false,
    start_time_in_millis: startedMs,
    mem: {
      heap_init_in_bytes: committed,
      heap_max_in_bytes: max,
      non_heap_init_in_bytes: 0,
      non_heap_max_in_bytes: 0,
      direct_max_in_bytes: 0,
    },
    gc_collectors: ['scavenge', 'mark-sweep-compact'],
    memory_pools: getHeapSpaceStatistics().map(({ space_name }) => space_name),
    using_compressed_ordinary_object_pointers: 'false',
    input_arguments: process.execArgv,
  };
}

/**
 * Part of the metric `indices`. Responses to sniffing clients, which request `http`, must not contain it. Elasticsearch's names are
 * swapped: the readable value ends in `_in_bytes`.
 */
function indexingBuffer(bytes: number, isHuman: boolean, { swapsIndexingBuffer }: Dialect): MutableJsonObject {
  if (!swapsIndexingBuffer)
    return { ...(isHuman ? { total_indexing_buffer: formatByteSize(bytes) } : {}), total_indexing_buffer_in_bytes: bytes };
  return { ...(isHuman ? { total_indexing_buffer_in_bytes: formatByteSize(bytes) } : {}), total_indexing_buffer: bytes };
}

/** Settings by the parts of their names. Below a setting that has a value itself, the rest of the name stays one key (`type.default`). */
function nest(flat: Readonly<Record<string, string>>): MutableJsonObject {
  const root: MutableJsonObject = {};
  for (const [name, value] of Object.entries(flat)) {
    const parts = name.split('.');
    let at = root;
    while (parts.length > 1) {
      const inner = at[parts[0]] ?? {};
      if (!isObject(inner)) break;
      at[parts[0]] = inner;
      at = inner;
      parts.shift();
    }
    at[parts.join('.')] = value;
  }
  return root;
}
