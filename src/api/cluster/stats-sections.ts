// The sections of `_stats` and `_nodes/stats`, rendered from sums over shards.
import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { formatDuration } from '../../common/text/time-unit.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { EngineContext } from '../core/context.ts';
import { INDEX_STATS_METRICS } from '../core/metric-names.ts';
import { type NodeTotals, nodeTotals } from './node-totals.ts';

/** Patterns of the fields whose memory is listed one by one. */
export interface NamedFields {
  readonly fielddata: readonly string[];
  readonly completion: readonly string[];
}

/** Fields of the node with fielddata that match one of the patterns, with their memory. */
export async function fielddataOf(ctx: EngineContext, patterns: readonly string[]): Promise<Array<[field: string, bytes: number]>> {
  const { fielddata } = await nodeTotals(ctx);
  return Object.entries(fielddata).filter(([name]) => patterns.some((pattern) => matchesPattern(pattern, name)));
}

/** Memory of all fields as `key`, and of each listed field that matches a pattern. */
function memoryJson(
  key: string,
  byField: Readonly<Record<string, number>>,
  patterns: readonly string[] = [],
  listed = byField,
): MutableJsonObject {
  const shown = Object.entries(listed).filter(([name]) => patterns.some((pattern) => matchesPattern(pattern, name)));
  return {
    [key]: Object.values(byField).reduce((sum, bytes) => sum + bytes, 0),
    ...(shown.length > 0 ? { fields: Object.fromEntries(shown.map(([name, bytes]) => [name, { [key]: bytes }])) } : {}),
  };
}

/** The source of the figures, and how they are rendered. */
interface Shown {
  readonly dialect: Dialect;
  readonly fields?: NamedFields;
  /** Patterns of groups of searches. */
  readonly groups?: readonly string[];
  /** Sums over the indices whose fields and groups of searches may be named; all of them by default. */
  readonly listed?: NodeTotals;
}

type Metric = (typeof INDEX_STATS_METRICS)[number];

/**
 * Sections of statistics by their names.
 * @param metrics  those to show; null for all
 */
export function renderSections(
  totals: NodeTotals,
  dialect: Dialect,
  { metrics = null, ...chosen }: { metrics?: readonly string[] | null } & Omit<Shown, 'dialect'> = {},
): MutableJsonObject {
  const shown = INDEX_STATS_METRICS.filter(
    (metric) => (metrics === null || metrics.includes(metric)) && (dialect.showsDatasetSize || !SINCE_8.has(metric)),
  );
  return Object.fromEntries(shown.map((metric) => SECTIONS[metric](totals, { dialect, ...chosen })));
}

const SINCE_8: ReadonlySet<Metric> = new Set(['shard_stats', 'bulk', 'mappings', 'dense_vector', 'sparse_vector']);

