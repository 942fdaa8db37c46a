// Operations on the cluster: health, state, statistics. The node is alone: primaries are always assigned, replicas never.

import os from 'node:os';
import type { MutableJsonObject } from '../../common/json-value.ts';
import { nest } from '../../metadata/cluster-settings.ts';
import type { AliasMeta, IndexMeta } from '../../metadata/cluster-state.ts';
import type { EngineContext, ShardStats } from '../core/context.ts';

export type Health = 'green' | 'yellow' | 'red';

/** Shards of an index as the single node has them. */
export interface ShardCounts {
  readonly primaries: number;
  readonly replicas: number;
  readonly unassigned: number;
}

export function shardCounts(meta: IndexMeta): ShardCounts {
  const primaries = Number(meta.settings['index.number_of_shards'] ?? 1);
  // Auto-expanded replicas follow the number of nodes: none on one node.
  const isExpanded = /^0-/.test(String(meta.settings['index.auto_expand_replicas'] ?? 'false'));
  const replicas = isExpanded ? 0 : Number(meta.settings['index.number_of_replicas'] ?? 1);
  return { primaries, replicas, unassigned: primaries * replicas };
}

export function indexHealth(meta: IndexMeta): Health {
  return shardCounts(meta).unassigned > 0 ? 'yellow' : 'green';
}

export interface HealthRequest {
  /** Concrete names. */
  readonly indices: readonly string[];
  readonly level: 'cluster' | 'indices' | 'shards';
}

/** `GET _cluster/health` as it is now. */
export function clusterHealth(ctx: EngineContext, request: HealthRequest): MutableJsonObject & { status: Health } {
  const metas = request.indices.map((name) => ctx.cluster.indices[name]).filter((meta) => meta !== undefined);
  const counts = metas.map(shardCounts);
  const active = counts.reduce((sum, count) => sum + count.primaries, 0);
  const unassigned = counts.reduce((sum, count) => sum + count.unassigned, 0);
  const body: MutableJsonObject & { status: Health } = {
    cluster_name: ctx.clusterName,
    status: unassigned > 0 ? 'yellow' : 'green',
    timed_out: false,
    number_of_nodes: 1,
    number_of_data_nodes: 1,
    discovered_master: true,
    discovered_cluster_manager: true,
    active_primary_shards: active,
    active_shards: active,
    relocating_shards: 0,
    initializing_shards: 0,
    unassigned_shards: unassigned,
    delayed_unassigned_shards: 0,
    number_of_pending_tasks: 0,
    number_of_in_flight_fetch: 0,
    task_max_waiting_in_queue_millis: 0,
    active_shards_percent_as_number: active + unassigned === 0 ? 100 : (active * 100) / (active + unassigned),
  };
  if (request.level !== 'cluster') {
    body.indices = Object.fromEntries(metas.map((meta) => [meta.name, indexHealthBody(meta, request.level === 'shards')]));
  }
  return body;
}

function indexHealthBody(meta: IndexMeta, withShards: boolean): MutableJsonObject {
  const { primaries, replicas, unassigned } = shardCounts(meta);
  const body: MutableJsonObject = {
    status: indexHealth(meta),
    number_of_shards: primaries,
    number_of_replicas: replicas,
    active_primary_shards: primaries,
    active_shards: primaries,
    relocating_shards: 0,
    initializing_shards: 0,
    unassigned_shards: unassigned,
  };
  if (withShards) {
    body.shards = Object.fromEntries(
      Array.from({ length: primaries }, (_, shard) => [
        String(shard),
        {
          status: replicas > 0 ? 'yellow' : 'green',
          primary_active: true,
          active_shards: 1,
          relocating_shards: 0,
          initializing_shards: 0,
          unassigned_shards: replicas,
        },
      ]),
    );
  }
  return body;
}

export const STATE_METRICS = [
  'version',
  'master_node',
  'cluster_manager_node',
  'blocks',
  'nodes',
  'metadata',
  'routing_table',
  'routing_nodes',
] as const;
export type StateMetric = (typeof STATE_METRICS)[number];

export interface StateRequest {
  readonly metrics: ReadonlySet<StateMetric>;
  readonly indices: readonly string[];
  /** Settings of an index as the answer shows them: nested or flat. */
  readonly showSettings: (meta: IndexMeta) => unknown;
}

