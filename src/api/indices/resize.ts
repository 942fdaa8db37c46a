// `_clone`, `_shrink`, `_split`: copies a read-only index into a new one with the same, a smaller or a larger number of shards. Every document is
// written again with its version, since the new number of shards changes the shard of almost every document.

import type { JsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError, validationFailedError } from '../../errors/catalog.ts';
import { isTimeSeries } from '../../mapping/core/time-series.ts';
import { objectAt } from '../../metadata/json-object.ts';
import { checkIndexName } from '../../metadata/names.ts';
import { flattenSettings } from '../../metadata/settings/index-settings.ts';
import type { EngineContext } from '../core/context.ts';
import { requireNames } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { readIndex } from '../core/read-target.ts';
import { makeOperation, NO_CONDITIONS } from '../core/write.ts';
import { runByQuery } from '../documents/run-by-query.ts';

export type ResizeKind = 'clone' | 'shrink' | 'split';

export interface ResizeRequest {
  readonly kind: ResizeKind;
  readonly source: string;
  readonly target: string;
  /** `{ settings, aliases }`. */
  readonly body: Readonly<Record<string, unknown>>;
}

const BATCH = 1000;
const KEEP_ALIVE_MS = 5 * 60_000;
/** Blocks are set on the target only after the documents are copied. */
const isBlock = (name: string): boolean => name.startsWith('index.blocks.');

/** `{ acknowledged, shards_acknowledged, index }` after every document is copied. @throws ApiError */
export async function resizeIndex(ctx: EngineContext, request: ResizeRequest): Promise<unknown> {
  requireNames(ctx, request.target);
  const source = readIndex(ctx, request.source);
  if (source.hidden)
    throw new ApiError(
      'security_exception',
      400,
      'Resize requests are not allowed for users when field or document level security is enabled on the source index',
    );
  const { meta } = source;
  const given = flattenSettings(objectAt(request.body as JsonObject, 'settings'));
  checkIndexName(request.target);
  check(ctx.dialect, request, source, given);
  const shards = String(given['index.number_of_shards'] ?? (request.kind === 'shrink' ? 1 : source.numberOfShards));
  const settings: Record<string, unknown> = { ...meta.settings, ...given, 'index.number_of_shards': shards };
  const blocks = Object.entries(settings).filter(([name, value]) => isBlock(name) && value !== null);
  for (const [name] of blocks) delete settings[name];
  const body: JsonObject = {
    settings,
    mappings: meta.mappings,
    ...(request.body.aliases === undefined ? {} : { aliases: request.body.aliases }),
  };
  const response = await ctx.command('createIndex', { index: request.target, body });
  // The copy is internal work: it needs no privilege to read or write documents.
  const { whole } = ctx;
  const target = whole.index(request.target);
  if (!target) throw indexNotFoundError(request.target);
  await whole.refresh(source);
  const totals = await runByQuery(
    whole,
    {
      source: {
        indices: { expressions: [meta.name] },
        body: {},
        parameters: {},
        batchSize: BATCH,
        maxDocs: null,
        keepAliveMs: KEEP_ALIVE_MS,
      },
      plan: (hit) => {
        if (hit.source === null) throw illegalArgumentError(`[${hit.id}] has no source to copy`);
        const conditions = { ...NO_CONDITIONS, version: hit.version, versionType: 'external' as const };
        return {
          index: target,
          operation: { ...makeOperation('index', hit.id, hit.routing, conditions), source: Buffer.from(hit.source.text) },
        };
      },
    },
    { proceedOnConflicts: false, refresh: true, requestsPerSecond: null },
  );
  if (totals.failures.length > 0) {
    await whole.command('deleteIndex', { indices: [request.target] });
    throw new ApiError('illegal_state_exception', 500, `copy of [${meta.name}] failed: ${JSON.stringify(totals.failures[0])}`);
  }
  if (blocks.length > 0)
    await whole.command('putSettings', { indices: [request.target], settings: Object.fromEntries(blocks), preserveExisting: false });
  return response;
}

/** Checks the request before anything is copied, with Elasticsearch's messages. @throws ApiError */
function check(
  { namesClusterManager: isOpenSearch }: Dialect,
  request: ResizeRequest,
  { meta, numberOfShards }: IndexState,
  given: Readonly<Record<string, unknown>>,
): void {
  for (const key of Object.keys(request.body)) {
    if (key === 'mappings')
      throw illegalArgumentError('mappings are not allowed when resizing indices, all mappings are copied from the source index');
    if (key !== 'settings' && key !== 'aliases' && key !== 'max_shard_size')
      throw new ApiError('x_content_parse_exception', 400, `[resize_request] unknown field [${key}]`);
  }
  const problems: string[] = [];
  if (request.kind === 'split' && isTimeSeries(meta.settings))
    throw illegalArgumentError(`index-split is not supported because the destination index [${meta.name}] is in time series mode`);
  if (request.kind === 'split' && given['index.number_of_shards'] === undefined)
    problems.push('index.number_of_shards is required for split operations');
  const why = 'this will disable metadata writes and cause the shards to be unassigned';
  for (const block of ['index.blocks.read_only', 'index.blocks.metadata']) {
    if (String(given[block]) === 'true') problems.push(`target index [${request.target}] will be blocked by [${block}=true], ${why}`);
  }
  if (problems.length > 0) throw validationFailedError(problems);
  if (given['index.number_of_routing_shards'] !== undefined && !(request.kind === 'split' && numberOfShards === 1))
    throw illegalArgumentError('cannot provide index.number_of_routing_shards on resize');
  checkShards(request.kind, numberOfShards, given);
  for (const block of ['index.blocks.read_only', 'index.blocks.metadata']) {
    if (given[block] === undefined && meta.settings[block] === 'true')
      throw illegalArgumentError(
        `target index [${request.target}] will be blocked by [${block}=true] which is copied from the source index [${meta.name}], ${why}`,
      );
  }
  if (meta.settings['index.blocks.write'] !== 'true' && meta.settings['index.blocks.read_only'] !== 'true')
    throw new ApiError(
      'illegal_state_exception',
      400,
      `index ${meta.name} must ${isOpenSearch ? 'block write operations' : 'be read-only'} to resize index. use "index.blocks.write=true"`,
    );
}

function checkShards(kind: ResizeKind, numberOfShards: number, given: Readonly<Record<string, unknown>>): void {
  const shards = Number(given['index.number_of_shards'] ?? (kind === 'shrink' ? 1 : numberOfShards));
  if (kind === 'clone' && shards !== numberOfShards)
    throw illegalArgumentError(
      `the number of target shards (${shards}) must be the same as the number of source shards ( ${numberOfShards})`,
    );
  if (kind === 'shrink') {
    if (shards > numberOfShards)
      throw illegalArgumentError(
        `the number of target shards [${shards}] must be less that the number of source shards [${numberOfShards}]`,
      );
    if (numberOfShards % shards !== 0)
      throw illegalArgumentError(`the number of source shards [${numberOfShards}] must be a multiple of [${shards}]`);
  }
  if (kind === 'split') {
    if (shards <= numberOfShards)
      throw illegalArgumentError(
        `the number of source shards [${numberOfShards}] must be less that the number of target shards [${shards}]`,
      );
    if (shards % numberOfShards !== 0)
      throw illegalArgumentError(`the number of source shards [${numberOfShards}] must be a factor of [${shards}]`);
  }
}
