// The sections of `_stats` and `_nodes/stats`, rendered from sums over shards.
import type { MutableJsonObject } from '../../common/json-value.ts';
import { matchesPattern } from '../../common/wildcard.ts';
import type { EngineContext } from '../core/context.ts';
import { type NodeTotals, nodeTotals } from './node-totals.ts';

export const INDEX_STATS_METRICS = [
  'docs',
  'store',
  'indexing',
  'get',
  'search',
  'merge',
  'refresh',
  'flush',
  'warmer',
  'query_cache',
  'fielddata',
  'completion',
  'segments',
  'translog',
  'request_cache',
  'recovery',
] as const;

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

/** Memory of all fields as `key`, and of each field that matches a pattern. */
function memoryJson(key: string, byField: Readonly<Record<string, number>>, patterns: readonly string[] = []): MutableJsonObject {
  const shown = Object.entries(byField).filter(([name]) => patterns.some((pattern) => matchesPattern(pattern, name)));
  return {
    [key]: Object.values(byField).reduce((sum, bytes) => sum + bytes, 0),
    ...(shown.length > 0 ? { fields: Object.fromEntries(shown.map(([name, bytes]) => [name, { [key]: bytes }])) } : {}),
  };
}

/** By metric: renders the name and the content of its section. */
export const SECTIONS: Readonly<
  Record<(typeof INDEX_STATS_METRICS)[number], (totals: NodeTotals, fields?: NamedFields) => [string, MutableJsonObject]>
> = {
  docs: ({ docs, deleted }) => ['docs', { count: docs, deleted }],
  store: ({ sizeBytes }) => ['store', { size_in_bytes: sizeBytes, reserved_in_bytes: 0 }],
  indexing: ({ counters }) => [
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
    },
  ],
  get: ({ counters }) => [
    'get',
    {
      total: counters.gets ?? 0,
      time_in_millis: counters.getMillis ?? 0,
      exists_total: counters.getsFound ?? 0,
      exists_time_in_millis: 0,
      missing_total: (counters.gets ?? 0) - (counters.getsFound ?? 0),
      missing_time_in_millis: 0,
      current: 0,
    },
  ],
  search: ({ counters }) => [
    'search',
    {
      open_contexts: counters.openContexts ?? 0,
      query_total: counters.queries ?? 0,
      query_time_in_millis: counters.queryMillis ?? 0,
      query_current: 0,
      fetch_total: counters.fetches ?? 0,
      fetch_time_in_millis: counters.fetchMillis ?? 0,
      fetch_current: 0,
      scroll_total: counters.scrolls ?? 0,
      scroll_time_in_millis: 0,
      scroll_current: 0,
      suggest_total: 0,
      suggest_time_in_millis: 0,
      suggest_current: 0,
    },
  ],
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
  flush: ({ counters }) => ['flush', { total: counters.flushes ?? 0, periodic: 0, total_time_in_millis: 0 }],
  warmer: () => ['warmer', { current: 0, total: 0, total_time_in_millis: 0 }],
  query_cache: () => [
    'query_cache',
    { memory_size_in_bytes: 0, total_count: 0, hit_count: 0, miss_count: 0, cache_size: 0, cache_count: 0, evictions: 0 },
  ],
  fielddata: ({ fielddata }, fields) => {
    const { fields: shown, ...total } = memoryJson('memory_size_in_bytes', fielddata, fields?.fielddata);
    return ['fielddata', { ...total, evictions: 0, ...(shown === undefined ? {} : { fields: shown }) }];
  },
  completion: ({ completion }, fields) => ['completion', memoryJson('size_in_bytes', completion, fields?.completion)],
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
  request_cache: () => ['request_cache', { memory_size_in_bytes: 0, evictions: 0, hit_count: 0, miss_count: 0 }],
  recovery: () => ['recovery', { current_as_source: 0, current_as_target: 0, throttle_time_in_millis: 0 }],
};
