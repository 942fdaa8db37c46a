// Indices: create, delete, get, open, close, block, resolve names.

import type { JsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError, validationFailedError } from '../../errors/catalog.ts';
import { timestampFieldOf } from '../../mapping/core/timestamp-field.ts';
import { resolveDateMathName } from '../../metadata/date-math-name.ts';
import { dataStreamOf, dataStreamsOf, writeIndexOf } from '../../metadata/indices/data-streams.ts';
import { membersOfName } from '../../metadata/indices/index-tables.ts';
import { checkMetadataWritable } from '../../metadata/indices/metadata-blocks.ts';
import { defaultSettings, flattenSettings } from '../../metadata/settings/index-settings.ts';
import { checkSimilarityScripts } from '../../search/similarity/check-scripts.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, ownNames, requireNames, shownMetas, TARGETS, targetNames } from '../core/index-names.ts';
import { type ActiveShards, areShardsActive } from '../documents/active-shards.ts';
import { checkAliasFilter } from './aliases.ts';
import { openStates } from './maintenance.ts';
import { checkMappedScripts } from './mappings.ts';
import { type SettingsView, showSettings, viewSettings } from './settings.ts';

/** `{ acknowledged, shards_acknowledged, index }`. @throws ApiError the errors of the metadata command `createIndex` */
export async function createIndex(
  ctx: EngineContext,
  request: { index: string; body?: JsonObject; activeShards?: ActiveShards },
): Promise<{ acknowledged: boolean; shards_acknowledged: boolean; index: string }> {
  const index = resolveDateMathName(request.index, Date.now());
  const aliases = (request.body?.aliases ?? {}) as Record<string, { filter?: unknown } | null>;
  for (const [alias, body] of Object.entries(aliases)) checkAliasFilter(alias, body?.filter);
  const waitFor = request.activeShards?.count ?? null;
  const args = { index, body: request.body ?? {}, waitFor };
  checkMappedScripts((args.body as { mappings?: JsonObject }).mappings, ctx.dialect);
  if (args.body.settings) checkSimilarityScripts(flattenSettings(args.body.settings as JsonObject));
  const created = (await ctx.command('createIndex', args)) as {
    acknowledged: boolean;
    shards_acknowledged: boolean;
    index: string;
  };
  if (!request.activeShards) return created;
  return { ...created, shards_acknowledged: await areShardsActive(ctx, index, request.activeShards) };
}

export async function deleteIndex(ctx: EngineContext, request: IndexTarget): Promise<unknown> {
  if (request.index === null || request.index === '') throw validationFailedError(['index / indices is missing']);
  const isDestructive = request.index.split(',').some((part) => part === '_all' || part.includes('*'));
  if (isDestructive && clusterSetting(ctx, 'action.destructive_requires_name') === 'true')
    throw illegalArgumentError('Wildcard expressions or all indices are not allowed');
  const indices = targetNames(ctx, request, TARGETS.concrete);
  return ctx.command('deleteIndex', { indices });
}

function clusterSetting(ctx: EngineContext, name: string): string | undefined {
  const value = ctx.cluster.settings.transient[name] ?? ctx.cluster.settings.persistent[name];
  return value === undefined ? undefined : String(value);
}

/** `{ index: { aliases, mappings, settings } }`. */
export function getIndex(ctx: EngineContext, request: IndexTarget & SettingsView): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const meta of shownMetas(ctx, request, TARGETS.named)) {
    body[meta.name] = {
      aliases: meta.aliases,
      mappings: meta.mappings,
      settings: showSettings(meta, request),
      ...(meta.dataStream === undefined || dataStreamOf(ctx.cluster, meta.dataStream) === null ? {} : { data_stream: meta.dataStream }),
      ...(request.includeDefaults ? { defaults: viewSettings(defaultSettings(meta.settings), request) } : {}),
    };
  }
  return body;
}

