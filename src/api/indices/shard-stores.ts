// `_shard_stores`: where the copies of shards are stored.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { indexHealth, shardCounts } from '../cluster/shard-counts.ts';
import { nodeIdentity } from '../cluster/this-node.ts';
import type { EngineContext } from '../core/context.ts';
import { copyPlaces } from '../core/copies.ts';
import { type IndexTarget, TARGETS, targetNames } from '../core/index-names.ts';

/** `GET _shard_stores`. @param statuses  health of the shards to show, or `all` */
export function shardStores(ctx: EngineContext, target: IndexTarget, statuses: readonly string[]): MutableJsonObject {
  const indices: MutableJsonObject = {};
  for (const name of targetNames(ctx, target, TARGETS.open)) {
    const meta = ctx.cluster.indices[name];
    const health = indexHealth(ctx, meta);
    if (!statuses.includes('all') && !statuses.includes(health)) continue;
    const shards: MutableJsonObject = {};
    for (let shard = 0; shard < shardCounts(ctx, meta).primaries; shard++) shards[String(shard)] = { stores: storesOf(ctx, meta, shard) };
    indices[name] = { shards };
  }
  return { indices };
}

/** Where every node has a copy, that of this node. */
function storesOf(ctx: EngineContext, meta: IndexMeta, shard: number): MutableJsonObject[] {
  if (ctx.cluster.copies === undefined)
    return [{ [ctx.nodeId]: nodeIdentity(ctx), allocation_id: `${meta.uuid}-${shard}`, allocation: 'primary' }];
  return copyPlaces(ctx, meta, shard).map(({ node, isPrimary, id }) => ({
    [node.id]: nodeIdentity(ctx, node),
    allocation_id: `${meta.uuid}-${shard}-${id}`,
    allocation: isPrimary ? 'primary' : 'replica',
  }));
}