/** `GET _cluster/state`. */
export function clusterState(ctx: EngineContext, request: StateRequest): MutableJsonObject {
  const { metrics } = request;
  const state = ctx.cluster;
  const body: MutableJsonObject = { cluster_name: ctx.clusterName, cluster_uuid: state.clusterUuid };
  if (metrics.has('version')) Object.assign(body, { version: state.version, state_uuid: `${state.clusterUuid}-${state.version}` });
  if (metrics.has('master_node')) body.master_node = ctx.nodeId;
  if (metrics.has('cluster_manager_node')) body.cluster_manager_node = ctx.nodeId;
  const metas = request.indices.map((name) => state.indices[name]).filter((meta) => meta !== undefined);
  if (metrics.has('blocks')) body.blocks = blocksOf(metas);
  if (metrics.has('nodes')) {
    body.nodes = {
      [ctx.nodeId]: { name: ctx.nodeName, ephemeral_id: ctx.nodeId, transport_address: ctx.publishAddress ?? '', attributes: {} },
    };
  }
  if (metrics.has('metadata')) {
    body.metadata = {
      cluster_uuid: state.clusterUuid,
      cluster_uuid_committed: true,
      cluster_coordination: {
        term: 1,
        last_committed_config: [ctx.nodeId],
        last_accepted_config: [ctx.nodeId],
        voting_config_exclusions: [],
      },
      templates: state.templates,
      indices: Object.fromEntries(metas.map((meta) => [meta.name, indexMetadata(meta, request.showSettings)])),
      'index-graveyard': { tombstones: [] },
      index_template: { index_template: state.indexTemplates },
      component_template: { component_template: state.componentTemplates },
    };
  }
  if (metrics.has('routing_table')) {
    body.routing_table = {
      indices: Object.fromEntries(
        metas.map((meta) => [
          meta.name,
          {
            shards: Object.fromEntries(
              Array.from({ length: shardCounts(meta).primaries }, (_, shard) => [String(shard), shardCopies(ctx, meta, shard)]),
            ),
          },
        ]),
      ),
    };
  }
  if (metrics.has('routing_nodes')) {
    const copies = metas.flatMap((meta) =>
      Array.from({ length: shardCounts(meta).primaries }, (_, shard) => shardCopies(ctx, meta, shard)).flat(),
    );
    body.routing_nodes = {
      unassigned: copies.filter((copy) => copy.state === 'UNASSIGNED'),
      nodes: { [ctx.nodeId]: copies.filter((copy) => copy.state === 'STARTED') },
    };
  }
  return body;
}

const BLOCKS: Readonly<Record<string, { id: string; description: string; levels: string[] }>> = {
  'index.blocks.read_only': { id: '5', description: 'index read-only (api)', levels: ['write', 'metadata_write'] },
  'index.blocks.read': { id: '7', description: 'index read (api)', levels: ['read'] },
  'index.blocks.write': { id: '8', description: 'index write (api)', levels: ['write'] },
  'index.blocks.metadata': { id: '9', description: 'index metadata (api)', levels: ['metadata_write', 'metadata_read'] },
  'index.blocks.read_only_allow_delete': {
    id: '12',
    description: 'index read-only / allow delete (api)',
    levels: ['metadata_write', 'write'],
  },
};

function blocksOf(metas: readonly IndexMeta[]): MutableJsonObject {
  const indices: MutableJsonObject = {};
  for (const meta of metas) {
    const blocks: MutableJsonObject = {};
    if (meta.state === 'close') blocks['4'] = { description: 'index closed', retryable: false, levels: ['read', 'write'] };
    for (const [setting, { id, description, levels }] of Object.entries(BLOCKS)) {
      if (meta.settings[setting] === 'true') blocks[id] = { description, retryable: false, levels };
    }
    if (Object.keys(blocks).length > 0) indices[meta.name] = blocks;
  }
  return Object.keys(indices).length > 0 ? { indices } : {};
}

function indexMetadata(meta: IndexMeta, showSettings: (meta: IndexMeta) => unknown): MutableJsonObject {
  const { primaries } = shardCounts(meta);
  return {
    version: meta.mappingVersion + meta.settingsVersion + meta.aliasesVersion,
    mapping_version: meta.mappingVersion,
    settings_version: meta.settingsVersion,
    aliases_version: meta.aliasesVersion,
    routing_num_shards: Number(meta.settings['index.number_of_routing_shards'] ?? defaultRoutingShards(primaries)),
    state: meta.state,
    settings: showSettings(meta),
    mappings: Object.keys(meta.mappings).length === 0 ? {} : { _doc: meta.mappings },
    aliases: Object.keys(meta.aliases as Readonly<Record<string, AliasMeta>>),
    primary_terms: Object.fromEntries(Array.from({ length: primaries }, (_, shard) => [String(shard), 1])),
  };
}

