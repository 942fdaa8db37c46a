// Restores indices from a snapshot.
import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { chosenFeatures } from '../../metadata/indices/snapshot-content.ts';
import { snapshotRestoreError } from '../../snapshots/repository-errors.ts';
import type { SnapshotInfo } from '../../snapshots/snapshot-types.ts';
import type { EngineContext } from '../core/context.ts';
import type { RestoreSnapshot } from '../core/snapshot-store.ts';
import { repositoryOf } from './repositories.ts';
import { flag, nameList, objectOrNull } from './snapshot-body.ts';
import { filterIndices, renameAll, renameIndices } from './snapshot-indices.ts';

const KEYS = [
  'indices',
  'feature_states',
  'ignore_unavailable',
  'expand_wildcards',
  'allow_no_indices',
  'ignore_throttled',
  'partial',
  'include_global_state',
  'include_aliases',
  'rename_pattern',
  'rename_replacement',
  'index_settings',
  'ignore_index_settings',
];

/** What a restore does with an index or alias: creates it, replaces another, reads it under another name, or adds an alias. */
export type RestoreRight = 'create' | 'replace' | 'read' | 'alias';

export interface RestoreRequest {
  readonly repository: string;
  readonly snapshot: string;
  readonly body: JsonObject;
  readonly wait: boolean;
  /** Checks the caller's rights on the name of an index or alias. @throws ApiError security_exception */
  readonly require: (right: RestoreRight, name: string) => void;
  /** Checks that the caller may change users, roles and API keys. @throws ApiError security_exception */
  readonly requireSecurity: () => void;
}

/** `{ accepted }`, or `{ snapshot: { snapshot, indices, shards } }` if the request waits. */
export async function restoreSnapshot(ctx: EngineContext, request: RestoreRequest): Promise<MutableJsonObject> {
  const { repository, snapshot, body } = request;
  const keys = ctx.dialect.renamesAliasesOnRestore ? [...KEYS, 'rename_alias_pattern', 'rename_alias_replacement'] : KEYS;
  for (const key of Object.keys(body)) if (!keys.includes(key)) throw illegalArgumentError(`Unknown parameter ${key}`);
  const expression = nameList(body.indices, 'indices');
  repositoryOf(ctx, repository);
  const info = (await ctx.snapshots.list(repository)).find(({ name }) => name === snapshot);
  if (info === undefined) throw snapshotRestoreError(repository, snapshot, 'snapshot does not exist');
  const streams = await streamsOf(ctx, repository, info);
  const chosen = filterIndices(
    [...info.indices.map(({ name }) => name), ...Object.keys(streams)],
    expression,
    flag(body.ignore_unavailable, false),
  );
  const sources = chosen.filter((name) => Object.hasOwn(streams, name));
  const members = sources.flatMap((name) => streams[name]);
  const names = info.indices.map(({ name }) => name).filter((name) => chosen.includes(name) || members.includes(name));
  const rename = {
    pattern: textOrNull(body.rename_pattern, 'rename_pattern'),
    replacement: textOrNull(body.rename_replacement, 'rename_replacement'),
  };
  const indices = renameIndices(names, rename, { repository, snapshot }, new Set(members));
  const dataStreams = Object.entries(renameAll(sources, rename)).map(([source, target]) => ({ source, target }));
  const includeAliases = flag(body.include_aliases, true);
  checkRights(ctx, request, [...indices.filter(({ source }) => !members.includes(source)), ...dataStreams]);
  const includeGlobalState = flag(body.include_global_state, false);
  const features = chosenFeatures(nameList(body.feature_states, 'feature_states'), includeGlobalState, info.features ?? []);
  if (features.length > 0) request.requireSecurity();
  const aliases = includeAliases
    ? renameAll(await aliasesOf(ctx, repository, info, indices), {
        pattern: textOrNull(body.rename_alias_pattern, 'rename_alias_pattern'),
        replacement: textOrNull(body.rename_alias_replacement, 'rename_alias_replacement'),
      })
    : null;
  for (const alias of Object.values(aliases ?? {})) request.require('alias', alias);
  const outcome = await ctx.snapshots.restore({
    repository,
    snapshot,
    indices,
    indexSettings: objectOrNull(body.index_settings, 'malformed index_settings section') ?? {},
    ignoreIndexSettings: nameList(body.ignore_index_settings, 'ignore_index_settings'),
    aliases,
    dataStreams,
    features,
    includeGlobalState,
    partial: flag(body.partial, false),
    wait: request.wait,
  });
  if (outcome === null) return { accepted: true };
  const { totalShards: total, failedShards: failed } = outcome;
  return { snapshot: { snapshot, indices: outcome.indices, shards: { total, failed, successful: total - failed } } };
}

/** Without these checks a user could read an index under another name, or replace one. */
function checkRights(ctx: EngineContext, { require }: RestoreRequest, indices: RestoreSnapshot['indices']): void {
  for (const { source, target } of indices) {
    require('create', target);
    if (Object.hasOwn(ctx.whole.cluster.indices, target)) require('replace', target);
    if (source !== target) require('read', source);
  }
}

/** The indices of each data stream of a snapshot. */
async function streamsOf(ctx: EngineContext, repository: string, info: SnapshotInfo): Promise<Record<string, readonly string[]>> {
  if ((info.dataStreams ?? []).length === 0) return {};
  const { dataStreams = {} } = await ctx.snapshots.details(repository, info);
  return Object.fromEntries(Object.entries(dataStreams).map(([name, { indices }]) => [name, indices as readonly string[]]));
}

/** The aliases that the indices have in the snapshot. */
async function aliasesOf(
  ctx: EngineContext,
  repository: string,
  info: SnapshotInfo,
  indices: RestoreSnapshot['indices'],
): Promise<readonly string[]> {
  const { indices: entries } = await ctx.snapshots.details(repository, info);
  const restored = new Set(indices.map(({ source }) => source));
  return entries.filter(({ name }) => restored.has(name)).flatMap(({ meta }) => Object.keys((meta.aliases ?? {}) as object));
}

function textOrNull(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw illegalArgumentError(`malformed ${name}`);
  return value;
}
