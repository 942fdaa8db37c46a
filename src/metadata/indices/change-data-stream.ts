// Commands on data streams: create, delete, roll over, change members and lifecycles, turn an alias into a stream.

import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import { timestampFieldOf, timestampMark, timestampName } from '../../mapping/core/timestamp-field.ts';
import type { ClusterState, DataLifecycle, DataStream, IndexMeta } from '../cluster-state.ts';
import { checkIndexName } from '../names.ts';
import { ACKNOWLEDGED, indexOf, type Reducer, type ReducerEnvironment, withIndices } from '../reducer.ts';
import { checkNewName, newIndex } from './create-index.ts';
import { backingIndexName, dataStreamOf, dataStreamsOf, streamMapping, streamOptions, writeIndexOf } from './data-streams.ts';
import { carryStreamTables } from './index-tables.ts';
import { composableTemplate, templateLifecycle } from './templates.ts';

/** Most characters of a stream's name in bytes, so that those of its backing indices are valid. */
const MAX_NAME_BYTES = 255;

function withStream(state: ClusterState, stream: DataStream): ClusterState {
  const dataStreams = { ...dataStreamsOf(state), [stream.name]: stream };
  carryStreamTables(dataStreamsOf(state), dataStreams, [stream.name]);
  return { ...state, version: state.version + 1, dataStreams };
}

function withoutStreams(state: ClusterState, names: readonly string[]): ClusterState {
  const removed = new Set(names);
  const dataStreams = Object.fromEntries(Object.entries(dataStreamsOf(state)).filter(([name]) => !removed.has(name)));
  return { ...state, version: state.version + 1, dataStreams };
}

/** @throws ApiError index_not_found_exception */
function streamOf(state: ClusterState, name: string): DataStream {
  const stream = dataStreamOf(state, name);
  if (stream === null) throw indexNotFoundError(name);
  return stream;
}

/** The template that makes a stream of this name. @throws ApiError illegal_argument_exception: there is none */
function streamTemplate(state: ClusterState, name: string): { readonly template: string; readonly options: MutableJsonObject } {
  const template = composableTemplate(state, name);
  if (template === null) throw illegalArgumentError(`no matching index template found for data stream [${name}]`);
  const options = streamOptions(state.indexTemplates[template]);
  if (options === null)
    throw illegalArgumentError(`matching index template [${template}] for data stream [${name}] has no data stream template`);
  return { template, options };
}

/** @returns also the aliases of its templates, which the stream gets */
function backingIndex(
  state: ClusterState,
  name: string,
  generation: number,
  env: ReducerEnvironment,
): { readonly meta: IndexMeta; readonly aliases: IndexMeta['aliases'] } {
  const { template, options } = streamTemplate(state, name);
  const index = env.dialect.datesBackingIndices
    ? backingIndexName(name, generation, env.nowMs)
    : `.ds-${name}-${String(generation).padStart(6, '0')}`;
  const meta = newIndex(state, index, { settings: { hidden: true } }, env, { template, mappings: streamMapping(timestampName(options)) });
  checkTimestamp(meta, timestampName(options));
  return { meta: { ...meta, dataStream: name, aliases: {} }, aliases: meta.aliases };
}

/** @throws ApiError illegal_argument_exception: the time field is not a date */
function checkTimestamp({ mappings }: IndexMeta, name: string): void {
  const properties = isObject(mappings.properties) ? mappings.properties : {};
  const field = properties[name];
  const type = isObject(field) ? String(field.type) : 'object';
  if (type === 'date' || type === 'date_nanos') return;
  throw illegalArgumentError(
    `data stream timestamp field [${name}] is of type [${type}], but [date,date_nanos] is expected`.replace('date,', 'date, '),
  );
}

/** A new stream with its first backing index. */
export const createDataStream: Reducer<{ readonly name: string }> = (state, { name }, env) => {
  if (dataStreamOf(state, name) !== null)
    throw new ApiError('resource_already_exists_exception', 400, `data_stream [${name}] already exists`);
  checkIndexName(name);
  if (Buffer.byteLength(name) > MAX_NAME_BYTES - 22) throw illegalArgumentError(`data_stream [${name}] is too long`);
  if (name.startsWith('.ds-')) throw illegalArgumentError(`data_stream [${name}] must not start with '.ds-'`);
  checkNewName(state, name);
  const { template, options } = streamTemplate(state, name);
  const { meta, aliases } = backingIndex(state, name, 1, env);
  const definition = state.indexTemplates[template];
  const stream: DataStream = {
    name,
    indices: [meta.name],
    generation: 1,
    isHidden: options.hidden === true,
    allowsRouting: options.allow_custom_routing === true,
    meta: isObject(definition._meta) ? definition._meta : null,
    lifecycle: templateLifecycle(state, template),
    rolloverOnWrite: false,
    aliases,
  };
  return { state: withStream(withIndices(state, [meta]), stream), response: ACKNOWLEDGED };
};

