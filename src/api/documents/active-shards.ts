// `wait_for_active_shards`: how many copies of a shard must be active before a write begins. A single node has one copy of each shard, so a
// request for more waits until fewer are needed, for example until `all` means one because the replicas are set to 0.

import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../errors/api-error.ts';
import type { EngineContext } from '../core/context.ts';
import type { IndexState } from '../core/index-state.ts';

/** What a request waits for. A null count stands for the setting `index.write.wait_for_active_shards`. */
export interface ActiveShards {
  readonly count: number | 'all' | null;
  readonly timeoutMs: number;
}

const ACTIVE_COPIES = 1;
const POLL_MS = 200;

function copiesOf({ meta: { settings } }: IndexState): number {
  return 1 + Number(settings['index.number_of_replicas'] ?? 1);
}

/** A count or `all`; other values are rejected when the parameter or the setting is read. */
export function readActiveShards(text: string | undefined): ActiveShards['count'] {
  if (text === undefined) return null;
  return text === 'all' ? 'all' : Number(text);
}

function neededOf(index: IndexState, count: ActiveShards['count']): number {
  const requested = count ?? readActiveShards(String(index.meta.settings['index.write.wait_for_active_shards'] ?? '1'));
  return requested === 'all' ? copiesOf(index) : Number(requested);
}

/** Waits for the copies. @returns false after the timeout */
async function untilActive(ctx: EngineContext, index: IndexState, { count, timeoutMs }: ActiveShards): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (let state = index; neededOf(state, count) > ACTIVE_COPIES; state = ctx.index(index.meta.name) ?? state) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    await sleep(Math.min(leftMs, POLL_MS));
  }
  return true;
}

/** Waits before a write to a shard. @throws ApiError unavailable_shards_exception (503) after the timeout */
export async function requireActiveShards(ctx: EngineContext, index: IndexState, shard: number, requested: ActiveShards): Promise<void> {
  if (neededOf(index, requested.count) <= ACTIVE_COPIES || (await untilActive(ctx, index, requested))) return;
  const { name, uuid } = index.meta;
  const needed = neededOf(index, requested.count);
  throw new ApiError(
    'unavailable_shards_exception',
    503,
    `[${name}][${shard}] Not enough active copies to meet shard count of [${requested.count ?? needed}] (have ${ACTIVE_COPIES}, needed ${needed}). ` +
      `Timeout: [${requested.timeoutMs}ms]`,
    { details: { index: name, shard: String(shard), index_uuid: uuid } },
  );
}

/** `shards_acknowledged` of a new index. */
export function areShardsActive(ctx: EngineContext, name: string, requested: ActiveShards): Promise<boolean> {
  const index = ctx.index(name);
  return index ? untilActive(ctx, index, requested) : Promise.resolve(false);
}
