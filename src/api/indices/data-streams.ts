// Data streams: `_data_stream`, its statistics, members and lifecycles.

import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';
import { formatDuration, parseDurationMs } from '../../common/text/time-unit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { timestampFieldOf } from '../../mapping/core/timestamp-field.ts';
import type { DataStream, IndexMeta } from '../../metadata/cluster-state.ts';
import type { StreamChange } from '../../metadata/indices/change-data-stream.ts';
import { dataStreamOf, findDataStreams, parseLifecycle, showLifecycle, writeIndexOf } from '../../metadata/indices/data-streams.ts';
import { composableParts, composableTemplate } from '../../metadata/indices/templates.ts';
import type { Acknowledged } from '../../metadata/reducer.ts';
import { clusterHealth } from '../cluster/cluster-health.ts';
import { sumShards } from '../cluster/node-totals.ts';
import type { EngineContext } from '../core/context.ts';
import { requireNames } from '../core/index-names.ts';

export interface StreamTarget {
  /** Names and patterns; empty for all. */
  readonly names: readonly string[];
  readonly expandWildcards?: readonly string[];
}

/** @throws ApiError index_not_found_exception, security_exception */
function targetStreams(ctx: EngineContext, { names, expandWildcards }: StreamTarget): DataStream[] {
  if (names.length > 0) requireNames(ctx, names.join(','));
  const expandHidden = expandWildcards?.some((state) => state === 'all' || state === 'hidden') ?? false;
  return findDataStreams(ctx.cluster, names, expandHidden);
}

/** @throws ApiError illegal_argument_exception: no template makes this stream; resource_already_exists_exception */
export async function createDataStream(ctx: EngineContext, name: string): Promise<Acknowledged> {
  return ctx.command('createDataStream', { name });
}

export async function deleteDataStreams(ctx: EngineContext, target: StreamTarget): Promise<Acknowledged> {
  return ctx.command('deleteDataStreams', { names: targetStreams(ctx, target).map(({ name }) => name) });
}

type Manager = 'Index Lifecycle Management' | 'Data stream lifecycle' | 'Unmanaged';

function managerOf(policy: unknown, preferIlm: boolean, stream: DataStream): Manager {
  const hasLifecycle = stream.lifecycle?.enabled === true;
  if (policy !== undefined && (preferIlm || !hasLifecycle)) return 'Index Lifecycle Management';
  return hasLifecycle ? 'Data stream lifecycle' : 'Unmanaged';
}

/** `GET _data_stream`. @param includeDefaults  also show what a lifecycle uses by default */
export function getDataStreams(ctx: EngineContext, target: StreamTarget, includeDefaults: boolean): MutableJsonObject {
  return { data_streams: targetStreams(ctx, target).map((stream) => showStream(ctx, stream, includeDefaults)) };
}

function showStream(ctx: EngineContext, stream: DataStream, includeDefaults: boolean): MutableJsonObject {
  const { whole, dialect } = ctx;
  const { name, indices, generation, meta, lifecycle, isHidden, allowsRouting, rolloverOnWrite } = stream;
  const template = composableTemplate(whole.cluster, name);
  const isFull = dialect.showsStreamManagement;
  const health = clusterHealth(whole, { indices, level: 'cluster' }).status;
  const settings = template === null ? {} : composableParts(whole.cluster, template).settings;
  const policy = settings['index.lifecycle.name'];
  const preferIlm = String(settings['index.lifecycle.prefer_ilm'] ?? 'true') === 'true';
  return {
    name,
    timestamp_field: { name: timestampFieldOf(whole.cluster.indices[writeIndexOf(stream)].mappings) },
    indices: indices.map((index) => showMember(whole.cluster.indices[index], stream, isFull)),
    generation,
    ...(meta === null ? {} : { _meta: meta }),
    status: String(health).toUpperCase(),
    ...(template === null ? {} : { template }),
    ...(isFull && lifecycle !== null ? { lifecycle: streamLifecycle(stream, includeDefaults) } : {}),
    ...(policy === undefined ? {} : { ilm_policy: policy }),
    ...(isFull ? { next_generation_managed_by: managerOf(policy, preferIlm, stream), prefer_ilm: preferIlm } : {}),
    ...(isFull
      ? { hidden: isHidden, system: false, allow_custom_routing: allowsRouting, replicated: false, rollover_on_write: rolloverOnWrite }
      : {}),
  };
}

