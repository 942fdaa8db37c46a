// Adds indices from a snapshot, whose shards are already in the data directory, and what else the snapshot contains of the cluster state.
import type { JsonObject } from '../../common/json/json-value.ts';
import { getOwn, setOwn } from '../../common/json/own-property.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { invalidIndexNameError } from '../../errors/catalog.ts';
import type { AliasMeta, ClusterState, DataStream, IndexMeta, RestoreSource } from '../cluster-state.ts';
import { checkAliasName, checkIndexName } from '../names.ts';
import { ACKNOWLEDGED, type Reducer, type ReducerEnvironment, withIndices } from '../reducer.ts';
import { checkSettings, flattenSettings } from '../settings/index-settings.ts';
import { checkWriteIndices } from './aliases.ts';
import { checkShardLimit } from './shard-limit.ts';

export interface RestoredIndex {
  /** As it was when the snapshot was made. */
  readonly meta: IndexMeta;
  readonly target: string;
  /** Of the new index; its shards have been assigned logs already. */
  readonly uuid: string;
  readonly source: RestoreSource;
}

export interface RestoreIndicesArgs {
  /** `repository:snapshot/uuid`, for messages. */
  readonly snapshot: string;
  readonly indices: readonly RestoredIndex[];
  /** Settings in place of those in the snapshot; null values reset settings. */
  readonly indexSettings: JsonObject;
  /** Names and patterns of settings that are not restored. */
  readonly ignoreIndexSettings: readonly string[];
  /** New names of the aliases in the snapshot; null: an index that is replaced keeps its aliases, another has none. */
  readonly aliases: Readonly<Record<string, string>> | null;
  readonly globalState: GlobalState | null;
  /** With the names that they and their indices get. */
  readonly dataStreams: readonly DataStream[];
}

/** The part of the cluster state that a snapshot with `include_global_state` contains. */
export type GlobalState = Pick<
  ClusterState,
  'templates' | 'indexTemplates' | 'componentTemplates' | 'scripts' | 'pipelines' | 'searchPipelines' | 'synonymSets'
> & { readonly persistentSettings: JsonObject };

const FIXED = ['index.number_of_shards', 'index.version.created', 'index.uuid', 'index.creation_date', 'index.history.uuid'];
const REQUIRED = [...FIXED, 'index.number_of_replicas', 'index.auto_expand_replicas'];

export function globalStateOf(state: ClusterState): GlobalState {
  const { templates, indexTemplates, componentTemplates, scripts, pipelines, searchPipelines, synonymSets, settings } = state;
  return {
    templates,
    indexTemplates,
    componentTemplates,
    scripts,
    pipelines,
    searchPipelines,
    synonymSets,
    persistentSettings: settings.persistent,
  };
}

/** @throws ApiError snapshot_restore_exception, invalid_index_name_exception, and the errors of settings */
export const restoreIndices: Reducer<RestoreIndicesArgs> = (state, args, env) => {
  const overrides = flattenSettings(args.indexSettings);
  checkSettings(Object.fromEntries(Object.entries(overrides).filter(([name]) => !FIXED.includes(name))));
  for (const name of Object.keys(overrides))
    if (FIXED.includes(name)) throw restoreError(args, `cannot modify setting [${name}] on restore`);
  for (const pattern of args.ignoreIndexSettings) {
    if (REQUIRED.includes(prefixed(pattern))) throw restoreError(args, `cannot remove setting [${pattern}] on restore`);
  }
  const restored = args.indices.map((index) => restoredMeta(state, args, index, overrides, env));
  checkAliases(state, args, restored);
  checkStreams(state, args, restored);
  const base = args.globalState === null ? state : withGlobalState(state, args.globalState);
  const streams = Object.fromEntries(args.dataStreams.map((stream) => [stream.name, stream]));
  const withStreams = args.dataStreams.length === 0 ? base : { ...base, dataStreams: { ...base.dataStreams, ...streams } };
  const next = withIndices(withStreams, restored);
  checkShardLimit(state, next, env.dialect);
  checkWriteIndices(
    next,
    restored.flatMap(({ aliases }) => Object.keys(aliases)),
  );
  return { state: next, response: ACKNOWLEDGED };
};

