// Creation of indices: the settings and mappings of the request are merged over those of the matching templates.

import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import { checkIndexSort } from '../../mapping/core/index-sort.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import { isTimeSeries, ROUTING_PATH } from '../../mapping/core/time-series.ts';
import type { AliasMeta, ClusterState, IndexMeta } from '../cluster-state.ts';
import { objectAt } from '../json-object.ts';
import { checkAliasName, checkIndexName } from '../names.ts';
import type { Reducer, ReducerEnvironment } from '../reducer.ts';
import { withIndices } from '../reducer.ts';
import { checkTimestampType, mappingOfMode } from '../settings/index-mode.ts';
import { checkSettings, flattenSettings } from '../settings/index-settings.ts';
import { checkWriteIndices, readNamedAlias } from './aliases.ts';
import { dataStreamOf, streamOptions } from './data-streams.ts';
import { membersOfName } from './index-tables.ts';
import { checkMetadataWritable } from './metadata-blocks.ts';
import { checkRoomForIndex } from './shard-limit.ts';
import { checkPartitionedMapping, checkShardRouting } from './shard-routing.ts';
import { composableParts, composableTemplate, templatesFor } from './templates.ts';

const BODY_KEYS = ['settings', 'mappings', 'aliases'];

export interface CreateIndexArgs {
  readonly index: string;
  /** `{ settings, mappings, aliases }`. */
  readonly body: JsonObject;
  /** Number of copies of each shard for which the request will wait. */
  readonly waitFor?: number | 'all' | null;
}

export interface CreateIndexResponse {
  readonly acknowledged: boolean;
  readonly shards_acknowledged: boolean;
  readonly index: string;
}

export const createIndex: Reducer<CreateIndexArgs, CreateIndexResponse> = (state, { index, body, waitFor }, env) => {
  const template = composableTemplate(state, index);
  if (template !== null && streamOptions(state.indexTemplates[template]) !== null)
    throw illegalArgumentError(
      `cannot create index with name [${index}], because it matches with template [${template}] that creates data streams only, use create data stream api instead`,
    );
  const meta = newIndex(state, index, body, env);
  const copies = 1 + Number(meta.settings['index.number_of_replicas']);
  if (typeof waitFor === 'number' && waitFor > copies)
    throw illegalArgumentError(`invalid wait_for_active_shards[${waitFor}]: cannot be greater than number of shard copies [${copies}]`);
  const next = withIndices(state, [meta]);
  checkWriteIndices(next, Object.keys(meta.aliases));
  return { state: next, response: { acknowledged: true, shards_acknowledged: true, index } };
};

/** How the backing index of a data stream differs from other indices. */
export interface BackingIndexOptions {
  /** The template of the stream. */
  readonly template: string;
  /** Mapping below those of the template. */
  readonly mappings: JsonObject;
}

/** @throws ApiError resource_already_exists_exception, invalid_index_name_exception: the name is that of an index, alias or data stream */
export function checkNewName(state: ClusterState, index: string): void {
  if (Object.hasOwn(state.indices, index)) {
    const { uuid } = state.indices[index];
    checkMetadataWritable(state.indices[index]);
    throw new ApiError('resource_already_exists_exception', 400, `index [${index}/${uuid}] already exists`, {
      details: { index, index_uuid: uuid },
    });
  }
  const kind = dataStreamOf(state, index) === null ? 'alias' : 'data stream';
  if (membersOfName(state, index).length > 0)
    throw new ApiError('invalid_index_name_exception', 400, `Invalid index name [${index}], already exists as ${kind}`, {
      details: { index, index_uuid: '_na_' },
    });
}

/** @throws ApiError resource_already_exists_exception, invalid_index_name_exception, and the errors of settings and mappings */
export function newIndex(
  state: ClusterState,
  index: string,
  body: JsonObject,
  env: ReducerEnvironment,
  backing: BackingIndexOptions | null = null,
): IndexMeta {
  for (const key of Object.keys(body)) {
    if (!BODY_KEYS.includes(key)) throw new ApiError('parse_exception', 400, `unknown key [${key}] for create index`);
  }
  const given = flattenSettings(objectAt(body, 'settings'));
  checkSettings(given);
  checkIndexName(index);
  checkNewName(state, index);
  const parts = backing === null ? templatesFor(state, index).parts : composableParts(state, backing.template);
  const settings: Record<string, string | readonly string[]> = {
    ...(env.dialect.hasDataTiers ? { 'index.routing.allocation.include._tier_preference': 'data_content' } : {}),
    ...parts.settings,
  };
  for (const [name, value] of Object.entries(given)) {
    if (value === null) delete settings[name];
    else setOwn(settings, name, value);
  }
  settings['index.number_of_shards'] ??= '1';
  settings['index.number_of_replicas'] ??= '1';

  checkShardRouting(index, settings);
  checkRoomForIndex(state, settings, env.dialect);

  let mappings: MutableJsonObject = { ...mappingOfMode(settings, env.dialect, backing === null), ...backing?.mappings };
  for (const part of parts.mappings) mappings = mergeMappings(mappings, checkTypeless(untyped(part)));
  mappings = mergeMappings(mappings, checkTypeless(objectAt(body, 'mappings')));
  const built = env.buildMapping(mappings, settings);
  if (isTimeSeries(settings)) settings[ROUTING_PATH] ??= keywordDimensions(built);
  checkTimestampType(settings, built.field('@timestamp')?.typeName);
  checkIndexSort(settings, (field) => built.field(field));
  checkPartitionedMapping(index, settings, built.toJson());
  return {
    name: index,
    uuid: env.newUuid(),
    creationDateMs: env.nowMs,
    state: 'open',
    settings,
    mappings: built.toJson(),
    mappingVersion: 1,
    settingsVersion: 1,
    aliasesVersion: 1,
    aliases: aliasesOf(state, index, body, parts.aliases),
  };
}

