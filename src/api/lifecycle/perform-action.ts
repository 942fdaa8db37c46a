// The actions of index lifecycle policies, each carried out on one index.

import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { parseByteSize } from '../../common/text/byte-size.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { IndexMeta, LifecycleState } from '../../metadata/cluster-state.ts';
import { dataStreamOf, writeIndexOf } from '../../metadata/indices/data-streams.ts';
import { lifecycleOf } from '../../metadata/policies/snapshot-policies.ts';
import { sumShards } from '../cluster/node-totals.ts';
import type { EngineContext } from '../core/context.ts';
import { resizeIndex } from '../indices/resize.ts';
import { rollover } from '../indices/rollover.ts';

/** `wait`: retried at the next poll. `gone`: the index no longer exists under its name. */
export type Outcome = { readonly kind: 'done' } | { readonly kind: 'gone' } | { readonly kind: 'wait'; readonly info: JsonObject | null };

const DONE: Outcome = { kind: 'done' };
const GONE: Outcome = { kind: 'gone' };

export interface ActionContext {
  readonly ctx: EngineContext;
  readonly meta: IndexMeta;
  readonly state: LifecycleState;
  readonly params: JsonObject;
  /** Whether conditions that need statistics are checked. */
  readonly atPoll: boolean;
  readonly nowMs: number;
}

type Perform = (action: ActionContext) => Promise<Outcome>;

/** Preferred data tiers of each phase, in order. */
const TIERS: Readonly<Record<string, string>> = { warm: 'data_warm,data_hot', cold: 'data_cold,data_warm,data_hot' };

const PERFORM: Readonly<Record<string, Perform>> = {
  set_priority: ({ params, ...action }) =>
    putSettings(action, { 'index.priority': params.priority === null || params.priority === undefined ? null : String(params.priority) }),
  // There are no follower indices.
  unfollow: async () => DONE,
  rollover: performRollover,
  readonly: (action) => putSettings(action, { 'index.blocks.write': 'true' }),
  allocate: ({ params, ...action }) => putSettings(action, allocationSettings(params)),
  migrate: async ({ params, ...action }) =>
    params.enabled === false || !action.ctx.dialect.hasDataTiers
      ? DONE
      : putSettings(action, { 'index.routing.allocation.include._tier_preference': TIERS[action.state.phase] }),
  shrink: performShrink,
  forcemerge: performForceMerge,
  wait_for_snapshot: performWaitForSnapshot,
  delete: performDelete,
};

/** Performs an action. @throws ApiError the action cannot be performed now; it is retried at the next poll */
export function performAction(name: string, action: ActionContext): Promise<Outcome> {
  return PERFORM[name](action);
}

async function putSettings({ ctx, meta }: Pick<ActionContext, 'ctx' | 'meta'>, settings: JsonObject): Promise<Outcome> {
  await ctx.command('putSettings', { indices: [meta.name], settings, preserveExisting: false });
  return DONE;
}

function allocationSettings({ number_of_replicas: replicas, total_shards_per_node: perNode, ...kinds }: JsonObject): JsonObject {
  const settings: Record<string, unknown> = {};
  if (replicas !== undefined) settings['index.number_of_replicas'] = String(replicas);
  if (perNode !== undefined) settings['index.routing.allocation.total_shards_per_node'] = String(perNode);
  for (const [kind, attributes] of Object.entries(kinds)) {
    if (!isObject(attributes)) continue;
    for (const [name, value] of Object.entries(attributes)) settings[`index.routing.allocation.${kind}.${name}`] = String(value);
  }
  return settings as JsonObject;
}

async function performRollover({ ctx, meta, params, atPoll }: ActionContext): Promise<Outcome> {
  const { name, settings, rollovers } = meta;
  if (settings['index.lifecycle.indexing_complete'] === 'true') return DONE;
  const target = meta.dataStream ?? String(settings['index.lifecycle.rollover_alias'] ?? '');
  if (rollovers !== undefined && Object.hasOwn(rollovers, target)) return DONE;
  const stream = dataStreamOf(ctx.cluster, target);
  if (stream !== null && writeIndexOf(stream) !== name) return DONE;
  if (target === '') throw illegalArgumentError(`setting [index.lifecycle.rollover_alias] for index [${name}] is empty or not defined`);
  if (stream === null && !Object.hasOwn(meta.aliases, target))
    throw illegalArgumentError(`index.lifecycle.rollover_alias [${target}] does not point to index [${name}]`);
  if (stream === null && meta.aliases[target].is_write_index === false)
    throw illegalArgumentError(`index [${name}] is not the write index for alias [${target}]`);
  if (!atPoll) return { kind: 'wait', info: null };
  const conditions = params.min_docs === undefined && onlyWithDocuments(ctx) ? { ...params, min_docs: 1 } : params;
  const { rolled_over: isDone } = await rollover(ctx, { alias: target, newIndex: null, body: { conditions }, dryRun: false, lazy: false });
  if (!isDone) return { kind: 'wait', info: null };
  if (stream === null)
    await ctx.command('putSettings', {
      indices: [name],
      settings: { 'index.lifecycle.indexing_complete': 'true' },
      preserveExisting: false,
    });
  return DONE;
}

