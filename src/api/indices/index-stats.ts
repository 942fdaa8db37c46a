// `_stats`, `_segments`, `_recovery`: what the shards count.

import type { MutableJsonObject } from '../../common/json-value.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import { matchesPattern } from '../../metadata/names.ts';
import { indexHealth, type NodeTotals, nodeTotals, shardCounts, sumShards } from '../cluster/cluster.ts';
import type { EngineContext, IndexState, ShardSnapshot, ShardStats } from '../core/context.ts';
import { withHumanValues } from '../core/human-values.ts';
import { type IndexTarget, TARGETS, targetNames } from '../core/index-names.ts';
import { contextMissing, decodeContextId } from '../search/context-id.ts';

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

/** Fields (patterns) whose memory is shown one by one. */
export interface NamedFields {
  readonly fielddata: readonly string[];
  readonly completion: readonly string[];
}

/** Memory of the node's fields with fielddata that match one of the patterns. */
export async function fielddataOf(ctx: EngineContext, patterns: readonly string[]): Promise<Array<[field: string, bytes: number]>> {
  const { fielddata } = await nodeTotals(ctx);
  return Object.entries(fielddata).filter(([name]) => patterns.some((pattern) => matchesPattern(pattern, name)));
}

/** Memory of all fields under `key`, and of those that are named. */
function memoryJson(key: string, byField: Readonly<Record<string, number>>, patterns: readonly string[] = []): MutableJsonObject {
  const shown = Object.entries(byField).filter(([name]) => patterns.some((pattern) => matchesPattern(pattern, name)));
  return {
    [key]: Object.values(byField).reduce((sum, bytes) => sum + bytes, 0),
    ...(shown.length > 0 ? { fields: Object.fromEntries(shown.map(([name, bytes]) => [name, { [key]: bytes }])) } : {}),
  };
}

/** Section names and figures of the totals of some shards. */
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
      // Parts of an image are not counted apart.
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

export interface IndexStatsRequest extends IndexTarget {
  /** Metric names, empty: all. */
  readonly metrics: readonly string[];
  readonly level?: string;
  readonly human?: boolean;
  /** false: closed indices are counted too, with nothing in them. */
  readonly forbidClosed?: boolean;
  readonly fields?: NamedFields;
}

/** @throws ApiError illegal_argument_exception: an unknown level */
export async function indexStats(ctx: EngineContext, request: IndexStatsRequest): Promise<MutableJsonObject> {
  const level = request.level ?? 'indices';
  if (level !== 'cluster' && level !== 'indices' && level !== 'shards')
    throw illegalArgument(`level parameter must be one of [cluster] or [indices] or [shards] but was [${level}]`);
  const isAll = request.metrics.length === 0 || request.metrics.includes('_all');
  const metrics = INDEX_STATS_METRICS.filter((metric) => isAll || request.metrics.includes(metric));
  const render = (shards: readonly ShardStats[]): MutableJsonObject => {
    const totals = sumShards(shards);
    const sections = Object.fromEntries(metrics.map((metric) => SECTIONS[metric](totals, request.fields)));
    return request.human ? (withHumanValues(sections) as MutableJsonObject) : sections;
  };
  const found = await statsOf(ctx, request, request.forbidClosed ?? true);
  const all = found.flatMap(({ shards }) => shards);
  const body: MutableJsonObject = {
    _shards: shardsHeader(found.map(({ index }) => index)),
    _all: { primaries: render(all), total: render(all) },
  };
  if (level === 'cluster') return body;
  body.indices = Object.fromEntries(
    found.map(({ index, shards }) => {
      const entry: MutableJsonObject = { uuid: index.meta.uuid, primaries: render(shards), total: render(shards) };
      if (level === 'shards') {
        entry.shards = Object.fromEntries(
          shards.map((shard) => [
            String(shard.shard),
            [
              {
                routing: { state: 'STARTED', primary: true, node: ctx.nodeId, relocating_node: null },
                ...render([shard]),
                commit: { id: `${index.meta.uuid}-${shard.shard}`, generation: 1, user_data: {}, num_docs: shard.docs },
                seq_no: { max_seq_no: shard.maxSeqNo, local_checkpoint: shard.maxSeqNo, global_checkpoint: shard.maxSeqNo },
                shard_path: {},
              },
            ],
          ]),
        );
      }
      return [index.meta.name, entry];
    }),
  );
  return body;
}

