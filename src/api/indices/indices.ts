// Operations on indices: create, get, delete, mappings, settings, open and close, refresh, flush, merge, blocks.

import type { JsonObject } from '../../common/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument, validationFailed } from '../../errors/catalog.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { resolveDateMathName } from '../../metadata/date-math-name.ts';
import { defaultSettings, type FlatSettings, nestSettings } from '../../metadata/index-settings.ts';
import { matchesPattern } from '../../metadata/names.ts';
import { checkRuntimeScripts } from '../../search/evaluate/runtime-field.ts';
import type { EngineContext, IndexState } from '../core/context.ts';
import { type IndexTarget, TARGETS, targetMetas, targetNames } from '../core/index-names.ts';
import { type ActiveShards, areShardsActive } from '../documents/active-shards.ts';
import { checkAliasFilter } from './aliases.ts';

type Body = Readonly<Record<string, unknown>>;

/** `{ acknowledged, shards_acknowledged, index }`. @throws ApiError as the reducer `createIndex` refuses */
export async function createIndex(
  ctx: EngineContext,
  request: { index: string; body?: Body; activeShards?: ActiveShards },
): Promise<{ acknowledged: boolean; shards_acknowledged: boolean; index: string }> {
  const index = resolveDateMathName(request.index, Date.now());
  const aliases = (request.body?.aliases ?? {}) as Record<string, { filter?: unknown } | null>;
  for (const [alias, body] of Object.entries(aliases)) checkAliasFilter(alias, body?.filter);
  const waitFor = request.activeShards?.count ?? null;
  const args = { index, body: request.body ?? {}, waitFor };
  checkRuntimeScripts((args.body as { mappings?: JsonObject }).mappings?.['runtime']);
  const created = (await ctx.command({ name: 'createIndex', args })) as {
    acknowledged: boolean;
    shards_acknowledged: boolean;
    index: string;
  };
  if (!request.activeShards) return created;
  return { ...created, shards_acknowledged: await areShardsActive(ctx, index, request.activeShards) };
}

export async function deleteIndex(ctx: EngineContext, request: IndexTarget): Promise<unknown> {
  if (request.index === null || request.index === '') throw validationFailed(['index / indices is missing']);
  const isDestructive = request.index.split(',').some((part) => part === '_all' || part.includes('*'));
  if (isDestructive && clusterSetting(ctx, 'action.destructive_requires_name') === 'true')
    throw illegalArgument('Wildcard expressions or all indices are not allowed');
  const indices = targetNames(ctx, request, TARGETS.concrete);
  return ctx.command({ name: 'deleteIndex', args: { indices } });
}

function clusterSetting(ctx: EngineContext, name: string): string | undefined {
  const value = ctx.cluster.settings.transient[name] ?? ctx.cluster.settings.persistent[name];
  return value === undefined ? undefined : String(value);
}

/** How settings are shown. */
export interface SettingsView {
  readonly flat?: boolean;
  readonly includeDefaults?: boolean;
  readonly human?: boolean;
  /** Patterns of names, null: all. */
  readonly names?: readonly string[] | null;
}

/** Settings of an index with what the node itself knows, values as text. */
function allSettings(meta: IndexMeta, human: boolean): Record<string, string | readonly string[]> {
  const settings: Record<string, string | readonly string[]> = {
    ...meta.settings,
    'index.provided_name': meta.name,
    'index.creation_date': String(meta.creationDateMs),
    'index.uuid': meta.uuid,
    'index.version.created': INDEX_VERSION,
  };
  if (human) {
    settings['index.creation_date_string'] = new Date(meta.creationDateMs).toISOString();
    settings['index.version.created_string'] = '8.15.0';
  }
  return settings;
}

/** Index format version in Elasticsearch's numbering. */
const INDEX_VERSION = '8512000';

function viewSettings(settings: FlatSettings, view: SettingsView): unknown {
  const names = view.names;
  const shown = names
    ? Object.fromEntries(
        Object.entries(settings).filter(([name]) => names.some((pattern) => pattern === '_all' || matchesPattern(pattern, name))),
      )
    : settings;
  if (view.flat) return Object.fromEntries(Object.entries(shown).sort(([a], [b]) => (a < b ? -1 : 1)));
  return nestSettings(shown);
}

/** The settings of an index as `GET _settings` shows them. */
export function showSettings(meta: IndexMeta, view: SettingsView = {}): unknown {
  return viewSettings(allSettings(meta, view.human ?? false), view);
}

