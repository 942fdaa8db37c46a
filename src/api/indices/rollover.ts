// `_rollover`: moves an alias, or a data stream, to a new index when its write index is too old, too large or too full.

import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { parseByteSize } from '../../common/text/byte-size.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, timeValueError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import type { DataStream, IndexMeta } from '../../metadata/cluster-state.ts';
import { resolveDateMathName } from '../../metadata/date-math-name.ts';
import type { AliasAction } from '../../metadata/indices/aliases.ts';
import { writeIndexOf, writeStreamOf } from '../../metadata/indices/data-streams.ts';
import { checkIndexName } from '../../metadata/names.ts';
import type { EngineContext } from '../core/context.ts';
import { membersOf, requireNames } from '../core/index-names.ts';

export interface RolloverRequest {
  /** An alias or a data stream. */
  readonly alias: string;
  /** null to increment the number in the old name. */
  readonly newIndex: string | null;
  /** `{ conditions, settings, mappings, aliases }`. */
  readonly body: JsonObject;
  readonly dryRun: boolean;
  /** Data streams only: the next write rolls over. */
  readonly lazy: boolean;
}

const BODY_KEYS = ['conditions', 'settings', 'mappings', 'aliases'];

/** @throws ApiError illegal_argument_exception: no such alias, no write index, no number in the name; resource_already_exists_exception */
export async function rollover(ctx: EngineContext, request: RolloverRequest): Promise<Record<string, unknown>> {
  for (const key of Object.keys(request.body)) {
    if (!BODY_KEYS.includes(key)) throw new ApiError('x_content_parse_exception', 400, `[rollover] unknown field [${key}]`);
  }
  checkConditionNames(request.body.conditions);
  requireNames(ctx, request.alias);
  const stream = writeStreamOf(ctx.cluster, request.alias);
  if (stream !== null) return rolloverStream(ctx, stream, request);
  if (request.lazy) throw illegalArgumentError('lazy rollover can be applied only on a data stream');
  return rolloverAlias(ctx, request);
}

async function rolloverStream(ctx: EngineContext, stream: DataStream, request: RolloverRequest): Promise<Record<string, unknown>> {
  const { body, newIndex, dryRun, lazy } = request;
  if (newIndex !== null) throw illegalArgumentError('new index name may not be specified when rolling over a data stream');
  for (const key of ['aliases', 'mappings', 'settings'])
    if (isObject(body[key]) && Object.keys(body[key]).length > 0)
      throw illegalArgumentError('aliases, mappings, and index settings may not be specified when rolling over a data stream');
  if (lazy && isObject(body.conditions) && Object.keys(body.conditions).length > 0)
    throw illegalArgumentError('lazy rollover can be applied only without conditions');
  const last = writeIndexOf(stream);
  const conditions = await checkConditions(ctx, ctx.cluster.indices[last], body.conditions);
  const shown = (names: { oldIndex: string; newIndex: string }, isDone: boolean) =>
    rolloverResponse(ctx, { oldIndex: names.oldIndex, newIndex: names.newIndex, isDone, dryRun, lazy, conditions });
  if (dryRun || !areMet(conditions)) {
    const match = /^(.*)-(\d{6,})$/.exec(last);
    return shown({ oldIndex: last, newIndex: match ? `${match[1]}-${String(stream.generation + 1).padStart(6, '0')}` : last }, false);
  }
  const metConditions = Object.keys(conditions).filter((name) => conditions[name]);
  const names = await ctx.command('rolloverDataStream', { name: stream.name, from: last, metConditions, lazy });
  return { ...shown(names, !lazy), acknowledged: true };
}

async function rolloverAlias(ctx: EngineContext, request: RolloverRequest): Promise<Record<string, unknown>> {
  const { meta: old, isExplicit } = writeIndexOfAlias(ctx, request.alias);
  const newIndex = resolveDateMathName(request.newIndex ?? nextName(String(old.settings['index.provided_name'] ?? old.name)), Date.now());
  checkIndexName(newIndex);
  requireNames(ctx, newIndex);
  if (Object.hasOwn(ctx.cluster.indices, newIndex)) {
    const { uuid } = ctx.cluster.indices[newIndex];
    throw new ApiError('resource_already_exists_exception', 400, `index [${newIndex}/${uuid}] already exists`, {
      details: { index: newIndex, index_uuid: uuid },
    });
  }
  const conditions = await checkConditions(ctx, old, request.body.conditions);
  const isDone = areMet(conditions) && !request.dryRun;
  if (isDone) {
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
    const metConditions = Object.keys(conditions).filter((name) => conditions[name]);
    await ctx.command('recordRollover', { index: old.name, target: request.alias, metConditions });
  }
  return rolloverResponse(ctx, { oldIndex: old.name, newIndex, isDone, dryRun: request.dryRun, lazy: false, conditions });
}