/** Empty indices are not rolled over. */
function onlyWithDocuments({ cluster: { settings } }: EngineContext): boolean {
  const name = 'indices.lifecycle.rollover.only_if_has_documents';
  return String(settings.transient[name] ?? settings.persistent[name] ?? 'true') === 'true';
}

async function performForceMerge({ ctx, meta, params }: ActionContext): Promise<Outcome> {
  if (isWriteIndex(ctx, meta)) return DONE;
  if (params.index_codec !== undefined && meta.settings['index.codec'] !== params.index_codec) {
    const indices = [meta.name];
    const open = ctx.index(meta.name);
    if (open !== null && meta.state === 'open') await ctx.flush(open, true);
    await ctx.command('closeIndices', { indices });
    await ctx.command('putSettings', { indices, settings: { 'index.codec': String(params.index_codec) }, preserveExisting: false });
    await ctx.command('openIndices', { indices });
  }
  const index = ctx.index(meta.name);
  if (index?.meta.state !== 'open') return DONE;
  await ctx.forceMerge(index, { maxNumSegments: Number(params.max_num_segments), onlyExpungeDeletes: false });
  await ctx.flush(index, false);
  return DONE;
}

function isWriteIndex({ cluster }: EngineContext, { name, dataStream }: IndexMeta): boolean {
  const stream = dataStream === undefined ? null : dataStreamOf(cluster, dataStream);
  return stream !== null && writeIndexOf(stream) === name;
}

async function performShrink({ ctx, meta, params, state, nowMs }: ActionContext): Promise<Outcome> {
  const index = ctx.index(meta.name);
  if (index?.meta.state !== 'open' || isWriteIndex(ctx, meta)) return DONE;
  const shards = await targetShards(ctx, meta.name, params);
  if (shards >= index.numberOfShards) return DONE;
  const block = { 'index.blocks.write': 'true' };
  await ctx.command('putSettings', { indices: [meta.name], settings: block, preserveExisting: false });
  const target = `shrink-${Math.floor(Math.random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0')}-${meta.name}`;
  // The policy applies to the copy once it has replaced the original.
  const settings = { 'index.number_of_shards': String(shards), 'index.lifecycle.name': null, 'index.blocks.write': null };
  await resizeIndex(ctx, { kind: 'shrink', source: meta.name, target, body: { settings } });
  const after = { ...state, step: 'shrink', stepMs: nowMs };
  await ctx.command('replaceIndex', { source: meta.name, target, lifecycle: after });
  const policy = { 'index.lifecycle.name': state.policy, ...(params.allow_write_after_shrink === true ? {} : block) };
  await ctx.command('putSettings', { indices: [target], settings: policy, preserveExisting: false });
  return GONE;
}

/** The number of shards to shrink to: as given, or the smallest factor for which no shard is too large. */
async function targetShards(ctx: EngineContext, name: string, params: JsonObject): Promise<number> {
  const index = ctx.index(name);
  if (index === null) return 1;
  const { numberOfShards } = index;
  if (params.number_of_shards !== undefined) {
    const shards = Number(params.number_of_shards);
    if (shards < numberOfShards && numberOfShards % shards !== 0)
      throw illegalArgumentError(`the number of source shards [${numberOfShards}] must be a multiple of [${shards}]`);
    return shards;
  }
  const limit = parseByteSize(String(params.max_primary_shard_size)) ?? Number.POSITIVE_INFINITY;
  const { sizeBytes } = sumShards(await ctx.shardStats(index));
  let shards = Math.max(1, Math.ceil(sizeBytes / limit));
  while (shards < numberOfShards && numberOfShards % shards !== 0) shards++;
  return Math.min(shards, numberOfShards);
}

async function performWaitForSnapshot({ ctx, params, state, atPoll }: ActionContext): Promise<Outcome> {
  if (!atPoll) return { kind: 'wait', info: null };
  const name = String(params.policy);
  const { policies } = lifecycleOf(ctx.cluster);
  if (!Object.hasOwn(policies, name)) throw illegalArgumentError(`configured policy '${name}' not found`);
  const { lastSuccess } = policies[name];
  if (lastSuccess !== null && lastSuccess.startMs >= state.actionMs) return DONE;
  return { kind: 'wait', info: { message: `waiting for policy '${name}' to be executed since ${new Date(state.actionMs).toISOString()}` } };
}

async function performDelete({ ctx, meta }: ActionContext): Promise<Outcome> {
  const stream = meta.dataStream === undefined ? null : dataStreamOf(ctx.cluster, meta.dataStream);
  if (stream !== null && stream.indices.length === 1) await ctx.command('deleteDataStreams', { names: [stream.name] });
  else await ctx.command('deleteIndex', { indices: [meta.name] });
  return GONE;
}
