// `wait_for_active_shards`: how many copies of a shard must be active before a write begins. A request
// for more copies than there are nodes waits until there are more, or until fewer are needed, for example because the replicas are set to 0.

import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../errors/api-error.ts';
import type { EngineContext } from '../core/context.ts';
import { activeReplicas, replicasOf } from '../core/copies.ts';
import type { IndexState } from '../core/index-state.ts';

/** The condition of a request. A null count means the setting `index.write.wait_for_active_shards`. */
export interface ActiveShards {
  readonly count: number | 'all' | null;
  readonly timeoutMs: number;
}

const POLL_MS = 50;

function activeCopies(ctx: EngineContext, { meta }: IndexState): number {
  return ctx.primaryNodeOf(meta) === null ? 0 : 1 + activeReplicas(ctx, meta);
}

/** A count or `all`; other values are rejected when the parameter or the setting is read. */
export function readActiveShards(text: string | undefined): ActiveShards['count'] {
  if (text === undefined) return null;
  return text === 'all' ? 'all' : Number(text);
}

function neededOf(ctx: EngineContext, index: IndexState, count: ActiveShards['count']): number {
  const requested = count ?? readActiveShards(String(index.meta.settings['index.write.wait_for_active_shards'] ?? '1'));
  return requested === 'all' ? 1 + replicasOf(ctx, index.meta) : Number(requested);
}

/** Waits for the copies. @returns false after the timeout */
async function untilActive(ctx: EngineContext, index: IndexState, { count, timeoutMs }: ActiveShards): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (let state = index; neededOf(ctx, state, count) > activeCopies(ctx, state); state = ctx.index(index.meta.name) ?? state) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    await sleep(Math.min(leftMs, POLL_MS));
  }
  return true;
}

/** Waits before a write to a shard. @throws ApiError unavailable_shards_exception (503) after the timeout */
export async function requireActiveShards(ctx: EngineContext, index: IndexState, shard: number, requested: ActiveShards): Promise<void> {
  if (neededOf(ctx, index, requested.count) <= activeCopies(ctx, index) || (await untilActive(ctx, index, requested))) return;
  const { name, uuid } = index.meta;
  const needed = neededOf(ctx, index, requested.count);
  throw new ApiError(
    'unavailable_shards_exception',
    503,
    `[${name}][${shard}] Not enough active copies to meet shard count of [${requested.count ?? needed}] (have ${activeCopies(ctx, index)}, needed ${needed}). ` +
      `Timeout: [${requested.timeoutMs}ms]`,
    { details: { index: name, shard: String(shard), index_uuid: uuid } },
  );
}

/** `shards_acknowledged` of a new index. */
export function areShardsActive(ctx: EngineContext, name: string, requested: ActiveShards): Promise<boolean> {
  const index = ctx.index(name);
  return index ? untilActive(ctx, index, requested) : Promise.resolve(false);
}