export function indexExists(ctx: EngineContext, request: IndexTarget): boolean {
  try {
    shownMetas(ctx, request, TARGETS.named);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

export async function openIndex(ctx: EngineContext, request: IndexTarget): Promise<unknown> {
  return ctx.command('openIndices', { indices: targetNames(ctx, request, TARGETS.closed) });
}

export async function closeIndex(ctx: EngineContext, request: IndexTarget): Promise<unknown> {
  const indices = targetNames(ctx, request, TARGETS.named);
  await Promise.all(openStates(ctx, indices).map((index) => ctx.flush(index, true)));
  return ctx.command('closeIndices', { indices });
}

const BLOCKS = ['metadata', 'read', 'read_only', 'write'];

/** Blocks that refuse changes of metadata themselves can be added whatever an index already refuses. */
const BLOCKS_OF_METADATA = ['metadata', 'read_only'];

/** `PUT {index}/_block/{block}`. The response names the indices that did not have the block. */
export async function addBlock(ctx: EngineContext, request: IndexTarget & { block: string }): Promise<unknown> {
  if (!BLOCKS.includes(request.block)) throw illegalArgumentError(`No block found with name ${request.block}`);
  const indices = targetNames(ctx, request, TARGETS.named);
  if (!BLOCKS_OF_METADATA.includes(request.block)) for (const name of indices) checkMetadataWritable(ctx.cluster.indices[name]);
  const setting = `index.blocks.${request.block}`;
  const unblocked = indices.filter((name) => ctx.cluster.indices[name].settings[setting] !== 'true');
  if (unblocked.length > 0)
    await ctx.command('putSettings', { indices: unblocked, settings: { [setting]: true }, preserveExisting: false });
  return {
    acknowledged: true,
    shards_acknowledged: unblocked.length > 0,
    indices: unblocked.map((name) => ({ name, blocked: true })),
  };
}

/** `GET _resolve/index/{name}`. */
export function resolveIndex(ctx: EngineContext, request: IndexTarget): Record<string, unknown> {
  const patterns = (request.index ?? '*').split(',');
  const isRequested = (name: string): boolean => patterns.some((pattern) => pattern === '_all' || matchesPattern(pattern, name));
  requireNames(ctx, request.index ?? '*');
  const missing = patterns.find((name) => !/[*]|^_all$/.test(name) && !isKnown(ctx, name));
  if (missing !== undefined && !ctx.dialect.resolvesNothing && request.ignoreUnavailable !== true) throw indexNotFoundError(missing);
  const own = new Set(ownNames(ctx));
  const targets = new Set(targetNames(ctx, { ...request, ignoreUnavailable: true }, TARGETS.open));
  const indices: unknown[] = [];
  const aliases = new Map<string, string[]>();
  for (const meta of Object.values(ctx.cluster.indices).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    for (const alias of Object.keys(meta.aliases)) if (isRequested(alias)) aliases.set(alias, [...(aliases.get(alias) ?? []), meta.name]);
    if (!isRequested(meta.name) || !targets.has(meta.name) || !own.has(meta.name)) continue;
    const names = Object.keys(meta.aliases).sort();
    indices.push({
      name: meta.name,
      ...(names.length > 0 ? { aliases: names } : {}),
      attributes: [meta.state === 'open' ? 'open' : 'closed', ...(meta.settings['index.hidden'] === 'true' ? ['hidden'] : [])].sort(),
      ...(meta.dataStream === undefined ? {} : { data_stream: meta.dataStream }),
    });
  }
  const streams = Object.values(dataStreamsOf(ctx.cluster)).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, aliases: own } of streams)
    for (const alias of Object.keys(own)) if (isRequested(alias)) aliases.set(alias, [...(aliases.get(alias) ?? []), name]);
  return {
    indices,
    aliases: [...aliases].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => ({ name, indices: members })),
    data_streams: streams
      .filter(({ name, isHidden }) => isRequested(name) && (!isHidden || expandsHidden(request) || patterns.includes(name)))
      .map((stream) => ({
        name: stream.name,
        backing_indices: stream.indices,
        timestamp_field: timestampFieldOf(ctx.whole.cluster.indices[writeIndexOf(stream)].mappings),
      })),
  };
}

function expandsHidden({ expandWildcards }: IndexTarget): boolean {
  return expandWildcards?.some((state) => state === 'all' || state === 'hidden') ?? false;
}

function isKnown({ cluster }: EngineContext, name: string): boolean {
  return Object.hasOwn(cluster.indices, name) || membersOfName(cluster, name).length > 0;
}
