// `_shard_stores`: where the copies of shards are stored.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { indexHealth, shardCounts } from '../cluster/shard-counts.ts';
import { nodeIdentity } from '../cluster/this-node.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, TARGETS, targetNames } from '../core/index-names.ts';

/** `GET _shard_stores`. @param statuses  health of the shards to show, or `all` */
export function shardStores(ctx: EngineContext, target: IndexTarget, statuses: readonly string[]): MutableJsonObject {
  const indices: MutableJsonObject = {};
  for (const name of targetNames(ctx, target, TARGETS.open)) {
    const meta = ctx.cluster.indices[name];
    const health = indexHealth(ctx, meta);
    if (!statuses.includes('all') && !statuses.includes(health)) continue;
    const node = nodeIdentity(ctx);
    const shards: MutableJsonObject = {};
    for (let shard = 0; shard < shardCounts(ctx, meta).primaries; shard++)
      shards[String(shard)] = { stores: [{ [ctx.nodeId]: node, allocation_id: `${meta.uuid}-${shard}`, allocation: 'primary' }] };
    indices[name] = { shards };
  }
  return { indices };
}