interface Outcome {
  readonly oldIndex: string;
  readonly newIndex: string;
  readonly isDone: boolean;
  readonly dryRun: boolean;
  readonly lazy: boolean;
  readonly conditions: Readonly<Record<string, boolean>>;
}

function rolloverResponse(ctx: EngineContext, { oldIndex, newIndex, isDone, dryRun, lazy, conditions }: Outcome): Record<string, unknown> {
  return {
    acknowledged: isDone,
    shards_acknowledged: isDone,
    old_index: oldIndex,
    new_index: newIndex,
    rolled_over: isDone,
    dry_run: dryRun,
    ...(ctx.dialect.showsLazyRollover ? { lazy } : {}),
    conditions,
  };
}

function writeIndexOfAlias(ctx: EngineContext, alias: string): { meta: IndexMeta; isExplicit: boolean } {
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

/** True without conditions, or if all lower limits and one upper limit are reached. */
function areMet(conditions: Readonly<Record<string, boolean>>): boolean {
  const entries = Object.entries(conditions);
  const least = entries.filter(([name]) => name.startsWith('[min_'));
  const most = entries.filter(([name]) => !name.startsWith('[min_'));
  return entries.length === 0 || (least.every(([, met]) => met) && most.some(([, met]) => met));
}

/** `{ "[max_docs: 5]": true }`. @throws ApiError illegal_argument_exception: a value that is not of its kind */
async function checkConditions(ctx: EngineContext, meta: IndexMeta, value: unknown): Promise<Record<string, boolean>> {
  if (value === undefined) return {};
  if (!isObject(value)) throw new ApiError('x_content_parse_exception', 400, '[rollover] conditions must be an object');
  const names = Object.keys(value);
  if (names.length > 0 && names.every((name) => name.startsWith('min_')))
    throw illegalArgumentError('at least one max_* rollover condition must be set when using min_* conditions');
  const index = ctx.index(meta.name);
  const shards = index !== null && meta.state === 'open' ? await ctx.shardStats(index) : [];
  const most = (of: (shard: (typeof shards)[number]) => number): number => Math.max(0, ...shards.map(of));
  const total = (of: (shard: (typeof shards)[number]) => number): number => shards.reduce((sum, shard) => sum + of(shard), 0);
  const actual: Readonly<Record<string, () => number>> = {
    age: () => Date.now() - meta.creationDateMs,
    docs: () => total(({ docs }) => docs),
    size: () => total(({ sizeBytes }) => sizeBytes),
    primary_shard_size: () => most(({ sizeBytes }) => sizeBytes),
    primary_shard_docs: () => most(({ docs }) => docs),
  };
  const met: Record<string, boolean> = {};
  for (const [name, limit] of Object.entries(value)) met[`[${name}: ${String(limit)}]`] = actual[name.slice(4)]() >= limitOf(name, limit);
  return met;
}

/** A limit as a number of documents, milliseconds or bytes. */
function limitOf(name: string, value: unknown): number {
  const text = String(value);
  if (name.endsWith('_docs')) {
    const docs = Number(value);
    if (!Number.isSafeInteger(docs)) throw illegalArgumentError(`[${name}] must be a whole number, but was [${text}]`);
    return docs;
  }
  if (name.endsWith('_age')) {
    const ms = parseDurationMs(text);
    if (ms === null) throw timeValueError(name, text);
    return ms;
  }
  const bytes = parseByteSize(text);
  if (bytes === null)
    throw illegalArgumentError(
      `failed to parse setting [${name}] with value [${text}] as a size in bytes: unit is missing or unrecognized`,
    );
  return bytes;
}

const CONDITIONS = /^(max|min)_(age|docs|size|primary_shard_size|primary_shard_docs)$/;

/** Conditions are parsed before anything is looked up. @throws ApiError x_content_parse_exception */
function checkConditionNames(conditions: unknown): void {
  for (const name of isObject(conditions) ? Object.keys(conditions) : []) if (!CONDITIONS.test(name)) throw unknownConditionError(name);
}

function unknownConditionError(name: string): ApiError {
  const cause = xContentParseError(`[rollover_conditions] unknown field [${name}]`);
  return new ApiError('x_content_parse_exception', 400, '[rollover] failed to parse field [conditions]', {
    causedBy: cause,
    rootCauses: [cause],
  });
}
