// `_cluster/stats`.

import os from 'node:os';
import { jsonDouble } from '../../common/json/json-float.ts';
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { EngineContext } from '../core/context.ts';
import { clusterHealth } from './cluster-health.ts';
import { clusterTotals, type NodeTotals } from './node-totals.ts';
import { indexingPressure } from './nodes-stats.ts';
import { diskSpace, fileDescriptors, heap, memoryOfMachine, threadCount } from './process-stats.ts';
import { shardCounts } from './shard-counts.ts';
import { renderSections } from './stats-sections.ts';

/** `GET _cluster/stats`. */
export async function clusterStats(
  ctx: EngineContext,
  { version, startedMs, dataPath, memoryLimitBytes }: { version: string; startedMs: number; dataPath: string; memoryLimitBytes: number },
): Promise<MutableJsonObject> {
  const open = fileDescriptors().current;
  const metas = Object.values(ctx.cluster.indices);
  const totals = await clusterTotals(ctx);
  const shards = metas.reduce((sum, meta) => sum + shardCounts(ctx, meta).primaries, 0);
  const fieldTypes = countFieldTypes(metas);
  return {
    _nodes: { total: 1, successful: 1, failed: 0 },
    cluster_name: ctx.clusterName,
    cluster_uuid: ctx.cluster.clusterUuid,
    timestamp: Date.now(),
    status: clusterHealth(ctx, { indices: Object.keys(ctx.cluster.indices), level: 'cluster' }).status,
    indices: {
      count: metas.length,
      shards: shardsSection(ctx, metas, shards),
      ...renderSections(totals, ctx.dialect, { metrics: ['docs', 'store', 'fielddata', 'query_cache', 'completion', 'segments'] }),
      mappings: mappingsSection(ctx, fieldTypes),
      analysis: { ...analysisSection(metas), ...(ctx.dialect.countsUsage ? { synonyms: {} } : {}) },
      ...(ctx.dialect.showsDatasetSize ? { versions: versionsSection(version, metas, shards, totals.sizeBytes) } : {}),
      ...(ctx.dialect.countsUsage ? usageSections(ctx, totals) : {}),
    },
    nodes: {
      count: {
        total: 1,
        ...(ctx.dialect.namesClusterManager ? { cluster_manager: 1 } : {}),
        coordinating_only: 0,
        data: 1,
        ...(ctx.dialect.namesClusterManager ? { warm: 0 } : ES_ROLES),
        ingest: 1,
        master: 1,
        remote_cluster_client: 1,
        search: 0,
      },
      versions: [version],
      os: osCounts(),
      process: { cpu: { percent: 0 }, open_file_descriptors: { min: open, max: open, avg: open } },
      jvm: jvmCounts(startedMs),
      fs: fsTotals(dataPath),
      plugins: [],
      network_types: { transport_types: { gannet: 1 }, http_types: { gannet: 1 } },
      ingest: { number_of_pipelines: Object.keys(ctx.cluster.pipelines).length, processor_stats: {} },
      discovery_types: { 'single-node': 1 },
      packaging_types: [{ ...(ctx.dialect.namesClusterManager ? {} : { flavor: 'default' }), type: 'tar', count: 1 }],
      ...(ctx.dialect.countsUsage ? { indexing_pressure: indexingPressure(ctx, memoryLimitBytes) } : {}),
    },
  };
}

/** Searches since the start, by shard; kinds of queries are not counted. Vectors by kind. */
function usageSections({ dialect }: EngineContext, totals: NodeTotals): MutableJsonObject {
  return {
    search: { total: totals.counters.queries ?? 0, queries: {}, rescorers: {}, sections: {} },
    ...renderSections(totals, dialect, { metrics: ['dense_vector', 'sparse_vector'] }),
  };
}

/** `{}` without shards. Only primaries are on this node. */
function shardsSection(ctx: EngineContext, metas: readonly IndexMeta[], total: number): MutableJsonObject {
  if (total === 0) return {};
  const counts = metas.filter(({ state }) => state === 'open').map((meta) => shardCounts(ctx, meta).primaries);
  const range = { min: Math.min(...counts), max: Math.max(...counts), avg: jsonDouble(total / counts.length) };
  const none = jsonDouble(0);
  return {
    total,
    primaries: total,
    replication: none,
    index: { shards: range, primaries: range, replication: { min: none, max: none, avg: none } },
  };
}

function mappingsSection({ dialect }: EngineContext, types: readonly MutableJsonObject[]): MutableJsonObject {
  if (!dialect.showsDatasetSize) return { field_types: types };
  const total = types.reduce((sum, { count }) => sum + Number(count), 0);
  return {
    total_field_count: total,
    total_deduplicated_field_count: total,
    total_deduplicated_mapping_size_in_bytes: 0,
    field_types: types.map((type) => ({ ...type, script_count: 0 })),
    runtime_field_types: [],
  };
}