/** The largest multiple of the shards by a power of two up to 1024: how far an index could be split. */
function defaultRoutingShards(primaries: number): number {
  const splits = 10 - Math.ceil(Math.log2(primaries));
  return primaries * 2 ** Math.max(1, splits);
}

interface ShardCopy extends MutableJsonObject {
  readonly state: 'STARTED' | 'UNASSIGNED';
  readonly primary: boolean;
}

/** The copies of one shard: its primary here, its replicas nowhere. */
export function shardCopies(ctx: EngineContext, meta: IndexMeta, shard: number): ShardCopy[] {
  const started: ShardCopy = {
    state: 'STARTED',
    primary: true,
    node: ctx.nodeId,
    relocating_node: null,
    shard,
    index: meta.name,
    allocation_id: { id: `${meta.uuid}-${shard}` },
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
  };
  return [started, ...Array.from({ length: shardCounts(meta).replicas }, () => missing)];
}

/** Sums over the open indices of a node. */
export interface NodeTotals {
  readonly docs: number;
  readonly deleted: number;
  readonly sizeBytes: number;
  readonly segments: number;
  readonly translogOperations: number;
  readonly translogBytes: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Bytes by field; see ShardStats. */
  readonly fielddata: Readonly<Record<string, number>>;
  readonly completion: Readonly<Record<string, number>>;
}

export async function nodeTotals(ctx: EngineContext): Promise<NodeTotals> {
  const names = Object.keys(ctx.cluster.indices);
  const shards: ShardStats[] = [];
  for (const name of names) {
    const index = ctx.index(name);
    if (index !== null && index.meta.state === 'open') shards.push(...(await ctx.shardStats(index)));
  }
  return sumShards(shards);
}

export function sumShards(shards: readonly ShardStats[]): NodeTotals {
  const named = { counters: {}, fielddata: {}, completion: {} } as Record<'counters' | 'fielddata' | 'completion', Record<string, number>>;
  const sum = { docs: 0, deleted: 0, sizeBytes: 0, segments: 0, translogOperations: 0, translogBytes: 0 };
  for (const shard of shards) {
    for (const key of Object.keys(sum) as Array<keyof typeof sum>) sum[key] += shard[key];
    for (const key of Object.keys(named) as Array<keyof typeof named>)
      for (const [name, value] of Object.entries(shard[key])) named[key][name] = (named[key][name] ?? 0) + value;
  }
  return { ...sum, ...named };
}

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
      count: { total: 1, cluster_manager: 1, coordinating_only: 0, data: 1, ingest: 1, master: 1, remote_cluster_client: 1, search: 0 },
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

/** `[{ name, count, index_count }]` over the mappings' fields, by name. */
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

/** `PUT _cluster/settings`: `{ acknowledged, persistent, transient }` with what was changed. @throws ApiError unknown settings */
export async function putClusterSettings(
  ctx: EngineContext,
  request: { body: Readonly<MutableJsonObject>; flat: boolean },
): Promise<unknown> {
  const response = (await ctx.command({ name: 'putClusterSettings', args: request })) as MutableJsonObject;
  if (!request.flat) return response;
  return {
    ...response,
    persistent: flatten(response.persistent as MutableJsonObject),
    transient: flatten(response.transient as MutableJsonObject),
  };
}

function flatten(nested: MutableJsonObject, prefix = '', flat: MutableJsonObject = {}): MutableJsonObject {
  for (const [key, value] of Object.entries(nested)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) flatten(value as MutableJsonObject, `${prefix}${key}.`, flat);
    else flat[prefix + key] = value;
  }
  return flat;
}

/** `GET _cluster/settings`. */
export function clusterSettings(ctx: EngineContext, request: { flat: boolean; includeDefaults: boolean }): MutableJsonObject {
  const { persistent, transient } = ctx.cluster.settings;
  const show = (settings: Readonly<Record<string, unknown>>): unknown => (request.flat ? settings : nest(settings));
  return {
    persistent: show(persistent),
    transient: show(transient),
    ...(request.includeDefaults ? { defaults: show({ 'cluster.name': ctx.clusterName, 'node.name': ctx.nodeName }) } : {}),
  };
}