function shardsHeader(indices: readonly IndexState[]): MutableJsonObject {
  let total = 0;
  let successful = 0;
  for (const { meta, numberOfShards } of indices) {
    total += numberOfShards * (1 + Number(meta.settings['index.number_of_replicas'] ?? 1));
    successful += numberOfShards;
  }
  return { total, successful, failed: 0 };
}

export interface FoundStats {
  readonly index: IndexState;
  readonly shards: readonly ShardStats[];
}

/** Statistics of the indices of a target, in its order; of closed ones only when they are not forbidden, as if empty. */
export async function statsOf(ctx: EngineContext, target: IndexTarget, forbidClosed = true): Promise<FoundStats[]> {
  const names = targetNames(ctx, target, forbidClosed ? TARGETS.open : TARGETS.named);
  const found = await Promise.all(
    names.map(async (name) => {
      const index = ctx.index(name);
      if (index === null) return null;
      return { index, shards: index.meta.state === 'open' ? await ctx.shardStats(index) : emptyStats(index) };
    }),
  );
  return found.filter((entry) => entry !== null);
}

function emptyStats({ numberOfShards }: IndexState): ShardStats[] {
  const nothing = {
    docs: 0,
    deleted: 0,
    segments: 0,
    sizeBytes: 0,
    maxSeqNo: -1,
    translogOperations: 0,
    translogBytes: 0,
    counters: {},
    fielddata: {},
    completion: {},
  };
  return Array.from({ length: numberOfShards }, (_, shard) => ({ shard, ...nothing }));
}

/** `GET _segments`: segments of the snapshot that searches see. */
export function indexSegments(ctx: EngineContext, target: IndexTarget): MutableJsonObject {
  const names = targetNames(ctx, target, TARGETS.open);
  const states = names.map((name) => ctx.index(name)).filter((index) => index !== null && index.meta.state === 'open') as IndexState[];
  const indices: MutableJsonObject = {};
  for (const index of states) {
    const shards: MutableJsonObject = {};
    for (let shard = 0; shard < index.numberOfShards; shard++) {
      const segments = segmentsOf(ctx, index, shard);
      shards[String(shard)] = [
        {
          routing: { state: 'STARTED', primary: true, node: ctx.nodeId },
          num_committed_segments: segments.length,
          num_search_segments: segments.length,
          segments: Object.fromEntries(
            segments.map(({ name, generation, docs, deleted }) => [
              name,
              {
                generation,
                num_docs: docs,
                deleted_docs: deleted,
                size_in_bytes: 0,
                committed: true,
                search: true,
                version: SEGMENT_VERSION,
                compound: true,
                attributes: {},
              },
            ]),
          ),
        },
      ];
    }
    indices[index.meta.name] = { shards };
  }
  return { _shards: shardsHeader(states), indices };
}

export const SEGMENT_VERSION = '1.0.0';

export interface SegmentInfo {
  readonly name: string;
  readonly generation: number;
  readonly docs: number;
  readonly deleted: number;
}

export function segmentsOf(ctx: EngineContext, index: IndexState, shard: number): SegmentInfo[] {
  const snapshot = ctx.acquire(index, shard);
  try {
    return infoOf(snapshot.segments);
  } finally {
    snapshot.release();
  }
}

function infoOf(segments: ShardSnapshot['segments']): SegmentInfo[] {
  return segments.map((segment, i) => ({
    name: `_${i.toString(36)}`,
    generation: i,
    docs: segment.numDocs,
    deleted: segment.maxDoc - segment.numDocs,
  }));
}