/** `{ index: { aliases, mappings, settings } }`. */
export function getIndex(ctx: EngineContext, request: IndexTarget & SettingsView): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const meta of targetMetas(ctx, request, TARGETS.named)) {
    body[meta.name] = {
      aliases: meta.aliases,
      mappings: meta.mappings,
      settings: showSettings(meta, request),
      ...(request.includeDefaults ? { defaults: viewSettings(defaultSettings(meta.settings), request) } : {}),
    };
  }
  return body;
}

export function indexExists(ctx: EngineContext, request: IndexTarget): boolean {
  try {
    targetNames(ctx, request, TARGETS.named);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

export function getMapping(ctx: EngineContext, request: IndexTarget): Record<string, unknown> {
  return Object.fromEntries(targetMetas(ctx, request, TARGETS.named).map((meta) => [meta.name, { mappings: meta.mappings }]));
}

export async function putMapping(ctx: EngineContext, request: IndexTarget & { body: Body; writeIndexOnly?: boolean }): Promise<unknown> {
  checkRuntimeScripts((request.body as JsonObject)['runtime']);
  if (Object.keys(request.body).length === 0) throw new ApiError('parse_exception', 400, 'request body is required');
  if (Object.hasOwn(request.body, '_doc')) throw illegalArgument('Types cannot be provided in put mapping requests');
  const indices = targetNames(ctx, request, { ...TARGETS.any, allowNoIndices: false });
  return ctx.command({
    name: 'putMapping',
    args: { indices, mappings: request.body as JsonObject, writeIndexOnly: request.writeIndexOnly ?? false },
  });
}

/** `GET _mapping/field/{fields}`: `{ index: { mappings: { field: { full_name, mapping } } } }`. */
export function getFieldMapping(
  ctx: EngineContext,
  request: IndexTarget & { fields: readonly string[]; includeDefaults?: boolean },
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const meta of targetMetas(ctx, request, TARGETS.named)) {
    const mapping = ctx.index(meta.name)?.mapping;
    const shown: Record<string, unknown> = {};
    for (const pattern of request.fields) {
      for (const name of mapping?.matchFields(pattern) ?? []) {
        const field = mapping?.fieldJson(name, request.includeDefaults ?? false);
        if (field) shown[name] = { full_name: name, mapping: { [name.slice(name.lastIndexOf('.') + 1)]: field } };
      }
    }
    body[meta.name] = { mappings: shown };
  }
  return body;
}

/** `{ index: { settings, defaults? } }`; an index of which nothing is left by `names` is left out. */
export function getSettings(ctx: EngineContext, request: IndexTarget & SettingsView): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const meta of targetMetas(ctx, request, TARGETS.any)) {
    const settings = showSettings(meta, request) as object;
    if (Object.keys(settings).length === 0 && !request.includeDefaults) continue;
    body[meta.name] = { settings, ...(request.includeDefaults ? { defaults: viewSettings(defaultSettings(meta.settings), request) } : {}) };
  }
  return body;
}

/** `body`: nested or dotted, with or without `index`, perhaps under `settings`. */
export async function putSettings(ctx: EngineContext, request: IndexTarget & { body: Body; preserveExisting?: boolean }): Promise<unknown> {
  const inner = request.body.settings;
  const settings = typeof inner === 'object' && inner !== null && Object.keys(request.body).length === 1 ? inner : request.body;
  if (Object.keys(settings).length === 0) throw validationFailed(['no settings to update']);
  const indices = targetNames(ctx, request, TARGETS.any);
  return ctx.command({
    name: 'putSettings',
    args: { indices, settings: settings as JsonObject, preserveExisting: request.preserveExisting ?? false },
  });
}

export async function openIndex(ctx: EngineContext, request: IndexTarget): Promise<unknown> {
  return ctx.command({ name: 'openIndices', args: { indices: targetNames(ctx, request, TARGETS.closed) } });
}

export async function closeIndex(ctx: EngineContext, request: IndexTarget): Promise<unknown> {
  const indices = targetNames(ctx, request, TARGETS.named);
  await Promise.all(openStates(ctx, indices).map((index) => ctx.flush(index, true)));
  return ctx.command({ name: 'closeIndices', args: { indices } });
}

export interface BroadcastResponse {
  readonly _shards: { readonly total: number; readonly successful: number; readonly failed: number };
}

function openStates(ctx: EngineContext, names: readonly string[]): IndexState[] {
  return names.map((name) => ctx.index(name)).filter((index) => index !== null && index.meta.state === 'open') as IndexState[];
}

