// Snapshot repositories: register, list, remove, verify, clean up.
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { validationFailedError } from '../../errors/catalog.ts';
import type { RepositoryMeta } from '../../metadata/cluster-state.ts';
import { repositoriesOf } from '../../metadata/definitions/repositories.ts';
import { repositoryMissingError } from '../../snapshots/repository-errors.ts';
import { checkRepositoryName } from '../../snapshots/snapshot-names.ts';
import type { RepositoryConfig } from '../../snapshots/snapshot-types.ts';
import type { EngineContext } from '../core/context.ts';

/** Limits of one repository's settings, which are part of the cluster state. */
const MAX_SETTINGS = 100;
const MAX_SETTING_LENGTH = 8192;

/** Repositories that names and patterns mean, in the order of their registration. @throws ApiError repository_missing_exception */
export function findRepositories(ctx: EngineContext, names: readonly string[]): Array<[string, RepositoryMeta]> {
  const all = repositoriesOf(ctx.cluster);
  if (names.length === 0 || (names.length === 1 && (names[0] === '_all' || names[0] === '*'))) return Object.entries(all);
  const found = new Set<string>();
  for (const name of names) {
    const isExclusion = name.startsWith('-') && found.size > 0;
    const pattern = isExclusion ? name.slice(1) : name;
    if (!pattern.includes('*') && pattern !== '_all') {
      if (isExclusion) found.delete(pattern);
      else if (Object.hasOwn(all, pattern)) found.add(pattern);
      else throw repositoryMissingError(pattern);
      continue;
    }
    for (const known of Object.keys(all)) {
      if (pattern !== '_all' && !matchesPattern(pattern, known)) continue;
      if (isExclusion) found.delete(known);
      else found.add(known);
    }
  }
  return [...found].map((name) => [name, all[name]]);
}

/** `{ name: { type, settings } }`. Values of secret settings are not shown. */
export function getRepositories(ctx: EngineContext, names: readonly string[]): MutableJsonObject {
  const body: MutableJsonObject = {};
  for (const [name, { type, settings }] of findRepositories(ctx, names)) {
    const shown = Object.entries(settings).filter(([setting]) => !isSecret(setting));
    body[name] = { type, settings: Object.fromEntries(shown) };
  }
  return body;
}

function isSecret(setting: string): boolean {
  return setting === 'secret_key' || setting === 'session_token';
}

/** @param verify  whether to check that the repository can be written */
export async function putRepository(ctx: EngineContext, name: string, body: JsonObject, verify: boolean): Promise<unknown> {
  const config = readRepository(name, body);
  checkRepositoryName(name);
  await ctx.snapshots.verify(config, verify && config.settings.readonly !== 'true');
  return ctx.command('putRepository', { name, repository: { type: config.type, settings: config.settings } });
}

function readRepository(name: string, body: JsonObject): RepositoryConfig {
  const { type, settings } = body;
  if (type === undefined || type === null) throw validationFailedError(['type is missing']);
  if (settings !== undefined && !isObject(settings))
    throw new ApiError('illegal_argument_exception', 400, 'Malformed settings section, should include an inner object');
  const flat: Record<string, string> = {};
  const take = (value: unknown, path: string): void => {
    if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) take(item, path === '' ? key : `${path}.${key}`);
    } else if (Array.isArray(value)) flat[path] = value.map(String).join(',');
    else if (value !== null && value !== undefined) flat[path] = String(value);
  };
  take(settings ?? {}, '');
  const entries = Object.entries(flat);
  if (entries.length > MAX_SETTINGS || entries.some(([key, value]) => key.length + value.length > MAX_SETTING_LENGTH))
    throw new ApiError(
      'illegal_argument_exception',
      400,
      `the settings of a repository must be at most ${MAX_SETTINGS}, of ${MAX_SETTING_LENGTH} characters each`,
    );
  return { name, type: String(type), settings: flat };
}

/** @throws ApiError repository_missing_exception: a name, or a pattern that matches none */
export async function deleteRepository(ctx: EngineContext, patterns: readonly string[]): Promise<unknown> {
  const all = Object.keys(repositoriesOf(ctx.cluster));
  const names = patterns.flatMap((pattern) => {
    const found = all.filter((name) => matchesPattern(pattern, name));
    // `*` also succeeds if there are none.
    if (found.length === 0 && pattern !== '*') throw repositoryMissingError(pattern);
    return found;
  });
  return ctx.command('deleteRepositories', { names });
}

/** `{ nodes: { id: { name } } }`. @throws ApiError repository_verification_exception */
export async function verifyRepository(ctx: EngineContext, name: string): Promise<unknown> {
  await ctx.snapshots.verify(repositoryOf(ctx, name), true);
  return { nodes: { [ctx.nodeId]: { name: ctx.nodeName } } };
}

/** `{ results: { deleted_bytes, deleted_blobs } }`. */
export async function cleanupRepository(ctx: EngineContext, name: string): Promise<unknown> {
  const { bytes, blobs } = await ctx.snapshots.cleanup(name);
  return { results: { deleted_bytes: bytes, deleted_blobs: blobs } };
}

/** @throws ApiError repository_missing_exception */
export function repositoryOf(ctx: EngineContext, name: string): RepositoryConfig {
  const all = repositoriesOf(ctx.cluster);
  if (!Object.hasOwn(all, name)) throw repositoryMissingError(name);
  return { name, ...all[name] };
}