/** Deletes streams with their backing indices. */
export const deleteDataStreams: Reducer<{ readonly names: readonly string[] }> = (state, { names }) => {
  if (names.length === 0) return { state, response: ACKNOWLEDGED };
  const removed = names.flatMap((name) => streamOf(state, name).indices).filter((index) => Object.hasOwn(state.indices, index));
  return { state: withoutStreams(withIndices(state, [], removed), names), response: ACKNOWLEDGED };
};

export interface StreamRolledOver {
  readonly oldIndex: string;
  readonly newIndex: string;
}

/**
 * Adds a backing index, which receives the writes from now on.
 * @param args.from  the write index when the conditions were checked; a stream that was rolled over in the meantime is not changed
 * @param args.lazy  only note that the next write has to roll over
 */
export const rolloverDataStream: Reducer<
  { readonly name: string; readonly from: string; readonly metConditions: readonly string[]; readonly lazy: boolean },
  StreamRolledOver
> = (state, { name, from, metConditions, lazy }, env) => {
  const stream = streamOf(state, name);
  const last = writeIndexOf(stream);
  if (lazy) return { state: withStream(state, { ...stream, rolloverOnWrite: true }), response: { oldIndex: last, newIndex: last } };
  if (last !== from) return { state, response: { oldIndex: from, newIndex: last } };
  let generation = stream.generation + 1;
  while (Object.hasOwn(state.indices, backingIndexName(name, generation, env.nowMs))) generation++;
  const { meta } = backingIndex(state, name, generation, env);
  const old = indexOf(state, last);
  const rolledOver = { ...old, rollovers: { ...old.rollovers, [name]: { timeMs: env.nowMs, metConditions } } };
  const next = { ...stream, indices: [...stream.indices, meta.name], generation, rolloverOnWrite: false };
  return { state: withStream(withIndices(state, [rolledOver, meta]), next), response: { oldIndex: last, newIndex: meta.name } };
};

export interface StreamChange {
  readonly kind: 'add' | 'remove';
  readonly dataStream: string;
  readonly index: string;
}

/** `_data_stream/_modify`: applies all actions or none. */
export const modifyDataStreams: Reducer<{ readonly changes: readonly StreamChange[] }> = (state, { changes }, env) => {
  const next = changes.reduce((current, action) => (action.kind === 'add' ? addMember : removeMember)(current, action, env), state);
  return { state: next, response: ACKNOWLEDGED };
};

function addMember(state: ClusterState, { dataStream, index }: StreamChange, env: ReducerEnvironment): ClusterState {
  const stream = dataStreamOf(state, dataStream);
  if (stream === null) throw illegalArgumentError(`data stream [${dataStream}] not found`);
  if (!Object.hasOwn(state.indices, index)) throw illegalArgumentError(`index [${index}] not found`);
  const meta = state.indices[index];
  if (meta.dataStream === dataStream) return state;
  if (meta.dataStream !== undefined)
    throw illegalArgumentError(
      `cannot add index [${index}] to data stream [${dataStream}] because it is already a backing index on data stream [${meta.dataStream}]`,
    );
  const aliases = Object.keys(meta.aliases);
  if (aliases.length > 0)
    throw illegalArgumentError(
      `cannot add index [${index}] to data stream [${dataStream}] until its ${aliases.length > 1 ? 'aliases' : 'alias'} [${aliases.join(',')}] ${aliases.length > 1 ? 'are' : 'is'} removed`,
    );
  const member = asMember(meta, dataStream, timestampFieldOf(state.indices[writeIndexOf(stream)].mappings), env);
  return withStream(withIndices(state, [member]), { ...stream, indices: [index, ...stream.indices] });
}