function showMember({ name, uuid, settings }: IndexMeta, stream: DataStream, isFull: boolean): MutableJsonObject {
  const policy = settings['index.lifecycle.name'];
  const preferIlm = String(settings['index.lifecycle.prefer_ilm'] ?? 'true') === 'true';
  return {
    index_name: name,
    index_uuid: uuid,
    ...(isFull ? { prefer_ilm: preferIlm } : {}),
    ...(isFull && policy !== undefined ? { ilm_policy: policy } : {}),
    ...(isFull ? { managed_by: managerOf(policy, preferIlm, stream) } : {}),
  };
}

/** `_data_stream/_stats`. @param human  also show sizes as text */
export async function dataStreamStats(ctx: EngineContext, target: StreamTarget, human: boolean): Promise<MutableJsonObject> {
  const streams = targetStreams(ctx, target);
  const shown: MutableJsonObject[] = [];
  let shards = 0;
  let total = 0;
  for (const stream of streams) {
    let bytes = 0;
    let newest = 0;
    for (const name of stream.indices) {
      const index = ctx.index(name);
      if (index === null || index.meta.state !== 'open') continue;
      const stats = await ctx.shardStats(index);
      shards += stats.length;
      bytes += sumShards(stats).sizeBytes;
      for (const { shard } of stats) newest = Math.max(newest, newestTimestamp(ctx, name, shard));
    }
    total += bytes;
    shown.push({
      data_stream: stream.name,
      backing_indices: stream.indices.length,
      ...(human ? { store_size: formatByteSize(bytes) } : {}),
      store_size_bytes: bytes,
      maximum_timestamp: newest,
    });
  }
  return {
    _shards: { total: shards, successful: shards, failed: 0 },
    data_stream_count: streams.length,
    backing_indices: streams.reduce((sum, { indices }) => sum + indices.length, 0),
    ...(human ? { total_store_size: formatByteSize(total) } : {}),
    total_store_size_bytes: total,
    data_streams: shown,
  };
}

/** The latest time in a shard, in milliseconds; 0 if it is empty. */
function newestTimestamp(ctx: EngineContext, name: string, shard: number): number {
  const index = ctx.index(name);
  const field = index?.mapping.field(timestampFieldOf(index.meta.mappings)) ?? null;
  if (index === null || field === null) return 0;
  const unitsPerMs = field.typeName === 'date_nanos' ? 1e6 : 1;
  const snapshot = ctx.acquire(index, shard);
  try {
    let newest = 0;
    for (const segment of snapshot.segments) {
      const column = segment.column(field.spec.name);
      if (column !== null) newest = Math.max(newest, Math.floor(Number(column.max) / unitsPerMs));
    }
    return newest;
  } finally {
    snapshot.release();
  }
}

// ------------------------------------------------------------------------------------------------------------- changes

const KINDS: Readonly<Record<string, StreamChange['kind']>> = { add_backing_index: 'add', remove_backing_index: 'remove' };

/** `_data_stream/_modify`. @throws ApiError x_content_parse_exception, illegal_argument_exception */
export async function modifyDataStreams(ctx: EngineContext, body: JsonObject): Promise<Acknowledged> {
  if (!Array.isArray(body.actions)) throw illegalArgumentError('Required [actions]');
  const changes = body.actions.map((entry): StreamChange => {
    const [kind, ...more] = isObject(entry) ? Object.keys(entry) : [];
    const action = isObject(entry) && kind !== undefined ? entry[kind] : null;
    if (!Object.hasOwn(KINDS, String(kind)) || more.length > 0 || !isObject(action))
      throw new ApiError('x_content_parse_exception', 400, `[data_stream_action] unknown field [${String(kind)}]`);
    const { data_stream: dataStream, index } = action;
    if (typeof dataStream !== 'string' || dataStream === '') throw illegalArgumentError('Required [data_stream]');
    if (typeof index !== 'string' || index === '') throw illegalArgumentError('Required [index]');
    return { kind: KINDS[kind], dataStream, index };
  });
  if (changes.length === 0) throw illegalArgumentError('must specify at least one data stream modification action');
  return ctx.command('modifyDataStreams', { changes });
}