/** The fields that route the documents of a data stream whose template does not name them. @throws ApiError illegal_argument_exception: there are none */
function keywordDimensions(mapping: MappingSnapshot): string[] {
  const names = mapping.matchFields('*').filter((name) => {
    const type = mapping.field(name);
    return type?.typeName === 'keyword' && type.params['time_series_dimension'] === true;
  });
  if (names.length === 0) throw illegalArgumentError(`[index.mode=time_series] requires a non-empty [${ROUTING_PATH}]`);
  return names;
}

/** Merges mappings: fields of later ones replace those of earlier ones as a whole, objects are merged, `dynamic_templates` are appended. */
function mergeMappings(base: MutableJsonObject, over: MutableJsonObject): MutableJsonObject {
  const merged = mergeProperties(base, over);
  if (Array.isArray(base.dynamic_templates) && Array.isArray(over.dynamic_templates)) {
    const names = over.dynamic_templates.map((entry) => Object.keys(entry as MutableJsonObject)[0]);
    merged.dynamic_templates = [
      ...base.dynamic_templates.filter((entry) => !names.includes(Object.keys(entry as MutableJsonObject)[0])),
      ...over.dynamic_templates,
    ];
  }
  return merged;
}

function mergeProperties(base: MutableJsonObject, over: MutableJsonObject): MutableJsonObject {
  const merged: MutableJsonObject = { ...base, ...over };
  if (!isObject(base.properties) || !isObject(over.properties)) return merged;
  const properties: MutableJsonObject = { ...base.properties };
  for (const [name, field] of Object.entries(over.properties)) {
    const old = properties[name];
    const bothObjects = isObject(old) && isObject(field) && (isObject(old.properties) || isObject(field.properties));
    setOwn(properties, name, bothObjects ? mergeProperties(old, field) : field);
  }
  return { ...merged, properties };
}

/** Unwraps mappings that still name the type `_doc`, as templates may. */
function untyped(mappings: MutableJsonObject): MutableJsonObject {
  return Object.keys(mappings).length === 1 && isObject(mappings._doc) ? mappings._doc : mappings;
}

/** Rejects mapping types, which Elasticsearch 7 removed: a mapping whose only key is not a root parameter and contains `properties` names a type. */
function checkTypeless(mappings: MutableJsonObject): MutableJsonObject {
  const keys = Object.keys(mappings);
  const inner = keys.length === 1 && !ROOT_PARAMETERS.has(keys[0]) ? mappings[keys[0]] : undefined;
  if (isObject(inner) && (keys[0] === '_doc' || keys[0] === '_default_')) {
    throw illegalArgumentError(
      `The mapping definition cannot be nested under a type [${keys[0]}] unless include_type_name is set to true.`,
    );
  }
  if (Object.hasOwn(mappings, '_default_'))
    throw mapperParsingError('Root mapping definition has unsupported parameters:  [_default_ : ' + writeJson(mappings._default_) + ']');
  return mappings;
}

const ROOT_PARAMETERS = new Set([
  'properties',
  'dynamic',
  'dynamic_templates',
  'dynamic_date_formats',
  'date_detection',
  'numeric_detection',
  '_source',
  '_routing',
  '_meta',
  '_field_names',
  '_size',
  '_data_stream_timestamp',
  'runtime',
  'enabled',
]);

function aliasesOf(
  state: ClusterState,
  index: string,
  body: MutableJsonObject,
  fromTemplates: Readonly<Record<string, AliasMeta>>,
): Record<string, AliasMeta> {
  const aliases: Record<string, AliasMeta> = { ...fromTemplates };
  for (const [alias, value] of Object.entries(objectAt(body, 'aliases'))) {
    const given = readNamedAlias(alias, value);
    checkAliasName(alias, (name) => name === index || Object.hasOwn(state.indices, name));
    setOwn(aliases, alias, given);
  }
  return aliases;
}