function removeMember(state: ClusterState, { dataStream, index }: StreamChange): ClusterState {
  const stream = dataStreamOf(state, dataStream);
  if (stream === null) throw illegalArgumentError(`data stream [${dataStream}] not found`);
  if (!stream.indices.includes(index)) throw illegalArgumentError(`index [${index}] not found`);
  if (writeIndexOf(stream) === index) throw writeIndexError(stream, index, 'removed');
  const { dataStream: _, ...meta } = indexOf(state, index);
  const { 'index.hidden': __, ...settings } = meta.settings;
  const free = { ...meta, settings, settingsVersion: meta.settingsVersion + 1 };
  return withStream(withIndices(state, [free]), { ...stream, indices: stream.indices.filter((name) => name !== index) });
}

/** An index with the mapping and settings of a backing index. */
function asMember(meta: IndexMeta, dataStream: string, timestamp: string, env: ReducerEnvironment): IndexMeta {
  checkTimestamp(meta, timestamp);
  const mappings = env
    .buildMapping(meta.mappings, meta.settings, 'stored')
    .merge({ _data_stream_timestamp: timestampMark(timestamp) }, 'put')
    .toJson();
  return {
    ...meta,
    dataStream,
    mappings,
    mappingVersion: meta.mappingVersion + 1,
    settings: { ...meta.settings, 'index.hidden': 'true' },
    settingsVersion: meta.settingsVersion + 1,
  };
}

function writeIndexError(stream: DataStream, index: string, what: 'removed' | 'deleted'): ApiError {
  return illegalArgumentError(
    what === 'removed'
      ? `cannot remove backing index [${index}] of data stream [${stream.name}] because it is the write index`
      : `index [${index}] is the write index for data stream [${stream.name}] and cannot be deleted`,
  );
}

/** The state without indices that are deleted; their streams lose them. @throws ApiError illegal_argument_exception: a write index */
export function withoutMembers(state: ClusterState, deleted: readonly string[]): ClusterState {
  let next = state;
  for (const name of deleted) {
    const stream = dataStreamOf(next, state.indices[name]?.dataStream ?? '');
    if (stream === null) continue;
    if (writeIndexOf(stream) === name) throw writeIndexError(stream, name, 'deleted');
    next = withStream(next, { ...stream, indices: stream.indices.filter((member) => member !== name) });
  }
  return next;
}

/** @param args.lifecycle  null removes it */
export const putDataLifecycle: Reducer<{ readonly names: readonly string[]; readonly lifecycle: DataLifecycle | null }> = (
  state,
  { names, lifecycle },
) => {
  const next = names.reduce((current, name) => withStream(current, { ...streamOf(current, name), lifecycle }), state);
  return { state: next, response: ACKNOWLEDGED };
};

/** `_data_stream/_migrate`: the indices of an alias become the backing indices of a stream of the alias' name. */
export const migrateToDataStream: Reducer<{ readonly alias: string }> = (state, { alias }, env) => {
  const members = Object.values(state.indices).filter((meta) => Object.hasOwn(meta.aliases, alias));
  if (members.length === 0) throw illegalArgumentError(`alias [${alias}] does not exist`);
  const writer = members.find((meta) => meta.aliases[alias].is_write_index === true) ?? (members.length === 1 ? members[0] : null);
  if (writer === null) throw illegalArgumentError(`alias [${alias}] must specify a write index`);
  const { template, options } = streamTemplate(state, alias);
  const others = members.filter((meta) => meta !== writer).sort((a, b) => a.creationDateMs - b.creationDateMs);
  const changed = [...others, writer].map((meta) => {
    const { [alias]: properties, ...aliases } = meta.aliases;
    if (properties.filter !== undefined || properties.index_routing !== undefined || properties.search_routing !== undefined)
      throw illegalArgumentError(`index [${meta.name}] has an alias [${alias}] with a filter or a routing, which data streams do not have`);
    if (Object.keys(aliases).length > 0)
      throw illegalArgumentError(`other aliases referencing indices [${meta.name}] must be removed before migrating to a data stream`);
    return { ...asMember(meta, alias, timestampName(options), env), aliases, aliasesVersion: meta.aliasesVersion + 1 };
  });
  const stream: DataStream = {
    name: alias,
    indices: changed.map(({ name }) => name),
    generation: changed.length,
    isHidden: options.hidden === true,
    allowsRouting: options.allow_custom_routing === true,
    meta: null,
    lifecycle: templateLifecycle(state, template),
    rolloverOnWrite: false,
    aliases: {},
  };
  return { state: withStream(withIndices(state, changed), stream), response: ACKNOWLEDGED };
};