function restoredMeta(
  state: ClusterState,
  args: RestoreIndicesArgs,
  { meta, target, uuid, source }: RestoredIndex,
  overrides: Readonly<Record<string, string | readonly string[] | null>>,
  env: ReducerEnvironment,
): IndexMeta {
  checkIndexName(target);
  const existing = Object.hasOwn(state.indices, target) ? state.indices[target] : null;
  if (existing !== null) checkReplaceable(args, existing, meta);
  else if (Object.values(state.indices).some(({ aliases }) => Object.hasOwn(aliases, target)))
    throw invalidIndexNameError(target, 'already exists as alias');
  const ignored = args.ignoreIndexSettings.map(prefixed);
  const isIgnored = (name: string): boolean => !REQUIRED.includes(name) && ignored.some((pattern) => matchesPattern(pattern, name));
  const settings: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(meta.settings)) if (!isIgnored(name)) settings[name] = value;
  for (const [name, value] of Object.entries(overrides)) {
    if (value === null) delete settings[name];
    else settings[name] = value;
  }
  settings['index.number_of_replicas'] ??= '1';
  // The analyzers of the mapping may be among the settings that changed.
  env.buildMapping(meta.mappings, settings, 'reanalysed');
  return {
    name: target,
    uuid,
    creationDateMs: meta.creationDateMs,
    state: 'open',
    settings,
    mappings: meta.mappings,
    mappingVersion: Math.max(meta.mappingVersion, (existing?.mappingVersion ?? 0) + 1),
    settingsVersion: Math.max(meta.settingsVersion, (existing?.settingsVersion ?? 0) + 1),
    aliasesVersion: Math.max(meta.aliasesVersion, (existing?.aliasesVersion ?? 0) + 1),
    aliases: args.aliases === null ? (existing?.aliases ?? {}) : withNames(meta.aliases, args.aliases),
    restored: source,
    ...memberOf(args, target),
  };
}

function memberOf({ dataStreams }: RestoreIndicesArgs, index: string): { dataStream?: string } {
  const stream = dataStreams.find(({ indices }) => indices.includes(index));
  return stream === undefined ? {} : { dataStream: stream.name };
}

/** The name of a data stream is that of no index, alias or other data stream. */
function checkStreams(state: ClusterState, args: RestoreIndicesArgs, restored: readonly IndexMeta[]): void {
  const indices = [...Object.values(state.indices), ...restored];
  for (const { name } of args.dataStreams) {
    checkIndexName(name);
    if (Object.hasOwn(state.dataStreams ?? {}, name))
      throw restoreError(args, `cannot restore data stream [${name}] because it exists: delete it or restore it under a different name`);
    if (indices.some((index) => index.name === name || Object.hasOwn(index.aliases, name)))
      throw restoreError(args, `cannot restore data stream [${name}] because there is an index or alias with the same name`);
  }
}

function withNames(aliases: IndexMeta['aliases'], names: Readonly<Record<string, string>>): IndexMeta['aliases'] {
  const renamed: Record<string, AliasMeta> = {};
  for (const [alias, meta] of Object.entries(aliases)) {
    const name = getOwn(names, alias) ?? alias;
    if (name !== alias) checkAliasName(name, () => false);
    setOwn(renamed, name, meta);
  }
  return renamed;
}

function checkReplaceable(args: RestoreIndicesArgs, existing: IndexMeta, meta: IndexMeta): void {
  if (existing.state === 'open')
    throw restoreError(
      args,
      `cannot restore index [${existing.name}] because an open index with same name already exists in the cluster. Either close or delete the existing index or restore the index under a different name by providing a rename pattern and replacement name`,
    );
  const [has, needs] = [existing, meta].map(({ settings }) => Number(settings['index.number_of_shards'] ?? 1));
  if (has !== needs)
    throw restoreError(
      args,
      `cannot restore index [${existing.name}] with [${has}] shards from a snapshot of index [${meta.name}] with [${needs}] shards`,
    );
}

/** An alias must not have the name of an index. */
function checkAliases(state: ClusterState, args: RestoreIndicesArgs, restored: readonly IndexMeta[]): void {
  const names = new Set([...Object.keys(state.indices), ...restored.map(({ name }) => name)]);
  restored.forEach(({ name, aliases }, i) => {
    if (Object.keys(aliases).some((alias) => names.has(alias)))
      throw restoreError(
        args,
        `cannot rename index [${args.indices[i].meta.name}] into [${name}] because of conflict with an alias with the same name`,
      );
  });
}

/** Templates are added to those that exist; scripts, pipelines and persistent settings are replaced. */
function withGlobalState(state: ClusterState, from: GlobalState): ClusterState {
  return {
    ...state,
    templates: { ...state.templates, ...from.templates },
    indexTemplates: { ...state.indexTemplates, ...from.indexTemplates },
    componentTemplates: { ...state.componentTemplates, ...from.componentTemplates },
    scripts: from.scripts,
    pipelines: from.pipelines,
    ...(from.synonymSets === undefined ? {} : { synonymSets: { ...state.synonymSets, ...from.synonymSets } }),
    ...(from.searchPipelines === undefined ? {} : { searchPipelines: from.searchPipelines }),
    settings: { ...state.settings, persistent: from.persistentSettings },
  };
}

function prefixed(name: string): string {
  return name.startsWith('index.') || name === '*' ? name : `index.${name}`;
}

function restoreError({ snapshot }: RestoreIndicesArgs, reason: string): ApiError {
  return new ApiError('snapshot_restore_exception', 500, `[${snapshot}] ${reason}`);
}
