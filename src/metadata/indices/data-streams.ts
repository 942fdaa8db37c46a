// Data streams: their names, backing indices and aliases, and the commands that change them.
// Source: https://www.elastic.co/guide/en/elasticsearch/reference/8.15/data-streams.html

import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import { timestampMark } from '../../mapping/core/timestamp-field.ts';
import type { AliasMeta, ClusterState, DataLifecycle, DataStream, IndexMeta } from '../cluster-state.ts';
import { streamsOfAlias } from './index-tables.ts';

/** Mapping below those of the templates: a stream without a mapped time field gets a date. */
export function streamMapping(field: string): JsonObject {
  return { _data_stream_timestamp: timestampMark(field), properties: { [field]: { type: 'date' } } };
}

const NO_STREAMS: Readonly<Record<string, DataStream>> = {};

type Streams = Pick<ClusterState, 'dataStreams'>;

export function dataStreamsOf(state: Streams): Readonly<Record<string, DataStream>> {
  return state.dataStreams ?? NO_STREAMS;
}

/** True if the lifecycle of a data stream is enabled. */
export function hasStreamLifecycles(state: Streams): boolean {
  return Object.values(dataStreamsOf(state)).some(({ lifecycle }) => lifecycle?.enabled === true);
}

/** The stream of this name, or null. */
export function dataStreamOf(state: Streams, name: string): DataStream | null {
  const streams = dataStreamsOf(state);
  return Object.hasOwn(streams, name) ? streams[name] : null;
}

/** The stream of this name, or the only one, or the one for writes, of an alias of streams; null if there is none. */
export function writeStreamOf(state: Streams, name: string): DataStream | null {
  const stream = dataStreamOf(state, name);
  if (stream !== null || state.dataStreams === undefined) return stream;
  const { dataStreams } = state;
  const members = [...streamsOfAlias(dataStreams, name)].map((member) => dataStreams[member]);
  return members.find(({ aliases }) => aliases[name].is_write_index === true) ?? (members.length === 1 ? members[0] : null);
}

export function writeIndexOf(stream: DataStream): string {
  return stream.indices[stream.indices.length - 1];
}

/**
 * The names, besides its own, through which an index is reached: its aliases, its data stream, and the aliases of that, all with the properties of
 * aliases. `is_write_index` is set for names of streams.
 */
export function namesOfIndex(state: Streams, meta: IndexMeta): Readonly<Record<string, AliasMeta>> {
  const stream = meta.dataStream === undefined ? null : dataStreamOf(state, meta.dataStream);
  if (stream === null) return meta.aliases;
  const isLast = writeIndexOf(stream) === meta.name;
  const names: Record<string, AliasMeta> = { ...meta.aliases };
  names[stream.name] = { is_write_index: isLast, ...(stream.isHidden ? { is_hidden: true } : {}) };
  for (const [alias, properties] of Object.entries(stream.aliases)) {
    const isOnly = streamsOfAlias(dataStreamsOf(state), alias).size === 1;
    names[alias] = { ...properties, is_write_index: isLast && (properties.is_write_index ?? isOnly) };
  }
  return names;
}

/** True if an index belongs to a stream that patterns find, although the index itself is hidden. */
export function isInVisibleStream(state: Streams, meta: IndexMeta): boolean {
  const stream = meta.dataStream === undefined ? null : dataStreamOf(state, meta.dataStream);
  return stream !== null && !stream.isHidden;
}

/** The streams that names and patterns refer to, sorted by name. @throws ApiError index_not_found_exception: no such stream */
export function findDataStreams(state: Streams, expressions: readonly string[], expandHidden: boolean): DataStream[] {
  const streams = dataStreamsOf(state);
  const found = new Map<string, DataStream>();
  for (const part of expressions.length === 0 ? ['*'] : expressions) {
    const isPattern = part.includes('*') || part === '_all';
    if (!isPattern && !Object.hasOwn(streams, part)) throw indexNotFoundError(part);
    for (const stream of Object.values(streams)) {
      if (!matchesPattern(part === '_all' ? '*' : part, stream.name)) continue;
      if (!isPattern || !stream.isHidden || expandHidden || part.startsWith('.')) found.set(stream.name, stream);
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `.ds-logs-2099.03.07-000001`. */
export function backingIndexName(stream: string, generation: number, nowMs: number): string {
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '.');
  return `.ds-${stream}-${day}-${String(generation).padStart(6, '0')}`;
}

/** The `data_stream` of a template; null for a template of indices. */
export function streamOptions(template: JsonObject): JsonObject | null {
  return isObject(template.data_stream) ? template.data_stream : null;
}

const LIFECYCLE_KEYS = ['enabled', 'data_retention', 'downsampling', 'effective_retention', 'retention_determined_by'];

/** A lifecycle body. @throws ApiError x_content_parse_exception, illegal_argument_exception: downsampling, which is not supported */
export function parseLifecycle(body: JsonObject): DataLifecycle {
  for (const key of Object.keys(body))
    if (!LIFECYCLE_KEYS.includes(key)) throw new ApiError('x_content_parse_exception', 400, `[lifecycle] unknown field [${key}]`);
  if (body.downsampling !== undefined && body.downsampling !== null)
    throw illegalArgumentError('[downsampling] of data stream lifecycles is not supported');
  const { enabled, data_retention: retention } = body;
  if (enabled !== undefined && typeof enabled !== 'boolean' && enabled !== 'true' && enabled !== 'false')
    throw illegalArgumentError(`Failed to parse value [${String(enabled)}] as only [true] or [false] are allowed.`);
  if (retention !== undefined && retention !== null && parseDurationMs(String(retention)) === null)
    throw illegalArgumentError(
      `failed to parse setting [data_retention] with value [${String(retention)}] as a time value: unit is missing or unrecognized`,
    );
  return {
    enabled: enabled === undefined || String(enabled) === 'true',
    data_retention: retention === undefined || retention === null ? null : String(retention),
  };
}

/** A lifecycle as responses and templates show it. */
export function showLifecycle({ enabled, data_retention: retention }: DataLifecycle): MutableJsonObject {
  return { enabled, ...(retention === null ? {} : { data_retention: retention }) };
}