function versionsSection(version: string, metas: readonly IndexMeta[], shards: number, bytes: number): MutableJsonObject[] {
  return metas.length === 0 ? [] : [{ version, index_count: metas.length, primary_shard_count: shards, total_primary_bytes: bytes }];
}

const ANALYSIS_KINDS = ['char_filter', 'tokenizer', 'filter', 'analyzer'] as const;
const COMPONENT = /^index\.analysis\.(char_filter|tokenizer|filter|analyzer)\.([^.]+)\.(type|tokenizer)$/;
const USE = /^index\.analysis\.analyzer\.[^.]+\.(char_filter|tokenizer|filter)(?:\.\d+)?$/;

/** Types of the analysis components that indices define, and built-in components that their analyzers use, each with its number of indices. */
function analysisSection(metas: readonly IndexMeta[]): MutableJsonObject {
  const types = new Map<string, Map<string, { count: number; indices: Set<string> }>>();
  const add = (list: string, name: string, index: string): void => {
    const byName = types.get(list) ?? new Map<string, { count: number; indices: Set<string> }>();
    types.set(list, byName);
    const entry = byName.get(name) ?? { count: 0, indices: new Set<string>() };
    byName.set(name, entry);
    entry.count++;
    entry.indices.add(index);
  };
  for (const { name: index, settings, mappings } of metas) {
    const own = new Set<string>();
    for (const key of Object.keys(settings)) {
      const component = COMPONENT.exec(key);
      if (component) own.add(`${component[1]} ${component[2]}`);
    }
    for (const [key, value] of Object.entries(settings)) {
      const component = COMPONENT.exec(key);
      // An analyzer without a type is a custom one.
      if (component?.[3] === 'type') add(`${component[1]}_types`, String(value), index);
      else if (component?.[1] === 'analyzer' && settings[key.replace(/tokenizer$/, 'type')] === undefined)
        add('analyzer_types', 'custom', index);
      const used = USE.exec(key);
      for (const name of used ? [value].flat().map(String) : [])
        if (used && !own.has(`${used[1]} ${name}`)) add(`built_in_${used[1]}s`, name, index);
    }
    for (const name of analyzersOf(mappings)) if (!own.has(`analyzer ${name}`)) add('built_in_analyzers', name, index);
  }
  const shown = (list: string): MutableJsonObject[] =>
    [...(types.get(list) ?? [])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { count, indices }]) => ({ name, count, index_count: indices.size }));
  return Object.fromEntries([
    ...ANALYSIS_KINDS.map((kind) => [`${kind}_types`, shown(`${kind}_types`)]),
    ...ANALYSIS_KINDS.map((kind) => [`built_in_${kind}s`, shown(`built_in_${kind}s`)]),
  ]);
}

/** Analyzers that fields refer to. */
function analyzersOf(node: unknown): Set<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (!isObject(value)) return;
    for (const key of ['analyzer', 'search_analyzer', 'search_quote_analyzer']) {
      if (typeof value[key] === 'string') found.add(value[key]);
    }
    for (const children of [value.properties, value.fields]) if (isObject(children)) Object.values(children).forEach(visit);
  };
  visit(node);
  return found;
}

/** Roles of Elasticsearch that this node does not have. */
const ES_ROLES = {
  data_cold: 0,
  data_content: 0,
  data_frozen: 0,
  data_hot: 0,
  data_warm: 0,
  index: 0,
  ml: 0,
  transform: 0,
  voting_only: 0,
};

function jvmCounts(startedMs: number): MutableJsonObject {
  const { used, max } = heap();
  const { node, v8 } = process.versions;
  const runtime = { version: node, vm_name: 'node', vm_version: v8, vm_vendor: 'Node.js' };
  return {
    max_uptime_in_millis: Date.now() - startedMs,
    versions: [{ ...runtime, bundled_jdk: false, using_bundled_jdk: false, count: 1 }],
    mem: { heap_used_in_bytes: used, heap_max_in_bytes: max },
    threads: threadCount(),
  };
}

function fsTotals(dataPath: string): MutableJsonObject {
  const { totalBytes, freeBytes, availableBytes } = diskSpace(dataPath);
  return { total_in_bytes: totalBytes, free_in_bytes: freeBytes, available_in_bytes: availableBytes };
}

function osCounts(): MutableJsonObject {
  return {
    available_processors: os.availableParallelism(),
    allocated_processors: os.availableParallelism(),
    names: [{ name: os.type(), count: 1 }],
    architectures: [{ arch: os.arch(), count: 1 }],
    pretty_names: [{ pretty_name: `${os.type()} ${os.release()}`, count: 1 }],
    mem: memoryOfMachine(),
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
