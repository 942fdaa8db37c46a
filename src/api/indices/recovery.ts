// `_recovery`: how shards were opened.

import type { MutableJsonObject } from '../../common/json-value.ts';
import type { EngineContext, ShardStats } from '../core/context.ts';
import type { IndexTarget } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { statsOf } from './index-stats.ts';

/** `GET _recovery`. Shards are recovered from their own store when the node starts, so every recovery is done. */
export async function indexRecovery(
  ctx: EngineContext,
  target: IndexTarget,
  { host, human, detailed }: { host: string; human: boolean; detailed: boolean },
): Promise<MutableJsonObject> {
  const body: MutableJsonObject = {};
  for (const { index, shards } of await statsOf(ctx, target, false)) {
    const created = new Date(index.meta.creationDateMs).toISOString();
    const node = { id: ctx.nodeId, host, transport_address: ctx.publishAddress ?? host, ip: host, name: ctx.nodeName };
    body[index.meta.name] = {
      shards: shards.map((shard) => ({
        id: shard.shard,
        type: recoveryType(index, shard),
        stage: 'DONE',
        primary: true,
        ...(human ? { start_time: created, stop_time: created, total_time: '0s' } : {}),
        start_time_in_millis: index.meta.creationDateMs,
        stop_time_in_millis: index.meta.creationDateMs,
        total_time_in_millis: 0,
        source: {},
        target: node,
        index: {
          size: { total_in_bytes: shard.sizeBytes, reused_in_bytes: shard.sizeBytes, recovered_in_bytes: 0, percent: '100.0%' },
          files: { total: shard.segments, reused: shard.segments, recovered: 0, percent: '100.0%', ...(detailed ? { details: [] } : {}) },
          total_time_in_millis: 0,
          source_throttle_time_in_millis: 0,
          target_throttle_time_in_millis: 0,
        },
        translog: { recovered: 0, total: 0, percent: '100.0%', total_on_start: 0, total_time_in_millis: 0 },
        verify_index: { check_index_time_in_millis: 0, total_time_in_millis: 0 },
      })),
    };
  }
  return body;
}

/** An open shard without documents was created empty; others were opened from their store. */
export function recoveryType(index: IndexState, shard: ShardStats): 'EMPTY_STORE' | 'EXISTING_STORE' {
  return index.meta.state === 'open' && shard.docs === 0 && shard.segments === 0 ? 'EMPTY_STORE' : 'EXISTING_STORE';
}