/** By metric: renders the name and the content of its section. */
const SECTIONS: Readonly<Record<Metric, (totals: NodeTotals, shown: Shown) => [string, MutableJsonObject]>> = {
  docs: ({ docs, deleted, sizeBytes }, { dialect }) => [
    'docs',
    { count: docs, deleted, ...(dialect.showsDatasetSize ? { total_size_in_bytes: sizeBytes } : {}) },
  ],
  shard_stats: ({ shards }) => ['shard_stats', { total_count: shards }],
  store: ({ sizeBytes }, { dialect }) => [
    'store',
    { size_in_bytes: sizeBytes, ...(dialect.showsDatasetSize ? { total_data_set_size_in_bytes: sizeBytes } : {}), reserved_in_bytes: 0 },
  ],
  indexing: ({ counters }, { dialect }) => [
    'indexing',
    {
      index_total: counters.indexed ?? 0,
      index_time_in_millis: counters.indexMillis ?? 0,
      index_current: 0,
      index_failed: counters.failed ?? 0,
      delete_total: counters.deleted ?? 0,
      delete_time_in_millis: counters.deleteMillis ?? 0,
      delete_current: 0,
      noop_update_total: counters.noops ?? 0,
      is_throttled: false,
      throttle_time_in_millis: 0,
      ...(dialect.showsDatasetSize ? { write_load: jsonDouble(0) } : {}),
    },
  ],
  get: ({ counters }, { dialect }) => [
    'get',
    {
      total: counters.gets ?? 0,
      ...(dialect.namesClusterManager ? { getTime: formatDuration(millis(counters.getMicros)) } : {}),
      time_in_millis: millis(counters.getMicros),
      exists_total: counters.getsFound ?? 0,
      exists_time_in_millis: 0,
      missing_total: (counters.gets ?? 0) - (counters.getsFound ?? 0),
      missing_time_in_millis: 0,
      current: 0,
    },
  ],
  search: ({ counters, searchGroups }, { dialect, groups = [], listed }) => {
    const byGroup = listed?.searchGroups ?? searchGroups;
    const shown = Object.keys(byGroup).filter((name) => groups.some((pattern) => pattern === '_all' || matchesPattern(pattern, name)));
    return [
      'search',
      {
        open_contexts: 0,
        ...searchJson(counters, dialect),
        ...(shown.length > 0 ? { groups: Object.fromEntries(shown.map((name) => [name, searchJson(byGroup[name], dialect)])) } : {}),
      },
    ];
  },
  merge: ({ counters }) => [
    'merges',
    {
      current: 0,
      current_docs: 0,
      current_size_in_bytes: 0,
      total: counters.merges ?? 0,
      total_time_in_millis: counters.mergeMillis ?? 0,
      total_docs: counters.mergedDocs ?? 0,
      total_size_in_bytes: counters.mergedBytes ?? 0,
      total_stopped_time_in_millis: 0,
      total_throttled_time_in_millis: 0,
      total_auto_throttle_in_bytes: 0,
    },
  ],
  refresh: ({ counters }) => [
    'refresh',
    {
      total: counters.refreshes ?? 0,
      total_time_in_millis: 0,
      external_total: counters.refreshes ?? 0,
      external_total_time_in_millis: 0,
      listeners: 0,
    },
  ],
  flush: ({ counters }, { dialect }) => [
    'flush',
    {
      total: counters.flushes ?? 0,
      periodic: 0,
      total_time_in_millis: 0,
      ...(dialect.showsDatasetSize ? { total_time_excluding_waiting_on_lock_in_millis: 0 } : {}),
    },
  ],
  warmer: () => ['warmer', { current: 0, total: 0, total_time_in_millis: 0 }],
  query_cache: () => [
    'query_cache',
    { memory_size_in_bytes: 0, total_count: 0, hit_count: 0, miss_count: 0, cache_size: 0, cache_count: 0, evictions: 0 },
  ],
  fielddata: ({ fielddata }, { dialect, fields, listed }) => {
    const { fields: shown, ...total } = memoryJson('memory_size_in_bytes', fielddata, fields?.fielddata, listed?.fielddata);
    return [
      'fielddata',
      {
        ...total,
        evictions: 0,
        ...(dialect.showsDatasetSize ? { global_ordinals: { build_time_in_millis: 0 } } : {}),
        ...(shown === undefined ? {} : { fields: shown }),
      },
    ];
  },
  completion: ({ completion }, { fields, listed }) => [
    'completion',
    memoryJson('size_in_bytes', completion, fields?.completion, listed?.completion),
  ],
  segments: ({ segments, sizeBytes }) => [
    'segments',
    {
      count: segments,
      memory_in_bytes: sizeBytes,
      // The memory of a segment is not broken down by its parts.
      terms_memory_in_bytes: 0,
      stored_fields_memory_in_bytes: 0,
      term_vectors_memory_in_bytes: 0,
      norms_memory_in_bytes: 0,
      points_memory_in_bytes: 0,
      doc_values_memory_in_bytes: 0,
      index_writer_memory_in_bytes: 0,
      version_map_memory_in_bytes: 0,
      fixed_bit_set_memory_in_bytes: 0,
      max_unsafe_auto_id_timestamp: -1,
      file_sizes: {},
    },
  ],
  translog: ({ translogOperations, translogBytes }) => [
    'translog',
    {
      operations: translogOperations,
      size_in_bytes: translogBytes,
      uncommitted_operations: translogOperations,
      uncommitted_size_in_bytes: translogBytes,
      earliest_last_modified_age: 0,
    },
  ],
  request_cache: ({ counters }) => [
    'request_cache',
    { memory_size_in_bytes: 0, evictions: 0, hit_count: counters.cacheHits ?? 0, miss_count: counters.cacheMisses ?? 0 },
  ],
  recovery: () => ['recovery', { current_as_source: 0, current_as_target: 0, throttle_time_in_millis: 0 }],
  bulk: ({ counters }) => {
    const { bulks = 0, bulkMillis = 0, bulkBytes = 0 } = counters;
    const average = (sum: number): number => (bulks === 0 ? 0 : Math.floor(sum / bulks));
    return [
      'bulk',
      {
        total_operations: bulks,
        total_time_in_millis: bulkMillis,
        total_size_in_bytes: bulkBytes,
        avg_time_in_millis: average(bulkMillis),
        avg_size_in_bytes: average(bulkBytes),
      },
    ];
  },
  mappings: ({ mappedFields }) => [
    'mappings',
    { total_count: mappedFields, total_estimated_overhead_in_bytes: mappedFields * BYTES_PER_MAPPED_FIELD },
  ],
  dense_vector: ({ counters }) => ['dense_vector', { value_count: counters.denseVectors ?? 0 }],
  sparse_vector: ({ counters }) => ['sparse_vector', { value_count: counters.sparseVectors ?? 0 }],
};

const millis = (micros = 0): number => Math.floor(micros / 1000);

function searchJson(counters: Readonly<Record<string, number>>, { namesClusterManager: isOpenSearch }: Dialect): MutableJsonObject {
  return {
    query_total: counters.queries ?? 0,
    query_time_in_millis: millis(counters.queryMicros),
    query_current: 0,
    ...(isOpenSearch ? CONCURRENT_SEARCHES : {}),
    fetch_total: counters.fetches ?? 0,
    fetch_time_in_millis: millis(counters.fetchMicros),
    fetch_current: 0,
    scroll_total: counters.scrolls ?? 0,
    scroll_time_in_millis: 0,
    scroll_current: 0,
    ...(isOpenSearch ? POINTS_IN_TIME : {}),
    suggest_total: counters.suggests ?? 0,
    suggest_time_in_millis: 0,
    suggest_current: 0,
    ...(isOpenSearch ? { search_idle_reactivate_count_total: 0 } : {}),
  };
}

/** Elasticsearch's estimate. */
const BYTES_PER_MAPPED_FIELD = 1024;

/** A shard is never searched by several threads at once. */
const CONCURRENT_SEARCHES = {
  concurrent_query_total: 0,
  concurrent_query_time_in_millis: 0,
  concurrent_query_current: 0,
  concurrent_avg_slice_count: jsonDouble(0),
};

const POINTS_IN_TIME = { point_in_time_total: 0, point_in_time_time_in_millis: 0, point_in_time_current: 0 };