/** Segments that points in time hold. @param ids  null: all. @throws ApiError search_phase_execution_exception (404): no such point in time */
export async function pitSegments(
  ctx: EngineContext,
  ids: readonly string[] | null,
): Promise<{ index: IndexState; shard: number; segments: SegmentInfo[] }[]> {
  const keys = ids === null ? (await ctx.contexts.list('pit')).map(({ key }) => key) : ids.map((id) => decodeContextId(id, 'pit'));
  const found: { index: IndexState; shard: number; segments: SegmentInfo[] }[] = [];
  for (const key of keys) {
    const used = await ctx.contexts.use('pit', key, null);
    if (!used) throw contextMissing(key);
    for (const { index, shard, segments } of used.snapshots) found.push({ index, shard, segments: infoOf(segments) });
    await used.end();
  }
  return found;
}

/** `GET _recovery`: shards are recovered from their own store when the node starts, so each is done. */
export async function indexRecovery(
  ctx: EngineContext,
  target: IndexTarget,
  { host, human, detailed }: { host: string; human: boolean; detailed: boolean },
): Promise<MutableJsonObject> {
  const body: MutableJsonObject = {};
  for (const { index, shards } of await statsOf(ctx, target, false)) {
    const created = new Date(index.meta.creationDateMs).toISOString();
    const node = { id: ctx.nodeId, host, transport_address: ctx.publishAddress ?? host, ip: host, name: ctx.nodeName };
    body[index.meta.name] = {
      shards: shards.map((shard) => ({
        id: shard.shard,
        type: recoveryType(index, shard),
        stage: 'DONE',
        primary: true,
        ...(human ? { start_time: created, stop_time: created, total_time: '0s' } : {}),
        start_time_in_millis: index.meta.creationDateMs,
        stop_time_in_millis: index.meta.creationDateMs,
        total_time_in_millis: 0,
        source: {},
        target: node,
        index: {
          size: { total_in_bytes: shard.sizeBytes, reused_in_bytes: shard.sizeBytes, recovered_in_bytes: 0, percent: '100.0%' },
          files: { total: shard.segments, reused: shard.segments, recovered: 0, percent: '100.0%', ...(detailed ? { details: [] } : {}) },
          total_time_in_millis: 0,
          source_throttle_time_in_millis: 0,
          target_throttle_time_in_millis: 0,
        },
        translog: { recovered: 0, total: 0, percent: '100.0%', total_on_start: 0, total_time_in_millis: 0 },
        verify_index: { check_index_time_in_millis: 0, total_time_in_millis: 0 },
      })),
    };
  }
  return body;
}

/** A shard that never held anything was made, not recovered; a closed one has been opened from its store. */
export function recoveryType(index: IndexState, shard: ShardStats): 'EMPTY_STORE' | 'EXISTING_STORE' {
  return index.meta.state === 'open' && shard.docs === 0 && shard.segments === 0 ? 'EMPTY_STORE' : 'EXISTING_STORE';
}

/** `GET _shard_stores`: the copies on this node by health of their shard; `statuses` of shards to show. */
export function shardStores(ctx: EngineContext, target: IndexTarget, statuses: readonly string[]): MutableJsonObject {
  const indices: MutableJsonObject = {};
  for (const name of targetNames(ctx, target, TARGETS.open)) {
    const meta = ctx.cluster.indices[name];
    const health = indexHealth(meta);
    if (!statuses.includes('all') && !statuses.includes(health)) continue;
    const node = { name: ctx.nodeName, ephemeral_id: ctx.nodeId, transport_address: ctx.publishAddress ?? '', attributes: {} };
    const shards: MutableJsonObject = {};
    for (let shard = 0; shard < shardCounts(meta).primaries; shard++)
      shards[String(shard)] = { stores: [{ [ctx.nodeId]: node, allocation_id: `${meta.uuid}-${shard}`, allocation: 'primary' }] };
    indices[name] = { shards };
  }
  return { indices };
}
