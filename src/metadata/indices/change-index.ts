// Commands on existing indices: delete, mappings, settings, open and close.

import type { JsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { checkLaterEnd } from '../../mapping/core/time-bounds.ts';
import type { ClusterState, IndexMeta } from '../cluster-state.ts';
import { ACKNOWLEDGED, indexOf, type Reducer, type ReducerEnvironment, withIndices } from '../reducer.ts';
import { checkSettings, checkSettingsCount, flattenSettings, isDynamicSetting } from '../settings/index-settings.ts';
import { withoutMembers } from './change-data-stream.ts';
import { checkMetadataWritable } from './metadata-blocks.ts';
import { checkShardLimit } from './shard-limit.ts';
import { checkPartitionedMapping } from './shard-routing.ts';

/** Concrete index names; src/metadata/resolve.ts resolves expressions to them. */
export interface IndicesArgs {
  readonly indices: readonly string[];
}

export const deleteIndex: Reducer<IndicesArgs> = (state, { indices }) => {
  for (const name of indices) checkMetadataWritable(indexOf(state, name));
  return { state: indices.length === 0 ? state : withIndices(withoutMembers(state, indices), [], indices), response: ACKNOWLEDGED };
};

export const putMapping: Reducer<IndicesArgs & { readonly mappings: JsonObject; readonly writeIndexOnly?: boolean }> = (
  state,
  { indices, mappings },
  env,
) => {
  const changed: IndexMeta[] = [];
  for (const name of indices) {
    const meta = indexOf(state, name);
    checkMetadataWritable(meta);
    const merged = mergedMapping(meta, mappings, 'put', env);
    if (merged !== null) changed.push(merged);
  }
  return { state: changed.length === 0 ? state : withIndices(state, changed), response: ACKNOWLEDGED };
};

/** Adds fields found in documents. A field that another document has added meanwhile is merged as usual. */
export const dynamicMapping: Reducer<{ readonly index: string; readonly mappings: JsonObject }> = (state, { index, mappings }, env) => {
  const merged = mergedMapping(indexOf(state, index), mappings, 'dynamic', env);
  return { state: merged === null ? state : withIndices(state, [merged]), response: ACKNOWLEDGED };
};

function mergedMapping(
  meta: IndexMeta,
  mappings: JsonObject,
  reason: 'put' | 'dynamic',
  env: Parameters<typeof putMapping>[2],
): IndexMeta | null {
  const merged = env.buildMapping(meta.mappings, meta.settings, 'stored').merge(mappings, reason).toJson();
  if (writeJson(merged) === writeJson(meta.mappings)) return null;
  checkPartitionedMapping(meta.name, meta.settings, merged);
  return { ...meta, mappings: merged, mappingVersion: meta.mappingVersion + 1 };
}

/** @throws ApiError illegal_argument_exception: a setting that cannot be changed, or only on a closed index */
export const putSettings: Reducer<IndicesArgs & { readonly settings: JsonObject; readonly preserveExisting: boolean }> = (
  state,
  args,
  env,
) => {
  const { indices, preserveExisting } = args;
  const flat = flattenSettings(args.settings);
  const metas = indices.map((name) => indexOf(state, name));
  if (metas.length === 0) checkSettings(flat);
  for (const meta of metas) checkSettings(flat, meta.settings);
  if (Object.hasOwn(flat, 'index.number_of_shards')) throw illegalArgumentError(finalSetting('index.number_of_shards'));
  const fixed = Object.keys(flat).filter((name) => !isDynamicSetting(name));
  const open = metas.filter((meta) => meta.state === 'open').map(({ name, uuid }) => `${name}/${uuid}`);
  if (fixed.length > 0 && open.length > 0) {
    throw illegalArgumentError(`Can't update non dynamic settings [[${fixed.join(', ')}]] for open indices [[${open.join(', ')}]]`);
  }
  const changed = metas.flatMap((meta) => {
    const blocked = Object.keys(flat).every((name) => name.startsWith('index.blocks.'));
    if (!blocked) checkMetadataWritable(meta);
    const settings: Record<string, string | readonly string[]> = { ...meta.settings };
    for (const [name, value] of Object.entries(flat)) {
      if (preserveExisting && Object.hasOwn(settings, name)) continue;
      if (value === null) delete settings[name];
      else setOwn(settings, name, value);
    }
    settings['index.number_of_replicas'] ??= '1';
    checkSettingsCount(settings);
    checkLaterEnd(meta.settings, settings);
    if (writeJson(settings) === writeJson(meta.settings)) return [];
    if (fixed.length > 0) env.buildMapping(meta.mappings, settings, 'reanalysed');
    return [{ ...meta, settings, settingsVersion: meta.settingsVersion + 1 }];
  });
  return { state: withRoomFor(state, changed, env), response: ACKNOWLEDGED };
};

/** @throws ApiError validation_exception: the indices would have more open shards than the cluster allows */
function withRoomFor(state: ClusterState, changed: readonly IndexMeta[], { dialect }: ReducerEnvironment): ClusterState {
  if (changed.length === 0) return state;
  const next = withIndices(state, changed);
  checkShardLimit(state, next, dialect);
  return next;
}

/** Makes every thread rebuild the analyzers from their files. @throws ApiError a file cannot be read; the old analyzers stay in use */
export const reloadAnalyzers: Reducer<IndicesArgs> = (state, { indices }, env) => {
  const changed = indices.map((name) => {
    const meta = indexOf(state, name);
    env.buildMapping(meta.mappings, meta.settings, 'reanalysed');
    return { ...meta, settingsVersion: meta.settingsVersion + 1 };
  });
  return { state: changed.length === 0 ? state : withIndices(state, changed), response: ACKNOWLEDGED };
};

function finalSetting(name: string): string {
  return `final index setting [${name}], not updateable`;
}

export const openIndices: Reducer<IndicesArgs> = (state, { indices }, env) => {
  const changed = indices.flatMap((name) => {
    const meta = indexOf(state, name);
    checkMetadataWritable(meta);
    return meta.state === 'open' ? [] : [{ ...meta, state: 'open' as const, settingsVersion: meta.settingsVersion + 1 }];
  });
  return { state: withRoomFor(state, changed, env), response: { acknowledged: true, shards_acknowledged: true } };
};

export const closeIndices: Reducer<IndicesArgs> = (state, { indices }) => {
  const changed = indices.flatMap((name) => {
    const meta = indexOf(state, name);
    checkMetadataWritable(meta);
    return meta.state === 'close' ? [] : [{ ...meta, state: 'close' as const, settingsVersion: meta.settingsVersion + 1 }];
  });
  const closed = Object.fromEntries(changed.map(({ name }) => [name, { closed: true }]));
  return {
    state: changed.length === 0 ? state : withIndices(state, changed),
    response: { acknowledged: true, shards_acknowledged: true, indices: closed },
  };
};

/** Records when an index stopped receiving the writes of an alias. */
export const recordRollover: Reducer<{ readonly index: string; readonly target: string; readonly metConditions: readonly string[] }> = (
  state,
  { index, target, metConditions },
  { nowMs },
) => {
  const meta = indexOf(state, index);
  const rollovers = { ...meta.rollovers, [target]: { timeMs: nowMs, metConditions } };
  return { state: withIndices(state, [{ ...meta, rollovers }]), response: ACKNOWLEDGED };
};
