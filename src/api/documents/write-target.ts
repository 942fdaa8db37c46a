// Resolves the index name of a request on documents: a concrete index, an alias, or an index to be created.

import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import { MAX_AUTO_CREATED } from '../../metadata/indices/auto-create-index.ts';
import { dataStreamOf, writeIndexOf, writeStreamOf } from '../../metadata/indices/data-streams.ts';
import type { EngineContext } from '../core/context.ts';
import { membersOf, refusalOf } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { aliasMembers } from '../core/read-target.ts';
import type { WriteOperation } from '../core/write.ts';

/**
 * The index that writes to `name` go to. A missing index is created, with its templates.
 * @throws ApiError index_not_found_exception, invalid_index_name_exception, illegal_argument_exception (alias without a write index)
 */
export async function writeIndex(ctx: EngineContext, name: string, requireAlias: boolean): Promise<IndexState> {
  const concrete = ctx.index(name);
  if (concrete && !requireAlias) return concrete;
  const stream = concrete ? null : writeStreamOf(ctx.cluster, name);
  if (stream?.rolloverOnWrite)
    await ctx.command('rolloverDataStream', { name: stream.name, from: writeIndexOf(stream), metConditions: [], lazy: false });
  const members = aliasMembers(ctx, name);
  if (members.length > 0) {
    const chosen = members.length === 1 && members[0].write !== false ? members[0] : members.find(({ write }) => write === true);
    if (!chosen) {
      throw illegalArgumentError(
        `no write index is defined for alias [${name}]. The write index may be explicitly disabled using is_write_index=false or the alias points to multiple indices without one being designated as a write index`,
      );
    }
    return chosen.index;
  }
  if (requireAlias) {
    throw new ApiError(
      'index_not_found_exception',
      404,
      `no such index [${name}] and [require_alias] request flag is [true] and [${name}] is not an alias`,
      {
        details: { index: name, index_uuid: '_na_' },
      },
    );
  }
  try {
    await ctx.command('autoCreateIndex', { index: name });
  } catch (error) {
    // Another request has created it in the meantime.
    if (!(error instanceof ApiError) || error.type !== 'resource_already_exists_exception') throw error;
  }
  const created = ctx.index(name) ?? aliasMembers(ctx, name).find(({ write }) => write === true)?.index;
  if (!created) throw indexNotFoundError(name);
  return created;
}

/**
 * Creates what is missing of the indices that writes without `require_alias` go to, several with one command.
 * @returns errors by name; other names exist, or are left to `writeIndex`
 */
export async function createMissing(ctx: EngineContext, names: Iterable<string>): Promise<Map<string, ApiError>> {
  const failures = new Map<string, ApiError>();
  const missing = [...names].filter((name) => isMissing(ctx, name));
  for (let first = 0; first < missing.length && missing.length > 1; first += MAX_AUTO_CREATED) {
    const indices = missing.slice(first, first + MAX_AUTO_CREATED);
    try {
      const created = await ctx.command('autoCreateIndices', { indices });
      for (const [name, error] of created.failures) failures.set(name, ApiError.fromData(error));
      // A name can have become an alias, by the templates of a name before it.
      for (const name of failures.keys()) if (!isMissing(ctx, name)) failures.delete(name);
    } catch (error) {
      // The error is that of one of the names, which gets it again from a command of its own.
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return failures;
}

/** False for names that the caller may not use, too. */
function isMissing(ctx: EngineContext, name: string): boolean {
  return refusalOf(ctx, name) === null && ctx.index(name) === null && membersOf(ctx, name).length === 0;
}

/**
 * Checks a write to a data stream or one of its backing indices.
 * @param name  name of the index in the request
 * @throws ApiError illegal_argument_exception: documents can only be added to a stream, and only through its name
 */
export function checkStreamWrite(
  { cluster }: EngineContext,
  index: IndexState,
  name: string,
  op: Pick<WriteOperation, 'kind' | 'routing' | 'ifSeqNo'>,
): void {
  const stream = index.meta.dataStream === undefined ? null : dataStreamOf(cluster, index.meta.dataStream);
  if (stream === null) return;
  if (name !== index.meta.name) {
    if (op.kind !== 'create') throw illegalArgumentError('only write ops with an op_type of create are allowed in data streams');
    if (op.routing === null || stream.allowsRouting) return;
    throw illegalArgumentError(
      `index request targeting data stream [${name}] specifies a custom routing but the [allow_custom_routing] setting is not enabled in the data stream's template.`,
    );
  }
  if (op.kind === 'create') throw illegalArgumentError('index request with op_type=create targeting backing indices is disallowed');
  if (op.kind === 'index' && op.ifSeqNo === null)
    throw illegalArgumentError(
      'index request with op_type=index and no if_primary_term and if_seq_no set targeting backing indices is disallowed',
    );
}

/** `_shards` of a write. Replicas are counted in the total but never assigned. */
export function writeShards(index: IndexState): { total: number; successful: number; failed: number } {
  return { total: 1 + Number(index.meta.settings['index.number_of_replicas'] ?? 1), successful: 1, failed: 0 };
}