/** `_data_stream/_migrate/{alias}`. */
export async function migrateToDataStream(ctx: EngineContext, alias: string): Promise<Acknowledged> {
  requireNames(ctx, alias);
  return ctx.command('migrateToDataStream', { alias });
}

// ----------------------------------------------------------------------------------------------------------- lifecycle

/** What a lifecycle without `rollover` conditions of the cluster uses: Elasticsearch's `cluster.lifecycle.default.rollover`. */
export const DEFAULT_ROLLOVER: JsonObject = {
  max_age: 'auto',
  max_primary_shard_size: '50gb',
  min_docs: 1,
  max_primary_shard_docs: 200_000_000,
};

function streamLifecycle({ lifecycle }: DataStream, includeDefaults: boolean): MutableJsonObject {
  if (lifecycle === null) return {};
  const retention = lifecycle.data_retention;
  return {
    ...showLifecycle(lifecycle),
    ...(retention === null ? {} : { effective_retention: retention, retention_determined_by: 'data_stream_configuration' }),
    ...(includeDefaults ? { rollover: { ...DEFAULT_ROLLOVER, max_age: maxAgeFor(retention) } } : {}),
  };
}

const DAY_MS = 86_400_000;

/** The age at which a stream rolls over, by its retention. Source: `cluster.lifecycle.default.rollover`, `max_age: auto`. */
export function maxAgeFor(retention: string | null): string {
  const days = retention === null ? Number.POSITIVE_INFINITY : (parseDurationMs(retention) ?? 0) / DAY_MS;
  return days <= 1 ? '1h' : days <= 14 ? '1d' : days <= 90 ? '7d' : '30d';
}

/** `GET _data_stream/{name}/_lifecycle`. */
export function getLifecycles(ctx: EngineContext, target: StreamTarget, includeDefaults: boolean): MutableJsonObject {
  return {
    data_streams: targetStreams(ctx, target).map((stream) => ({
      name: stream.name,
      ...(stream.lifecycle === null ? {} : { lifecycle: streamLifecycle(stream, includeDefaults) }),
    })),
  };
}

/** @param body  null removes the lifecycle */
export async function putLifecycle(ctx: EngineContext, target: StreamTarget, body: JsonObject | null): Promise<Acknowledged> {
  const lifecycle = body === null ? null : parseLifecycle(body);
  return ctx.command('putDataLifecycle', { names: targetStreams(ctx, target).map(({ name }) => name), lifecycle });
}

/** `GET {index}/_lifecycle/explain`. @param metas  the indices that the request names */
export function explainLifecycle(ctx: EngineContext, metas: readonly IndexMeta[], includeDefaults: boolean): MutableJsonObject {
  const nowMs = Date.now();
  const shown = metas.map((meta): [string, MutableJsonObject] => {
    const stream = findStream(ctx, meta);
    if (stream?.lifecycle === undefined || stream.lifecycle === null || !stream.lifecycle.enabled)
      return [meta.name, { index: meta.name, managed_by_lifecycle: false }];
    const rolledMs = Object.values(meta.rollovers ?? {}).at(-1)?.timeMs ?? null;
    const isLast = writeIndexOf(stream) === meta.name;
    return [
      meta.name,
      {
        index: meta.name,
        managed_by_lifecycle: true,
        index_creation_date_millis: meta.creationDateMs,
        time_since_index_creation: formatDuration(nowMs - meta.creationDateMs),
        ...(rolledMs === null ? {} : { rollover_date_millis: rolledMs, time_since_rollover: formatDuration(nowMs - rolledMs) }),
        ...(isLast ? {} : { generation_time: formatDuration(nowMs - (rolledMs ?? meta.creationDateMs)) }),
        lifecycle: streamLifecycle(stream, includeDefaults),
      },
    ];
  });
  return { indices: Object.fromEntries(shown) };
}

function findStream({ cluster }: EngineContext, { dataStream }: IndexMeta): DataStream | null {
  return dataStream === undefined ? null : dataStreamOf(cluster, dataStream);
}
