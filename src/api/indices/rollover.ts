// `_rollover`: moves an alias to a new index when its write index is too old, too large or too full.

import { parseByteSize } from '../../common/byte-size.ts';
import { isObject, type JsonObject } from '../../common/json-value.ts';
import { parseDurationMs } from '../../common/time-unit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, timeValueError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import type { AliasAction } from '../../metadata/aliases.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { checkIndexName } from '../../metadata/names.ts';
import { sumShards } from '../cluster/node-totals.ts';
import type { EngineContext } from '../core/context.ts';
import { membersOf, requireNames } from '../core/index-names.ts';

export interface RolloverRequest {
  readonly alias: string;
  /** null to increment the number in the old name. */
  readonly newIndex: string | null;
  /** `{ conditions, settings, mappings, aliases }`. */
  readonly body: JsonObject;
  readonly dryRun: boolean;
}

const BODY_KEYS = ['conditions', 'settings', 'mappings', 'aliases'];

/** @throws ApiError illegal_argument_exception: no such alias, no write index, no number in the name; resource_already_exists_exception */
export async function rollover(ctx: EngineContext, request: RolloverRequest): Promise<Record<string, unknown>> {
  for (const key of Object.keys(request.body)) {
    if (!BODY_KEYS.includes(key)) throw new ApiError('x_content_parse_exception', 400, `[1:2] [rollover] unknown field [${key}]`);
  }
  checkConditionNames(request.body.conditions);
  requireNames(ctx, request.alias);
  const { meta: old, isExplicit } = writeIndexOf(ctx, request.alias);
  const newIndex = request.newIndex ?? nextName(old.name);
  checkIndexName(newIndex);
  requireNames(ctx, newIndex);
  if (Object.hasOwn(ctx.cluster.indices, newIndex)) {
    const { uuid } = ctx.cluster.indices[newIndex];
    throw new ApiError('resource_already_exists_exception', 400, `index [${newIndex}/${uuid}] already exists`, {
      details: { index: newIndex, index_uuid: uuid },
    });
  }
  const conditions = await checkConditions(ctx, old, request.body.conditions);
  const isMet = Object.keys(conditions).length === 0 || Object.values(conditions).includes(true);
  const rolledOver = isMet && !request.dryRun;
  if (rolledOver) {
    const { settings, mappings, aliases } = request.body;
    const body = Object.fromEntries(Object.entries({ settings, mappings, aliases }).filter(([, value]) => value !== undefined));
    await ctx.command('createIndex', { index: newIndex, body: body as JsonObject });
    const { is_write_index: _, ...properties } = old.aliases[request.alias];
    const add = (index: string, isWrite: boolean | null): AliasAction => ({
      kind: 'add',
      indices: [index],
      aliases: [request.alias],
      alias: isWrite === null ? properties : { ...properties, is_write_index: isWrite },
    });
    const actions: AliasAction[] = isExplicit
      ? [add(old.name, false), add(newIndex, true)]
      : [{ kind: 'remove', indices: [old.name], aliases: [request.alias], mustExist: true }, add(newIndex, null)];
    await ctx.command('updateAliases', { actions });
  }
  return {
    acknowledged: rolledOver,
    shards_acknowledged: rolledOver,
    old_index: old.name,
    new_index: newIndex,
    rolled_over: rolledOver,
    dry_run: request.dryRun,
    ...(ctx.dialect.showsLazyRollover ? { lazy: false } : {}),
    conditions,
  };
}

function writeIndexOf(ctx: EngineContext, alias: string): { meta: IndexMeta; isExplicit: boolean } {
  const members = membersOf(ctx, alias);
  if (members.length === 0) {
    const isIndex = Object.hasOwn(ctx.cluster.indices, alias);
    throw illegalArgumentError(
      isIndex
        ? `rollover target is a [concrete_index] but one of [alias,data_stream] was expected`
        : `rollover target [${alias}] does not exist`,
    );
  }
  const explicit = members.find((meta) => meta.aliases[alias].is_write_index === true);
  if (explicit) return { meta: explicit, isExplicit: true };
  if (members.length > 1 || members[0].aliases[alias].is_write_index === false)
    throw illegalArgumentError(`rollover target [${alias}] does not point to a write index`);
  return { meta: members[0], isExplicit: false };
}

/** `logs-1` becomes `logs-000002`. */
function nextName(name: string): string {
  const match = /^(.*)-(\d+)$/.exec(name);
  if (!match) throw illegalArgumentError(`index name [${name}] does not match pattern '^.*-\\d+$'`);
  return `${match[1]}-${String(Number(match[2]) + 1).padStart(6, '0')}`;
}

/** `{ "[max_docs: 5]": true }`. */
async function checkConditions(ctx: EngineContext, meta: IndexMeta, value: unknown): Promise<Record<string, boolean>> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('x_content_parse_exception', 400, '[1:2] [rollover] conditions must be an object');
  const index = ctx.index(meta.name);
  const totals = sumShards(index !== null && meta.state === 'open' ? await ctx.shardStats(index) : []);
  const met: Record<string, boolean> = {};
  for (const [name, limit] of Object.entries(value)) {
    switch (name) {
      case 'max_docs': {
        const docs = Number(limit);
        if (!Number.isSafeInteger(docs)) throw illegalArgumentError(`[max_docs] must be a whole number, but was [${String(limit)}]`);
        met[`[max_docs: ${docs}]`] = totals.docs >= docs;
        break;
      }
      case 'max_age': {
        const ms = parseDurationMs(String(limit));
        if (ms === null) throw timeValueError('max_age', String(limit));
        met[`[max_age: ${String(limit)}]`] = Date.now() - meta.creationDateMs >= ms;
        break;
      }
      case 'max_size':
      case 'max_primary_shard_size': {
        const bytes = parseByteSize(String(limit));
        if (bytes === null)
          throw illegalArgumentError(
            `failed to parse setting [${name}] with value [${String(limit)}] as a size in bytes: unit is missing or unrecognized`,
          );
        met[`[${name}: ${String(limit)}]`] = totals.sizeBytes >= bytes;
        break;
      }
      default:
        throw unknownCondition(name);
    }
  }
  return met;
}

const CONDITIONS = /^(max|min)_(age|docs|size|primary_shard_size|primary_shard_docs)$/;

/** Conditions are parsed before anything is looked up. @throws ApiError x_content_parse_exception */
function checkConditionNames(conditions: unknown): void {
  for (const name of isObject(conditions) ? Object.keys(conditions) : []) if (!CONDITIONS.test(name)) throw unknownCondition(name);
}

function unknownCondition(name: string): ApiError {
  const cause = xContentParseError(`[rollover_conditions] unknown field [${name}]`);
  return new ApiError('x_content_parse_exception', 400, '[rollover] failed to parse field [conditions]', {
    causedBy: cause,
    rootCauses: [cause],
  });
}