/** Shards as Elasticsearch counts them: replicas are expected but not there. */
function broadcast(indices: readonly IndexState[]): BroadcastResponse {
  let total = 0;
  let successful = 0;
  for (const { meta, numberOfShards } of indices) {
    const replicas = Number(meta.settings['index.number_of_replicas'] ?? 1);
    total += numberOfShards * (1 + replicas);
    successful += numberOfShards;
  }
  return { _shards: { total, successful, failed: 0 } };
}

export async function refreshIndices(ctx: EngineContext, request: IndexTarget): Promise<BroadcastResponse> {
  const indices = openStates(ctx, targetNames(ctx, request, TARGETS.open));
  await Promise.all(indices.map((index) => ctx.refresh(index)));
  return broadcast(indices);
}

export async function flushIndices(
  ctx: EngineContext,
  request: IndexTarget & { force?: boolean; waitIfOngoing?: boolean },
): Promise<BroadcastResponse> {
  if (request.force && request.waitIfOngoing === false) throw validationFailed(['wait_if_ongoing must be true for a force flush']);
  const indices = openStates(ctx, targetNames(ctx, request, TARGETS.open));
  await Promise.all(indices.map((index) => ctx.flush(index, request.force ?? false)));
  return broadcast(indices);
}

export interface ForceMergeRequest extends IndexTarget {
  readonly maxNumSegments?: number;
  readonly onlyExpungeDeletes?: boolean;
  readonly flush?: boolean;
  /** Count primaries only in `_shards`. */
  readonly primaryOnly?: boolean;
}

export async function forceMerge(ctx: EngineContext, request: ForceMergeRequest): Promise<BroadcastResponse> {
  const maxNumSegments = request.maxNumSegments ?? -1;
  const onlyExpungeDeletes = request.onlyExpungeDeletes ?? false;
  const indices = openStates(ctx, targetNames(ctx, request, TARGETS.open));
  await Promise.all(indices.map((index) => ctx.forceMerge(index, { maxNumSegments, onlyExpungeDeletes })));
  if (request.flush ?? true) await Promise.all(indices.map((index) => ctx.flush(index, false)));
  const { _shards: shards } = broadcast(indices);
  return { _shards: request.primaryOnly ? { ...shards, total: shards.successful } : shards };
}

/** Caches hold nothing that a caller could see: there is nothing to do but to name the shards. */
export function clearCache(ctx: EngineContext, request: IndexTarget): BroadcastResponse {
  return broadcast(openStates(ctx, targetNames(ctx, request, TARGETS.open)));
}

const BLOCKS = ['metadata', 'read', 'read_only', 'write'];

/** `PUT {index}/_block/{block}`. */
export async function addBlock(ctx: EngineContext, request: IndexTarget & { block: string }): Promise<unknown> {
  if (!BLOCKS.includes(request.block)) throw illegalArgument(`No block found with name ${request.block}`);
  const indices = targetNames(ctx, request, TARGETS.named);
  await ctx.command({
    name: 'putSettings',
    args: { indices, settings: { [`index.blocks.${request.block}`]: true }, preserveExisting: false },
  });
  return { acknowledged: true, shards_acknowledged: true, indices: indices.map((name) => ({ name, blocked: true })) };
}

/** `GET _resolve/index/{name}`. */
export function resolveIndex(ctx: EngineContext, request: IndexTarget): Record<string, unknown> {
  const patterns = (request.index ?? '*').split(',');
  const isMeant = (name: string): boolean => patterns.some((pattern) => pattern === '_all' || matchesPattern(pattern, name));
  const targets = new Set(targetNames(ctx, { ...request, ignoreUnavailable: true }, TARGETS.open));
  const indices: unknown[] = [];
  const aliases = new Map<string, string[]>();
  for (const meta of Object.values(ctx.cluster.indices).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    for (const alias of Object.keys(meta.aliases)) if (isMeant(alias)) aliases.set(alias, [...(aliases.get(alias) ?? []), meta.name]);
    if (!isMeant(meta.name) || !targets.has(meta.name)) continue;
    const names = Object.keys(meta.aliases).sort();
    indices.push({
      name: meta.name,
      ...(names.length > 0 ? { aliases: names } : {}),
      attributes: [meta.state === 'open' ? 'open' : 'closed'],
    });
  }
  return {
    indices,
    aliases: [...aliases].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => ({ name, indices: members })),
    data_streams: [],
  };
}
